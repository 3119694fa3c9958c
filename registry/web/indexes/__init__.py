"""Index values and closed days: what acts set, since when, and what a new value would move."""
