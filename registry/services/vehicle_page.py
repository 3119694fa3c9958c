"""What the page of a vehicle shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from registry.domain.identifiers import format_plate, parse_plate
from registry.domain.occasion import Occasion
from registry.services.desk import Desk
from registry.services.people import PersonRef, ref_of
from registry.services.people_page import RequestLine, request_line
from registry.services.restrictions import RestrictionLine, restriction_line
from registry.services.status import RegimeAnswer, answers
from registry.services.timeline import Happening, timeline
from registry.services.vehicles import vehicle_of
from registry.store.inspections import Inspection
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.requests import Request
from registry.store.vehicles import Restriction

_MOST = 50


@dataclass(frozen=True)
class HolderLine:
    """A permit that has or had the vehicle, days included; ``holder`` None = not yet known."""

    permit_id: int
    regime: str
    regime_label: str
    label: str
    number: str
    holder: PersonRef | None
    since: date
    until: date | None
    current: bool


@dataclass(frozen=True)
class InspectionLine:
    """An inspection of the vehicle; ``at`` is the booked instant."""

    id: int
    regime: str
    state: str
    at: datetime | None
    done_on: date | None
    seal: str
    valid_until: date | None


@dataclass(frozen=True)
class VehiclePage:
    """A vehicle with its holders over time. ``answers`` is what the public sees now."""

    id: int
    version: int
    plate: str
    twin: str
    renavam: str
    type: str
    type_label: str
    make: str
    model: str
    year_made: int | None
    first_registered_on: date | None
    doors: int | None
    seats: int | None
    colour: str
    fuel: str
    ended: bool
    answers: tuple[RegimeAnswer, ...]
    holders: tuple[HolderLine, ...]
    inspections: tuple[InspectionLine, ...]
    restrictions: tuple[RestrictionLine, ...]
    requests: tuple[RequestLine, ...]
    history: tuple[Happening, ...]


def vehicle_page(session: Session, desk: Desk, occasion: Occasion, vehicle_id: int) -> VehiclePage:
    """The page of a vehicle as of the occasion's instant. Raises :class:`NotFound` (another authority's too)."""
    authority = occasion.authority
    vehicle = vehicle_of(session, authority, vehicle_id)
    plate = parse_plate(vehicle.plate)
    types = {choice.code: choice.label for regime in desk.regimes_of(authority) for choice in regime.vehicle_types}
    holders = _holders(session, desk, authority, vehicle_id, occasion.on)
    return VehiclePage(
        id=vehicle.id,
        version=vehicle.version,
        plate=plate.pretty,
        twin=format_plate(plate.twin) if plate.twin else "",
        renavam=vehicle.renavam,
        type=vehicle.type,
        type_label=types.get(vehicle.type, vehicle.type),
        make=vehicle.make,
        model=vehicle.model,
        year_made=vehicle.year_made,
        first_registered_on=vehicle.first_registered_on,
        doors=vehicle.doors,
        seats=vehicle.seats,
        colour=vehicle.colour,
        fuel=vehicle.fuel,
        ended=vehicle.ended_at is not None,
        answers=tuple(each for each in answers(session, desk, plate.text, occasion.at) if each.authority == authority),
        holders=holders,
        inspections=_inspections(session, authority, vehicle_id),
        restrictions=_restrictions(session, authority, vehicle_id, holders, occasion.on),
        requests=_requests(session, desk, authority, vehicle_id),
        history=timeline(session, authority, [("vehicle", vehicle_id)]),
    )


def _holders(session: Session, desk: Desk, authority: str, vehicle_id: int, on: date) -> tuple[HolderLine, ...]:
    statement = (
        select(PermitVehicle, Permit, Person)
        .join(Permit, Permit.id == PermitVehicle.permit_id)
        .outerjoin(Person, Person.id == Permit.holder_id)
        .where(Permit.authority == authority, PermitVehicle.vehicle_id == vehicle_id)
        .order_by(PermitVehicle.since.desc(), PermitVehicle.id.desc())
    )
    lines = []
    for under, permit, holder in session.execute(statement):
        regime = desk.host.regimes.get(permit.regime)
        under_now = under.since <= on and (under.until is None or on <= under.until)
        lines.append(
            HolderLine(
                permit_id=permit.id,
                regime=permit.regime,
                regime_label=regime.short_label if regime else "",
                label=regime.permit_label if regime else "Outorga",
                number=permit.number,
                holder=ref_of(holder) if holder is not None else None,
                since=under.since,
                until=under.until,
                current=under_now and (permit.ended_on is None or on < permit.ended_on),
            )
        )
    return tuple(lines)


def _inspections(session: Session, authority: str, vehicle_id: int) -> tuple[InspectionLine, ...]:
    statement = (
        select(Inspection)
        .where(Inspection.authority == authority, Inspection.vehicle_id == vehicle_id)
        .order_by(Inspection.id.desc())
        .limit(_MOST)
    )
    return tuple(
        InspectionLine(
            each.id, each.regime, each.state, each.scheduled_at, each.done_on, each.seal or "", each.valid_until
        )
        for each in session.scalars(statement)
    )


def _restrictions(
    session: Session, authority: str, vehicle_id: int, holders: tuple[HolderLine, ...], on: date
) -> tuple[RestrictionLine, ...]:
    """The bars on the vehicle, and on the permits that have it now."""
    permits = [each.permit_id for each in holders if each.current]
    statement = (
        select(Restriction)
        .where(
            Restriction.authority == authority,
            Restriction.voided_at.is_(None),
            or_(Restriction.vehicle_id == vehicle_id, Restriction.permit_id.in_(permits)),
        )
        .order_by(Restriction.since.desc(), Restriction.id.desc())
    )
    return tuple(restriction_line(bar, on) for bar in session.scalars(statement))


def _requests(session: Session, desk: Desk, authority: str, vehicle_id: int) -> tuple[RequestLine, ...]:
    statement = (
        select(Request.id, Request.number, Request.regime, Request.kind, Request.shown, Request.opened_at)
        .where(Request.authority == authority, Request.vehicle_id == vehicle_id)
        .order_by(Request.id.desc())
        .limit(_MOST)
    )
    return tuple(request_line(desk, row) for row in session.execute(statement))
