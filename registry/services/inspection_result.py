"""How an inspection stands by the regime's rules: asked before it is concluded, and again when it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from sqlalchemy.orm import Session

from registry.domain.dossier import Dossier
from registry.domain.law import Asked, Law
from registry.domain.regime import Finding, Regime
from registry.plugins.host import guarded
from registry.services.desk import Desk
from registry.services.dossier import law_of, load_dossier, rule_down
from registry.services.errors import Refused
from registry.store.inspections import Inspection


@dataclass(frozen=True)
class InspectionOutlook:
    """What concluding now would give: ``passed`` None while ``missing`` names facts that a rule lacks.

    ``valid_until`` is the last day of the seal of a pass.
    """

    passed: bool | None
    reasons: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    valid_until: date | None = None
    findings: tuple[Finding, ...] = ()


def dossier_of(session: Session, desk: Desk, row: Inspection, at: datetime) -> Dossier:
    """The dossier on which an inspection is judged. Raises NotFound, RuleDown."""
    return load_dossier(
        session,
        desk,
        row.authority,
        row.regime,
        at,
        request_id=row.request_id,
        vehicle_id=row.vehicle_id,
        inspection_id=row.id,
    )


def inspection_outlook(
    session: Session, desk: Desk, authority: str, regime: Regime, dossier: Dossier
) -> InspectionOutlook:
    """What concluding the dossier's inspection now would give. Raises RuleDown."""
    found = _findings(session, desk, authority, regime, dossier)
    if missing := _missing(found):
        return InspectionOutlook(None, missing=missing, findings=found)
    if not has_passed(found):
        return InspectionOutlook(False, reasons_in(found), findings=found)
    law = desk.law(session, authority, regime.plugin)
    return InspectionOutlook(True, valid_until=_last_day(regime, dossier, law), findings=found)


def judge(session: Session, desk: Desk, regime: Regime, row: Inspection, at: datetime) -> tuple[Finding, ...]:
    """Every rule of the inspection on its own dossier; a missing fact is no failure of the vehicle.

    Raises Refused naming what a rule lacks, RuleDown.
    """
    found = _findings(session, desk, row.authority, regime, dossier_of(session, desk, row, at))
    if missing := _missing(found):
        raise Refused(message=f"Antes de concluir, informe: {', '.join(missing)}.")
    return found


def has_passed(found: Sequence[Finding]) -> bool:
    """Whether no rule that blocks stands against the vehicle."""
    return all(each.outcome == "allow" or not each.blocks for each in found)


def reasons_in(found: Sequence[Finding]) -> tuple[str, ...]:
    """Why it fails, one sentence a ground."""
    against = (each.verdict.against for each in found if each.verdict and each.outcome != "allow")
    return tuple(ground.text for grounds in against for ground in grounds)


def valid_until(
    session: Session, desk: Desk, regime: Regime, row: Inspection, at: datetime
) -> tuple[date | None, list[Asked]]:
    """The last day of the seal of a pass, by the regime's seal question, and what was asked. Raises RuleDown."""
    session.flush()
    law, asked = desk.law(session, row.authority, regime.plugin).noting()
    return _last_day(regime, dossier_of(session, desk, row, at), law), asked


def _last_day(regime: Regime, dossier: Dossier, law: Law) -> date | None:
    if dossier.inspection is not None:
        dossier = replace(dossier, inspection=replace(dossier.inspection, passed=True))
    with rule_down(regime), guarded(regime.plugin, "valid_until"):
        return regime.inspection.valid_until(dossier, law)


def _findings(session: Session, desk: Desk, authority: str, regime: Regime, dossier: Dossier) -> tuple[Finding, ...]:
    with rule_down(regime):
        found = [
            desk.host.finding(rule, dossier, law_of(rule, desk, session, authority)) for rule in regime.inspection.rules
        ]
    return tuple(each for each in found if each is not None)


def _missing(found: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(name for each in found if each.blocks and each.verdict is None for name in each.missing)
