"""What stands in the way of making two records one: permits, memberships and vehicles that may not be double."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from itertools import product

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from registry.domain.identifiers import format_plate
from registry.services.desk import Desk
from registry.services.registers import permit_label, regime_label
from registry.store.people import Membership, Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.vehicles import Vehicle

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Span:
    """Days from ``since`` to ``until``, both included; None = open."""

    since: date
    until: date | None

    def meets(self, other: Span, on: date) -> bool:
        """Whether both hold on some day from ``on`` on."""
        first = max(self.since, other.since, on)
        return all(each.until is None or first <= each.until for each in (self, other))


def of_persons(session: Session, desk: Desk, kept: Person, gone: Person, on: date) -> str:
    """The sentence that refuses the merge of two persons as of a day; "" when nothing stands in its way."""
    if kept.kind != gone.kind:
        return "Um cadastro é de pessoa física e o outro é de empresa ou cooperativa: não são a mesma pessoa."
    return _two_permits(session, desk, kept, gone, on) or _double_membership(session, kept, gone, on)


def of_vehicles(session: Session, desk: Desk, kept: Vehicle, gone: Vehicle, on: date) -> str:
    """The sentence that refuses the merge of two vehicles as of a day; "" when nothing stands in its way."""
    rows = session.execute(
        select(PermitVehicle, Permit)
        .join(Permit, Permit.id == PermitVehicle.permit_id)
        .where(PermitVehicle.vehicle_id.in_((kept.id, gone.id)))
        .order_by(PermitVehicle.id)
    ).all()
    ours = [(under, permit) for under, permit in rows if under.vehicle_id == kept.id]
    theirs = [(under, permit) for under, permit in rows if under.vehicle_id == gone.id]
    for (under, permit), (other_under, other) in product(ours, theirs):
        if not held_days(under, permit).meets(held_days(other_under, other), on):
            continue
        here, there = permit_label(desk, permit.regime, permit.number), permit_label(desk, other.regime, other.number)
        if permit.id == other.id:
            return f"Os dois veículos estão na {here}. Retifique a inclusão de um deles na outorga e junte depois."
        if permit.regime == other.regime or permit.holder_id != other.holder_id:
            return (
                f"A placa {format_plate(kept.plate)} está na {here} e a placa {format_plate(gone.plate)} na {there}. "
                "Um veículo não fica em duas outorgas: retifique ou encerre uma delas e junte depois."
            )
    return ""


def held_days(under: PermitVehicle, permit: Permit) -> Span:
    """The days on which a permit has a vehicle."""
    ends = [day for day in (under.until, permit.ended_on - _DAY if permit.ended_on else None) if day is not None]
    return Span(max(under.since, permit.granted_on), min(ends) if ends else None)


def _two_permits(session: Session, desk: Desk, kept: Person, gone: Person, on: date) -> str:
    """Two live permits of one regime would fall to one natural person; an organisation may hold several."""
    if kept.kind != "natural":
        return ""
    rows = session.execute(
        select(Permit.holder_id, Permit.regime, Permit.number)
        .where(
            Permit.holder_id.in_((kept.id, gone.id)),
            or_(Permit.ended_on.is_(None), Permit.ended_on > on),
        )
        .order_by(Permit.id)
    ).all()
    held = {row.regime: row.number for row in rows if row.holder_id == kept.id}
    for row in rows:
        if row.holder_id == gone.id and row.regime in held:
            return (
                f"Cada cadastro tem uma outorga em {regime_label(desk, row.regime)}: nº {held[row.regime]} e "
                f"nº {row.number}. Encerre uma delas e junte depois."
            )
    return ""


def _double_membership(session: Session, kept: Person, gone: Person, on: date) -> str:
    both = (kept.id, gone.id)
    rows = session.execute(
        select(Membership, Person.name)
        .join(Person, Person.id == (Membership.member_id if kept.kind == "cooperative" else Membership.cooperative_id))
        .where(or_(Membership.cooperative_id.in_(both), Membership.member_id.in_(both)))
        .order_by(Membership.id)
    ).all()
    ours = [(row, name) for row, name in rows if kept.id in (row.cooperative_id, row.member_id)]
    theirs = [row for row, _ in rows if gone.id in (row.cooperative_id, row.member_id)]
    for (mine, name), other in product(ours, theirs):
        shared = {mine.cooperative_id, mine.member_id} & {other.cooperative_id, other.member_id}
        if shared and Span(mine.since, mine.until).meets(Span(other.since, other.until), on):
            return f"Os dois cadastros têm vínculo com {name}. Retifique um dos vínculos e junte depois."
    return ""
