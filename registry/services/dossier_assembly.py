"""From rows to a dossier: what stood on a day, chosen and brought to the plain facts that rules take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, cast

from registry.domain import dossier as facts
from registry.domain.dossier import Dossier
from registry.domain.regime import Regime
from registry.services.dossier_rows import ChargeRow, Rows
from registry.services.errors import NotFound
from registry.services.facts import decode
from registry.store.inspections import Inspection
from registry.store.people import Person
from registry.store.permits import Licence, Permit
from registry.store.requests import Request, RequestDocument, StoredFile
from registry.store.vehicles import Restriction, Vehicle

_DONE = ("aprovada", "reprovada")


@dataclass(frozen=True)
class Subject:
    """Whom and what a dossier is about: ids, None where there is none."""

    holder: int | None
    cooperative: int | None
    vehicle: int | None
    permit: int | None


def subject_of(rows: Rows, on: date, permit_id: int | None, vehicle_id: int | None) -> Subject:
    """The subject of a permit and vehicle; without a vehicle the only one under the permit on the day."""
    permit = rows.permits.get(permit_id or 0)
    if permit is None:
        return Subject(None, None, vehicle_id, None)
    vehicle = vehicle_id
    if vehicle is None:
        under = {each.vehicle_id for each in rows.under[permit.id] if _covers(each.since, each.until, on)}
        vehicle = under.pop() if len(under) == 1 else None
    return Subject(permit.holder_id, permit.cooperative_id, vehicle, permit.id)


def _covers(since: date, until: date | None, on: date) -> bool:
    return since <= on and (until is None or on <= until)


def assemble(
    rows: Rows,
    regime: Regime,
    at: datetime,
    on: date,
    subject: Subject,
    inspection_id: int | None,
    request: Request | None = None,
) -> Dossier:
    """The dossier of one subject on a day, without the plugins' own facts. ``at`` is in the authority's zone.

    Raises NotFound when ``inspection_id`` is no inspection of the vehicle.
    """
    own = [each for each in rows.permits.values() if subject.holder and each.holder_id == subject.holder]
    permit = rows.permits.get(subject.permit or 0)
    known = own if permit is None or permit in own else [*own, permit]
    known.sort(key=lambda each: (each.granted_on, each.id))
    permits = [_permit(rows, each, on) for each in known if each.granted_on <= on or each is permit]
    done = [
        _inspection(each)
        for each in rows.inspections.get(subject.vehicle or 0, [])
        if each.state in _DONE and each.done_on is not None and each.done_on <= on
    ]
    return Dossier(
        regime=regime.code,
        on=on,
        at=at,
        request=_request(regime, request, at) if request else None,
        holder=_holder(rows.persons.get(subject.holder or 0)),
        cooperative=_holder(rows.persons.get(subject.cooperative or 0)),
        vehicle=_vehicle(rows.vehicles.get(subject.vehicle or 0), _role(rows, known, subject, on)),
        documents=_documents(rows.documents, on),
        inspection=_judged(rows, subject, done, inspection_id, on),
        inspections=tuple(done),
        debts=tuple(_debt(each, on) for each in rows.charges.get(subject.holder or 0, [])),
        permit=next((each for each in permits if permit is not None and each.id == permit.id), None),
        permits=tuple(permits),
        licence=_licence(rows, permit, subject, on),
        restrictions=tuple(_restriction(each) for each in rows.restrictions if _concerns(each, subject)),
        fleet=_fleet(rows, known, subject, on),
        counts=dict(rows.counts),
    )


def shown_status(document: RequestDocument, on: date) -> facts.DocumentStatus:
    """The status of a document on a day: an accepted one whose day has passed is ``vencido``."""
    status = cast(facts.DocumentStatus, document.status)
    if status in ("aceito", "com_ressalva") and document.expires_on is not None and document.expires_on < on:
        return "vencido"
    return status


def _request(regime: Regime, request: Request, at: datetime) -> facts.RequestFacts:
    kind = regime.request_kind(request.kind)
    filed = request.filed_at.astimezone(at.tzinfo).date() if request.filed_at else None
    return facts.RequestFacts(
        id=request.id,
        kind=request.kind,
        number=request.number or "",
        category=request.category,
        holder_kind=request.holder_kind,
        filed_on=filed,
        facts=decode(kind.fields, request.facts),
    )


def _holder(person: Person | None) -> facts.Holder | None:
    if person is None:
        return None
    return facts.Holder(
        id=person.id,
        kind=cast(facts.PersonKind, person.kind),
        name=person.name,
        document=person.document,
        born_on=person.born_on,
        cnh=person.cnh,
        nationality=person.nationality,
        sex=person.sex,
        facts=person.facts,
    )


def _vehicle(vehicle: Vehicle | None, role: str) -> facts.Vehicle | None:
    if vehicle is None:
        return None
    return facts.Vehicle(
        id=vehicle.id,
        plate=vehicle.plate,
        plate_key=vehicle.plate_key,
        type=vehicle.type,
        make=vehicle.make,
        model=vehicle.model,
        year_made=vehicle.year_made,
        first_registered_on=vehicle.first_registered_on,
        doors=vehicle.doors,
        seats=vehicle.seats,
        colour=vehicle.colour,
        role=role,
    )


def _role(rows: Rows, permits: Sequence[Permit], subject: Subject, on: date) -> str:
    for permit in permits:
        for under in rows.under.get(permit.id, []):
            if under.vehicle_id == subject.vehicle and _covers(under.since, under.until, on):
                return under.role
    return "regular"


def _documents(documents: Sequence[tuple[RequestDocument, StoredFile | None]], on: date) -> tuple[facts.Document, ...]:
    by_code: dict[str, list[RequestDocument]] = {}
    for document, _ in documents:
        by_code.setdefault(document.code, []).append(document)
    return tuple(_document(code, copies, on) for code, copies in by_code.items())


def _document(code: str, copies: Sequence[RequestDocument], on: date) -> facts.Document:
    """Several papers of one code count together: accepted copies if any, else as the newest stands."""
    good = [each for each in copies if shown_status(each, on) in ("aceito", "com_ressalva", "dispensado")]
    sent = sum(shown_status(each, on) == "enviado" for each in copies)
    if not good:
        newest = copies[-1]
        return facts.Document(code, shown_status(newest, on), newest.expires_on, newest.copies, sent)
    ends = [each.expires_on for each in good if each.expires_on is not None]
    count = sum(each.copies for each in good)
    return facts.Document(code, shown_status(good[-1], on), min(ends) if ends else None, count, sent)


def _inspection(row: Inspection) -> facts.Inspection:
    results: Mapping[str, Any] = row.items or {}
    return facts.Inspection(
        id=row.id,
        kind=row.kind,
        on=cast(date, row.done_on),
        passed={"aprovada": True, "reprovada": False}.get(row.state),
        failed=tuple(code for code, item in results.items() if item.get("result") == "falha"),
        not_applicable=tuple(code for code, item in results.items() if item.get("result") == "na"),
        seal=row.seal or "",
        valid_until=row.valid_until,
    )


def _judged(
    rows: Rows, subject: Subject, done: Sequence[facts.Inspection], inspection_id: int | None, on: date
) -> facts.Inspection | None:
    if inspection_id is None:
        return next((each for each in reversed(done) if each.passed), None)
    for row in rows.inspections.get(subject.vehicle or 0, []):
        if row.id == inspection_id:
            return replace(_inspection(row), on=row.done_on or on)
    raise NotFound


def _debt(row: ChargeRow, on: date) -> facts.Debt:
    charge = row.charge
    overdue = charge.due_on is not None and charge.due_on < on
    return facts.Debt(
        charge_id=charge.id,
        kind=charge.kind,
        state="paid" if row.settled else "overdue" if overdue else "open",
        due=charge.due_on,
        amount=row.paid if row.settled else row.left,
        paid_on=row.paid_on if row.settled else None,
    )


def _permit(rows: Rows, permit: Permit, on: date) -> facts.Permit:
    under = [each for each in rows.under.get(permit.id, []) if _covers(each.since, each.until, on)]
    return facts.Permit(
        id=permit.id,
        number=permit.number,
        category=permit.category,
        granted_on=permit.granted_on,
        holder_id=permit.holder_id,
        ended_on=permit.ended_on,
        end_reason=permit.end_reason,
        vehicle_plates=tuple(rows.vehicles[each.vehicle_id].plate for each in under),
        granted_on_known=permit.granted_on_known,
    )


def _licence(rows: Rows, permit: Permit | None, subject: Subject, on: date) -> facts.Licence | None:
    """The licence in force on the day, else the last one issued; one that was corrected never counted."""
    if permit is None:
        return None
    issued = [
        each
        for each in rows.licences.get(permit.id, [])
        if each.vehicle_id == subject.vehicle and each.issued_on <= on and not _never_held(each)
    ]
    if not issued:
        return None
    best: Licence = max(issued, key=lambda each: (each.ended_on is None or on < each.ended_on, each.issued_on, each.id))
    return facts.Licence(best.number, best.issued_on, best.valid_until, best.ended_on)


def _never_held(licence: Licence) -> bool:
    return licence.ended_on is not None and licence.ended_on <= licence.issued_on


def _concerns(bar: Restriction, subject: Subject) -> bool:
    if bar.vehicle_id is not None:
        return bar.vehicle_id == subject.vehicle
    return bar.permit_id == subject.permit


def _restriction(bar: Restriction) -> facts.Restriction:
    return facts.Restriction(cast(facts.RestrictionKind, bar.kind), bar.since, bar.until, bar.reason, bar.act)


def _fleet(rows: Rows, permits: Sequence[Permit], subject: Subject, on: date) -> tuple[facts.Vehicle, ...]:
    others: dict[int, facts.Vehicle] = {}
    for permit in permits:
        if permit.ended_on is not None and permit.ended_on <= on:
            continue
        for under in rows.under.get(permit.id, []):
            if under.vehicle_id != subject.vehicle and _covers(under.since, under.until, on):
                found = _vehicle(rows.vehicles[under.vehicle_id], under.role)
                if found is not None:
                    others[under.vehicle_id] = found
    return tuple(others.values())
