"""The facts of a request from which its workflow is derived, and which of the regime's steps they have done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from registry.domain.regime import Finding

ENDED = ("deferido", "indeferido", "desistencia")
_SECTION_STEP = {"inspection": "vistoria", "charges": "pagamento"}


@dataclass(frozen=True)
class ChargeFact:
    """A fee of the request: its label, the step before which it is paid (filing, booking, decision), the day paid."""

    label: str
    opens_at: str
    paid_on: date | None


@dataclass(frozen=True)
class WaitFact:
    """An open item: exigencia, referral (an omitted case), proposal (of refusal) or return (from the deciding office),
    with its last day.
    """

    kind: str
    due_on: date | None


@dataclass(frozen=True)
class PaperFact:
    """A document that the applicant owes by upload, with its status on the day."""

    label: str
    status: str


@dataclass(frozen=True)
class InspectionFact:
    """The request's newest inspection: its state (marcada, aprovada, reprovada ...) and its day."""

    state: str
    on: date | None


@dataclass(frozen=True)
class Standing:
    """The facts of a request from which its workflow is derived, as of ``on``.

    ``lacking`` are the fields without which it cannot be filed, as short pt-BR names; ``steps`` the regime's order;
    ``findings`` are None where the rules were not asked.
    """

    state: str
    on: date
    steps: tuple[str, ...]
    filed_on: date | None = None
    decided_on: date | None = None
    taken: bool = False
    lacking: tuple[str, ...] = ()
    needs_inspection: bool = True
    papers_are_a_finding: bool = False
    charges: tuple[ChargeFact, ...] = ()
    papers: tuple[PaperFact, ...] = ()
    inspection: InspectionFact | None = None
    waits: tuple[WaitFact, ...] = ()
    findings: tuple[Finding, ...] = ()


def impeding(standing: Standing) -> tuple[Finding, ...]:
    """The findings that the analyst can have mended now: those of a step still to come are left to that step."""
    undone = {step for step in ("vistoria", "pagamento") if not is_done(standing, step)}
    return tuple(
        each for each in standing.findings if each.impedes and _SECTION_STEP.get(each.mend_at, "") not in undone
    )


def for_applicant(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that impede and that the applicant can mend: a dated value not in force is not theirs to enter, and
    what they sent is not theirs to look at.
    """
    return tuple(each for each in findings if each.impedes and not each.to_check and not _lacks_value(each))


def current_step(standing: Standing) -> str:
    """The first step of the regime's order that is not done."""
    return next((step for step in standing.steps if not is_done(standing, step)), "decisao")


def is_done(standing: Standing, step: str) -> bool:
    """Whether a step is done; the decision is done when the request has ended."""
    match step:
        case "protocolo":
            return standing.filed_on is not None
        case "pagamento":
            return standing.filed_on is not None and not owed(standing, ("filing", "booking"))
        case "vistoria":
            return not standing.needs_inspection or is_inspected(standing)
        case "analise":
            return standing.filed_on is not None and not standing.waits and not _analysis_left(standing)
        case _:
            return standing.state in ENDED


def owed(standing: Standing, moments: Sequence[str]) -> list[ChargeFact]:
    """The unpaid fees of these moments."""
    return [each for each in standing.charges if each.paid_on is None and each.opens_at in moments]


def is_inspected(standing: Standing) -> bool:
    """Whether the vehicle has passed."""
    return standing.inspection is not None and standing.inspection.state == "aprovada"


def _analysis_left(standing: Standing) -> bool:
    return bool(unread(standing) or absent(standing) or impeding(standing))


def unread(standing: Standing) -> list[PaperFact]:
    """The papers that were sent and that nobody has reviewed."""
    return [paper for paper in standing.papers if paper.status == "enviado"]


def absent(standing: Standing) -> list[PaperFact]:
    """Papers that no finding speaks for: a regime with a document rule names them there."""
    if standing.papers_are_a_finding:
        return []
    return [paper for paper in standing.papers if paper.status in ("falta", "recusado", "vencido")]


def _lacks_value(finding: Finding) -> bool:
    """Whether the rule was asked and a dated value was not in force, so that no verdict came."""
    return finding.verdict is None and finding.given is not None
