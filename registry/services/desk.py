"""The desk: what every use case works with. Store, plugin host, settings, and the law of an authority on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from sqlalchemy import Integer, String, cast, literal, null, select, union_all
from sqlalchemy.orm import Session

from registry.domain.calendar import ActDay, Calendar
from registry.domain.law import DatedValue, Law
from registry.domain.regime import Regime
from registry.plugins import PluginHost
from registry.plugins.host import guarded
from registry.services.errors import NotFound
from registry.settings import Authority, Settings
from registry.store.acts import Closure, IndexValue
from registry.store.engine import Store
from registry.store.numbers import take

_CACHE = "registry.laws"
LAW_SERIES = "law"
"""The series of numbers that counts the changes of values of the law in plugins' tables."""


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
            law = self.host.law_for(plugin, authority, indexes=indexes, closures=closures)
            laws[key] = replace(law, indexes=self._with_values_of_plugins(session, authority, law))
        return laws[key]

    def law_changed(self, session: Session, authority: str) -> None:
        """Tells that a plugin changed values of the law in its own tables (``registry_law_values``).

        Called in the transaction that changes them: readers that keep the law read it anew after the commit, and a
        second writer of the authority waits until this one is done.
        """
        take(session, authority, LAW_SERIES, 0)
        self.forget_law(session)

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

    def _with_values_of_plugins(
        self, session: Session, authority: str, law: Law
    ) -> Mapping[str, tuple[DatedValue, ...]]:
        """The index values of a law with those of the plugins' own tables. Raises RuleFailed for an unknown key."""
        regimes = tuple(each.code for each in self.regimes_of(authority) if each.plugin == law.book.plugin)
        given: dict[str, Any] = {"session": session, "authority": authority, "regimes": regimes, "law": law}
        found = dict(law.indexes)
        for answer in self.host.collect("registry_law_values", **given):
            for value in answer.value:
                with guarded(answer.plugin, "registry_law_values"):
                    if value.key not in law.book.parameters and value.key not in law.book.indexes:
                        raise LookupError(f"{law.book.plugin} has neither a parameter nor an index {value.key!r}")
                found[value.key] = (*found.get(value.key, ()), value)
        return found

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
    ).where(Closure.authority == authority, Closure.ended_at.is_(None))
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
