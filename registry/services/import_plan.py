"""What the lines of a file mean beside what stands here: new, already known, to be completed, in conflict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Literal

from sqlalchemy.orm import Session

from registry.domain.imports.kinds import VEHICLE
from registry.domain.imports.remarks import Remark, RowRemark
from registry.domain.imports.sheet import Line, Sheet
from registry.domain.occasion import Occasion
from registry.domain.regime import Regime
from registry.domain.text import format_date
from registry.services.desk import Desk
from registry.services.dossier import rule_down
from registry.services.import_holders import differing, holder_edit, permit_edit
from registry.services.import_records import Records
from registry.services.import_steps import Edit, Plan, Step

Existing = Literal["ask", "keep", "replace"]


def make_plan(
    session: Session, desk: Desk, occasion: Occasion, regime: Regime, sheet: Sheet, existing: Existing
) -> Plan:
    """Compares the lines of a file with the records of the occasion's authority. Raises RuleDown."""
    records = Records(session, occasion.authority, regime.code, sheet.lines)
    steps: list[Step] = []
    remarks: list[Remark] = []
    for line in sheet.lines:
        conflicts = list(_conflicts(records, line, regime, occasion.on, sheet.profile.fleet))
        remarks += conflicts
        if not conflicts:
            step, differing_fields = _step(records, line, regime, occasion.on, existing)
            steps.append(step)
            remarks += differing_fields
    return _with_plugins(session, desk, occasion, regime, steps, remarks, existing)


def _conflicts(records: Records, line: Line, regime: Regime, on: date, fleet: bool) -> Iterable[Remark]:
    """What no choice resolves: an ended permit, a permit with another vehicle, a vehicle under another permit."""
    if line.values.get("status") == "encerrada":
        return
    number = line.values["number"]
    permit, vehicle = records.permit_of(line), records.vehicles.get(line.key)
    paper = regime.permit_label.lower()
    if permit is not None and permit.ended_on is not None and permit.ended_on <= on:
        message = f"No cadastro, {paper} {number} terminou em {format_date(permit.ended_on)}."
        yield line.remark("conflito", "number", message, "Deixe a linha de fora ou confira o número.")
        return
    under = records.under.get(permit.id, []) if permit is not None and line.key and not fleet else []
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


def _step(records: Records, line: Line, regime: Regime, on: date, existing: Existing) -> tuple[Step, list[Remark]]:
    """The line's step, and a conflict for each field that differs when the clerk has not chosen."""
    permit, vehicle = records.permit_of(line), records.vehicles.get(line.key)
    since = line.values.get("as_of") or on
    if permit is not None:
        since = max(since, permit.granted_on)
    changes: dict[str, Any] = {}
    before: dict[str, Any] = {}
    remarks: list[Remark] = []
    if vehicle is not None:
        pairs = [(name, getattr(vehicle, name), line.values.get(name)) for name in VEHICLE]
        changes, before, remarks = differing(line, pairs, existing)
    permit_change, holds, suspends, of_permit = permit_edit(records, line, regime, since, existing)
    holder, of_holder = holder_edit(records, line, existing)
    known = records.persons.get(line.values.get("document") or "")
    ids = {
        "permit_id": permit.id if permit else None,
        "vehicle_id": vehicle.id if vehicle else None,
        "holder_id": known.id if known else None,
    }
    vehicle_change = Edit(vehicle.id, changes, before, vehicle.version) if vehicle else Edit()
    step = Step(
        line=line,
        row={**line.values, "line": line.line, "since": line.values.get("as_of") or on} | ids,
        since=since,
        permit=permit_change,
        vehicle=vehicle_change if line.key else None,
        holder=holder,
        joins=_joins(records, line, permit, vehicle),
        holds=holds,
        suspends=suspends,
    )
    return step, [*remarks, *of_permit, *of_holder]


def _joins(records: Records, line: Line, permit: Any, vehicle: Any) -> bool:
    """Whether the vehicle comes under the permit; under an ended one only where it is nowhere else."""
    if not line.key:
        return False
    under = records.under.get(permit.id, []) if permit is not None else []
    if vehicle is not None and any(row.vehicle_id == vehicle.id for row in under):
        return False
    if line.values.get("status") == "encerrada":
        return not under and not (vehicle is not None and records.holding.get(vehicle.id))
    return True


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
