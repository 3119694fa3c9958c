"""What the inspections' pages show: the agenda of a day, one inspection with its checklist and result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session, aliased

from registry.domain.dossier import Dossier
from registry.domain.regime import ChecklistItem, Regime
from registry.domain.workflow import ENDED
from registry.plugins.host import guarded
from registry.services.desk import Desk
from registry.services.dossier import rule_down
from registry.services.errors import NotFound
from registry.services.inspection_result import InspectionOutlook, dossier_of, inspection_outlook
from registry.store.access import User
from registry.store.inspections import Inspection
from registry.store.people import Person
from registry.store.requests import Request, StoredVerdict
from registry.store.vehicles import Vehicle

STATE_LABELS = {
    "marcada": "Marcada",
    "aprovada": "Aprovada",
    "reprovada": "Reprovada",
    "nao_compareceu": "Não compareceu",
    "cancelada": "Cancelada",
}


@dataclass(frozen=True)
class AgendaLine:
    """One inspection of the day's agenda."""

    id: int
    at: datetime | None
    place: str
    regime: str
    plate: str
    vehicle: str
    holder: str
    request_id: int | None
    request_number: str
    state: str
    state_label: str
    seal: str


@dataclass(frozen=True)
class ItemLine:
    """One item of the checklist with what was marked; ``result`` is "" until then, ``photos`` are ids of files."""

    item: ChecklistItem
    result: str
    reason: str
    photos: tuple[int, ...] = ()


@dataclass(frozen=True)
class InspectionPage:
    """One inspection as its page shows it; ``can_record`` = booked, of a request that has not ended.

    ``outlook`` is what concluding now would give, once every item is marked. ``unavailable`` = its regime is not
    loaded: the items are those that were marked, under their codes, and nothing can be changed.
    """

    id: int
    version: int
    regime: str
    state: str
    state_label: str
    scheduled_at: datetime | None
    place: str
    vehicle_id: int
    plate: str
    vehicle: str
    holder: str
    request_id: int | None
    request_number: str
    items: tuple[ItemLine, ...]
    can_record: bool
    inspector: str
    done_at: datetime | None
    done_on: date | None
    seal: str
    valid_until: date | None
    reasons: tuple[str, ...]
    notes: str
    outlook: InspectionOutlook | None
    unavailable: bool = False

    @property
    def marked(self) -> int:
        """How many items are marked."""
        return sum(1 for line in self.items if line.result)

    @property
    def failed(self) -> tuple[ItemLine, ...]:
        """The items marked as failed."""
        return tuple(line for line in self.items if line.result == "falha")


def agenda(session: Session, desk: Desk, authority: str, day: date) -> tuple[AgendaLine, ...]:
    """The inspections booked for a civil day, or made on it, by hour and place; cancelled ones are left out."""
    zone = desk.authority(authority).zone
    first = datetime.combine(day, time(0), tzinfo=zone)
    after = datetime.combine(day + timedelta(days=1), time(0), tzinfo=zone)
    rows = session.execute(
        select(Inspection, Vehicle, Person.name, Request.number)
        .join(Vehicle, Vehicle.id == Inspection.vehicle_id)
        .outerjoin(Request, Request.id == Inspection.request_id)
        .outerjoin(Person, Person.id == Request.applicant_id)
        .where(
            Inspection.authority == authority,
            Inspection.state != "cancelada",
            or_(
                (Inspection.scheduled_at >= first) & (Inspection.scheduled_at < after),
                Inspection.done_on == day,
            ),
        )
        .order_by(Inspection.scheduled_at, Inspection.place, Inspection.id)
    )
    return tuple(
        AgendaLine(
            id=row.id,
            at=row.scheduled_at.astimezone(zone) if row.scheduled_at else None,
            place=row.place,
            regime=row.regime,
            plate=vehicle.plate,
            vehicle=_named(vehicle),
            holder=holder or "",
            request_id=row.request_id,
            request_number=number or "",
            state=row.state,
            state_label=STATE_LABELS[row.state],
            seal=row.seal or "",
        )
        for row, vehicle, holder, number in rows
    )


