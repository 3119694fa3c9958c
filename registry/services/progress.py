"""How far a request is: its workflow asked of the database, and the state kept for lists after each change.

Whatever changes a request (a document, a payment, an inspection, a wait) calls :func:`refresh_request` last, in the
same transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, tzinfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.dossier import Dossier
from registry.domain.law import Law
from registry.domain.occasion import Occasion
from registry.domain.regime import Finding, Regime, RequestKind, WantedDocument
from registry.domain.workflow import (
    ENDED,
    ChargeFact,
    InspectionFact,
    Outlook,
    PaperFact,
    Standing,
    WaitFact,
    outlook,
)
from registry.plugins.host import guarded
from registry.services.charge_opening import open_planned
from registry.services.desk import Desk
from registry.services.dossier import RequestCase, findings, load_case, rule_down, shown_status
from registry.services.errors import NotFound, RuleDown
from registry.services.facts import fields_for
from registry.store.inspections import Inspection
from registry.store.requests import Request, RequestDocument, Wait

NO_HOLDER = "requerente"


@dataclass(frozen=True)
class Progress:
    """A request with everything derived from it: findings, wanted documents, open waits, outlook."""

    case: RequestCase
    findings: tuple[Finding, ...]
    wanted: tuple[WantedDocument, ...]
    waits: tuple[Wait, ...]
    standing: Standing
    outlook: Outlook


def progress_of(session: Session, desk: Desk, authority: str, request_id: int, at: datetime) -> Progress:
    """Loads a request and derives where it stands. Raises :class:`NotFound`, :class:`RuleDown`."""
    case = load_case(session, desk, authority, request_id, at)
    return derive(session, desk, authority, case, case.dossier)


def derive(session: Session, desk: Desk, authority: str, case: RequestCase, dossier: Dossier) -> Progress:
    """Derives where a request stands for a dossier, which may hold what a clerk is still typing."""
    kind = case.kind
    waits = case.row.waits
    law = desk.law(session, authority, case.regime.plugin)
    wanted = wanted_documents(case.regime, kind, dossier, law)
    ended = case.row.request.state in ENDED
    found = () if ended else findings(dossier, desk, session, authority, kind.code)
    standing = _standing(case, kind, dossier, wanted, waits, found)
    return Progress(case, found, wanted, waits, standing, outlook(standing))


def wanted_documents(regime: Regime, kind: RequestKind, dossier: Dossier, law: Law) -> tuple[WantedDocument, ...]:
    """What this applicant owes, by article; nothing before the kind of holder is known. Raises RuleDown."""
    if dossier.request is None or not dossier.request.holder_kind:
        return ()
    with rule_down(regime), guarded(regime.plugin, f"documents of {kind.code}"):
        return tuple(kind.documents(dossier, law))


def refresh_request(session: Session, desk: Desk, occasion: Occasion, request_id: int) -> Outlook:
    """Derives a request's state anew and keeps it for lists; gives the outlook.

    When nothing but the decision is left, the fees that are due before it are opened.
    Raises :class:`NotFound`, :class:`RuleDown` (then the change is not saved either).
    """
    session.flush()
    progress = progress_of(session, desk, occasion.authority, request_id, occasion.at)
    ready = progress.outlook.shown == "pronto" and not any(wait.closed_at is None for wait in progress.waits)
    if ready and open_planned(session, desk, occasion, request_id, ("decision",)):
        progress = progress_of(session, desk, occasion.authority, request_id, occasion.at)
    request = progress.case.row.request
    request.shown = progress.outlook.shown
    request.next_step = progress.outlook.next_step.label[:400] if progress.outlook.next_step else ""
    session.flush()
    return progress.outlook


def refresh_all(desk: Desk, occasion: Occasion) -> tuple[int, int]:
    """Derives every live request of an authority anew (the nightly sweep); gives how many changed and how many failed.

    One transaction a request; one whose rule does not answer keeps what lists show of it. Those of a regime that is not
    loaded wait for its plugin: they are passed over, and are no failure.
    """
    loaded = [regime.code for regime in desk.regimes_of(occasion.authority)]
    with desk.store.reading() as session:
        live = select(Request.id).where(
            Request.authority == occasion.authority, Request.state.not_in(ENDED), Request.regime.in_(loaded)
        )
        ids = session.scalars(live.order_by(Request.id)).all()
    changed = failed = 0
    for request_id in ids:
        try:
            with desk.store.writing() as session:
                before = session.execute(select(Request.shown, Request.next_step).where(Request.id == request_id)).one()
                after = refresh_request(session, desk, occasion, request_id)
                label = after.next_step.label if after.next_step else ""
                changed += (before.shown, before.next_step) != (after.shown, label)
        except (NotFound, RuleDown):
            failed += 1
    return changed, failed


def newest_inspection(case: RequestCase, on: date) -> Inspection | None:
    """The inspection that counts for a request on a day: one of its vehicle that passed and holds, else the request's
    own booked one, else its last.
    """
    of_vehicle = case.rows.inspections.get(case.row.request.vehicle_id or 0, [])
    passed = [each for each in of_vehicle if each.state == "aprovada" and _holds(each, on)]
    own = [each for each in case.inspections if each.state not in ("cancelada", "aprovada")]
    booked = [each for each in own if each.state == "marcada"]
    chosen = passed or booked or sorted(own, key=lambda each: each.id)
    return chosen[-1] if chosen else None


def _holds(inspection: Inspection, on: date) -> bool:
    return inspection.valid_until is None or on <= inspection.valid_until


def lacking(regime: Regime, kind: RequestKind, request: Request) -> tuple[str, ...]:
    """What a draft lacks to be filed, as short pt-BR names in the order of the form."""
    missing = []
    if not request.holder_kind:
        missing.append("tipo de requerente")
    if request.applicant_id is None:
        missing.append(NO_HOLDER)
    if request.holder_kind in {each.code for each in regime.holder_kinds}:
        holder = regime.holder_kind(request.holder_kind)
        if holder.needs_cooperative and request.cooperative_id is None:
            missing.append("cooperativa")
    if regime.categories and not request.category:
        missing.append("categoria")
    if kind.needs_vehicle and request.vehicle_id is None:
        missing.append("veículo")
    for each in fields_for(kind.fields, request.holder_kind):
        if each.required and (request.facts or {}).get(each.name) in (None, ""):
            missing.append(each.label[:1].lower() + each.label[1:])
    return tuple(missing)


def _standing(
    case: RequestCase,
    kind: RequestKind,
    dossier: Dossier,
    wanted: tuple[WantedDocument, ...],
    waits: tuple[Wait, ...],
    found: tuple[Finding, ...],
) -> Standing:
    request = case.row.request
    zone = dossier.at.tzinfo
    plans = {plan.code: plan.opens_at for plan in kind.charges}
    newest = newest_inspection(case, dossier.on)
    return Standing(
        state=request.state,
        on=dossier.on,
        steps=kind.steps,
        filed_on=_day(request.filed_at, zone),
        decided_on=_day(request.decided_at, zone),
        taken=request.state == "em_analise",
        lacking=lacking(case.regime, kind, request) if request.state == "rascunho" else (),
        needs_inspection=kind.needs_inspection,
        papers_are_a_finding=bool(kind.document_rule),
        charges=tuple(
            ChargeFact(row.charge.label, plans.get(row.charge.plan, "filing"), _day(row.charge.settled_at, zone))
            for row in case.charges
        ),
        papers=tuple(
            PaperFact(each.label, status_of(each, case, dossier.on))
            for each in wanted
            if each.source == "upload" and not each.waived
        ),
        inspection=_inspection_fact(newest, zone) if newest else None,
        waits=tuple(WaitFact(wait.kind, wait.due_on) for wait in waits if wait.closed_at is None),
        findings=found,
    )


def status_of(wanted: WantedDocument, case: RequestCase, on: date) -> str:
    """The status of a wanted document on a day: sent while a paper of it waits to be reviewed, accepted when those that
    were accepted are copies enough, else what became of the others.
    """
    if wanted.waived:
        return "dispensado"
    papers: list[RequestDocument] = [document for document, _ in case.rows.documents if document.code == wanted.code]
    statuses = [shown_status(each, on) for each in papers]
    if any(each.status == "dispensado" for each in papers):
        return "dispensado"
    if "enviado" in statuses:
        return "enviado"
    good = ("aceito", "com_ressalva")
    if sum(each.copies for each, status in zip(papers, statuses, strict=True) if status in good) >= wanted.copies:
        return "com_ressalva" if "com_ressalva" in statuses else "aceito"
    return next((urgent for urgent in ("recusado", "vencido") if urgent in statuses), "falta")


def _day(instant: datetime | None, zone: tzinfo | None) -> date | None:
    return instant.astimezone(zone).date() if instant is not None else None


def _inspection_fact(inspection: Inspection, zone: tzinfo | None) -> InspectionFact:
    return InspectionFact(inspection.state, inspection.done_on or _day(inspection.scheduled_at, zone))
