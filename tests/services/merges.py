"""Duplicates made one and parted again, for tests: what the database holds, and a merge at the versions that stand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import inspect, text

from registry.domain.occasion import Occasion
from registry.services.desk import Desk
from registry.services.merging import merge, record_of
from tests.factories import Clerk

REASON = "Mesma pessoa, digitada duas vezes"
DERIVED = {"audit_entry", "merge", "once", "public_row", "sequence", "core__alembic_version", "alembic_version"}


def snapshot(desk: Desk) -> dict[str, list[str]]:
    """Every row of the database but what tells of changes; versions and search tables apart."""
    found = {}
    with desk.store.reading() as session:
        inspector = inspect(session.connection())
        for name in inspector.get_table_names():
            if name in DERIVED or name.startswith(("person_", "sqlite")):
                continue
            columns = [each["name"] for each in inspector.get_columns(name) if each["name"] != "version"]
            listed = ", ".join(f'"{column}"' for column in columns)
            found[name] = sorted(map(str, session.execute(text(f'select {listed} from "{name}"'))))
    return found


def ordered(by: Clerk, office: str = "capitao", **more: Any) -> Occasion:
    """An act that the port's captain orders."""
    return replace(by.occasion(**more), office=office)


def merged(desk: Desk, by: Clerk, noun: Any, kept: int, gone: int, taken: tuple[str, ...] = (), **more: Any) -> int:
    """The two records made one, at the versions that stand."""
    with desk.store.reading() as session:
        version = sum(record_of(session, by.authority, noun, each).version for each in (kept, gone))
    return merge(ordered(by, **more), desk, noun, kept, gone, version, taken=taken, reason=REASON)
