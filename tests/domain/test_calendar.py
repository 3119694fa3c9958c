"""Holidays, optional days, closures and business days."""

from __future__ import annotations

import pickle
from datetime import date, timedelta

import holidays
import pytest
from dateutil.easter import easter as oracle_easter
from hypothesis import given
from hypothesis import strategies as st

from registry.domain.calendar import ActDay, Calendar, CalendarError, DayRule, YearlySpan, easter

days = st.dates(date(2005, 1, 1), date(2030, 12, 31))
DAY = timedelta(days=1)


# ------------------------------------------------------------------ against the oracles


def test_easter_agrees_with_the_oracle_for_centuries():
    assert [easter(year) for year in range(1583, 4100)] == [oracle_easter(year) for year in range(1583, 4100)]


@pytest.mark.parametrize("year", range(2005, 2031))
def test_national_and_state_holidays_agree_with_the_oracle(lawful, year):
    oracle = set(holidays.country_holidays("BR", subdiv="PE", years=year, categories=("public",)))
    first = date(year, 1, 1)
    ours = {day for day in (first + DAY * n for n in range(366)) if day.year == year and lawful.holiday_name(day)}
    assert ours == {day for day in oracle if day.year == year}


@pytest.mark.parametrize("year", range(2005, 2031))
def test_the_city_adds_its_own_days(lawful, city_hall, year):
    for month, number, name in [
        (6, 24, "São João"),
        (7, 16, "Nossa Senhora do Carmo"),
        (12, 8, "Nossa Senhora da Conceição"),
    ]:
        day = date(year, month, number)
        assert lawful.holiday_name(day) is None
        assert city_hall.holiday_name(day) == name
        assert not city_hall.is_business_day(day)


# ------------------------------------------------------------------ rules and their years


@pytest.mark.parametrize(
    ("day", "name"),
    [
        (date(2023, 11, 20), None),
        (date(2024, 11, 20), "Consciência Negra"),
        (date(2007, 3, 4), None),
        (date(2008, 3, 2), "Data Magna"),
        (date(2017, 3, 5), "Data Magna"),
        (date(2017, 3, 6), None),
        (date(2018, 3, 4), None),
        (date(2018, 3, 6), "Data Magna"),
        (date(2024, 3, 28), None),
        (date(2024, 3, 29), "Sexta-feira Santa"),
        (date(2024, 3, 30), None),
        (date(2025, 3, 4), None),
    ],
)
def test_a_holiday_begins_and_ends_with_its_years(city_hall, day, name):
    assert city_hall.holiday_name(day) == name


@pytest.mark.parametrize(
    ("rule", "year", "day"),
    [
        ("easter", 2025, date(2025, 4, 20)),
        ("easter-48", 2017, date(2017, 2, 27)),
        ("easter+60", 2024, date(2024, 5, 30)),
        ("1st-sunday-03", 2015, date(2015, 3, 1)),
        ("2nd-sunday-05", 2026, date(2026, 5, 10)),
        ("4th-thursday-11", 2026, date(2026, 11, 26)),
        ("last-monday-08", 2026, date(2026, 8, 31)),
        ("last-friday-02", 2024, date(2024, 2, 23)),
        ("02-29", 2024, date(2024, 2, 29)),
        ("02-29", 2025, None),
    ],
)
def test_where_a_rule_falls(rule, year, day):
    assert DayRule(rule, "x").day_in(year) == day


@pytest.mark.parametrize(
    "rule", ["", "13-01", "00-10", "12-32", "02-30", "04-31", "1-5", "easter-", "easterx", "5th-sunday-03",
             "1st-domingo-03", "1st-sunday-13", "12-08 ", "１２-０８"],
)  # fmt: skip
def test_a_rule_that_is_none_stops_the_calendar(rule):
    with pytest.raises(CalendarError):
        DayRule(rule, "x")


# ------------------------------------------------------------------ optional days, closures, openings


def test_an_optional_day_is_open_until_a_setting_closes_it(city_hall):
    tuesday = date(2025, 3, 4)
    assert city_hall.is_business_day(tuesday)
    closed = city_hall.with_optional_closed()
    assert closed.why_closed(tuesday) == "Terça-feira de Carnaval"
    assert closed.holiday_name(tuesday) is None
    assert closed.is_business_day(date(2025, 3, 5))
    only_corpus = city_hall.with_optional_closed(["easter+60"])
    assert only_corpus.is_business_day(tuesday)
    assert not only_corpus.is_business_day(date(2025, 6, 19))


def test_a_yearly_closure_is_closed_and_no_holiday(state_office):
    for day in (date(2024, 2, 12), date(2024, 2, 13), date(2024, 2, 14)):
        assert not state_office.is_business_day(day)
        assert state_office.holiday_name(day) is None
    assert state_office.is_business_day(date(2024, 2, 15))
    assert state_office.is_business_day(date(2024, 2, 9))


def test_a_closure_by_act_closes_its_day_alone(state_office):
    friday = date(2024, 6, 21)
    closed = state_office.with_closures([ActDay(friday, "Corpus Christi transferido", "Decreto 1/2024")])
    assert closed.why_closed(friday) == "Corpus Christi transferido (Decreto 1/2024)"
    assert closed.holiday_name(friday) is None
    assert closed.is_business_day(friday - DAY)
    assert state_office.is_business_day(friday)
    assert state_office.with_closures([friday]).why_closed(friday) == "sem expediente"


