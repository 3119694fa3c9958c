"""The days of an authority: holidays, optional days and closures as dated data, and what a business day is.

A calendar is data of the authority, never of a library, so that an upgrade moves no stored term.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any, Literal

DayKind = Literal["holiday", "optional", "closure"]

_DAY = timedelta(days=1)
_SATURDAY = 5
_LEAP_YEAR = 2000
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ORDINALS = {"1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "last": -1}
_FIXED = re.compile(r"(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_EASTER = re.compile(r"easter([+-][0-9]{1,3})?")
_NTH = re.compile(rf"({'|'.join(_ORDINALS)})-({'|'.join(_WEEKDAYS)})-(0[1-9]|1[0-2])")


class CalendarError(ValueError):
    """The calendar data is wrong; the message names the entry and the mend."""


@dataclass(frozen=True, slots=True)
class DayRule:
    """A day that comes back every year from ``from_year`` to ``until_year`` (both included; None = open).

    ``rule`` is ``12-08`` (month-day), ``easter-2`` (days from Easter Sunday) or ``1st-sunday-03`` (nth weekday of a
    month; ``last`` too). ``kind``: a ``holiday`` is no business day; an ``optional`` day (ponto facultativo) is one
    unless a setting closes it; on a ``closure`` the office is closed though it is no legal holiday.
    """

    rule: str
    name: str
    kind: DayKind = "holiday"
    from_year: int | None = None
    until_year: int | None = None
    act: str = ""

    def __post_init__(self) -> None:
        if not (_FIXED.fullmatch(self.rule) or _EASTER.fullmatch(self.rule) or _NTH.fullmatch(self.rule)):
            raise CalendarError(f"{self.rule!r} is no day rule; write 12-08, easter-2 or 1st-sunday-03")
        if (found := _FIXED.fullmatch(self.rule)) and int(found[2]) > monthrange(_LEAP_YEAR, int(found[1]))[1]:
            raise CalendarError(f"{self.rule} is in no year")
        if (found := _EASTER.fullmatch(self.rule)) and not -80 <= int(found[1] or 0) <= 250:
            raise CalendarError(f"{self.rule} leaves the year")
        if self.kind not in ("holiday", "optional", "closure"):
            raise CalendarError(f"{self.rule}: kind {self.kind!r} is none of holiday, optional, closure")

    def day_in(self, year: int) -> date | None:
        """The day on which the rule falls in a year; None outside its years, or where the year lacks the day."""
        if (self.from_year is not None and year < self.from_year) or (
            self.until_year is not None and year > self.until_year
        ):
            return None
        if found := _FIXED.fullmatch(self.rule):
            month, number = int(found[1]), int(found[2])
            return date(year, month, number) if number <= monthrange(year, month)[1] else None
        if found := _EASTER.fullmatch(self.rule):
            return easter(year) + timedelta(days=int(found[1] or 0))
        return _nth_weekday(self.rule, year)


@dataclass(frozen=True, slots=True)
class ActDay:
    """One day that an act closes or opens: its name for the people and the act that says so."""

    day: date
    name: str
    act: str = ""


@dataclass(frozen=True, slots=True)
class SkippedDay:
    """A day that a term does not count, and why, in pt-BR (``sábado``, ``São João``)."""

    day: date
    why: str


@dataclass(frozen=True)
class Calendar:
    """The calendar of one authority.

    ``rules`` come back each year, ``closures`` and ``openings`` are single days set by act (an opening makes an
    optional day or a closure a business day, never a weekend or holiday), ``optional_closed`` holds the rules of those
    optional days that a setting makes non-business.
    """

    rules: tuple[DayRule, ...] = ()
    closures: tuple[ActDay, ...] = ()
    openings: tuple[ActDay, ...] = ()
    optional_closed: frozenset[str] = frozenset()
    _years: dict[int, dict[date, list[DayRule]]] = field(
        default_factory=dict, init=False, repr=False, compare=False, hash=False
    )

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Calendar:
        """The calendar from a TOML-shaped mapping. Raises :class:`CalendarError` naming the entry.

        ``day``: list of ``{rule, name, kind?, from_year?, until_year?, act?}``, ``kind`` being "holiday" where absent;
        ``closure``, ``opening``: lists of ``{day, name, act?}``, ``day`` a date or ``2024-06-21``;
        ``optional_closed``: true for every optional day, or the list of their rules.
        """
        unknown = data.keys() - {"day", "closure", "opening", "optional_closed"}
        if unknown:
            raise CalendarError(f"calendar: unknown key {', '.join(sorted(unknown))}")
        calendar = cls(
            rules=tuple(_rule(place, entry) for place, entry in enumerate(data.get("day", ()), 1)),
            closures=tuple(_act_day("closure", place, entry) for place, entry in enumerate(data.get("closure", ()), 1)),
            openings=tuple(_act_day("opening", place, entry) for place, entry in enumerate(data.get("opening", ()), 1)),
        )
        closed = data.get("optional_closed", False)
        if closed is False:
            return calendar
        return calendar.with_optional_closed(None if closed is True else closed)

    def with_closures(self, closures: Iterable[ActDay | date]) -> Calendar:
        """The calendar with more closed days; a bare date is a closure without a name of its own."""
        more = tuple(c if isinstance(c, ActDay) else ActDay(c, "sem expediente") for c in closures)
        return replace(self, closures=self.closures + more)

    def with_openings(self, openings: Iterable[ActDay]) -> Calendar:
        """The calendar with more days opened by act."""
        return replace(self, openings=self.openings + tuple(openings))

    def with_optional_closed(self, rules: Iterable[str] | None = None) -> Calendar:
        """The calendar in which the optional days of these rules (None = all of them) are no business days.

        Raises :class:`CalendarError` for a rule that is no optional day here.
        """
        optional = {rule.rule for rule in self.rules if rule.kind == "optional"}
        wanted = optional if rules is None else set(rules)
        if wanted - optional:
            raise CalendarError(f"optional_closed: no optional day has the rule {', '.join(sorted(wanted - optional))}")
        return replace(self, optional_closed=frozenset(wanted))

    def holiday_name(self, day: date) -> str | None:
        """The name of the legal holiday on that day, a Sunday too; None for any other day, optional ones included."""
        return next((rule.name for rule in self._rules_on(day) if rule.kind == "holiday"), None)

    def why_closed(self, day: date) -> str | None:
        """Why a day is no business day, in pt-BR (``sábado``, ``São João``, a closure with its act); else None."""
        if day.weekday() >= _SATURDAY:
            return "sábado" if day.weekday() == _SATURDAY else "domingo"
        holiday = self.holiday_name(day)
        if holiday is not None:
            return holiday
        if any(opening.day == day for opening in self.openings):
            return None
        for rule in self._rules_on(day):
            if rule.kind == "closure" or rule.rule in self.optional_closed:
                return rule.name
        return next((_named(closure) for closure in self.closures if closure.day == day), None)

    def is_business_day(self, day: date) -> bool:
        """Whether the office works on that day: Monday to Friday, no holiday, no closure."""
        return self.why_closed(day) is None

    def roll(self, day: date) -> date:
        """The day itself if it is a business day, else the first one after it."""
        while not self.is_business_day(day):
            day += _DAY
        return day

    def next_business_day(self, day: date) -> date:
        """The first business day after ``day``, which itself never counts."""
        return self.roll(day + _DAY)

    def last_business_day(self, year: int, month: int) -> date:
        """The last business day of a month."""
        day = date(year, month, monthrange(year, month)[1])
        while not self.is_business_day(day):
            day -= _DAY
        return day

    def skipped(self, start: date, end: date) -> list[SkippedDay]:
        """The days from ``start`` to ``end``, both included, that are no business days, each with its reason."""
        days = (start + timedelta(days=count) for count in range((end - start).days + 1))
        return [SkippedDay(day, why) for day in days if (why := self.why_closed(day)) is not None]

    def _rules_on(self, day: date) -> list[DayRule]:
        year = self._years.get(day.year)
        if year is None:
            year = {}
            for rule in self.rules:
                if (falls := rule.day_in(day.year)) is not None:
                    year.setdefault(falls, []).append(rule)
            self._years[day.year] = year
        return year.get(day, [])


@dataclass(frozen=True, slots=True)
class YearlySpan:
    """A span that comes back every year and may cross New Year: ``12-20`` to ``01-20``, both included."""

    first: str
    last: str
    name: str

    def __post_init__(self) -> None:
        for end in (self.first, self.last):
            if not _FIXED.fullmatch(end):
                raise CalendarError(f"{end!r} is no month and day; write 12-20")

    def covers(self, day: date) -> bool:
        """Whether the day lies in the span of some year."""
        here = f"{day.month:02d}-{day.day:02d}"
        if self.first <= self.last:
            return self.first <= here <= self.last
        return here >= self.first or here <= self.last


def easter(year: int) -> date:
    """Easter Sunday of a year (Gregorian computation, from 1583)."""
    golden, century = year % 19, year // 100
    skipped_leaps = century - century // 4 - (8 * century + 13) // 25
    moon = (19 * golden + skipped_leaps + 15) % 30
    moon -= moon // 28 * (1 - moon // 28 * (29 // (moon + 1)) * ((21 - golden) // 11))
    weekday = (year + year // 4 + moon + 2 - century + century // 4) % 7
    offset = moon - weekday
    month = 3 + (offset + 40) // 44
    return date(year, month, offset + 28 - 31 * (month // 4))


def _nth_weekday(rule: str, year: int) -> date:
    ordinal, weekday_name, month_text = rule.split("-")
    weekday, month, nth = _WEEKDAYS.index(weekday_name), int(month_text), _ORDINALS[ordinal]
    if nth > 0:
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))
    last = date(year, month, monthrange(year, month)[1])
    return last - timedelta(days=(last.weekday() - weekday) % 7)


def _named(closure: ActDay) -> str:
    return f"{closure.name} ({closure.act})" if closure.act else closure.name


def _rule(place: int, entry: Mapping[str, Any]) -> DayRule:
    _check_keys(f"day {place}", entry, {"rule", "name"}, {"kind", "from_year", "until_year", "act"})
    for key in ("from_year", "until_year"):
        if not isinstance(entry.get(key, 0), int):
            raise CalendarError(f"calendar: day {place} ({entry['rule']}): {key} is a whole number")
    try:
        return DayRule(**entry)
    except CalendarError as error:
        raise CalendarError(f"calendar: day {place}: {error}") from error


def _act_day(kind: str, place: int, entry: Mapping[str, Any]) -> ActDay:
    _check_keys(f"{kind} {place}", entry, {"day", "name"}, {"act"})
    day = entry["day"]
    try:
        when = date.fromisoformat(day) if isinstance(day, str) else day
    except ValueError:
        raise CalendarError(f"calendar: {kind} {place}: {day!r} is no day; write 2024-06-21") from None
    if type(when) is not date:
        raise CalendarError(f"calendar: {kind} {place}: {day!r} is no day; write 2024-06-21")
    return ActDay(when, entry["name"], entry.get("act", ""))


def _check_keys(place: str, entry: Mapping[str, Any], needed: set[str], allowed: set[str]) -> None:
    missing, unknown = needed - entry.keys(), entry.keys() - needed - allowed
    if missing:
        raise CalendarError(f"calendar: {place} lacks {', '.join(sorted(missing))}")
    if unknown:
        raise CalendarError(f"calendar: {place} has the unknown key {', '.join(sorted(unknown))}")
