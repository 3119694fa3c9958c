"""Fare bands of a taxi by instant: which band, by which row of the city's table, until when.

The city gives the table; nothing of any law stands here. Times are the authority's civil time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

__all__ = ["PERIODS", "Band", "BandTable", "BandTableError", "Override", "Window", "band_at"]

PERIODS = "bandeira.override_periods"
"""The key under which the periods that acts set, entered on this mechanism's screen, reach the city's law.

The city declares it among its parameters (``values`` an empty list) and reads ``law.indexes[PERIODS]``: values that are
lists of ``{from, to, bandeira, act, services}``; ``from`` and ``to`` are aware instants as ISO text, no services = all.
"""

Cause = Literal["window", "weekday", "holiday", "override"]
_DAYS_AHEAD = 31
_DAY = timedelta(days=1)


class BandTableError(ValueError):
    """The city's table cannot answer; the message says what is missing."""


@dataclass(frozen=True)
class Window:
    """A row of the table: a service's band from ``start`` (included) to ``end`` (excluded); it may cross midnight."""

    service: str
    start: time
    end: time
    band: int
    provision: str

    def covers(self, clock: time) -> bool:
        """Whether the time of day lies in the window."""
        if self.start < self.end:
            return self.start <= clock < self.end
        return clock >= self.start or clock < self.end


@dataclass(frozen=True)
class Override:
    """A period in which an act sets the band, ``start`` included, ``end`` excluded; both aware instants.

    ``services`` empty = every service.
    """

    start: datetime
    end: datetime
    band: int
    act: str
    services: tuple[str, ...] = ()


@dataclass(frozen=True)
class BandTable:
    """What the city's law says: the windows of each service, the whole days, the periods set by act.

    ``whole_days`` are weekdays (Monday = 0) and ``holiday`` names the legal holiday of a day (None = none): on both
    the band is ``whole_day_band`` all day, by ``whole_day_provision``.
    """

    windows: tuple[Window, ...]
    whole_day_band: int
    whole_day_provision: str
    whole_days: tuple[int, ...]
    holiday: Callable[[date], str | None]
    overrides: tuple[Override, ...] = ()


@dataclass(frozen=True)
class Band:
    """The band of an instant. ``local`` is naive civil time; ``provision`` the row that gave it ("" for an override).

    ``cause`` tells why: an ordinary ``window``, a ``weekday`` or ``holiday`` that counts whole, or an ``override``;
    ``reason`` is the holiday's name or the act. ``until`` is the civil instant of the next change of band (None when
    none comes within a month) and ``then`` the band from that instant.
    """

    local: datetime
    band: int
    cause: Cause
    provision: str
    reason: str = ""
    window: Window | None = None
    until: datetime | None = None
    then: int | None = None


def band_at(table: BandTable, at: datetime, service: str, zone: ZoneInfo) -> Band:
    """The band of a service at an aware instant, and until when. Raises :class:`BandTableError` for an unknown service.

    An act's period outranks the whole days, which outrank the windows.
    """
    if at.tzinfo is None:
        raise ValueError("band_at takes an aware instant")
    here = at.astimezone(zone)
    now = _at(table, here, service)
    for change in _changes(table, here, service):
        following = _at(table, change, service)
        if following.band != now.band:
            return replace(now, until=change.replace(tzinfo=None), then=following.band)
    return now


def _at(table: BandTable, here: datetime, service: str) -> Band:
    local = here.replace(tzinfo=None)
    for override in table.overrides:
        if override.start <= here < override.end and (not override.services or service in override.services):
            return Band(local, override.band, "override", "", override.act)
    holiday = table.holiday(here.date())
    if here.weekday() in table.whole_days:
        return Band(local, table.whole_day_band, "weekday", table.whole_day_provision)
    if holiday is not None:
        return Band(local, table.whole_day_band, "holiday", table.whole_day_provision, holiday)
    for window in table.windows:
        if window.service == service and window.covers(here.time()):
            return Band(local, window.band, "window", window.provision, window=window)
    raise BandTableError(f"taxi_bandeiras: no window of the table covers {local:%H:%M} of the service {service!r}")


def _changes(table: BandTable, here: datetime, service: str) -> Iterable[datetime]:
    """The instants after ``here`` at which the band may change, in order."""
    clocks = sorted({time(0)} | {window.start for window in table.windows if window.service == service})
    last = here.date() + _DAYS_AHEAD * _DAY
    acts = {edge.astimezone(here.tzinfo) for each in table.overrides for edge in (each.start, each.end)}
    waiting = sorted(edge for edge in acts if here < edge)
    for count in range(_DAYS_AHEAD + 1):
        for clock in clocks:
            instant = datetime.combine(here.date() + count * _DAY, clock, here.tzinfo)
            while waiting and waiting[0] <= instant:
                yield waiting.pop(0)
            if here < instant:
                yield instant
    yield from (edge for edge in waiting if edge.date() <= last)
