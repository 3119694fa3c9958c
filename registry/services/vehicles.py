"""Vehicles: one record for both forms of a plate, corrected openly, with the dated bars on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from registry.domain.identifiers import IdentifierError, Plate, format_plate, parse_plate, parse_renavam
from registry.domain.occasion import Occasion
from registry.domain.text import format_date
from registry.services.desk import Desk
from registry.services.editing import done_before, edit
from registry.services.errors import Existing, NotFound, Refused
from registry.services.public_rows import refresh_public_rows, refresh_vehicle
from registry.store.audit import record
from registry.store.once import remember
from registry.store.permits import Permit, PermitVehicle
from registry.store.vehicles import FormerPlate, Vehicle

LABELS = {
    "plate": "Placa",
    "renavam": "RENAVAM",
    "type": "Tipo",
    "make": "Marca",
    "model": "Modelo",
    "year_made": "Ano de fabricação",
    "first_registered_on": "Primeiro registro",
    "doors": "Portas",
    "seats": "Lugares, com o do motorista",
    "colour": "Cor",
    "fuel": "Combustível",
}
_FIRST_YEAR = 1900
_LONGEST = 64
_MOST = {"doors": 20, "seats": 200}


@dataclass(frozen=True)
class VehicleInput:
    """What a clerk types of a vehicle. ``plate`` in any form; ``seats`` includes the driver's; None = not informed."""

    plate: str
    renavam: str = ""
    type: str = ""
    make: str = ""
    model: str = ""
    year_made: int | None = None
    first_registered_on: date | None = None
    doors: int | None = None
    seats: int | None = None
    colour: str = ""
    fuel: str = ""


@dataclass(frozen=True)
class VehicleRef:
    """A vehicle as lists and links name it; ``plate`` as printed, ``description`` like «micro-ônibus, 24 lugares»."""

    id: int
    plate: str
    description: str


@dataclass(frozen=True)
class LivePermit:
    """The live permit that has a vehicle; ``label`` is the regime's word for it («Permissão de táxi»)."""

    id: int
    regime: str
    number: str
    holder_id: int | None
    label: str


def create_vehicle(occasion: Occasion, desk: Desk, entered: VehicleInput) -> int:
    """Enters a vehicle; gives its id.

    Raises :class:`Refused` beside each wrong field; a plate that is here, in either form, names the vehicle to open.
    """
    with desk.store.writing() as session:
        before = done_before(session, occasion, "vehicle.created")
        if before is not None:
            return before
        known = {field.name for field in fields(VehicleInput)}
        values = _checked(session, occasion, desk, entered, None, known)
        vehicle = Vehicle(authority=occasion.authority, created_at=occasion.at, facts={}, **values)
        session.add(vehicle)
        session.flush()
        after = {**values, "version": vehicle.version}
        record(session, occasion, "vehicle.created", "vehicle", vehicle.id, None, after)
        remember(session, occasion, "vehicle.created", vehicle.id)
        return vehicle.id


def update_vehicle(occasion: Occasion, desk: Desk, vehicle_id: int, version: int, changes: Mapping[str, Any]) -> bool:
    """Saves changed fields of a vehicle, named as in :class:`VehicleInput`; False when nothing differs.

    What the public sees of its permits changes with it. Raises :class:`NotFound`, :class:`Refused`, :class:`Stale`.
    """
    with desk.store.writing() as session:
        vehicle = vehicle_of(session, occasion.authority, vehicle_id, living=True)
        known = {field.name for field in fields(VehicleInput)}
        if changes.keys() - known:
            raise ValueError(f"these fields of a vehicle do not exist: {', '.join(sorted(changes.keys() - known))}")
        entered = VehicleInput(**{name: changes.get(name, getattr(vehicle, name)) for name in known})
        values = _checked(session, occasion, desk, entered, vehicle.id, set(changes))
        wanted = {name: values[name] for name in values if name in changes}
        if "plate" in changes:
            wanted["plate_key"] = values["plate_key"]
        changed = edit(
            session,
            occasion,
            vehicle,
            subject="vehicle",
            action="vehicle.updated",
            version=version,
            changes=wanted,
            labels=LABELS,
        )
        if changed:
            refresh_vehicle(session, desk, vehicle.id, occasion)
        return changed


