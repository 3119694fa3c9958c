"""Who changed a record last, from the audit chain."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.services.errors import Stale
from registry.store.access import User
from registry.store.audit import AuditEntry


def last_editor(session: Session, subject: str, subject_id: int) -> tuple[str, datetime | None]:
    """Who changed a record last, and when; ("", None) for one that nobody touched."""
    entry = session.execute(
        select(AuditEntry.authority, AuditEntry.actor, AuditEntry.at)
        .where(AuditEntry.subject == subject, AuditEntry.subject_id == subject_id)
        .order_by(AuditEntry.seq.desc())
        .limit(1)
    ).one_or_none()
    return (name_of(session, entry.authority, entry.actor), entry.at) if entry else ("", None)


def name_of(session: Session, authority: str, actor: str) -> str:
    """The name of the user who acted; the actor's own text where no user has it."""
    found = session.scalar(select(User.name).where(User.authority == authority, User.username == actor))
    return found or actor


def names_of(session: Session, authority: str, actors: Iterable[str]) -> dict[str, str]:
    """The name of each of several actors, by their text, in one query."""
    wanted = set(actors)
    rows = session.execute(
        select(User.username, User.name).where(User.authority == authority, User.username.in_(wanted))
    ).all()
    return {each: each for each in wanted} | {row.username: row.name for row in rows}


def refuse_stale(session: Session, subject: str, subject_id: int, stands: int, opened: int) -> None:
    """Raises Stale, naming who saved since, when the version that stands is not the one that was opened."""
    if stands != opened:
        by, at = last_editor(session, subject, subject_id)
        raise Stale((), by, at, stands)
