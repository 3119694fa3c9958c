"""The registers: persons, vehicles and permits of an authority, filtered, in order, counted, a page at a time.

Counting stops at 1,001, "more than 1,000": who looks for one record types more letters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session, aliased

from registry.domain.identifiers import IdentifierError, canonical, parse_document
from registry.domain.occasion import Occasion
from registry.services.desk import Desk
from registry.services.people import printed_document
from registry.services.vehicles import vehicle_types
from registry.store.audit import record
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.search import MOST_COUNTED, search_people, search_plates
from registry.store.vehicles import Vehicle

PAGE_SIZE = 20
PERSON_KINDS = {"natural": "Pessoa física", "company": "Empresa", "cooperative": "Cooperativa"}
PERMIT_STATES = {"em_vigor": "Em vigor", "encerrada": "Encerradas"}
VEHICLE_STATES = {"com": "Com outorga", "sem": "Sem outorga"}

Line = TypeVar("Line")
_holder = aliased(Person)
PEOPLE_ORDERS: Mapping[str, tuple[Any, ...]] = {
    "nome": (Person.name_folded,),
    "documento": (Person.document,),
    "tipo": (Person.kind, Person.name_folded),
}
VEHICLE_ORDERS: Mapping[str, tuple[Any, ...]] = {
    "placa": (Vehicle.plate_key,),
    "veiculo": (Vehicle.make, Vehicle.model, Vehicle.year_made),
    "tipo": (Vehicle.type, Vehicle.plate_key),
    "cor": (Vehicle.colour, Vehicle.plate_key),
}
PERMIT_ORDERS: Mapping[str, tuple[Any, ...]] = {
    "numero": (Permit.regime, Permit.number),
    "titular": (_holder.name_folded,),
    "desde": (Permit.granted_on,),
}
"""What each list can be sorted by; the first is its own order. «-nome» is from the last to the first."""


@dataclass(frozen=True)
class Listed(Generic[Line]):
    """One page of a list. ``total`` counts all that the filters find, at most 1,001 (``many``)."""

    lines: tuple[Line, ...]
    total: int
    page: int
    size: int = PAGE_SIZE

    @property
    def many(self) -> bool:
        """Whether counting stopped before the end."""
        return self.total >= MOST_COUNTED


@dataclass(frozen=True)
class PermitRef:
    """A permit as lists name it: «Permissão nº 0391»."""

    id: int
    label: str


@dataclass(frozen=True)
class PersonLine:
    """A person of the list; ``permits`` are those in effect."""

    id: int
    name: str
    kind: str
    kind_label: str
    document: str
    permits: tuple[PermitRef, ...] = ()


@dataclass(frozen=True)
class VehicleLine:
    """A vehicle of the list; ``permits`` are those in effect that have it."""

    id: int
    plate: str
    description: str
    type_label: str
    seats: int | None
    colour: str
    permits: tuple[PermitRef, ...] = ()


@dataclass(frozen=True)
class PermitLine:
    """A permit of the list. ``ended_on`` is its first day without effect; ``plates`` are under it on the day."""

    id: int
    label: str
    regime_label: str
    category: str
    holder_id: int | None
    holder: str
    granted_on: date
    granted_on_known: bool
    ended_on: date | None
    in_effect: bool
    plates: tuple[tuple[int, str], ...] = ()


def list_people(
    session: Session,
    desk: Desk,
    authority: str,
    on: date,
    *,
    typed: str = "",
    kind: str = "",
    order: str = "",
    page: int = 1,
    size: int = PAGE_SIZE,
) -> Listed[PersonLine]:
    """The persons whose name has every fragment typed, or whose CPF or CNPJ it is; all of them for an empty text."""
    query = select(Person.id, Person.name, Person.kind, Person.document).where(
        Person.authority == authority, Person.ended_at.is_(None)
    )
    if typed.strip():
        query = query.where(_people(session, authority, typed))
    if kind:
        query = query.where(Person.kind == kind)
    rows, total = _page(session, query, _sorted(PEOPLE_ORDERS, order, Person.id), page, size)
    held = _permits_of(session, desk, on, Permit.holder_id, [row.id for row in rows])
    return Listed(
        tuple(
            PersonLine(
                id=row.id,
                name=row.name,
                kind=row.kind,
                kind_label=PERSON_KINDS.get(row.kind, row.kind),
                document=printed_document(row.kind, row.document),
                permits=tuple(held.get(row.id, ())),
            )
            for row in rows
        ),
        total,
        page,
        size,
    )


def list_vehicles(
    session: Session,
    desk: Desk,
    authority: str,
    on: date,
    *,
    typed: str = "",
    state: str = "",
    order: str = "",
    page: int = 1,
    size: int = PAGE_SIZE,
) -> Listed[VehicleLine]:
    """The vehicles whose plate begins as typed, in either form; all for an empty text. ``state``: com, sem or ""."""
    query = select(
        Vehicle.id, Vehicle.plate, Vehicle.type, Vehicle.make, Vehicle.model, Vehicle.year_made, Vehicle.seats,
        Vehicle.colour,
    ).where(Vehicle.authority == authority, Vehicle.ended_at.is_(None))  # fmt: skip
    if typed.strip():
        query = query.where(Vehicle.id.in_([hit.id for hit in search_plates(session, authority, typed, 1_000).hits]))
    if state:
        under = select(PermitVehicle.vehicle_id).join(Permit, Permit.id == PermitVehicle.permit_id)
        holding = Vehicle.id.in_(under.where(*in_effect(on)))
        query = query.where(holding if state == "com" else ~holding)
    rows, total = _page(session, query, _sorted(VEHICLE_ORDERS, order, Vehicle.id), page, size)
    held = _permits_of(session, desk, on, PermitVehicle.vehicle_id, [row.id for row in rows])
    types = vehicle_types(desk, authority)
    return Listed(
        tuple(
            VehicleLine(
                id=row.id,
                plate=row.plate,
                description=described(row),
                type_label=types.get(row.type, row.type),
                seats=row.seats,
                colour=row.colour,
                permits=tuple(held.get(row.id, ())),
            )
            for row in rows
        ),
        total,
        page,
        size,
    )


def list_permits(
    session: Session,
    desk: Desk,
    authority: str,
    on: date,
    *,
    typed: str = "",
    regime: str = "",
    state: str = "",
    order: str = "",
    page: int = 1,
    size: int = PAGE_SIZE,
) -> Listed[PermitLine]:
    """The permits that a number, a plate or fragments of a name mean; all for an empty text. ``state``: em_vigor,
    encerrada or "".
    """
    columns = (Permit.id, Permit.regime, Permit.number, Permit.category, Permit.holder_id, Permit.granted_on)
    query = (
        select(*columns, Permit.granted_on_known, Permit.ended_on, _holder.name)
        .outerjoin(_holder, _holder.id == Permit.holder_id)
        .where(Permit.authority == authority)
    )
    if typed.strip():
        query = query.where(_meant(session, authority, typed))
    if regime:
        query = query.where(Permit.regime == regime)
    if state:
        live = or_(Permit.ended_on.is_(None), Permit.ended_on > on)
        query = query.where(live if state == "em_vigor" else ~live)
    rows, total = _page(session, query, _sorted(PERMIT_ORDERS, order, Permit.id), page, size)
    plates = _plates_of(session, on, [row.id for row in rows])
    return Listed(tuple(_permit_line(desk, row, on, plates) for row in rows), total, page, size)


def record_export(occasion: Occasion, desk: Desk, name: str, lines: int, filters: Mapping[str, str]) -> None:
    """Records who took a list home as a table: which, how many lines, limited by what.

    Of the text that was looked for (``q``), which may name somebody, it keeps only that there was one.
    """
    kept = {each: "…" if each == "q" else value for each, value in filters.items() if value}
    with desk.store.writing() as session:
        after = {"list": name, "lines": lines, "filters": kept}
        record(session, occasion, "list.exported", "list", 0, None, after)


def in_effect(on: date) -> tuple[ColumnElement[bool], ...]:
    """The conditions of a permit, joined with what it has, that holds on a day."""
    return (
        Permit.granted_on <= on,
        or_(Permit.ended_on.is_(None), Permit.ended_on > on),
        PermitVehicle.since <= on,
        or_(PermitVehicle.until.is_(None), PermitVehicle.until >= on),
    )


def permit_label(desk: Desk, regime: str, number: str) -> str:
    """«Permissão nº 0391»; «Outorga nº 0391» when the regime's plugin is not there."""
    loaded = desk.host.regimes.get(regime)
    return f"{loaded.permit_label if loaded else 'Outorga'} nº {number}"


