"""State charter service of the Recife metropolitan region: Decreto PE 27.099/2004."""

__version__ = "0.1.0"
