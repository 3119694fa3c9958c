"""What the lines of a file mean beside what stands here: new, already known, to be completed, in conflict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.imports.remarks import Remark, RowRemark
from registry.domain.imports.sheet import Line, Sheet
from registry.domain.occasion import Occasion
from registry.domain.regime import Regime
from registry.domain.text import format_date
from registry.services.desk import Desk
from registry.services.dossier import rule_down
from registry.store.permits import Permit, PermitVehicle
from registry.store.vehicles import Vehicle

Existing = Literal["ask", "keep", "replace"]

VEHICLE_FIELDS = (
    "plate",
    "make",
    "model",
    "type",
    "year_made",
    "first_registered_on",
    "fuel",
    "colour",
    "doors",
    "seats",
    "renavam",
)
_BATCH = 500


@dataclass(frozen=True)
class Step:
    """What one line does.

    ``vehicle_id`` and ``permit_id`` are the records that it found (None = to be made). ``changes`` are fields of the
    vehicle found, ``before`` what they were, ``version`` its version. ``joins`` = the vehicle comes under the permit.
    ``row`` is what plugins get, without the ids of records still to be made.
    """

    line: Line
    row: Mapping[str, Any]
    since: date
    vehicle_id: int | None = None
    permit_id: int | None = None
    joins: bool = True
    changes: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)
    version: int = 0


@dataclass(frozen=True)
class Plan:
    """The steps of a file, one a line, and the conflicts with what stands here."""

    steps: tuple[Step, ...]
    remarks: tuple[Remark, ...]

    @property
    def new_vehicles(self) -> int:
        """Vehicles to be made."""
        return sum(step.vehicle_id is None for step in self.steps)

    @property
    def new_permits(self) -> int:
        """Permits to be made."""
        return sum(step.permit_id is None for step in self.steps)

    @property
    def changed_vehicles(self) -> int:
        """Vehicles that stand here and get a field from the file."""
        return sum(bool(step.changes) for step in self.steps)

    @property
    def known(self) -> int:
        """Lines of which everything of the core's stands here already."""
        return sum(
            step.vehicle_id is not None and step.permit_id is not None and not step.joins and not step.changes
            for step in self.steps
        )


def make_plan(
    session: Session, desk: Desk, occasion: Occasion, regime: Regime, sheet: Sheet, existing: Existing
) -> Plan:
    """Compares the lines of a file with the records of the occasion's authority. Raises RuleDown."""
    records = _Records(session, occasion.authority, regime.code, sheet.lines)
    steps: list[Step] = []
    remarks: list[Remark] = []
    for line in sheet.lines:
        conflicts = list(_conflicts(records, line, regime, occasion.on))
        remarks += conflicts
        if not conflicts:
            step, differing = _step(records, line, occasion.on, existing)
            steps.append(step)
            remarks += differing
    return _with_plugins(session, desk, occasion, regime, steps, remarks, existing)


@dataclass(frozen=True)
class _Belonging:
    """A vehicle under a permit, still open."""

    permit_id: int
    vehicle_id: int
    number: str
    ended_on: date | None
    plate: str


class _Records:
    """The vehicles, permits and open belongings that the lines touch, by plate key and number.

    Each statement reads one table: beside a table just filled PostgreSQL would plan a join very badly.
    """

    def __init__(self, session: Session, authority: str, regime: str, lines: Sequence[Line]) -> None:
        self.vehicles: dict[str, Any] = {}
        self.permits: dict[str, Any] = {}
        self.under: dict[int, list[_Belonging]] = {}
        self.holding: dict[int, list[_Belonging]] = {}
        fields = (Vehicle.id, Vehicle.version, Vehicle.plate_key, *(getattr(Vehicle, each) for each in VEHICLE_FIELDS))
        for batch in _batches([line.key for line in lines]):
            mine = select(*fields).where(Vehicle.authority == authority, Vehicle.ended_at.is_(None))
            found = session.execute(mine.where(Vehicle.plate_key.in_(batch)))
            self.vehicles |= {row.plate_key: row for row in found}
        permits: Any = select(Permit.id, Permit.number, Permit.ended_on, Permit.granted_on)
        permits = permits.where(Permit.authority == authority, Permit.regime == regime)
        for batch in _batches([line.values["number"] for line in lines]):
            found = session.execute(permits.where(Permit.number.in_(batch)))
            self.permits |= {row.number: row for row in found}
        for each in self._belongings(session, permits):
            self.under.setdefault(each.permit_id, []).append(each)
            self.holding.setdefault(each.vehicle_id, []).append(each)

    def _belongings(self, session: Session, permits: Any) -> Iterable[_Belonging]:
        """Those of the permits and of the vehicles found, each once; other regimes' are left out."""
        pairs: set[tuple[int, int]] = set()
        still_open = select(PermitVehicle.permit_id, PermitVehicle.vehicle_id).where(PermitVehicle.until.is_(None))
        for column, rows in ((PermitVehicle.permit_id, self.permits), (PermitVehicle.vehicle_id, self.vehicles)):
            for batch in _batches([row.id for row in rows.values()]):
                pairs |= {(row[0], row[1]) for row in session.execute(still_open.where(column.in_(batch)))}
        by_id = {row.id: row for row in self.permits.values()}
        plates = {row.id: row.plate for row in self.vehicles.values()}
        for batch in _batches(sorted({permit for permit, _ in pairs} - by_id.keys())):
            by_id |= {row.id: row for row in session.execute(permits.where(Permit.id.in_(batch)))}
        for batch in _batches(sorted({vehicle for _, vehicle in pairs} - plates.keys())):
            others = select(Vehicle.id, Vehicle.plate).where(Vehicle.id.in_(batch))
            plates |= {row.id: row.plate for row in session.execute(others)}
        for permit_id, vehicle_id in sorted(pairs):
            permit = by_id.get(permit_id)
            if permit is not None:
                yield _Belonging(permit_id, vehicle_id, permit.number, permit.ended_on, plates[vehicle_id])


