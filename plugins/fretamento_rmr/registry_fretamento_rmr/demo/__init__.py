"""Invented records for ``registry demo``: holders, vehicles and permits in every state, and requests under way."""

from registry_fretamento_rmr.demo.rows import rows

__all__ = ["rows"]
