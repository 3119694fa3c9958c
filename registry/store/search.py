"""Search for people by any fragments of their name and for vehicles by the beginning of a plate.

Both engines answer alike, accents and case ignored. For names SQLite has an FTS5 table of trigrams, PostgreSQL a
pg_trgm index. A shorter fragment has no trigram: one of two letters has an index of its own on PostgreSQL, any other is
looked for in the names themselves, which an index covers. At most 1,001 rows are looked at, so that a fragment that
everybody has costs no more than a rare one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    TEXT,
    ColumnElement,
    Select,
    cast,
    column,
    func,
    literal,
    not_,
    select,
    table,
    text,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY, array
from sqlalchemy.orm import Session

from registry.domain.identifiers import plate_fragments
from registry.domain.text import fold
from registry.store.guards import BIGRAMS, SEARCH_TABLE
from registry.store.people import Person
from registry.store.vehicles import FormerPlate, Vehicle

MOST_COUNTED = 1_001
"""Counting stops here: "more than 1,000"."""

_TRIGRAM = 3
_BIGRAM = 2
_LAST = "~"  # sorts after every letter of a plate
_TRIGRAMS = table(SEARCH_TABLE, column("rowid"))


@dataclass(frozen=True)
class PersonHit:
    """One person found."""

    id: int
    kind: str
    name: str
    name_folded: str
    document: str


@dataclass(frozen=True)
class PeopleFound:
    """One page of hits by name, and how many there are in all: 1,001 means more than 1,000."""

    hits: tuple[PersonHit, ...]
    count: int

    @property
    def more_than_counted(self) -> bool:
        """Whether counting stopped before the end."""
        return self.count >= MOST_COUNTED

    @property
    def last(self) -> tuple[str, int] | None:
        """The key of the last hit, for the next page."""
        return (self.hits[-1].name_folded, self.hits[-1].id) if self.hits else None


@dataclass(frozen=True)
class VehicleHit:
    """One vehicle found; ``plate`` as it is registered, ``former`` the earlier plate that found it, "" for none."""

    id: int
    plate: str
    make: str
    model: str
    colour: str
    former: str = ""


@dataclass(frozen=True)
class VehiclesFound:
    """The first hits by plate, and how many there are in all: 1,001 means more than 1,000."""

    hits: tuple[VehicleHit, ...]
    count: int

    @property
    def more_than_counted(self) -> bool:
        """Whether counting stopped before the end."""
        return self.count >= MOST_COUNTED


def search_people(
    session: Session, authority: str, typed: str, limit: int = 50, after: tuple[str, int] | None = None
) -> PeopleFound:
    """The people of an authority whose name has every fragment of the text, in the order of their names.

    Args:
        session: any session.
        authority: code of the authority whose people are searched.
        typed: fragments between blanks, as typed; ``%``, ``_`` and quotes are letters like any other. An empty text
            finds nobody.
        limit: hits on the page.
        after: ``last`` of the page before; None for the first.
    """
    fragments = sorted(set(fold(typed).split()), key=lambda each: (-len(each), each))
    if not fragments:
        return PeopleFound((), 0)
    # ids and names alone, which the indexes hold; the rest of a row is read for the page only
    found = _matching(session, authority, fragments).limit(MOST_COUNTED).cte("found")
    page = select(found).order_by(found.c.name_folded, found.c.id).limit(limit)
    if after is not None:
        page = page.where(tuple_(found.c.name_folded, found.c.id) > tuple_(*after))
    hit = page.subquery("hit")
    counted = select(func.count()).select_from(found).scalar_subquery()
    rows = session.execute(
        select(Person.id, Person.kind, Person.name, Person.name_folded, Person.document, counted.label("counted"))
        .join(hit, hit.c.id == Person.id)
        .order_by(hit.c.name_folded, hit.c.id)
    ).all()
    hits = tuple(PersonHit(row.id, row.kind, row.name, row.name_folded, row.document) for row in rows)
    return PeopleFound(hits, rows[0].counted if rows else 0)


def search_plates(session: Session, authority: str, typed: str, limit: int = 50) -> VehiclesFound:
    """The vehicles of an authority whose plate begins as typed, in either of its forms, in the order of the plates;
    those that had such a plate before too.

    ``kga-12``, ``kga1c`` and ``KGA 1234`` all find the vehicle KGA1234. An empty text finds none.
    """
    beginnings = sorted(set(plate_fragments(typed)))
    if not beginnings:
        return VehiclesFound((), 0)
    # an arm for each beginning, so that each is a range of an index; each with its own limit, so that a fragment that
    # everybody has costs no more than a rare one
    arms = [arm for each in beginnings for arm in (_having(authority, each), _having_had(authority, each, beginnings))]
    found = union_all(*(select(arm.subquery()) for arm in arms)).limit(MOST_COUNTED).cte("found")
    counted = select(func.count()).select_from(found).scalar_subquery()
    first = select(found, counted.label("counted")).order_by(found.c.plate_key, found.c.id).limit(limit).subquery()
    rows = session.execute(
        select(first.c.id, Vehicle.plate, Vehicle.make, Vehicle.model, Vehicle.colour, first.c.former, first.c.counted)
        .join(Vehicle, Vehicle.id == first.c.id)
        .order_by(first.c.plate_key, first.c.id)
    ).all()
    hits = {row.id: VehicleHit(row.id, row.plate, row.make, row.model, row.colour, row.former) for row in rows}
    return VehiclesFound(tuple(hits.values()), rows[0].counted if rows else 0)


def _having(authority: str, beginning: str) -> Select[int, str, str]:
    """The live vehicles whose plate begins so."""
    query = select(Vehicle.id, Vehicle.plate_key, literal("").label("former"))
    ours = (Vehicle.authority == authority, Vehicle.ended_at.is_(None))
    return query.where(*ours, _begins(Vehicle.plate_key, beginning)).limit(MOST_COUNTED)


def _having_had(authority: str, beginning: str, beginnings: list[str]) -> Select[int, str, str]:
    """The live vehicles that had a plate that begins so, and whose plate of now begins otherwise."""
    had = (
        select(FormerPlate.vehicle_id, func.max(FormerPlate.plate).label("plate"))
        .where(_begins(FormerPlate.plate_key, beginning))
        .group_by(FormerPlate.vehicle_id)
        .subquery()
    )
    others = (not_(_begins(Vehicle.plate_key, each)) for each in beginnings)
    query = select(Vehicle.id, Vehicle.plate_key, had.c.plate.label("former"))
    query = query.join(had, had.c.vehicle_id == Vehicle.id)
    return query.where(Vehicle.authority == authority, Vehicle.ended_at.is_(None), *others).limit(MOST_COUNTED)


def _begins(key: Any, beginning: str) -> ColumnElement[bool]:
    return key.between(beginning, beginning + _LAST)


def _matching(session: Session, authority: str, fragments: list[str]) -> Select[int, str]:
    """The ids and folded names of whoever has every fragment; by position where a trigram index would not help."""
    query = select(Person.id, Person.name_folded).where(Person.ended_at.is_(None))
    long = [each for each in fragments if len(each) >= _TRIGRAM]
    short = [each for each in fragments if len(each) < _TRIGRAM]
    if session.get_bind().dialect.name == "postgresql":
        query = query.where(Person.authority == authority)
        query = query.where(*(Person.name_folded.contains(each, autoescape=True, escape="\\") for each in long))
        return query.where(*(_holds(each) for each in short))
    query = query.where(*(func.instr(Person.name_folded, each) > 0 for each in short))
    if not long:
        return query.where(Person.authority == authority)
    wanted = " AND ".join('"' + each.replace('"', '""') + '"' for each in long)
    # the + keeps SQLite from walking the authority's people and asking the trigrams about each
    trigrams = text(f"{SEARCH_TABLE} MATCH :wanted AND +person.authority = :authority")
    query = query.join(_TRIGRAMS, _TRIGRAMS.c.rowid == Person.id)
    return query.where(trigrams.bindparams(wanted=wanted, authority=authority))


def _holds(short: str) -> ColumnElement[bool]:
    """Whether a name has a fragment of one or two letters, on PostgreSQL."""
    if len(short) == _BIGRAM:
        return getattr(func, BIGRAMS)(Person.name_folded, type_=ARRAY(TEXT)).contains(array([cast(short, TEXT)]))
    return func.strpos(Person.name_folded, short) > 0
