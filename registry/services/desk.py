"""The desk: what every use case works with. Store, plugin host, settings, and the law of an authority on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from sqlalchemy import Integer, String, cast, literal, null, select, union_all
from sqlalchemy.orm import Session

from registry.domain.calendar import ActDay, Calendar
from registry.domain.law import DatedValue, Law
from registry.domain.regime import Regime
from registry.plugins import PluginHost
from registry.services.errors import NotFound
from registry.settings import Authority, Settings
from registry.store.acts import Closure, IndexValue
from registry.store.engine import Store

_CACHE = "registry.laws"


@dataclass(frozen=True)
class Desk:
    """The collaborators of every use case. ``files`` is the folder of the vault of uploaded files."""

    store: Store
    host: PluginHost
    settings: Settings
    files: Path

    def authority(self, code: str) -> Authority:
        """The authority of this code. Raises :class:`NotFound`."""
        try:
            return self.settings.authority(code)
        except KeyError:
            raise NotFound from None

    def regime(self, code: str) -> Regime:
        """The regime of this code. Raises :class:`NotFound` when no loaded plugin declares it."""
        try:
            return self.host.regimes[code]
        except KeyError:
            raise NotFound from None

    def regime_of(self, authority: str, code: str) -> Regime:
        """The regime, when this authority administers it. Raises :class:`NotFound`."""
        if code not in self.authority(authority).regimes:
            raise NotFound
        return self.regime(code)

    def regimes_of(self, authority: str) -> tuple[Regime, ...]:
        """The regimes that an authority administers and whose plugin is loaded, in the configured order."""
        self.authority(authority)
        return self.host.regimes_of(authority)

    def law(self, session: Session, authority: str, plugin: str) -> Law:
        """The law of a plugin as this authority applies it: index values, closures, readings, zone and rounding.

        Read once in a transaction; after changing index values or closures call :meth:`forget_law`.
        """
        laws: dict[tuple[str, str], Law] = session.info.setdefault(_CACHE, {})
        key = (authority, plugin)
        if key not in laws:
            indexes, closures = self._acts(session, authority)
            laws[key] = self.host.law_for(plugin, authority, indexes=indexes, closures=closures)
        return laws[key]

    def forget_law(self, session: Session) -> None:
        """Makes this transaction read index values and closures anew."""
        session.info.pop(_CACHE, None)
        session.info.pop(f"{_CACHE}.acts", None)

    def calendar(self, session: Session, authority: str, regime: str = "") -> Calendar:
        """The calendar of an authority for a regime; without one, that of its first regime."""
        regimes = self.regimes_of(authority)
        chosen = next((each for each in regimes if each.code == regime), regimes[0] if regimes else None)
        if chosen is None:
            closures = self._acts(session, authority)[1]
            return Calendar.from_data({"day": self.authority(authority).calendar}).with_closures(closures)
        return self.law(session, authority, chosen.plugin).calendar

    def _acts(self, session: Session, authority: str) -> _Acts:
        cache: dict[str, _Acts] = session.info.setdefault(f"{_CACHE}.acts", {})
        if authority not in cache:
            cache[authority] = read_acts(session, authority)
        return cache[authority]


_Acts = tuple[Mapping[str, tuple[DatedValue, ...]], tuple[ActDay, ...]]


def read_acts(session: Session, authority: str) -> _Acts:
    """The index values by key, oldest first, and the closures of an authority, in one query.

    Of two entries for one key and day the one recorded last holds.
    """
    indexes = select(
        literal("index").label("what"),
        IndexValue.key.label("name"),
        IndexValue.since.label("day"),
        IndexValue.scaled,
        IndexValue.scale,
        IndexValue.unit,
        IndexValue.act,
        IndexValue.recorded_at,
    ).where(IndexValue.authority == authority)
    closures = select(
        literal("closure"),
        Closure.name,
        Closure.day,
        cast(null(), Integer),
        cast(null(), Integer),
        cast(null(), String),
        Closure.act,
        Closure.recorded_at,
    ).where(Closure.authority == authority)
    both = union_all(indexes, closures).subquery()
    values: dict[str, dict[date, DatedValue]] = {}
    days: list[ActDay] = []
    for row in session.execute(select(both).order_by(both.c.recorded_at)):
        if row.what == "closure":
            days.append(ActDay(row.day, row.name, row.act))
            continue
        number = Decimal(row.scaled).scaleb(-row.scale)
        values.setdefault(row.name, {})[row.day] = DatedValue(
            key=row.name, value=f"{number:f}", unit=row.unit, since=row.day, act=row.act
        )
    ordered = {key: tuple(by_day[day] for day in sorted(by_day)) for key, by_day in values.items()}
    return ordered, tuple(days)
