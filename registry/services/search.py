"""The staff's one search: plate in either form, CPF or CNPJ, number, or any fragments of a name.

It says how it read the text, and finds what belongs to a person or vehicle as well, in one authority.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Row, func, or_, select
from sqlalchemy.orm import Session

from registry.domain.identifiers import IdentifierError, Plate, format_plate, parse_document, parse_plate
from registry.domain.sentences import join_words
from registry.domain.text import fold
from registry.services.desk import Desk
from registry.services.people import printed_document
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.requests import Request
from registry.store.search import MOST_COUNTED, search_people, search_plates
from registry.store.vehicles import Vehicle

Noun = Literal["person", "vehicle", "permit", "request"]
NOUNS: tuple[Noun, ...] = ("person", "vehicle", "permit", "request")
FEW = 5
_LONGEST = 100
_NUMBER = re.compile(r"(?:[0-9]{4}/)?[0-9]{1,8}")
_PEOPLE_KINDS = {"natural": "Pessoa", "company": "Empresa", "cooperative": "Cooperativa"}


@dataclass(frozen=True)
class Hit:
    """One record found: its noun and id, its name, a line about it, and its plate where it has one."""

    noun: Noun
    id: int
    title: str
    note: str = ""
    plate: str = ""


@dataclass(frozen=True)
class Group:
    """The hits of one noun and how many there are in all; 1,001 means more than 1,000."""

    noun: Noun
    hits: tuple[Hit, ...] = ()
    count: int = 0

    @property
    def more_than_counted(self) -> bool:
        """Whether counting stopped before the end."""
        return self.count >= MOST_COUNTED


@dataclass(frozen=True)
class Found:
    """What a search found. ``how`` says how the text was read; ``exact`` is the one record that it names, if any.

    ``similar`` are people of similar names, only where nothing else was found.
    """

    how: str
    groups: tuple[Group, ...] = ()
    exact: Hit | None = None
    similar: tuple[Hit, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether no group has a hit."""
        return not any(group.hits for group in self.groups)


@dataclass(frozen=True)
class _Query:
    """The typed text as it can be read."""

    text: str
    plate: Plate | None
    document: str
    document_kind: str
    number: str


def find(
    session: Session, desk: Desk, authority: str, typed: str, nouns: Iterable[Noun] = NOUNS, limit: int = FEW
) -> Found:
    """What the text finds among the records of an authority.

    Args:
        session: any session.
        desk: gives the regimes' labels.
        authority: whose records.
        typed: as typed in the box.
        nouns: the groups that the user may open.
        limit: hits of each group.
    """
    query = _read(typed)
    if not query.text:
        return Found("")
    wanted = tuple(nouns)
    people = _people(session, authority, query, limit)
    vehicles = _vehicles(session, authority, query, limit)
    persons, cars = [hit.id for hit in people.hits], [hit.id for hit in vehicles.hits]
    found = {"person": people, "vehicle": vehicles}
    if "permit" in wanted:
        found["permit"] = _permits(session, desk, authority, query, (persons, cars), limit)
    if "request" in wanted:
        found["request"] = _requests(session, desk, authority, query, (persons, cars), limit)
    groups = tuple(found[noun] for noun in wanted)
    nothing = not any(group.hits for group in groups)
    similar = _similar(session, authority, query) if nothing and "person" in wanted else ()
    return Found(_how(query), groups, _exact(query, groups), similar)


def named(session: Session, desk: Desk, authority: str, refs: Iterable[tuple[str, int]]) -> tuple[Hit, ...]:
    """The records of these nouns and ids as hits, in the same order; those that are not there are left out."""
    wanted = list(refs)
    ids = {noun: [id for each, id in wanted if each == noun] for noun in NOUNS}
    hits: dict[tuple[str, int], Hit] = {}
    if ids["person"]:
        rows = session.execute(_people_query(authority).where(Person.id.in_(ids["person"])))
        hits |= {("person", row.id): _person_hit(row) for row in rows}
    if ids["vehicle"]:
        rows = session.execute(_vehicle_query(authority).where(Vehicle.id.in_(ids["vehicle"])))
        hits |= {("vehicle", row.id): _vehicle_hit(row) for row in rows}
    if ids["permit"]:
        rows = session.execute(_permit_query(authority).where(Permit.id.in_(ids["permit"])))
        hits |= {("permit", row.id): _permit_hit(desk, row) for row in rows}
    if ids["request"]:
        rows = session.execute(_request_query(authority).where(Request.id.in_(ids["request"])))
        hits |= {("request", row.id): _request_hit(desk, row) for row in rows}
    return tuple(hits[ref] for ref in wanted if ref in hits)


