"""Arts. 5, 44, 50 to 52 and 55: who may act, how long a suspension lasts, when there is ground to cancel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from registry.api.law import Law, Verdict, known, last_day_of_months, question
from registry_taxi_recife.rules.common import articles, days, ground

ACTS = "competence.acts"
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class CompetenceGiven:
    """``act`` and ``role`` (office) codes."""

    act: str
    role: str
    on: date


@dataclass(frozen=True)
class DecisionAnswer:
    """A decision and the provisions against it."""

    decision: str
    articles: tuple[str, ...]


@dataclass(frozen=True)
class SuspensionGiven:
    """Both days are part of the suspension."""

    start: date
    last_day: date


@dataclass(frozen=True)
class SuspensionAnswer:
    """``max_last_day`` is the latest lawful last day."""

    max_last_day: date
    decision: str
    articles: tuple[str, ...]


@dataclass(frozen=True)
class InterruptionGiven:
    """``excused`` are pairs of first and last day that do not count (force majeure, suspension, order off the road)."""

    last_service: date
    on: date
    excused: tuple[tuple[date, date], ...]


@dataclass(frozen=True)
class InterruptionAnswer:
    """``days`` are the full days without service before ``on``; ``ground_from`` the first day with ground to cancel."""

    days: int
    ground_from: date
    decision: str
    articles: tuple[str, ...]


@dataclass(frozen=True)
class CancelBGiven:
    """Whether a transfer was authorised and the term signed."""

    authorised: bool
    term_signed: bool


@question("competence", cites=["art-5-par-un", "art-44-caput", "art-51-caput", "art-52-caput", "art-52-par-un"])
def competence(given: CompetenceGiven, law: Law) -> Verdict[DecisionAnswer]:
    """Whether an office may do an act. Raises ``FactError`` for an act outside the table."""
    table = law.value(ACTS, given.on)
    rows = {row["act"]: row for row in table.value}
    row = rows[known("O ato", given.act, rows)]
    holds = given.role in row["roles"]
    code = "competent" if holds else "not_competent"
    reason = ground(law, row["provision"], code, holds, (table,), act=row["label"])
    decision = "allow" if holds else "deny"
    return Verdict("allow" if holds else "deny", DecisionAnswer(decision, articles([reason])), (reason,))


@question("suspension", cites=["art-50-II"])
def suspension(given: SuspensionGiven, law: Law) -> Verdict[SuspensionAnswer]:
    """At most so many months, a day at least; the first day counts."""
    months = law.value("suspension.max_months", given.start)
    latest = last_day_of_months(given.start, months.integer)
    holds = given.start <= given.last_day <= latest
    code = "suspension_ok" if holds else "suspension_long" if given.last_day > latest else "suspension_backwards"
    reason = ground(law, "art-50-II", code, holds, (months,), latest=latest, months=months.integer)
    decision = "allow" if holds else "deny"
    return Verdict("allow" if holds else "deny", SuspensionAnswer(latest, decision, articles([reason])), (reason,))


@question("interruption", cites=["art-55-a"])
def interruption(given: InterruptionGiven, law: Law) -> Verdict[InterruptionAnswer]:
    """Full consecutive days without service, excused days left out; the ground stands from the day after the last."""
    limit = law.value("interruption.days", given.on)
    counted = sum(1 for day in _days(given.last_service + _DAY, given.on) if not _excused(day, given))
    ground_from, left = given.last_service, limit.integer
    while left:
        ground_from += _DAY
        left -= not _excused(ground_from, given)
    ground_from += _DAY
    stands = counted >= limit.integer
    code = "interrupted" if stands else "not_interrupted"
    reason = ground(law, "art-55-a", code, not stands, (limit,), days=days(counted), limit=limit.integer)
    answer = InterruptionAnswer(counted, ground_from, "ground" if stands else "no_ground", articles([reason]))
    return Verdict("deny" if stands else "allow", answer, (reason,))


@question("cancel_b", cites=["art-55-b", "art-9-caput"])
def cancel_b(given: CancelBGiven, law: Law) -> Verdict[DecisionAnswer]:
    """Both failures give ground to cancel; one alone goes to analysis under art. 9 (or is enough: other reading)."""
    failures = (not given.authorised) + (not given.term_signed)
    if not failures:
        reason = ground(law, "art-55-b", "transfer_in_order", True)
        return Verdict("allow", DecisionAnswer("no_ground", ()), (reason,))
    if failures == 1 and law.reading("cancellation.b.mode") == "both":
        reason = ground(law, "art-9-caput", "transfer_half", False)
        return Verdict("refer", DecisionAnswer("analysis", articles([reason])), (reason,))
    reason = ground(law, "art-55-b", "transfer_unauthorised", False)
    return Verdict("deny", DecisionAnswer("ground", articles([reason])), (reason,))


def _days(first: date, before: date) -> Iterable[date]:
    return (first + timedelta(days=count) for count in range((before - first).days))


def _excused(day: date, given: InterruptionGiven) -> bool:
    return any(first <= day <= last for first, last in given.excused)
