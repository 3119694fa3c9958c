"""What the page of one act shows: the act, what it took the place of, and everything that rests on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, cast
from zoneinfo import ZoneInfo

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    Integer,
    Select,
    String,
    and_,
    func,
    literal,
    null,
    or_,
    select,
    union,
    union_all,
)
from sqlalchemy import cast as typed
from sqlalchemy.orm import Session

from registry.domain.acts import RestsOnAct
from registry.domain.deadline import describe_moment
from registry.domain.dossier import RestrictionKind
from registry.domain.text import format_date
from registry.services.acts import NOUN, ActLine, act_line, act_of, known_acts, name_of_act
from registry.services.desk import Desk
from registry.services.documents import OpenedFile
from registry.services.errors import NotFound
from registry.services.history import name_of
from registry.services.permit_pages import END_ACT
from registry.services.restrictions import KIND_LABELS
from registry.services.vault import path_of
from registry.store.access import Appointment, User
from registry.store.acts import Act, Closure, IndexValue
from registry.store.corrections import Correction
from registry.store.permits import Permit
from registry.store.requests import Decision, Request, StoredFile
from registry.store.types import UtcDateTime
from registry.store.vehicles import Restriction, Vehicle

MOST = 50
_GROUPS = {
    "index": "Valores de índices",
    "closure": "Dias sem expediente",
    "appointment": "Nomeações",
    "restriction": "Restrições",
    "permit": "Outorgas encerradas",
    "decision": "Decisões",
    "correction": "Retificações",
}
_END_ACT = Permit.facts[END_ACT].as_string()
_RESULTS = {"deferido": "Deferido", "indeferido": "Indeferido"}


@dataclass(frozen=True)
class ActRest:
    """One row that rests on an act, in words. ``noun`` and ``id`` name the record that shows it ("" = none), ``key``
    the index of a value, which is ``value`` in ``unit``.
    """

    text: str
    when: str = ""
    noun: str = ""
    id: int = 0
    key: str = ""
    value: Decimal | None = None
    unit: str = ""


@dataclass(frozen=True)
class ActGroup:
    """The rows of one kind that rest on an act, newest first: at most 50 ``lines`` of ``total``."""

    title: str
    total: int
    lines: tuple[ActRest, ...]


@dataclass(frozen=True)
class ActPage:
    """One act. ``right`` is the act that took its place, ``wrong`` those whose place it took: id and name."""

    line: ActLine
    by: str
    at: datetime
    reason: str
    right: tuple[int, str] | None
    wrong: tuple[tuple[int, str], ...]
    groups: tuple[ActGroup, ...]


def act_page(session: Session, desk: Desk, authority: str, act_id: int) -> ActPage:
    """An act with everything that rests on it: rows tied to it or to a wrong act whose place it took, and rows that
    named it before it was entered. Raises NotFound.
    """
    row = act_of(session, authority, act_id)
    links = _links(session, authority)
    right, reason = next(((to, why) for at, to, why in links if at == act_id), (None, ""))
    wrong = _replaced_by(act_id, links)
    others = _names(session, [each for each in (*wrong, right) if each is not None])
    ids = [act_id, *wrong]
    known = known_acts(session, desk, authority)
    texts = [text for text in _untied(session, authority) if known.id_of(text) in ids]
    return ActPage(
        line=act_line(row),
        by=name_of(session, authority, row.recorded_by),
        at=row.recorded_at,
        reason=reason,
        right=(right, others[right]) if right is not None else None,
        wrong=tuple((each, others[each]) for each in wrong),
        groups=(
            *_groups(session, desk, authority, ids, texts),
            *_of_plugins(session, desk, authority, ids, lambda text: known.id_of(text) in ids),
        ),
    )


def open_act_file(session: Session, desk: Desk, authority: str, act_id: int) -> OpenedFile:
    """The act's PDF. Raises NotFound where it has none."""
    row = act_of(session, authority, act_id)
    file = session.get(StoredFile, row.file_id) if row.file_id is not None else None
    if file is None or not path_of(desk.files, file.sha256).is_file():
        raise NotFound
    return OpenedFile(path_of(desk.files, file.sha256), file.media_type, file.name, file.size, file.restricted)


