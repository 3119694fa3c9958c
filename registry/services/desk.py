"""The desk: what every use case works with. Store, plugin host, settings, and the law of an authority on request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import Date, Integer, String, cast, literal, null, select, union_all
from sqlalchemy.orm import Session

from registry.domain.calendar import ActDay, Calendar
from registry.domain.dossier import Dossier
from registry.domain.effects import PluginCommand
from registry.domain.law import DatedValue, Law
from registry.domain.lawbook import Lawbook
from registry.domain.occasion import Occasion
from registry.domain.regime import Regime, Rule
from registry.services.errors import NotFound
from registry.settings import Authority, Settings
from registry.store.acts import Closure, IndexValue

if TYPE_CHECKING:
    from registry.store.engine import Store

_CACHE = "registry.laws"


class Host(Protocol):
    """What use cases ask of the plugin host (``registry.plugins``)."""

    def regime(self, code: str) -> Regime:
        """The regime of this code. Raises KeyError when no loaded plugin declares it."""

    def lawbook(self, plugin: str) -> Lawbook:
        """The law data of a plugin. Raises KeyError."""

    def added_rules(self, regime: str, request_kind: str) -> Iterable[tuple[str, Rule]]:
        """The rules that plugins add to a request kind, each with its plugin. Raises RuleFailed."""

    def dossier_facts(self, session: Any, dossier: Dossier) -> Mapping[str, Mapping[str, Any]]:
        """The plugins' own facts, by plugin. Raises RuleFailed."""

    def apply(self, session: Any, command: PluginCommand, dossier: Dossier, occasion: Occasion) -> None:
        """Executes a plugin's command. Raises RuleFailed."""

    def decided(self, request_id: int, result: str, occasion: Occasion) -> None:
        """Tells the plugins of a decision, after commit; never raises."""


@dataclass(frozen=True)
class Desk:
    """The collaborators of every use case. ``files`` is the folder of the vault of uploaded files."""

    store: Store
    host: Host
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
            return self.host.regime(code)
        except KeyError:
            raise NotFound from None

    def regime_of(self, authority: str, code: str) -> Regime:
        """The regime, when this authority administers it. Raises :class:`NotFound`."""
        if code not in self.authority(authority).regimes:
            raise NotFound
        return self.regime(code)

    def regimes_of(self, authority: str) -> tuple[Regime, ...]:
        """The regimes that an authority administers and whose plugin is loaded, in the configured order."""
        found = []
        for code in self.authority(authority).regimes:
            try:
                found.append(self.host.regime(code))
            except KeyError:
                continue
        return tuple(found)

    def law(self, session: Session, authority: str, plugin: str) -> Law:
        """The law of a plugin as this authority applies it: index values, closures, readings, zone and rounding.

        Read once in a transaction; after changing index values or closures call :meth:`forget_law`.
        """
        laws: dict[tuple[str, str], Law] = session.info.setdefault(_CACHE, {})
        key = (authority, plugin)
        if key not in laws:
            acts = self._acts(session, authority)
            laws[key] = self._build_law(self.authority(authority), self.host.lawbook(plugin), acts)
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

    def _build_law(self, authority: Authority, book: Lawbook, acts: _Acts) -> Law:
        indexes, closures = acts
        days = [*book.calendar_days, *authority.calendar]
        return Law(
            book=book,
            calendar=Calendar.from_data({"day": days}).with_closures(closures),
            zone=authority.zone,
            indexes=indexes,
            readings=self.settings.readings.get(book.plugin, {}),
            rounding=self.settings.rounding,
        )

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
        cast(Closure.day, Date),
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
