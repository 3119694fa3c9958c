"""What the plugin fretamento_rmr registers with the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from registry.api.law import Lawbook, Question, Regime, load_lawbook, questions_in
from registry.api.plugin import hookimpl
from registry_fretamento_rmr import demo
from registry_fretamento_rmr.regime import REGIME
from registry_fretamento_rmr.rules import (
    applicants,
    contracts,
    deadlines,
    fees,
    fines,
    inspections,
    operations,
    payments,
    penalties,
    proceedings,
    registration,
    status,
    vehicles,
)

REGISTRY_API = 1

_TOPICS = (
    applicants,
    contracts,
    deadlines,
    fees,
    fines,
    inspections,
    operations,
    payments,
    penalties,
    proceedings,
    registration,
    status,
    vehicles,
)


@cache
def _book() -> Lawbook:
    return load_lawbook("registry_fretamento_rmr")


@hookimpl
def registry_lawbook() -> Lawbook:
    """Decreto PE 27.099/2004 as data."""
    return _book()


@hookimpl
def registry_questions() -> Iterable[Question[Any, Any]]:
    """The questions of the decree."""
    return questions_in(*_TOPICS)


@hookimpl
def registry_regimes() -> Iterable[Regime]:
    """The charter service of the Recife metropolitan region."""
    return (REGIME,)


@hookimpl
def registry_demo_rows() -> Iterable[Mapping[str, Any]]:
    """Invented holders, vehicles and permits in every state; see :mod:`registry_fretamento_rmr.demo`."""
    return demo.rows(_book())
