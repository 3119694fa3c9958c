"""Arts. 38, 40 and 42: whether a taxi may stand at a ponto."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from registry.api.law import Ground, Law, Verdict, question
from registry_taxi_pontos.api import Access, Reason, Stand, admission
from registry_taxi_recife.rules.common import articles, ground, outcome_of, years

FLAGS = "ponto.flags"
PROVISIONAL = "provisorio"
_REASONS: Mapping[Reason, tuple[str, str, bool]] = {
    "designated": ("art-38-I", "ponto_designated", True),
    "not_designated": ("art-38-I", "ponto_not_designated", False),
    "free": ("art-38-II", "ponto_free", True),
    "no_end": ("art-38-III", "ponto_no_end", False),
    "over": ("art-38-III", "ponto_over", False),
    "not_yet": ("art-38-III", "ponto_not_yet", False),
    "provisional": ("art-38-III", "ponto_provisional", True),
}


@dataclass(frozen=True)
class PontoConditions:
    """The special conditions of a ponto (art. 42); None = no such condition."""

    min_side_doors: int | None
    max_age_years: int | None


@dataclass(frozen=True)
class PontoVehicle:
    """The car, as far as the conditions look at it."""

    side_doors: int | None
    made: int | None


@dataclass(frozen=True)
class PontoGiven:
    """``category`` livre, privado or provisorio (with ``access`` livre or privado and its first and last day);
    ``designated``: the permit is designated for the ponto; ``flag`` shown by the car (None = the car is not
    there, it is only asked whether it may)."""

    category: str
    designated: bool
    flag: str | None
    on: date
    access: str | None
    start: date | None
    end: date | None
    conditions: PontoConditions | None
    vehicle: PontoVehicle | None


@dataclass(frozen=True)
class PontoAnswer:
    """``articles`` forbid, in the decree's order."""

    decision: str
    articles: tuple[str, ...]


@question("ponto", cites=["art-38-I", "art-38-II", "art-38-III", "art-40-caput", "art-42-caput"])
def ponto(given: PontoGiven, law: Law) -> Verdict[PontoAnswer]:
    """The category decides who, the flag whether the car is available, the conditions which car."""
    grounds = (*_category(given, law), *_flag(given, law), *_conditions(given, law))
    outcome = outcome_of(grounds)
    return Verdict(outcome, PontoAnswer(outcome, articles(grounds)), grounds)


def _category(given: PontoGiven, law: Law) -> Iterable[Ground]:
    provisional = given.category == PROVISIONAL
    stand = Stand(_access(given), provisional, given.start, given.end)
    for reason in admission(stand, given.designated, given.on).reasons:
        provision, code, holds = _REASONS[reason]
        yield ground(law, provision, code, holds, start=given.start, end=given.end)


def _access(given: PontoGiven) -> Access | None:
    access = given.access if given.category == PROVISIONAL else given.category
    return "privado" if access == "privado" else "livre" if access == "livre" else None


def _flag(given: PontoGiven, law: Law) -> Iterable[Ground]:
    if given.flag is None:
        return
    flags = law.value(FLAGS, given.on)
    holds = given.flag in flags.value
    code = "ponto_flag_ok" if holds else "ponto_flag"
    yield ground(law, "art-40-caput", code, holds, (flags,), flag=given.flag)


def _conditions(given: PontoGiven, law: Law) -> Iterable[Ground]:
    if given.conditions is None:
        return
    car = given.vehicle or PontoVehicle(None, None)
    least, oldest = given.conditions.min_side_doors, given.conditions.max_age_years
    if least is not None and (car.side_doors is None or car.side_doors < least):
        yield ground(law, "art-42-caput", "ponto_doors", False, least=least)
    if oldest is not None and (car.made is None or given.on.year - car.made > oldest):
        yield ground(law, "art-42-caput", "ponto_age", False, oldest=years(oldest))
