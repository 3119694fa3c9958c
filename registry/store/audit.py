"""The audit chain: who, when, what, before, after; each entry hashes the one before it.

The content of an entry may be blanked, when what it says of a person must go; its hash then no longer follows from
what is left. A later entry, :data:`REDACTED`, says which entries were blanked, their hashes and the digests of what
stays of them: :func:`verify` takes a blank entry for whole only when the chain itself says so.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, NamedTuple

from sqlalchemy import Index, String, insert, null, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from registry.domain.occasion import Occasion
from registry.store.base import Base, Code, Instant, Text
from registry.store.engine import take_turn
from registry.store.types import Json

START = "0" * 64
"""What the first entry has in place of the hash before it."""

REDACTED = "audit.redacted"
"""The action of the entry that lists the blanked ones: of each its seq, its hash and the digest of what stays."""

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
    """What a verification found: the head as it is now and at most 100 faults, in the order of the chain.

    ``redacted`` counts the entries that are blank because the chain says so.
    """

    head: Head
    faults: tuple[AuditFault, ...]
    redacted: int = 0

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


def redact(session: Session, occasion: Occasion, subject: str, subject_id: int, entries: Iterable[AuditEntry]) -> int:
    """Blanks the content of entries and appends the entry that lists them; answers how many.

    An entry without content, and one that itself lists blanked entries, is left as it is.

    Args:
        session: of a writing transaction.
        occasion: who blanks them, when.
        subject: kind of the row that they told of, such as ``person``; ``subject_id`` its id.
        entries: as read from the chain.
    """
    take_turn(session)
    chosen = [each for each in entries if each.action != REDACTED and (each.before, each.after) != (None, None)]
    if not chosen:
        return 0
    listed = sorted([each.seq, each.hash, _digest(each, None, None)] for each in chosen)
    record(session, occasion, REDACTED, subject, subject_id, None, {"entries": listed})
    for start in range(0, len(listed), _BATCH):
        numbers = [seq for seq, _, _ in listed[start : start + _BATCH]]
        blank = update(AuditEntry).where(AuditEntry.seq.in_(numbers)).values(before=null(), after=null())
        session.execute(blank.execution_options(synchronize_session=False))
    for each in chosen:
        session.expire(each)
    return len(chosen)


def verify(session: Session, kept: Head | Iterable[Head] | None = None) -> AuditReport:
    """Walks the whole chain and tells what was altered, removed or reordered.

    Args:
        session: any session; the entries are streamed.
        kept: heads exported earlier. Only they can tell that the tail was cut off, or the whole chain written anew.
    """
    return verify_entries(lambda: _entries(session), kept)


def verify_entries(
    entries: Callable[[], Iterator[AuditEntry]], kept: Head | Iterable[Head] | None = None
) -> AuditReport:
    """As :func:`verify`, for a chain that lies elsewhere than in a database.

    ``entries`` gives the entries from the first on, in the order of ``seq``, each time it is called.
    """
    walk = _Walk(entries, [kept] if isinstance(kept, Head) else list(kept or ()))
    for each in entries():
        if len(walk.faults) >= MOST_FAULTS:
            walk.last = each
        else:
            walk.step(each)
    return walk.report()


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
    return _digest(entry, entry.before, entry.after)


def _digest(entry: AuditEntry, before: Any, after: Any) -> str:
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
        "before": before,
        "after": after,
    }
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _entries(session: Session) -> Iterator[AuditEntry]:
    """All entries in the order of ``seq``, in batches that leave nothing behind in the session."""
    query = select(*AuditEntry.__table__.columns).order_by(AuditEntry.seq).limit(_BATCH)
    batch = session.execute(query).all()
    while batch:
        yield from (AuditEntry(**row._mapping) for row in batch)
        batch = session.execute(query.where(AuditEntry.seq > batch[-1].seq)).all()


class _Walk:
    """One walk along the chain: what it expects next, the blank entries that nothing accounts for yet, the faults."""

    def __init__(self, entries: Callable[[], Iterator[AuditEntry]], heads: list[Head]) -> None:
        self.faults: list[AuditFault] = []
        self.last: AuditEntry | None = None
        self._entries = entries
        self._wanted = {each.count: each.hash for each in heads if each.count}
        self._expected = Head(1, START)
        self._blank: dict[int, tuple[str, str]] = {}
        self._redacted = 0
        self._known: set[str] | None = None

    def step(self, entry: AuditEntry) -> None:
        """Looks at the next entry."""
        expected = self._expected
        if entry.seq != expected.count:
            self.faults.append(_removed(expected.count, entry.seq - 1))
        computed = _hash_of(entry)
        if computed == entry.hash:
            self._account_for(entry)
        elif entry.before is None and entry.after is None and entry.action != REDACTED:
            self._blank[entry.seq] = (entry.hash, computed)
        else:
            self.faults.append(_altered(entry.seq))
        if entry.previous != expected.hash and entry.seq == expected.count:
            self.faults.append(self._broken_link(entry))
        if self._wanted.get(entry.seq, entry.hash) != entry.hash:
            text = f"A entrada {entry.seq} não é a que foi guardada: a cadeia foi reescrita até ali."
            self.faults.append(AuditFault(entry.seq, "altered", text))
        self._expected, self.last = Head(entry.seq + 1, entry.hash), entry

    def report(self) -> AuditReport:
        """What the walk found, once every entry was looked at."""
        if len(self.faults) < MOST_FAULTS and self._wanted and max(self._wanted) >= self._expected.count:
            self.faults.append(_removed(self._expected.count, max(self._wanted)))
        self.faults += [_altered(seq) for seq in self._blank]
        head = Head(self.last.seq, self.last.hash) if self.last else Head(0, START)
        found = sorted(self.faults, key=lambda fault: fault.seq)[:MOST_FAULTS]
        return AuditReport(head, tuple(found), self._redacted)

    def _account_for(self, entry: AuditEntry) -> None:
        """Takes the blank entries that a whole entry lists, by number, hash and what stays of them, for whole."""
        listed = (entry.after or {}).get("entries") if entry.action == REDACTED else None
        for each in listed if isinstance(listed, list) else ():
            seq, *digests = each if isinstance(each, list) and each else (None,)
            if isinstance(seq, int) and self._blank.get(seq) == tuple(digests):
                del self._blank[seq]
                self._redacted += 1

    def _broken_link(self, entry: AuditEntry) -> AuditFault:
        if self._known is None:
            self._known = {START, *(each.hash for each in self._entries())}
        if entry.previous in self._known:
            return AuditFault(entry.seq, "reordered", f"A entrada {entry.seq} está fora do seu lugar na cadeia.")
        before = entry.seq - 1
        return AuditFault(before, "removed", f"Antes da entrada {entry.seq} falta a original: foi removida ou trocada.")


def _altered(seq: int) -> AuditFault:
    return AuditFault(seq, "altered", f"A entrada {seq} foi alterada: o resumo não confere.")


def _removed(first: int, last: int) -> AuditFault:
    if last < first:
        return AuditFault(first, "reordered", f"Há uma entrada com número fora da sequência antes da {first}.")
    which = f"A entrada {first} foi removida" if first == last else f"As entradas {first} a {last} foram removidas"
    return AuditFault(first, "removed", f"{which}.")
