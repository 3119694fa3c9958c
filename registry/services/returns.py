"""The deciding office gives a request back to the analysis, with what it wants to know."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.workflow import ENDED
from registry.services.decisions import in_office, office_of, who_can
from registry.services.desk import Desk
from registry.services.dossier import load_case
from registry.services.editing import done_before
from registry.services.errors import AlreadyDone, NotAllowed, Refused
from registry.services.history import refuse_stale
from registry.services.lengths import LONG, too_long
from registry.services.offices import names_in_office
from registry.services.progress import refresh_request
from registry.store.audit import AuditEntry, record
from registry.store.once import remember
from registry.store.requests import Request, Wait

KIND = "return"


def return_request(occasion: Occasion, desk: Desk, request_id: int, version: int, text: str) -> int:
    """Gives a request back to whoever analysed it; gives the id of the open item that waits for the answer.

    An open proposal to refuse is closed as «devolvida». Until the item is answered the request is under analysis.

    Raises:
        NotAllowed: the user does not hold the deciding office on this day.
        Refused: no text, a draft, or it was given back already.
        Stale: the request changed after ``version``.
        AlreadyDone: it has ended.
        NotFound: no such request here.
    """
    with desk.store.writing() as session:
        before = done_before(session, occasion, "return.opened")
        if before is not None:
            return before
        case = load_case(session, desk, occasion.authority, request_id, occasion.at)
        request, office = case.row.request, office_of(case)
        if request.state in ENDED:
            raise AlreadyDone(request.state, case.row.decided_by, request.decided_at)
        if not in_office(session, occasion, case, office):
            holders = names_in_office(session, occasion.authority, case.regime.code, office.code, occasion.on)
            raise NotAllowed(who_can(office, holders))
        refuse_stale(session, "request", request.id, request.version, version)
        _check(session, request, text)
        wait = _open(session, occasion, request, text)
        remember(session, occasion, "return.opened", wait.id)
        refresh_request(session, desk, occasion, request_id)
        return wait.id


def _check(session: Session, request: Request, text: str) -> None:
    if request.state == "rascunho":
        raise Refused(message="Este pedido ainda é um rascunho.")
    if not text.strip():
        raise Refused({"text": "Escreva o que falta esclarecer. Quem analisa lê este texto."})
    if fault := too_long(text, LONG):
        raise Refused({"text": fault})
    if any(wait.kind == KIND for wait in _open_waits(session, request)):
        raise Refused(message="Este pedido já foi devolvido e espera resposta.")


def _open(session: Session, occasion: Occasion, request: Request, text: str) -> Wait:
    for proposal in _open_waits(session, request):
        if proposal.kind == "proposal":
            proposal.closed_at, proposal.outcome = occasion.at, "devolvida"
    wait = Wait(
        request_id=request.id,
        kind=KIND,
        text=text.strip(),
        due_on=None,
        steps=[],
        opened_by=occasion.actor,
        opened_at=occasion.at,
    )
    session.add(wait)
    held_by = {"assigned_to": request.assigned_to}
    if request.assigned_to == occasion.actor_id:
        request.assigned_to = _had_before(session, request.id)
        request.assigned_at = occasion.at if request.assigned_to is not None else None
    session.flush()
    after = {"wait_id": wait.id, "text": wait.text, "assigned_to": request.assigned_to}
    record(session, occasion, "return.opened", "request", request.id, held_by, after)
    return wait


def _open_waits(session: Session, request: Request) -> list[Wait]:
    return list(session.scalars(select(Wait).where(Wait.request_id == request.id, Wait.closed_at.is_(None))))


def _had_before(session: Session, request_id: int) -> int | None:
    """Who had the request before it was passed to its present holder; None = nobody."""
    entry = session.scalars(
        select(AuditEntry)
        .where(
            AuditEntry.subject == "request",
            AuditEntry.subject_id == request_id,
            AuditEntry.action.in_(("request.passed", "request.taken")),
        )
        .order_by(AuditEntry.seq.desc())
        .limit(1)
    ).one_or_none()
    return (entry.before or {}).get("assigned_to") if entry else None
