"""Index values and closed days, each set by an act. Never edited in place: a later entry for the same day replaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from registry.domain.law import DatedValue, Law
from registry.domain.lawbook import IndexKind
from registry.domain.occasion import Occasion
from registry.domain.text import format_date, format_number
from registry.services.acts import resolve
from registry.services.amounts import amount_under
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import NotFound, Refused
from registry.services.lengths import long_faults, too_long
from registry.store.acts import Closure, IndexValue
from registry.store.audit import record
from registry.store.charges import Charge
from registry.store.once import remember
from registry.store.requests import Decision, Request, StoredVerdict

_MOST_CHARGES = 2_000
_LARGEST = Decimal(10) ** 12


@dataclass(frozen=True)
class IndexEntry:
    """One value as it was entered; ``replaced`` = a later entry for the same first day holds instead."""

    id: int
    value: Decimal
    since: date
    unit: str
    act: str
    by: str
    at: datetime
    in_force: bool
    replaced: bool


@dataclass(frozen=True)
class IndexLine:
    """A value that acts set, as the index page lists it.

    ``in_force`` is what the law uses on the day (the decree's own where no act changed it; None = nothing is),
    ``next`` the value that begins after it. ``entries`` are newest first.
    """

    plugin: str
    kind: IndexKind
    cite: str
    in_force: DatedValue | None
    next: DatedValue | None
    entries: tuple[IndexEntry, ...]


@dataclass(frozen=True)
class ClosureLine:
    """A closed day of the authority, by act."""

    id: int
    day: date
    name: str
    act: str


@dataclass(frozen=True)
class Touched:
    """What a new value would move: open charges whose amount changes, and decisions that used the value since."""

    charges: int
    decisions: tuple[tuple[int, str], ...]

    @property
    def charges_pt(self) -> str:
        """«Muda 4 taxas em aberto»."""
        if not self.charges:
            return "Não muda nenhuma taxa em aberto."
        return f"Muda {self.charges} {'taxa' if self.charges == 1 else 'taxas'} em aberto."

    @property
    def decisions_pt(self) -> str:
        """The sentence about decisions that used the value before; "" when there are none."""
        if not self.decisions:
            return ""
        numbers = ", ".join(number for _, number in self.decisions[:5])
        more = f" e mais {len(self.decisions) - 5}" if len(self.decisions) > 5 else ""
        count = len(self.decisions)
        which = "1 decisão já tomada usou" if count == 1 else f"{count} decisões já tomadas usaram"
        return f"{which} o valor anterior desde esse dia: {numbers}{more}. Elas não mudam sozinhas."


def index_page(session: Session, desk: Desk, authority: str, on: date) -> tuple[IndexLine, ...]:
    """Every value that acts set in the authority's regimes, with what is in force on a day, what comes and what was."""
    entries = _entries(session, authority)
    lines = []
    for plugin in _plugins(desk, authority):
        law = desk.law(session, authority, plugin)
        for kind in law.book.indexes.values():
            lines.append(_line(law, plugin, kind, entries.get(kind.key, []), on))
    return tuple(lines)


def touched(session: Session, desk: Desk, authority: str, key: str, since: date, value: Decimal, on: date) -> Touched:
    """What entering ``value`` of an index from a day on would move, as of today (``on``). Raises NotFound, RuleDown."""
    plugin, kind = _kind(desk, authority, key)
    law = desk.law(session, authority, plugin)
    changed = DatedValue(key=key, value=f"{value:f}", unit=kind.unit, since=since)
    kept = tuple(each for each in law.indexes.get(key, ()) if each.since != since)
    after = replace(law, indexes={**law.indexes, key: (*kept, changed)})
    return Touched(
        charges=_charges_changed(session, desk, authority, plugin, law, after, max(since, on)),
        decisions=_decisions_using(session, authority, plugin, key, since) if since <= on else (),
    )


def enter_index_value(
    occasion: Occasion,
    desk: Desk,
    key: str,
    since: date,
    value: Decimal,
    act: str,
    *,
    confirmed: bool = False,
) -> int:
    """Enters a value from a day on, by act; gives its id.

    Args:
        value: with at most the places that the index has.
        confirmed: the clerk has seen what a first day in the past, or one that already has a value, moves.

    Raises:
        Refused: a wrong value, no act; or a first day in the past or taken, which may be confirmed.
        NotFound: the authority's regimes have no such index.
    """
    _plugin, kind = _kind(desk, occasion.authority, key)
    faults = _faults(kind, value, act)
    if faults:
        raise Refused(faults)
    with desk.store.writing() as session:
        before = done_before(session, occasion, "index.entered")
        if before is not None:
            return before
        if not confirmed and (warning := _warning(session, desk, occasion, key, since, value)):
            raise Refused({"since": warning}, confirm=["since"])
        scale = max(0, -int(value.as_tuple().exponent))
        row = IndexValue(
            authority=occasion.authority,
            key=key,
            since=since,
            scaled=int(value.scaleb(scale)),
            scale=scale,
            unit=kind.unit,
            act=act.strip(),
            act_id=resolve(session, desk, occasion.authority, act),
            recorded_at=_instant(session, occasion, key, since),
            recorded_by=occasion.actor,
        )
        session.add(row)
        session.flush()
        desk.forget_law(session)
        after = {"key": key, "since": since, "value": value, "act": row.act}
        record(session, occasion, "index.entered", "index_value", row.id, None, after)
        remember(session, occasion, "index.entered", row.id)
        return row.id


def close_day(occasion: Occasion, desk: Desk, day: date, name: str, act: str) -> int:
    """Closes the authority on a day, by act; gives its id. Terms that are counted from then on skip it.

    Raises Refused: no name, no act, or the day is closed already.
    """
    faults = long_faults(name=name, act=act)
    if not name.strip():
        faults["name"] = "Escreva por que o órgão não abre."
    if not act.strip():
        faults["act"] = "Escreva o ato, como «Portaria 38/2026»."
    if faults:
        raise Refused(faults)
    with desk.store.writing() as session:
        before = done_before(session, occasion, "day.closed")
        if before is not None:
            return before
        live = (Closure.authority == occasion.authority, Closure.ended_at.is_(None))
        known = session.scalar(select(Closure.name).where(*live, Closure.day == day))
        if known is not None:
            raise Refused({"day": f"{format_date(day)} já está fechado: {known}."})
        row = Closure(
            authority=occasion.authority,
            day=day,
            name=name.strip(),
            act=act.strip(),
            act_id=resolve(session, desk, occasion.authority, act),
            recorded_at=occasion.at,
        )
        session.add(row)
        session.flush()
        desk.forget_law(session)
        after = {"day": day, "name": row.name, "act": row.act}
        record(session, occasion, "day.closed", "closure", row.id, None, after)
        remember(session, occasion, "day.closed", row.id)
        return row.id


def closures(session: Session, authority: str) -> tuple[ClosureLine, ...]:
    """The closed days of an authority, newest first."""
    live = (Closure.authority == authority, Closure.ended_at.is_(None))
    rows = session.scalars(select(Closure).where(*live).order_by(Closure.day.desc()))
    return tuple(ClosureLine(row.id, row.day, row.name, row.act) for row in rows)


def _plugins(desk: Desk, authority: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(regime.plugin for regime in desk.regimes_of(authority)))


def _kind(desk: Desk, authority: str, key: str) -> tuple[str, IndexKind]:
    for plugin in _plugins(desk, authority):
        kind = desk.host.plugins[plugin].lawbook.indexes.get(key)
        if kind is not None:
            return plugin, kind
    raise NotFound


def _faults(kind: IndexKind, value: Decimal, act: str) -> dict[str, str]:
    faults = {}
    if not value.is_finite() or value <= 0:
        faults["value"] = "O valor deve ser maior que zero."
    elif value >= _LARGEST:
        faults["value"] = "O valor é grande demais. Confira."
    elif value != round(value, kind.places):
        places = "um número inteiro" if kind.places == 0 else f"até {kind.places} casas"
        faults["value"] = f"Escreva {kind.label} com {places}." if kind.places else f"Escreva {places}."
    if not act.strip():
        faults["act"] = "Escreva o ato que fixa o valor, como «Portaria 112/2026»."
    elif fault := too_long(act, what="O ato"):
        faults["act"] = fault
    return faults


def _instant(session: Session, occasion: Occasion, key: str, since: date) -> datetime:
    """When an entry is recorded: after every earlier one for the same day, also where the clock stands or went back."""
    last = session.scalar(
        select(func.max(IndexValue.recorded_at)).where(
            IndexValue.authority == occasion.authority, IndexValue.key == key, IndexValue.since == since
        )
    )
    return occasion.at if last is None else max(occasion.at, last + timedelta(microseconds=1))


def _warning(session: Session, desk: Desk, occasion: Occasion, key: str, since: date, value: Decimal) -> str:
    """What the clerk confirms: an entry for that day, a first day in the past; "" when there is nothing to confirm."""
    said = []
    taken = session.scalars(
        select(IndexValue)
        .where(IndexValue.authority == occasion.authority, IndexValue.key == key, IndexValue.since == since)
        .order_by(IndexValue.recorded_at.desc(), IndexValue.id.desc())
        .limit(1)
    ).one_or_none()
    if taken is not None:
        old = format_number(Decimal(taken.scaled).scaleb(-taken.scale))
        said.append(f"Já há {old} a partir deste dia ({taken.act}). O novo valor fica no lugar dele.")
    if since < occasion.on:
        moved = touched(session, desk, occasion.authority, key, since, value, occasion.on)
        said += [f"O início está no passado ({format_date(since)}).", moved.charges_pt, moved.decisions_pt]
    return " ".join(part for part in [*said, "Confirme para gravar." if said else ""] if part)


def _charges_changed(
    session: Session, desk: Desk, authority: str, plugin: str, before: Law, after: Law, day: date
) -> int:
    """How many open charges come to another amount on a day under the law after than under the law before."""
    charges = session.scalars(
        select(Charge)
        .where(
            Charge.authority == authority,
            Charge.plugin == plugin,
            Charge.settled_at.is_(None),
            Charge.cancelled_at.is_(None),
        )
        .order_by(Charge.id.desc())
        .limit(_MOST_CHARGES)
    )
    return sum(_amount(desk, each, day, before) != _amount(desk, each, day, after) for each in charges)


def _amount(desk: Desk, charge: Charge, day: date, law: Law) -> Decimal | None:
    try:
        return amount_under(desk, charge, day, law).amount
    except (Refused, NotFound):
        return None


def _decisions_using(
    session: Session, authority: str, plugin: str, key: str, since: date
) -> tuple[tuple[int, str], ...]:
    """Requests decided since a day whose verdicts used a value of this key: id and number, oldest first."""
    rows = session.execute(
        select(StoredVerdict.grounds, Request.id, Request.number)
        .join(Decision, Decision.id == StoredVerdict.subject_id)
        .join(Request, Request.id == Decision.request_id)
        .where(
            StoredVerdict.subject == "decision",
            StoredVerdict.authority == authority,
            StoredVerdict.plugin == plugin,
            StoredVerdict.on >= since,
        )
        .order_by(Request.id)
    )
    found: dict[int, str] = {}
    for grounds, request_id, number in rows:
        if any(value["key"] == key for ground in grounds for value in ground["values"]):
            found[request_id] = number or ""
    return tuple(found.items())


def _entries(session: Session, authority: str) -> Mapping[str, list[IndexValue]]:
    found: dict[str, list[IndexValue]] = {}
    rows = session.scalars(
        select(IndexValue)
        .where(IndexValue.authority == authority)
        .order_by(IndexValue.since.desc(), IndexValue.recorded_at.desc(), IndexValue.id.desc())
    )
    for row in rows:
        found.setdefault(row.key, []).append(row)
    return found


def _line(law: Law, plugin: str, kind: IndexKind, rows: list[IndexValue], on: date) -> IndexLine:
    holding: dict[date, int] = {}
    for row in rows:
        holding.setdefault(row.since, row.id)
    known: list[DatedValue] = [*law.indexes.get(kind.key, ()), *law.book.parameters.get(kind.key, ())]
    in_force = _in_force(law, kind.key, on)
    coming = sorted((value for value in known if value.since > on), key=lambda value: value.since)
    return IndexLine(
        plugin=plugin,
        kind=kind,
        cite=law.cite(kind.provision),
        in_force=in_force,
        next=coming[0] if coming else None,
        entries=tuple(
            IndexEntry(
                id=row.id,
                value=Decimal(row.scaled).scaleb(-row.scale),
                since=row.since,
                unit=row.unit,
                act=row.act,
                by=row.recorded_by,
                at=row.recorded_at,
                in_force=in_force is not None and in_force.since == row.since and holding[row.since] == row.id,
                replaced=holding[row.since] != row.id,
            )
            for row in rows
        ),
    )


def _in_force(law: Law, key: str, on: date) -> DatedValue | None:
    try:
        return law.index(key, on)
    except LookupError:
        return None
