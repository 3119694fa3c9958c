"""Persons, companies and cooperatives."""
