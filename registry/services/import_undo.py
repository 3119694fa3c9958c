"""Undoing a run of the importer as one act: what it made is ended, what it changed gets its former values back.

Nothing is undone while later work rests on it: a record that someone changed since, or a request, an inspection, a
charge or another record that points at one which the run made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from sqlalchemy import Date, select
from sqlalchemy.orm import Session

from registry.domain.identifiers import format_plate, plate_key
from registry.domain.occasion import Occasion
from registry.domain.text import fold, format_date
from registry.services.desk import Desk
from registry.services.dossier import rule_down
from registry.services.errors import AlreadyDone, Refused
from registry.services.history import last_editor, name_of
from registry.services.import_holders import plain, with_facts
from registry.services.import_records import UNDONE, batches
from registry.services.import_runs import STATES, run_row
from registry.services.permit_pages import END_REASON
from registry.services.public_rows import refresh_many
from registry.store.acts import Closure
from registry.store.audit import Change, record_many
from registry.store.corrections import Correction, Merge
from registry.store.imports import ImportedRow, ImportRun
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.tables import METADATA, is_core_table
from registry.store.vehicles import Restriction, Vehicle

_MODELS: Mapping[str, Any] = {
    each.__tablename__: each for each in (Vehicle, Person, Permit, PermitVehicle, Restriction, Closure)
}
_POINTED_AT = ("vehicle", "person", "permit")
_DERIVED = frozenset({"public_row", "imported_row"})
_NOUNS = {
    "request": "requerimento",
    "inspection": "vistoria",
    "licence": "licença",
    "charge": "cobrança",
    "membership": "cooperativa",
    "restriction": "restrição",
    "permit": "outorga",
    "permit_vehicle": "outorga com este veículo",
    "former_plate": "troca de placa",
}
_DAY = timedelta(days=1)
_MOST = 50
_LONGEST = 400


@dataclass(frozen=True)
class Undone:
    """What undoing did: records ended, and records that got their former values back."""

    run_id: int
    ended: int
    restored: int


def obstacles(occasion: Occasion, desk: Desk, run_id: int) -> tuple[str, ...]:
    """Why a run cannot be undone, one sentence a record, at most 50; empty when the core sees no reason.

    Plugins are asked only when it is undone. Raises NotFound.
    """
    with desk.store.reading() as session:
        run = run_row(session, occasion, run_id)
        if run.state != "gravado":
            return (f"A importação {run.id} não está gravada: {STATES[run.state].lower()}.",)
        return _cut(_obstacles(session, occasion, _Run(session, run)))


def undo(occasion: Occasion, desk: Desk, run_id: int, reason: str) -> Undone:
    """Undoes a written run, in one transaction.

    Raises:
        NotFound: no such run in this authority.
        AlreadyDone: it was undone before.
        Refused: no reason or one too long, not written, or later work rests on it: the message lists what.
        RuleDown: a plugin did not answer; nothing is undone.
    """
    why = reason.strip()
    if not why:
        raise Refused({"reason": "Escreva por que a importação é desfeita."})
    if len(why) > _LONGEST:
        raise Refused({"reason": f"O motivo tem {len(why)} letras. O limite é {_LONGEST}."})
    with desk.store.writing() as session:
        row = run_row(session, occasion, run_id)
        if row.state == "desfeito":
            done = Undone(row.id, 0, 0)
            raise AlreadyDone(done, name_of(session, row.authority, row.undone_by or ""), row.undone_at)
        if row.state != "gravado":
            raise Refused(message=f"A importação {row.id} não está gravada: {STATES[row.state].lower()}.")
        run = _Run(session, row)
        _refuse(run, _obstacles(session, occasion, run))
        permits = _touched_permits(session, run)
        _refuse(run, _by_plugins(session, desk, occasion, run))
        changes = list(_take_back(session, occasion, run, why))
        row.state, row.undone_by, row.undone_at = "desfeito", occasion.actor, occasion.at
        row.undone_reason = why
        session.flush()
        restored = sum(bool(note.before) for note in run.notes)
        made = sum(note.before is None for note in run.notes)
        after = {"state": "desfeito", "reason": why, "ended": made, "restored": restored}
        record_many(
            session, occasion, [Change("import.undone", "import", row.id, {"state": "gravado"}, after), *changes]
        )
        desk.law_changed(session, occasion.authority)
        for code, ids in permits.items():
            if code in desk.host.regimes:
                refresh_many(session, desk, desk.host.regimes[code], ids, occasion)
        return Undone(row.id, made, restored)


class _Run:
    """A run with its notes and the rows that they speak of, by table and id."""

    def __init__(self, session: Session, row: ImportRun) -> None:
        self.row = row
        wanted = select(ImportedRow).where(ImportedRow.run_id == row.id).order_by(ImportedRow.id)
        self.notes: Sequence[ImportedRow] = session.scalars(wanted).all()
        self.rows: dict[tuple[str, int], Any] = {}
        for table, model in _MODELS.items():
            for batch in batches(self.ids(table)):
                found = session.scalars(select(model).where(model.id.in_(batch)))
                self.rows |= {(table, each.id): each for each in found}

    def ids(self, table: str, *, made: bool = False) -> list[int]:
        """The ids of the run's rows in a table; ``made`` those alone that it made."""
        return sorted(
            {each.row_id for each in self.notes if each.table == table and not (made and each.before is not None)}
        )

    def row_of(self, note: ImportedRow) -> Any:
        """The row that a note speaks of; None when it is gone."""
        return self.rows.get((note.table, note.row_id))


