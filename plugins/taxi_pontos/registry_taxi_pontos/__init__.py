"""Taxi stands (pontos): tables, screens and pure functions any city can use."""

__version__ = "0.1.0"
