"""Vehicles and the bars on them."""
