"""Screens for one person's data: given to that person, or ended."""
