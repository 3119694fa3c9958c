"""Two records of one person or one vehicle made one, and parted again: what pointed at the one that goes points at the
one that stays, and undoing gives back exactly those rows and fields.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal, TypeAlias, TypeVar

from sqlalchemy import Date, and_, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, aliased

from registry.domain.convert import to_plain
from registry.domain.identifiers import format_plate
from registry.domain.occasion import Occasion
from registry.services import merge_conflicts, people, vehicles
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.services.history import name_of, refuse_stale
from registry.services.lengths import too_long
from registry.services.people import person_of
from registry.services.public_rows import refresh_vehicle
from registry.services.touched import refresh_requests_of
from registry.services.vehicles import refresh_permits, vehicle_of
from registry.store.audit import record
from registry.store.corrections import Merge
from registry.store.once import remember
from registry.store.people import Person
from registry.store.permits import Permit
from registry.store.references import Moved, Pointer, give_back, move, pointers
from registry.store.vehicles import Vehicle

Noun = Literal["person", "vehicle"]
Record: TypeAlias = Person | Vehicle
NO_REASON = "Escreva o motivo. Ele vai para o processo."
FIELDS: Mapping[str, Mapping[str, str]] = {
    "person": {name: label for name, label in people.LABELS.items() if name not in ("kind", "cnh_confirmed")},
    "vehicle": vehicles.LABELS,
}
"""The fields of each noun that are chosen one by one, with their pt-BR labels."""

_TABLES: Mapping[str, type[Record]] = {"person": Person, "vehicle": Vehicle}
_WITH: Mapping[str, tuple[str, ...]] = {"plate": ("plate_key",), "cnh": ("cnh_confirmed",), "name": ("name_folded",)}
_LONGEST = 400
DOUBLE = (
    "O banco recusou: a placa, o CPF ou o CNPJ já está em outro cadastro, ou um registro que só pode existir uma vez "
    "ficaria repetido. Nada mudou. Retifique um deles e tente de novo."
)
FORGOTTEN = "Os dados desta pessoa foram anonimizados, e com eles a lista do que passou. A junção não se desfaz mais."
T = TypeVar("T")


@dataclass(frozen=True)
class MergeLine:
    """A merge that stands, as the page of the record that stayed shows it."""

    id: int
    gone_id: int
    gone: str
    reason: str
    merged_at: datetime


def merge(
    occasion: Occasion,
    desk: Desk,
    noun: Noun,
    kept_id: int,
    gone_id: int,
    version: int,
    *,
    taken: Collection[str],
    reason: str,
) -> int:
    """Makes two records one; gives the merge's id, by which it is undone.

    Args:
        noun: person or vehicle; both records are live and of the occasion's authority.
        version: the sum of both records' versions as the clerk saw them.
        occasion: its office is the one that orders it.
        taken: fields of :data:`FIELDS` whose value comes from the record that goes; the others stay as they are.

    Raises:
        NotFound: a record of another authority.
        Stale: one of them was changed since.
        Refused: one was ended before, they are of two kinds, no reason or office, or something would be double: two
            live permits, memberships, or what a table allows only once.
        RuleDown: a rule that what the public reads depends on did not answer.
    """
    _check(desk, occasion, noun, kept_id, gone_id, taken, reason)
    with desk.store.writing() as session:
        before = done_before(session, occasion, f"{noun}.merged")
        if before is not None:
            return before
        kept, gone = (_living(session, occasion, noun, each) for each in (kept_id, gone_id))
        refuse_stale(session, noun, kept.id, kept.version + gone.version, version)
        against = _against(session, desk, kept, gone, occasion.on)
        if against:
            raise Refused(message=against)
        gone.ended_at = occasion.at
        session.flush()
        fields = _take(kept, gone, taken)
        kept.version += 1
        gone.version += 1
        moved = _moving(lambda: move(session, pointers(session, noun), gone_id, kept_id))
        made = Merge(
            authority=occasion.authority,
            noun=noun,
            kept_id=kept_id,
            gone_id=gone_id,
            reason=reason.strip(),
            office=occasion.office,
            moved={"rows": [_plain(each) for each in moved], "fields": fields},
            merged_by=occasion.actor,
            merged_at=occasion.at,
        )
        session.add(made)
        session.flush()
        _tell_merged(session, occasion, noun, made, kept, gone)
        remember(session, occasion, f"{noun}.merged", made.id)
        _refresh(session, desk, occasion, noun, [kept_id])
        return made.id


def undo(occasion: Occasion, desk: Desk, merge_id: int, reason: str) -> int:
    """Parts two records again: exactly the rows that moved go back, fields that nobody changed since are as they were,
    and what was made after the merge stays. Gives the id of the record that comes back.

    Raises NotFound, AlreadyDone, Refused (no reason, a later merge to be undone first, a plate or number that another
    record took meanwhile, a person whose data were anonymised), RuleDown.
    """
    if fault := (too_long(reason, what="O motivo") if reason.strip() else NO_REASON):
        raise Refused({"reason": fault})
    with desk.store.writing() as session:
        done = session.get(Merge, merge_id)
        if done is None or done.authority != occasion.authority:
            raise NotFound
        noun: Noun = "person" if done.noun == "person" else "vehicle"
        if done.undone_at is not None:
            raise AlreadyDone(done.gone_id, name_of(session, done.authority, done.undone_by or ""), done.undone_at)
        if not done.moved:
            raise Refused(message=FORGOTTEN)
        _refuse_later(session, done)
        kept, gone = (_row(session, occasion, noun, each) for each in (done.kept_id, done.gone_id))
        _restore(noun, kept, done.moved["fields"])
        kept.version += 1
        gone.version += 1
        rows = [_moved(each) for each in done.moved["rows"]]

        def part() -> int:
            session.flush()
            gone.ended_at = None
            session.flush()
            return give_back(session, rows, done.kept_id, done.gone_id)

        count = _moving(part)
        done.undone_by, done.undone_at, done.undone_reason = occasion.actor, occasion.at, reason.strip()
        session.flush()
        for mine, other in ((kept, gone), (gone, kept)):
            after = {"merge_id": done.id, "other_id": other.id, "other": label_of(other), "reason": reason.strip()}
            more = {"rows": count, "version": mine.version}
            record(session, occasion, f"{noun}.parted", noun, mine.id, None, after | more)
        _refresh(session, desk, occasion, noun, [done.kept_id, done.gone_id])
        return done.gone_id


def kept_instead(session: Session, authority: str, noun: Noun, gone_id: int) -> int | None:
    """The live record that a merged one became, through later merges too; None for one that was not merged."""
    here: int | None = gone_id
    while True:
        step = session.scalar(
            select(Merge.kept_id).where(
                Merge.authority == authority, Merge.noun == noun, Merge.gone_id == here, Merge.undone_at.is_(None)
            )
        )
        if step is None:
            return None if here == gone_id else here
        here = step


def with_merges(session: Session, authority: str, noun: Noun, id: int) -> tuple[Record, tuple[MergeLine, ...]]:
    """A record with the merges that it stands for: those into it, the newest first, then those into the ones that went.

    One query where there are none below. Raises :class:`NotFound`.
    """
    table: Any = _TABLES[noun]
    gone = aliased(table)
    standing = and_(Merge.noun == noun, Merge.kept_id == table.id, Merge.undone_at.is_(None))
    name = gone.name if noun == "person" else gone.plate
    query = (
        select(table, Merge, name)
        .outerjoin(Merge, standing)
        .outerjoin(gone, gone.id == Merge.gone_id)
        .where(table.authority == authority)
        .order_by(Merge.id.desc())
    )
    rows = session.execute(query.where(table.id == id)).all()
    if not rows:
        raise NotFound
    found: list[MergeLine] = []
    level = [(row, text) for _, row, text in rows if row is not None]
    while level:
        found += [_line(row, text) for row, text in level]
        below = session.execute(query.where(table.id.in_([row.gone_id for row, _ in level]))).all()
        level = [(row, text) for _, row, text in below if row is not None]
    return rows[0][0], tuple(found)


def _line(row: Merge, text: str) -> MergeLine:
    name = text if row.noun == "person" else format_plate(text)
    return MergeLine(row.id, row.gone_id, name, row.reason, row.merged_at)


def merge_of(session: Session, authority: str, merge_id: int) -> Merge:
    """A merge of this authority. Raises :class:`NotFound`."""
    found = session.get(Merge, merge_id)
    if found is None or found.authority != authority:
        raise NotFound
    return found


def record_of(session: Session, authority: str, noun: Noun, id: int) -> Record:
    """The person or vehicle of this id, ended ones too. Raises :class:`NotFound`."""
    return person_of(session, authority, id) if noun == "person" else vehicle_of(session, authority, id)


def label_of(row: Record) -> str:
    """What a record is called: a name, or a plate."""
    return row.name if isinstance(row, Person) else format_plate(row.plate)


def offices(desk: Desk, authority: str) -> dict[str, str]:
    """The offices of an authority's regimes that may order a correction or a merge: code to label."""
    return {each.code: each.label for regime in desk.regimes_of(authority) for each in regime.offices}


