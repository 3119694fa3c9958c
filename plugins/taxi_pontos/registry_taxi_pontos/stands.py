"""Reading stands: which one a permit is designated for, and the lists of the screens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.orm import Session

from registry.api.data import NotFound, Permit, PermitVehicle, Person, Vehicle
from registry.api.law import fold
from registry_taxi_pontos.models import Designation, Ponto

PAGE = 20
ORDERS: Mapping[str, tuple[Any, ...]] = {
    "nome": (Ponto.name_folded,),
    "categoria": (Ponto.category, Ponto.name_folded),
    "vagas": (Ponto.places,),
}
"""What the list can be sorted by; «-nome» is from the last to the first."""
CATEGORIES = {"livre": "Livre", "privado": "Privado", "provisorio": "Provisório", "": "Não informada"}


@dataclass(frozen=True)
class StandLine:
    """A stand in the list; ``permits`` are designated for it on the day."""

    id: int
    label: str
    category: str
    places: int | None
    permits: int


@dataclass(frozen=True)
class StandList:
    """One page of the list, and how many stands there are in all."""

    lines: tuple[StandLine, ...]
    total: int
    page: int
    size: int = PAGE


@dataclass(frozen=True)
class DesignatedPermit:
    """A permit designated for a stand; ``holder`` "" = not known; ``plates`` as (vehicle id, plate)."""

    id: int
    number: str
    regime: str
    holder: str
    holder_id: int | None
    since: date
    plates: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class StandPage:
    """A stand with one page of its permits, by number."""

    stand: Ponto
    label: str
    permits: tuple[DesignatedPermit, ...]
    total: int
    page: int
    size: int = PAGE


def label_of(code: str, name: str) -> str:
    """A stand as people call it: ``12 – Praça do Derby``; its name alone where it has no code."""
    return f"{code} – {name}" if code else name


_OF_PERMIT = (
    select(
        Ponto.code,
        Ponto.name,
        Ponto.category,
        Ponto.access,
        Ponto.starts_on,
        Ponto.ends_on,
        Ponto.min_side_doors,
        Ponto.max_age_years,
    )
    .join(Designation, Designation.ponto_id == Ponto.id)
    .where(
        Designation.permit_id == bindparam("permit"),
        Designation.since <= bindparam("day"),
        or_(Designation.until.is_(None), Designation.until >= bindparam("day")),
    )
    .order_by(Designation.since.desc(), Designation.id.desc())
    .limit(1)
)


def facts_of(session: Session, permit_id: int, on: date) -> Mapping[str, Any]:
    """The facts of a dossier: ``ponto`` (label), and category, access, days and conditions of the stand.

    Empty without a designation on that day; of several the newest counts.
    """
    row = session.connection().execute(_OF_PERMIT, {"permit": permit_id, "day": on}).mappings().first()
    if row is None:
        return {}
    facts = {name: value for name, value in row.items() if name not in ("code", "name")}
    return {"ponto": label_of(row["code"], row["name"]), **facts}


def list_stands(
    session: Session,
    authority: str,
    on: date,
    typed: str = "",
    page: int = 1,
    *,
    category: str | None = None,
    order: str = "nome",
    size: int = PAGE,
) -> StandList:
    """The live stands whose name has the typed fragment (accents ignored) or whose code it is; one category or all."""
    query = select(Ponto).where(Ponto.authority == authority, Ponto.ended_at.is_(None))
    if category is not None:
        query = query.where(Ponto.category == category)
    if typed.strip():
        named = Ponto.name_folded.contains(fold(typed), autoescape=True)
        query = query.where(or_(named, Ponto.code == typed.strip()))
    total = session.scalar(select(func.count()).select_from(query.subquery())) or 0
    found = session.scalars(query.order_by(*_sorted(order)).limit(size).offset((page - 1) * size)).all()
    counted = (
        select(Designation.ponto_id, func.count())
        .join(Permit, Permit.id == Designation.permit_id)
        .where(Designation.ponto_id.in_([each.id for each in found]), *_in_force(on))
        .group_by(Designation.ponto_id)
    )
    permits = {row[0]: int(row[1]) for row in session.execute(counted)}
    lines = (
        StandLine(each.id, label_of(each.code, each.name), each.category, each.places, permits.get(each.id, 0))
        for each in found
    )
    return StandList(tuple(lines), total, page, size)


def _sorted(order: str) -> Iterable[Any]:
    """The columns of an order: what is not known last, on either engine."""
    code, down = order.removeprefix("-"), order.startswith("-")
    return (*((column.desc() if down else column.asc()).nulls_last() for column in ORDERS[code]), Ponto.id)


def stand_page(session: Session, authority: str, ponto_id: int, on: date, page: int = 1) -> StandPage:
    """A stand with the permits designated for it on a day. Raises :class:`NotFound` for another authority's."""
    stand = session.scalars(select(Ponto).where(Ponto.id == ponto_id, Ponto.authority == authority)).one_or_none()
    if stand is None:
        raise NotFound
    query = (
        select(Permit.id, Permit.number, Permit.regime, Permit.holder_id, Person.name, Designation.since)
        .join(Designation, Designation.permit_id == Permit.id)
        .outerjoin(Person, Person.id == Permit.holder_id)
        .where(Designation.ponto_id == ponto_id, *_in_force(on))
    )
    total = session.scalar(select(func.count()).select_from(query.subquery())) or 0
    rows = session.execute(query.order_by(Permit.number, Permit.id).limit(PAGE).offset((page - 1) * PAGE)).all()
    plates = _plates(session, [row.id for row in rows], on)
    permits = tuple(
        DesignatedPermit(
            row.id, row.number, row.regime, row.name or "", row.holder_id, row.since, tuple(plates.get(row.id, ()))
        )
        for row in rows
    )
    return StandPage(stand, label_of(stand.code, stand.name), permits, total, page)


def _in_force(on: date) -> tuple[Any, ...]:
    """Designation and permit both hold on the day."""
    return (
        Designation.since <= on,
        or_(Designation.until.is_(None), Designation.until >= on),
        Permit.granted_on <= on,
        or_(Permit.ended_on.is_(None), Permit.ended_on > on),
    )


def _plates(session: Session, permits: list[int], on: date) -> dict[int, list[tuple[int, str]]]:
    query = (
        select(PermitVehicle.permit_id, Vehicle.id, Vehicle.plate)
        .join(Vehicle, Vehicle.id == PermitVehicle.vehicle_id)
        .where(
            PermitVehicle.permit_id.in_(permits),
            PermitVehicle.since <= on,
            or_(PermitVehicle.until.is_(None), PermitVehicle.until >= on),
        )
        .order_by(Vehicle.plate)
    )
    found: dict[int, list[tuple[int, str]]] = {}
    for permit_id, vehicle_id, plate in session.execute(query):
        found.setdefault(permit_id, []).append((vehicle_id, plate))
    return found
