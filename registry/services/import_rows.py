"""The rows of an import, made and changed by few statements, each noted so that the import can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from registry.domain.identifiers import plate_key
from registry.domain.imports.kinds import HOLDER, VEHICLE
from registry.domain.occasion import Occasion
from registry.domain.regime import Regime
from registry.domain.text import fold
from registry.services.import_holders import PERMIT_FIELDS, plain, with_facts
from registry.services.import_records import NOTE, PERSON_FACTS, PERSON_FIELDS, batches
from registry.services.import_steps import Edit, Step
from registry.services.people import BRAZILIAN
from registry.services.permit_pages import END_REASON
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.vehicles import Restriction, Vehicle

_EMPTY = {"make": "", "model": "", "type": "", "fuel": "", "colour": "", "renavam": ""}
_CPF_DIGITS = 11


@dataclass
class Rows:
    """What an import wrote.

    ``vehicles``, ``permits`` and ``persons`` are the ids of every line's records by plate key, number and document.
    ``notes`` are the rows made (``before`` None) and changed, by table, as :class:`ImportedRow` keeps them.
    """

    vehicles: dict[str, int] = field(default_factory=dict)
    permits: dict[str, int] = field(default_factory=dict)
    persons: dict[str, int] = field(default_factory=dict)
    notes: list[dict[str, Any]] = field(default_factory=list)

    def note(self, table: str, row_id: int, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> None:
        """Keeps that a row was made or changed."""
        was = None if before is None else {name: plain(value) for name, value in before.items()}
        became = {name: plain(value) for name, value in after.items()}
        self.notes.append({"table": table, "row_id": row_id, "before": was, "after": became})


def write_rows(session: Session, occasion: Occasion, regime: Regime, steps: Sequence[Step]) -> Rows:
    """Writes the core's rows of every step inside the session's transaction."""
    rows = Rows()
    _make_vehicles(session, occasion, steps, rows)
    _make_persons(session, occasion, steps, rows)
    _make_permits(session, occasion, regime, steps, rows)
    _take_again(session, regime, steps, rows)
    for model, changes in (
        (Vehicle, _once(step.vehicle for step in steps)),
        (Person, _once(step.holder for step in steps)),
        (Permit, _permit_changes(steps, rows)),
    ):
        for each in changes:
            _change(session, model, each, rows)
    _join(session, steps, rows)
    _suspend(session, occasion, regime, steps, rows)
    return rows


def vehicle_fields(step: Step) -> dict[str, Any]:
    """The known fields of the step's vehicle."""
    return {name: step.line.values[name] for name in VEHICLE if step.line.values.get(name) is not None}


def holder_fields(step: Step) -> dict[str, Any]:
    """The known facts of the step's holder, by target."""
    return {name: step.line.values[name] for name in HOLDER if step.line.values.get(name) is not None}


def _make_vehicles(session: Session, occasion: Occasion, steps: Sequence[Step], rows: Rows) -> None:
    with_one = [step for step in steps if step.vehicle is not None]
    rows.vehicles |= {step.line.key: step.vehicle.id for step in with_one if step.vehicle and step.vehicle.id}
    new = list({step.line.key: step for step in with_one if step.vehicle and step.vehicle.makes}.values())
    for batch in batches(new):
        made = [
            {
                "authority": occasion.authority,
                "plate_key": step.line.key,
                "facts": {},
                "created_at": occasion.at,
                **{name: step.line.values.get(name) or _EMPTY.get(name) for name in VEHICLE},
            }
            for step in batch
        ]
        session.execute(insert(Vehicle), made)
        keys = [step.line.key for step in batch]
        found = select(Vehicle.plate_key, Vehicle.id).where(
            Vehicle.authority == occasion.authority, Vehicle.plate_key.in_(keys), Vehicle.ended_at.is_(None)
        )
        fields = {each["plate_key"]: {name: each[name] for name in VEHICLE} for each in made}
        for row in session.execute(found):
            rows.vehicles[row.plate_key] = row.id
            rows.note("vehicle", row.id, None, fields[row.plate_key])


def _make_persons(session: Session, occasion: Occasion, steps: Sequence[Step], rows: Rows) -> None:
    rows.persons |= {step.document: step.holder.id for step in steps if step.holder and step.holder.id}
    new = list({step.document: step for step in steps if step.holder and step.holder.makes}.values())
    for batch in batches(new):
        made = {step.document: _person(occasion, step) for step in batch}
        session.execute(insert(Person), list(made.values()))
        documents = list(made)
        found = select(Person.document, Person.id).where(
            Person.authority == occasion.authority, Person.document.in_(documents), Person.ended_at.is_(None)
        )
        for row in session.execute(found):
            rows.persons[row.document] = row.id
            fields = ("document", "cnh_confirmed", "facts", *PERSON_FIELDS)
            rows.note("person", row.id, None, {name: made[row.document][name] for name in fields})


def _person(occasion: Occasion, step: Step) -> dict[str, Any]:
    values = step.line.values
    kind = "natural" if len(step.document) == _CPF_DIGITS else "company"
    fields = {name: values.get(name) or "" for name in PERSON_FIELDS}
    return {
        **fields,
        "authority": occasion.authority,
        "kind": kind,
        "name_folded": fold(fields["name"])[:400],
        "document": step.document,
        "born_on": values.get("born_on"),
        "nationality": fields["nationality"] or (BRAZILIAN if kind == "natural" else ""),
        "cnh_confirmed": "cnh" in step.line.confirmed,
        "facts": {name: plain(values[name]) for name in PERSON_FACTS if values.get(name)},
        "created_at": occasion.at,
    }


