"""Fines (arts. 224, 229-231): face value, what follows, several at once, recidivism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date as Day
from datetime import time
from decimal import Decimal
from typing import Any

from registry.api.law import Ground, Law, Step, Verdict, add_months, known, question
from registry_fretamento_rmr.rules.common import LATEST, Amounts, found, rounded, step, total

_GROUPS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII")
_ITEMS = {"I": "abcd", "II": "abcdef", "III": "abc", "IV": "abcdefg", "V": "abcdefg", "VI": "abcd", "VII": "abcdefgh"}
_INFRACTIONS = tuple(f"art-224-{group}-{item}" for group in _GROUPS for item in _ITEMS.get(group, "abc"))
_MULTIPLES = tuple(f"art-231-grupo-{group}" for group in _GROUPS)


def infraction(code: str, law: Law) -> Mapping[str, Any]:
    """The catalogue's entry of an infraction. Raises ``FactError`` for a code it lacks."""
    entries: dict[str, Mapping[str, Any]] = {entry["code"]: entry for entry in law.value("infractions", LATEST).value}
    return entries[known("A infração", code, entries)]


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
    """The fine of an infraction as a multiple of the custo/km. Raises ``FactError`` for an unknown code."""
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
    base = face.multiple // face.factor
    grounds = [
        found(law, face.provision, "infraction", None, label=infraction(given.infraction, law)["label"]),
        found(law, f"art-231-grupo-{face.group}", "fine_of_group", None, values, group=face.group, n=base),
        *repetition(face, law),
    ]
    if face.seizure:
        grounds.append(
            found(law, "art-231-par-3", "seizure_due", None, [law.value("seizure_groups", LATEST)], group=face.group)
        )
    steps = (
        *doubled(face, law),
        total(law, "step_fine", due.amount, multiple=face.multiple, factor=face.factor, cost=cost.decimal),
    )
    answer = FineFaceAnswer(face.multiple, due.amount, due.half_even, due.truncated, face.seizure, face.cassation)
    return Verdict("allow", answer, tuple(grounds), steps)


def repetition(face: Face, law: Law) -> list[Ground]:
    """What a repetition adds: the doubled fine and, in some groups, the process of cassation."""
    if face.factor == law.value("single_factor", LATEST).integer:
        return []
    factor = law.value("recidivism_factor", LATEST)
    grounds = [found(law, "art-231-par-1", "fine_repeated", None, [factor], factor=face.factor)]
    if face.cassation:
        groups = law.value("cassation_groups", LATEST)
        grounds.append(found(law, "art-231-par-2", "cassation_due", None, [groups], group=face.group))
    return grounds


def doubled(face: Face, law: Law) -> tuple[Step, ...]:
    """The line of a repetition's factor; none on a first offence."""
    base = face.multiple // face.factor
    if base == face.multiple:
        return ()
    return (step(law, "step_fine_repeated", base=base, factor=face.factor, multiple=face.multiple),)


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
        facts: dict[str, Any] = {
            "multiple": face.multiple,
            "factor": face.factor,
            "cost": cost.decimal,
            "amount": one.amount,
        }
        steps.append(Step(law.say("step_fine", **facts), one.amount))
    steps.append(total(law, "step_sum", due.amount, count=len(faces)))
    values = [law.value("fine_multiples", LATEST), cost]
    multiple = sum(face.multiple for face in faces)
    ground = found(law, "art-230", "notices_add_up", None, values, count=len(faces))
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
