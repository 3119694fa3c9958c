"""Fines (arts. 224, 229-231, 250-253): face value, recidivism, what is payable on a day, status, complement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from datetime import date as Day
from datetime import time, timedelta
from decimal import Decimal
from typing import Any, Literal

from registry.api.law import Law, Step, Verdict, add_months, question
from registry_fretamento_rmr.rules.common import LATEST, Amounts, found, rounded, step, total
from registry_fretamento_rmr.rules.deadlines import due_day

_GROUPS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII")
_ITEMS = {"I": "abcd", "II": "abcdef", "III": "abc", "IV": "abcdefg", "V": "abcdefg", "VI": "abcd", "VII": "abcdefgh"}
_INFRACTIONS = tuple(f"art-224-{group}-{item}" for group in _GROUPS for item in _ITEMS.get(group, "abc"))
_MULTIPLES = tuple(f"art-231-grupo-{group}" for group in _GROUPS)


def infraction(code: str, law: Law) -> Mapping[str, Any]:
    """The catalogue's entry of an infraction. Raises ValueError for a code it lacks."""
    for entry in law.value("infractions", LATEST).value:
        if entry["code"] == code:
            return dict(entry)
    raise ValueError(f"the catalogue has no infraction {code!r}")


@dataclass(frozen=True)
class FineFace:
    """One notice: the infraction's code and whether it is a repetition."""

    infraction: str
    recidivism: bool


@dataclass(frozen=True)
class FineFaceAnswer:
    """The multiple (doubled on recidivism), the amount in reais at the last custo/km, and the side effects."""

    multiple_custo_km: int
    amount: Decimal
    amount_half_even: Decimal
    amount_truncated: Decimal
    vehicle_seizure: bool
    cassation_process: bool


@dataclass(frozen=True)
class Face:
    """A fine before discount or surcharge: group, multiple with the recidivism factor, side effects."""

    group: str
    multiple: int
    factor: int
    seizure: bool
    cassation: bool
    provision: str


def face_of(code: str, recidivism: bool, law: Law) -> Face:
    """The fine of an infraction as a multiple of the custo/km. Raises ValueError for an unknown code."""
    entry = infraction(code, law)
    group = str(entry["group"])
    factor = law.value("recidivism_factor" if recidivism else "single_factor", LATEST).integer
    return Face(
        group,
        int(law.value("fine_multiples", LATEST).value[group]) * factor,
        factor,
        group in law.value("seizure_groups", LATEST).value,
        recidivism and group in law.value("cassation_groups", LATEST).value,
        str(entry["provision"]),
    )


@question("fine_face", cites=["art-224", *_INFRACTIONS, *(f"art-224-{group}" for group in _GROUPS), "art-231",
                              *_MULTIPLES, "art-231-par-1"])  # fmt: skip
def fine_face(given: FineFace, law: Law) -> Verdict[FineFaceAnswer]:
    """What is the fine of one notice, and what else follows (arts. 224, 231)?"""
    face = face_of(given.infraction, given.recidivism, law)
    cost = law.index("custo_km", LATEST)
    due = rounded(face.multiple * cost.decimal, law)
    values = [law.value("fine_multiples", LATEST), cost]
    grounds = (
        found(law, face.provision, "infraction", None, label=infraction(given.infraction, law)["label"]),
        found(law, f"art-231-grupo-{face.group}", "fine_of_group", None, values, group=face.group, n=face.multiple),
    )
    steps = (total(law, "step_fine", due.amount, multiple=face.multiple, factor=face.factor, cost=cost.decimal),)
    answer = FineFaceAnswer(face.multiple, due.amount, due.half_even, due.truncated, face.seizure, face.cassation)
    return Verdict("allow", answer, grounds, steps)


@dataclass(frozen=True)
class Consequences:
    """The infraction's code and whether it is a repetition."""

    infraction: str
    recidivism: bool


@dataclass(frozen=True)
class ConsequencesAnswer:
    """The group and the side effects of an infraction."""

    group: str
    vehicle_seizure: bool
    cassation_process: bool
    fine_multiplier: int


@question("consequences", cites=["art-231-par-3", "art-231-par-2"])
def consequences(given: Consequences, law: Law) -> Verdict[ConsequencesAnswer]:
    """What follows from an infraction besides the fine (art. 231, §§ 2º and 3º)?"""
    face = face_of(given.infraction, given.recidivism, law)
    groups = law.value("seizure_groups", LATEST)
    sentence = "seizure_due" if face.seizure else "seizure_not_due"
    grounds = [found(law, "art-231-par-3", sentence, None, [groups], group=face.group)]
    if face.cassation:
        grounds.append(found(law, "art-231-par-2", "cassation_due", None, group=face.group))
    answer = ConsequencesAnswer(face.group, face.seizure, face.cassation, face.factor)
    return Verdict("allow", answer, tuple(grounds))


