"""The rows behind dossiers, read for many subjects at once: the number of queries does not grow with the subjects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Select, and_, bindparam, func, or_, select
from sqlalchemy.orm import Session, aliased

from registry.store.access import User
from registry.store.charges import Charge, Posting
from registry.store.corrections import ever_held
from registry.store.inspections import Inspection
from registry.store.people import Person
from registry.store.permits import Licence, Permit, PermitVehicle
from registry.store.requests import Decision, Request, RequestDocument, StoredFile, Wait
from registry.store.vehicles import FormerPlate, Restriction, Vehicle

_BATCH = 400
_FRESH = {"populate_existing": True}


@dataclass(frozen=True)
class ChargeRow:
    """A charge with what was paid on it: amount in reais and the day of the last payment that stands.

    ``left`` is what is still owed of an open one on the dossier's day, in reais; None = not known.
    """

    charge: Charge
    paid: Decimal
    paid_on: date | None
    left: Decimal | None = None

    @property
    def settled(self) -> bool:
        """Whether it was paid in full."""
        return self.charge.settled_at is not None and self.paid_on is not None


@dataclass
class Rows:
    """Everything read, by id; lists are in the order of time."""

    persons: dict[int, Person] = field(default_factory=dict)
    vehicles: dict[int, Vehicle] = field(default_factory=dict)
    former: dict[int, list[FormerPlate]] = field(default_factory=lambda: defaultdict(list))
    permits: dict[int, Permit] = field(default_factory=dict)
    under: dict[int, list[PermitVehicle]] = field(default_factory=lambda: defaultdict(list))
    licences: dict[int, list[Licence]] = field(default_factory=lambda: defaultdict(list))
    inspections: dict[int, list[Inspection]] = field(default_factory=lambda: defaultdict(list))
    restrictions: list[Restriction] = field(default_factory=list)
    charges: dict[int, list[ChargeRow]] = field(default_factory=lambda: defaultdict(list))
    documents: list[tuple[RequestDocument, StoredFile | None]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def plate_on(self, vehicle_id: int, on: date) -> tuple[str, str]:
        """The plate of a vehicle on a day, with its key, where its former plates were read."""
        held = next((each for each in self.former.get(vehicle_id, []) if on <= each.until), None)
        had = held or self.vehicles[vehicle_id]
        return had.plate, had.plate_key

    def plate_keys(self, vehicle_id: int) -> set[str]:
        """The keys of every plate that a vehicle has or had."""
        return {self.vehicles[vehicle_id].plate_key, *(each.plate_key for each in self.former.get(vehicle_id, []))}


@dataclass(frozen=True)
class RequestRow:
    """A request with the names that its page shows."""

    request: Request
    assigned_name: str
    decision: Decision | None
    decided_by: str
    waits: tuple[Wait, ...]


_applicant, _cooperative, _assigned, _decider = aliased(Person), aliased(Person), aliased(User), aliased(User)
_reversal = aliased(Posting)
_REQUEST = (
    select(Request, _applicant, _cooperative, Vehicle, _assigned.name, Decision, _decider.name, Wait)
    .outerjoin(_applicant, _applicant.id == Request.applicant_id)
    .outerjoin(_cooperative, _cooperative.id == Request.cooperative_id)
    .outerjoin(Vehicle, Vehicle.id == Request.vehicle_id)
    .outerjoin(_assigned, _assigned.id == Request.assigned_to)
    .outerjoin(Decision, Decision.request_id == Request.id)
    .outerjoin(_decider, _decider.id == Decision.user_id)
    .outerjoin(Wait, Wait.request_id == Request.id)
    .where(Request.id == bindparam("request_id"), Request.authority == bindparam("authority"))
    .order_by(Wait.id)
)


def read_request(session: Session, rows: Rows, authority: str, request_id: int) -> RequestRow | None:
    """The request with its applicant, cooperative, vehicle, holder of the file, decision and waits (oldest first);
    None when not there.
    """
    whose = {"request_id": request_id, "authority": authority}
    found = session.execute(_REQUEST, whose, execution_options=_FRESH).all()
    if not found:
        return None
    request, who, coop, vehicle, assigned_name, decision, decided_by, _ = found[0]
    waits = tuple(row[-1] for row in found if row[-1] is not None)
    rows.persons.update({person.id: person for person in (who, coop) if person is not None})
    if vehicle is not None:
        rows.vehicles[vehicle.id] = vehicle
    return RequestRow(request, assigned_name or "", decision, decided_by or "", waits)


def read_documents(session: Session, rows: Rows, request_id: int) -> None:
    """The documents of a request that no newer one replaced, oldest first, with their files."""
    statement = (
        select(RequestDocument, StoredFile)
        .outerjoin(StoredFile, StoredFile.id == RequestDocument.file_id)
        .where(RequestDocument.request_id == request_id, RequestDocument.replaced_at.is_(None))
        .order_by(RequestDocument.id)
    )
    rows.documents.extend((row[0], row[1]) for row in session.execute(statement, execution_options=_FRESH))


def read_persons(session: Session, rows: Rows, authority: str, ids: Iterable[int | None]) -> None:
    """The persons of these ids that are not yet read."""
    for batch in _batches(ids, rows.persons):
        statement = select(Person).where(Person.authority == authority, Person.id.in_(batch))
        rows.persons.update({person.id: person for person in _fresh(session, statement)})


def read_vehicles(session: Session, rows: Rows, authority: str, ids: Iterable[int | None]) -> None:
    """The vehicles of these ids that are not yet read."""
    for batch in _batches(ids, rows.vehicles):
        statement = select(Vehicle).where(Vehicle.authority == authority, Vehicle.id.in_(batch))
        rows.vehicles.update({vehicle.id: vehicle for vehicle in _fresh(session, statement)})


def read_former_plates(session: Session, rows: Rows, authority: str, ids: Iterable[int]) -> None:
    """The plates that these vehicles had before, each until the day before it changed, in the order of time."""
    for batch in _batches(ids, {}):
        statement = select(FormerPlate).where(FormerPlate.authority == authority, FormerPlate.vehicle_id.in_(batch))
        for former in _fresh(session, statement.order_by(FormerPlate.until, FormerPlate.id)):
            rows.former[former.vehicle_id].append(former)


def read_permits(
    session: Session, rows: Rows, authority: str, regime: str, permit_ids: Sequence[int], holder_ids: Sequence[int]
) -> None:
    """The permits of these ids and of these holders in one regime, with vehicles under them and licences."""
    for permits, holders in _pairs_of_batches(permit_ids, holder_ids):
        statement = (
            select(Permit, PermitVehicle, Vehicle, Licence)
            .outerjoin(PermitVehicle, PermitVehicle.permit_id == Permit.id)
            .outerjoin(Vehicle, Vehicle.id == PermitVehicle.vehicle_id)
            .outerjoin(Licence, and_(Licence.permit_id == Permit.id, Licence.vehicle_id == PermitVehicle.vehicle_id))
            .where(
                Permit.authority == authority,
                Permit.regime == regime,
                or_(Permit.id.in_(permits), Permit.holder_id.in_(holders)),
            )
            .order_by(
                Permit.granted_on, Permit.id, PermitVehicle.since, PermitVehicle.id, Licence.issued_on, Licence.id
            )
        )
        for permit, under, vehicle, licence in session.execute(statement, execution_options=_FRESH):
            rows.permits[permit.id] = permit
            if under is not None and under not in rows.under[permit.id]:
                rows.under[permit.id].append(under)
            if vehicle is not None:
                rows.vehicles[vehicle.id] = vehicle
            if licence is not None and licence not in rows.licences[permit.id]:
                rows.licences[permit.id].append(licence)


def read_inspections(session: Session, rows: Rows, authority: str, regime: str, vehicle_ids: Iterable[int]) -> None:
    """Every inspection of these vehicles in one regime, booked ones too."""
    for batch in _batches(vehicle_ids, {}):
        statement = (
            select(Inspection)
            .where(Inspection.authority == authority, Inspection.regime == regime, Inspection.vehicle_id.in_(batch))
            .order_by(Inspection.done_at, Inspection.id)
        )
        for inspection in _fresh(session, statement):
            rows.inspections[inspection.vehicle_id].append(inspection)


def read_restrictions(
    session: Session, rows: Rows, authority: str, regime: str, at: datetime, vehicle_ids: Sequence[int]
) -> None:
    """The bars on these vehicles and on the permits already read that no one had voided by ``at``."""
    for vehicles, permits in _pairs_of_batches(vehicle_ids, list(rows.permits)):
        statement = select(Restriction).where(
            Restriction.authority == authority,
            Restriction.regime.in_(("", regime)),
            or_(Restriction.voided_at.is_(None), Restriction.voided_at > at),
            or_(Restriction.vehicle_id.in_(vehicles), Restriction.permit_id.in_(permits)),
        )
        rows.restrictions.extend(_fresh(session, statement.order_by(Restriction.since, Restriction.id)))


def read_charges(
    session: Session, rows: Rows, authority: str, regime: str, at: datetime, debtor_ids: Iterable[int]
) -> None:
    """The charges of these debtors in one regime that were open or settled at ``at``, with what was paid by then."""
    for batch in _batches(debtor_ids, {}):
        statement = (
            select(Charge, Posting)
            .outerjoin(
                Posting,
                and_(
                    Posting.charge_id == Charge.id,
                    Posting.kind == "pagamento",
                    Posting.posted_at <= at,
                    ~select(_reversal.id).where(_reversal.reverses_id == Posting.id).exists(),
                ),
            )
            .where(
                Charge.authority == authority,
                Charge.regime == regime,
                Charge.debtor_id.in_(batch),
                Charge.opened_at <= at,
                or_(Charge.cancelled_at.is_(None), Charge.cancelled_at > at),
            )
            .order_by(Charge.id, Posting.id)
        )
        paid: dict[int, ChargeRow] = {}
        for charge, posting in session.execute(statement, execution_options=_FRESH):
            before = paid.get(charge.id, ChargeRow(charge, Decimal(0), None))
            paid[charge.id] = (
                before if posting is None else ChargeRow(charge, before.paid + posting.amount, posting.on_day)
            )
        for row in paid.values():
            rows.charges[row.charge.debtor_id].append(row)


def read_counts(session: Session, rows: Rows, authority: str, regime: str, on: date) -> None:
    """How many permits of the regime are live on a day, in all and by category."""
    statement = (
        select(Permit.category, func.count())
        .where(
            Permit.authority == authority,
            Permit.regime == regime,
            Permit.granted_on <= on,
            or_(Permit.ended_on.is_(None), Permit.ended_on > on),
        )
        .group_by(Permit.category)
    )
    by_category = {row[0]: int(row[1]) for row in session.execute(statement)}
    rows.counts.update({f"live_permits:{category}": number for category, number in by_category.items()})
    rows.counts["live_permits"] = sum(by_category.values())


def permits_holding(
    session: Session, authority: str, regime: str, on: date, vehicle_ids: Iterable[int]
) -> dict[int, int]:
    """For each vehicle the permit that has it on a day, else the last one that had it: vehicle id -> permit id."""
    found: dict[int, tuple[bool, date, int]] = {}
    for batch in _batches(vehicle_ids, {}):
        statement = (
            select(PermitVehicle.vehicle_id, Permit.id, Permit.ended_on, PermitVehicle.since, PermitVehicle.until)
            .join(Permit, Permit.id == PermitVehicle.permit_id)
            .where(
                Permit.authority == authority,
                Permit.regime == regime,
                PermitVehicle.vehicle_id.in_(batch),
                PermitVehicle.since <= on,
                ever_held(PermitVehicle),
            )
        )
        for vehicle_id, permit_id, ended_on, since, until in session.execute(statement):
            live = (ended_on is None or on < ended_on) and (until is None or on <= until)
            found[vehicle_id] = max(found.get(vehicle_id, (False, date.min, 0)), (live, since, permit_id))
    return {vehicle_id: entry[2] for vehicle_id, entry in found.items()}


def _fresh(session: Session, statement: Select[Any]) -> list[Any]:
    return list(session.scalars(statement, execution_options=_FRESH))


def _batches(ids: Iterable[int | None], known: dict[int, Any]) -> Iterable[list[int]]:
    wanted = sorted({each for each in ids if each is not None and each not in known})
    return (wanted[start : start + _BATCH] for start in range(0, len(wanted), _BATCH))


def _pairs_of_batches(first: Iterable[int], second: Iterable[int]) -> list[tuple[list[int], list[int]]]:
    """Both id lists in one query as long as they fit, else more queries; none when both are empty."""
    ones, others = list(_batches(first, {})), list(_batches(second, {}))
    count = max(len(ones), len(others))
    return [
        (ones[place] if place < len(ones) else [], others[place] if place < len(others) else [])
        for place in range(count)
    ]