def conflict(session: Session, desk: Desk, kept: Record, gone: Record, on: date) -> str:
    """The sentence that would refuse the merge as of a day; "" when it may be made."""
    return _against(session, desk, kept, gone, on)


def _check(
    desk: Desk, occasion: Occasion, noun: Noun, kept_id: int, gone_id: int, taken: Collection[str], reason: str
) -> None:
    unknown = set(taken) - FIELDS[noun].keys()
    if unknown:
        raise ValueError(f"these fields of a {noun} cannot be chosen: {', '.join(sorted(unknown))}")
    if kept_id == gone_id:
        raise Refused(message="Escolha dois cadastros diferentes.")
    known = offices(desk, occasion.authority)
    faults = {}
    if not reason.strip():
        faults["reason"] = NO_REASON
    elif len(reason.strip()) > _LONGEST:
        faults["reason"] = f"Use no máximo {_LONGEST} letras."
    if known and occasion.office not in known:
        faults["office"] = "Escolha o cargo que manda juntar."
    if faults:
        raise Refused(faults)


def _row(session: Session, occasion: Occasion, noun: Noun, id: int) -> Record:
    return record_of(session, occasion.authority, noun, id)


def _living(session: Session, occasion: Occasion, noun: Noun, id: int) -> Record:
    row = _row(session, occasion, noun, id)
    if row.ended_at is not None:
        raise Refused(message=f"O cadastro de {label_of(row)} já foi encerrado ou juntado a outro. Abra-o e confira.")
    return row