def _refuse(run: _Run, found: Iterable[str]) -> None:
    sentences = _cut(found)
    if sentences:
        listed = "".join(f"\n- {each}" for each in sentences)
        raise Refused(message=f"A importação {run.row.id} não pode ser desfeita. Nada mudou.{listed}")


def _cut(sentences: Iterable[str]) -> tuple[str, ...]:
    every = list(dict.fromkeys(sentences))
    more = len(every) - _MOST
    return (*every[:_MOST], f"e mais {more}.") if more > 0 else tuple(every)


def _obstacles(session: Session, occasion: Occasion, run: _Run) -> Iterator[str]:
    for note in run.notes:
        row = run.row_of(note)
        if row is None:
            yield f"Um registro da importação não existe mais ({note.table} {note.row_id})."
        elif note.table == "closure" and row.day < occasion.on:
            yield f"{format_date(row.day)} já passou: prazos foram contados com este dia fechado."
        elif note.before != {} and not _is_as_left(note, row):
            yield f"{_label(run, row)}: {_changed(session, note)}"
    for table in _POINTED_AT:
        yield from _pointing(session, run, table)


def _is_as_left(note: ImportedRow, row: Any) -> bool:
    """Whether the row is as the run left it; of one that it changed only the fields that it changed count.

    A note without content was blanked with its person's data: nothing can be given back.
    """
    if note.after is None or getattr(row, "ended_at", None) is not None:
        return False
    left = {name: value for name, value in note.after.items() if name != "version"}
    return all(plain(_value(row, name)) == value for name, value in left.items())


def _value(row: Any, name: str) -> Any:
    column, _, inner = name.partition(".")
    value = getattr(row, column)
    return (value or {}).get(inner) if inner else value


def _changed(session: Session, note: ImportedRow) -> str:
    by, at = last_editor(session, note.table, note.row_id)
    return f"mudou depois da importação ({by}, {format_date(at.date())})." if at else "mudou depois da importação."


def _label(run: _Run, row: Any) -> str:
    match row:
        case Vehicle():
            return f"Veículo {format_plate(row.plate)}"
        case Person():
            return row.name
        case Permit():
            return f"Outorga {row.number}"
        case PermitVehicle():
            permit = run.rows.get(("permit", row.permit_id))
            return f"Veículo da outorga {permit.number}" if permit is not None else "Veículo de uma outorga"
        case Closure():
            return f"Dia {format_date(row.day)}"
    return "Suspensão da outorga"


def _pointing(session: Session, run: _Run, table: str) -> Iterator[str]:
    """What other rows than the run's own point at rows that it made."""
    ids = run.ids(table, made=True)
    own = {(note.table, note.row_id) for note in run.notes}
    for other in METADATA.sorted_tables:
        if other.name in _DERIVED or not is_core_table(other.name) or "id" not in other.c:
            continue
        for key in other.foreign_keys:
            if key.column.table.name != table:
                continue
            for batch in batches(ids):
                found = session.execute(select(other.c.id, key.parent).where(key.parent.in_(batch)))
                later = {row[0]: row[1] for row in found if (other.name, row[0]) not in own}
                for row_id in later.keys() - _undone(session, other.name, list(later)):
                    yield f"{_named(run, table, later[row_id])}: tem {_NOUNS.get(other.name, other.name)}."
    for batch in batches(ids):
        merged = select(Merge.kept_id).where(Merge.noun == table, Merge.kept_id.in_(batch), Merge.undone_at.is_(None))
        mended = select(Correction.right_id).where(Correction.noun == table, Correction.right_id.in_(batch))
        for row_id in (*session.scalars(merged), *session.scalars(mended)):
            yield f"{_named(run, table, row_id)}: foi unido a outro cadastro ou retificado."


def _undone(session: Session, table: str, ids: Sequence[int]) -> set[int]:
    """Those of these rows that an undone run made and no run that stands took again: they never were."""
    made: set[int] = set()
    taken: set[int] = set()
    for batch in batches(ids):
        notes = (
            select(ImportedRow.row_id, ImportedRow.before, ImportRun.state)
            .join(ImportRun, ImportRun.id == ImportedRow.run_id)
            .where(ImportedRow.table == table, ImportedRow.row_id.in_(batch))
        )
        for row in session.execute(notes):
            if row.state == "gravado":
                taken.add(row.row_id)
            elif row.before is None:
                made.add(row.row_id)
    return made - taken


