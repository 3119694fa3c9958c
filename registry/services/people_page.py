"""What the page of a person, company or cooperative shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session, aliased

from registry.domain.identifiers import check_cnh, format_plate
from registry.domain.occasion import Occasion
from registry.domain.text import format_money
from registry.domain.workflow import SHOWN_LABELS
from registry.services.charge_pages import ChargeLine, charges_of_person
from registry.services.desk import Desk
from registry.services.people import PersonRef, person_of, printed_document
from registry.services.timeline import Happening, timeline
from registry.store.people import Membership, Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.requests import Request
from registry.store.vehicles import Vehicle

KIND_LABELS = {"natural": "Pessoa física", "company": "Empresa", "cooperative": "Cooperativa"}
_MOST = 50


@dataclass(frozen=True)
class MembershipLine:
    """A membership seen from either side: the other party, days included, ``until`` None = still."""

    id: int
    other: PersonRef
    since: date
    until: date | None
    current: bool


@dataclass(frozen=True)
class PermitLine:
    """A permit of the person with the plates under it today. ``regime_label`` is "" when the regime is not loaded."""

    id: int
    regime: str
    regime_label: str
    label: str
    number: str
    category: str
    granted_on: date
    ended_on: date | None
    live: bool
    plates: tuple[str, ...]


@dataclass(frozen=True)
class RequestLine:
    """A request of the person."""

    id: int
    number: str
    kind_label: str
    shown: str
    shown_label: str
    opened_at: datetime


@dataclass(frozen=True)
class PersonPage:
    """A person with everything in the registry. ``markers`` are standing facts that change what may be done.

    ``cnh_doubtful`` = the number's sum fails and a clerk confirmed it. ``overdue`` is in reais, on the day.
    """

    id: int
    version: int
    kind: str
    kind_label: str
    name: str
    document: str
    born_on: date | None
    nationality: str
    sex: str
    cnh: str
    cnh_confirmed: bool
    cnh_doubtful: bool
    phone: str
    email: str
    address: str
    ended: bool
    markers: tuple[str, ...]
    overdue: Decimal
    members: tuple[MembershipLine, ...]
    cooperatives: tuple[MembershipLine, ...]
    permits: tuple[PermitLine, ...]
    requests: tuple[RequestLine, ...]
    charges: tuple[ChargeLine, ...]
    history: tuple[Happening, ...]


def person_page(session: Session, desk: Desk, occasion: Occasion, person_id: int) -> PersonPage:
    """The page of a person as of the occasion's day. Raises :class:`NotFound` (another authority's too)."""
    authority, on = occasion.authority, occasion.on
    person = person_of(session, authority, person_id)
    members, cooperatives = _memberships(session, authority, person, on)
    charges = charges_of_person(session, desk, authority, person_id, on)
    overdue = sum((each.left for each in charges if each.state == "vencido" and each.left), Decimal(0))
    unknown = [each for each in charges if each.state == "vencido" and each.left is None]
    markers = [f"Débito vencido de {format_money(overdue)}."] if overdue else []
    markers += ["Há débito vencido sem valor em vigor."] if unknown else []
    markers += ["Este cadastro foi encerrado."] if person.ended_at is not None else []
    return PersonPage(
        id=person.id,
        version=person.version,
        kind=person.kind,
        kind_label=KIND_LABELS.get(person.kind, person.kind),
        name=person.name,
        document=printed_document(person.kind, person.document),
        born_on=person.born_on,
        nationality=person.nationality,
        sex=person.sex,
        cnh=person.cnh,
        cnh_confirmed=person.cnh_confirmed,
        cnh_doubtful=bool(person.cnh) and not check_cnh(person.cnh).sum_ok,
        phone=person.phone,
        email=person.email,
        address=person.address,
        ended=person.ended_at is not None,
        markers=tuple(markers),
        overdue=overdue,
        members=members,
        cooperatives=cooperatives,
        permits=_permits(session, desk, authority, person_id, on),
        requests=_requests(session, desk, authority, person_id),
        charges=charges,
        history=timeline(session, authority, [("person", person_id)]),
    )


def _memberships(
    session: Session, authority: str, person: Person, on: date
) -> tuple[tuple[MembershipLine, ...], tuple[MembershipLine, ...]]:
    """Those of a cooperative, and those that the person belongs to, in one query."""
    cooperative, member = aliased(Person), aliased(Person)
    statement = (
        select(Membership, cooperative, member)
        .join(cooperative, cooperative.id == Membership.cooperative_id)
        .join(member, member.id == Membership.member_id)
        .where(
            cooperative.authority == authority,
            or_(Membership.cooperative_id == person.id, Membership.member_id == person.id),
        )
        .order_by(Membership.until.is_not(None), member.name_folded, Membership.id)
    )
    of_coop: list[MembershipLine] = []
    of_member: list[MembershipLine] = []
    for row, coop, who in session.execute(statement):
        other, lines = (who, of_coop) if row.cooperative_id == person.id else (coop, of_member)
        ref = PersonRef(other.id, other.kind, other.name, printed_document(other.kind, other.document))
        current = row.since <= on and (row.until is None or on <= row.until)
        lines.append(MembershipLine(row.id, ref, row.since, row.until, current))
    return tuple(of_coop), tuple(of_member)


def _permits(session: Session, desk: Desk, authority: str, person_id: int, on: date) -> tuple[PermitLine, ...]:
    statement = (
        select(Permit, PermitVehicle, Vehicle.plate)
        .outerjoin(PermitVehicle, PermitVehicle.permit_id == Permit.id)
        .outerjoin(Vehicle, Vehicle.id == PermitVehicle.vehicle_id)
        .where(Permit.authority == authority, Permit.holder_id == person_id)
        .order_by(Permit.granted_on.desc(), Permit.id.desc(), Vehicle.plate)
    )
    permits: dict[int, Permit] = {}
    plates: dict[int, list[str]] = {}
    for permit, under, plate in session.execute(statement):
        permits[permit.id] = permit
        if under is not None and under.since <= on and (under.until is None or on <= under.until):
            plates.setdefault(permit.id, []).append(format_plate(plate))
    return tuple(_permit_line(desk, permit, tuple(plates.get(permit.id, ())), on) for permit in permits.values())


def _permit_line(desk: Desk, permit: Permit, plates: tuple[str, ...], on: date) -> PermitLine:
    regime = desk.host.regimes.get(permit.regime)
    categories = {each.code: each.label for each in regime.categories} if regime else {}
    return PermitLine(
        id=permit.id,
        regime=permit.regime,
        regime_label=regime.short_label if regime else "",
        label=regime.permit_label if regime else "Outorga",
        number=permit.number,
        category=categories.get(permit.category, permit.category),
        granted_on=permit.granted_on,
        ended_on=permit.ended_on,
        live=permit.granted_on <= on and (permit.ended_on is None or on < permit.ended_on),
        plates=plates,
    )


def _requests(session: Session, desk: Desk, authority: str, person_id: int) -> tuple[RequestLine, ...]:
    statement = (
        select(Request.id, Request.number, Request.regime, Request.kind, Request.shown, Request.opened_at)
        .where(
            Request.authority == authority,
            or_(Request.applicant_id == person_id, Request.cooperative_id == person_id),
        )
        .order_by(Request.id.desc())
        .limit(_MOST)
    )
    return tuple(request_line(desk, row) for row in session.execute(statement))


def request_line(desk: Desk, row: Any) -> RequestLine:
    """A request as pages of people and vehicles list it, from a row with id, number, regime, kind, shown, opened_at."""
    regime = desk.host.regimes.get(row.regime)
    kinds = {each.code: each.label for each in regime.request_kinds} if regime else {}
    return RequestLine(
        id=row.id,
        number=row.number or "",
        kind_label=kinds.get(row.kind, row.kind),
        shown=row.shown,
        shown_label=SHOWN_LABELS.get(row.shown, row.shown),
        opened_at=row.opened_at,
    )
