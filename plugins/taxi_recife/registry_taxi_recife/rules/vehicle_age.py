"""Art. 61: whether a car is young enough to run as a taxi, and its last day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from registry.api.law import DatedValue, Ground, Law, Step, Verdict, add_years, question
from registry_taxi_recife.rules.common import articles, ground, step, whole, years

LIMIT = "vehicle_age.limit_years"


@dataclass(frozen=True)
class VehicleAgeGiven:
    """``made`` is the year made. ``first_registration`` counts only under the reading of that name.

    ``in_service_at_publication`` and ``inspection_ok`` are the conditions of the transitional rule.
    """

    made: int
    on: date
    first_registration: date | None
    in_service_at_publication: bool
    inspection_ok: bool


@dataclass(frozen=True)
class VehicleAgeAnswer:
    """``last_day`` is the last day on which the ordinary rule lets the car run (None = not known)."""

    decision: str
    articles: tuple[str, ...]
    last_day: date | None


@question("vehicle_age", cites=["art-61-caput", "art-61-par-un"])
def vehicle_age(given: VehicleAgeGiven, law: Law) -> Verdict[VehicleAgeAnswer]:
    """Less than the limit in years; by the year made, or by first registration under the other reading.

    A car in service when the decree was published and approved in inspection may stay beyond it.
    """
    if law.reading("vehicle_age.mode") == "first_registration" and given.first_registration is None:
        missing = ground(law, "art-61-caput", "first_registration_unknown", None)
        return Verdict("pending", VehicleAgeAnswer("pending", (), None), (missing,))
    reason, last_day = age_ground(given.made, given.first_registration, given.on, law)
    steps = _steps(last_day, law)
    if reason.holds:
        return Verdict("allow", VehicleAgeAnswer("allow", (), last_day), (reason,), steps)
    if given.in_service_at_publication and given.inspection_ok:
        grounds = (ground(law, "art-61-par-un", "old_fleet", True), _informs(reason))
        return Verdict("allow", VehicleAgeAnswer("allow", ("art-61-par-un",), last_day), grounds, steps)
    return Verdict("deny", VehicleAgeAnswer("deny", articles([reason]), last_day), (reason,), steps)


def age_ground(made: int, first_registration: date | None, on: date, law: Law) -> tuple[Ground, date]:
    """The ground of art. 61 for a car on a day and its last day in service; no transitional rule."""
    limit = law.index(LIMIT, on)
    if law.reading("vehicle_age.mode") == "first_registration" and first_registration is not None:
        return _by_registration(first_registration, on, limit, law)
    age = on.year - made
    last_day = date(made + whole(limit) - 1, 12, 31)
    holds = age < whole(limit)
    facts = {"made": made, "year": on.year, "age": years(age), "limit": whole(limit)}
    return ground(law, "art-61-caput", "age_ok" if holds else "too_old", holds, (limit,), **facts), last_day


def _by_registration(first: date, on: date, limit: DatedValue, law: Law) -> tuple[Ground, date]:
    end = add_years(first, whole(limit))
    holds = on < end
    code = "age_ok_by_registration" if holds else "too_old_by_registration"
    facts = {"first": first, "end": end, "limit": years(whole(limit))}
    return ground(law, "art-61-caput", code, holds, (limit,), **facts), end - timedelta(days=1)


def _informs(reason: Ground) -> Ground:
    return Ground(reason.provision, reason.text, None, reason.code, reason.facts, reason.values)


def _steps(last_day: date, law: Law) -> tuple[Step, ...]:
    return (step(law, "age_last_day", last_day=last_day),)
