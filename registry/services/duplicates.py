"""Records that are probably one: people of one name whose numbers or birthdays agree, cars of one RENAVAM or plate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from registry.domain.identifiers import format_plate
from registry.domain.text import format_date
from registry.services.people import printed_document
from registry.store.people import Person
from registry.store.vehicles import FormerPlate, Vehicle

MOST = 500
"""Pairs and groups looked at: who has more joins these first."""

_MOST_OF_ONE_NAME = 40


@dataclass(frozen=True)
class Side:
    """One record of a pair: its name or plate, and a line about it."""

    id: int
    title: str
    note: str


@dataclass(frozen=True)
class Pair:
    """Two live records that are probably one, the older first, and why they look so."""

    first: Side
    second: Side
    why: str


def pairs_of_people(session: Session, authority: str) -> tuple[Pair, ...]:
    """The pairs of persons of one kind and name, accents and case apart, of which one lacks a number, whose numbers
    differ by one slip of typing, or who were born on one day; by name, at most :data:`MOST`.
    """
    live = (Person.authority == authority, Person.ended_at.is_(None), Person.name_folded != "")
    names = select(Person.name_folded).where(*live).group_by(Person.name_folded).having(func.count() > 1)
    shared = names.order_by(Person.name_folded).limit(MOST).subquery()
    rows = session.execute(
        select(Person.id, Person.kind, Person.name, Person.name_folded, Person.document, Person.born_on)
        .join(shared, shared.c.name_folded == Person.name_folded)
        .where(*live)
        .order_by(Person.name_folded, Person.id)
    )
    groups: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in rows:
        groups[row.name_folded, row.kind].append(row)
    found = (
        Pair(_person(one), _person(other), why)
        for group in groups.values()
        for one, other in combinations(group[:_MOST_OF_ONE_NAME], 2)
        if (why := _alike(one, other))
    )
    return _some(found)


def pairs_of_vehicles(session: Session, authority: str) -> tuple[Pair, ...]:
    """The pairs of vehicles of one RENAVAM, and those of which one has now the plate that the other had before; by
    RENAVAM, at most :data:`MOST`.
    """
    one, other = aliased(Vehicle), aliased(Vehicle)
    live = [each.authority == authority for each in (one, other)] + [each.ended_at.is_(None) for each in (one, other)]
    # grouped first: joining vehicles with themselves would cost their square where no index holds the RENAVAM
    ours = (Vehicle.authority == authority, Vehicle.ended_at.is_(None), Vehicle.renavam != "")
    twice = select(Vehicle.renavam).where(*ours).group_by(Vehicle.renavam).having(func.count() > 1)
    shared = session.scalars(twice.order_by(Vehicle.renavam).limit(MOST)).all()
    rows = session.scalars(select(Vehicle).where(*ours, Vehicle.renavam.in_(shared)).order_by(Vehicle.id))
    groups: dict[str, list[Vehicle]] = defaultdict(list)
    for row in rows:
        groups[row.renavam].append(row)
    same = [pair for key in shared for pair in combinations(groups[key], 2)]
    before = session.execute(
        select(one, other, FormerPlate.plate)
        .join(FormerPlate, FormerPlate.vehicle_id == one.id)
        .join(other, (other.plate_key == FormerPlate.plate_key) & (other.id != one.id))
        .where(*live)
        .order_by(one.id, other.id)
        .limit(MOST)
    ).all()
    pairs = [Pair(_vehicle(a), _vehicle(b), f"O mesmo RENAVAM, {a.renavam}.") for a, b in same]
    pairs += [
        Pair(_vehicle(a), _vehicle(b), f"A placa {format_plate(plate)} foi do primeiro e é do segundo.")
        for a, b, plate in before
    ]
    return _some(pairs)


def slip(one: str, other: str) -> bool:
    """Whether two numbers of one length differ by one slip: one figure, or two neighbours that changed places.

    >>> slip("02345678135", "02345678153"), slip("02345678135", "52998224725")
    (True, False)
    """
    if len(one) != len(other):
        return False
    places = [place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(places) == 2:
        first, second = places
        return second == first + 1 and one[first] == other[second] and one[second] == other[first]
    return len(places) == 1


def _alike(one: Any, other: Any) -> str:
    if one.born_on is not None and one.born_on == other.born_on:
        return f"O mesmo nome e nascimento, {format_date(one.born_on)}."
    if one.born_on is not None and other.born_on is not None and not slip(one.document, other.document):
        return ""
    if not one.document or not other.document:
        return "O mesmo nome, e um dos dois está sem CPF ou CNPJ."
    return "O mesmo nome, e os números diferem por um erro de digitação." if slip(one.document, other.document) else ""


def _person(row: Any) -> Side:
    printed = printed_document(row.kind, row.document) or "Sem CPF ou CNPJ"
    return Side(row.id, row.name, f"{printed}, nascimento {format_date(row.born_on)}" if row.born_on else printed)


def _vehicle(row: Vehicle) -> Side:
    what = " ".join(str(part) for part in (row.make, row.model, row.year_made or "", row.colour) if part)
    return Side(row.id, format_plate(row.plate), what)


def _some(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    kept: Sequence[Pair] = [pair for pair, _ in zip(pairs, range(MOST), strict=False)]
    return tuple(kept)