def _named(run: _Run, table: str, row_id: int) -> str:
    return _label(run, run.rows[(table, row_id)])


def _by_plugins(session: Session, desk: Desk, occasion: Occasion, run: _Run) -> list[str]:
    """Has the plugins take back their own rows; what they object to."""
    regime = desk.host.regimes.get(run.row.regime)
    if not run.row.regime:
        return []
    if regime is None:
        return ["O módulo do regime não está carregado: sem ele, a situação pública não pode ser refeita."]
    with rule_down(regime):
        answers = desk.host.collect(
            "registry_import_undo",
            session=session,
            occasion=occasion,
            regime=regime.code,
            at=run.row.finished_at,
            permit_ids=run.ids("permit"),
        )
        return [sentence for answer in answers for sentence in answer.value]


def _touched_permits(session: Session, run: _Run) -> dict[str, list[int]]:
    """The permits whose public rows hang on the run's records, by regime."""
    ids = set(run.ids("permit"))
    reached = (
        (PermitVehicle.permit_id, PermitVehicle.id, run.ids("permit_vehicle")),
        (PermitVehicle.permit_id, PermitVehicle.vehicle_id, run.ids("vehicle")),
        (Permit.id, Permit.holder_id, run.ids("person")),
        (Restriction.permit_id, Restriction.id, run.ids("restriction")),
    )
    for wanted, column, keys in reached:
        for batch in batches(keys):
            ids |= {each for each in session.scalars(select(wanted).where(column.in_(batch))) if each is not None}
    by_regime: dict[str, list[int]] = defaultdict(list)
    for batch in batches(sorted(ids)):
        for row in session.execute(select(Permit.id, Permit.regime).where(Permit.id.in_(batch)).order_by(Permit.id)):
            by_regime[row.regime].append(row.id)
    return by_regime


def _take_back(session: Session, occasion: Occasion, run: _Run, reason: str) -> Iterator[Change]:
    """Ends what the run made and restores what it changed, newest first; answers the audit entries."""
    for note in reversed(run.notes):
        row = run.row_of(note)
        if note.before is None:
            before, after = _ENDS[note.table](session, occasion, row, f"Importação {run.row.id} desfeita: {reason}")
            if note.table == "permit":
                row.facts = {**row.facts, UNDONE: run.row.id}
        elif note.before:
            before, after = _restored(note, row)
        else:
            continue
        if hasattr(row, "version"):
            row.version += 1
            after["version"] = row.version
        yield Change(f"{note.table}.import_undone", note.table, note.row_id, before, {**after, "import": run.row.id})


def _restored(note: ImportedRow, row: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Gives a row its former values; answers them as they were and are now."""
    wanted = {name: _typed(row, name, value) for name, value in (note.before or {}).items()}
    was = {name: _value(row, name) for name in wanted}
    columns = with_facts(getattr(row, "facts", None) or {}, wanted)
    if "plate" in columns:
        columns["plate_key"] = plate_key(columns["plate"])
    if "name" in columns:
        columns["name_folded"] = fold(columns["name"])[:400]
    for name, value in columns.items():
        setattr(row, name, value)
    return was, dict(wanted)


def _typed(row: Any, name: str, value: Any) -> Any:
    column = row.__table__.c.get(name)
    is_day = column is not None and isinstance(column.type, Date)
    return date.fromisoformat(value) if is_day and isinstance(value, str) else value


_Fields = tuple[dict[str, Any], dict[str, Any]]
_End = Callable[[Session, Occasion, Any, str], _Fields]


def _end_record(_session: Session, occasion: Occasion, row: Any, _why: str) -> _Fields:
    row.ended_at = occasion.at
    return {"ended_at": None}, {"ended_at": occasion.at}


def _end_permit(_session: Session, _occasion: Occasion, row: Permit, why: str) -> _Fields:
    """It ends on its first day: it never was in effect."""
    before = {"ended_on": row.ended_on}
    row.ended_on, row.facts = row.granted_on, {**row.facts, END_REASON: why}
    return before, {"ended_on": row.ended_on, "reason": why}


def _end_belonging(_session: Session, _occasion: Occasion, row: PermitVehicle, _why: str) -> _Fields:
    """It ends the day before it began: the vehicle never was under the permit."""
    row.until = row.since - _DAY
    return {"until": None}, {"until": row.until}


def _void(_session: Session, occasion: Occasion, row: Restriction, _why: str) -> _Fields:
    row.voided_at = occasion.at
    return {"voided_at": None}, {"voided_at": occasion.at}


def _reopen(_session: Session, occasion: Occasion, row: Closure, _why: str) -> _Fields:
    """A day that has not come yet opens again."""
    row.ended_at = occasion.at
    return {"ended_at": None}, {"ended_at": occasion.at}


_ENDS: Mapping[str, _End] = {
    "vehicle": _end_record,
    "person": _end_record,
    "permit": _end_permit,
    "permit_vehicle": _end_belonging,
    "restriction": _void,
    "closure": _reopen,
}
