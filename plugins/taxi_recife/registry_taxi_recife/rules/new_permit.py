"""Arts. 2, 8, 9, 10, 18 and 60: who may have a new permit, and with which car."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from registry.api.law import Ground, Law, Verdict, question
from registry_taxi_recife.rules.common import articles, ground, outcome_of

DOORS = "new_permit.doors"
MAX_TAXIS = "autonomous.max_taxis"
_KINDS = {"company": "art-2-a", "autonomous_driver": "art-2-b"}


@dataclass(frozen=True)
class Applicant:
    """``other_live_taxi`` and ``co_owner_of_taxi`` count for a driver, ``banned`` (gave up plates in a merger) and
    ``successor_of_banned`` for a company; ``other_income`` is another paid activity of the driver."""

    kind: str
    other_live_taxi: bool
    co_owner_of_taxi: bool
    other_income: bool
    banned: bool
    successor_of_banned: bool


@dataclass(frozen=True)
class NewVehicle:
    """``side_doors`` leaves the tailgate out."""

    zero_km: bool
    side_doors: int


@dataclass(frozen=True)
class NewPermitGiven:
    """``quota_available`` places under art. 60; None where the question ``quota`` is asked beside this one."""

    applicant: Applicant
    vehicle: NewVehicle
    quota_available: int | None
    on: date


@dataclass(frozen=True)
class NewPermitAnswer:
    """``warnings`` do not forbid; they go to the analyst."""

    decision: str
    articles: tuple[str, ...]
    warnings: tuple[str, ...]


@question(
    "new_permit",
    cites=["art-2-caput", "art-8-par-1", "art-9-par-3", "art-10-par-3", "art-18-caput", "art-60-caput"],
)
def new_permit(given: NewPermitGiven, law: Law) -> Verdict[NewPermitAnswer]:
    """Every unit of the decree that stands against a new permit, in its order; allow where none does."""
    grounds = [
        _kind(given.applicant, law),
        _car(given.vehicle, given.on, law),
        *_company(given.applicant, law),
        *_driver(given.applicant, given.on, law),
        *_quota(given.quota_available, law),
    ]
    warned = any(ground.code == "successor_warned" for ground in grounds)
    outcome = outcome_of(grounds)
    answer = NewPermitAnswer(outcome, articles(grounds), ("art-9-par-3:successor",) if warned else ())
    return Verdict(outcome, answer, tuple(grounds))


def _kind(applicant: Applicant, law: Law) -> Ground:
    if applicant.kind in _KINDS:
        return ground(law, _KINDS[applicant.kind], f"kind_{applicant.kind}", True)
    return ground(law, "art-2-caput", "kind_other", False, kind=applicant.kind)


def _car(vehicle: NewVehicle, on: date, law: Law) -> Ground:
    doors = law.value(DOORS, on)
    if not vehicle.zero_km:
        return ground(law, "art-8-par-1", "not_zero_km", False)
    holds = vehicle.side_doors in doors.value
    code = "zero_km" if holds else "wrong_doors"
    return ground(law, "art-8-par-1", code, holds, (doors,), doors=vehicle.side_doors)


def _company(applicant: Applicant, law: Law) -> Iterable[Ground]:
    if applicant.kind != "company":
        return
    if applicant.banned:
        yield ground(law, "art-9-par-3", "banned", False)
    elif applicant.successor_of_banned:
        barred = law.reading("ban.scope") == "transferor_and_successor"
        code = "successor_banned" if barred else "successor_warned"
        yield ground(law, "art-9-par-3", code, False if barred else None)


def _driver(applicant: Applicant, on: date, law: Law) -> Iterable[Ground]:
    if applicant.kind != "autonomous_driver":
        return
    limit = law.value(MAX_TAXIS, on)
    taxis = 1 + applicant.other_live_taxi + applicant.co_owner_of_taxi
    code = "one_taxi" if taxis <= limit.integer else "second_taxi"
    yield ground(law, "art-10-par-3", code, taxis <= limit.integer, (limit,), limit=limit.integer)
    code = "other_income" if applicant.other_income else "only_income"
    yield ground(law, "art-18-caput", code, not applicant.other_income)


def _quota(available: int | None, law: Law) -> Iterable[Ground]:
    if available is not None:
        code = "places_left" if available > 0 else "no_places"
        yield ground(law, "art-60-caput", code, available > 0, available=available)
