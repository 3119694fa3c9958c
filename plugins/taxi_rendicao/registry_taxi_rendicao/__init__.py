"""Taxi hand-over windows (rendição) by plate ending; the city gives the windows."""

__version__ = "0.1.0"
