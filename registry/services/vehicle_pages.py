"""What the page of a vehicle shows: what it is, what the public reads of it, who had it, its inspections and bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import cast

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from registry.domain.identifiers import Plate, parse_plate
from registry.services.desk import Desk
from registry.services.merging import MergeLine, with_merges
from registry.services.person_pages import HoldingState, RequestLine, request_line, state_of
from registry.services.plates import former_plates
from registry.services.registers import permit_label, regime_label
from registry.services.restrictions import RestrictionLine, restriction_line
from registry.services.status import RegimeAnswer, answers
from registry.services.timeline import Happening, timeline
from registry.services.vehicles import vehicle_types
from registry.store.corrections import ever_held
from registry.store.inspections import Inspection
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.requests import Request
from registry.store.vehicles import FormerPlate, Restriction, Vehicle

_MOST = 50


@dataclass(frozen=True)
class Holding:
    """One holder of the vehicle: under which permit, from ``since`` to its last day ``until``."""

    permit_id: int
    permit: str
    regime: str
    regime_label: str
    holder_id: int | None
    holder: str
    role: str
    since: date
    until: date | None
    state: HoldingState


@dataclass(frozen=True)
class InspectionLine:
    """An inspection of the vehicle; ``day`` is that on which it was made, else for which it is booked."""

    id: int
    state: str
    day: date | None
    place: str
    seal: str
    valid_until: date | None
    expired: bool
    photos: int


@dataclass(frozen=True)
class BarLine:
    """A bar on the vehicle or on one of its permits (``permit`` names it, "" = the vehicle itself)."""

    bar: RestrictionLine
    regime_label: str
    permit_id: int | None
    permit: str


@dataclass(frozen=True)
class VehiclePage:
    """A vehicle with everything about it, as of an instant. ``answers`` are what the public reads of this authority's
    regimes; empty when no permit has it.
    """

    vehicle: Vehicle
    plate: Plate
    type_label: str
    answers: tuple[RegimeAnswer, ...]
    holdings: tuple[Holding, ...]
    inspections: tuple[InspectionLine, ...]
    bars: tuple[BarLine, ...]
    requests: tuple[RequestLine, ...]
    former: tuple[FormerPlate, ...]
    merges: tuple[MergeLine, ...]
    history: tuple[Happening, ...]

    @property
    def current(self) -> tuple[Holding, ...]:
        """The holders of now."""
        return tuple(each for each in self.holdings if each.state == "em_vigor")

    @property
    def bars_in_force(self) -> tuple[BarLine, ...]:
        """The bars that hold today."""
        return tuple(each for each in self.bars if each.bar.in_force)


def vehicle_page(session: Session, desk: Desk, authority: str, vehicle_id: int, at: datetime) -> VehiclePage:
    """The page of a vehicle as of an instant. Raises :class:`NotFound` for one of another authority."""
    row, merges = with_merges(session, authority, "vehicle", vehicle_id)
    vehicle = cast(Vehicle, row)
    on = at.astimezone(desk.authority(authority).zone).date()
    holdings = _holdings(session, desk, vehicle_id, on)
    bars = _bars(session, desk, vehicle_id, {each.permit_id: each.permit for each in holdings}, on)
    told = answers(session, desk, vehicle.plate, at) if holdings else ()
    return VehiclePage(
        vehicle=vehicle,
        plate=parse_plate(vehicle.plate),
        type_label=vehicle_types(desk, authority).get(vehicle.type, vehicle.type),
        answers=tuple(each for each in told if each.authority == authority),
        holdings=holdings,
        inspections=_inspections(session, desk, vehicle, on),
        bars=bars,
        requests=_requests(session, desk, authority, vehicle_id),
        former=former_plates(session, vehicle_id),
        merges=merges,
        history=timeline(session, authority, _subjects(vehicle_id, merges, holdings), _MOST),
    )


def _subjects(vehicle_id: int, merges: Sequence[MergeLine], holdings: Sequence[Holding]) -> list[tuple[str, int]]:
    """Whose history is the vehicle's: its own, that of the duplicates that it became, that of its permits."""
    own = [("vehicle", vehicle_id), *(("vehicle", line.gone_id) for line in merges)]
    return [*own, *sorted({("permit", each.permit_id) for each in holdings})]


def _holdings(session: Session, desk: Desk, vehicle_id: int, on: date) -> tuple[Holding, ...]:
    rows = session.execute(
        select(PermitVehicle, Permit, Person.name)
        .join(Permit, Permit.id == PermitVehicle.permit_id)
        .outerjoin(Person, Person.id == Permit.holder_id)
        .where(PermitVehicle.vehicle_id == vehicle_id, ever_held(PermitVehicle))
        .order_by(PermitVehicle.since.desc(), PermitVehicle.id.desc())
        .limit(_MOST)
    )
    return tuple(_holding(desk, under, permit, name, on) for under, permit, name in rows)


def _holding(desk: Desk, under: PermitVehicle, permit: Permit, holder: str | None, on: date) -> Holding:
    last_of_permit = permit.ended_on - timedelta(days=1) if permit.ended_on else None
    ends = [day for day in (under.until, last_of_permit) if day is not None]
    until = min(ends) if ends else None
    return Holding(
        permit_id=permit.id,
        permit=permit_label(desk, permit.regime, permit.number),
        regime=permit.regime,
        regime_label=regime_label(desk, permit.regime),
        holder_id=permit.holder_id,
        holder=holder or "",
        role=under.role,
        since=under.since,
        until=until,
        state=state_of(max(under.since, permit.granted_on), until + timedelta(days=1) if until else None, on),
    )


def _inspections(session: Session, desk: Desk, vehicle: Vehicle, on: date) -> tuple[InspectionLine, ...]:
    zone = desk.authority(vehicle.authority).zone
    rows = session.scalars(
        select(Inspection)
        .where(Inspection.vehicle_id == vehicle.id, Inspection.state != "cancelada")
        .order_by(Inspection.id.desc())
        .limit(_MOST)
    )
    return tuple(
        InspectionLine(
            id=row.id,
            state=row.state,
            day=row.done_on or (row.scheduled_at.astimezone(zone).date() if row.scheduled_at else None),
            place=row.place,
            seal=row.seal or "",
            valid_until=row.valid_until,
            expired=row.valid_until is not None and row.valid_until < on,
            photos=sum(len(item.get("photos", ())) for item in (row.items or {}).values()),
        )
        for row in rows
    )


def _bars(session: Session, desk: Desk, vehicle_id: int, permits: Mapping[int, str], on: date) -> tuple[BarLine, ...]:
    rows = session.scalars(
        select(Restriction)
        .where(
            Restriction.voided_at.is_(None),
            or_(Restriction.vehicle_id == vehicle_id, Restriction.permit_id.in_(list(permits))),
        )
        .order_by(Restriction.since.desc(), Restriction.id.desc())
        .limit(_MOST)
    )
    return tuple(
        BarLine(
            restriction_line(bar, on),
            regime_label(desk, bar.regime),
            bar.permit_id,
            permits.get(bar.permit_id or 0, ""),
        )
        for bar in rows
    )


def _requests(session: Session, desk: Desk, authority: str, vehicle_id: int) -> tuple[RequestLine, ...]:
    rows = session.scalars(
        select(Request)
        .where(Request.authority == authority, Request.vehicle_id == vehicle_id)
        .order_by(Request.id.desc())
        .limit(_MOST)
    )
    return tuple(request_line(desk, request, "") for request in rows)
