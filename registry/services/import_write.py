"""Writing the plan of an import: few statements for many lines, one audit entry a record and one a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.orm import Session

from registry.domain.identifiers import plate_key
from registry.domain.occasion import Occasion
from registry.domain.regime import Regime
from registry.services.desk import Desk
from registry.services.dossier import rule_down
from registry.services.import_plan import VEHICLE_FIELDS, Plan, Step
from registry.services.public_rows import refresh_many
from registry.store.audit import Change, record_many
from registry.store.numbers import take
from registry.store.permits import Permit, PermitVehicle
from registry.store.vehicles import Vehicle

Told = Callable[[int, int], None]

_SERIES = "import"
_BATCH = 500


@dataclass(frozen=True)
class Written:
    """What an import wrote. ``number`` is its own in the authority's series of imports, 0 when nothing changed.

    ``vehicles`` and ``permits`` were made, ``changed`` vehicles got fields, ``joined`` vehicles came under permits that
    stood here, ``plugin_rows`` lines made a plugin write; ``known`` lines said nothing new.
    """

    number: int
    vehicles: int
    permits: int
    changed: int
    joined: int
    plugin_rows: int
    known: int

    @property
    def nothing_changed(self) -> bool:
        """Whether everything stood here already."""
        return not (self.vehicles or self.permits or self.changed or self.joined or self.plugin_rows)


def write_plan(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    regime: Regime,
    plan: Plan,
    particulars: Mapping[str, Any],
    told: Told | None = None,
) -> Written:
    """Writes every step inside the session's transaction, the plugins' rows and the public rows with it.

    ``particulars`` of the file go into its audit entry. Raises RuleDown when a plugin does not answer.
    """
    steps = plan.steps
    vehicles = _make_vehicles(session, occasion, steps)
    permits = _make_permits(session, occasion, regime, steps)
    _join(session, steps, vehicles, permits)
    _change_vehicles(session, steps)
    by_plugins = _plugin_rows(session, desk, occasion, regime, steps, vehicles, permits, told)
    touched = [step for step in steps if _is_change(step) or step.line.line in by_plugins]
    result = Written(
        number=take(session, occasion.authority, _SERIES, 0) if touched else 0,
        vehicles=plan.new_vehicles,
        permits=plan.new_permits,
        changed=plan.changed_vehicles,
        joined=sum(step.joins and step.permit_id is not None for step in steps),
        plugin_rows=len(by_plugins),
        known=len(steps) - len(touched),
    )
    if touched:
        changes = _changes(touched, vehicles, permits, by_plugins, result, {"regime": regime.code, **particulars})
        record_many(session, occasion, changes)
        ids = [permits[step.line.values["number"]] for step in touched]
        refresh_many(session, desk, regime, ids, occasion, _second_half(told, len(ids)))
    return result


def _is_change(step: Step) -> bool:
    return step.vehicle_id is None or step.permit_id is None or step.joins or bool(step.changes)


def _make_vehicles(session: Session, occasion: Occasion, steps: Sequence[Step]) -> dict[str, int]:
    """Inserts the new vehicles; answers the id of every line's vehicle by plate key."""
    ids = {step.line.key: step.vehicle_id for step in steps if step.vehicle_id is not None}
    new = [step for step in steps if step.vehicle_id is None]
    for batch in _batches(new):
        rows = [
            {
                "authority": occasion.authority,
                "plate_key": step.line.key,
                "facts": {},
                "created_at": occasion.at,
                **{name: step.line.values.get(name) or _EMPTY.get(name) for name in VEHICLE_FIELDS},
            }
            for step in batch
        ]
        session.execute(insert(Vehicle), rows)
        keys = [step.line.key for step in batch]
        found = select(Vehicle.plate_key, Vehicle.id).where(
            Vehicle.authority == occasion.authority, Vehicle.plate_key.in_(keys), Vehicle.ended_at.is_(None)
        )
        ids |= {row.plate_key: row.id for row in session.execute(found)}
    return ids


_EMPTY = {"make": "", "model": "", "type": "", "fuel": "", "colour": "", "renavam": ""}