def _read(typed: str) -> _Query:
    text = " ".join(typed.split())[:_LONGEST]
    plate: Plate | None = None
    kind, document = "", ""
    with suppress(IdentifierError):
        plate = parse_plate(text)
    with suppress(IdentifierError):
        kind, document = parse_document(text)
    bare = re.sub(r"(?i)^(n[º°o.]+|termo|alvar[áa]|permiss[ãa]o|requerimento)\s*", "", text).strip()
    number = bare if _NUMBER.fullmatch(bare) else ""
    return _Query(text, plate, document, kind, number)


def _how(query: _Query) -> str:
    if query.plate:
        forms = [query.plate.pretty] + ([format_plate(query.plate.twin)] if query.plate.twin else [])
        return f"Procuramos {join_words(forms)}."
    if query.document:
        name, kind = ("CPF", "natural") if query.document_kind == "cpf" else ("CNPJ", "company")
        return f"Procuramos o {name} {printed_document(kind, query.document)}."
    if query.number:
        return f"Procuramos o número {query.number}."
    return f"Procuramos «{query.text}» em nomes e placas, sem olhar acento nem maiúscula."


def _people_query(authority: str) -> Any:
    return select(Person.id, Person.kind, Person.name, Person.document).where(Person.authority == authority)


def _people(session: Session, authority: str, query: _Query, limit: int) -> Group:
    if query.document:
        rows = session.execute(
            _people_query(authority).where(Person.document == query.document, Person.ended_at.is_(None))
        ).all()
        return Group("person", tuple(_person_hit(row) for row in rows), len(rows))
    if query.plate or query.number:
        return Group("person")
    found = search_people(session, authority, query.text, limit)
    return Group("person", tuple(_person_hit(hit) for hit in found.hits), found.count)


def _person_hit(row: Any) -> Hit:
    printed = printed_document(row.kind, row.document) if row.document else ""
    note = " · ".join(filter(None, (_PEOPLE_KINDS.get(row.kind, row.kind), printed)))
    return Hit("person", row.id, row.name, note)


def _vehicle_query(authority: str) -> Any:
    columns = (Vehicle.id, Vehicle.plate, Vehicle.make, Vehicle.model, Vehicle.colour)
    return select(*columns).where(Vehicle.authority == authority)


def _vehicles(session: Session, authority: str, query: _Query, limit: int) -> Group:
    if query.document or (query.number and not query.plate):
        return Group("vehicle")
    if " " in query.text and not query.plate:
        return Group("vehicle")
    found = search_plates(session, authority, query.text, limit)
    return Group("vehicle", tuple(_vehicle_hit(hit) for hit in found.hits), found.count)


def _vehicle_hit(row: Any) -> Hit:
    note = " ".join(filter(None, (row.make, row.model, row.colour)))
    if getattr(row, "former", ""):
        note = " · ".join(filter(None, (f"Antes {format_plate(row.former)}", note)))
    return Hit("vehicle", row.id, f"Veículo {row.plate}", note, row.plate)


def _permit_query(authority: str) -> Any:
    return (
        select(Permit.id, Permit.regime, Permit.number, Permit.category, Permit.ended_on, Person.name)
        .join(Person, Person.id == Permit.holder_id, isouter=True)
        .where(Permit.authority == authority)
    )


