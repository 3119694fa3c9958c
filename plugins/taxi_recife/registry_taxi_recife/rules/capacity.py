"""Art. 36: how many passengers a taxi may carry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from registry.api.law import Ground, Law, Step, Verdict, question
from registry_taxi_recife.rules.common import articles, ground, outcome_of, side_doors, step

BY_DOORS = "capacity.by_doors"
SIDE_DOORS = "vehicle.side_doors"
DRIVER = "capacity.driver_seats"


@dataclass(frozen=True)
class CapacityGiven:
    """``doors_on_document`` counts the tailgate, ``seats`` the driver's (None = not on the document);
    ``passengers`` None = only the limit is asked."""

    doors_on_document: int
    passengers: int | None
    seats: int | None
    on: date


@dataclass(frozen=True)
class CapacityAnswer:
    """``limit`` is the most passengers, the driver not counted."""

    limit: int
    decision: str
    articles: tuple[str, ...]


@question("capacity", cites=["art-36-caput", "anexo-II-B-07"])
def capacity(given: CapacityGiven, law: Law) -> Verdict[CapacityAnswer]:
    """The decree's ceiling by side doors and, by the adopted reading, never more than the document's seats allow."""
    by_doors = law.value(BY_DOORS, given.on)
    side = side_doors(law.value(SIDE_DOORS, given.on).value, given.doors_on_document)
    limit = by_doors.value.get(str(side), 0)
    steps = [step(law, "capacity_by_doors", doors=side or given.doors_on_document, limit=limit)]
    if given.seats is not None and law.reading("capacity.mode") == "min":
        driver = law.value(DRIVER, given.on).integer
        limit = min(limit, given.seats - driver)
        steps.append(step(law, "capacity_by_seats", seats=given.seats, driver=driver, left=given.seats - driver))
    facts = {"limit": limit, "passengers": given.passengers}
    if given.passengers is None:
        grounds: tuple[Ground, ...] = (ground(law, "art-36-caput", "capacity_limit", None, (by_doors,), limit=limit),)
    elif given.passengers <= limit:
        grounds = (ground(law, "art-36-caput", "capacity_ok", True, (by_doors,), **facts),)
    else:
        grounds = (
            ground(law, "art-36-caput", "capacity_exceeded", False, (by_doors,), **facts),
            ground(law, "anexo-II-B-07", "capacity_infraction", False, (), **facts),
        )
    outcome = outcome_of(grounds)
    return Verdict(outcome, CapacityAnswer(limit, outcome, articles(grounds)), grounds, _total(steps, law, limit))


def _total(steps: list[Step], law: Law, limit: int) -> tuple[Step, ...]:
    return (*steps, Step(law.say("capacity_total", limit=limit), total=True))
