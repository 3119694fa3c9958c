"""A request whose regime is not loaded: what can be told without its plugin. Its history stays open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.identifiers import format_plate
from registry.services.desk import Desk
from registry.services.errors import NotFound
from registry.services.timeline import Happening, timeline
from registry.store.people import Person
from registry.store.requests import Decision, Request
from registry.store.vehicles import Vehicle


@dataclass(frozen=True)
class RequestStub:
    """The bare facts of a request; ``plate`` as printed, ``text`` that of its decision."""

    id: int
    number: str
    regime: str
    shown: str
    applicant_id: int | None
    applicant: str
    vehicle_id: int | None
    plate: str
    opened_at: datetime
    decided_at: datetime | None
    text: str
    history: tuple[Happening, ...]


def request_stub(session: Session, desk: Desk, authority: str, request_id: int) -> RequestStub:
    """The bare facts of a request of this authority whose regime is not loaded or not administered any more.

    Raises :class:`NotFound` for any other.
    """
    row = session.execute(
        select(Request, Person.name, Vehicle.plate, Decision.text)
        .outerjoin(Person, Person.id == Request.applicant_id)
        .outerjoin(Vehicle, Vehicle.id == Request.vehicle_id)
        .outerjoin(Decision, Decision.request_id == Request.id)
        .where(Request.id == request_id, Request.authority == authority)
    ).first()
    if row is None or row[0].regime in {each.code for each in desk.regimes_of(authority)}:
        raise NotFound
    request, applicant, plate, text = row
    return RequestStub(
        id=request.id,
        number=request.number or "",
        regime=request.regime,
        shown=request.shown,
        applicant_id=request.applicant_id,
        applicant=applicant or "",
        vehicle_id=request.vehicle_id,
        plate=format_plate(plate) if plate else "",
        opened_at=request.opened_at,
        decided_at=request.decided_at,
        text=text or "",
        history=timeline(session, authority, [("request", request_id)]),
    )
