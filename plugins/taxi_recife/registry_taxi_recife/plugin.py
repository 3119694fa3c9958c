"""What the plugin taxi_recife registers with the core."""

from __future__ import annotations

from typing import Any

from registry.api.law import Lawbook, Question, load_lawbook, questions_in
from registry.api.plugin import hookimpl
from registry_taxi_recife.rules import (
    alvara,
    bandeira,
    capacity,
    criminal,
    debt_block,
    documents,
    fee,
    inspection,
    new_permit,
    paint,
    ponto,
    quota,
    rendicao,
    special_fleet,
    status,
    vehicle_age,
)

REGISTRY_API = 1

RULES = (
    alvara,
    bandeira,
    capacity,
    criminal,
    debt_block,
    documents,
    fee,
    inspection,
    new_permit,
    paint,
    ponto,
    quota,
    rendicao,
    special_fleet,
    status,
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
