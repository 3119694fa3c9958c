"""What the page of a person, company or cooperative shows: who it is, what it has, what it owes, what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, cast

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session, aliased

from registry.services.amounts import sum_known
from registry.services.charges import ChargeLine, charges_of_person
from registry.services.desk import Desk
from registry.services.errors import RuleDown
from registry.services.merging import MergeLine, with_merges
from registry.services.people import printed_document
from registry.services.registers import category_label, described, permit_label, regime_label
from registry.services.restrictions import RestrictionLine, restriction_line
from registry.services.timeline import Happening, timeline
from registry.store.corrections import ever_held
from registry.store.people import Membership, Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.requests import Request
from registry.store.vehicles import Restriction, Vehicle

MOST_MEMBERS = 200
_MOST = 50
_MOST_HELD = 200
HoldingState = Literal["em_vigor", "futura", "encerrada"]


@dataclass(frozen=True)
class MemberLine:
    """A membership seen from its cooperative (``person`` is the member) or from its member (the cooperative)."""

    id: int
    person_id: int
    person: str
    document: str
    since: date
    until: date | None
    current: bool


@dataclass(frozen=True)
class HeldPermit:
    """A permit of the person; ``through`` names the holder when the person is the cooperative behind it."""

    id: int
    label: str
    regime_label: str
    category: str
    granted_on: date
    granted_on_known: bool
    ended_on: date | None
    state: HoldingState
    through: str


@dataclass(frozen=True)
class HeldVehicle:
    """A vehicle under one of the permits; ``until`` is its last day there."""

    vehicle_id: int
    plate: str
    description: str
    permit_id: int
    permit: str
    since: date
    until: date | None
    current: bool


@dataclass(frozen=True)
class RequestLine:
    """A request of the person; ``number`` is "" for a draft, ``shown`` the state that lists show."""

    id: int
    number: str
    label: str
    shown: str
    plate: str
    opened_at: datetime


@dataclass(frozen=True)
class Debts:
    """What is owed on the day, in reais; ``unknown`` = a charge has no amount today, or its rule did not answer.

    ``overdue`` is None where one of the overdue charges has no amount today.
    """

    overdue: Decimal | None = Decimal(0)
    open: Decimal = Decimal(0)
    overdue_count: int = 0
    open_count: int = 0
    unknown: bool = False


@dataclass(frozen=True)
class PersonPage:
    """A person, company or cooperative with everything under it, as of a day.

    ``charges`` is None when a rule did not answer; ``bars`` are in force, each with the name of what it bars.
    """

    person: Person
    printed: str
    members: tuple[MemberLine, ...]
    cooperatives: tuple[MemberLine, ...]
    permits: tuple[HeldPermit, ...]
    vehicles: tuple[HeldVehicle, ...]
    bars: tuple[tuple[RestrictionLine, str], ...]
    charges: tuple[ChargeLine, ...] | None
    debts: Debts
    requests: tuple[RequestLine, ...]
    merges: tuple[MergeLine, ...]
    history: tuple[Happening, ...]


def person_page(session: Session, desk: Desk, authority: str, person_id: int, on: date) -> PersonPage:
    """The page of a person as of a day. Raises :class:`NotFound` for one of another authority."""
    person, merges = _person(session, authority, person_id)
    permits, vehicles = _holdings(session, desk, person, on)
    charges = _charges(session, desk, authority, person_id, on)
    requests = _requests(session, desk, authority, person_id)
    memberships = _memberships(session, person_id, on)
    people = [("person", each) for each in (person_id, *(line.gone_id for line in merges))]
    subjects = [*people, *(("permit", permit.id) for permit in permits)]
    return PersonPage(
        person=person,
        printed=printed_document(person.kind, person.document),
        members=tuple(line for whose, line in memberships if whose == person_id),
        cooperatives=tuple(line for whose, line in memberships if whose != person_id),
        permits=permits,
        vehicles=vehicles,
        bars=_bars(session, permits, vehicles, on),
        charges=charges,
        debts=_debts(charges),
        requests=requests,
        merges=merges,
        history=timeline(session, authority, [*subjects, *(("request", each.id) for each in requests)], _MOST),
    )


def _person(session: Session, authority: str, person_id: int) -> tuple[Person, tuple[MergeLine, ...]]:
    row, merges = with_merges(session, authority, "person", person_id)
    return cast(Person, row), merges


def _memberships(session: Session, person_id: int, on: date) -> list[tuple[int, MemberLine]]:
    """Each membership of a cooperative or member, with the cooperative's id; current ones first, then by name."""
    cooperative, member = aliased(Person), aliased(Person)
    rows = session.execute(
        select(Membership, cooperative.name, cooperative.document, member.name, member.document)
        .join(cooperative, cooperative.id == Membership.cooperative_id)
        .join(member, member.id == Membership.member_id)
        .where(or_(Membership.cooperative_id == person_id, Membership.member_id == person_id), ever_held(Membership))
        .order_by(Membership.until.is_not(None), member.name_folded, Membership.since.desc())
        .limit(MOST_MEMBERS)
    )
    found = []
    for row, coop_name, coop_document, member_name, member_document in rows:
        of_cooperative = row.cooperative_id == person_id
        line = MemberLine(
            id=row.id,
            person_id=row.member_id if of_cooperative else row.cooperative_id,
            person=member_name if of_cooperative else coop_name,
            document=printed_document("natural", member_document)
            if of_cooperative
            else printed_document("cooperative", coop_document),
            since=row.since,
            until=row.until,
            current=row.since <= on and (row.until is None or on <= row.until),
        )
        found.append((row.cooperative_id, line))
    return found