@dataclass(frozen=True)
class Simultaneous:
    """The codes found in one act."""

    infractions: tuple[str, ...]


@dataclass(frozen=True)
class SimultaneousAnswer:
    """One notice a distinct code, each rounded alone, then summed."""

    notices: int
    multiple_custo_km: int
    amount: Decimal
    amount_half_even: Decimal
    amount_truncated: Decimal
    vehicle_seizure: bool


@question("simultaneous", cites=["art-230"])
def simultaneous(given: Simultaneous, law: Law) -> Verdict[SimultaneousAnswer]:
    """What do several infractions of one act cost (art. 230)? Different ones add up; one code counts once."""
    cost = law.index("custo_km", LATEST)
    faces = [face_of(code, False, law) for code in dict.fromkeys(given.infractions)]
    due = Amounts(Decimal(0), Decimal(0), Decimal(0))
    steps: list[Step] = []
    for face in faces:
        one = rounded(face.multiple * cost.decimal, law)
        due = due.plus(one)
        facts = {"multiple": face.multiple, "factor": face.factor, "cost": cost.decimal, "amount": one.amount}
        steps.append(Step(law.say("step_fine", **facts), one.amount))
    steps.append(total(law, "step_sum", due.amount, count=len(faces)))
    multiple = sum(face.multiple for face in faces)
    ground = found(law, "art-230", "notices_add_up", None, [cost], count=len(faces))
    seizure = any(face.seizure for face in faces)
    answer = SimultaneousAnswer(len(faces), multiple, due.amount, due.half_even, due.truncated, seizure)
    return Verdict("allow", answer, (ground,), tuple(steps))


@dataclass(frozen=True)
class Notice:
    """A notice for the test of recidivism: local day and hour, infraction, offender, outcome (annulled)."""

    date: Day
    hour: time | None
    infraction: str
    offender: str
    outcome: str | None

    @property
    def moment(self) -> tuple[Day, time]:
        """Day and hour; midnight where the hour is unknown."""
        return self.date, self.hour or time.min


@dataclass(frozen=True)
class Recidivism:
    """Earlier notices and the one at hand."""

    prior: tuple[Notice, ...]
    current: Notice


@dataclass(frozen=True)
class RecidivismAnswer:
    """Whether it is a repetition, the fine's factor, and the last day of the latest window."""

    recidivism: bool
    fine_multiplier: int
    cassation_process: bool
    window_last_day: Day | None


@question("recidivism", cites=["art-229", "art-231-par-1", "art-231-par-2"])
def recidivism(given: Recidivism, law: Law) -> Verdict[RecidivismAnswer]:
    """Is the notice a repetition (art. 229)? Same holder, same code, within a civil month of a notice that stands."""
    now = given.current
    months, out = law.value("recidivism_months", now.date), law.value("annulled_outcomes", now.date)
    earlier = [
        notice.date
        for notice in given.prior
        if notice.offender == now.offender
        and notice.infraction == now.infraction
        and notice.outcome not in out.value
        and notice.moment < now.moment
    ]
    window = max((add_months(day, months.integer) for day in earlier), default=None)
    again = window is not None and now.date <= window
    face = face_of(now.infraction, again, law)
    if window is None:
        ground = found(law, "art-229", "recidivism_no_earlier", None, [months])
    else:
        sentence = "recidivism" if again else "recidivism_window_over"
        ground = found(law, "art-229", sentence, None, [months], last=window)
    answer = RecidivismAnswer(again, face.factor, face.cassation, window)
    return Verdict("allow", answer, (ground,))


@dataclass(frozen=True)
class Appeal:
    """An appeal against the notice: filing day, outcome (pending, denied, upheld), knowledge of the final decision."""

    filed: Day | None
    outcome: str | None
    final_decision_known: Day | None


@dataclass(frozen=True)
class Standing:
    """How a fine stands on a day: the due day that holds, and what the appeal does."""

    due: Day
    appealed: bool
    pending: bool
    annulled: bool


def standing(received: Day, appeal: Appeal | None, on: Day, law: Law) -> Standing:
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
        step(law, "step_fine_due", due=state.due, late5=late5),
        total(law, f"step_fine_{tier}", due.amount, multiple=face.multiple, cost=cost.decimal, factor=factor),
    )
    ground = found(law, _TIER_PROVISION[tier], f"fine_{tier}", None, [cost, days, *rate], due=state.due, late5=late5)
    answer = FinePayableAnswer(
        state.due, late5, cost.decimal, face.multiple, tier, due.amount, due.half_even, due.truncated
    )
    return Verdict("allow", answer, (ground,), steps)


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

    group: str
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
