"""Addresses for whoever watches the server."""
