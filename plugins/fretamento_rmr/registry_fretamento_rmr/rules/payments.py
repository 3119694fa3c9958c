"""Paying a fine (arts. 231, 250-253): what is payable on a day, how it stands, the complement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Literal

from registry.api.law import Law, Verdict, question
from registry_fretamento_rmr.rules.common import found, rounded, step, total
from registry_fretamento_rmr.rules.deadlines import due_day
from registry_fretamento_rmr.rules.fines import doubled, face_of, repetition


@dataclass(frozen=True)
class Appeal:
    """An appeal against the notice: filing day, outcome (pending, denied, upheld), knowledge of the final decision."""

    filed: date | None
    outcome: str | None
    final_decision_known: date | None


@dataclass(frozen=True)
class Standing:
    """How a fine stands on a day: the due day that holds, and what the appeal does."""

    due: date
    appealed: bool
    pending: bool
    annulled: bool


def standing(received: date, appeal: Appeal | None, on: date, law: Law) -> Standing:
    """The due day of a fine and the effect of an appeal, as of a day. A late appeal suspends nothing."""
    due = due_day("fine_payment", received, law).due
    if appeal is None or appeal.filed is None:
        return Standing(due, appealed=False, pending=False, annulled=False)
    timely = appeal.filed <= due_day("appeal_first", received, law).due
    if appeal.outcome == "upheld" and (appeal.final_decision_known is None or appeal.final_decision_known <= on):
        return Standing(due, appealed=True, pending=False, annulled=True)
    if not timely or appeal.filed > on:
        return Standing(due, appealed=False, pending=False, annulled=False)
    suspends = bool(law.reading("appeal_suspends_payment"))
    known = appeal.final_decision_known
    decided = appeal.outcome == "denied" and known is not None and known <= on
    if decided and suspends and known is not None:
        due = due_day("fine_payment", known, law).due
    return Standing(due, appealed=True, pending=suspends and not decided, annulled=False)


@dataclass(frozen=True)
class FinePayable:
    """A notice, its receipt, its appeal, and the day of payment."""

    infraction: str
    notice_received: date
    payment_date: date
    appeal: Appeal | None
    recidivism: bool


Tier = Literal["annulled", "discount20", "face", "late20", "late5"]


@dataclass(frozen=True)
class FinePayableAnswer:
    """The amount in reais on the day of payment and how it came about."""

    due_date: date
    late5_last_day: date
    custo_km_used: Decimal
    multiple_custo_km: int
    tier: Tier
    amount: Decimal
    amount_half_even: Decimal
    amount_truncated: Decimal


_TIER_PROVISION: Mapping[Tier, str] = {
    "annulled": "art-240",
    "discount20": "art-252",
    "face": "art-231",
    "late5": "art-253-I",
    "late20": "art-253-II",
}


@question(
    "fine_payable", cites=["art-231", "art-240", "art-250-par-1", "art-252", "art-253", "art-253-I", "art-253-II"]
)
def fine_payable(given: FinePayable, law: Law) -> Verdict[FinePayableAnswer]:
    """What is payable for a fine on a day (arts. 231, 250-253)?"""
    on = given.payment_date
    face, cost = face_of(given.infraction, given.recidivism, law), law.index("custo_km", on)
    state = standing(given.notice_received, given.appeal, on, law)
    days = law.value("late_tier_days", on)
    late5 = state.due + timedelta(days=days.integer)
    if law.reading("late_tier_rolls"):
        late5 = law.calendar.roll(late5)
    tier = _tier(state, on, late5)
    rate, factor = _adjustment(tier, on, law)
    due = rounded(face.multiple * cost.decimal * factor, law)
    steps = (
        *doubled(face, law),
        step(law, "step_fine_due", due=state.due, late5=late5),
        total(law, f"step_fine_{tier}", due.amount, multiple=face.multiple, cost=cost.decimal, factor=factor),
    )
    values = [law.value("fine_multiples", on), cost, days, *rate]
    ground = found(law, _TIER_PROVISION[tier], f"fine_{tier}", None, values, due=state.due, late5=late5)
    answer = FinePayableAnswer(
        state.due, late5, cost.decimal, face.multiple, tier, due.amount, due.half_even, due.truncated
    )
    return Verdict("allow", answer, (ground, *repetition(face, law)), steps)


def _tier(state: Standing, on: date, late5: date) -> Tier:
    if state.annulled:
        return "annulled"
    if on <= state.due or state.pending:
        return "face" if state.appealed else "discount20"
    return "late5" if on <= late5 else "late20"


def _adjustment(tier: Tier, on: date, law: Law) -> tuple[list[Any], Decimal]:
    one = Decimal(1)
    if tier == "annulled":
        return [], Decimal(0)
    if tier == "face":
        return [], one
    key = {"discount20": "discount_rate", "late5": "late_rate_first", "late20": "late_rate_second"}[tier]
    rate = law.value(key, on)
    return [rate], one - rate.decimal if tier == "discount20" else one + rate.decimal


@dataclass(frozen=True)
class FineStatus:
    """A notice's receipt, its appeal and payment, and the day asked."""

    notice_received: date
    as_of: date
    appeal: Appeal | None
    paid_on: date | None


@dataclass(frozen=True)
class FineStatusAnswer:
    """The due day, the status, and whether it counts as a debt that stops requests."""

    due_date: date
    status: Literal["open", "overdue_judicial_collection", "paid", "suspended_by_appeal", "annulled"]
    counts_as_debt_art_205: bool


@question("fine_status", cites=["art-250", "art-250-par-2", "art-240", "art-205"])
def fine_status(given: FineStatus, law: Law) -> Verdict[FineStatusAnswer]:
    """How does a fine stand on a day, and is it a debt of art. 205 (art. 250, § 2º)?"""
    state = standing(given.notice_received, given.appeal, given.as_of, law)
    status: Literal["open", "overdue_judicial_collection", "paid", "suspended_by_appeal", "annulled"]
    if state.annulled:
        status = "annulled"
    elif given.paid_on is not None and given.paid_on <= given.as_of:
        status = "paid"
    elif state.pending:
        status = "suspended_by_appeal"
    else:
        status = "open" if given.as_of <= state.due else "overdue_judicial_collection"
    ground = found(law, "art-250-par-2", f"fine_status_{status}", None, due=state.due)
    answer = FineStatusAnswer(state.due, status, status == "overdue_judicial_collection")
    return Verdict("allow", answer, (ground,))


@dataclass(frozen=True)
class Complement:
    """A fine of a group paid with the discount on a day, then appealed in time and lost."""

    group: Literal["I", "II", "III", "IV", "V", "VI", "VII", "VIII"]
    payment_date: date


@dataclass(frozen=True)
class ComplementAnswer:
    """What was paid and what is still due, in reais."""

    paid: Decimal
    complement: Decimal


@question("complement", cites=["art-252"])
def complement(given: Complement, law: Law) -> Verdict[ComplementAnswer]:
    """What is still due when a fine paid with the discount is appealed and lost (art. 252)?"""
    multiples, cost = law.value("fine_multiples", given.payment_date), law.index("custo_km", given.payment_date)
    rate = law.value("discount_rate", given.payment_date)
    exact = int(multiples.value[given.group]) * cost.decimal
    face, paid = rounded(exact, law).amount, rounded(exact * (1 - rate.decimal), law).amount
    steps = (total(law, "step_complement", face - paid, face=face, paid=paid),)
    ground = found(law, "art-252", "complement_due", None, [multiples, cost, rate], amount=face - paid)
    return Verdict("allow", ComplementAnswer(paid, face - paid), (ground,), steps)
