"""What a line of a list of permits says of the holder and of the permit itself, beside what stands here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from registry.domain.imports.remarks import Remark
from registry.domain.imports.sheet import Line
from registry.domain.regime import Regime
from registry.domain.text import fold, format_date
from registry.services.import_records import NOTE, PERSON_FACTS, PERSON_FIELDS, Records
from registry.services.import_steps import Edit

PERMIT_FIELDS = ("category", "holder_id", "granted_on", "granted_on_known", "ended_on", "end_reason", "facts")
_CHECK = "Confira ou deixe a linha de fora."
_TRANSFER = f"Troca de titular se faz por requerimento. {_CHECK}"


def differing(
    line: Line, pairs: Iterable[tuple[str, Any, Any]], existing: str
) -> tuple[dict[str, Any], dict[str, Any], list[Remark]]:
    """What fields of a record become and were, and a conflict for each that differs while the clerk has not chosen.

    Args:
        pairs: field, value here, value in the file. A blank cell changes nothing, a blank field is filled; a text that
            differs in accents alone is taken from the file when it has them.
        existing: ask, keep or replace.
    """
    changes: dict[str, Any] = {}
    before: dict[str, Any] = {}
    remarks: list[Remark] = []
    for name, here, there in pairs:
        if there is None or there == here:
            continue
        if here in (None, "") or _is_accented(here, there) or (existing == "replace" and not _is_alike(here, there)):
            changes[name], before[name] = there, here
        elif existing == "ask" and not _is_alike(here, there):
            message = f"No cadastro está {shown(here)}."
            conflict = line.remark("conflito", name.rpartition(".")[2], message)
            remarks.append(replace(conflict, choosable=True))
    return changes, before, remarks


def holder_edit(records: Records, line: Line, existing: str) -> tuple[Edit | None, list[Remark]]:
    """What becomes of the line's holder; None where it names none."""
    document = line.values.get("document")
    if not document:
        return None, []
    person = records.persons.get(document)
    if person is None:
        return Edit(), []
    pairs = [(name, getattr(person, name), line.values.get(name)) for name in PERSON_FIELDS]
    facts = {name: line.values.get(name) for name in PERSON_FACTS}
    pairs += [(f"facts.{name}", _fact(person.facts.get(name), value), value) for name, value in facts.items()]
    changes, before, remarks = differing(line, pairs, existing)
    if "cnh" in changes:
        changes["cnh_confirmed"], before["cnh_confirmed"] = "cnh" in line.confirmed, person.cnh_confirmed
    return Edit(person.id, changes, before, person.version), remarks


def permit_edit(
    records: Records, line: Line, regime: Regime, since: date, existing: str
) -> tuple[Edit, bool, bool, list[Remark]]:
    """What becomes of the line's permit; whether it gets the holder; whether it is suspended; and the conflicts."""
    document, suspended = line.values.get("document"), line.values.get("status") == "suspensa"
    permit = records.permit_of(line)
    if permit is None:
        free = records.free_permit_of(line)
        if free is None:
            return Edit(), bool(document), suspended, []
        before = {name: getattr(free, name) for name in PERMIT_FIELDS}
        return Edit(free.id, {}, before, free.version, again=True), bool(document), suspended, []
    if not document:
        return Edit(permit.id, version=permit.version), False, False, []
    whole = "replace" if permit.holder_id is None else existing
    pairs = [("category", permit.category, line.values.get("category"))]
    pairs += [(f"facts.{NOTE}", permit.facts.get(NOTE), line.values.get("note"))]
    if permit.granted_on_known:
        pairs += [("granted_on", permit.granted_on, line.values.get("granted_on"))]
    changes, before, remarks = differing(line, pairs, whole)
    _grant(line, permit, changes, before, remarks)
    holder = records.persons.get(document)
    if permit.holder_id is not None and (holder is None or holder.id != permit.holder_id):
        message = f"No cadastro, {regime.permit_label.lower()} {permit.number} é de outro titular."
        remarks.append(line.remark("conflito", "document", message, _TRANSFER))
    asked = _state(records, line, permit, since, whole, changes, before)
    remarks += asked
    suspends = suspended and permit.id not in records.suspended and whole == "replace"
    return Edit(permit.id, changes, before, permit.version), permit.holder_id is None, suspends, remarks


def _grant(line: Line, permit: Any, changes: dict[str, Any], before: dict[str, Any], remarks: list[Remark]) -> None:
    """The day of grant that the file knows and the record does not."""
    day = line.values.get("granted_on")
    if permit.granted_on_known or day is None:
        return
    if day > permit.granted_on:
        message = f"No cadastro, já valia em {format_date(permit.granted_on)}."
        remarks.append(line.remark("conflito", "granted_on", message, _CHECK))
        return
    changes |= {"granted_on": day, "granted_on_known": True}
    before |= {"granted_on": permit.granted_on, "granted_on_known": False}


def _state(
    records: Records,
    line: Line,
    permit: Any,
    since: date,
    existing: str,
    changes: dict[str, Any],
    before: dict[str, Any],
) -> list[Remark]:
    """What the file says of the permit's state: an end is taken or asked about, a bar told to be lifted elsewhere."""
    state, suspended = line.values.get("status"), permit.id in records.suspended
    if state == "encerrada" and permit.ended_on is None:
        if existing == "replace":
            changes["ended_on"], before["ended_on"] = max(since, permit.granted_on), None
        elif existing == "ask":
            return [_asked(line, "No cadastro está em vigor.")]
    if state == "suspensa" and not suspended and existing == "ask":
        return [_asked(line, "No cadastro não está suspensa.")]
    if state == "ativa" and suspended:
        mend = f"Encerre a suspensão na página da outorga. {_CHECK}"
        return [line.remark("conflito", "status", "No cadastro está suspensa.", mend)]
    return []


def _asked(line: Line, message: str) -> Remark:
    return replace(line.remark("conflito", "status", message), choosable=True)


def plain(value: Any) -> Any:
    """A value as facts in JSON hold it: days as ISO text."""
    return value.isoformat() if isinstance(value, date) else value


def _fact(kept: Any, example: Any) -> Any:
    """A fact as JSON holds it, in the type of what the file says."""
    return date.fromisoformat(kept) if isinstance(example, date) and isinstance(kept, str) else kept


def shown(value: Any) -> str:
    """A value as a remark quotes it."""
    return f"«{format_date(value) if isinstance(value, date) else value}»"


def with_facts(facts: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by column, those named ``facts.<name>`` put into the facts of the record; a None leaves the facts."""
    inner = {name.partition(".")[2]: plain(value) for name, value in values.items() if name.startswith("facts.")}
    outer = {name: value for name, value in values.items() if not name.startswith("facts.")}
    if inner:
        merged = {**facts, **inner}
        outer["facts"] = {name: value for name, value in merged.items() if value is not None}
    return outer


def _is_alike(here: Any, there: Any) -> bool:
    return isinstance(here, str) and isinstance(there, str) and fold(here) == fold(there)


def _is_accented(here: Any, there: Any) -> bool:
    """Whether the file has the accents that the record lacks."""
    return _is_alike(here, there) and here.isascii() and not there.isascii()
