"""What the rules share: grounds with their sentence, articles, plural words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from registry.api.law import Calendar, DatedValue, Deadline, Ground, Law, Outcome, Step


def ground(
    law: Law,
    provision: str,
    code: str,
    holds: bool | None,
    values: Iterable[DatedValue] = (),
    **facts: Any,
) -> Ground:
    """A ground whose sentence is the one of its reason code, filled with its facts."""
    return Ground(provision, law.say(code, **facts), holds, code, facts, tuple(values))


def step(law: Law, code: str, **facts: Any) -> Step:
    """A line of arithmetic with the sentence of this code."""
    return Step(law.say(code, **facts))


def articles(grounds: Iterable[Ground]) -> tuple[str, ...]:
    """The provisions that forbid, each once, in the order in which they were found."""
    return tuple(dict.fromkeys(ground.provision for ground in grounds if ground.holds is False))


def outcome_of(grounds: Iterable[Ground]) -> Outcome:
    """``deny`` where a ground forbids, else ``allow``."""
    return "deny" if any(ground.holds is False for ground in grounds) else "allow"


def whole(value: DatedValue) -> int:
    """A dated value as a whole number; index values of the database come as decimals («1488920.00»)."""
    return int(value.decimal)


def years(count: int) -> str:
    """``1 ano``, ``2 anos``."""
    return f"{count} ano" if count == 1 else f"{count} anos"


def days(count: int) -> str:
    """``1 dia``, ``2 dias``."""
    return f"{count} dia" if count == 1 else f"{count} dias"


def side_doors(law_value: Mapping[str, int], doors_on_document: int) -> int | None:
    """The side doors of a car by the doors of its document (the tailgate does not count); None where unlisted."""
    return law_value.get(str(doors_on_document))


def working_calendar(law: Law) -> Calendar:
    """The calendar for terms; optional days are closed where that reading is chosen."""
    if law.reading("business_days.optional_days") == "non_business":
        return law.calendar.with_optional_closed()
    return law.calendar


def told(deadline: Deadline) -> tuple[Step, ...]:
    """The arithmetic of a term as steps."""
    return tuple(Step(text) for text in deadline.steps)