def _against(session: Session, desk: Desk, kept: Record, gone: Record, on: date) -> str:
    if isinstance(kept, Person) and isinstance(gone, Person):
        return merge_conflicts.of_persons(session, desk, kept, gone, on)
    if isinstance(kept, Vehicle) and isinstance(gone, Vehicle):
        return merge_conflicts.of_vehicles(session, desk, kept, gone, on)
    raise TypeError("a person and a vehicle are never one record")


def _take(kept: Record, gone: Record, taken: Collection[str]) -> dict[str, list[Any]]:
    """Gives the kept record the chosen values and the facts that it lacks; tells each changed field, both values."""
    wanted = {each: getattr(gone, each) for name in taken for each in (name, *_WITH.get(name, ()))}
    wanted["facts"] = {**(gone.facts or {}), **(kept.facts or {})}
    changed = {}
    for name, value in wanted.items():
        before = getattr(kept, name)
        if before != value:
            changed[name] = [to_plain(before), to_plain(value)]
            setattr(kept, name, value)
    return changed


def _restore(noun: Noun, kept: Record, fields: Mapping[str, list[Any]]) -> None:
    """Gives back each field that nobody changed since the merge."""
    columns = _TABLES[noun].__table__.c
    for name, (before, after) in fields.items():
        if to_plain(getattr(kept, name)) == after:
            dated = isinstance(columns[name].type, Date) and before is not None
            setattr(kept, name, date.fromisoformat(before) if dated else before)


def _moving(act: Callable[[], T]) -> T:
    try:
        return act()
    except IntegrityError as error:
        raise Refused(message=DOUBLE) from error


def _refuse_later(session: Session, done: Merge) -> None:
    """A merge that others were built on is undone after them."""
    later = session.scalars(
        select(Merge)
        .where(
            Merge.noun == done.noun,
            Merge.undone_at.is_(None),
            Merge.id > done.id,
            or_(Merge.kept_id == done.kept_id, Merge.gone_id == done.kept_id),
        )
        .order_by(Merge.id.desc())
    ).first()
    if later is not None:
        raise Refused(message="Houve outra junção com este cadastro depois. Desfaça primeiro a mais nova.")


def _tell_merged(session: Session, occasion: Occasion, noun: Noun, made: Merge, kept: Record, gone: Record) -> None:
    fields: Mapping[str, list[Any]] = made.moved["fields"]
    shared = {"merge_id": made.id, "reason": made.reason, "office": made.office}
    rows = {each["table"]: len(each["rows"]) for each in made.moved["rows"]}
    before = {name: values[0] for name, values in fields.items()}
    after = {name: values[1] for name, values in fields.items()} | {"version": kept.version, "rows": rows}
    other = {"other_id": gone.id, "other": label_of(gone)}
    record(session, occasion, f"{noun}.merged", noun, kept.id, before, after | shared | other)
    other = {"other_id": kept.id, "other": label_of(kept), "ended_at": gone.ended_at, "version": gone.version}
    record(session, occasion, f"{noun}.merged_into", noun, gone.id, {"ended_at": None}, shared | other)


def _refresh(session: Session, desk: Desk, occasion: Occasion, noun: Noun, ids: Iterable[int]) -> None:
    """Brings what the public and the lists show to what the facts say now; the past stays as it was told."""
    touched = list(ids)
    if noun == "person":
        held = select(Permit.id).where(or_(Permit.holder_id.in_(touched), Permit.cooperative_id.in_(touched)))
        refresh_permits(session, desk, occasion, session.scalars(held).all())
        refresh_requests_of(session, desk, occasion, people=touched)
        return
    for each in touched:
        refresh_vehicle(session, desk, each, occasion, since=occasion.on)
    refresh_requests_of(session, desk, occasion, vehicles=touched)


def _plain(moved: Moved) -> dict[str, Any]:
    pointer = moved.pointer
    return {
        "table": pointer.table,
        "column": pointer.column,
        "keys": list(pointer.keys),
        "rows": [list(row) for row in moved.rows],
    }


def _moved(plain: Mapping[str, Any]) -> Moved:
    pointer = Pointer(plain["table"], plain["column"], tuple(plain["keys"]))
    return Moved(pointer, tuple(tuple(row) for row in plain["rows"]))
