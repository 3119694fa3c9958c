"""One person's data for that person, as JSON and as a page to read; and the traces that need not be kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlalchemy import delete, or_, select
from sqlalchemy.orm import Session

from registry import resources
from registry.domain.occasion import Occasion
from registry.domain.text import format_date, format_hour
from registry.services.desk import Desk
from registry.services.people import person_of
from registry.services.personal import Found, entries_about, find_rows, natural_person
from registry.services.personal_words import COLUMNS, HIDDEN, TABLES
from registry.services.timeline import told
from registry.services.vault import path_of, stored
from registry.store.access import Invitation, UnknownLogIn
from registry.store.audit import AuditEntry, record
from registry.store.imports import ImportRun
from registry.store.people import Person
from registry.store.permits import Onceness
from registry.store.requests import StoredFile

_PAGE = "privacy/data.html"
_ORPHAN_AGE = timedelta(days=1)


@dataclass(frozen=True)
class Export:
    """The data of one person: the rows by table, the history; ``made_at`` in the authority's zone."""

    person_id: int
    name: str
    authority: str
    made_at: datetime
    found: Found
    history: tuple[Mapping[str, Any], ...]

    def as_json(self) -> str:
        """Everything, table by table, exactly as it is stored."""
        tables = {
            name: [dict(zip(row, self.found.shapes[name].encode(list(row.values())), strict=True)) for row in rows]
            for name, rows in self.found.rows.items()
        }
        content = {
            "authority": self.authority,
            "made_at": self.made_at.isoformat(timespec="seconds"),
            "tables": tables,
            "history": list(self.history),
        }
        return json.dumps(content, ensure_ascii=False, indent=1)

    def as_page(self) -> str:
        """The same for reading, in Portuguese; one file that needs nothing else."""
        zone = self.made_at.tzinfo
        sections = [
            (TABLES.get(name, name), [_fields(row, zone) for row in rows]) for name, rows in self.found.rows.items()
        ]
        history = [
            (_shown(datetime.fromisoformat(each["at"]), zone), told(each["action"], each["after"] or {}))
            for each in self.history
        ]
        template = _pages(resources.templates()).get_template(_PAGE)
        return template.render(
            name=self.name,
            authority=self.authority,
            made_at=_shown(self.made_at, zone),
            sections=sections,
            history=history,
        )


@dataclass(frozen=True)
class Swept:
    """What was taken away: repeated clicks, log-ins of nobody, spent invitations, files without a row."""

    clicks: int
    log_ins: int
    invitations: int
    files: int


def export_person(occasion: Occasion, desk: Desk, person_id: int) -> Export:
    """Everything that the registry knows of a natural person; that it was given out is written to the audit.

    Raises :class:`NotFound`, or :class:`Refused` for a company or cooperative.
    """
    authority = desk.authority(occasion.authority)
    with desk.store.writing() as session:
        person = person_of(session, occasion.authority, person_id)
        found = find_rows(session, natural_person(session, person))
        history = tuple(
            {"at": each.at.isoformat(), "action": each.action, "before": each.before, "after": each.after}
            for each in entries_about(session, occasion.authority, found)
            if not _is_of_another(each, found.ids)
        )
        rows = sum(len(each) for each in found.rows.values())
        record(session, occasion, "person.exported", "person", person.id, None, {"rows": rows})
        made_at = occasion.at.astimezone(occasion.zone)
        return Export(person.id, person.name, authority.name, made_at, found, history)


def _is_of_another(entry: AuditEntry, ids: frozenset[int]) -> bool:
    """Whether it tells of somebody else: of another's record, or of a merge with who turned out to be another."""
    after = entry.after or {}
    if entry.subject != "person":
        return False
    if "other_id" in after:
        return not {after["other_id"], entry.subject_id} <= ids
    return not ids & {entry.subject_id, after.get("member_id")}


def people_of(session: Session, document: str) -> tuple[tuple[int, str], ...]:
    """The id and authority of everyone who has this canonical CPF, one in each authority at most."""
    query = select(Person.id, Person.authority).where(Person.document == document, Person.ended_at.is_(None))
    return tuple((row.id, row.authority) for row in session.execute(query.order_by(Person.authority)))


def sweep(occasion: Occasion, desk: Desk) -> Swept:
    """Takes away what served its purpose: keys of repeated clicks, log-ins with names of nobody, spent invitations,
    and files of the vault that no row names (an anonymisation that was cut short leaves such).
    """
    before = occasion.at.astimezone(UTC) - timedelta(days=desk.settings.retention.traces_days)
    with desk.store.writing() as session:
        clicks = session.execute(delete(Onceness).where(Onceness.at < before))
        log_ins = session.execute(delete(UnknownLogIn).where(UnknownLogIn.last_at < before))
        spent = or_(Invitation.used_at < before, Invitation.cancelled_at < before, Invitation.expires_at < before)
        invitations = session.execute(delete(Invitation).where(spent))
        named = set(session.scalars(select(StoredFile.sha256))) | set(session.scalars(select(ImportRun.sha256)))
        files = [each for each in stored(desk.files) if each not in named and _is_old(desk.files, each, occasion.at)]
        counts = [getattr(each, "rowcount", 0) for each in (clicks, log_ins, invitations)]
        done = Swept(counts[0], counts[1], counts[2], len(files))
        if any((*counts, files)):
            after = {"clicks": done.clicks, "log_ins": done.log_ins, "invitations": done.invitations}
            record(session, occasion, "privacy.swept", "installation", 0, None, {**after, "files": done.files})
    for each in files:
        path_of(desk.files, each).unlink(missing_ok=True)
    return done


def _is_old(folder: Path, sha256: str, at: datetime) -> bool:
    """Whether a file lies there for a day: a fresh one may belong to a row that is not committed yet."""
    return datetime.fromtimestamp(path_of(folder, sha256).stat().st_mtime, UTC) < at - _ORPHAN_AGE


@lru_cache(maxsize=2)
def _pages(folder: Path) -> Environment:
    return Environment(loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined)


def _fields(row: Mapping[str, Any], zone: tzinfo | None) -> list[tuple[str, str]]:
    """What is there of a row, named in Portuguese, without what only the program needs."""
    shown = {name: _shown(value, zone) for name, value in row.items() if name not in HIDDEN}
    return [(COLUMNS.get(name, name), text) for name, text in shown.items() if text]


def _shown(value: Any, zone: tzinfo | None) -> str:
    """A stored value as people read it; "" for nothing."""
    match value:
        case None | "" | [] | {}:
            return ""
        case bool():
            return "sim" if value else "não"
        case datetime():
            local = value.astimezone(zone)
            return f"{format_date(local.date())} {format_hour(local)}"
        case date():
            return format_date(value)
        case Decimal():
            return f"{value:f}"
        case Mapping():
            parts = ((COLUMNS.get(str(name), str(name)), _shown(each, zone)) for name, each in value.items())
            return "; ".join(f"{name}: {text}" for name, text in parts if text)
        case list() | tuple():
            return ", ".join(filter(None, (_shown(each, zone) for each in value)))
    return str(value)
