"""Arts. 21 and 26: how many drivers, who may be registered, and the proof of social security."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from registry.api.law import Ground, Law, Verdict, count_calendar_days, question
from registry_taxi_recife.rules.common import articles, ground, told, working_calendar

LEAST = "drivers.min_per_vehicle"
MOST = "drivers.max_per_vehicle"


@dataclass(frozen=True)
class DriversGiven:
    """Vehicles of the fleet and registered drivers of a company."""

    fleet: int
    drivers: int
    on: date


@dataclass(frozen=True)
class DriversAnswer:
    """``min`` and ``max`` drivers for the fleet."""

    min: int
    max: int
    decision: str
    articles: tuple[str, ...]


@dataclass(frozen=True)
class DriverRegistrationGiven:
    """``good_record`` clean or adverse (None = no certificate)."""

    cnh: bool
    good_record: str | None
    psychotechnical: bool
    union: bool


@dataclass(frozen=True)
class DriverRegistrationAnswer:
    """``status`` registered, pending or manual_review."""

    status: str
    articles: tuple[str, ...]


@dataclass(frozen=True)
class InpsGiven:
    """Day of the licence and day of the proof (None = not proved)."""

    licensed: date
    proved: date | None


@dataclass(frozen=True)
class InpsAnswer:
    """``status`` on_time, late, or open while nothing was proved."""

    deadline: date
    status: str


@question("drivers", cites=["art-21-caput"])
def drivers(given: DriversGiven, law: Law) -> Verdict[DriversAnswer]:
    """At least one and at most three drivers a vehicle, over the whole fleet."""
    least, most = law.value(LEAST, given.on), law.value(MOST, given.on)
    low, high = given.fleet * least.integer, given.fleet * most.integer
    holds = low <= given.drivers <= high
    code = "drivers_ok" if holds else "drivers_wrong"
    facts = {"drivers": given.drivers, "low": low, "high": high, "fleet": given.fleet}
    reason = ground(law, "art-21-caput", code, holds, (least, most), **facts)
    decision = "allow" if holds else "deny"
    return Verdict("allow" if holds else "deny", DriversAnswer(low, high, decision, articles([reason])), (reason,))


@question("driver_registration", cites=["art-26-caput", "art-26-a", "art-26-b", "art-26-c", "art-26-e"])
def driver_registration(given: DriverRegistrationGiven, law: Law) -> Verdict[DriverRegistrationAnswer]:
    """Pending while a paper is missing; an adverse record goes to a person; union membership by the adopted reading."""
    missing = tuple(_missing(given, law))
    adverse = given.good_record == "adverse"
    review = (ground(law, "art-26-b", "driver_record", False),) if adverse else ()
    grounds = (*missing, *review)
    if missing:
        return Verdict("pending", DriverRegistrationAnswer("pending", articles(grounds)), grounds)
    if review:
        return Verdict("refer", DriverRegistrationAnswer("manual_review", articles(grounds)), grounds)
    reason = ground(law, "art-26-caput", "driver_ok", True)
    return Verdict("allow", DriverRegistrationAnswer("registered", ()), (reason,))


def _missing(given: DriverRegistrationGiven, law: Law) -> Iterable[Ground]:
    if not given.cnh:
        yield ground(law, "art-26-a", "driver_cnh", False)
    if given.good_record is None:
        yield ground(law, "art-26-b", "driver_no_record", False)
    if not given.psychotechnical:
        yield ground(law, "art-26-c", "driver_exam", False)
    if not given.union and law.reading("union_membership") == "block":
        yield ground(law, "art-26-e", "driver_union", False)


@question("inps", cites=["art-26-d"])
def inps(given: InpsGiven, law: Law) -> Verdict[InpsAnswer]:
    """The term runs from the licence and rolls to a business day; a lapse flags the driver, the licence stands."""
    days = law.value("inps.days", given.licensed)
    term = count_calendar_days(given.licensed, days.integer, working_calendar(law))
    status = "open" if given.proved is None else "on_time" if given.proved <= term.due else "late"
    holds = {"on_time": True, "late": False}.get(status)
    reason = ground(law, "art-26-d", f"inps_{status}", holds, (days,), due=term.due)
    return Verdict("allow", InpsAnswer(term.due, status), (reason,), told(term))
