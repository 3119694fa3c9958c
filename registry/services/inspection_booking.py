"""Booking an inspection: what stands in its way, and what the page of the booking shows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.workflow import ENDED
from registry.services.desk import Desk
from registry.services.dossier import RequestCase, load_case
from registry.store.inspections import Inspection

_MOST_PLACES = 20


@dataclass(frozen=True)
class BookingPage:
    """The request whose inspection is booked. ``obstacle`` is why it cannot be booked yet, "" when it can.

    ``owes`` = the obstacle is a fee to be received; ``booked`` is the id of the inspection that is booked already;
    ``places`` are those used before, the latest first.
    """

    request_id: int
    number: str
    kind_label: str
    applicant: str
    plate: str
    vehicle: str
    obstacle: str
    owes: bool
    booked: int | None
    places: tuple[str, ...]


def booking_page(session: Session, desk: Desk, occasion: Occasion, request_id: int) -> BookingPage:
    """What the page of the booking shows. Raises NotFound, RuleDown."""
    case = load_case(session, desk, occasion.authority, request_id, occasion.at)
    request, vehicle = case.row.request, case.dossier.vehicle
    obstacle = booking_obstacle(case)
    return BookingPage(
        request_id=request.id,
        number=request.number or "",
        kind_label=case.kind.label,
        applicant=case.dossier.holder.name if case.dossier.holder else "",
        plate=vehicle.plate if vehicle else "",
        vehicle=" ".join(filter(None, (vehicle.make, vehicle.model, vehicle.colour))) if vehicle else "",
        obstacle=obstacle,
        owes=bool(_owed(case)) and request.state != "rascunho",
        booked=next((each.id for each in case.inspections if each.state == "marcada"), None),
        places=_places(session, occasion.authority),
    )


def booking_obstacle(case: RequestCase) -> str:
    """Why the inspection of a request cannot be booked, in pt-BR; "" when it can."""
    request = case.row.request
    if request.state in ENDED:
        return "Este requerimento já foi encerrado."
    if request.state == "rascunho":
        return "Protocole o requerimento antes de marcar a vistoria."
    if not case.kind.needs_inspection or request.vehicle_id is None:
        return "Este requerimento não tem veículo a vistoriar."
    for each in case.inspections:
        if each.state == "marcada":
            return "A vistoria já está marcada. Mude a hora em vez de marcar outra."
        if each.state == "aprovada":
            return "O veículo já foi aprovado na vistoria deste requerimento."
    owed = _owed(case)
    return f"Antes de marcar a vistoria, receba: {', '.join(owed)}." if owed else ""


def _owed(case: RequestCase) -> list[str]:
    """The fees that the regime wants paid before the booking."""
    if not case.regime.inspection.booking_needs_payment:
        return []
    plans = {plan.code for plan in case.kind.charges if plan.opens_at in ("filing", "booking")}
    return [row.charge.label for row in case.charges if row.charge.plan in plans and row.charge.settled_at is None]


def _places(session: Session, authority: str) -> tuple[str, ...]:
    rows = session.execute(
        select(Inspection.place)
        .where(Inspection.authority == authority, Inspection.place != "")
        .group_by(Inspection.place)
        .order_by(func.max(Inspection.id).desc())
        .limit(_MOST_PLACES)
    )
    return tuple(row.place for row in rows)
