"""What the plugin taxi_bandeiras registers with the core: the hook by which a city gives its table."""

from __future__ import annotations

from types import ModuleType

from registry.api.plugin import hookimpl
from registry_taxi_bandeiras import hookspecs

REGISTRY_API = 1


@hookimpl
def registry_hookspecs() -> tuple[ModuleType, ...]:
    """The specification of ``taxi_bandeiras_table``."""
    return (hookspecs,)