def inspection_page(session: Session, desk: Desk, authority: str, inspection_id: int, at: datetime) -> InspectionPage:
    """One inspection with its checklist. Raises NotFound, RuleDown."""
    inspector = aliased(User)
    found = session.execute(
        select(Inspection, Vehicle, Person.name, Request.number, Request.state, inspector.name)
        .join(Vehicle, Vehicle.id == Inspection.vehicle_id)
        .outerjoin(Request, Request.id == Inspection.request_id)
        .outerjoin(Person, Person.id == Request.applicant_id)
        .outerjoin(inspector, inspector.id == Inspection.inspector_id)
        .where(Inspection.id == inspection_id, Inspection.authority == authority)
    ).one_or_none()
    if found is None:
        raise NotFound
    row, vehicle, holder, number, request_state, by = found
    marked = dict(row.items)
    regime = next((each for each in desk.regimes_of(authority) if each.code == row.regime), None)
    dossier = dossier_of(session, desk, row, row.done_at or at) if regime else None
    items = (
        _items(session, desk, regime, dossier, authority)
        if regime and dossier
        else tuple(ChecklistItem(code, code.replace("_", " "), "", "") for code in marked)
    )
    lines = tuple(_item_line(item, marked.get(item.code, {})) for item in items)
    zone = desk.authority(authority).zone
    can_record = regime is not None and row.state == "marcada" and request_state not in ENDED
    complete = can_record and all(line.result for line in lines)
    return InspectionPage(
        id=row.id,
        version=row.version,
        regime=row.regime,
        state=row.state,
        state_label=STATE_LABELS[row.state],
        scheduled_at=row.scheduled_at.astimezone(zone) if row.scheduled_at else None,
        place=row.place,
        vehicle_id=vehicle.id,
        plate=vehicle.plate,
        vehicle=_named(vehicle),
        holder=holder or "",
        request_id=row.request_id,
        request_number=number or "",
        items=lines,
        can_record=can_record,
        inspector=by or "",
        done_at=row.done_at.astimezone(zone) if row.done_at else None,
        done_on=row.done_on,
        seal=row.seal or "",
        valid_until=row.valid_until,
        reasons=reasons_of(session, row) if row.state == "reprovada" else (),
        notes=row.notes,
        outlook=inspection_outlook(session, desk, authority, regime, dossier)
        if complete and regime and dossier
        else None,
        unavailable=regime is None,
    )


def _item_line(item: ChecklistItem, marked: Mapping[str, Any]) -> ItemLine:
    return ItemLine(item, marked.get("result", ""), marked.get("reason", ""), tuple(marked.get("photos", ())))


def items_of(session: Session, desk: Desk, row: Inspection, at: datetime) -> tuple[ChecklistItem, ...]:
    """The regime's checklist for an inspection as of an instant. Raises RuleDown."""
    regime = desk.regime_of(row.authority, row.regime)
    return _items(session, desk, regime, dossier_of(session, desk, row, at), row.authority)


def _items(session: Session, desk: Desk, regime: Regime, dossier: Dossier, authority: str) -> tuple[ChecklistItem, ...]:
    law = desk.law(session, authority, regime.plugin)
    with rule_down(regime), guarded(regime.plugin, "checklist"):
        return tuple(regime.inspection.items(dossier, law))


def reasons_of(session: Session, row: Inspection) -> tuple[str, ...]:
    """Why an inspection failed, from its stored verdicts."""
    stored = session.scalars(
        select(StoredVerdict)
        .where(StoredVerdict.subject == "inspection", StoredVerdict.subject_id == row.id)
        .order_by(StoredVerdict.id)
    )
    return tuple(
        ground["text"]
        for verdict in stored
        if verdict.outcome != "allow"
        for ground in verdict.grounds
        if ground["holds"] is False
    )


def _named(vehicle: Vehicle) -> str:
    parts = (vehicle.make, vehicle.model, str(vehicle.year_made or ""), vehicle.colour)
    return " ".join(part for part in parts if part)
