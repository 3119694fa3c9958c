"""What the plugin taxi_rendicao registers: the hook by which a city gives its groups, and the page that shows them."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

from registry.api.plugin import hookimpl
from registry_taxi_rendicao import hookspecs

REGISTRY_API = 1


@hookimpl
def registry_hookspecs() -> tuple[ModuleType, ...]:
    """The specification of ``taxi_rendicao_groups``."""
    return (hookspecs,)


@hookimpl
def registry_blueprints() -> Iterable[Any]:
    """The public page /rendicao."""
    from registry_taxi_rendicao.views import blueprint

    return (blueprint,)
