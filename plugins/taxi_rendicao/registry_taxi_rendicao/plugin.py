"""What the plugin taxi_rendicao registers with the core: the hook by which a city gives its groups."""

from __future__ import annotations

from types import ModuleType

from registry.api.plugin import hookimpl
from registry_taxi_rendicao import hookspecs

REGISTRY_API = 1


@hookimpl
def registry_hookspecs() -> tuple[ModuleType, ...]:
    """The specification of ``taxi_rendicao_groups``."""
    return (hookspecs,)
