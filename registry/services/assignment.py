"""Who has a request: taking it, passing it on, giving it back to the queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.workflow import ENDED
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotAllowed, Refused, Taken
from registry.services.lengths import too_long
from registry.services.progress import refresh_request
from registry.services.requests import request_of
from registry.store.access import User
from registry.store.audit import record
from registry.store.requests import Request


@dataclass(frozen=True)
class Colleague:
    """A user to whom a request can be passed."""

    id: int
    name: str


def take_request(occasion: Occasion, desk: Desk, request_id: int) -> None:
    """Takes a request that nobody has; a filed one thereby goes under analysis. One's own stays as it is.

    Raises :class:`Taken` («Jonas pegou este requerimento há 1 minuto»), :class:`NotFound`, :class:`AlreadyDone` when it
    has ended.
    """
    with desk.store.writing() as session:
        request = _open_request(session, occasion.authority, request_id)
        if occasion.actor_id is None:
            raise NotAllowed("Só quem entrou com usuário e senha pode pegar um requerimento.")
        if request.assigned_to == occasion.actor_id and request.state != "protocolado":
            return
        if request.assigned_to is not None and request.assigned_to != occasion.actor_id:
            name = session.scalar(select(User.name).where(User.id == request.assigned_to)) or ""
            raise Taken(name, request.assigned_at, since(request.assigned_at, occasion.at))
        before = {"assigned_to": request.assigned_to, "state": request.state}
        if request.state == "protocolado":
            request.state = "em_analise"
        _assign(session, desk, occasion, request, occasion.actor_id, "request.taken", before, occasion.actor)


def pass_request(occasion: Occasion, desk: Desk, request_id: int, to_user_id: int | None, note: str = "") -> None:
    """Passes a request to another active user of the authority; None gives it back to the queue.

    Raises :class:`NotFound`, :class:`Refused`, :class:`AlreadyDone` when it has ended.
    """
    if fault := too_long(note, what="O recado"):
        raise Refused({"note": fault})
    with desk.store.writing() as session:
        request = _open_request(session, occasion.authority, request_id)
        name = ""
        if to_user_id is not None:
            found = next((each for each in colleagues(session, occasion.authority) if each.id == to_user_id), None)
            if found is None:
                raise Refused({"to_user_id": "Escolha uma pessoa deste órgão."})
            name = found.name
        if request.assigned_to == to_user_id:
            return
        before = {"assigned_to": request.assigned_to, "state": request.state}
        _assign(session, desk, occasion, request, to_user_id, "request.passed", before, name, note.strip())


def colleagues(session: Session, authority: str) -> tuple[Colleague, ...]:
    """The active users of an authority, by name."""
    statement = select(User.id, User.name).where(User.authority == authority, User.active.is_(True))
    return tuple(Colleague(row.id, row.name) for row in session.execute(statement.order_by(User.name, User.id)))


def since(then: datetime | None, now: datetime) -> str:
    """How long ago: ``agora``, ``há 1 minuto``, ``há 3 horas``, ``há 2 dias``; "" when not known."""
    if then is None:
        return ""
    minutes = int((now - then).total_seconds() // 60)
    if minutes < 1:
        return "agora"
    for size, one, many in ((24 * 60, "dia", "dias"), (60, "hora", "horas"), (1, "minuto", "minutos")):
        if minutes >= size:
            count = minutes // size
            return f"há {count} {one if count == 1 else many}"
    return "agora"


def _open_request(session: Session, authority: str, request_id: int) -> Request:
    request = request_of(session, authority, request_id)
    if request.state in ENDED:
        raise AlreadyDone(request.state, "", request.decided_at)
    return request


def _assign(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    request: Request,
    user_id: int | None,
    action: str,
    before: Mapping[str, object],
    name: str,
    note: str = "",
) -> None:
    request.assigned_to = user_id
    request.assigned_at = occasion.at if user_id is not None else None
    session.flush()
    after = {"assigned_to": user_id, "name": name, "state": request.state, "note": note}
    record(session, occasion, action, "request", request.id, before, after)
    refresh_request(session, desk, occasion, request.id)
