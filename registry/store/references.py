"""Every row that points at a record, the core's and each plugin's, found through the database's own foreign keys.

A plugin needs nothing for it, and the rows of one that is not loaded are found too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Integer, String, and_, column, func, inspect, literal, select, table, union_all, update
from sqlalchemy.orm import Session

from registry.store.base import Base
from registry.store.tables import is_core_table


@dataclass(frozen=True)
class Pointer:
    """A column that points at a record's id; ``keys`` is the primary key of its table."""

    table: str
    column: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Moved:
    """The rows of one column that were made to point elsewhere, by the values of their primary key."""

    pointer: Pointer
    rows: tuple[tuple[Any, ...], ...]


def pointers(session: Session, target: str) -> tuple[Pointer, ...]:
    """Every column of the database that points at ``<target>.id``, in the order of tables and columns."""
    inspector = inspect(session.connection())
    foreign, primary = inspector.get_multi_foreign_keys(), inspector.get_multi_pk_constraint()
    found = [
        Pointer(name, keys["constrained_columns"][0], tuple(primary[schema, name]["constrained_columns"]))
        for (schema, name), constraints in foreign.items()
        for keys in constraints
        if keys["referred_table"] == target and keys["referred_columns"] == ["id"]
    ]
    return tuple(sorted(found, key=lambda each: (each.table, each.column)))


def move(session: Session, found: Iterable[Pointer], from_id: int, to_id: int) -> tuple[Moved, ...]:
    """Makes every row that points at one id point at another; tells which rows these were, columns without any left
    out. Raises IntegrityError where a table allows only one such row.
    """
    session.flush()
    moved = []
    for pointer in found:
        rows = _rows_of(session, pointer, from_id)
        if rows:
            where = table(pointer.table, column(pointer.column))
            session.execute(update(where).where(where.c[pointer.column] == from_id).values({pointer.column: to_id}))
            place = pointer.keys.index(pointer.column) if pointer.column in pointer.keys else None
            if place is not None:
                rows = [(*row[:place], to_id, *row[place + 1 :]) for row in rows]
            moved.append(Moved(pointer, tuple(rows)))
    session.expire_all()
    return tuple(moved)


def give_back(session: Session, moved: Iterable[Moved], from_id: int, to_id: int) -> int:
    """Makes exactly these rows point at ``to_id`` again, those that point elsewhere by now left alone; tells how many.

    Rows of a table that is gone with its plugin stay where they are. Raises IntegrityError as :func:`move` does.
    """
    session.flush()
    there = set(inspect(session.connection()).get_table_names())
    count = 0
    for each in moved:
        pointer = each.pointer
        if pointer.table not in there:
            continue
        where = table(pointer.table, *(column(name) for name in dict.fromkeys((pointer.column, *pointer.keys))))
        for row in each.rows:
            same = [where.c[name] == value for name, value in zip(pointer.keys, row, strict=True)]
            done = session.execute(
                update(where).where(and_(where.c[pointer.column] == from_id, *same)).values({pointer.column: to_id})
            )
            count += done.rowcount  # type: ignore[attr-defined]
    session.expire_all()
    return count


def count_rows(session: Session, found: Iterable[Pointer], id: int) -> int:
    """How many rows of the database point at a record."""
    count = 0
    for pointer in found:
        where = table(pointer.table, column(pointer.column))
        one = select(func.count()).select_from(where).where(where.c[pointer.column] == id)
        count += session.execute(one).scalar_one()
    return count


def count_core(session: Session, target: str, id: int) -> dict[str, int]:
    """How many rows of each core table point at a record, in one query; tables without any are left out."""
    counts = [
        select(literal(each.name, String).label("name"), func.count(type_=Integer).label("many"))
        .select_from(each)
        .where(key.parent == id)
        for each in Base.metadata.sorted_tables
        if is_core_table(each.name)
        for key in each.foreign_keys
        if key.column.table.name == target
    ]
    found: dict[str, int] = {}
    for row in session.execute(union_all(*counts)):
        if row.many:
            found[row.name] = found.get(row.name, 0) + int(row.many)
    return found


def _rows_of(session: Session, pointer: Pointer, id: int) -> Sequence[tuple[Any, ...]]:
    where = table(pointer.table, *(column(name) for name in dict.fromkeys((pointer.column, *pointer.keys))))
    keys = [where.c[name] for name in pointer.keys]
    return [tuple(row) for row in session.execute(select(*keys).where(where.c[pointer.column] == id).order_by(*keys))]
