"""Arts. 5 and 62: the size of the special service and its cars."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from registry.api.law import Ground, Law, Outcome, Verdict, question
from registry_taxi_recife.rules.common import articles, ground, outcome_of, whole

MINIMUM = "special.fleet_min"
MAXIMUM = "special.fleet_max"
DOORS = "special.doors"


@dataclass(frozen=True)
class SpecialFleetGiven:
    """``current`` cars in the special service, ``change`` entering (+) or leaving (−), ``side_doors`` of a new one."""

    current: int
    change: int
    side_doors: int | None
    on: date


@dataclass(frozen=True)
class SpecialFleetAnswer:
    """``alert`` is below_minimum while there are too few: leaving is never blocked."""

    decision: str
    articles: tuple[str, ...]
    alert: str | None


@question("special_fleet", cites=["art-5-caput", "art-62-caput"])
def special_fleet(given: SpecialFleetGiven, law: Law) -> Verdict[SpecialFleetAnswer]:
    """A car enters below the maximum and with the doors that the decree wants; one that leaves only raises an alert."""
    after = given.current + given.change
    if given.change <= 0:
        reason = _minimum(after, given.on, law)
        return Verdict("allow", SpecialFleetAnswer("allow", (), _alert(reason)), (reason,))
    maximum, doors = law.index(MAXIMUM, given.on), law.value(DOORS, given.on)
    holds = after <= whole(maximum)
    code = "special_ok" if holds else "special_full"
    grounds: list[Ground] = [ground(law, "art-5-caput", code, holds, (maximum,), after=after, maximum=whole(maximum))]
    few = _minimum(after, given.on, law)
    if alert := _alert(few):
        grounds.append(few)
    if given.side_doors is None:
        grounds.append(ground(law, "art-62-caput", "special_doors_unknown", None, (doors,), doors=doors.integer))
        outcome: Outcome = "pending" if holds else "deny"
        return Verdict(outcome, SpecialFleetAnswer(outcome, articles(grounds), alert), tuple(grounds))
    holds = given.side_doors == doors.integer
    code = "special_doors_ok" if holds else "special_doors"
    facts = {"doors": doors.integer, "has": given.side_doors}
    grounds.append(ground(law, "art-62-caput", code, holds, (doors,), **facts))
    outcome = outcome_of(grounds)
    return Verdict(outcome, SpecialFleetAnswer(outcome, articles(grounds), alert), tuple(grounds))


def _alert(reason: Ground) -> str | None:
    return "below_minimum" if reason.code == "special_below_minimum" else None


def _minimum(after: int, on: date, law: Law) -> Ground:
    minimum = law.index(MINIMUM, on)
    below = after < whole(minimum)
    code = "special_below_minimum" if below else "special_above_minimum"
    return ground(law, "art-5-caput", code, None if below else True, (minimum,), after=after, minimum=whole(minimum))
