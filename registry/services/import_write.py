"""Writing the plan of an import: few statements for many lines, one audit entry a record and one a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import insert
from sqlalchemy.orm import Session

from registry.domain.imports.kinds import KINDS
from registry.domain.occasion import Occasion
from registry.domain.regime import Regime
from registry.services.desk import Desk
from registry.services.dossier import rule_down
from registry.services.import_records import batches
from registry.services.import_rows import Rows, holder_fields, vehicle_fields, write_rows
from registry.services.import_steps import Plan, Step
from registry.services.public_rows import refresh_many
from registry.store.audit import Change, record_many
from registry.store.imports import ImportedRow, ImportRun

Told = Callable[[int, int], None]

_BATCH = 500
_OF_THE_CORE = frozenset(target for kind in KINDS.values() for target in kind.targets)
_WORDS: Mapping[str, str] = {
    "vehicles": "veículo novo|veículos novos",
    "permits": "outorga nova|outorgas novas",
    "holders": "titular novo|titulares novos",
    "changed": "veículo mudado|veículos mudados",
    "changed_permits": "outorga completada|outorgas completadas",
    "changed_holders": "titular mudado|titulares mudados",
    "days": "dia sem expediente|dias sem expediente",
    "joined": "veículo posto em outorga que já havia|veículos postos em outorgas que já havia",
    "plugin_rows": "linha com dados para os plugins|linhas com dados para os plugins",
    "known": "linha sem novidade|linhas sem novidade",
}
_OF_THE_ROW = frozenset({"line", "since", "vehicle_id", "permit_id", "holder_id"})


@dataclass(frozen=True)
class Written:
    """What an import wrote. ``number`` is that of its run, 0 when nothing changed.

    ``vehicles``, ``permits`` and ``holders`` were made; ``changed`` vehicles, ``changed_permits`` and
    ``changed_holders`` got fields; ``joined`` vehicles came under permits that stood here; ``days`` were closed;
    ``plugin_rows`` lines made a plugin write; ``known`` lines said nothing new.
    """

    number: int = 0
    vehicles: int = 0
    permits: int = 0
    holders: int = 0
    changed: int = 0
    changed_permits: int = 0
    changed_holders: int = 0
    joined: int = 0
    days: int = 0
    plugin_rows: int = 0
    known: int = 0

    @property
    def counts(self) -> Mapping[str, int]:
        """Every count by name, without the run's number."""
        return {name: count for name, count in asdict(self).items() if name != "number"}

    @property
    def told(self) -> Mapping[str, int]:
        """Every count by its words, one and many: ``veículo novo|veículos novos``."""
        return {_WORDS[name]: count for name, count in self.counts.items()}

    @property
    def nothing_changed(self) -> bool:
        """Whether everything stood here already."""
        return not any(count for name, count in self.counts.items() if name != "known")


def write_plan(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    regime: Regime,
    plan: Plan,
    run: ImportRun,
    particulars: Mapping[str, Any],
    told: Told | None = None,
) -> Written:
    """Writes every step inside the session's transaction, the plugins' rows and the public rows with it.

    ``run`` is saved when something changes, and what was made and changed noted under it; ``particulars`` of the file
    go into its audit entry. Raises RuleDown when a plugin does not answer.
    """
    steps = plan.steps
    rows = write_rows(session, occasion, regime, steps)
    by_plugins = _plugin_rows(session, desk, occasion, regime, steps, rows, told)
    touched = [step for step in steps if step.changes_something or step.line.line in by_plugins]
    result = Written(
        vehicles=plan.new_vehicles,
        permits=plan.new_permits,
        holders=plan.new_holders,
        changed=plan.changed_vehicles,
        changed_permits=plan.changed_permits,
        changed_holders=plan.changed_holders,
        joined=sum(step.joins and not step.permit.makes for step in steps),
        plugin_rows=len(by_plugins),
        known=len(steps) - len(touched),
    )
    if not touched:
        return result
    known = {each["row_id"] for each in rows.notes if each["table"] == "permit"}
    for permit_id in dict.fromkeys(rows.permits[step.number] for step in touched):
        if permit_id not in known:
            rows.note("permit", permit_id, {}, {})
    result = keep_run(session, run, result, rows.notes)
    changes = _changes(touched, rows, by_plugins, result, {"regime": regime.code, **particulars}, run.kind)
    record_many(session, occasion, changes)
    ids = list(dict.fromkeys(rows.permits[step.number] for step in touched))
    refresh_many(session, desk, regime, ids, occasion, _second_half(told, len(ids)))
    return result


