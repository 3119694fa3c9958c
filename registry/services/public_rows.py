"""What the public look-up reads, written in the transaction of each change and never overwritten.

A row holds the facts of one plate under one permit from an instant until another. The future is written too (a
suspension that begins next week, a seal that ends), so that midnight needs no job. A later change closes the row of
the moment, withdraws the rows of the future and adds what now holds; what was true before stays as it was told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import date, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.regime import Regime
from registry.services.desk import Desk
from registry.services.dossier_rows import (
    Rows,
    read_former_plates,
    read_inspections,
    read_permits,
    read_persons,
    read_restrictions,
    read_vehicles,
)
from registry.services.public_segments import Segment, instants_of, midnight, segments_of
from registry.store.audit import record
from registry.store.permits import Permit, PermitVehicle, PublicRow

_BATCH = 200


def refresh_public_rows(
    session: Session, desk: Desk, permit_id: int, occasion: Occasion, since: date | None = None
) -> int:
    """Brings the public rows of a permit to what its facts say from the occasion's instant on.

    Call it in the transaction of every change that touches the permit, its vehicles, licences, seals or bars.

    Args:
        since: the day from which a fact of the past is told otherwise, such as a plate that changed last week; what was
            told since then is withdrawn, never lost. A day that is not past tells nothing otherwise of the past.

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
    standing = _standing(session, [permit_id])[permit_id]
    start = occasion.at
    if since is not None and since < occasion.on:
        start = midnight(since, desk.authority(permit.authority).zone)
    told = since is not None
    moved = _renew(session, desk, regime, rows, permit, occasion.at, standing, start=start, told=told)
    session.flush()
    return moved


def refresh_vehicle(
    session: Session, desk: Desk, vehicle_id: int, occasion: Occasion, since: date | None = None
) -> int:
    """As :func:`refresh_public_rows`, for every permit that has or had the vehicle."""
    session.flush()
    permits = session.scalars(
        select(PermitVehicle.permit_id)
        .where(PermitVehicle.vehicle_id == vehicle_id)
        .distinct()
        .order_by(PermitVehicle.permit_id)
    ).all()
    return sum(refresh_public_rows(session, desk, permit_id, occasion, since) for permit_id in permits)


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
            moved += _renew(
                session, desk, regime, rows, rows.permits[each], occasion.at, standing[each], start=occasion.at
            )
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
                moved += _renew(session, desk, desk.regime(code), rows, permit, occasion.at, was, start=None)
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
    read_former_plates(session, rows, authority, vehicles)
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
    start: datetime | None,
    told: bool = False,
) -> int:
    """Replaces what the ``standing`` rows of a permit say from ``start`` on (None: from the beginning).

    ``told``: its vehicles were told of before ``start``, whatever their plates were.
    """
    wanted: dict[str, list[Segment]] = defaultdict(list)
    zone = desk.authority(permit.authority).zone
    for vehicle_id in dict.fromkeys(under.vehicle_id for under in rows.under[permit.id]):
        known = told or any(key in standing for key in rows.plate_keys(vehicle_id))
        instants = instants_of(rows, permit, vehicle_id, zone, start, known)
        for segment in segments_of(session, desk, regime, rows, permit, vehicle_id, instants):
            wanted[segment.plate_key].append(segment)
    moved = 0
    for key in sorted({*standing, *wanted}):
        if start is None:
            moved += _replace_all(session, permit, standing[key], wanted[key], at)
        else:
            moved += _replace_from(session, permit, standing[key], wanted[key], start, at)
    return moved


def _replace_from(
    session: Session, permit: Permit, standing: list[PublicRow], wanted: list[Segment], start: datetime, at: datetime
) -> int:
    """Keeps what ended before ``start``, closes the row of that moment unless it still holds, renews what follows."""
    ahead = [row for row in standing if row.until is None or row.until > start]
    begun = next((row for row in ahead if row.since < start), None)
    new = list(wanted)
    moved = 0
    if begun is not None:
        if new and new[0].since == start and _says(begun, new[0]) and begun.until == new[0].until:
            del new[0]
        elif start < at:
            kept = Segment(begun.plate, begun.plate_key, begun.since, start, begun.givens, begun.card)
            begun.withdrawn_at = at
            session.add(_row(permit, kept, at))
            moved += 2
        else:
            begun.until = start
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
