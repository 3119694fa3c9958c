"""Use cases of the periods in which an act sets the band: entered, taken back, listed, supplied to the city's law."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import select

from registry.api.data import (
    AlreadyDone,
    Desk,
    NotFound,
    Refused,
    RestsOnAct,
    first_result,
    record,
    remember,
    resolve_act,
)
from registry.api.law import DatedValue, Law, Occasion, describe_moment
from registry_taxi_bandeiras.api import PERIODS, BandTable
from registry_taxi_bandeiras.models import Period

HOOK = "taxi_bandeiras_table"
SUBJECT = "bandeira_period"
_LONGEST = timedelta(days=366)
_MOST_LETTERS = 400


@dataclass(frozen=True)
class PeriodInput:
    """A period as an act sets it: ``start`` included, ``end`` excluded, both aware; ``service`` "" = all."""

    regime: str
    start: datetime
    end: datetime
    band: int
    act: str
    service: str = ""


@dataclass(frozen=True)
class PeriodLine:
    """A period as the list shows it, in the authority's time; ``state`` is futuro, agora, passado or anulado."""

    id: int
    regime: str
    service: str
    band: int
    start: datetime
    end: datetime
    act: str
    by: str
    state: str
    end_reason: str


def values(session: Any, authority: str, regimes: Sequence[str], law: Law) -> Iterable[DatedValue]:
    """The periods of an authority's regimes as values of a law that has :data:`PERIODS` among its parameters."""
    if PERIODS not in law.book.parameters:
        return
    shipped = law.book.parameters[PERIODS][-1]
    rows = session.scalars(
        select(Period)
        .where(Period.authority == authority, Period.regime.in_(regimes), Period.ended_at.is_(None))
        .order_by(Period.start, Period.id)
    )
    for row in rows:
        period: dict[str, Any] = {"from": row.start.isoformat(), "to": row.end.isoformat(), "bandeira": row.band}
        yield DatedValue(
            key=PERIODS,
            value=[period | {"act": row.act, "services": [row.service] if row.service else []}],
            unit=shipped.unit,
            since=row.start.astimezone(law.zone).date(),
            provision=shipped.provision,
            act=row.act,
            label=shipped.label,
        )


def resting_on(
    session: Any, authority: str, act_ids: Sequence[int], names: Callable[[str], bool]
) -> Iterable[RestsOnAct]:
    """The periods that an act sets, in words."""
    rows = session.scalars(
        select(Period).where(Period.authority == authority, Period.ended_at.is_(None)).order_by(Period.start.desc())
    )
    for row in rows:
        if row.act_id in act_ids or (row.act_id is None and names(row.act)):
            yield RestsOnAct("Bandeiras do táxi", f"Bandeira {row.band}", row.start, row.end)


def enter_period(occasion: Occasion, desk: Desk, given: PeriodInput) -> int:
    """Enters a period by act; gives its id. Every answer on fare bands follows from then on.

    Raises Refused: no table for the regime, a band or service that it lacks, an end that is not after the start, more
    than a year, no act, or another act's period in the same hours.
    """
    with desk.store.writing() as session:
        first = first_result(session, occasion, "bandeiras.entered")
        if first is not None:
            return int(first.result)
        desk.law_changed(session, occasion.authority)
        table = table_of(session, desk, occasion, given.regime)
        if faults := _faults(given, table):
            raise Refused(faults)
        _refuse_overlap(session, occasion, given)
        row = Period(
            authority=occasion.authority,
            regime=given.regime,
            service=given.service,
            band=given.band,
            start=given.start,
            end=given.end,
            act=given.act.strip(),
            act_id=resolve_act(session, desk, occasion.authority, given.act),
            recorded_at=occasion.at,
            recorded_by=occasion.actor,
            end_reason="",
        )
        session.add(row)
        session.flush()
        names = ("regime", "service", "band", "start", "end", "act")
        after = {name: getattr(row, name) for name in names}
        record(session, occasion, "bandeiras.entered", SUBJECT, row.id, None, after)
        remember(session, occasion, "bandeiras.entered", row.id)
        desk.forget_law(session)
        return int(row.id)


