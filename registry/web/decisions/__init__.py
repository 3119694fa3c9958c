"""The decision: what stands against, the draft, the page that repeats its effect before it counts."""