def _make_permits(session: Session, occasion: Occasion, regime: Regime, steps: Sequence[Step]) -> dict[str, int]:
    """Inserts the new permits, their holder and first day not known; answers the id of every line's permit by number.

    The day of the file stands for the first day: on it the permit was in effect.
    """
    ids = {step.line.values["number"]: step.permit_id for step in steps if step.permit_id is not None}
    new = [step for step in steps if step.permit_id is None]
    for batch in _batches(new):
        rows = [
            {
                "authority": occasion.authority,
                "regime": regime.code,
                "number": step.line.values["number"],
                "category": _category(regime, step),
                "granted_on": step.since,
                "granted_on_known": False,
                "facts": {},
                "created_at": occasion.at,
            }
            for step in batch
        ]
        session.execute(insert(Permit), rows)
        numbers = [step.line.values["number"] for step in batch]
        found = select(Permit.number, Permit.id).where(
            Permit.authority == occasion.authority, Permit.regime == regime.code, Permit.number.in_(numbers)
        )
        ids |= {row.number: row.id for row in session.execute(found)}
    return ids


def _category(regime: Regime, step: Step) -> str:
    return step.line.values.get("category") or regime.categories[0].code


def _join(session: Session, steps: Sequence[Step], vehicles: Mapping[str, int], permits: Mapping[str, int]) -> None:
    rows = [
        {
            "permit_id": permits[step.line.values["number"]],
            "vehicle_id": vehicles[step.line.key],
            "since": step.since,
        }
        for step in steps
        if step.joins
    ]
    for batch in _batches(rows):
        session.execute(insert(PermitVehicle), batch)


def _change_vehicles(session: Session, steps: Sequence[Step]) -> None:
    for step in steps:
        if step.changes:
            values = dict(step.changes)
            if "plate" in values:
                values["plate_key"] = plate_key(values["plate"])
            mine = update(Vehicle).where(Vehicle.id == bindparam("own_id")).values(version=step.version + 1, **values)
            session.execute(mine, {"own_id": step.vehicle_id}, execution_options={"synchronize_session": False})


def _plugin_rows(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    regime: Regime,
    steps: Sequence[Step],
    vehicles: Mapping[str, int],
    permits: Mapping[str, int],
    told: Told | None,
) -> set[int]:
    """Hands each line to the plugins; answers the lines for which one of them changed something."""
    changed = set()
    with rule_down(regime):
        for done, step in enumerate(steps, start=1):
            ids = {"vehicle_id": vehicles[step.line.key], "permit_id": permits[step.line.values["number"]]}
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
    vehicles: Mapping[str, int],
    permits: Mapping[str, int],
    by_plugins: set[int],
    result: Written,
    particulars: Mapping[str, Any],
) -> Iterator[Change]:
    """The audit entries: the file first, then each record in the order of the lines."""
    counts = {
        name: getattr(result, name) for name in ("vehicles", "permits", "changed", "joined", "plugin_rows", "known")
    }
    yield Change("vehicles.imported", "import", result.number, None, {**particulars, **counts})
    for step in steps:
        values, source = step.line.values, {"import": result.number, "line": step.line.line}
        vehicle_id, permit_id = vehicles[step.line.key], permits[values["number"]]
        if step.vehicle_id is None:
            fields = {name: values[name] for name in VEHICLE_FIELDS if values.get(name) is not None}
            yield Change("vehicle.imported", "vehicle", vehicle_id, None, {**fields, "version": 1, **source})
        elif step.changes:
            after = {**step.changes, "version": step.version + 1, **source}
            yield Change("vehicle.updated", "vehicle", vehicle_id, step.before, after)
        more = dict(_plugin_values(step)) if step.line.line in by_plugins else {}
        action = "permit.imported" if step.permit_id is None else "permit.completed"
        if step.permit_id is None or step.joins or more:
            kept = {"number": values["number"], "vehicle_id": vehicle_id, "plate": values["plate"], "since": step.since}
            yield Change(action, "permit", permit_id, None, {**kept, **more, **source})


def _plugin_values(step: Step) -> Iterable[tuple[str, Any]]:
    aside = {*VEHICLE_FIELDS, "number", "category", "as_of", "line", "since", "vehicle_id", "permit_id"}
    return ((name, value) for name, value in step.row.items() if name not in aside and value is not None)


def _batches(rows: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))
