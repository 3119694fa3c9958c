"""What is true of a vehicle under a permit over time, as the public rows tell it: one segment for each run of facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from registry.domain.convert import to_plain
from registry.domain.dossier import Dossier
from registry.domain.regime import Missing, Regime
from registry.plugins.host import guarded
from registry.services.desk import Desk
from registry.services.dossier import rule_down, with_plugin_facts
from registry.services.dossier_assembly import Subject, assemble
from registry.services.dossier_rows import Rows
from registry.store.permits import Permit

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Segment:
    """What is true of a plate over ``[since, until)``, as :class:`PublicRow` stores it."""

    plate: str
    plate_key: str
    since: datetime
    until: datetime | None
    givens: Mapping[str, Any]
    card: Mapping[str, Any]


def segments_of(
    session: Session,
    desk: Desk,
    regime: Regime,
    rows: Rows,
    permit: Permit,
    vehicle_id: int,
    instants: Sequence[datetime],
) -> list[Segment]:
    """What is true of a vehicle under a permit from the first instant on, gaps left out, equal neighbours merged."""
    zone = desk.authority(permit.authority).zone
    segments: list[Segment] = []
    for since, until in zip(instants, [*instants[1:], None], strict=True):
        segment = _segment(session, desk, regime, rows, permit, vehicle_id, since.astimezone(zone), until)
        if segment is None:
            continue
        last = segments[-1] if segments else None
        if last and last.until == since and _same_facts(last, segment):
            segments[-1] = replace(last, until=until)
        else:
            segments.append(segment)
    return segments


def _same_facts(one: Segment, other: Segment) -> bool:
    return (one.plate, one.givens, one.card) == (other.plate, other.givens, other.card)


def instants_of(
    rows: Rows, permit: Permit, vehicle_id: int, zone: ZoneInfo, start: datetime | None, told_before: bool
) -> list[datetime]:
    """The instants at which a fact begins or ends, in order.

    The first is ``start`` when the vehicle was told of before, or came under the permit on that day; else (``start``
    None: always) the beginning of the day on which it came, or the instant at which the permit was recorded on that
    day, before which nothing is told.
    """
    came = min(each.since for each in rows.under[permit.id] if each.vehicle_id == vehicle_id)
    day = max(came, permit.granted_on)
    first = permit.created_at if permit.created_at.astimezone(zone).date() == day else midnight(day, zone)
    if start is not None and (told_before or day == start.astimezone(zone).date()):
        first = max(first, start)
    later = {midnight(each, zone) for each in _days(rows, permit, vehicle_id)}
    return [first, *sorted(instant for instant in later if instant > first)]


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """The first instant of a day in a zone, in UTC."""
    return datetime.combine(day, time(0), tzinfo=zone).astimezone(UTC)


def _days(rows: Rows, permit: Permit, vehicle_id: int) -> Iterable[date]:
    """The days on which something of a vehicle under a permit begins to hold or no longer holds."""
    for day in (permit.granted_on, permit.ended_on):
        if day:
            yield day
    for under in rows.under[permit.id]:
        yield from _span(under.since, under.until)
    for licence in rows.licences.get(permit.id, []):
        yield from _span(licence.issued_on, licence.valid_until)
        yield from _span(licence.ended_on, None)
    for inspection in rows.inspections.get(vehicle_id, []):
        yield from _span(inspection.done_on, inspection.valid_until)
    for former in rows.former.get(vehicle_id, []):
        yield from _span(None, former.until)
    for bar in rows.restrictions:
        if bar.vehicle_id == vehicle_id or bar.permit_id == permit.id:
            yield from _span(bar.since, bar.until)


def _span(first: date | None, last: date | None) -> Iterable[date]:
    if first:
        yield first
    if last and last < date.max:
        yield last + _DAY


def _segment(
    session: Session,
    desk: Desk,
    regime: Regime,
    rows: Rows,
    permit: Permit,
    vehicle_id: int,
    since: datetime,
    until: datetime | None,
) -> Segment | None:
    """The facts at an instant (in the authority's zone); None when the vehicle is not under the permit then."""
    on = since.date()
    held = any(
        under.vehicle_id == vehicle_id and under.since <= on and (under.until is None or on <= under.until)
        for under in rows.under[permit.id]
    )
    if not held or permit.granted_on > on:
        return None
    subject = Subject(permit.holder_id, permit.cooperative_id, vehicle_id, permit.id)
    plate, key = rows.plate_on(vehicle_id, on)
    dossier = assemble(rows, regime, since, on, subject, None)
    if dossier.vehicle is not None:
        dossier = replace(dossier, vehicle=replace(dossier.vehicle, plate=plate, plate_key=key))
    dossier = with_plugin_facts(session, desk, regime, dossier)
    with rule_down(regime):
        law = desk.law(session, permit.authority, regime.plugin)
        with guarded(regime.plugin, "card"):
            card = to_plain(regime.card(dossier, law))
        givens = _givens(desk, regime, dossier)
    return Segment(plate, key, since.astimezone(UTC), until, givens, card)


def _givens(desk: Desk, regime: Regime, dossier: Dossier) -> dict[str, Any]:
    """The facts of each status question that touches the dossier, without the day, which the look-up supplies."""
    givens: dict[str, Any] = {}
    for status in regime.status:
        with guarded(desk.host.owner(status.rule.question), status.rule.title):
            given = status.rule.given(dossier)
        if given is None:
            continue
        if isinstance(given, Missing):
            givens[status.rule.question.name] = {"missing": list(given.what)}
            continue
        plain = to_plain(given)
        del plain[status.as_of]
        givens[status.rule.question.name] = {"given": plain}
    return givens