def find_by_plate(
    session: Session, authority: str, typed: str, types: Mapping[str, str] | None = None, *, former: bool = True
) -> VehicleRef | None:
    """The vehicle with this plate in either form, else (``former``) the one that had it last; None when it is not here.

    ``types`` names the vehicle types (:func:`vehicle_types`). Raises IdentifierError.
    """
    key = parse_plate(typed).key
    vehicle = _by_key(session, authority, key)
    if vehicle is None and former:
        had = (FormerPlate.authority == authority, FormerPlate.plate_key == key, Vehicle.ended_at.is_(None))
        query = select(Vehicle).join(FormerPlate, FormerPlate.vehicle_id == Vehicle.id).where(*had)
        vehicle = session.scalars(query.order_by(FormerPlate.until.desc(), FormerPlate.id.desc())).first()
    return ref_of(vehicle, types) if vehicle else None


def vehicle_of(session: Session, authority: str, vehicle_id: int, *, living: bool = False) -> Vehicle:
    """The vehicle's row in this authority; one that was ended or merged too, unless it must be ``living``.

    Raises :class:`NotFound`, :class:`Refused` for one that had to be living.
    """
    vehicle = session.execute(
        select(Vehicle).where(Vehicle.id == vehicle_id, Vehicle.authority == authority)
    ).scalar_one_or_none()
    if vehicle is None:
        raise NotFound
    if living and vehicle.ended_at is not None:
        text = f"O cadastro de {format_plate(vehicle.plate)} foi encerrado ou juntado a outro."
        raise Refused(message=f"{text} Abra-o e siga pelo que ficou.")
    return vehicle


def ref_of(vehicle: Vehicle, types: Mapping[str, str] | None = None) -> VehicleRef:
    """How lists and links name a vehicle; its type by its name where ``types`` gives one."""
    kind = (types or {}).get(vehicle.type, vehicle.type).lower()
    return VehicleRef(vehicle.id, format_plate(vehicle.plate), describe(kind, vehicle.seats))


def describe(kind: str, seats: int | None) -> str:
    """``micro-ônibus, 24 lugares``; what is not known is left out."""
    return ", ".join([part for part in (kind, f"{seats} lugares" if seats else "") if part])


def vehicle_types(desk: Desk, authority: str) -> Mapping[str, str]:
    """The names of the vehicle types of an authority's regimes, by code."""
    return {each.code: each.label for regime in desk.regimes_of(authority) for each in regime.vehicle_types}


def live_permits(
    session: Session, desk: Desk, authority: str, vehicle_id: int, on: date, *, other_than: int | None = None
) -> list[LivePermit]:
    """The permits of other holders that have this vehicle on a day, in any regime of the authority.

    Args:
        other_than: the holder whose own permits do not count; None = count all.
    """
    statement = (
        select(Permit.id, Permit.regime, Permit.number, Permit.holder_id)
        .join(PermitVehicle, PermitVehicle.permit_id == Permit.id)
        .where(
            Permit.authority == authority,
            PermitVehicle.vehicle_id == vehicle_id,
            PermitVehicle.since <= on,
            or_(PermitVehicle.until.is_(None), PermitVehicle.until >= on),
            Permit.granted_on <= on,
            or_(Permit.ended_on.is_(None), Permit.ended_on > on),
        )
        .order_by(Permit.id)
    )
    if other_than is not None:
        statement = statement.where(or_(Permit.holder_id.is_(None), Permit.holder_id != other_than))
    return [
        LivePermit(row.id, row.regime, row.number, row.holder_id, _paper(desk, row.regime))
        for row in session.execute(statement)
    ]


def plate_taken(
    session: Session, desk: Desk, authority: str, vehicle: Vehicle, on: date, holder_id: int | None
) -> Refused | None:
    """The refusal when the vehicle is on a live permit of another holder (one live permit a plate); None when free."""
    taken = live_permits(session, desk, authority, vehicle.id, on, other_than=holder_id)
    if not taken:
        return None
    first = taken[0]
    plate = format_plate(vehicle.plate)
    text = f"A placa {plate} já está na outorga nº {first.number} ({first.label}). Abra a outorga ou confira a placa."
    return Refused({"vehicle_id": text}, existing={"vehicle_id": Existing("permit", first.id, first.number)})


def refresh_permits(session: Session, desk: Desk, occasion: Occasion, permit_ids: Iterable[int]) -> None:
    """Brings what the public sees of these permits to what their facts say now; those of a removed plugin stay."""
    wanted = select(Permit.id).where(Permit.id.in_(list(permit_ids)), Permit.regime.in_(list(desk.host.regimes)))
    for permit_id in session.scalars(wanted.order_by(Permit.id)).all():
        refresh_public_rows(session, desk, permit_id, occasion)


