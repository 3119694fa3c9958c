"""The audit chain: who, when, what, before, after; each entry hashes the one before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, NamedTuple

from sqlalchemy import Index, String, func, insert, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from registry.domain.occasion import Occasion
from registry.store.base import Base, Code, Instant, Text
from registry.store.engine import take_turn
from registry.store.types import Json

START = "0" * 64
"""What the first entry has in place of the hash before it."""

MOST_FAULTS = 100
_BATCH = 2_000


class AuditEntry(Base):
    """One change. ``seq`` has no gaps; triggers refuse update and delete on both engines."""

    __tablename__ = "audit_entry"
    __table_args__ = (Index("ix_audit_entry_subject", "subject", "subject_id"),)

    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    authority: Mapped[Code]
    at: Mapped[Instant]
    actor: Mapped[Text]
    office: Mapped[Code]
    trace_id: Mapped[Code]
    action: Mapped[Code]
    subject: Mapped[Code]
    subject_id: Mapped[int]
    before: Mapped[dict[str, Any] | None] = mapped_column(Json)
    after: Mapped[dict[str, Any] | None] = mapped_column(Json)
    previous: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64))


@dataclass(frozen=True)
class Head:
    """The end of the chain at some instant: how many entries, and the hash of the last (START when none)."""

    count: int
    hash: str


@dataclass(frozen=True)
class AuditFault:
    """One place where the chain does not hold. ``seq`` is the number of the entry, or of the first missing one."""

    seq: int
    kind: Literal["altered", "removed", "reordered"]
    message_pt: str


@dataclass(frozen=True)
class AuditReport:
    """What a verification found: the head as it is now and at most 100 faults, in the order of the chain."""

    head: Head
    faults: tuple[AuditFault, ...]

    @property
    def intact(self) -> bool:
        """Whether nothing was altered, removed or reordered."""
        return not self.faults


def record(
    session: Session,
    occasion: Occasion,
    action: str,
    subject: str,
    subject_id: int,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Appends an entry to the chain, inside the transaction of the change that it tells of.

    Args:
        session: of a writing transaction; the writers' turn is taken, so that ``seq`` has no gaps.
        occasion: who, when, for which authority and office.
        action: what was done, such as ``request.filed``.
        subject: kind of the row changed, such as ``request``; ``subject_id`` its id.
        before: the changed fields as they were; None for a new row. Dates, instants, decimals and enums become text.
        after: the changed fields as they are now.

    Raises:
        TypeError: a value has no exact form in JSON.
    """
    take_turn(session)
    entry = _next_entry(head(session), occasion, Change(action, subject, subject_id, before, after))
    session.add(entry)
    session.flush()
    return entry


class Change(NamedTuple):
    """What :func:`record` is told of one change, for :func:`record_many`."""

    action: str
    subject: str
    subject_id: int
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None


def record_many(session: Session, occasion: Occasion, changes: Iterable[Change]) -> int:
    """Appends an entry for each change, in order, as :func:`record` does, by few statements; answers how many."""
    take_turn(session)
    last, waiting = head(session), []
    count = 0
    for change in changes:
        entry = _next_entry(last, occasion, change)
        last = Head(entry.seq, entry.hash)
        waiting.append({column.key: getattr(entry, column.key) for column in AuditEntry.__table__.columns})
        count += 1
        if len(waiting) == _BATCH:
            session.execute(insert(AuditEntry), waiting)
            waiting = []
    if waiting:
        session.execute(insert(AuditEntry), waiting)
    return count


def _next_entry(last: Head, occasion: Occasion, change: Change) -> AuditEntry:
    entry = AuditEntry(
        seq=last.count + 1,
        authority=occasion.authority,
        at=occasion.at,
        actor=occasion.actor,
        office=occasion.office,
        trace_id=occasion.trace_id,
        action=change.action,
        subject=change.subject,
        subject_id=change.subject_id,
        before=None if change.before is None else plain(change.before),
        after=None if change.after is None else plain(change.after),
        previous=last.hash,
    )
    entry.hash = _hash_of(entry)
    return entry


def head(session: Session) -> Head:
    """The end of the chain now."""
    row = session.execute(select(AuditEntry.seq, AuditEntry.hash).order_by(AuditEntry.seq.desc()).limit(1)).first()
    return Head(row.seq, row.hash) if row else Head(0, START)


