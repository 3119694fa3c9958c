"""What a request waits for besides fees and inspection: an exigência, a referral, a proposal of refusal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.workflow import ENDED, exigencia_text, for_applicant, impeding
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.services.lengths import LONG, SHORT, too_long
from registry.services.progress import Progress, refresh_request
from registry.services.request_terms import analysis_term, exigencia_term
from registry.services.requests import request_of
from registry.store.audit import record
from registry.store.once import remember
from registry.store.requests import Request, Wait

Kind = Literal["exigencia", "referral", "proposal"]
LABELS: dict[str, str] = {
    "exigencia": "Exigência",
    "referral": "Encaminhamento",
    "proposal": "Proposta de indeferimento",
    "return": "Devolução",
}
_EMPTY = {
    "exigencia": "Escreva o que o requerente deve apresentar ou corrigir.",
    "referral": "Escreva o que se pergunta e a quem.",
    "proposal": "Escreva o motivo. Ele vai para o processo.",
}


@dataclass(frozen=True)
class WaitLine:
    """An open or closed item as the request's page lists it; ``steps`` tell how its last day was counted."""

    id: int
    kind: str
    label: str
    text: str
    due_on: date | None
    steps: tuple[str, ...]
    opened_by: str
    opened_at: datetime
    closed_at: datetime | None
    outcome: str


@dataclass(frozen=True)
class ExigenciaDraft:
    """An exigência as born from the findings, to be edited before it is sent, and its term if sent today."""

    text: str
    count: int
    due_on: date
    steps: tuple[str, ...]


def open_exigencia(occasion: Occasion, desk: Desk, request_id: int, text: str) -> int:
    """Asks the applicant for what is missing; gives the wait's id. Its term is the configuration's, counted from today.

    Raises :class:`NotFound`, :class:`Refused` (empty, or one is open already), :class:`AlreadyDone` after the decision.
    """
    return _open(occasion, desk, request_id, "exigencia", text)


def refer_request(occasion: Occasion, desk: Desk, request_id: int, text: str) -> int:
    """Sends an omitted case to whoever answers it (encaminhamento); gives the wait's id. Raises as above."""
    return _open(occasion, desk, request_id, "referral", text)


def propose_refusal(occasion: Occasion, desk: Desk, request_id: int, text: str) -> int:
    """Sends a request to the deciding office with the proposal to refuse it; gives the wait's id. Raises as above."""
    return _open(occasion, desk, request_id, "proposal", text)


def answer_exigencia(occasion: Occasion, desk: Desk, wait_id: int, answered: bool, note: str = "") -> None:
    """Closes an exigência: answered, or not answered in time. The analysis gets its term anew from today.

    Raises :class:`NotFound`, :class:`AlreadyDone` when it is closed.
    """
    close_wait(occasion, desk, wait_id, "respondida" if answered else "não respondida", note)


def close_wait(occasion: Occasion, desk: Desk, wait_id: int, outcome: str, note: str = "") -> None:
    """Closes any open item with its outcome in words; a proposal so closed goes back to the analyst (devolvida).

    Raises :class:`NotFound`, :class:`AlreadyDone` when it is closed, :class:`Refused` for a note that is too long.
    """
    if fault := too_long(note, SHORT - len(f"{outcome}: "), "A observação"):
        raise Refused({"note": fault})
    with desk.store.writing() as session:
        wait, request = _wait(session, occasion.authority, wait_id)
        if wait.closed_at is not None:
            raise AlreadyDone(wait.outcome, "", wait.closed_at)
        wait.closed_at = occasion.at
        wait.outcome = ": ".join(part for part in (outcome, note.strip()) if part)
        if request.state not in ENDED:
            request.due_on = _next_due(session, desk, occasion, request, wait)
        session.flush()
        after = {"wait_id": wait.id, "outcome": wait.outcome, "due_on": request.due_on}
        record(session, occasion, f"{wait.kind}.closed", "request", request.id, {"wait_id": wait.id}, after)
        refresh_request(session, desk, occasion, request.id)


def draft_exigencia(session: Session, desk: Desk, occasion: Occasion, progress: Progress) -> ExigenciaDraft:
    """The text that the findings make, how many they are, and the term if it were sent today."""
    request = progress.case.row.request
    against = for_applicant(impeding(progress.standing))
    term = exigencia_term(session, desk, occasion.authority, request.regime, occasion.on)
    return ExigenciaDraft(exigencia_text(against), len(against), term.due, term.steps)


def wait_line(wait: Wait) -> WaitLine:
    """An item as the page lists it."""
    return WaitLine(
        wait.id,
        wait.kind,
        LABELS.get(wait.kind, wait.kind),
        wait.text,
        wait.due_on,
        tuple(str(step) for step in wait.steps),
        wait.opened_by,
        wait.opened_at,
        wait.closed_at,
        wait.outcome,
    )


def _open(occasion: Occasion, desk: Desk, request_id: int, kind: Kind, text: str) -> int:
    with desk.store.writing() as session:
        before = done_before(session, occasion, f"{kind}.opened")
        if before is not None:
            return before
        request = request_of(session, occasion.authority, request_id)
        _check(session, request, kind, text)
        due: date | None = None
        steps: tuple[str, ...] = ()
        if kind == "exigencia":
            term = exigencia_term(session, desk, occasion.authority, request.regime, occasion.on)
            due, steps = term.due, term.steps
        wait = Wait(
            request_id=request_id,
            kind=kind,
            text=text.strip(),
            due_on=due,
            steps=list(steps),
            opened_by=occasion.actor,
            opened_at=occasion.at,
        )
        session.add(wait)
        if due is not None:
            request.due_on = due
        if request.state == "protocolado":
            request.state = "em_analise"
        session.flush()
        after = {"wait_id": wait.id, "text": wait.text, "due_on": due, "state": request.state}
        record(session, occasion, f"{kind}.opened", "request", request_id, None, after)
        refresh_request(session, desk, occasion, request_id)
        remember(session, occasion, f"{kind}.opened", wait.id)
        return wait.id


def _check(session: Session, request: Request, kind: Kind, text: str) -> None:
    if request.state in ENDED:
        raise AlreadyDone(request.state, "", request.decided_at)
    if request.state == "rascunho":
        raise Refused(message="Este pedido ainda é um rascunho. Protocole antes.")
    if not text.strip():
        raise Refused({"text": _EMPTY[kind]})
    if fault := too_long(text, LONG):
        raise Refused({"text": fault})
    standing = session.scalar(
        select(Wait.opened_at).where(Wait.request_id == request.id, Wait.kind == kind, Wait.closed_at.is_(None))
    )
    if standing is not None:
        raise Refused(message=f"{LABELS[kind]}: já há uma em aberto. Encerre-a antes de abrir outra.")


def _wait(session: Session, authority: str, wait_id: int) -> tuple[Wait, Request]:
    found = session.execute(
        select(Wait, Request)
        .join(Request, Request.id == Wait.request_id)
        .where(Wait.id == wait_id, Request.authority == authority)
    ).first()
    if found is None:
        raise NotFound
    return found[0], found[1]


def _next_due(session: Session, desk: Desk, occasion: Occasion, request: Request, closed: Wait) -> date | None:
    """After an exigência the analysis has its term anew; after anything else the day that stood before stays."""
    if closed.kind != "exigencia":
        return request.due_on
    return analysis_term(session, desk, occasion.authority, request.regime, occasion.on).due
