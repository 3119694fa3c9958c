"""Terms: months and years, calendar days and business days, hours, each with its arithmetic.

How long a term is and how it is counted is the law's and comes from the caller; how counting works is here, once.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from registry.domain.calendar import Calendar, SkippedDay, YearlySpan
from registry.domain.text import format_date, format_hour

FirstDayRule = Literal["first_counted_day_is_business_day", "receipt_day_is_business_day", "plain"]

_DAY = timedelta(days=1)
_RULES = ("first_counted_day_is_business_day", "receipt_day_is_business_day", "plain")
_WEEKDAYS = ("segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo")


@dataclass(frozen=True, slots=True)
class Deadline:
    """A term and how it was counted.

    ``start`` is the day as given (receipt, decision, filing), ``first_counted`` day number one, ``due`` the last day on
    which the act is in time, ``counted`` the length in days. ``skipped`` are the days after ``start`` that were not
    counted or on which the term could not begin or end, with reasons; ``steps`` tell it in pt-BR sentences.
    """

    start: date
    first_counted: date
    due: date
    counted: int
    skipped: tuple[SkippedDay, ...]
    steps: tuple[str, ...]


def add_months(day: date, n: int) -> date:
    """The day ``n`` months on (back where negative): same day number, or the first following day where there is none.

    31 January + 1 month = 1 March (Código Civil, art. 132, § 3º). Never rolled to a business day.
    """
    year, month = divmod(day.year * 12 + day.month - 1 + n, 12)
    if day.day <= monthrange(year, month + 1)[1]:
        return date(year, month + 1, day.day)
    return date(year, month + 1, monthrange(year, month + 1)[1]) + _DAY


def add_years(day: date, n: int) -> date:
    """The day ``n`` years on; 29 February of a common year is 1 March (Código Civil, art. 132, § 3º)."""
    return add_months(day, 12 * n)


def last_day_of_days(start: date, n: int) -> date:
    """The last of ``n`` consecutive days of which ``start`` is the first (a suspension). Never rolled."""
    _check_length(n)
    return start + timedelta(days=n - 1)


def last_day_of_months(start: date, n: int) -> date:
    """The last day of ``n`` months of which ``start`` is the first day: 10 January + 6 -> 9 July. Never rolled."""
    _check_length(n)
    return add_months(start, n) - _DAY


def count_calendar_days(
    start: date,
    n: int,
    calendar: Calendar,
    *,
    first_day_rule: FirstDayRule = "plain",
    roll_end: bool = True,
    suspended: Sequence[YearlySpan] = (),
) -> Deadline:
    """A term of ``n`` calendar days from ``start``: the first day is left out, the last counts.

    ``first_day_rule`` says what must be a business day at the beginning: the receipt and day number one
    (``first_counted_day_is_business_day``), the receipt alone (``receipt_day_is_business_day``: one on a closed day
    counts as made on the next business day), or nothing (``plain``). ``roll_end`` moves a last day on a closed day to
    the next business day. On days within ``suspended`` the term stands still: they neither count nor end it.

    Raises ValueError for fewer than one day or an unknown rule.
    """
    _check(n, first_day_rule)
    received = start if first_day_rule == "plain" else calendar.roll(start)
    first = _past_suspension(received + _DAY, suspended)
    if first_day_rule == "first_counted_day_is_business_day":
        first = _first_open(first, calendar, suspended)
    last = first
    for _ in range(n - 1):
        last = _past_suspension(last + _DAY, suspended)
    due = _first_open(last, calendar, suspended) if roll_end else last
    skipped = [
        *calendar.skipped(start, received - _DAY),
        *_left_out(received + _DAY, first - _DAY, calendar, suspended),
        *(SkippedDay(day, name) for day in _days(first, last) if (name := _suspension(day, suspended))),
        *_left_out(last, due - _DAY, calendar, suspended),
    ]
    counting = f"{_count(n, 'dia corrido', 'dias corridos')}: o último é {_day(last)}."
    steps = [*_opening_steps(start, received, first, skipped), counting, *_closing_steps(last, due, skipped)]
    return Deadline(start, first, due, n, _unique(skipped), tuple(steps))


def count_business_days(
    start: date,
    n: int,
    calendar: Calendar,
    *,
    first_day_rule: FirstDayRule = "first_counted_day_is_business_day",
    suspended: Sequence[YearlySpan] = (),
) -> Deadline:
    """A term of ``n`` business days from ``start``: the first day is left out, the last counts.

    Day number one is the first business day after the receipt. Unless the rule is ``plain``, a receipt on a closed day
    counts as made on the next business day, so that counting begins on the one after. Days within ``suspended`` do not
    count.

    Raises ValueError for fewer than one day or an unknown rule.
    """
    _check(n, first_day_rule)
    received = start if first_day_rule == "plain" else calendar.roll(start)
    first = _first_open(received + _DAY, calendar, suspended)
    due = first
    for _ in range(n - 1):
        due = _first_open(due + _DAY, calendar, suspended)
    skipped = [
        *calendar.skipped(start, received - _DAY),
        *_left_out(received + _DAY, due, calendar, suspended),
    ]
    counting = f"{_count(n, 'dia útil', 'dias úteis')}: o último é {_day(due)}."
    between = [entry for entry in skipped if entry.day > first]
    if between:
        counting = f"{counting[:-1]}, sem contar {_list(between)}."
    steps = [*_opening_steps(start, received, first, skipped), counting, f"O prazo vence em {_day(due)}."]
    return Deadline(start, first, due, n, _unique(skipped), tuple(steps))


def add_hours(at: datetime, hours: int) -> datetime:
    """The moment ``hours`` later, minute by minute, never rolled; across a change of summer time too.

    A moment with a zone comes back in that zone; one without is plain civil time.
    """
    if at.tzinfo is None:
        return at + timedelta(hours=hours)
    return (at.astimezone(UTC) + timedelta(hours=hours)).astimezone(at.tzinfo)


def roll_moment(at: datetime, calendar: Calendar, closing: time) -> datetime:
    """A limit on a closed day moves to ``closing`` time of the next business day; any other limit stays."""
    day = at.date()
    if calendar.is_business_day(day):
        return at
    return datetime.combine(calendar.next_business_day(day), closing, tzinfo=at.tzinfo)


def filed_in_time(filed_at: datetime, due: date, closing: time | None) -> bool:
    """Whether a filing on local ``filed_at`` is in time for ``due``: until ``closing`` of that day, itself included.

    ``closing`` None (electronic filing) means until midnight.
    """
    if filed_at.date() != due:
        return filed_at.date() < due
    return closing is None or filed_at.time() <= closing


def business_days_between(after: date, until: date, calendar: Calendar) -> int:
    """How many business days lie after ``after`` up to ``until``, itself included; 0 where ``until`` is not later."""
    return sum(calendar.is_business_day(day) for day in _days(after + _DAY, until))


def describe_moment(at: datetime) -> str:
    """A local moment for a sentence: ``30/11/2026, 10h42``."""
    return f"{format_date(at.date())}, {format_hour(at)}"


def _check(n: int, rule: str) -> None:
    _check_length(n)
    if rule not in _RULES:
        raise ValueError(f"unknown first-day rule {rule!r}; use one of {', '.join(_RULES)}")


def _check_length(n: int) -> None:
    if n < 1:
        raise ValueError(f"a term has at least one day or month, not {n}")


def _days(first: date, last: date) -> Iterable[date]:
    return (first + timedelta(days=count) for count in range((last - first).days + 1))


def _suspension(day: date, suspended: Sequence[YearlySpan]) -> str | None:
    return next((span.name for span in suspended if span.covers(day)), None)


def _past_suspension(day: date, suspended: Sequence[YearlySpan]) -> date:
    while _suspension(day, suspended) is not None:
        day += _DAY
    return day


def _first_open(day: date, calendar: Calendar, suspended: Sequence[YearlySpan]) -> date:
    while _suspension(day, suspended) is not None or not calendar.is_business_day(day):
        day += _DAY
    return day


def _left_out(first: date, last: date, calendar: Calendar, suspended: Sequence[YearlySpan]) -> list[SkippedDay]:
    found = ((day, _suspension(day, suspended) or calendar.why_closed(day)) for day in _days(first, last))
    return [SkippedDay(day, why) for day, why in found if why is not None]


def _unique(skipped: Iterable[SkippedDay]) -> tuple[SkippedDay, ...]:
    by_day = {entry.day: entry for entry in skipped}
    return tuple(by_day[day] for day in sorted(by_day))


def _opening_steps(start: date, received: date, first: date, skipped: Sequence[SkippedDay]) -> list[str]:
    opening = f"Início em {_day(start)}. O dia do início não conta."
    if received != start:
        opening = f"Início em {_day(start)}, sem expediente: vale como {_day(received)}, que não conta."
    late = [entry for entry in skipped if received < entry.day < first]
    because = f", porque não contam {_list(late)}" if late else ""
    return [opening, f"Primeiro dia contado: {_day(first)}{because}."]


def _closing_steps(last: date, due: date, skipped: Sequence[SkippedDay]) -> list[str]:
    if last == due:
        return [f"O prazo vence em {_day(due)}."]
    closed = [entry for entry in skipped if last <= entry.day < due]
    return [f"Sem expediente: {_list(closed)}. O prazo vence em {_day(due)}."]


def _list(skipped: Sequence[SkippedDay]) -> str:
    """``11/05 (sábado), 12/05 (domingo)``; a run of days for one reason is ``20/12 a 20/01 (recesso)``."""
    runs: list[list[SkippedDay]] = []
    for entry in skipped:
        if runs and runs[-1][-1].why == entry.why and entry.day - runs[-1][-1].day == _DAY:
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return ", ".join(f"{_span(run)} ({run[0].why})" for run in runs)


def _span(run: Sequence[SkippedDay]) -> str:
    first, last = (format_date(entry.day)[:5] for entry in (run[0], run[-1]))
    return first if len(run) == 1 else f"{first} a {last}"


def _day(day: date) -> str:
    return f"{format_date(day)} ({_WEEKDAYS[day.weekday()]})"


def _count(n: int, one: str, many: str) -> str:
    return f"1 {one}" if n == 1 else f"{n} {many}"