def verify(session: Session, kept: Head | Iterable[Head] | None = None) -> AuditReport:
    """Walks the whole chain and tells what was altered, removed or reordered.

    Args:
        session: any session; the entries are streamed.
        kept: heads exported earlier. Only they can tell that the tail was cut off, or the whole chain written anew.
    """
    heads = [kept] if isinstance(kept, Head) else list(kept or ())
    faults = []
    for fault in _faults(session, heads):
        faults.append(fault)
        if len(faults) == MOST_FAULTS:
            break
    return AuditReport(head(session), tuple(faults))


def plain(value: Any) -> Any:
    """The value in the few types that every engine's JSON gives back exactly: text, int, bool, None, list, dict.

    Raises TypeError for anything else, such as a float, whose digits depend on who writes them.
    """
    match value:
        case None | bool():
            return value
        case Enum():
            return plain(value.value)
        case str():
            return value.replace("\x00", "")
        case int():
            return int(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return value.astimezone(UTC).isoformat() if value.tzinfo else value.isoformat()
        case date() | time():
            return value.isoformat()
        case Mapping():
            return {str(plain(key)): plain(item) for key, item in value.items()}
        case set() | frozenset():
            return sorted((plain(item) for item in value), key=repr)
        case list() | tuple():
            return [plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no exact form in the audit chain: {value!r}")


def _hash_of(entry: AuditEntry) -> str:
    """sha256 of the canonical JSON of the entry, the previous hash included.

    ``seq`` is left out: the links alone give the order, so that an entry moved elsewhere is told from an altered one.
    """
    content = {
        "previous": entry.previous,
        "authority": entry.authority,
        "at": entry.at.astimezone(UTC).isoformat(timespec="microseconds"),
        "actor": entry.actor,
        "office": entry.office,
        "trace_id": entry.trace_id,
        "action": entry.action,
        "subject": entry.subject,
        "subject_id": entry.subject_id,
        "before": entry.before,
        "after": entry.after,
    }
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _entries(session: Session) -> Iterator[AuditEntry]:
    """All entries in the order of ``seq``, in batches that leave nothing behind in the session."""
    after = None
    while True:
        query = select(AuditEntry).order_by(AuditEntry.seq).limit(_BATCH)
        batch = session.scalars(query if after is None else query.where(AuditEntry.seq > after)).all()
        if not batch:
            return
        after = batch[-1].seq
        yield from batch
        for entry in batch:
            session.expunge(entry)


def _faults(session: Session, heads: list[Head]) -> Iterator[AuditFault]:
    wanted = {each.count: each.hash for each in heads if each.count}
    expected_seq, expected_previous = 1, START
    for entry in _entries(session):
        if entry.seq != expected_seq:
            yield _removed(expected_seq, entry.seq - 1)
        if _hash_of(entry) != entry.hash:
            yield AuditFault(entry.seq, "altered", f"A entrada {entry.seq} foi alterada: o resumo não confere.")
        if entry.previous != expected_previous and entry.seq == expected_seq:
            yield _broken_link(session, entry)
        if wanted.get(entry.seq, entry.hash) != entry.hash:
            text = f"A entrada {entry.seq} não é a que foi guardada: a cadeia foi reescrita até ali."
            yield AuditFault(entry.seq, "altered", text)
        expected_seq, expected_previous = entry.seq + 1, entry.hash
    if wanted and max(wanted) >= expected_seq:
        yield _removed(expected_seq, max(wanted))


def _removed(first: int, last: int) -> AuditFault:
    if last < first:
        return AuditFault(first, "reordered", f"Há uma entrada com número fora da sequência antes da {first}.")
    which = f"A entrada {first} foi removida" if first == last else f"As entradas {first} a {last} foram removidas"
    return AuditFault(first, "removed", f"{which}.")


def _broken_link(session: Session, entry: AuditEntry) -> AuditFault:
    known = entry.previous == START or session.scalar(
        select(func.count()).select_from(AuditEntry).where(AuditEntry.hash == entry.previous)
    )
    if known:
        return AuditFault(entry.seq, "reordered", f"A entrada {entry.seq} está fora do seu lugar na cadeia.")
    before = entry.seq - 1
    return AuditFault(before, "removed", f"Antes da entrada {entry.seq} falta a original: foi removida ou trocada.")