def keep_run(session: Session, run: ImportRun, result: Written, notes: Sequence[Mapping[str, Any]]) -> Written:
    """Saves the run with the rows that it made and changed; answers the result with its number."""
    session.add(run)
    session.flush()
    for batch in batches(notes):
        session.execute(insert(ImportedRow), [{"run_id": run.id, **each} for each in batch])
    return Written(**{**asdict(result), "number": run.id})


def _plugin_rows(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    regime: Regime,
    steps: Sequence[Step],
    rows: Rows,
    told: Told | None,
) -> set[int]:
    """Hands each line to the plugins; answers the lines for which one of them changed something."""
    changed = set()
    with rule_down(regime):
        for done, step in enumerate(steps, start=1):
            ids = {
                "vehicle_id": rows.vehicles.get(step.line.key),
                "permit_id": rows.permits[step.number],
                "holder_id": rows.persons.get(step.document),
            }
            answers = desk.host.collect(
                "registry_import_row", session=session, occasion=occasion, regime=regime.code, row={**step.row, **ids}
            )
            if any(answer.value for answer in answers):
                changed.add(step.line.line)
            if told and done % _BATCH == 0:
                told(done // 2, len(steps))
    return changed


def _second_half(told: Told | None, count: int) -> Callable[[int], None] | None:
    """Progress over the public rows, which take the second half of the time."""
    if told is None:
        return None
    return lambda done: told(count - (count - done) // 2, count)


def _changes(
    steps: Sequence[Step],
    rows: Rows,
    by_plugins: set[int],
    result: Written,
    particulars: Mapping[str, Any],
    kind: str,
) -> Iterator[Change]:
    """The audit entries: the file first, then each record in the order of the lines."""
    yield Change(f"{kind}.imported", "import", result.number, None, {**particulars, **result.counts})
    told: set[tuple[str, int]] = set()
    after = {(each["table"], each["row_id"]): each for each in rows.notes}
    for step in steps:
        source = {"import": result.number, "line": step.line.line}
        for change in _of_step(step, rows, after, by_plugins, source):
            if (change.subject, change.subject_id) not in told or change.action == "permit.completed":
                told.add((change.subject, change.subject_id))
                yield change


def _of_step(
    step: Step,
    rows: Rows,
    notes: Mapping[tuple[str, int], Mapping[str, Any]],
    by_plugins: set[int],
    source: Mapping[str, Any],
) -> Iterator[Change]:
    """The entries of one line: its vehicle, its holder, its permit."""
    permit_id = rows.permits[step.number]
    vehicle_id, holder_id = rows.vehicles.get(step.line.key), rows.persons.get(step.document)
    for subject, edit, row_id, fields in (
        ("vehicle", step.vehicle, vehicle_id, vehicle_fields(step)),
        ("person", step.holder, holder_id, holder_fields(step)),
    ):
        if edit is None or row_id is None:
            continue
        if edit.makes:
            yield Change(f"{subject}.imported", subject, row_id, None, {**fields, "version": 1, **source})
        elif edit.changes:
            after = {**edit.changes, "version": edit.version + 1, **source}
            yield Change(f"{subject}.updated", subject, row_id, edit.before, after)
    more = dict(_plugin_values(step)) if step.line.line in by_plugins else {}
    note = notes.get(("permit", permit_id))
    note = note if note and note["after"] else None
    if note is None and not (step.joins or step.suspends or more):
        return
    kept: dict[str, Any] = {"number": step.number}
    if step.line.key:
        kept |= {"vehicle_id": vehicle_id, "plate": step.line.values["plate"], "since": step.since}
    if holder_id is not None:
        kept |= {"holder_id": holder_id, **_state(step)}
    before = note["before"] if note and note["before"] and not step.permit.makes else None
    version = {"version": note["after"]["version"]} if note and step.permit.id is not None else {}
    action = "permit.imported" if step.permit.makes else "permit.completed"
    yield Change(action, "permit", permit_id, before, {**kept, **more, **version, **source})


def _state(step: Step) -> Mapping[str, Any]:
    """What a list of permits says of the permit itself."""
    names = ("granted_on", "category", "status", "note")
    return {name: step.line.values[name] for name in names if step.line.values.get(name) is not None}


def _plugin_values(step: Step) -> Iterable[tuple[str, Any]]:
    aside = _OF_THE_CORE | _OF_THE_ROW
    return ((name, value) for name, value in step.row.items() if name not in aside and value is not None)
