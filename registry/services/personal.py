"""What the registry knows of one natural person: every row that is about them, found by the database's own references.

A plugin's tables are found too, loaded or not. From the person the search goes to the rows that refer to them, and from
these on, but never to a row that names another person instead; files and vehicles are named and not followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import String, and_, cast, or_, select
from sqlalchemy.orm import Session

from registry.services.errors import Refused
from registry.store.audit import AuditEntry
from registry.store.corrections import Merge
from registry.store.people import Person
from registry.store.requests import StoredVerdict
from registry.store.shapes import TableShape, shapes_of

_FOLLOWED_NO_FURTHER = frozenset({"authority", "user", "act", "import_run"})
_NAMED = ("file", "vehicle")
_NUMBERS = ("document", "cnh")
_SHORTEST_NUMBER = 6
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Found:
    """The rows about a person by table, the person's own first, each by its primary key's column ``id``.

    ``ids`` are the person's, with those of duplicates that were made one with them.
    """

    ids: frozenset[int]
    shapes: Mapping[str, TableShape]
    rows: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)

    def ids_of(self, table: str) -> frozenset[int]:
        """The ids of the rows of a table."""
        return frozenset(row["id"] for row in self.rows.get(table, ()) if "id" in row)


def natural_person(session: Session, person: Person) -> frozenset[int]:
    """The ids under which a natural person is recorded: their own and those of duplicates merged into it.

    Raises Refused for a company or cooperative, whose data are not personal.
    """
    if person.kind != "natural":
        raise Refused(message=f"{person.name} não é pessoa física: a lei de dados pessoais não trata dos dados dela.")
    known = {person.id}
    while True:
        query = select(Merge.gone_id).where(
            Merge.noun == "person", Merge.kept_id.in_(known), Merge.gone_id.not_in(known), Merge.undone_at.is_(None)
        )
        more = set(session.scalars(query))
        if not more:
            return frozenset(known)
        known |= more


def find_rows(session: Session, ids: frozenset[int]) -> Found:
    """Every row about the person of these ids, in every table of the registry."""
    shapes = {each.name: each for each in shapes_of(session.connection())}
    kept: dict[str, dict[Any, Row]] = {}
    waiting: list[tuple[str, frozenset[int]]] = [("person", ids)]
    _keep(kept, shapes["person"], _read(session, shapes["person"], "id", ids))
    while waiting:
        parent, keys = waiting.pop()
        for shape, column in _referring(shapes.values(), parent):
            rows = [row for row in _read(session, shape, column, keys) if not _anothers(shape, row, ids)]
            fresh = _keep(kept, shape, rows)
            if fresh and "id" in shape.key and shape.name not in (*_FOLLOWED_NO_FURTHER, *_NAMED):
                waiting.append((shape.name, frozenset(fresh)))
    for table in _NAMED:
        named = {row[column] for name, column in _naming(shapes, kept, table) for row in kept[name].values()}
        _keep(kept, shapes[table], _read(session, shapes[table], "id", frozenset(named - {None})))
    _keep(kept, shapes["verdict"], _verdicts(session, shapes["verdict"], kept))
    return Found(ids, shapes, {name: tuple(rows.values()) for name, rows in kept.items() if rows})


def entries_about(session: Session, authority: str, found: Found) -> tuple[AuditEntry, ...]:
    """The audit entries that tell of the person: of their rows, and others that name their id or one of their numbers.

    Former numbers count too: they are taken from the person's own entries.
    """
    subjects = {"person": found.ids, **{name: found.ids_of(name) for name in ("request", "permit", "charge")}}
    subjects |= {"inspection": found.ids_of("inspection"), "document": found.ids_of("request_document")}
    subjects |= {name: found.ids_of(name) for name in found.rows if "__" in name}
    own = [and_(AuditEntry.subject == name, AuditEntry.subject_id.in_(ids)) for name, ids in subjects.items() if ids]
    query = select(AuditEntry).where(AuditEntry.authority == authority).order_by(AuditEntry.seq)
    about = {each.seq: each for each in session.scalars(query.where(or_(*own)))}
    numbers, members = _numbers(found, about.values()), found.ids_of("membership")
    wanted = [f'_id": {each}' for each in found.ids | members] + sorted(numbers)
    columns = [cast(column, String) for column in (AuditEntry.before, AuditEntry.after)]
    likely = or_(*(each.contains(text, autoescape=True) for each in columns for text in wanted))
    for each in session.scalars(query.where(likely)):
        contents = (each.before, each.after)
        if any(_tells(content, found.ids, numbers) for content in contents) or _names(each, found.ids, members):
            about[each.seq] = each
    return tuple(about[seq] for seq in sorted(about))


def _referring(shapes: Iterable[TableShape], parent: str) -> Iterator[tuple[TableShape, str]]:
    for shape in shapes:
        for each in shape.references:
            if each.table == parent and each.targets == ("id",):
                yield shape, each.columns[0]


def _naming(
    shapes: Mapping[str, TableShape], kept: Mapping[str, dict[Any, Row]], table: str
) -> Iterator[tuple[str, str]]:
    for shape, column in _referring((shapes[name] for name in list(kept)), table):
        if shape.name not in _NAMED:
            yield shape.name, column


def _anothers(shape: TableShape, row: Row, ids: frozenset[int]) -> bool:
    """Whether the row names other persons and not this one."""
    named = {row[each.columns[0]] for each in shape.references if each.table == "person"} - {None}
    return bool(named) and not named & ids


def _read(session: Session, shape: TableShape, column: str, keys: frozenset[int]) -> list[Row]:
    if not keys:
        return []
    table = shape.plain()
    query = select(table).where(table.c[column].in_(keys)).order_by(*(table.c[name] for name in shape.key))
    return [dict(row._mapping) for row in session.execute(query)]


def _keep(kept: dict[str, dict[Any, Row]], shape: TableShape, rows: Iterable[Row]) -> list[int]:
    """Adds rows that are not there yet; answers the ids of the new ones."""
    there = kept.setdefault(shape.name, {})
    fresh = []
    for row in rows:
        key = tuple(row[name] for name in shape.key)
        if key not in there:
            there[key] = row
            fresh.append(row.get("id"))
    return [each for each in fresh if isinstance(each, int)]


def _verdicts(session: Session, shape: TableShape, kept: Mapping[str, dict[Any, Row]]) -> list[Row]:
    table = shape.plain()
    subjects = {
        name: [row["id"] for row in kept.get(name, {}).values()] for name in ("request", "charge", "inspection")
    }
    wanted = [and_(table.c.subject == name, table.c.subject_id.in_(ids)) for name, ids in subjects.items() if ids]
    if not wanted:
        return []
    columns = [table.c[StoredVerdict.__table__.c.id.name]]
    return [dict(row._mapping) for row in session.execute(select(table).where(or_(*wanted)).order_by(*columns))]


def _numbers(found: Found, entries: Iterable[AuditEntry]) -> set[str]:
    """The person's document and CNH, and what they were before; a telephone or an e-mail is often a whole family's."""
    contents: list[Row] = list(found.rows["person"])
    for each in entries:
        if each.subject == "person" and each.subject_id in found.ids:
            contents += [content for content in (each.before, each.after) if content]
    typed = {content.get(name) for content in contents for name in _NUMBERS}
    return {each for each in typed if isinstance(each, str) and len(each) >= _SHORTEST_NUMBER}


def _tells(content: Any, ids: frozenset[int], numbers: set[str]) -> bool:
    """Whether a content names the person: an id under a key of persons, or one of their numbers in a text."""
    if isinstance(content, str):
        return any(each in content for each in numbers)
    if isinstance(content, list):
        return any(_tells(each, ids, numbers) for each in content)
    if not isinstance(content, Mapping):
        return False
    named = any(content.get(key) in ids for key in _PERSON_KEYS if isinstance(content.get(key), int))
    return named or any(_tells(each, ids, numbers) for each in content.values())


def _names(entry: AuditEntry, ids: frozenset[int], members: frozenset[int]) -> bool:
    """Whether the entry of another person is about a merge with this one, or a membership of theirs put right."""
    after = entry.after or {}
    corrected = members if after.get("noun") == "membership" else frozenset()
    return entry.subject == "person" and (after.get("other_id") in ids or bool(corrected & _rows(after)))


def _rows(after: Mapping[str, Any]) -> set[int]:
    return {each for each in (after.get("wrong_id"), after.get("right_id")) if isinstance(each, int)}


_PERSON_KEYS = ("person_id", "holder_id", "applicant_id", "member_id", "debtor_id", "driver_id", "kept_id", "gone_id")