def acts_not_entered(session: Session, desk: Desk, authority: str) -> tuple[str, ...]:
    """The acts that rows of an authority name and that are not entered, by name."""
    known = known_acts(session, desk, authority)
    return tuple(sorted(text for text in _untied(session, authority) if known.id_of(text) is None))


def _links(session: Session, authority: str) -> list[tuple[int, int | None, str]]:
    rows = session.execute(
        select(Correction.wrong_id, Correction.right_id, Correction.reason)
        .where(Correction.authority == authority, Correction.noun == NOUN)
        .order_by(Correction.id.desc())
    )
    return [(row.wrong_id, row.right_id, row.reason) for row in rows]


def _replaced_by(act_id: int, links: Sequence[tuple[int, int | None, str]]) -> tuple[int, ...]:
    """The wrong acts whose place an act took, one after the other, the last one first."""
    before = {right: wrong for wrong, right, _ in links if right is not None}
    found: list[int] = []
    while act_id in before:
        act_id = before[act_id]
        found.append(act_id)
    return tuple(found)


def _names(session: Session, ids: Sequence[int]) -> dict[int, str]:
    if not ids:
        return {}
    rows = session.execute(select(Act.id, Act.kind, Act.number).where(Act.id.in_(ids)))
    return {row.id: name_of_act(row.kind, row.number) for row in rows}


def _untied(session: Session, authority: str) -> list[str]:
    """Every text that names an act in a row that is tied to none."""
    tables: tuple[Any, ...] = (IndexValue, Closure, Appointment, Restriction, Correction)
    asked = (
        select(each.act).where(each.authority == authority, each.act_id.is_(None), each.act != "").distinct()
        for each in tables
    )
    ended = select(_END_ACT).where(
        Permit.authority == authority, Permit.ended_on.is_not(None), Permit.end_act_id.is_(None)
    )
    return [text for text in session.scalars(union(*asked, ended)) if text]


def _part(what: str, row_id: Any, **given: Any) -> list[ColumnElement[Any]]:
    """The columns of one kind of row in the one query that reads them all."""
    kinds: dict[str, Any] = {
        "code": String, "place": String, "text": String, "since": Date, "until": Date, "scaled": BigInteger,
        "scale": Integer, "one": Integer, "two": Integer, "at": UtcDateTime,
    }  # fmt: skip
    rest = [
        given[name].label(name) if name in given else typed(null(), kind).label(name) for name, kind in kinds.items()
    ]
    return [literal(what).label("what"), row_id.label("id"), *rest, func.count().over().label("total")]


def _queries(authority: str, ids: Sequence[int], texts: Sequence[str]) -> list[Select[Any]]:
    def rests(table: Any) -> ColumnElement[bool]:
        return and_(
            table.authority == authority,
            or_(table.act_id.in_(ids), and_(table.act_id.is_(None), table.act.in_(texts))),
        )

    value, closed, held, bar, fixed = IndexValue, Closure, Appointment, Restriction, Correction
    return [
        select(
            *_part("index", value.id, code=value.key, place=value.unit, since=value.since, scaled=value.scaled,
                   scale=value.scale)
        ).where(rests(value)),
        select(*_part("closure", closed.id, text=closed.name, since=closed.day)).where(
            rests(closed), closed.ended_at.is_(None)
        ),
        select(
            *_part("appointment", held.id, code=held.office, place=held.regime, text=User.name, since=held.since,
                   until=held.until, one=held.user_id)
        ).join(User, User.id == held.user_id).where(rests(held)),
        select(
            *_part("restriction", bar.id, code=bar.kind, place=Permit.number, text=Vehicle.plate, since=bar.since,
                   until=bar.until, one=bar.vehicle_id, two=bar.permit_id)
        )
        .join(Vehicle, Vehicle.id == bar.vehicle_id, isouter=True)
        .join(Permit, Permit.id == bar.permit_id, isouter=True)
        .where(rests(bar), bar.voided_at.is_(None)),
        select(*_part("permit", Permit.id, code=Permit.regime, text=Permit.number, since=Permit.ended_on)).where(
            Permit.authority == authority,
            Permit.ended_on.is_not(None),
            or_(Permit.end_act_id.in_(ids), and_(Permit.end_act_id.is_(None), _END_ACT.in_(texts))),
        ),
        select(
            *_part("decision", Decision.id, code=Decision.result, text=Request.number, one=Request.id, at=Decision.at)
        )
        .join(Request, Request.id == Decision.request_id)
        .where(Request.authority == authority, Decision.act_id.in_(ids)),
        select(*_part("correction", fixed.id, text=fixed.reason, at=fixed.recorded_at)).where(rests(fixed)),
    ]  # fmt: skip


