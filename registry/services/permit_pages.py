"""What a permit's page shows: state, vehicles, licences by year, history. It opens without its regime's plugin too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, aliased

from registry.services.desk import Desk
from registry.services.errors import NotFound
from registry.services.restrictions import RestrictionLine, restriction_line
from registry.services.status import RegimeAnswer, answers
from registry.services.timeline import Happening, timeline
from registry.store.corrections import ever_held
from registry.store.people import Person
from registry.store.permits import Licence, Permit, PermitVehicle
from registry.store.requests import Request
from registry.store.vehicles import FormerPlate, Restriction, Vehicle

PermitState = Literal["ativa", "futura", "encerrada"]
_MOST = 50
END_REASON, END_ACT, REMOVALS = "end_reason", "end_act", "removals"
"""What a permit's facts call the whole reason and the act of its end, and those of its vehicles' removals, by
permit_vehicle id.
"""
VEHICLE_REMOVED = "vehicle_removed"
_LICENCE_ENDS = {VEHICLE_REMOVED: "Baixa do veículo"}


@dataclass(frozen=True)
class VehicleLine:
    """A vehicle under the permit; ``until`` is its last day, ``reason`` why it left and by which act.

    ``answers`` is what the public sees now, if it is live.
    """

    under_id: int
    vehicle_id: int
    plate: str
    vehicle: str
    role: str
    since: date
    until: date | None
    reason: str = ""
    answers: tuple[RegimeAnswer, ...] = ()


@dataclass(frozen=True)
class LicenceLine:
    """One yearly paper of one vehicle."""

    id: int
    number: str
    plate: str
    issued_on: date
    valid_until: date | None
    ended_on: date | None
    end_reason: str
    in_force: bool


@dataclass(frozen=True)
class BarLine:
    """A bar on the permit, or on a vehicle now under it (``vehicle_id`` and ``plate``; None and "" = the permit)."""

    bar: RestrictionLine
    vehicle_id: int | None
    plate: str


@dataclass(frozen=True)
class PermitPage:
    """A permit with everything under it. ``regime_loaded`` False: only its history can be shown."""

    id: int
    version: int
    number: str
    regime: str
    regime_loaded: bool
    permit_label: str
    licence_label: str
    category: str
    holder_id: int | None
    holder: str
    holder_document: str
    cooperative_id: int | None
    cooperative: str
    granted_on: date
    granted_on_known: bool
    ended_on: date | None
    end_reason: str
    end_act: str
    state: PermitState
    vehicles: tuple[VehicleLine, ...]
    licences: tuple[LicenceLine, ...]
    requests: tuple[tuple[int, str, str], ...]
    bars: tuple[BarLine, ...]
    history: tuple[Happening, ...]


def permit_page(session: Session, desk: Desk, authority: str, permit_id: int, at: datetime) -> PermitPage:
    """A permit as of an instant. Raises NotFound for one of another authority."""
    on = at.astimezone(desk.authority(authority).zone).date()
    cooperative = aliased(Person)
    found = session.execute(
        select(Permit, Person.name, Person.document, cooperative.name)
        .outerjoin(Person, Person.id == Permit.holder_id)
        .outerjoin(cooperative, cooperative.id == Permit.cooperative_id)
        .where(Permit.id == permit_id, Permit.authority == authority)
    ).one_or_none()
    if found is None:
        raise NotFound
    permit, holder, document, coop = found
    regime = desk.host.regimes.get(permit.regime)
    requests = session.execute(
        select(Request.id, Request.number, Request.kind)
        .where(Request.permit_id == permit.id)
        .order_by(Request.id.desc())
    )
    categories = {choice.code: choice.label for choice in regime.categories} if regime else {}
    vehicles = _vehicles(session, desk, permit, at, on)
    licences = _licences(session, permit, on)
    subjects = [("permit", permit.id), *(("licence", each.id) for each in licences)]
    return PermitPage(
        id=permit.id,
        version=permit.version,
        number=permit.number,
        regime=permit.regime,
        regime_loaded=regime is not None,
        permit_label=regime.permit_label if regime else "Outorga",
        licence_label=regime.licence_label if regime else "Licença",
        category=categories.get(permit.category, permit.category),
        holder_id=permit.holder_id,
        holder=holder or "",
        holder_document=document or "",
        cooperative_id=permit.cooperative_id,
        cooperative=coop or "",
        granted_on=permit.granted_on,
        granted_on_known=permit.granted_on_known,
        ended_on=permit.ended_on,
        end_reason=permit.facts.get(END_REASON) or permit.end_reason,
        end_act=permit.facts.get(END_ACT, ""),
        state=_state(permit, on),
        vehicles=vehicles,
        licences=licences,
        requests=tuple((row.id, row.number or "", row.kind) for row in requests),
        bars=_bars(session, permit, vehicles, on),
        history=timeline(session, authority, subjects, _MOST),
    )


def _state(permit: Permit, on: date) -> PermitState:
    if permit.ended_on is not None and permit.ended_on <= on:
        return "encerrada"
    return "futura" if permit.granted_on > on else "ativa"


def _vehicles(session: Session, desk: Desk, permit: Permit, at: datetime, on: date) -> tuple[VehicleLine, ...]:
    rows = session.execute(
        select(PermitVehicle, Vehicle)
        .join(Vehicle, Vehicle.id == PermitVehicle.vehicle_id)
        .where(PermitVehicle.permit_id == permit.id, ever_held(PermitVehicle))
        .order_by(PermitVehicle.until.is_not(None), PermitVehicle.since.desc(), PermitVehicle.id)
    ).all()
    live = [vehicle.plate for under, vehicle in rows if under.until is None or on <= under.until]
    told = answers(session, desk, live[0], at) if len(live) == 1 else ()
    removals = permit.facts.get(REMOVALS, {})
    return tuple(
        VehicleLine(
            under_id=under.id,
            vehicle_id=vehicle.id,
            plate=vehicle.plate,
            vehicle=" ".join(part for part in (vehicle.make, vehicle.model, str(vehicle.year_made or "")) if part),
            role=under.role,
            since=under.since,
            until=under.until,
            reason=_removal(removals.get(str(under.id))),
            answers=tuple(each for each in told if each.regime == permit.regime) if [vehicle.plate] == live else (),
        )
        for under, vehicle in rows
    )


def _removal(told: Mapping[str, str] | None) -> str:
    return " · ".join(told[part] for part in ("reason", "act") if told[part]) if told else ""


_plate_then = (
    select(FormerPlate.plate)
    .where(FormerPlate.vehicle_id == Licence.vehicle_id, FormerPlate.until >= Licence.issued_on)
    .order_by(FormerPlate.until, FormerPlate.id)
    .limit(1)
    .scalar_subquery()
)
"""The plate that a licence was issued with, where its vehicle has another by now."""


def _licences(session: Session, permit: Permit, on: date) -> tuple[LicenceLine, ...]:
    rows = session.execute(
        select(Licence, func.coalesce(_plate_then, Vehicle.plate))
        .join(Vehicle, Vehicle.id == Licence.vehicle_id)
        .where(Licence.permit_id == permit.id)
        .order_by(Licence.issued_on.desc(), Licence.id.desc())
    )
    return tuple(
        LicenceLine(
            id=licence.id,
            number=licence.number,
            plate=plate,
            issued_on=licence.issued_on,
            valid_until=licence.valid_until,
            ended_on=licence.ended_on,
            end_reason=_LICENCE_ENDS.get(licence.end_reason, licence.end_reason),
            in_force=licence.issued_on <= on
            and (licence.ended_on is None or on < licence.ended_on)
            and (licence.valid_until is None or on <= licence.valid_until),
        )
        for licence, plate in rows
    )


def _bars(session: Session, permit: Permit, vehicles: Sequence[VehicleLine], on: date) -> tuple[BarLine, ...]:
    """The bars of the permit, the newest first, and those in its regime on the vehicles under it on the day."""
    plates = {each.vehicle_id: each.plate for each in vehicles if each.until is None or on <= each.until}
    rows = session.scalars(
        select(Restriction)
        .where(
            Restriction.voided_at.is_(None),
            Restriction.regime == permit.regime,
            or_(Restriction.permit_id == permit.id, Restriction.vehicle_id.in_(list(plates))),
        )
        .order_by(Restriction.since.desc(), Restriction.id.desc())
        .limit(_MOST)
    )
    return tuple(
        BarLine(restriction_line(bar, on), bar.vehicle_id, plates.get(bar.vehicle_id or 0, "")) for bar in rows
    )
