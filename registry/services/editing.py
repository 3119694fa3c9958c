"""Edits of a versioned row: a stale save shows both values, what changed is audited, a repeated click acts once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Protocol

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.services.errors import Stale, StaleField
from registry.services.history import name_of
from registry.store.audit import AuditEntry, record
from registry.store.once import first_result


class VersionedRow(Protocol):
    """A mapped row with an id and a version."""

    id: int
    version: int


def done_before(session: Session, occasion: Occasion, act: str) -> int | None:
    """The id that this act gave when its once_key came first; None when it comes now."""
    first = first_result(session, occasion, act)
    return int(first.result) if first is not None else None


def edit(
    session: Session,
    occasion: Occasion,
    row: VersionedRow,
    *,
    subject: str,
    action: str,
    version: int,
    changes: Mapping[str, Any],
    labels: Mapping[str, str],
) -> bool:
    """Writes changed fields to a row with its next version and an audit entry; False when nothing differs.

    Args:
        row: as read in this transaction.
        subject: kind of the row in the audit (``person``); ``action`` what is done (``person.updated``).
        version: the one that the editor opened.
        changes: new values by column, in the column's type; a nested fact is ``facts.<name>``.
        labels: pt-BR names of the fields, for the comparison; a column without one follows from others.

    Raises:
        Stale: somebody saved since, and a field of theirs differs.
    """
    differing = {name: value for name, value in changes.items() if _value(row, name) != value}
    if not differing:
        return False
    if version != row.version:
        raise _stale(session, row, subject, version, differing, labels)
    before = {name: _value(row, name) for name in differing}
    for name, value in differing.items():
        _set(row, name, value)
    row.version += 1
    session.flush()
    record(session, occasion, action, subject, row.id, before, {**differing, "version": row.version})
    return True


def _value(row: VersionedRow, name: str) -> Any:
    column, _, inner = name.partition(".")
    value = getattr(row, column)
    return (value or {}).get(inner) if inner else value


def _set(row: VersionedRow, name: str, value: Any) -> None:
    column, _, inner = name.partition(".")
    if inner:
        setattr(row, column, {**(getattr(row, column) or {}), inner: value})
    else:
        setattr(row, name, value)


def _stale(
    session: Session,
    row: VersionedRow,
    subject: str,
    version: int,
    mine: Mapping[str, Any],
    labels: Mapping[str, str],
) -> Stale:
    entries = session.scalars(
        select(AuditEntry)
        .where(AuditEntry.subject == subject, AuditEntry.subject_id == row.id)
        .order_by(AuditEntry.seq)
    ).all()
    later = [entry for entry in entries if (entry.after or {}).get("version", 0) > version]
    opened: dict[str, Any] = {}
    for entry in later:
        for name, value in (entry.before or {}).items():
            opened.setdefault(name, value)
    fields = tuple(
        StaleField(
            field=name,
            label=labels[name],
            before=_typed(opened[name], value, _value(row, name)) if name in opened else _value(row, name),
            mine=value,
            theirs=_value(row, name),
        )
        for name, value in mine.items()
        if name in labels
    )
    last = later[-1] if later else None
    by = name_of(session, last.authority, last.actor) if last else ""
    return Stale(fields, by, last.at if last else None, row.version)


def _typed(text: Any, *examples: Any) -> Any:
    """A value of the audit, where days and decimals are text, in the type of its neighbours."""
    if not isinstance(text, str):
        return text
    example = next((each for each in examples if each is not None), None)
    if isinstance(example, datetime):
        return datetime.fromisoformat(text)
    if isinstance(example, date):
        return date.fromisoformat(text)
    return Decimal(text) if isinstance(example, Decimal) else text
