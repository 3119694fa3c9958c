"""What the plugin taxi_bandeiras registers: the hook by which a city gives its table, and the page that shows it."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

from registry.api.plugin import hookimpl
from registry_taxi_bandeiras import hookspecs

REGISTRY_API = 1


@hookimpl
def registry_hookspecs() -> tuple[ModuleType, ...]:
    """The specification of ``taxi_bandeiras_table``."""
    return (hookspecs,)


@hookimpl
def registry_blueprints() -> Iterable[Any]:
    """The public page /tarifas."""
    from registry_taxi_bandeiras.views import blueprint

    return (blueprint,)
