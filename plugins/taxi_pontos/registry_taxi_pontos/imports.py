"""Stands and designations from the ``ponto`` column of an imported file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import exists, insert, select, update
from sqlalchemy.orm import Session

from registry.api.data import Permit, RowRemark, record
from registry.api.law import Occasion, fold
from registry_taxi_pontos.models import Designation, Ponto
from registry_taxi_pontos.stands import label_of

TARGET = "ponto"
NEVER = date.min
"""The last day of a designation whose import was undone: it never held."""

_DAY = timedelta(days=1)
_KEPT = "taxi_pontos.import"
_DESIGNATE = insert(Designation).returning(Designation.id)


@dataclass
class _Known:
    """The live stands of an authority by folded name, and each permit's open designation, read once an import."""

    pontos: dict[str, int]
    labels: dict[int, str]
    designated: dict[int, tuple[int, int]]


def remarks(session: Session, occasion: Occasion, rows: Sequence[Mapping[str, Any]]) -> Iterable[RowRemark]:
    """A conflito for each permit whose designation here is for another stand than the file's."""
    known = _read(session, occasion.authority) if any(row.get("permit_id") for row in rows) else None
    for row in rows:
        name, permit = row.get(TARGET), row.get("permit_id")
        if known is None or not name or permit not in known.designated:
            continue
        here = known.designated[permit][1]
        if known.pontos.get(fold(name)) != here:
            yield RowRemark(row["line"], TARGET, "conflito", f"No cadastro o ponto é {known.labels[here]}.")


def write_row(session: Session, occasion: Occasion, row: Mapping[str, Any]) -> bool:
    """Enters the stand, if new, and designates the permit for it; a designation for another stand ends the day before.

    A row without ``ponto`` changes nothing. Answers whether anything changed.
    """
    name = row.get(TARGET)
    if not name:
        return False
    known: _Known | None = session.info.get(_KEPT)
    if known is None:
        known = session.info[_KEPT] = _read(session, occasion.authority)
    ponto_id = known.pontos.get(fold(name)) or _enter(session, occasion, known, name)
    permit_id = row["permit_id"]
    before = known.designated.get(permit_id)
    if before and before[1] == ponto_id:
        return False
    since: date = row["since"]
    if before:
        since = occasion.on
        ended = update(Designation).where(Designation.id == before[0]).values(until=since - timedelta(days=1))
        session.execute(ended)
    values = {"permit_id": permit_id, "ponto_id": ponto_id, "since": since, "created_at": occasion.at}
    made = session.connection().execute(_DESIGNATE, values).scalar_one()
    known.designated[permit_id] = (made, ponto_id)
    return True


def undo(session: Session, occasion: Occasion, at: datetime, permit_ids: Sequence[int]) -> Iterable[str]:
    """Takes back what an import wrote at an instant: its designations never were, those that it ended go on,
    and the stands that it entered end where nothing else is designated for them.

    A sentence for each permit whose stand changed since.
    """
    session.flush()
    ids = set(permit_ids)
    made = [
        each
        for each in session.scalars(select(Designation).where(Designation.created_at == at).order_by(Designation.id))
        if each.permit_id in ids
    ]
    changed = [each.permit_id for each in made if each.until is not None]
    if changed:
        numbers = session.scalars(select(Permit.number).where(Permit.id.in_(changed)).order_by(Permit.number))
        return [f"O ponto da outorga {number} mudou depois da importação." for number in numbers]
    session.info.pop(_KEPT, None)
    for each in made:
        before = session.scalars(
            select(Designation).where(
                Designation.permit_id == each.permit_id,
                Designation.until == each.since - _DAY,
                Designation.id < each.id,
            )
        ).first()
        if before is not None:
            before.until = None
        each.until = NEVER
    session.flush()
    _end_unused(session, occasion, at)
    return []


def _end_unused(session: Session, occasion: Occasion, at: datetime) -> None:
    entered = session.scalars(
        select(Ponto).where(
            Ponto.authority == occasion.authority,
            Ponto.created_at == at,
            Ponto.ended_at.is_(None),
            ~exists().where(Designation.ponto_id == Ponto.id, Designation.until.is_(None)),
        )
    ).all()
    for each in entered:
        each.ended_at = occasion.at
        record(session, occasion, "ponto.import_undone", "taxi_pontos__ponto", each.id, None, {"name": each.name})


def _enter(session: Session, occasion: Occasion, known: _Known, name: str) -> int:
    folded = fold(name)
    values = {"authority": occasion.authority, "name": name, "name_folded": folded, "created_at": occasion.at}
    ponto_id: int = session.execute(insert(Ponto).values(values).returning(Ponto.id)).scalar_one()
    record(session, occasion, "ponto.imported", "taxi_pontos__ponto", ponto_id, None, {"name": name})
    known.pontos[folded] = ponto_id
    known.labels[ponto_id] = name
    return ponto_id


def _read(session: Session, authority: str) -> _Known:
    pontos = session.execute(
        select(Ponto.id, Ponto.code, Ponto.name, Ponto.name_folded, Ponto.ended_at).where(Ponto.authority == authority)
    ).all()
    open_ones = session.execute(
        select(Designation.permit_id, Designation.id, Designation.ponto_id)
        .join(Permit, Permit.id == Designation.permit_id)
        .where(Permit.authority == authority, Designation.until.is_(None))
        .order_by(Designation.since, Designation.id)
    )
    return _Known(
        {row.name_folded: row.id for row in pontos if row.ended_at is None},
        {row.id: label_of(row.code, row.name) for row in pontos},
        {row.permit_id: (row.id, row.ponto_id) for row in open_ones},
    )