def _permits(
    session: Session, desk: Desk, authority: str, query: _Query, related: tuple[list[int], list[int]], limit: int
) -> Group:
    persons, cars = related
    either: list[ColumnElement[bool]] = []
    if query.number:
        either.append(Permit.number.in_({query.number, query.number.lstrip("0"), query.number.zfill(4)}))
    if persons:
        either.append(Permit.holder_id.in_(persons))
    if cars:
        under = select(PermitVehicle.permit_id).where(PermitVehicle.vehicle_id.in_(cars))
        either.append(Permit.id.in_(under))
    if not either:
        return Group("permit")
    rows = _counted(session, _permit_query(authority).where(or_(*either)), Permit.id, limit)
    return Group("permit", tuple(_permit_hit(desk, row) for row in rows), rows[0].counted if rows else 0)


def _permit_hit(desk: Desk, row: Any) -> Hit:
    try:
        label = desk.host.regimes[row.regime].permit_label
    except KeyError:
        label = "Outorga"
    note = " · ".join(filter(None, (row.name, "encerrada" if row.ended_on else "")))
    return Hit("permit", row.id, f"{label[0].upper()}{label[1:]} nº {row.number}", note)


def _request_query(authority: str) -> Any:
    columns = (Request.id, Request.regime, Request.kind, Request.number, Person.name, Vehicle.plate)
    return (
        select(*columns)
        .join(Person, Person.id == Request.applicant_id, isouter=True)
        .join(Vehicle, Vehicle.id == Request.vehicle_id, isouter=True)
        .where(Request.authority == authority)
    )


def _requests(
    session: Session, desk: Desk, authority: str, query: _Query, related: tuple[list[int], list[int]], limit: int
) -> Group:
    persons, cars = related
    either: list[ColumnElement[bool]] = []
    if query.number:
        year, slash, serial = query.number.rpartition("/")
        wanted = f"{year}/{serial.zfill(6)}" if slash else f"%/{serial.zfill(6)}"
        either.append(Request.number == wanted if slash else Request.number.like(wanted))
    if persons:
        either += [Request.applicant_id.in_(persons), Request.cooperative_id.in_(persons)]
    if cars:
        either.append(Request.vehicle_id.in_(cars))
    if not either:
        return Group("request")
    rows = _counted(session, _request_query(authority).where(or_(*either)), Request.id, limit)
    return Group("request", tuple(_request_hit(desk, row) for row in rows), rows[0].counted if rows else 0)


def _request_hit(desk: Desk, row: Any) -> Hit:
    try:
        label = desk.host.regimes[row.regime].request_kind(row.kind).label
    except KeyError:
        label = "Requerimento"
    note = " · ".join(filter(None, (label, row.name)))
    return Hit("request", row.id, row.number or "Rascunho", note, row.plate or "")


def _counted(session: Session, statement: Any, newest: Any, limit: int) -> list[Row[Any]]:
    """The newest rows of a statement, each with the count of all, capped."""
    inner = statement.limit(MOST_COUNTED).subquery()
    counted = select(func.count()).select_from(inner).scalar_subquery()
    return list(session.execute(statement.add_columns(counted.label("counted")).order_by(newest.desc()).limit(limit)))


def _exact(query: _Query, groups: tuple[Group, ...]) -> Hit | None:
    """The one record that the text names as a whole: this plate, this CPF or CNPJ, this number."""
    if query.plate:
        keys = {query.plate.text, query.plate.twin}
        cars = [hit for group in groups if group.noun == "vehicle" for hit in group.hits]
        hits = [hit for hit in cars if hit.plate in keys] or cars  # the others had it before
    elif query.document:
        hits = [hit for group in groups if group.noun == "person" for hit in group.hits]
    elif query.number:
        hits = [hit for group in groups for hit in group.hits]
        if sum(group.count for group in groups) != 1:
            return None
    else:
        return None
    return hits[0] if len(hits) == 1 else None


def _similar(session: Session, authority: str, query: _Query) -> tuple[Hit, ...]:
    """People whose name shares the beginnings of its words with the text."""
    if query.plate or query.document or query.number:
        return ()
    beginnings = [part[:4] for part in fold(query.text).split() if len(part) >= 4]
    for attempt in (" ".join(beginnings), *sorted(beginnings, key=len, reverse=True)[:2]):
        found = search_people(session, authority, attempt, FEW)
        if found.hits:
            return tuple(_person_hit(hit) for hit in found.hits)
    return ()
