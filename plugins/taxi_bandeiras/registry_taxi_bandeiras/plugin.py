"""What the plugin taxi_bandeiras registers: the hook by which a city gives its table, its pages, its periods by act."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

from registry.api.data import RestsOnAct
from registry.api.law import DatedValue, Law
from registry.api.plugin import hookimpl
from registry_taxi_bandeiras import hookspecs, periods
from registry_taxi_bandeiras.models import Period

REGISTRY_API = 1


@hookimpl
def registry_hookspecs() -> tuple[ModuleType, ...]:
    """The specification of ``taxi_bandeiras_table``."""
    return (hookspecs,)


@hookimpl
def registry_blueprints() -> Iterable[Any]:
    """The public page /tarifas, and the periods set by act for the staff."""
    from registry_taxi_bandeiras import staff
    from registry_taxi_bandeiras.views import blueprint

    return (blueprint, staff.blueprint)


@hookimpl
def registry_menu() -> Iterable[Any]:
    """The periods, among what acts set."""
    from registry_taxi_bandeiras.staff import MENU

    return MENU


@hookimpl
def registry_settings() -> Mapping[str, Any]:
    """``regimes``: the menu shows the periods to authorities that administer one of these; empty = to all."""
    return {"regimes": []}


@hookimpl
def registry_tables() -> Iterable[type]:
    """The periods in which an act sets the band."""
    return (Period,)


@hookimpl
def registry_law_values(session: Any, authority: str, regimes: Sequence[str], law: Law) -> Iterable[DatedValue]:
    """The periods of the authority, as the city's law reads them."""
    return periods.values(session, authority, regimes, law)


@hookimpl
def registry_act_rests(
    session: Any, authority: str, act_ids: Sequence[int], names: Callable[[str], bool]
) -> Iterable[RestsOnAct]:
    """The periods that an act sets."""
    return periods.resting_on(session, authority, act_ids, names)