def test_an_opening_by_act_opens_a_closed_day_but_no_holiday_or_weekend(state_office):
    ash_wednesday, saturday, holiday = date(2024, 2, 14), date(2024, 2, 17), date(2024, 6, 24)
    opened = state_office.with_openings([ActDay(day, "Mutirão") for day in (ash_wednesday, saturday, holiday)])
    assert opened.is_business_day(ash_wednesday)
    assert not opened.is_business_day(saturday)
    assert not opened.is_business_day(holiday)


def test_why_a_day_is_closed(city_hall):
    assert city_hall.why_closed(date(2026, 11, 28)) == "sábado"
    assert city_hall.why_closed(date(2026, 11, 29)) == "domingo"
    assert city_hall.why_closed(date(2026, 12, 8)) == "Nossa Senhora da Conceição"
    assert city_hall.why_closed(date(2026, 11, 30)) is None


# ------------------------------------------------------------------ business days


def test_the_next_business_day(city_hall):
    friday, saturday = date(2025, 5, 30), date(2025, 5, 31)
    assert city_hall.roll(friday) == friday
    assert city_hall.roll(saturday) == city_hall.next_business_day(saturday) == date(2025, 6, 2)
    assert city_hall.next_business_day(friday) == date(2025, 6, 2)
    assert city_hall.next_business_day(date(2025, 4, 17)) == date(2025, 4, 22)


@pytest.mark.parametrize(
    ("year", "month", "day"),
    [(2025, 4, 30), (2025, 5, 30), (2024, 3, 28), (2025, 6, 30), (2017, 2, 28), (2025, 3, 31), (2025, 12, 31)],
)
def test_the_last_business_day_of_a_month(city_hall, year, month, day):
    assert city_hall.last_business_day(year, month) == date(year, month, day)


def test_the_last_business_day_before_a_closed_carnival(city_hall):
    assert city_hall.with_optional_closed().last_business_day(2017, 2) == date(2017, 2, 24)


def test_the_skipped_days_carry_their_reasons(city_hall):
    skipped = city_hall.skipped(date(2025, 4, 17), date(2025, 4, 22))
    assert [(entry.day.day, entry.why) for entry in skipped] == [
        (18, "Sexta-feira Santa"),
        (19, "sábado"),
        (20, "domingo"),
        (21, "Tiradentes"),
    ]
    assert city_hall.skipped(date(2025, 4, 22), date(2025, 4, 21)) == []


@given(days)
def test_a_rolled_day_is_the_first_business_day(city_hall, day):
    rolled = city_hall.roll(day)
    assert city_hall.is_business_day(rolled)
    assert len(city_hall.skipped(day, rolled)) == (rolled - day).days
    assert city_hall.next_business_day(day) > day


# ------------------------------------------------------------------ data


def test_a_calendar_is_a_value():
    data = {"day": [{"rule": "12-08", "name": "Conceição"}], "closure": [{"day": "2024-06-21", "name": "x"}]}
    one, other = Calendar.from_data(data), Calendar.from_data(data)
    assert one.holiday_name(date(2026, 12, 8)) == "Conceição"
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == other
    assert one != other.with_closures([date(2024, 1, 2)])


def test_optional_days_closed_by_data():
    day = [
        {"rule": "easter-47", "name": "Carnaval", "kind": "optional"},
        {"rule": "10-28", "name": "Servidor", "kind": "optional"},
    ]
    assert not Calendar.from_data({"day": day, "optional_closed": True}).is_business_day(date(2026, 10, 28))
    only = Calendar.from_data({"day": day, "optional_closed": ["easter-47"]})
    assert only.is_business_day(date(2026, 10, 28))
    assert not only.is_business_day(date(2026, 2, 17))


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ({"days": []}, "days"),
        ({"day": [{"rule": "12-08"}]}, "name"),
        ({"day": [{"rule": "12-08", "name": "x"}, {"rule": "12-32", "name": "y"}]}, "day 2"),
        ({"day": [{"rule": "12-08", "name": "x", "since": 2024}]}, "since"),
        ({"day": [{"rule": "12-08", "name": "x", "from_year": "2024"}]}, "from_year"),
        ({"day": [{"rule": "12-08", "name": "x", "kind": "feriado"}]}, "feriado"),
        ({"closure": [{"day": "21/06/2024", "name": "x"}]}, "21/06/2024"),
        ({"closure": [{"day": 20240621, "name": "x"}]}, "20240621"),
        ({"opening": [{"name": "x"}]}, "opening 1"),
        ({"optional_closed": ["easter-47"]}, "easter-47"),
    ],
)
def test_wrong_data_is_named(data, names):
    with pytest.raises(CalendarError, match=names):
        Calendar.from_data(data)


# ------------------------------------------------------------------ spans of the year


@pytest.mark.parametrize(
    ("day", "covered"),
    [
        (date(2024, 12, 19), False),
        (date(2024, 12, 20), True),
        (date(2025, 1, 1), True),
        (date(2025, 1, 20), True),
        (date(2025, 1, 21), False),
    ],
)
def test_a_span_that_crosses_new_year(day, covered):
    assert YearlySpan("12-20", "01-20", "recesso").covers(day) is covered


def test_a_span_within_one_year():
    july = YearlySpan("07-02", "07-31", "férias")
    assert [july.covers(date(2025, 7, n)) for n in (1, 2, 31)] == [False, True, True]
    assert not july.covers(date(2025, 8, 1))
    with pytest.raises(CalendarError):
        YearlySpan("2/7", "07-31", "férias")