def regime_label(desk: Desk, regime: str) -> str:
    """The regime's short name; its code when its plugin is not there."""
    loaded = desk.host.regimes.get(regime)
    return loaded.short_label if loaded else regime


def category_label(desk: Desk, regime: str, category: str) -> str:
    """The category's name; its code when the regime's plugin is not there."""
    loaded = desk.host.regimes.get(regime)
    known = {each.code: each.label for each in loaded.categories} if loaded else {}
    return known.get(category, category)


def described(row: Any) -> str:
    """``Chevrolet Spin 2023``; what is not known is left out."""
    return " ".join(str(part) for part in (row.make, row.model, row.year_made) if part)


def _people(session: Session, authority: str, typed: str) -> ColumnElement[bool]:
    try:
        return Person.document == parse_document(typed)[1]
    except IdentifierError:
        return Person.id.in_([hit.id for hit in search_people(session, authority, typed, MOST_COUNTED).hits])


def _meant(session: Session, authority: str, typed: str) -> ColumnElement[bool]:
    """The permits of this number, of the people of this name or number, or that have or had a vehicle of this plate."""
    bare = canonical(typed)
    numbers = Permit.number.in_({typed.strip(), bare, bare.lstrip("0"), bare.zfill(4)})
    holders = select(Person.id).where(Person.authority == authority, _people(session, authority, typed))
    vehicles = [hit.id for hit in search_plates(session, authority, typed, 200).hits]
    under = select(PermitVehicle.permit_id).where(PermitVehicle.vehicle_id.in_(vehicles))
    return or_(numbers, Permit.holder_id.in_(holders), Permit.id.in_(under))


