"""Dated bars on a vehicle or permit: suspension, seizure, accident block, off-road order. Never deleted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import cast, get_args

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.dossier import RestrictionKind
from registry.domain.occasion import Occasion
from registry.domain.text import format_date
from registry.services.acts import resolve
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import NotFound, Refused
from registry.services.lengths import long_faults, too_long
from registry.services.public_rows import refresh_vehicle
from registry.services.vehicles import refresh_permits, vehicle_of
from registry.store.audit import record
from registry.store.once import remember
from registry.store.permits import Permit
from registry.store.vehicles import Restriction

KIND_LABELS: dict[RestrictionKind, str] = {
    "suspension": "Suspensão",
    "seizure": "Apreensão",
    "accident_block": "Bloqueio por acidente",
    "off_road": "Ordem de retirada de circulação",
}
NO_REASON = "Escreva o motivo. Ele vai para o processo."


@dataclass(frozen=True)
class RestrictionLine:
    """A bar as pages list it; days included, ``until`` None = until lifted."""

    id: int
    regime: str
    kind: str
    label: str
    since: date
    until: date | None
    reason: str
    act: str
    in_force: bool


def restrict_vehicle(
    occasion: Occasion,
    desk: Desk,
    vehicle_id: int,
    *,
    regime: str,
    kind: str,
    since: date,
    until: date | None = None,
    reason: str,
    act: str = "",
) -> int:
    """Bars a vehicle in a regime from a day until a day, both included (None = until lifted); gives the bar's id.

    What the public sees changes in the same transaction. Raises :class:`NotFound`, :class:`Refused`.
    """
    with desk.store.writing() as session:
        before = done_before(session, occasion, "restriction.begun")
        if before is not None:
            return before
        vehicle = vehicle_of(session, occasion.authority, vehicle_id, living=True)
        made = _begin(session, occasion, desk, regime, kind, since, until, reason, act, vehicle_id=vehicle.id)
        refresh_vehicle(session, desk, vehicle.id, occasion)
        return made


def restrict_permit(
    occasion: Occasion,
    desk: Desk,
    permit_id: int,
    *,
    kind: str,
    since: date,
    until: date | None = None,
    reason: str,
    act: str = "",
) -> int:
    """Bars every vehicle of a permit, as :func:`restrict_vehicle` does one."""
    with desk.store.writing() as session:
        before = done_before(session, occasion, "restriction.begun")
        if before is not None:
            return before
        regime = session.scalar(
            select(Permit.regime).where(Permit.id == permit_id, Permit.authority == occasion.authority)
        )
        if regime is None:
            raise NotFound
        made = _begin(session, occasion, desk, regime, kind, since, until, reason, act, permit_id=permit_id)
        refresh_permits(session, desk, occasion, [permit_id])
        return made


def lift_restriction(occasion: Occasion, desk: Desk, restriction_id: int, last_day: date, reason: str) -> None:
    """Ends a bar; ``last_day`` is the last one on which it holds. Raises :class:`NotFound`, :class:`Refused`."""
    with desk.store.writing() as session:
        bar = _bar(session, occasion.authority, restriction_id)
        if fault := (too_long(reason, what="O motivo") if reason.strip() else NO_REASON):
            raise Refused({"reason": fault})
        if last_day < bar.since:
            raise Refused({"last_day": f"O fim não pode ser antes do início ({format_date(bar.since)})."})
        if bar.until is not None and bar.until <= last_day:
            raise Refused({"last_day": f"Esta restrição já termina em {format_date(bar.until)}."})
        before = {"until": bar.until}
        bar.until = last_day
        after = {"until": last_day, "reason": reason.strip(), "kind": bar.kind}
        _changed(session, desk, occasion, bar, "restriction.lifted", before, after)


def void_restriction(occasion: Occasion, desk: Desk, restriction_id: int, reason: str) -> None:
    """Marks a bar as recorded by mistake: it never counted. Raises :class:`NotFound`, :class:`Refused`."""
    with desk.store.writing() as session:
        bar = _bar(session, occasion.authority, restriction_id)
        if fault := (too_long(reason, what="O motivo") if reason.strip() else NO_REASON):
            raise Refused({"reason": fault})
        bar.voided_at = occasion.at
        after = {"voided_at": occasion.at, "reason": reason.strip(), "kind": bar.kind}
        _changed(session, desk, occasion, bar, "restriction.voided", {"voided_at": None}, after)


def restriction_line(bar: Restriction, on: date) -> RestrictionLine:
    """A bar as pages list it on a day."""
    label = KIND_LABELS.get(cast(RestrictionKind, bar.kind), bar.kind)
    in_force = bar.since <= on and (bar.until is None or on <= bar.until)
    return RestrictionLine(bar.id, bar.regime, bar.kind, label, bar.since, bar.until, bar.reason, bar.act, in_force)


def _begin(
    session: Session,
    occasion: Occasion,
    desk: Desk,
    regime: str,
    kind: str,
    since: date,
    until: date | None,
    reason: str,
    act: str,
    *,
    vehicle_id: int | None = None,
    permit_id: int | None = None,
) -> int:
    desk.regime_of(occasion.authority, regime)
    errors = long_faults(reason=reason, act=act)
    if kind not in get_args(RestrictionKind):
        errors["kind"] = "Escolha o tipo da restrição."
    if not reason.strip():
        errors["reason"] = NO_REASON
    if until is not None and until < since:
        errors["until"] = f"O fim não pode ser antes do início ({format_date(since)})."
    if errors:
        raise Refused(errors)
    bar = Restriction(
        authority=occasion.authority,
        regime=regime,
        kind=kind,
        vehicle_id=vehicle_id,
        permit_id=permit_id,
        since=since,
        until=until,
        reason=reason.strip(),
        act=act.strip(),
        act_id=resolve(session, desk, occasion.authority, act),
        recorded_at=occasion.at,
    )
    session.add(bar)
    session.flush()
    after = {
        "restriction_id": bar.id,
        "kind": kind,
        "since": since,
        "until": until,
        "reason": bar.reason,
        "act": bar.act,
    }
    subject, subject_id = ("vehicle", vehicle_id) if vehicle_id is not None else ("permit", permit_id)
    record(session, occasion, "restriction.begun", subject, subject_id or 0, None, after)
    remember(session, occasion, "restriction.begun", bar.id)
    return bar.id


def _bar(session: Session, authority: str, restriction_id: int) -> Restriction:
    bar = session.scalars(
        select(Restriction).where(
            Restriction.id == restriction_id, Restriction.authority == authority, Restriction.voided_at.is_(None)
        )
    ).one_or_none()
    if bar is None:
        raise NotFound
    return bar


def _changed(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    bar: Restriction,
    action: str,
    before: Mapping[str, object],
    after: Mapping[str, object],
) -> None:
    session.flush()
    subject, subject_id = ("vehicle", bar.vehicle_id) if bar.vehicle_id is not None else ("permit", bar.permit_id)
    record(session, occasion, action, subject, subject_id or 0, before, {"restriction_id": bar.id, **after})
    if bar.vehicle_id is not None:
        refresh_vehicle(session, desk, bar.vehicle_id, occasion)
    if bar.permit_id is not None:
        refresh_permits(session, desk, occasion, [bar.permit_id])
