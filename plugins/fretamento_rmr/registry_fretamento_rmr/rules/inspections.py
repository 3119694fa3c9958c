"""The seal of the inspection and the block after an accident (arts. 211 VI, 217-219)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from datetime import date as Day
from typing import Any

from registry.api.law import Ground, Law, Step, Verdict, add_months, question
from registry_fretamento_rmr.rules.common import Decision, Period, decision, failing, found, step


@dataclass(frozen=True)
class Seal:
    """The day of the passed inspection (None = none), the day asked, an express authorization that covers days
    without a certificate, and whether the certificate is erased.
    """

    inspected_on: date | None
    as_of: date
    express_authorization: Period | None
    document_erased: bool


@dataclass(frozen=True)
class SealAnswer:
    """Last day of the seal, and whether the vehicle may be used in service."""

    valid_through: date | None
    decision: Decision
    articles: tuple[str, ...]


@question("seal", cites=["art-219-par-u", "art-211-III", "art-211-VI", "art-217", "art-219"])
def seal(given: Seal, law: Law) -> Verdict[SealAnswer]:
    """May the vehicle be used in service on a day (art. 219, sole paragraph), and until when is its seal valid?"""
    months = int(law.reading("inspection_validity_months"))
    last = add_months(given.inspected_on, months) if given.inspected_on else None
    steps: list[Step] = []
    if last and given.inspected_on:
        steps.append(step(law, "step_seal", inspected_on=given.inspected_on, months=months, last=last))
    express = given.express_authorization
    if express and express.covers(given.as_of):
        grounds = [found(law, "art-219-par-u", "seal_express", True, until=express.to or given.as_of)]
    else:
        grounds = _certificate(given, last, law)
    answer = SealAnswer(last, decision(grounds), failing(grounds))
    return Verdict(answer.decision, answer, tuple(grounds), tuple(steps))


def _certificate(given: Seal, last: date | None, law: Law) -> list[Ground]:
    if last is None or given.inspected_on is None or given.as_of < given.inspected_on:
        grounds = [found(law, "art-219-par-u", "seal_none", False)]
    elif given.as_of > last:
        grounds = [found(law, "art-219-par-u", "seal_expired", False, last=last)]
    else:
        grounds = [found(law, "art-211-VI", "seal_ok", True, last=last)]
    if given.document_erased:
        grounds.append(found(law, "art-219-par-u", "seal_erased", False))
    return grounds


@dataclass(frozen=True)
class AccidentInspection:
    """An inspection: its day and result (failed, passed)."""

    date: Day | None
    result: str | None


@dataclass(frozen=True)
class Accident:
    """Whether the accident compromised safety, when it was repaired, and the inspection since."""

    safety_compromised: bool
    repaired_on: date | None
    inspection: AccidentInspection | None


@dataclass(frozen=True)
class AccidentAnswer:
    """Whether the vehicle may go back into traffic."""

    decision: Decision
    articles: tuple[str, ...]


@question("accident", cites=["art-218"])
def accident(given: Accident, law: Law) -> Verdict[AccidentAnswer]:
    """May the vehicle go back into traffic after an accident (art. 218)? The inspection follows the repair."""
    seen = given.inspection
    if not given.safety_compromised:
        ground = found(law, "art-218", "accident_harmless", True)
    elif given.repaired_on is None:
        ground = found(law, "art-218", "accident_not_repaired", False)
    elif seen is None or seen.date is None or seen.result != "passed":
        ground = found(law, "art-218", "accident_not_passed", False)
    elif seen.date < given.repaired_on:
        facts: dict[str, Any] = {"inspected": seen.date, "repaired": given.repaired_on}
        ground = found(law, "art-218", "accident_inspected_before", False, **facts)
    else:
        ground = found(law, "art-218", "accident_released", True, inspected=seen.date)
    answer = AccidentAnswer(decision([ground]), failing([ground]))
    return Verdict(answer.decision, answer, (ground,))
