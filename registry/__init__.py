"""A registry of permits for passenger transport in which every answer explains itself."""

__version__ = "0.1.0"
