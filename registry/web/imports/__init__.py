"""Importing files, step by step."""
