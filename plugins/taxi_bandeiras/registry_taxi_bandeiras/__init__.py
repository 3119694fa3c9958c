"""Taxi fare bands (bandeiras) by instant; the city gives windows, holidays and overrides."""

__version__ = "0.1.0"
