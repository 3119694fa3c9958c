"""Municipal taxi service of Recife: Decreto 11.135/1978."""

__version__ = "0.1.0"
