"""The end of a permit by act, and of a vehicle's time under it (baixa)."""

from __future__ import annotations

from datetime import date, timedelta

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from registry.domain.identifiers import format_plate
from registry.domain.occasion import Occasion
from registry.domain.text import format_date
from registry.services.acts import resolve
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.services.history import last_editor, refuse_stale
from registry.services.lengths import long_faults, refuse_long
from registry.services.permit_pages import END_ACT, END_REASON, REMOVALS, VEHICLE_REMOVED
from registry.services.public_rows import refresh_public_rows
from registry.store.audit import record
from registry.store.once import remember
from registry.store.permits import Licence, Permit, PermitVehicle
from registry.store.vehicles import Vehicle

NO_REASON = "Escreva o motivo. Ele vai para o processo."


def end_permit(
    occasion: Occasion, desk: Desk, permit_id: int, version: int, on: date, reason: str, act: str = ""
) -> None:
    """Ends a permit with its licences: ``on`` is the first day without effect.

    The whole reason and the act's name stay in the permit's facts; the column ``end_reason`` is for a regime's codes,
    which rules read.

    Raises NotFound, AlreadyDone when it has ended, Stale, Refused (no reason, before the grant).
    """
    with desk.store.writing() as session:
        permit = _permit_of(session, desk, occasion, permit_id)
        if permit.ended_on is not None:
            raise AlreadyDone(permit.ended_on, *last_editor(session, "permit", permit.id))
        refuse_stale(session, "permit", permit.id, permit.version, version)
        faults = long_faults(reason=reason, act=act)
        if not reason.strip():
            faults["reason"] = NO_REASON
        if on < permit.granted_on:
            faults["on"] = f"O fim não pode ser antes da concessão ({format_date(permit.granted_on)})."
        if faults:
            raise Refused(faults)
        permit.ended_on = on
        permit.facts = {**permit.facts, END_REASON: reason.strip(), END_ACT: act.strip()}
        permit.end_act_id = resolve(session, desk, occasion.authority, act)
        permit.version += 1
        for licence in session.scalars(_licences_in_force(permit.id, None, on)):
            licence.ended_on = on
        session.flush()
        after = {"ended_on": on, "reason": reason.strip(), "act": act.strip(), "version": permit.version}
        record(session, occasion, "permit.ended", "permit", permit.id, {"ended_on": None}, after)
        refresh_public_rows(session, desk, permit.id, occasion)


def remove_vehicle(
    occasion: Occasion, desk: Desk, permit_id: int, vehicle_id: int, version: int, on: date, reason: str, act: str = ""
) -> int:
    """Takes a vehicle off a permit (baixa) with its licence: ``on`` is the first day without it, at the latest today.

    Gives the permit's id. ``version`` is the permit's.

    Raises NotFound, AlreadyDone when it has left, Stale, Refused (no reason, a day to come or before it came, a permit
    that has ended).
    """
    with desk.store.writing() as session:
        before = done_before(session, occasion, "permit.vehicle_removed")
        if before is not None:
            return before
        permit = _permit_of(session, desk, occasion, permit_id)
        under, plate = _under(session, permit, vehicle_id)
        if under.until is not None:
            raise AlreadyDone(under.until, *last_editor(session, "permit", permit.id))
        refuse_stale(session, "permit", permit.id, permit.version, version)
        refuse_long(reason=reason, act=act)
        _refuse_removal(occasion, permit, under, on, reason)
        under.until = on - timedelta(days=1)
        removals = {**permit.facts.get(REMOVALS, {}), str(under.id): {"reason": reason.strip(), "act": act.strip()}}
        permit.facts = {**permit.facts, REMOVALS: removals}
        permit.version += 1
        session.flush()
        after = {"vehicle_id": vehicle_id, "plate": format_plate(plate), "until": under.until, "reason": reason.strip()}
        after |= {"act": act.strip(), "version": permit.version}
        record(session, occasion, "permit.vehicle_removed", "permit", permit.id, {"until": None}, after)
        end_licences(session, occasion, permit.id, vehicle_id, on, VEHICLE_REMOVED)
        remember(session, occasion, "permit.vehicle_removed", permit.id)
        refresh_public_rows(session, desk, permit.id, occasion)
        return permit.id


def end_licences(session: Session, occasion: Occasion, permit_id: int, vehicle_id: int, on: date, reason: str) -> None:
    """Ends what is in force of a vehicle's licences from a day on, in a transaction; ``reason`` is a code."""
    for licence in session.scalars(_licences_in_force(permit_id, vehicle_id, on)):
        licence.ended_on, licence.end_reason = on, reason
        after = {"ended_on": on, "reason": reason}
        record(session, occasion, "licence.ended", "licence", licence.id, {"ended_on": None}, after)


def _permit_of(session: Session, desk: Desk, occasion: Occasion, permit_id: int) -> Permit:
    """The permit of this authority, whose regime is there. Raises NotFound."""
    permit = session.get(Permit, permit_id)
    if permit is None or permit.authority != occasion.authority:
        raise NotFound
    desk.regime_of(occasion.authority, permit.regime)
    return permit


def _under(session: Session, permit: Permit, vehicle_id: int) -> tuple[PermitVehicle, str]:
    """The last row of a vehicle under a permit, the open one first, and its plate. Raises NotFound."""
    found = session.execute(
        select(PermitVehicle, Vehicle.plate)
        .join(Vehicle, Vehicle.id == PermitVehicle.vehicle_id)
        .where(PermitVehicle.permit_id == permit.id, PermitVehicle.vehicle_id == vehicle_id)
        .order_by(PermitVehicle.until.is_not(None), PermitVehicle.id.desc())
    ).first()
    if found is None:
        raise NotFound
    return found[0], found[1]


def _refuse_removal(occasion: Occasion, permit: Permit, under: PermitVehicle, on: date, reason: str) -> None:
    if permit.ended_on is not None and permit.ended_on <= occasion.on:
        raise Refused(message=f"A outorga terminou em {format_date(permit.ended_on)}, e o veículo saiu com ela.")
    faults = {} if reason.strip() else {"reason": NO_REASON}
    if on > occasion.on:
        faults["on"] = f"A data não pode ser depois de hoje ({format_date(occasion.on)})."
    elif on < under.since:
        faults["on"] = f"A baixa não pode ser antes da entrada na outorga ({format_date(under.since)})."
    if faults:
        raise Refused(faults)


def _licences_in_force(permit_id: int, vehicle_id: int | None, on: date) -> Select[Licence]:
    query = select(Licence).where(
        Licence.permit_id == permit_id,
        Licence.ended_on.is_(None),
        or_(Licence.valid_until.is_(None), Licence.valid_until >= on),
    )
    return query if vehicle_id is None else query.where(Licence.vehicle_id == vehicle_id)
