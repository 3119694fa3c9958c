"""What the plugin taxi_recife registers with the core."""

from __future__ import annotations

from registry.api.law import Lawbook, load_lawbook
from registry.api.plugin import hookimpl

REGISTRY_API = 1


@hookimpl
def registry_lawbook() -> Lawbook:
    """The data of Decreto municipal 11.135/1978."""
    return load_lawbook("registry_taxi_recife")
