"""Arts. 50 to 54 and Anexo II: fines, their due day, appeals and instalments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from registry.api.law import (
    DatedValue,
    FactError,
    Ground,
    Law,
    Step,
    Verdict,
    cents,
    count_calendar_days,
    from_cents,
    known,
    question,
    round_money,
    split_instalments,
)
from registry_taxi_recife.rules.common import articles, ground, outcome_of, told, working_calendar
from registry_taxi_recife.rules.fee import UFR

INFRACTIONS = "fine.infractions"
APPEAL_DAYS = "appeal.days"
APPEAL_LEVELS = "appeal.levels"
_HUNDRED = Decimal(100)


@dataclass(frozen=True)
class FineItem:
    """An infraction by its code on a day; ``pct`` and ``reason`` only where the table gives a range; items of one
    ``fact`` are the same deed."""

    code: str
    on: date
    pct: Decimal | None
    reason: str | None
    imposed_on: date | None
    fact: str | None


@dataclass(frozen=True)
class FineGiven:
    """The infractions of one notice."""

    items: tuple[FineItem, ...]


@dataclass(frozen=True)
class FineAnswer:
    """Amounts in reais, item by item. ``error`` is the provision that a chosen percentage breaks; then no amounts."""

    amounts: tuple[Decimal, ...]
    total: Decimal | None
    error: str | None


@dataclass(frozen=True)
class AppealGiven:
    """``notified`` is the day on which the person learned of the fine (level 1) or of the denial (level 2)."""

    level: int
    notified: date
    filed: date


@dataclass(frozen=True)
class AppealAnswer:
    """``deadline`` is the last day in time."""

    deadline: date
    decision: str
    articles: tuple[str, ...]


@dataclass(frozen=True)
class FineAppeal:
    """An appeal of a fine; ``decided``, ``notice`` (of the decision) and ``result`` None while pending."""

    level: int
    filed: date
    decided: date | None
    notice: date | None
    result: str | None


@dataclass(frozen=True)
class FineDueGiven:
    """``appeals`` by level."""

    notified: date
    appeals: tuple[FineAppeal, ...]


@dataclass(frozen=True)
class FineDueAnswer:
    """``state`` payable, under_appeal or cancelled; ``due`` only where payable."""

    due: date | None
    state: str


@dataclass(frozen=True)
class InstalmentsGiven:
    """``n`` instalments of ``total`` reais, authorised on a day by an office."""

    kind: str
    total: Decimal
    n: int
    authorised: date
    role: str


@dataclass(frozen=True)
class InstalmentsAnswer:
    """``schedule`` pairs due days with amounts; it sums to the total."""

    decision: str
    articles: tuple[str, ...]
    schedule: tuple[tuple[date, Decimal], ...]


@question("fine", cites=["art-50-I", "art-53-caput", "anexo-II-B-08"])
def fine(given: FineGiven, law: Law) -> Verdict[FineAnswer]:
    """Each item in per cent of the UFR of the day of the infraction; a specific code absorbs «demais infrações» of the
    same fact. Raises ``FactError`` for an unknown code, ``NoValueInForce`` without an UFR."""
    rows = [_row(item, law) for item in given.items]
    for item, row in zip(given.items, rows, strict=True):
        if refusal := _wrong_pct(item, row, law):
            return Verdict("deny", FineAnswer((), None, row["provision"]), (refusal,))
    specific = {
        item.fact for item, row in zip(given.items, rows, strict=True) if item.fact and not row.get("residual", False)
    }
    grounds: list[Ground] = []
    amounts, steps = [], []
    for item, row in zip(given.items, rows, strict=True):
        absorbed = row.get("residual", False) and item.fact in specific
        amount, reason = _amount(item, row, absorbed, law)
        amounts.append(amount)
        grounds.append(reason)
        steps.append(Step(reason.text, amount))
    if not grounds:
        grounds.append(ground(law, "art-53-caput", "fine_nothing", None))
    total = sum(amounts, Decimal("0.00"))
    steps.append(Step(law.say("fee_total"), total, total=True))
    return Verdict("allow", FineAnswer(tuple(amounts), total, None), tuple(grounds), tuple(steps))


def _row(item: FineItem, law: Law) -> Mapping[str, Any]:
    rows: Iterable[Mapping[str, Any]] = law.value(INFRACTIONS, item.on).value
    found = {row["code"]: row for row in rows}
    return found[known("A infração", item.code, found)]


def _wrong_pct(item: FineItem, row: Mapping[str, Any], law: Law) -> Ground | None:
    if item.pct is None:
        return None
    if "pct" in row:
        if item.pct == Decimal(row["pct"]):
            return None
        return ground(law, row["provision"], "fine_pct_fixed", False, infraction=item.code, pct=row["pct"])
    low, high = Decimal(row["pct_min"]), Decimal(row["pct_max"])
    if not low <= item.pct <= high:
        return ground(law, row["provision"], "fine_pct_range", False, infraction=item.code, low=low, high=high)
    if item.pct > low and not (item.reason or "").strip():
        return ground(law, row["provision"], "fine_pct_reason", False, infraction=item.code, low=low)
    return None


def _amount(item: FineItem, row: Mapping[str, Any], absorbed: bool, law: Law) -> tuple[Decimal, Ground]:
    if absorbed:
        return Decimal("0.00"), ground(
            law, row["provision"], "fine_absorbed", None, infraction=item.code, label=row["label"]
        )
    imposition = law.reading("fine.ufr_date") == "imposition"
    ufr: DatedValue = law.index(UFR, item.imposed_on if imposition and item.imposed_on else item.on)
    pct = item.pct if item.pct is not None else Decimal(row.get("pct", row.get("pct_min", "0")))
    amount = round_money(pct * ufr.decimal / _HUNDRED, law.rounding)
    facts = {"infraction": item.code, "label": row["label"], "pct": f"{pct:f}", "ufr": ufr.decimal, "amount": amount}
    values = (law.value(INFRACTIONS, item.on), ufr)
    return amount, ground(law, row["provision"], "fine_item", None, values, **facts)


@question("appeal", cites=["art-52-caput", "art-52-par-un"])
def appeal(given: AppealGiven, law: Law) -> Verdict[AppealAnswer]:
    """In time until the last day of the term, which rolls to a business day. Raises ``FactError`` for a third level."""
    days = law.value(APPEAL_DAYS, given.notified)
    levels = law.value(APPEAL_LEVELS, given.notified).value
    provision = levels[known("A instância", str(given.level), levels)]
    term = count_calendar_days(given.notified, days.integer, working_calendar(law))
    holds = given.filed <= term.due
    facts = {"filed": given.filed, "due": term.due}
    reason = ground(law, provision, "appeal_in_time" if holds else "appeal_late", holds, (days,), **facts)
    answer = AppealAnswer(term.due, "admit" if holds else "inadmissible", articles([reason]))
    return Verdict("allow" if holds else "deny", answer, (reason,), told(term))


@question("fine_due", cites=["art-54-caput"])
def fine_due(given: FineDueGiven, law: Law) -> Verdict[FineDueAnswer]:
    """The last business day of the month of the notice, or of the last denial; an admissible appeal suspends."""
    reference, known = given.notified, given.notified
    for each in sorted(given.appeals, key=lambda one: one.level):
        level = AppealGiven(each.level, known, each.filed)
        if appeal(level, law).answer.decision == "inadmissible":
            break
        if each.result == "granted":
            return _not_due("cancelled", law)
        by_decision = law.reading("appeal.denial_reference") == "decision"
        denied = each.decided if by_decision else each.notice
        if each.result is None or denied is None:
            return _not_due("under_appeal", law)
        reference = known = denied
    due = month_end(reference, law)
    same_month = (due.year, due.month) == (reference.year, reference.month)
    code = "fine_due" if same_month else "fine_due_month_over"
    reason = ground(law, "art-54-caput", code, None, reference=reference, due=due)
    return Verdict("allow", FineDueAnswer(due, "payable"), (reason,))


def _not_due(state: str, law: Law) -> Verdict[FineDueAnswer]:
    return Verdict("allow", FineDueAnswer(None, state), (ground(law, "art-54-caput", f"fine_{state}", None),))


def month_end(reference: date, law: Law) -> date:
    """The last business day of the month of a day; where it is past, of the next month (or the next business day)."""
    calendar = working_calendar(law)
    last = calendar.last_business_day(reference.year, reference.month)
    if reference <= last:
        return last
    if law.reading("fine.due_when_month_exhausted") == "next_business_day":
        return calendar.next_business_day(reference)
    return calendar.last_business_day(*_next_month(reference.year, reference.month))


def _next_month(year: int, month: int) -> tuple[int, int]:
    return (year + month // 12, month % 12 + 1)


@question("instalments", cites=["art-54-par-2"])
def instalments(given: InstalmentsGiven, law: Law) -> Verdict[InstalmentsAnswer]:
    """Only fines, only by the director; equal parts on the last business day of consecutive months, spare centavos
    first. Raises ``FactError`` for a total that is no whole number of centavos."""
    on = given.authorised
    kinds, role = law.value("instalments.kinds", on), law.value("instalments.role", on)
    most = law.value("instalments.max", on)
    checks = [
        ("instalments_kind", given.kind in kinds.value, kinds),
        ("instalments_role", given.role == role.value, role),
        ("instalments_count", 1 <= given.n <= most.integer, most),
    ]
    grounds = tuple(
        ground(law, "art-54-par-2", code if holds else f"{code}_wrong", holds, (value,), n=given.n, most=most.integer)
        for code, holds, value in checks
    )
    outcome = outcome_of(grounds)
    if given.total != round_money(given.total, law.rounding):
        raise FactError(f"O total a parcelar não tem centavos inteiros: {given.total}.")
    schedule = tuple(_schedule(given, law)) if outcome == "allow" else ()
    steps = [
        Step(law.say("instalment", place=place, due=due), amount) for place, (due, amount) in enumerate(schedule, 1)
    ]
    if schedule:
        steps.append(Step(law.say("fee_total"), given.total, total=True))
    return Verdict(outcome, InstalmentsAnswer(outcome, articles(grounds), schedule), grounds, tuple(steps))


def _schedule(given: InstalmentsGiven, law: Law) -> Iterable[tuple[date, Decimal]]:
    parts: Sequence[int] = split_instalments(cents(given.total), given.n)
    calendar = working_calendar(law)
    first = month_end(given.authorised, law)
    year, month = first.year, first.month
    for part in parts:
        yield calendar.last_business_day(year, month), from_cents(part)
        year, month = _next_month(year, month)
