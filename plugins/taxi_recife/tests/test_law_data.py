from __future__ import annotations

import tomllib
from datetime import date, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import holidays
import pytest
import yaml

from registry.api.law import Dossier, Law, build_lawbook
from registry.testing.law import law_host
from registry_taxi_recife.plugin import registry_questions, taxi_bandeiras_table, taxi_rendicao_groups
from registry_taxi_recife.regime import TAXI_RECIFE
from registry_taxi_recife.rules.vehicle_age import VehicleAgeGiven, vehicle_age

LAW = files("registry_taxi_recife") / "law"
ZONE = ZoneInfo("America/Recife")


def changed_law(old: str, new: str, **indexes: Any) -> Law:
    """The law with one passage of its data changed."""
    texts = {entry.name: entry.read_text(encoding="utf-8") for entry in LAW.iterdir() if entry.name.endswith(".toml")}
    assert sum(text.count(old) for text in texts.values()) == 1, "the passage to change stands once"
    book = build_lawbook(
        "taxi_recife", "0", {name: tomllib.loads(text.replace(old, new)) for name, text in texts.items()}
    )
    return Law(book, book.calendar, ZONE, indexes)


OLD_LIMIT = """label = "Idade limite do carro (menos de)"
values = [{ from = 1978-10-09, value = 5 }]"""
NEW_LIMIT = """label = "Idade limite do carro (menos de)"
values = [{ from = 1978-10-09, value = 5 }, { from = 2026-12-01, value = 7, act = "Lei 1/2026" }]"""


@pytest.mark.parametrize(("on", "outcome"), [(date(2026, 11, 30), "deny"), (date(2026, 12, 1), "allow")])
def test_a_new_value_in_the_data_changes_verdict_form_and_public_answer_from_its_day(
    taxi: Any, on: date, outcome: str
) -> None:
    law = changed_law(OLD_LIMIT, NEW_LIMIT)
    verdict = vehicle_age(VehicleAgeGiven(2020, on, None, False, False), law)
    assert verdict.outcome == outcome
    dossier: Dossier = taxi(on)
    assert dossier.vehicle is not None
    old = Dossier(**{**vars(dossier), "vehicle": type(dossier.vehicle)(**{**vars(dossier.vehicle), "year_made": 2020})})
    rule = TAXI_RECIFE.status[0].rule
    assert rule.question(rule.given(old), law).outcome == outcome


def test_the_act_that_changed_a_value_is_among_the_grounds() -> None:
    law = changed_law(OLD_LIMIT, NEW_LIMIT)
    verdict = vehicle_age(VehicleAgeGiven(2020, date(2026, 12, 1), None, False, False), law)
    assert [value.act for ground in verdict.grounds for value in ground.values] == ["Lei 1/2026"]


def test_the_mechanisms_get_their_tables_from_the_decree(law: Law) -> None:
    table = taxi_bandeiras_table("taxi_recife", date(2026, 11, 30), law)
    assert table is not None
    assert table.holiday(date(2026, 12, 8)) == "Nossa Senhora da Conceição"
    groups = taxi_rendicao_groups("taxi_recife", date(2026, 11, 30), law)
    assert groups is not None
    assert sorted(digit for group in groups for digit in group.digits) == list(range(10))
    assert taxi_bandeiras_table("another", date(2026, 11, 30), law) is None
    assert taxi_rendicao_groups("another", date(2026, 11, 30), law) is None


def test_every_minute_of_the_week_has_one_band(law: Law) -> None:
    table = taxi_bandeiras_table("taxi_recife", date(2026, 11, 30), law)
    assert table is not None
    for service in ("comum", "especial"):
        for hour in range(24):
            clock = datetime(2026, 11, 30, hour, 59, tzinfo=ZONE).time()
            assert sum(window.service == service and window.covers(clock) for window in table.windows) == 1


def test_the_calendar_agrees_with_the_oracle_but_for_the_days_of_the_city(law: Law) -> None:
    city = {(6, 24), (7, 16), (12, 8)}
    for year in range(1981, 2031):
        oracle = holidays.country_holidays("BR", subdiv="PE", years=year)
        ours = {day for day in _days(year) if law.calendar.holiday_name(day)}
        ours -= {date(year, month, day) for month, day in city}
        assert ours == set(oracle), year


def _days(year: int) -> list[date]:
    first = date(year, 1, 1).toordinal()
    return [date.fromordinal(first + count) for count in range(365 + (year % 4 == 0))]


def test_every_question_named_by_a_provision_is_answered_and_cites_what_exists(law: Law) -> None:
    names = {question.name for question in registry_questions()}
    for provision in law.book.provisions.values():
        assert not provision.question or provision.question in names, provision.id
    for question in registry_questions():
        assert set(question.cites) <= law.book.provisions.keys(), question.name


def test_every_unit_of_the_handed_register_stands_in_ours(law: Law) -> None:
    register = Path(__file__).parents[4] / "shared" / "law" / "taxi" / "provisions.yaml"
    if not register.is_file():
        pytest.skip("the register of provisions is not beside this checkout")
    units = yaml.load(register.read_text(encoding="utf-8"), yaml.CSafeLoader)["provisions"]
    assert [unit["id"] for unit in units] == list(law.book.provisions)


def test_through_the_host_one_plugin_answers_each_mechanism(law: Law) -> None:
    host = law_host("taxi_bandeiras", "taxi_rendicao", "taxi_recife", zone="America/Recife")
    asked = {"regime": "taxi_recife", "on": date(2026, 11, 30), "law": law}
    assert host.ask_one("taxi_bandeiras_table", **asked).whole_day_band == 2
    assert len(host.ask_one("taxi_rendicao_groups", **asked)) == 3
    assert host.ask_one("taxi_bandeiras_table", **{**asked, "regime": "another"}) is None