def _make_permits(session: Session, occasion: Occasion, regime: Regime, steps: Sequence[Step], rows: Rows) -> None:
    """Makes the new permits. Where the file lacks it, the day of grant is not known: the day of the file stands for it,
    since on it the permit was in effect.
    """
    rows.permits |= {step.number: step.permit.id for step in steps if step.permit.id is not None}
    new = list({step.number: step for step in steps if step.permit.makes and step.permit.id is None}.values())
    for batch in batches(new):
        made = [
            {
                "authority": occasion.authority,
                "regime": regime.code,
                "number": step.number,
                "created_at": occasion.at,
                **permit_values(regime, step, rows.persons.get(step.document)),
            }
            for step in batch
        ]
        session.execute(insert(Permit), made)
        numbers = [step.number for step in batch]
        found = select(Permit.number, Permit.id).where(
            Permit.authority == occasion.authority, Permit.regime == regime.code, Permit.number.in_(numbers)
        )
        fields = {each["number"]: {name: each[name] for name in PERMIT_FIELDS} for each in made}
        for row in session.execute(found):
            rows.permits[row.number] = row.id
            rows.note("permit", row.id, None, fields[row.number])


def permit_values(regime: Regime, step: Step, holder_id: int | None) -> dict[str, Any]:
    """The columns of a permit that comes to be by a line."""
    values, facts = step.line.values, {}
    if values.get("note"):
        facts[NOTE] = values["note"]
    if step.ends:
        facts[END_REASON] = _ended_reason(step)
    granted_on = values.get("granted_on") or step.since
    return {
        "category": values.get("category") or regime.categories[0].code,
        "holder_id": holder_id,
        "granted_on": granted_on,
        "granted_on_known": values.get("granted_on") is not None,
        "ended_on": max(step.since, granted_on) if step.ends else None,
        "end_reason": "",
        "facts": facts,
    }


def _ended_reason(step: Step) -> str:
    said = step.line.cells.get("status", ("", "", step.line.values["status"]))[2]
    return f"Situação na lista importada: {said}"


def _permit_changes(steps: Sequence[Step], rows: Rows) -> list[Edit]:
    """What permits that stand here get: fields, a holder, or, for the row of an undone import, everything."""
    found: dict[int, Edit] = {}
    for step in steps:
        edit, holder_id = step.permit, rows.persons.get(step.document)
        if edit.id is None or edit.again or edit.id in found:
            continue
        changes, before = dict(edit.changes), dict(edit.before)
        if "ended_on" in changes:
            changes[f"facts.{END_REASON}"], before[f"facts.{END_REASON}"] = _ended_reason(step), None
        if step.holds:
            changes["holder_id"], before["holder_id"] = holder_id, None
        if changes:
            found[edit.id] = Edit(edit.id, changes, before, edit.version)
    return list(found.values())


def _once(edits: Iterable[Edit | None]) -> list[Edit]:
    """The changes, each record's once."""
    return list({each.id: each for each in edits if each is not None and each.changes}.values())


def _take_again(session: Session, regime: Regime, steps: Sequence[Step], rows: Rows) -> None:
    """Fills the rows that undone imports left as if they were new."""
    done = set()
    for step in steps:
        if step.permit.again and step.number not in done:
            done.add(step.number)
            values = permit_values(regime, step, rows.persons.get(step.document))
            edit = Edit(step.permit.id, values, step.permit.before, step.permit.version)
            _change(session, Permit, edit, rows)


def _change(session: Session, model: Any, edit: Edit, rows: Rows) -> None:
    changes = dict(edit.changes)
    if model is Vehicle and "plate" in changes:
        changes["plate_key"] = plate_key(changes["plate"])
    if model is Person and "name" in changes:
        changes["name_folded"] = fold(changes["name"])[:400]
    if any(name.startswith("facts.") for name in changes):
        facts = session.scalar(select(model.facts).where(model.id == edit.id)) or {}
        changes = with_facts(facts, changes)
    version = edit.version + 1
    statement = update(model).where(model.id == edit.id).values(version=version, **changes)
    session.execute(statement, execution_options={"synchronize_session": False})
    assert edit.id is not None
    rows.note(model.__tablename__, edit.id, edit.before, {**edit.changes, "version": version})


def _join(session: Session, steps: Sequence[Step], rows: Rows) -> None:
    made = [
        {
            "permit_id": rows.permits[step.number],
            "vehicle_id": rows.vehicles[step.line.key],
            "since": step.since,
        }
        for step in steps
        if step.joins
    ]
    for batch in batches(made):
        session.execute(insert(PermitVehicle), batch)
        wanted = {(each["permit_id"], each["vehicle_id"]) for each in batch}
        permits = sorted({each["permit_id"] for each in batch})
        found = select(PermitVehicle.id, PermitVehicle.permit_id, PermitVehicle.vehicle_id).where(
            PermitVehicle.permit_id.in_(permits), PermitVehicle.until.is_(None)
        )
        for row in session.execute(found):
            if (row.permit_id, row.vehicle_id) in wanted:
                rows.note("permit_vehicle", row.id, None, {"until": None})


def _suspend(session: Session, occasion: Occasion, regime: Regime, steps: Sequence[Step], rows: Rows) -> None:
    """Bars the permits that the file calls suspended, from its day on, until someone lifts the bar."""
    done = set()
    for step in steps:
        if not step.suspends or step.number in done:
            continue
        done.add(step.number)
        bar = Restriction(
            authority=occasion.authority,
            regime=regime.code,
            kind="suspension",
            permit_id=rows.permits[step.number],
            since=step.since,
            reason=_ended_reason(step),
            recorded_at=occasion.at,
        )
        session.add(bar)
        session.flush()
        rows.note("restriction", bar.id, None, {"until": None, "voided_at": None})