def _sorted(orders: Mapping[str, tuple[Any, ...]], asked: str, last: Any) -> Iterable[Any]:
    """The columns of an order; what is not known comes last, on either engine, and no two lines change places."""
    code, down = asked.removeprefix("-") or next(iter(orders)), asked.startswith("-")
    if not asked:
        return (*orders[code], last)
    return (*((column.desc() if down else column.asc()).nulls_last() for column in orders[code]), last)


def _page(session: Session, query: Any, order: Iterable[Any], page: int, size: int) -> tuple[Sequence[Any], int]:
    counted = select(func.count()).select_from(query.limit(MOST_COUNTED).subquery()).scalar_subquery()
    found = query.add_columns(counted.label("counted")).order_by(*order).limit(size).offset((page - 1) * size)
    rows = session.execute(found).all()
    if rows or page == 1:
        return rows, rows[0].counted if rows else 0
    return rows, session.execute(select(counted)).scalar_one()


def _permits_of(session: Session, desk: Desk, on: date, whose: Any, ids: Sequence[int]) -> dict[int, list[PermitRef]]:
    """The permits in effect of these holders (``Permit.holder_id``) or vehicles (``PermitVehicle.vehicle_id``)."""
    if not ids:
        return {}
    query = select(whose.label("whose"), Permit.id, Permit.regime, Permit.number).where(whose.in_(ids))
    if whose is PermitVehicle.vehicle_id:
        query = query.join(PermitVehicle, PermitVehicle.permit_id == Permit.id).where(*in_effect(on))
    else:
        query = query.where(Permit.granted_on <= on, or_(Permit.ended_on.is_(None), Permit.ended_on > on))
    found: dict[int, list[PermitRef]] = {}
    for row in session.execute(query.order_by(Permit.id)):
        found.setdefault(row.whose, []).append(PermitRef(row.id, permit_label(desk, row.regime, row.number)))
    return found


def _plates_of(session: Session, on: date, permit_ids: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
    if not permit_ids:
        return {}
    rows = session.execute(
        select(PermitVehicle.permit_id, Vehicle.id, Vehicle.plate)
        .join(Vehicle, Vehicle.id == PermitVehicle.vehicle_id)
        .where(
            PermitVehicle.permit_id.in_(permit_ids),
            PermitVehicle.since <= on,
            or_(PermitVehicle.until.is_(None), PermitVehicle.until >= on),
        )
        .order_by(Vehicle.plate_key)
    )
    found: dict[int, list[tuple[int, str]]] = {}
    for row in rows:
        found.setdefault(row.permit_id, []).append((row.id, row.plate))
    return found


def _permit_line(desk: Desk, row: Any, on: date, plates: Mapping[int, list[tuple[int, str]]]) -> PermitLine:
    return PermitLine(
        id=row.id,
        label=permit_label(desk, row.regime, row.number),
        regime_label=regime_label(desk, row.regime),
        category=category_label(desk, row.regime, row.category),
        holder_id=row.holder_id,
        holder=row.name or "",
        granted_on=row.granted_on,
        granted_on_known=row.granted_on_known,
        ended_on=row.ended_on,
        in_effect=row.granted_on <= on and (row.ended_on is None or row.ended_on > on),
        plates=tuple(plates.get(row.id, ())),
    )