def _holdings(
    session: Session, desk: Desk, person: Person, on: date
) -> tuple[tuple[HeldPermit, ...], tuple[HeldVehicle, ...]]:
    """The permits of the person, as holder or as the cooperative behind it, and the vehicles that they have or had."""
    holder = aliased(Person)
    rows = session.execute(
        select(Permit, holder.name, PermitVehicle, Vehicle)
        .outerjoin(holder, holder.id == Permit.holder_id)
        .outerjoin(PermitVehicle, and_(PermitVehicle.permit_id == Permit.id, ever_held(PermitVehicle)))
        .outerjoin(Vehicle, Vehicle.id == PermitVehicle.vehicle_id)
        .where(
            Permit.authority == person.authority,
            or_(Permit.holder_id == person.id, Permit.cooperative_id == person.id),
        )
        .order_by(
            Permit.ended_on.is_not(None),
            Permit.granted_on.desc(),
            Permit.id.desc(),
            PermitVehicle.until.is_not(None),
            PermitVehicle.since.desc(),
            PermitVehicle.id.desc(),
        )
        .limit(_MOST_HELD)
    ).all()
    permits: dict[int, HeldPermit] = {}
    vehicles = []
    for permit, name, under, vehicle in rows:
        if permit.id not in permits:
            permits[permit.id] = _permit(desk, permit, "" if permit.holder_id == person.id else name or "", on)
        if vehicle is not None:
            vehicles.append(_vehicle(permits[permit.id], under, vehicle, on))
    return tuple(permits.values()), tuple(sorted(vehicles, key=lambda each: not each.current))


def _permit(desk: Desk, permit: Permit, through: str, on: date) -> HeldPermit:
    return HeldPermit(
        id=permit.id,
        label=permit_label(desk, permit.regime, permit.number),
        regime_label=regime_label(desk, permit.regime),
        category=category_label(desk, permit.regime, permit.category),
        granted_on=permit.granted_on,
        granted_on_known=permit.granted_on_known,
        ended_on=permit.ended_on,
        state=state_of(permit.granted_on, permit.ended_on, on),
        through=through,
    )


def _vehicle(permit: HeldPermit, under: PermitVehicle, vehicle: Vehicle, on: date) -> HeldVehicle:
    holds = under.since <= on and (under.until is None or on <= under.until)
    return HeldVehicle(
        vehicle_id=vehicle.id,
        plate=vehicle.plate,
        description=described(vehicle),
        permit_id=permit.id,
        permit=permit.label,
        since=under.since,
        until=under.until,
        current=permit.state == "em_vigor" and holds,
    )


def state_of(since: date, ended_on: date | None, on: date) -> HoldingState:
    """Whether something holds on a day: it begins on ``since``, ``ended_on`` is its first day without effect."""
    if ended_on is not None and ended_on <= on:
        return "encerrada"
    return "futura" if since > on else "em_vigor"


def _bars(
    session: Session, permits: Sequence[HeldPermit], vehicles: Sequence[HeldVehicle], on: date
) -> tuple[tuple[RestrictionLine, str], ...]:
    """The bars in force on the person's permits and on the vehicles now under them, each with what it bars."""
    named: dict[tuple[str, int], str] = {("permit", each.id): each.label for each in permits}
    named |= {("vehicle", each.vehicle_id): f"veículo {each.plate}" for each in vehicles if each.current}
    if not named:
        return ()
    rows = session.scalars(
        select(Restriction)
        .where(
            Restriction.voided_at.is_(None),
            Restriction.since <= on,
            or_(Restriction.until.is_(None), Restriction.until >= on),
            or_(
                Restriction.permit_id.in_([key for noun, key in named if noun == "permit"]),
                Restriction.vehicle_id.in_([key for noun, key in named if noun == "vehicle"]),
            ),
        )
        .order_by(Restriction.since)
    )
    return tuple((restriction_line(bar, on), named[_barred(bar)]) for bar in rows)


def _barred(bar: Restriction) -> tuple[str, int]:
    return ("permit", bar.permit_id) if bar.permit_id is not None else ("vehicle", bar.vehicle_id or 0)


def _charges(session: Session, desk: Desk, authority: str, person_id: int, on: date) -> tuple[ChargeLine, ...] | None:
    try:
        return charges_of_person(session, desk, authority, person_id, on)
    except RuleDown:
        return None


def _debts(charges: Sequence[ChargeLine] | None) -> Debts:
    if charges is None:
        return Debts(unknown=True)
    late = [each for each in charges if each.state == "vencido"]
    due = [each for each in charges if each.state in ("em_aberto", "vencido")]
    return Debts(
        overdue=sum_known(each.left for each in late),
        open=sum((each.left or Decimal(0) for each in due), Decimal(0)),
        overdue_count=len(late),
        open_count=len(due),
        unknown=any(each.left is None for each in due),
    )


def _requests(session: Session, desk: Desk, authority: str, person_id: int) -> tuple[RequestLine, ...]:
    rows = session.execute(
        select(Request, Vehicle.plate)
        .outerjoin(Vehicle, Vehicle.id == Request.vehicle_id)
        .where(
            Request.authority == authority,
            or_(Request.applicant_id == person_id, Request.cooperative_id == person_id),
        )
        .order_by(Request.id.desc())
        .limit(_MOST)
    )
    return tuple(request_line(desk, request, plate) for request, plate in rows)


def request_line(desk: Desk, request: Any, plate: str | None) -> RequestLine:
    """A request as pages of other records list it."""
    regime = desk.host.regimes.get(request.regime)
    kinds = {each.code: each.label for each in regime.request_kinds} if regime else {}
    return RequestLine(
        id=request.id,
        number=request.number or "",
        label=kinds.get(request.kind, request.kind),
        shown=request.shown,
        plate=plate or "",
        opened_at=request.opened_at,
    )