def _paper(desk: Desk, regime: str) -> str:
    loaded = desk.host.regimes.get(regime)
    return f"{loaded.permit_label}, {loaded.short_label}" if loaded else "regime indisponível"


def _by_key(session: Session, authority: str, key: str) -> Vehicle | None:
    return session.scalars(
        select(Vehicle).where(Vehicle.authority == authority, Vehicle.plate_key == key, Vehicle.ended_at.is_(None))
    ).one_or_none()


def _checked(
    session: Session, occasion: Occasion, desk: Desk, entered: VehicleInput, own_id: int | None, typed: set[str]
) -> dict[str, Any]:
    """The columns of a vehicle as entered. Raises Refused with every wrong field among those now typed."""
    errors: dict[str, str] = {}
    suggestions: dict[str, str] = {}
    existing: dict[str, Existing] = {}
    values: dict[str, Any] = {
        name: " ".join(getattr(entered, name).split()) for name in ("type", "make", "model", "colour", "fuel")
    }
    for name, value in values.items():
        if len(value) > _LONGEST:
            errors[name] = f"{LABELS[name]}: use no máximo {_LONGEST} letras. Você digitou {len(value)}."
    values |= {name: getattr(entered, name) for name in ("year_made", "first_registered_on", "doors", "seats")}
    try:
        plate = parse_plate(entered.plate)
        values |= {"plate": plate.text, "plate_key": plate.key}
        _check_twin(
            session, occasion.authority, vehicle_types(desk, occasion.authority), plate, own_id, errors, existing
        )
    except IdentifierError as error:
        errors["plate"] = error.message_pt
        suggestions |= {"plate": error.suggestion} if error.suggestion else {}
    values["renavam"] = _checked_renavam(entered.renavam, errors, suggestions)
    _check_numbers(values, occasion.on, errors)
    _check_type(desk, occasion.authority, values["type"], errors)
    wrong = {name: text for name, text in errors.items() if name in typed}
    if wrong:
        raise Refused(wrong, existing=existing, suggestions=suggestions)
    return values


def _check_twin(
    session: Session,
    authority: str,
    types: Mapping[str, str],
    plate: Plate,
    own_id: int | None,
    errors: dict[str, str],
    existing: dict[str, Existing],
) -> None:
    other = _by_key(session, authority, plate.key)
    if other is None or other.id == own_id:
        return
    here = format_plate(other.plate)
    same = "" if other.plate == plate.text else f"{plate.pretty} e {here} são a mesma placa. "
    label = f"{here}, {describe(types.get(other.type, other.type).lower(), other.seats)}".rstrip(", ")
    errors["plate"] = f"{same}Já existe: {label}. Abrir"
    existing["plate"] = Existing("vehicle", other.id, label)


def _checked_renavam(typed: str, errors: dict[str, str], suggestions: dict[str, str]) -> str:
    if not typed.strip():
        return ""
    try:
        return parse_renavam(typed)
    except IdentifierError as error:
        errors["renavam"] = error.message_pt
        if error.suggestion:
            suggestions["renavam"] = error.suggestion
        return ""


def _check_numbers(values: Mapping[str, Any], today: date, errors: dict[str, str]) -> None:
    year, first = values["year_made"], values["first_registered_on"]
    if year is not None and year > today.year:
        errors["year_made"] = f"O ano de fabricação não pode ser maior que {today.year}."
    elif year is not None and year < _FIRST_YEAR:
        errors["year_made"] = f"Confira o ano de fabricação: você digitou {year}."
    if first is not None and first > today:
        errors["first_registered_on"] = f"A data não pode ser depois de hoje ({format_date(today)})."
    elif first is not None and year is not None and first.year < year:
        errors["first_registered_on"] = f"O primeiro registro não pode ser antes do ano de fabricação ({year})."
    for name, most in _MOST.items():
        if values[name] is not None and not 0 < values[name] <= most:
            errors[name] = f"{LABELS[name]}: escreva um número de 1 a {most}."


def _check_type(desk: Desk, authority: str, code: str, errors: dict[str, str]) -> None:
    known = {choice.code for regime in desk.regimes_of(authority) for choice in regime.vehicle_types}
    if code and known and code not in known:
        errors["type"] = "Escolha um dos tipos de veículo."