def _groups(session: Session, desk: Desk, authority: str, ids: Sequence[int], texts: Sequence[str]) -> list[ActGroup]:
    parts = [
        select(each.order_by(each.selected_columns.id.desc()).limit(MOST).subquery())
        for each in _queries(authority, ids, texts)
    ]
    found: dict[str, list[Any]] = {}
    for row in session.execute(union_all(*parts)):
        found.setdefault(row.what, []).append(row)
    words = _Words(desk, authority)
    return [
        ActGroup(title, found[what][0].total, tuple(words.of(row) for row in found[what]))
        for what, title in _GROUPS.items()
        if what in found
    ]


def _of_plugins(
    session: Session, desk: Desk, authority: str, ids: Sequence[int], names: Callable[[str], bool]
) -> list[ActGroup]:
    given: dict[str, Any] = {"session": session, "authority": authority, "act_ids": tuple(ids), "names": names}
    found: dict[str, list[ActRest]] = {}
    for answer in desk.host.collect("registry_act_rests", **given):
        for row in answer.value:
            found.setdefault(row.title, []).append(ActRest(row.text, _hours(row, desk.authority(authority).zone)))
    return [ActGroup(title, len(rows), tuple(rows[:MOST])) for title, rows in found.items()]


class _Words:
    """Rows that rest on an act, in the words of the authority's regimes."""

    def __init__(self, desk: Desk, authority: str) -> None:
        regimes = desk.regimes_of(authority)
        books = [desk.host.plugins[regime.plugin].lawbook for regime in regimes]
        self.zone = desk.authority(authority).zone
        self.indexes = {key: kind.label for book in books for key, kind in book.indexes.items()}
        self.offices = {(regime.code, office.code): office.label for regime in regimes for office in regime.offices}
        self.permits = {regime.code: regime.permit_label for regime in regimes}

    def of(self, row: Any) -> ActRest:
        """The line of one row."""
        line: ActRest = getattr(self, f"_{row.what}")(row)
        return line

    def _index(self, row: Any) -> ActRest:
        value = Decimal(row.scaled).scaleb(-row.scale)
        label = self.indexes.get(row.code, row.code)
        return ActRest(label, f"a partir de {format_date(row.since)}", key=row.code, value=value, unit=row.place)

    def _closure(self, row: Any) -> ActRest:
        return ActRest(row.text, format_date(row.since))

    def _appointment(self, row: Any) -> ActRest:
        office = self.offices.get((row.place, row.code), row.code)
        return ActRest(f"{row.text}: {office}", _span(row.since, row.until), "user", row.one)

    def _restriction(self, row: Any) -> ActRest:
        label = KIND_LABELS.get(cast(RestrictionKind, row.code), row.code)
        noun, id, name = ("vehicle", row.one, row.text) if row.one else ("permit", row.two, f"outorga nº {row.place}")
        return ActRest(f"{label}: {name}", _span(row.since, row.until), noun, id)

    def _permit(self, row: Any) -> ActRest:
        label = self.permits.get(row.code, "Outorga")
        return ActRest(f"{label} nº {row.text}", f"sem efeito desde {format_date(row.since)}", "permit", row.id)

    def _decision(self, row: Any) -> ActRest:
        text = f"{_RESULTS.get(row.code, row.code)}: requerimento {row.text}"
        return ActRest(text, self._day(row.at), "request", row.one)

    def _correction(self, row: Any) -> ActRest:
        return ActRest(row.text, self._day(row.at))

    def _day(self, at: datetime) -> str:
        return format_date(at.astimezone(self.zone).date())


def _hours(row: RestsOnAct, zone: ZoneInfo) -> str:
    start, end = (describe_moment(at.astimezone(zone)) if at else "" for at in (row.start, row.end))
    return " ".join(filter(None, (f"de {start}" if start else "", f"a {end}" if end else "")))


def _span(since: date, until: date | None) -> str:
    return f"de {format_date(since)} a {format_date(until)}" if until else f"desde {format_date(since)}"
