"""What the plugin taxi_recife registers with the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from registry.api.law import Law, Lawbook, Question, Regime, load_lawbook, questions_in
from registry.api.plugin import hookimpl
from registry_taxi_bandeiras.api import BandTable
from registry_taxi_recife.demo import rows
from registry_taxi_recife.regime import CODE, TAXI_RECIFE
from registry_taxi_recife.rules import (
    alvara,
    bandeira,
    cancellation,
    capacity,
    criminal,
    debt_block,
    documents,
    drivers,
    fee,
    fines,
    inspection,
    new_permit,
    operation,
    paint,
    places,
    ponto,
    quota,
    rendicao,
    renewal,
    rota,
    sanctions,
    special_fleet,
    status,
    substitution,
    transfer,
    vehicle_age,
)
from registry_taxi_rendicao.api import Group

REGISTRY_API = 1
ZONE = ZoneInfo("America/Recife")

RULES = (
    alvara,
    bandeira,
    cancellation,
    capacity,
    criminal,
    debt_block,
    documents,
    drivers,
    fee,
    fines,
    inspection,
    new_permit,
    operation,
    paint,
    places,
    ponto,
    quota,
    renewal,
    rendicao,
    rota,
    sanctions,
    special_fleet,
    status,
    substitution,
    transfer,
    vehicle_age,
)


@hookimpl
def registry_lawbook() -> Lawbook:
    """The decree: provisions, dated values, readings, sentences, calendar."""
    return load_lawbook("registry_taxi_recife")


@hookimpl
def registry_questions() -> tuple[Question[Any, Any], ...]:
    """The questions of the decree that the plugin answers."""
    return questions_in(*RULES)


@hookimpl
def registry_regimes() -> tuple[Regime, ...]:
    """The municipal taxi service."""
    return (TAXI_RECIFE,)


@hookimpl
def registry_demo_rows() -> Iterable[Mapping[str, Any]]:
    """Invented taxis, holders and requests (shape: ``demo.rows.rows``)."""
    return rows(_law().book)


@hookimpl
def taxi_bandeiras_table(regime: str, on: date, law: Law) -> BandTable | None:
    """The fare bands of art. 4, with the authority's holidays and the periods set by act."""
    return bandeira.band_table(law, on) if regime == CODE else None


@hookimpl
def taxi_rendicao_groups(regime: str, on: date, law: Law) -> tuple[Group, ...] | None:
    """The hand-over groups of art. 29."""
    return rendicao.groups(law, on) if regime == CODE else None


@cache
def _law() -> Law:
    """The decree as it stands without an authority's index values and readings."""
    book = load_lawbook("registry_taxi_recife")
    return Law(book, book.calendar, ZONE)
