"""What the public look-up reads, written in the transaction of each change and never overwritten.

A row holds the facts of one plate under one permit from an instant until another. The future is written too (a
suspension that begins next week, a seal that ends), so that midnight needs no job. A later change closes the row of
the moment, withdraws the rows of the future and adds what now holds; what was true before stays as it was told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.convert import to_plain
from registry.domain.dossier import Dossier
from registry.domain.occasion import Occasion
from registry.domain.regime import Missing, Regime
from registry.plugins.host import guarded
from registry.services.desk import Desk
from registry.services.dossier import rule_down, with_plugin_facts
from registry.services.dossier_assembly import Subject, assemble
from registry.services.dossier_rows import (
    Rows,
    read_inspections,
    read_permits,
    read_persons,
    read_restrictions,
    read_vehicles,
)
from registry.store.audit import record
from registry.store.permits import Permit, PermitVehicle, PublicRow

_DAY = timedelta(days=1)
_BATCH = 200


@dataclass(frozen=True)
class Segment:
    """What is true of a plate over ``[since, until)``, as :class:`PublicRow` stores it."""

    plate: str
    plate_key: str
    since: datetime
    until: datetime | None
    givens: Mapping[str, Any]
    card: Mapping[str, Any]


def refresh_public_rows(session: Session, desk: Desk, permit_id: int, occasion: Occasion) -> int:
    """Brings the public rows of a permit to what its facts say from the occasion's instant on.

    Call it in the transaction of every change that touches the permit, its vehicles, licences, seals or bars.

    Returns:
        How many rows were added or withdrawn; 0 when the permit's regime is not loaded, whose answer is unavailable.

    Raises:
        RuleDown: a plugin did not answer; nothing may be saved.
    """
    session.flush()
    permit = session.get_one(Permit, permit_id)
    regime = desk.host.regimes.get(permit.regime)
    if regime is None:
        return 0
    rows = _read(session, permit.authority, regime.code, [permit_id], occasion.at)
    moved = _renew(session, desk, regime, rows, permit, occasion.at, _standing(session, [permit_id])[permit_id])
    session.flush()
    return moved


def refresh_vehicle(session: Session, desk: Desk, vehicle_id: int, occasion: Occasion) -> int:
    """As :func:`refresh_public_rows`, for every permit that has or had the vehicle."""
    session.flush()
    permits = session.scalars(
        select(PermitVehicle.permit_id)
        .where(PermitVehicle.vehicle_id == vehicle_id)
        .distinct()
        .order_by(PermitVehicle.permit_id)
    ).all()
    return sum(refresh_public_rows(session, desk, permit_id, occasion) for permit_id in permits)


def refresh_many(
    session: Session,
    desk: Desk,
    regime: Regime,
    permit_ids: Sequence[int],
    occasion: Occasion,
    told: Callable[[int], None] | None = None,
) -> int:
    """As :func:`refresh_public_rows` for many permits of one regime, whose queries do not grow with the permits.

    ``told`` is called with the number of permits done so far.
    """
    session.flush()
    moved = 0
    for start in range(0, len(permit_ids), _BATCH):
        ids = list(permit_ids[start : start + _BATCH])
        rows = _read(session, occasion.authority, regime.code, ids, occasion.at)
        standing = _standing(session, ids)
        for each in ids:
            moved += _renew(session, desk, regime, rows, rows.permits[each], occasion.at, standing[each])
        session.flush()
        if told:
            told(start + len(ids))
    return moved


def rebuild_public(desk: Desk, occasion: Occasion, told: Callable[[int], None] | None = None) -> tuple[int, int]:
    """Makes the public rows of the occasion's authority anew, the past too, from the dated facts.

    Rows that say the same stay; others are withdrawn, never deleted. Each batch of permits is one transaction.

    Args:
        told: called with the number of permits done so far.

    Returns:
        Permits read, and rows added or withdrawn.

    Raises:
        RuleDown: a plugin did not answer; the batches before stay done.
    """
    permits_done = changed = last = 0
    loaded = [regime.code for regime in desk.regimes_of(occasion.authority)]
    while True:
        with desk.store.writing() as session:
            batch = session.scalars(
                select(Permit)
                .where(Permit.authority == occasion.authority, Permit.regime.in_(loaded), Permit.id > last)
                .order_by(Permit.id)
                .limit(_BATCH)
            ).all()
            if not batch:
                break
            last = batch[-1].id
            moved = _rebuild_batch(session, desk, batch, occasion)
            if moved:
                after = {"permits": [batch[0].id, last], "rows": moved}
                record(session, occasion, "public.rebuilt", "permit", batch[0].id, None, after)
        permits_done, changed = permits_done + len(batch), changed + moved
        if told:
            told(permits_done)
    return permits_done, changed


def _rebuild_batch(session: Session, desk: Desk, batch: Sequence[Permit], occasion: Occasion) -> int:
    moved = 0
    for code in sorted({permit.regime for permit in batch}):
        ids = [permit.id for permit in batch if permit.regime == code]
        rows = _read(session, occasion.authority, code, ids, occasion.at)
        standing = _standing(session, ids)
        for permit in batch:
            if permit.regime == code:
                was = standing[permit.id]
                moved += _renew(session, desk, desk.regime(code), rows, permit, occasion.at, was, anew=True)
    session.flush()
    return moved


def _read(session: Session, authority: str, regime: str, permit_ids: list[int], at: datetime) -> Rows:
    rows = Rows()
    read_permits(session, rows, authority, regime, permit_ids, [])
    holders = sorted({permit.holder_id for permit in rows.permits.values() if permit.holder_id})
    if holders:
        read_permits(session, rows, authority, regime, [], holders)
    vehicles = sorted({under.vehicle_id for each in permit_ids for under in rows.under[each]})
    read_vehicles(session, rows, authority, vehicles)
    read_persons(session, rows, authority, [*holders, *(each.cooperative_id for each in rows.permits.values())])
    read_inspections(session, rows, authority, regime, vehicles)
    read_restrictions(session, rows, authority, regime, at, vehicles)
    return rows


_Standing = dict[str, list[PublicRow]]


def _standing(session: Session, permit_ids: Sequence[int]) -> dict[int, _Standing]:
    """The rows that stand, by permit and plate key, in the order of time."""
    found: dict[int, _Standing] = defaultdict(lambda: defaultdict(list))
    live = select(PublicRow).where(PublicRow.permit_id.in_(permit_ids), PublicRow.withdrawn_at.is_(None))
    for row in session.scalars(live.order_by(PublicRow.since)):
        found[row.permit_id][row.plate_key].append(row)
    return found


def _renew(
    session: Session,
    desk: Desk,
    regime: Regime,
    rows: Rows,
    permit: Permit,
    at: datetime,
    standing: _Standing,
    *,
    anew: bool = False,
) -> int:
    """Replaces what the ``standing`` rows of a permit say from ``at`` on; ``anew`` from the beginning."""
    wanted: dict[str, list[Segment]] = defaultdict(list)
    zone = desk.authority(permit.authority).zone
    for vehicle_id in dict.fromkeys(under.vehicle_id for under in rows.under[permit.id]):
        key = rows.vehicles[vehicle_id].plate_key
        instants = _instants(rows, permit, vehicle_id, zone, None if anew else at, key in standing)
        wanted[key] += _timeline(session, desk, regime, rows, permit, vehicle_id, instants)
    moved = 0
    for key in sorted({*standing, *wanted}):
        if anew:
            moved += _replace_all(session, permit, standing[key], wanted[key], at)
        else:
            moved += _replace_from(session, permit, standing[key], wanted[key], at)
    return moved


def _replace_from(
    session: Session, permit: Permit, standing: list[PublicRow], wanted: list[Segment], at: datetime
) -> int:
    """Keeps what ended before ``at``, closes the row of the moment unless it still holds, renews the future."""
    ahead = [row for row in standing if row.until is None or row.until > at]
    begun = next((row for row in ahead if row.since < at), None)
    new = list(wanted)
    moved = 0
    if begun is not None:
        if new and new[0].since == at and _says(begun, new[0]) and begun.until == new[0].until:
            del new[0]
        else:
            begun.until = at
            moved += 1
    return moved + _replace_all(session, permit, [row for row in ahead if row is not begun], new, at)


def _replace_all(
    session: Session, permit: Permit, standing: list[PublicRow], wanted: list[Segment], at: datetime
) -> int:
    """Withdraws the standing rows that are not wanted and adds the wanted ones that do not stand."""
    left = list(wanted)
    moved = 0
    for row in standing:
        same = next((each for each in left if _same(row, each)), None)
        if same is not None:
            left.remove(same)
        else:
            row.withdrawn_at = at
            moved += 1
    for each in left:
        session.add(_row(permit, each, at))
    return moved + len(left)


def _same(row: PublicRow, segment: Segment) -> bool:
    return row.since == segment.since and row.until == segment.until and _says(row, segment)


def _says(row: PublicRow, segment: Segment) -> bool:
    return row.plate == segment.plate and row.givens == segment.givens and row.card == segment.card


def _row(permit: Permit, segment: Segment, at: datetime) -> PublicRow:
    return PublicRow(
        plate_key=segment.plate_key,
        plate=segment.plate,
        authority=permit.authority,
        regime=permit.regime,
        permit_id=permit.id,
        since=segment.since,
        until=segment.until,
        givens=dict(segment.givens),
        card=dict(segment.card),
        recorded_at=at,
    )


def _timeline(
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
        if last and last.until == since and (last.givens, last.card) == (segment.givens, segment.card):
            segments[-1] = replace(last, until=until)
        else:
            segments.append(segment)
    return segments


def _instants(
    rows: Rows, permit: Permit, vehicle_id: int, zone: ZoneInfo, at: datetime | None, told_before: bool
) -> list[datetime]:
    """The instants at which a fact begins or ends, in order.

    The first is ``at`` when the plate was told of before, or came under the permit on that day; else (``at`` None:
    always) the beginning of the day on which it came, or the instant at which the permit was recorded on that day.
    """
    came = min(each.since for each in rows.under[permit.id] if each.vehicle_id == vehicle_id)
    day = max(came, permit.granted_on)
    if at is not None and (told_before or day == at.astimezone(zone).date()):
        start = at
    elif permit.created_at.astimezone(zone).date() == day:
        start = permit.created_at
    else:
        start = _midnight(day, zone)
    later = {_midnight(each, zone) for each in _days(rows, permit, vehicle_id)}
    return [start, *sorted(instant for instant in later if instant > start)]


def _midnight(day: date, zone: ZoneInfo) -> datetime:
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
    dossier = with_plugin_facts(session, desk, regime, assemble(rows, regime, since, on, subject, None))
    with rule_down(regime):
        law = desk.law(session, permit.authority, regime.plugin)
        with guarded(regime.plugin, "card"):
            card = to_plain(regime.card(dossier, law))
        givens = _givens(desk, regime, dossier)
    vehicle = rows.vehicles[vehicle_id]
    return Segment(vehicle.plate, vehicle.plate_key, since.astimezone(UTC), until, givens, card)


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