def annul_period(occasion: Occasion, desk: Desk, period_id: int, reason: str) -> None:
    """Takes a period back, with the reason: it counts no more, as if it had never been entered.

    Raises NotFound; Refused without a reason; AlreadyDone when it was taken back before.
    """
    if not reason.strip():
        raise Refused({"reason": "Escreva o motivo. Ele fica junto do período."})
    if len(reason.strip()) > _MOST_LETTERS:
        raise Refused({"reason": f"O motivo tem {len(reason.strip())} letras. O limite é {_MOST_LETTERS}."})
    with desk.store.writing() as session:
        if first_result(session, occasion, "bandeiras.annulled") is not None:
            return
        desk.law_changed(session, occasion.authority)
        row = session.get(Period, period_id)
        if row is None or row.authority != occasion.authority:
            raise NotFound
        if row.ended_at is not None:
            raise AlreadyDone(row.id, row.ended_by or "", row.ended_at)
        row.ended_at, row.ended_by, row.end_reason = occasion.at, occasion.actor, reason.strip()
        session.flush()
        after = {"ended_at": occasion.at, "reason": row.end_reason}
        record(session, occasion, "bandeiras.annulled", SUBJECT, row.id, {"ended_at": None}, after)
        remember(session, occasion, "bandeiras.annulled", row.id)
        desk.forget_law(session)


def list_periods(session: Any, authority: str, now: datetime) -> list[PeriodLine]:
    """Every period of an authority, those taken back too, the latest start first; days and hours in ``now``'s zone."""
    rows = session.scalars(
        select(Period).where(Period.authority == authority).order_by(Period.start.desc(), Period.id.desc())
    )
    return [_line(row, now) for row in rows]


def table_of(session: Any, desk: Desk, occasion: Occasion, regime: str) -> BandTable:
    """The table of the city's plugin for a regime on the occasion's day. Raises Refused where it has none, NotFound."""
    found = desk.regime_of(occasion.authority, regime)
    law = desk.law(session, occasion.authority, found.plugin)
    table: BandTable | None = desk.host.ask_one(HOOK, regime=regime, on=occasion.on, law=law)
    if table is None:
        raise Refused({"regime": f"{found.label} não tem bandeiras."})
    return table


def bands_of(table: BandTable) -> tuple[int, ...]:
    """The bands of a table, the lowest first."""
    return tuple(sorted({table.whole_day_band, *(window.band for window in table.windows)}))


def services_of(table: BandTable) -> tuple[str, ...]:
    """The services of a table, in its order."""
    return tuple(dict.fromkeys(window.service for window in table.windows))


def span(start: datetime, end: datetime, zone: ZoneInfo) -> str:
    """«de 24/12/2026, 18h a 26/12/2026, 6h», in the authority's time."""
    first, last = start.astimezone(zone), end.astimezone(zone)
    return f"de {describe_moment(first)} a {describe_moment(last)}"


def _faults(given: PeriodInput, table: BandTable) -> dict[str, str]:
    faults = {}
    if given.band not in bands_of(table):
        faults["band"] = "Escolha a bandeira."
    if given.service and given.service not in services_of(table):
        faults["service"] = "Escolha um serviço da lista."
    if given.end <= given.start:
        faults["end_day"] = "O fim deve ser depois do início."
    elif given.end - given.start > _LONGEST:
        faults["end_day"] = "O período tem mais de um ano. Confira as datas."
    if not given.act.strip():
        faults["act"] = "Escreva o ato que fixa a bandeira, como «Portaria 112/2026»."
    elif len(given.act.strip()) > _MOST_LETTERS:
        faults["act"] = f"O ato tem {len(given.act.strip())} letras. O limite é {_MOST_LETTERS}."
    return faults


def _refuse_overlap(session: Any, occasion: Occasion, given: PeriodInput) -> None:
    there = session.scalars(
        select(Period).where(
            Period.authority == occasion.authority,
            Period.regime == given.regime,
            Period.ended_at.is_(None),
            Period.start < given.end,
            Period.end > given.start,
        )
    )
    for row in there:
        if not row.service or not given.service or row.service == given.service:
            when = span(row.start, row.end, occasion.zone)
            text = f"Já há bandeira {row.band} {when}, por {row.act}. Anule esse período ou mude as horas."
            raise Refused({"start_day": text})


def _line(row: Period, now: datetime) -> PeriodLine:
    state = "passado"
    if row.ended_at is not None:
        state = "anulado"
    elif now < row.start:
        state = "futuro"
    elif now < row.end:
        state = "agora"
    return PeriodLine(
        id=row.id,
        regime=row.regime,
        service=row.service,
        band=row.band,
        start=row.start.astimezone(now.tzinfo),
        end=row.end.astimezone(now.tzinfo),
        act=row.act,
        by=row.recorded_by,
        state=state,
        end_reason=row.end_reason,
    )
