"""A car gets another plate: the record stays one, the old plate still finds it, and the public learns of the change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.identifiers import IdentifierError, Plate, format_plate, parse_plate
from registry.domain.occasion import Occasion
from registry.domain.text import format_date
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import Existing, Refused
from registry.services.history import refuse_stale
from registry.services.public_rows import refresh_vehicle
from registry.services.touched import refresh_requests_of
from registry.services.vehicles import vehicle_of
from registry.store.audit import record
from registry.store.once import remember
from registry.store.permits import PublicRow
from registry.store.vehicles import FormerPlate, Vehicle

NO_REASON = "Escreva o motivo. Ele vai para o processo."
_DAY = timedelta(days=1)
_LONGEST = 400


@dataclass(frozen=True)
class PlateChange:
    """What a clerk types of a change: the new plate in any form, its first day, why, and the act that it rests on."""

    plate: str
    changed_on: date
    reason: str
    act: str = ""


@dataclass(frozen=True)
class PlateGone:
    """A plate that an authorised vehicle no longer has, as the public is told: by whom, and from which day on."""

    authority: str
    authority_name: str
    since: date


def change_plate(occasion: Occasion, desk: Desk, vehicle_id: int, version: int, change: PlateChange) -> int:
    """Gives a vehicle another plate from a day on; gives the vehicle's id.

    The other form of the plate that it has is no other plate: only the form changes, and no former plate is kept. What
    was issued with the old plate stays as it was issued.

    Raises:
        NotFound: a vehicle of another authority.
        Stale: somebody changed the record since.
        Refused: a plate that cannot be, that it has already or that another vehicle has; a day to come or before the
            last change; no reason.
    """
    with desk.store.writing() as session:
        before = done_before(session, occasion, "vehicle.plate_changed")
        if before is not None:
            return before
        vehicle = vehicle_of(session, occasion.authority, vehicle_id, living=True)
        refuse_stale(session, "vehicle", vehicle.id, vehicle.version, version)
        plate = _checked(session, occasion, vehicle, change)
        old = vehicle.plate
        if plate.key != vehicle.plate_key:
            session.add(
                FormerPlate(
                    authority=occasion.authority,
                    vehicle_id=vehicle.id,
                    plate=vehicle.plate,
                    plate_key=vehicle.plate_key,
                    until=change.changed_on - _DAY,
                    reason=change.reason.strip(),
                    recorded_at=occasion.at,
                )
            )
        vehicle.plate, vehicle.plate_key = plate.text, plate.key
        vehicle.version += 1
        session.flush()
        after = {
            "plate": plate.text,
            "plate_text": format_plate(plate.text),
            "changed_on": change.changed_on,
            "reason": change.reason.strip(),
            "act": change.act.strip(),
            "version": vehicle.version,
        }
        record(session, occasion, "vehicle.plate_changed", "vehicle", vehicle.id, {"plate": old}, after)
        remember(session, occasion, "vehicle.plate_changed", vehicle.id)
        refresh_vehicle(session, desk, vehicle.id, occasion, since=change.changed_on)
        refresh_requests_of(session, desk, occasion, vehicles=[vehicle.id])
        return vehicle.id


def former_plates(session: Session, vehicle_id: int) -> tuple[FormerPlate, ...]:
    """The plates that a vehicle had before, the last one first."""
    rows = select(FormerPlate).where(FormerPlate.vehicle_id == vehicle_id)
    return tuple(session.scalars(rows.order_by(FormerPlate.until.desc(), FormerPlate.id.desc())))


def gone_plate(session: Session, desk: Desk, typed: str, at: datetime) -> PlateGone | None:
    """What the public is told of a plate that has no answer at an instant: that the vehicle authorised with it got
    another plate by then, never which one; None for any other plate.

    Raises IdentifierError for what cannot be a plate.
    """
    key = parse_plate(typed).key
    told = (
        select(PublicRow.id)
        .where(
            PublicRow.plate_key == FormerPlate.plate_key,
            PublicRow.authority == FormerPlate.authority,
            PublicRow.withdrawn_at.is_(None),
        )
        .exists()
    )
    rows = session.execute(
        select(FormerPlate.authority, FormerPlate.until)
        .where(FormerPlate.plate_key == key, told)
        .order_by(FormerPlate.until.desc(), FormerPlate.id.desc())
    )
    for row in rows:
        authority = desk.settings.authorities.get(row.authority)
        if authority is not None and row.until < at.astimezone(authority.zone).date():
            return PlateGone(row.authority, authority.short_name, row.until + _DAY)
    return None


def _checked(session: Session, occasion: Occasion, vehicle: Vehicle, change: PlateChange) -> Plate:
    errors: dict[str, str] = {}
    existing: dict[str, Existing] = {}
    suggestions: dict[str, str] = {}
    plate: Plate | None = None
    try:
        plate = parse_plate(change.plate)
    except IdentifierError as error:
        errors["plate"] = error.message_pt
        suggestions |= {"plate": error.suggestion} if error.suggestion else {}
    if plate is not None and plate.text == vehicle.plate:
        errors["plate"] = f"O veículo já tem a placa {plate.pretty}."
    elif plate is not None and (other := _other(session, vehicle, plate.key)) is not None:
        label = format_plate(other.plate)
        errors["plate"] = f"A placa {plate.pretty} já é de outro veículo. Abrir"
        existing["plate"] = Existing("vehicle", other.id, label)
    former: Sequence[FormerPlate] = former_plates(session, vehicle.id)
    if change.changed_on > occasion.on:
        errors["changed_on"] = f"A data não pode ser depois de hoje ({format_date(occasion.on)})."
    elif former and change.changed_on <= former[0].until:
        errors["changed_on"] = f"A última troca foi em {format_date(former[0].until + _DAY)}. Use esse dia ou depois."
    if not change.reason.strip():
        errors["reason"] = NO_REASON
    for name, text in (("reason", change.reason), ("act", change.act)):
        if len(text.strip()) > _LONGEST:
            errors[name] = f"Use no máximo {_LONGEST} letras."
    if errors or plate is None:
        raise Refused(errors, existing=existing, suggestions=suggestions)
    return plate


def _other(session: Session, vehicle: Vehicle, key: str) -> Vehicle | None:
    """The other live vehicle of the authority that has this plate."""
    return session.scalars(
        select(Vehicle).where(
            Vehicle.authority == vehicle.authority,
            Vehicle.plate_key == key,
            Vehicle.ended_at.is_(None),
            Vehicle.id != vehicle.id,
        )
    ).first()
