"""Requests: opened, filled in with live findings, filed, analysed, passed on, withdrawn."""
