"""Everything that the page of a request shows, derived from one load of its rows."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.regime import Finding
from registry.domain.workflow import due_label
from registry.services.amounts import amount_on, sum_known
from registry.services.desk import Desk
from registry.services.documents import STATUS_LABELS
from registry.services.dossier import shown_status
from registry.services.errors import Refused
from registry.services.facts import fields_for, for_field
from registry.services.people import PersonRef, ref_of
from registry.services.progress import Progress, newest_inspection, progress_of, status_of
from registry.services.request_terms import analysis_term
from registry.services.request_view import (
    DecisionLine,
    DocumentLine,
    Due,
    FeeLine,
    FieldLine,
    Findings,
    InspectionLine,
    Overdue,
    PaperLine,
    RequestPage,
)
from registry.services.timeline import Happening, timeline
from registry.services.vehicles import VehicleRef, describe
from registry.services.vehicles import ref_of as vehicle_ref
from registry.services.waits import draft_exigencia, wait_line
from registry.store.inspections import Inspection
from registry.store.requests import RequestDocument, StoredFile


def request_page(session: Session, desk: Desk, occasion: Occasion, request_id: int) -> RequestPage:
    """The page of a request as of the occasion's instant.

    Raises :class:`NotFound` (another authority's too), :class:`RuleDown`.
    """
    progress = progress_of(session, desk, occasion.authority, request_id, occasion.at)
    return page_of(session, desk, occasion, progress)


def page_of(session: Session, desk: Desk, occasion: Occasion, progress: Progress) -> RequestPage:
    """The page of a request whose progress is known, what a clerk is typing included."""
    case = progress.case
    request, kind, regime = case.row.request, case.kind, case.regime
    live = request.state not in ("deferido", "indeferido", "desistencia")
    offices = {each.code: each.label for each in regime.offices}
    decision = case.row.decision
    return RequestPage(
        id=request.id,
        version=request.version,
        number=request.number or "",
        regime=regime.code,
        regime_label=regime.label,
        kind=kind.code,
        kind_label=kind.label,
        state=request.state,
        category=request.category,
        category_label=_label(request.category, {each.code: each.label for each in regime.categories}),
        holder_kind=request.holder_kind,
        holder_kind_label=_label(request.holder_kind, {each.code: each.label for each in regime.holder_kinds}),
        editable=live,
        movable=request.state == "rascunho",
        opened_at=request.opened_at,
        filed_at=request.filed_at,
        assigned_to=request.assigned_to,
        assigned_name=case.row.assigned_name,
        applicant=_person(progress, request.applicant_id),
        cooperative=_person(progress, request.cooperative_id),
        vehicle=_vehicle(progress, request.vehicle_id),
        permit_id=request.permit_id,
        overdue=_overdue(progress) if live else None,
        due=_due(session, desk, occasion, progress),
        outlook=progress.outlook,
        findings=sorted_findings(progress.findings),
        documents=_documents(progress, occasion.on),
        fields=_fields(progress),
        fees=_fees(session, desk, occasion, progress),
        inspection=_inspection(newest_inspection(case, occasion.on)),
        waits=tuple(wait_line(wait) for wait in reversed(progress.waits)),
        exigencia=draft_exigencia(session, desk, occasion, progress) if _may_ask(progress) else None,
        decision=DecisionLine(
            decision.result,
            _label(decision.office, offices),
            case.row.decided_by,
            decision.at,
            decision.text,
        )
        if decision
        else None,
        office=kind.office,
        office_label=_label(kind.office, offices),
        history=_history(session, occasion.authority, progress),
    )


def sorted_findings(findings: tuple[Finding, ...]) -> Findings:
    """The findings by weight, each group in the order of the rules."""
    impeding = tuple(each for each in findings if each.impedes)
    warning = tuple(each for each in findings if not each.impedes and each.outcome != "allow")
    return Findings(impeding, warning, tuple(each for each in findings if each.outcome == "allow"))


def _label(code: str, labels: dict[str, str]) -> str:
    return labels.get(code, code)


def _person(progress: Progress, person_id: int | None) -> PersonRef | None:
    person = progress.case.rows.persons.get(person_id or 0)
    return ref_of(person) if person else None


def _vehicle(progress: Progress, vehicle_id: int | None) -> VehicleRef | None:
    vehicle = progress.case.rows.vehicles.get(vehicle_id or 0)
    if vehicle is None:
        return None
    types = {each.code: each.label.lower() for each in progress.case.regime.vehicle_types}
    return replace(vehicle_ref(vehicle), description=describe(types.get(vehicle.type, vehicle.type), vehicle.seats))


def _overdue(progress: Progress) -> Overdue | None:
    late = [debt for debt in progress.case.dossier.debts if debt.state == "overdue"]
    return Overdue(len(late), sum_known(debt.amount for debt in late)) if late else None


def _due(session: Session, desk: Desk, occasion: Occasion, progress: Progress) -> Due | None:
    request = progress.case.row.request
    if request.due_on is None:
        return None
    calendar = desk.calendar(session, occasion.authority, request.regime)
    waits = [wait for wait in progress.waits if wait.closed_at is None and wait.due_on == request.due_on]
    steps = (
        tuple(str(step) for step in waits[-1].steps) if waits else _analysis_steps(session, desk, occasion, progress)
    )
    label = due_label(request.due_on, occasion.on, calendar)
    return Due(request.due_on, label, request.due_on < occasion.on, steps)


def _analysis_steps(session: Session, desk: Desk, occasion: Occasion, progress: Progress) -> tuple[str, ...]:
    """How the day of the analysis was counted; empty when the configuration has changed since."""
    request = progress.case.row.request
    starts = [wait.closed_at for wait in progress.waits if wait.closed_at is not None and wait.kind == "exigencia"]
    start = max(starts) if starts else request.filed_at
    if start is None:
        return ()
    day = start.astimezone(occasion.zone).date()
    term = analysis_term(session, desk, occasion.authority, request.regime, day)
    return term.steps if term.due == request.due_on else ()


def _documents(progress: Progress, on: date) -> tuple[DocumentLine, ...]:
    papers: dict[str, list[PaperLine]] = {}
    for document, file in progress.case.rows.documents:
        papers.setdefault(document.code, []).append(_paper(document, file, on))
    lines = []
    for wanted in progress.wanted:
        status = _wanted_status(progress, wanted.code, wanted.source, on) or status_of(wanted, progress.case, on)
        lines.append(
            DocumentLine(
                code=wanted.code,
                label=wanted.label,
                cite=wanted.cite,
                group=wanted.group,
                source=wanted.source,
                status=status,
                status_label=STATUS_LABELS.get(status, status),
                waived=wanted.waived,
                copies=wanted.copies,
                wants_expiry=wanted.expires,
                restricted=wanted.restricted,
                papers=tuple(papers.get(wanted.code, ())),
            )
        )
    return tuple(lines)


def _wanted_status(progress: Progress, code: str, source: str, on: date) -> str:
    """The status of what the registry's own facts satisfy: an inspection that passed, a record that is filled in."""
    if source == "inspection":
        inspection = newest_inspection(progress.case, on)
        return "aceito" if inspection is not None and inspection.state == "aprovada" else "falta"
    if source == "record":
        finding = next((each for each in progress.findings if each.question == progress.case.kind.document_rule), None)
        return "falta" if finding is not None and _names(finding, code) else "aceito"
    return ""


def _names(finding: Finding, code: str) -> bool:
    """Whether a finding of the document rule names a document as missing, in its answer or the facts of its grounds."""
    if finding.verdict is None:
        return False
    against = [value for ground in finding.verdict.against for value in ground.facts.values()]
    answer = [getattr(finding.verdict.answer, name, ()) for name in ("missing", "missing_items")]
    return any(code == value or (isinstance(value, tuple | list) and code in value) for value in (*against, *answer))


def _paper(document: RequestDocument, file: StoredFile | None, on: date) -> PaperLine:
    status = shown_status(document, on)
    return PaperLine(
        id=document.id,
        version=document.version,
        status=status,
        status_label=STATUS_LABELS[status],
        file_name=file.name if file else "",
        media_type=file.media_type if file else "",
        size=file.size if file else 0,
        expires_on=document.expires_on,
        reason=document.reason,
        reviewed_at=document.reviewed_at,
        copies=document.copies,
    )


def _fields(progress: Progress) -> tuple[FieldLine, ...]:
    request = progress.case.dossier.request
    if request is None:
        return ()
    wanted = fields_for(progress.case.kind.fields, request.holder_kind)
    return tuple(
        FieldLine(each, request.facts.get(each.name), for_field(each.kind, request.facts.get(each.name)))
        for each in wanted
    )


def _fees(session: Session, desk: Desk, occasion: Occasion, progress: Progress) -> tuple[FeeLine, ...]:
    lines = []
    for row in progress.case.charges:
        charge, amount, refusal = row.charge, None, ""
        paid_on = row.paid_on if charge.settled_at is not None else None
        try:
            amount = amount_on(session, desk, charge, paid_on or occasion.on)
        except Refused as refused:
            refusal = refused.message
        lines.append(FeeLine(charge.id, charge.number, charge.label, paid_on, row.paid, amount, refusal))
    return tuple(lines)


def _inspection(inspection: Inspection | None) -> InspectionLine | None:
    if inspection is None:
        return None
    results = [item.get("result") for item in (inspection.items or {}).values()]
    return InspectionLine(
        id=inspection.id,
        state=inspection.state,
        at=inspection.scheduled_at,
        done_on=inspection.done_on,
        place=inspection.place,
        passed_items=results.count("ok"),
        failed_items=results.count("falha"),
        photos=sum(len(item.get("photos", ())) for item in (inspection.items or {}).values()),
        seal=inspection.seal or "",
        valid_until=inspection.valid_until,
    )


def _may_ask(progress: Progress) -> bool:
    return progress.case.row.request.state in ("protocolado", "em_analise") and not any(
        wait.closed_at is None for wait in progress.waits
    )


def _history(session: Session, authority: str, progress: Progress) -> tuple[Happening, ...]:
    """The audit's entries of the request and its inspections, and its payments, newest first."""
    case = progress.case
    subjects = [("request", case.row.request.id), *(("inspection", each.id) for each in case.inspections)]
    paid = [
        Happening(f"Taxa paga: {row.charge.label}", row.charge.settled_at, "")
        for row in case.charges
        if row.charge.settled_at is not None
    ]
    told = [*timeline(session, authority, subjects), *paid]
    return tuple(sorted(told, key=lambda each: each.at, reverse=True))
