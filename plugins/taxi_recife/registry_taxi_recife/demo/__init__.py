"""Invented records for ``registry demo``: taxis, their holders and requests in every state."""

from registry_taxi_recife.demo.rows import rows

__all__ = ["rows"]
