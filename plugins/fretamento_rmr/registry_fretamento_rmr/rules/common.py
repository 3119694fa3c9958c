"""What every topic shares: grounds with their sentences, the decision they make, and amounts rounded once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from registry.api.law import DatedValue, Ground, Law, Step, round_money

Decision = Literal["allow", "deny"]

LATEST = date.max
"""The day to look values up where the question names none: the last one known, as an estimate."""


@dataclass(frozen=True)
class Period:
    """Days from ``from_`` to ``to``, both included; None = open on that end."""

    from_: date | None
    to: date | None

    def covers(self, day: date) -> bool:
        """Whether the day lies in the period."""
        return (self.from_ is None or self.from_ <= day) and (self.to is None or day <= self.to)


@dataclass(frozen=True)
class Amounts:
    """One debt rounded once, by the authority's mode and by the two that are shown for comparison."""

    amount: Decimal
    half_even: Decimal
    truncated: Decimal

    def times(self, count: int) -> Amounts:
        """So many debts of this amount, each already rounded."""
        return Amounts(self.amount * count, self.half_even * count, self.truncated * count)

    def plus(self, other: Amounts) -> Amounts:
        """The sum of rounded debts."""
        return Amounts(self.amount + other.amount, self.half_even + other.half_even, self.truncated + other.truncated)


def rounded(exact: Decimal, law: Law) -> Amounts:
    """An exact amount in reais as one debt."""
    return Amounts(round_money(exact, law.rounding), round_money(exact, "half_even"), round_money(exact, "down"))


def found(
    law: Law,
    provision: str,
    sentence: str,
    holds: bool | None,
    values: Iterable[DatedValue] = (),
    code: str | None = None,
    **facts: Any,
) -> Ground:
    """A ground whose sentence is filled with its facts. ``code`` is the reason code; the sentence's own where None."""
    return Ground(
        provision, law.say(sentence, **facts), holds, sentence if code is None else code, facts, tuple(values)
    )


def failing(grounds: Iterable[Ground]) -> tuple[str, ...]:
    """The provisions that forbid, each once, in the order of the grounds."""
    return tuple(dict.fromkeys(ground.provision for ground in grounds if ground.holds is False))


def decision(grounds: Iterable[Ground]) -> Decision:
    """Deny when any ground forbids."""
    return "deny" if failing(grounds) else "allow"


def step(law: Law, code: str, **facts: Any) -> Step:
    """One sentence of the arithmetic."""
    return Step(law.say(code, **facts))


def total(law: Law, code: str, amount: Decimal, **facts: Any) -> Step:
    """The result line of the arithmetic, with its amount in reais."""
    return Step(law.say(code, amount=amount, **facts), amount, total=True)
