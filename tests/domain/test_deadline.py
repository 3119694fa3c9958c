"""Terms: what the first and the last day are under each reading, and how the arithmetic is told."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from dateutil.relativedelta import relativedelta
from hypothesis import given
from hypothesis import strategies as st

from registry.domain.calendar import ActDay, YearlySpan
from registry.domain.deadline import (
    add_hours,
    add_months,
    add_years,
    business_days_between,
    count_business_days,
    count_calendar_days,
    describe_moment,
    filed_in_time,
    last_day_of_days,
    last_day_of_months,
    roll_moment,
)

OFFICE = "first_counted_day_is_business_day"
RECEIPT = "receipt_day_is_business_day"
RULES = [OFFICE, RECEIPT, "plain"]
RECESS = (YearlySpan("12-20", "01-20", "recesso"),)
DAY = timedelta(days=1)

days = st.dates(date(2018, 1, 1), date(2030, 6, 30))
lengths = st.integers(1, 90)
rules = st.sampled_from(RULES)


def d(text: str) -> date:
    return date.fromisoformat(text)


# ------------------------------------------------------------------ months and years


@pytest.mark.parametrize(
    ("day", "n", "expected"),
    [
        ("2024-03-10", 1, "2024-04-10"),
        ("2024-01-31", 1, "2024-03-01"),
        ("2025-01-31", 1, "2025-03-01"),
        ("2024-01-30", 1, "2024-03-01"),
        ("2024-01-29", 1, "2024-02-29"),
        ("2025-01-29", 1, "2025-03-01"),
        ("2024-05-31", 1, "2024-07-01"),
        ("2025-03-31", 6, "2025-10-01"),
        ("2024-12-31", 2, "2025-03-01"),
        ("2024-12-10", 1, "2025-01-10"),
        ("2024-11-30", 3, "2025-03-01"),
        ("2024-01-15", 24, "2026-01-15"),
        ("2024-01-15", 0, "2024-01-15"),
        ("2024-01-15", -1, "2023-12-15"),
        ("2024-03-31", -1, "2024-03-01"),
    ],
)
def test_months_end_on_the_same_number_or_the_first_following_day(day, n, expected):
    assert add_months(d(day), n) == d(expected)


@pytest.mark.parametrize(
    ("day", "n", "expected"),
    [
        ("2024-02-29", 1, "2025-03-01"),
        ("2024-02-29", 4, "2028-02-29"),
        ("2008-05-20", 18, "2026-05-20"),
        ("2025-02-28", 1, "2026-02-28"),
    ],
)
def test_years(day, n, expected):
    assert add_years(d(day), n) == d(expected)


@given(days, st.integers(0, 240))
def test_months_agree_with_an_oracle_that_clamps_where_the_day_exists(day, n):
    clamped = day + relativedelta(months=n)
    assert add_months(day, n) == (clamped if clamped.day == day.day else clamped + DAY)


@given(days, days, st.integers(0, 60))
def test_a_later_start_never_ends_earlier(one, other, n):
    first, second = sorted([one, other])
    assert add_months(first, n) <= add_months(second, n)


def test_a_span_whose_first_day_counts():
    assert last_day_of_days(d("2024-05-02"), 90) == d("2024-07-30")
    assert last_day_of_days(d("2024-05-02"), 1) == d("2024-05-02")
    assert last_day_of_months(d("2025-01-10"), 6) == d("2025-07-09")
    assert last_day_of_months(d("2025-03-31"), 6) == d("2025-09-30")


# ------------------------------------------------------------------ business days (arts. 236, 241, 242, 250)


@pytest.mark.parametrize(
    ("start", "n", "due"),
    [
        ("2024-05-06", 8, "2024-05-16"),
        ("2024-02-09", 8, "2024-02-26"),
        ("2025-02-27", 8, "2025-03-17"),
        ("2023-11-13", 8, "2023-11-24"),
        ("2024-06-21", 8, "2024-07-04"),
        ("2024-08-02", 8, "2024-08-14"),
        ("2024-06-03", 8, "2024-06-13"),
        ("2024-03-07", 8, "2024-03-19"),
        ("2024-11-13", 5, "2024-11-22"),
        ("2024-05-13", 15, "2024-06-03"),
        ("2025-06-02", 30, "2025-07-15"),
        ("2025-04-17", 3, "2025-04-24"),
    ],
)
def test_business_days(state_office, start, n, due):
    assert count_business_days(d(start), n, state_office).due == d(due)


def test_a_closure_by_act_lengthens_a_term(state_office):
    moved = state_office.with_closures([ActDay(d("2024-06-21"), "Corpus Christi transferido", "Decreto 1/2024")])
    term = count_business_days(d("2024-06-13"), 8, moved)
    assert term.due == d("2024-06-27")
    assert [entry.why for entry in term.skipped if entry.day.weekday() < 5] == [
        "Corpus Christi transferido (Decreto 1/2024)",
        "São João",
    ]
    assert count_business_days(d("2024-06-13"), 8, state_office).due == d("2024-06-26")


@pytest.mark.parametrize(("rule", "due"), [(OFFICE, "2024-05-14"), (RECEIPT, "2024-05-14"), ("plain", "2024-05-13")])
def test_a_receipt_on_a_saturday_in_business_days(state_office, rule, due):
    assert count_business_days(d("2024-05-11"), 1, state_office, first_day_rule=rule).due == d(due)


@given(days, lengths, rules)
def test_a_business_term_holds_exactly_its_days(state_office, start, n, rule):
    term = count_business_days(start, n, state_office, first_day_rule=rule)
    inside = [term.first_counted + DAY * k for k in range((term.due - term.first_counted).days + 1)]
    assert sum(state_office.is_business_day(day) for day in inside) == n
    assert start < term.first_counted <= term.due
    assert state_office.is_business_day(term.due)
    assert not any(state_office.is_business_day(entry.day) for entry in term.skipped)


# ------------------------------------------------------------------ calendar days (arts. 240, 242, 236; 253)


@pytest.mark.parametrize(
    ("start", "n", "rule", "due"),
    [
        ("2024-05-06", 10, OFFICE, "2024-05-16"),
        ("2024-05-10", 10, OFFICE, "2024-05-22"),
        ("2024-05-10", 10, "plain", "2024-05-20"),
        ("2024-05-10", 10, RECEIPT, "2024-05-20"),
        ("2024-05-11", 10, OFFICE, "2024-05-23"),
        ("2024-05-11", 10, RECEIPT, "2024-05-23"),
        ("2024-05-11", 10, "plain", "2024-05-21"),
        ("2024-05-12", 10, OFFICE, "2024-05-23"),
        ("2025-07-04", 10, OFFICE, "2025-07-17"),
        ("2024-12-05", 10, OFFICE, "2024-12-16"),
        ("2025-04-24", 30, OFFICE, "2025-05-26"),
        ("2024-05-16", 30, "plain", "2024-06-17"),
        ("2024-08-14", 30, "plain", "2024-09-13"),
        ("2024-07-04", 30, "plain", "2024-08-05"),
        ("2024-03-19", 30, "plain", "2024-04-18"),
        ("2024-06-13", 30, "plain", "2024-07-15"),
    ],
)
def test_calendar_days_whose_end_rolls(state_office, start, n, rule, due):
    assert count_calendar_days(d(start), n, state_office, first_day_rule=rule).due == d(due)


@pytest.mark.parametrize(
    ("start", "due"),
    [
        ("2025-04-10", "2025-04-22"),
        ("2025-11-28", "2025-12-09"),
        ("2025-06-05", "2025-06-16"),
        ("2025-03-27", "2025-04-07"),
        ("2025-05-12", "2025-05-22"),
    ],
)
def test_ten_days_of_the_city(city_hall, start, due):
    assert count_calendar_days(d(start), 10, city_hall).due == d(due)


def test_optional_days_move_an_end_only_when_closed(city_hall):
    assert count_calendar_days(d("2025-01-31"), 30, city_hall).due == d("2025-03-03")
    assert count_calendar_days(d("2025-01-31"), 30, city_hall.with_optional_closed()).due == d("2025-03-05")


def test_a_term_that_does_not_roll_ends_on_its_day(state_office):
    assert count_calendar_days(d("2024-05-16"), 30, state_office, roll_end=False).due == d("2024-06-15")


@given(days, lengths)
def test_a_plain_term_that_does_not_roll_is_plain_addition(state_office, start, n):
    term = count_calendar_days(start, n, state_office, roll_end=False)
    assert term.due == start + DAY * n
    assert (term.counted, term.skipped) == (n, ())


@given(days, lengths, rules)
def test_the_readings_never_favour_less_than_the_plain_count(state_office, start, n, rule):
    term = count_calendar_days(start, n, state_office, first_day_rule=rule)
    assert term.due >= count_calendar_days(start, n, state_office).due
    assert state_office.is_business_day(term.due)
    if rule == OFFICE:
        assert state_office.is_business_day(term.first_counted)
    if rule != "plain":
        assert term.first_counted > state_office.roll(start)


@given(days, lengths, rules, st.sampled_from([count_calendar_days, count_business_days]))
def test_a_longer_term_never_ends_earlier(state_office, start, n, rule, count):
    term, longer = (count(start, length, state_office, first_day_rule=rule) for length in (n, n + 1))
    assert term.due <= longer.due
    assert term.first_counted == longer.first_counted


# ------------------------------------------------------------------ terms that stand still


def test_a_term_stands_still_in_the_recess(state_office):
    term = count_business_days(d("2024-12-16"), 10, state_office, suspended=RECESS)
    assert term.due == d("2025-01-29")
    assert count_business_days(d("2024-05-10"), 10, state_office, suspended=RECESS).due == d("2024-05-24")
    assert "20/12 a 20/01 (recesso)" in " ".join(term.steps)


def test_a_receipt_within_the_recess_counts_from_its_end(state_office):
    inside = count_business_days(d("2024-12-23"), 1, state_office, suspended=RECESS)
    assert inside.due == inside.first_counted == d("2025-01-21")


def test_calendar_days_stand_still_in_the_recess(state_office):
    term = count_calendar_days(d("2024-12-17"), 5, state_office, suspended=RECESS)
    assert term.due == d("2025-01-23")
    assert len(term.skipped) == 32


@given(days, lengths, rules)
def test_no_counted_or_last_day_lies_in_the_recess(state_office, start, n, rule):
    for count in (count_business_days, count_calendar_days):
        term = count(start, n, state_office, first_day_rule=rule, suspended=RECESS)
        assert not RECESS[0].covers(term.first_counted)
        assert not RECESS[0].covers(term.due)


# ------------------------------------------------------------------ told in words


def test_the_arithmetic_of_a_friday_receipt(state_office):
    term = count_calendar_days(d("2025-07-04"), 10, state_office, first_day_rule=OFFICE)
    assert term.first_counted == d("2025-07-07")
    assert term.steps == (
        "Início em 04/07/2025 (sexta-feira). O dia do início não conta.",
        "Primeiro dia contado: 07/07/2025 (segunda-feira), porque não contam 05/07 (sábado), 06/07 (domingo).",
        "10 dias corridos: o último é 16/07/2025 (quarta-feira).",
        "Sem expediente: 16/07 (Nossa Senhora do Carmo). O prazo vence em 17/07/2025 (quinta-feira).",
    )
    assert [(entry.day.day, entry.why) for entry in term.skipped] == [
        (5, "sábado"),
        (6, "domingo"),
        (16, "Nossa Senhora do Carmo"),
    ]


def test_the_arithmetic_of_business_days(state_office):
    term = count_business_days(d("2024-11-13"), 5, state_office)
    assert term.steps == (
        "Início em 13/11/2024 (quarta-feira). O dia do início não conta.",
        "Primeiro dia contado: 14/11/2024 (quinta-feira).",
        "5 dias úteis: o último é 22/11/2024 (sexta-feira), sem contar 15/11 (Proclamação da República), "
        "16/11 (sábado), 17/11 (domingo), 20/11 (Consciência Negra).",
        "O prazo vence em 22/11/2024 (sexta-feira).",
    )


def test_the_arithmetic_of_a_receipt_on_a_closed_day(state_office):
    term = count_business_days(d("2024-05-11"), 1, state_office)
    assert term.steps[0] == (
        "Início em 11/05/2024 (sábado), sem expediente: vale como 13/05/2024 (segunda-feira), que não conta."
    )
    assert term.steps[2] == "1 dia útil: o último é 14/05/2024 (terça-feira)."


# ------------------------------------------------------------------ hours and filings


def test_hours_run_minute_by_minute():
    at = datetime(2024, 5, 7, 15, 30)  # noqa: DTZ001
    assert add_hours(at, 48) == datetime(2024, 5, 9, 15, 30)  # noqa: DTZ001


def test_hours_run_through_a_change_of_summer_time():
    recife = ZoneInfo("America/Recife")
    before = datetime(2001, 10, 13, 12, 0, tzinfo=recife)
    after = add_hours(before, 24)
    assert after.replace(tzinfo=None) == datetime(2001, 10, 14, 13, 0)  # noqa: DTZ001
    assert after.astimezone(UTC) - before.astimezone(UTC) == timedelta(hours=24)


def test_a_limit_on_a_closed_day_moves_to_closing_time(state_office):
    recife = ZoneInfo("America/Recife")
    sunday = datetime(2024, 5, 12, 9, 10, tzinfo=recife)
    assert roll_moment(sunday, state_office, time(18)) == datetime(2024, 5, 13, 18, 0, tzinfo=recife)
    evening = datetime(2024, 5, 13, 20, 0, tzinfo=recife)
    assert roll_moment(evening, state_office, time(18)) == evening


@pytest.mark.parametrize(
    ("filed", "closing", "timely"),
    [
        ("2024-05-15T23:59", time(18), True),
        ("2024-05-16T18:00", time(18), True),
        ("2024-05-16T18:00:01", time(18), False),
        ("2024-05-16T18:01", time(18), False),
        ("2024-05-16T18:01", None, True),
        ("2024-05-16T23:59:59", None, True),
        ("2024-05-17T00:00", None, False),
        ("2024-05-17T08:00", time(18), False),
    ],
)
def test_a_filing_counts_until_closing_time_of_the_due_day(filed, closing, timely):
    assert filed_in_time(datetime.fromisoformat(filed), d("2024-05-16"), closing) is timely


def test_business_days_that_are_left(state_office):
    assert business_days_between(d("2024-05-09"), d("2024-05-16"), state_office) == 5
    assert business_days_between(d("2024-05-16"), d("2024-05-16"), state_office) == 0
    assert business_days_between(d("2024-05-17"), d("2024-05-16"), state_office) == 0


def test_a_moment_for_a_sentence():
    assert describe_moment(datetime(2026, 11, 30, 10, 42, tzinfo=UTC)) == "30/11/2026, 10h42"


@pytest.mark.parametrize("count", [count_calendar_days, count_business_days])
def test_a_term_that_is_none_is_refused(state_office, count):
    with pytest.raises(ValueError, match="at least one"):
        count(d("2024-05-06"), 0, state_office)
    with pytest.raises(ValueError, match="plain"):
        count(d("2024-05-06"), 1, state_office, first_day_rule="simple")
    with pytest.raises(ValueError, match="at least one"):
        last_day_of_days(d("2024-05-06"), 0)
