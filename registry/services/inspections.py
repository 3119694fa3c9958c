"""The vistoria: booked for a day, recorded item by item, concluded with a numbered seal or its reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.regime import ChecklistItem, Finding
from registry.domain.text import format_date, format_hour
from registry.domain.workflow import ENDED
from registry.services.desk import Desk
from registry.services.dossier import RequestCase, load_case
from registry.services.editing import done_before
from registry.services.errors import AlreadyDone, NotFound, Refused, Stale, StaleField
from registry.services.history import last_editor, refuse_stale
from registry.services.inspection_booking import booking_obstacle
from registry.services.inspection_pages import (
    AgendaLine,
    InspectionPage,
    ItemLine,
    agenda,
    inspection_page,
    items_of,
    reasons_of,
)
from registry.services.inspection_result import has_passed, judge, reasons_in, valid_until
from registry.services.lengths import refuse_long, too_long
from registry.services.progress import refresh_request
from registry.services.public_rows import refresh_vehicle
from registry.services.verdicts import store_asked, store_findings
from registry.store.access import User
from registry.store.audit import record
from registry.store.inspections import Inspection
from registry.store.numbers import take
from registry.store.once import remember
from registry.store.requests import Request

__all__ = [
    "RESULTS",
    "AgendaLine",
    "Concluded",
    "InspectionPage",
    "ItemLine",
    "agenda",
    "book_inspection",
    "cancel_inspection",
    "conclude_inspection",
    "inspection_page",
    "move_inspection",
    "record_no_show",
    "save_item",
]

ItemResult = Literal["ok", "falha", "na"]
NO_REASON = "Escreva o motivo. Ele vai para o processo."
RESULTS: dict[ItemResult, str] = {"ok": "Em ordem", "falha": "Falha", "na": "Não se aplica"}


@dataclass(frozen=True)
class Concluded:
    """How an inspection ended: with a seal valid until a day, or with the reasons of the refusal."""

    id: int
    passed: bool
    seal: str
    valid_until: date | None
    reasons: tuple[str, ...]


def book_inspection(occasion: Occasion, desk: Desk, request_id: int, when: datetime, place: str = "") -> int:
    """Books the inspection of a filed request; gives its id.

    Args:
        when: aware instant, not before now.
        place: where the vehicle is looked at.

    Raises:
        NotFound: no such request here.
        Refused: a past instant, no vehicle, one is booked or passed already, or the regime's fee is not paid yet.
        AlreadyDone: the request has ended.
    """
    with desk.store.writing() as session:
        before = done_before(session, occasion, "inspection.booked")
        if before is not None:
            return before
        case = load_case(session, desk, occasion.authority, request_id, occasion.at)
        request = case.row.request
        if request.state in ENDED:
            raise AlreadyDone(request.state, case.row.decided_by, request.decided_at)
        _check_when(occasion, when)
        refuse_long(place=place)
        _refuse_booking(case)
        inspection = Inspection(
            authority=occasion.authority,
            regime=case.regime.code,
            kind=request.kind,
            request_id=request.id,
            vehicle_id=request.vehicle_id,
            scheduled_at=when,
            place=place.strip(),
            state="marcada",
            items={},
            created_at=occasion.at,
        )
        session.add(inspection)
        session.flush()
        after = {"request_id": request.id, "scheduled_at": when, "place": inspection.place, "version": 1}
        record(session, occasion, "inspection.booked", "inspection", inspection.id, None, after)
        remember(session, occasion, "inspection.booked", inspection.id)
        refresh_request(session, desk, occasion, request.id)
        return inspection.id


def move_inspection(
    occasion: Occasion, desk: Desk, inspection_id: int, version: int, when: datetime, place: str = ""
) -> None:
    """Books it for another time. Raises NotFound, Refused (past), Stale, AlreadyDone when it is no longer booked."""
    with desk.store.writing() as session:
        row = booked(session, occasion, inspection_id)
        _check_when(occasion, when)
        refuse_long(place=place)
        refuse_stale(session, "inspection", row.id, row.version, version)
        before = {"scheduled_at": row.scheduled_at, "place": row.place}
        row.scheduled_at, row.place = when, place.strip()
        _end(session, desk, occasion, row, "inspection.moved", before, {"scheduled_at": when, "place": row.place})


def cancel_inspection(occasion: Occasion, desk: Desk, inspection_id: int, version: int, reason: str) -> None:
    """Takes it off the agenda. Raises NotFound, Refused without a reason, Stale, AlreadyDone."""
    with desk.store.writing() as session:
        row = booked(session, occasion, inspection_id)
        if fault := (too_long(reason, what="O motivo") if reason.strip() else NO_REASON):
            raise Refused({"reason": fault})
        refuse_stale(session, "inspection", row.id, row.version, version)
        row.state = "cancelada"
        after = {"state": row.state, "reason": reason.strip()}
        _end(session, desk, occasion, row, "inspection.cancelled", {"state": "marcada"}, after)


def record_no_show(occasion: Occasion, desk: Desk, inspection_id: int, version: int) -> None:
    """Records that nobody brought the vehicle. Raises NotFound, Stale, AlreadyDone, Refused before its time."""
    with desk.store.writing() as session:
        row = booked(session, occasion, inspection_id)
        if row.scheduled_at is not None and row.scheduled_at > occasion.at:
            raise Refused(message="A hora marcada ainda não chegou.")
        refuse_stale(session, "inspection", row.id, row.version, version)
        row.state, row.done_at = "nao_compareceu", occasion.at
        row.inspector_id = occasion.actor_id
        _end(session, desk, occasion, row, "inspection.no_show", {"state": "marcada"}, {"state": row.state})


def save_item(
    occasion: Occasion,
    desk: Desk,
    inspection_id: int,
    version: int,
    code: str,
    result: str,
    reason: str = "",
) -> int:
    """Saves one item of the checklist and gives the inspection's new version.

    Two tablets may fill in one inspection: only an item that someone saved since ``version`` with another result is
    stale.

    Raises:
        Refused: no such item or result, «não se aplica» where the law wants the item, or a failure without reason.
        Stale: another inspector saved this item otherwise after ``version``.
        AlreadyDone: the inspection is concluded.
        NotFound: no such inspection here.
    """
    with desk.store.writing() as session:
        row = booked(session, occasion, inspection_id)
        item = next((each for each in _items(session, desk, occasion, row) if each.code == code), None)
        _check_item(item, code, result, reason)
        kept = dict(row.items.get(code) or {})
        wanted = {"result": result, "reason": reason.strip()}
        if {name: kept.get(name) for name in wanted} == wanted:
            return row.version
        if kept.get("version", 0) > version:
            raise _stale_item(session, row, item, kept, wanted)
        row.version += 1
        row.items = {**row.items, code: {**kept, **wanted, "version": row.version}}
        session.flush()
        before = {f"items.{code}": kept or None}
        after = {f"items.{code}": wanted, "version": row.version}
        record(session, occasion, "inspection.item_saved", "inspection", row.id, before, after)
        return row.version


def conclude_inspection(occasion: Occasion, desk: Desk, inspection_id: int, version: int, notes: str = "") -> Concluded:
    """Judges the inspection by the regime's rules. A pass takes the next seal, valid as the seal question says.

    Raises:
        Refused: an item is not marked yet, or a rule lacks a fact; each with its sentence.
        Stale: the inspection changed after ``version``.
        AlreadyDone: it was concluded before; the result is the first :class:`Concluded`.
        NotFound: no such inspection here.
        RuleDown: a rule did not answer; no seal was given.
    """
    with desk.store.writing() as session:
        row = _of(session, occasion.authority, inspection_id)
        if row.state in ("aprovada", "reprovada"):
            raise AlreadyDone(_concluded(session, row), _inspector(session, row), row.done_at)
        row = booked(session, occasion, inspection_id)
        regime = desk.regime_of(occasion.authority, row.regime)
        refuse_stale(session, "inspection", row.id, row.version, version)
        refuse_long(notes=notes)
        _refuse_unmarked(_items(session, desk, occasion, row), row)
        found = judge(session, desk, regime, row, occasion.at)
        passed = has_passed(found)
        row.state = "aprovada" if passed else "reprovada"
        row.done_at, row.done_on, row.inspector_id = occasion.at, occasion.on, occasion.actor_id
        row.notes = notes.strip()
        if passed:
            row.valid_until, asked = valid_until(session, desk, regime, row, occasion.at)
            label = "Validade do selo"
            store_asked(session, desk, row.authority, "inspection", row.id, label, asked, occasion.on, occasion.at)
            row.seal = f"{take(session, occasion.authority, f'seal:{regime.code}', 0):06d}"
        store_findings(session, desk, occasion.authority, "inspection", row.id, found, occasion.on, occasion.at)
        after = {"state": row.state, "seal": row.seal, "valid_until": row.valid_until}
        _end(session, desk, occasion, row, "inspection.concluded", {"state": "marcada"}, after)
        refresh_vehicle(session, desk, row.vehicle_id, occasion)
        return _concluded(session, row, found)


def _check_when(occasion: Occasion, when: datetime) -> None:
    if when < occasion.at:
        now = occasion.at.astimezone(occasion.zone)
        raise Refused({"when": f"Escolha uma hora depois de agora ({format_date(now.date())}, {format_hour(now)})."})


def _refuse_booking(case: RequestCase) -> None:
    if why := booking_obstacle(case):
        raise Refused(message=why)


def _check_item(item: ChecklistItem | None, code: str, result: str, reason: str) -> None:
    if item is None:
        raise Refused({code: "Este item não está na lista desta vistoria."})
    if result not in RESULTS:
        raise Refused({code: f"{item.label}: escolha Em ordem, Falha ou Não se aplica."})
    if result == "na" and not item.may_not_apply:
        raise Refused({code: f"{item.label}: a lei pede este item em todo veículo ({item.cite})."})
    if result == "falha" and not reason.strip():
        raise Refused({code: f"{item.label}: escreva o que falhou."})
    if fault := too_long(reason, what="O motivo"):
        raise Refused({code: fault})


def _refuse_unmarked(items: Sequence[ChecklistItem], row: Inspection) -> None:
    marked = {code for code, item in row.items.items() if item.get("result")}
    left = {item.code: f"Marque: {item.label}." for item in items if item.code not in marked}
    if left:
        count = f"{len(items) - len(left)} de {len(items)} itens marcados."
        raise Refused(left, f"{count} Marque os outros antes de concluir.")


def _items(session: Session, desk: Desk, occasion: Occasion, row: Inspection) -> tuple[ChecklistItem, ...]:
    return items_of(session, desk, row, occasion.at)


def _of(session: Session, authority: str, inspection_id: int) -> Inspection:
    row = session.get(Inspection, inspection_id)
    if row is None or row.authority != authority:
        raise NotFound
    return row


def booked(session: Session, occasion: Occasion, inspection_id: int) -> Inspection:
    """The inspection while it is open, in a writing transaction. Raises NotFound, AlreadyDone."""
    row = _of(session, occasion.authority, inspection_id)
    if row.state != "marcada":
        raise AlreadyDone(row.state, _inspector(session, row), row.done_at)
    if row.request_id is not None:
        state = session.scalar(select(Request.state).where(Request.id == row.request_id))
        if state in ENDED:
            raise AlreadyDone(state, "", None)
    return row


def _stale_item(
    session: Session, row: Inspection, item: ChecklistItem | None, kept: dict[str, str], wanted: dict[str, str]
) -> Stale:
    by, at = last_editor(session, "inspection", row.id)
    label = item.label if item else ""
    theirs, mine = (RESULTS[each["result"]] for each in (kept, wanted))  # type: ignore[index]
    return Stale((StaleField(item.code if item else "", label, None, mine, theirs),), by, at, row.version)


def _inspector(session: Session, row: Inspection) -> str:
    return session.scalar(select(User.name).where(User.id == row.inspector_id)) or "" if row.inspector_id else ""


def _end(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    row: Inspection,
    action: str,
    before: Mapping[str, object],
    after: Mapping[str, object],
) -> None:
    row.version += 1
    session.flush()
    record(session, occasion, action, "inspection", row.id, before, {**after, "version": row.version})
    if row.request_id is not None:
        refresh_request(session, desk, occasion, row.request_id)


def _concluded(session: Session, row: Inspection, found: Sequence[Finding] = ()) -> Concluded:
    reasons = reasons_in(found) if found else reasons_of(session, row)
    return Concluded(row.id, row.state == "aprovada", row.seal or "", row.valid_until, reasons)