def _conflicts(records: _Records, line: Line, regime: Regime, on: date) -> Iterable[Remark]:
    """What no choice resolves: an ended permit, a permit with another vehicle, a vehicle under another permit."""
    number = line.values["number"]
    permit, vehicle = records.permits.get(number), records.vehicles.get(line.key)
    paper = regime.permit_label.lower()
    if permit is not None and permit.ended_on is not None and permit.ended_on <= on:
        message = f"No cadastro, {paper} {number} terminou em {format_date(permit.ended_on)}."
        yield line.remark("conflito", "number", message, "Deixe a linha de fora ou confira o número.")
        return
    under = records.under.get(permit.id, []) if permit is not None else []
    if under and all(vehicle is None or row.vehicle_id != vehicle.id for row in under):
        plates = ", ".join(row.plate for row in under)
        message = f"No cadastro, {paper} {number} está com o veículo {plates}."
        yield line.remark(
            "conflito", "plate", message, "Troca de veículo se faz por requerimento: deixe a linha de fora."
        )
    if vehicle is None:
        return
    for row in records.holding.get(vehicle.id, []):
        if row.number != number and (row.ended_on is None or on < row.ended_on):
            message = f"No cadastro, a placa {row.plate} está com {paper} {row.number}."
            yield line.remark("conflito", "plate", message, "Confira a placa ou deixe a linha de fora.")


def _step(records: _Records, line: Line, on: date, existing: Existing) -> tuple[Step, list[Remark]]:
    """The line's step, and a conflict for each field that differs when the clerk has not chosen."""
    permit, vehicle = records.permits.get(line.values["number"]), records.vehicles.get(line.key)
    since = line.values.get("as_of") or on
    joined = permit is not None and any(
        vehicle is not None and row.vehicle_id == vehicle.id for row in records.under.get(permit.id, [])
    )
    changes: dict[str, Any] = {}
    before: dict[str, Any] = {}
    remarks: list[Remark] = []
    for name in VEHICLE_FIELDS if vehicle is not None else ():
        here, there = getattr(vehicle, name), line.values.get(name)
        if there is None or there == here:
            continue
        if here not in (None, "") and existing == "ask":
            remarks.append(replace(line.remark("conflito", name, f"No cadastro está {_shown(here)}."), choosable=True))
        elif here in (None, "") or existing == "replace":
            changes[name], before[name] = there, here
    row = {**line.values, "line": line.line, "since": since}
    step = Step(
        line=line,
        row=row | {"permit_id": permit.id if permit else None, "vehicle_id": vehicle.id if vehicle else None},
        since=max(since, permit.granted_on) if permit else since,
        vehicle_id=vehicle.id if vehicle else None,
        permit_id=permit.id if permit else None,
        joins=not joined,
        changes=changes,
        before=before,
        version=vehicle.version if vehicle else 0,
    )
    return step, remarks


def _with_plugins(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    regime: Regime,
    steps: Sequence[Step],
    remarks: list[Remark],
    existing: Existing,
) -> Plan:
    """Asks the plugins about the rows; where the record is kept, the value in conflict is not handed to them."""
    with rule_down(regime):
        answers = desk.host.collect(
            "registry_import_remarks",
            session=session,
            occasion=occasion,
            regime=regime.code,
            rows=[step.row for step in steps],
        )
        told = [each for answer in answers for each in answer.value]
    by_line: dict[int, list[RowRemark]] = {}
    for each in told:
        by_line.setdefault(each.line, []).append(each)
    final = []
    for step in steps:
        mine = by_line.get(step.line.line, [])
        conflicts = {each.target for each in mine if each.kind == "conflito"}
        final.append(_without(step, conflicts) if existing == "keep" and conflicts else step)
        remarks += [
            replace(
                step.line.remark(each.kind, each.target, each.message, each.mend), choosable=each.kind == "conflito"
            )
            for each in mine
            if each.kind != "conflito" or existing == "ask"
        ]
    return Plan(tuple(final), tuple(remarks))


def _without(step: Step, targets: set[str]) -> Step:
    return replace(step, row={name: None if name in targets else value for name, value in step.row.items()})


def _shown(value: Any) -> str:
    return f"«{format_date(value) if isinstance(value, date) else value}»"


def _batches(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (values[start : start + _BATCH] for start in range(0, len(values), _BATCH))
