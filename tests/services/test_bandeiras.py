"""Periods in which an act sets the fare band: entered and taken back, and every answer of the city's law follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from registry import resources
from registry.plugins import PluginHost
from registry.services import acts
from registry.services.act_pages import act_page
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.settings import load_settings
from registry.store.access import Authority
from registry.store.engine import Store
from registry.store.migrate import Migrations, of_plugins
from registry_taxi_bandeiras import periods
from registry_taxi_bandeiras.periods import PeriodInput
from tests import factories
from tests.factories import ZONE, Clerk

CITY = "taxi_recife"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


START, END = at("2026-12-24T18:00"), at("2026-12-26T06:00")
GIVEN = PeriodInput(CITY, START, END, 2, "Portaria 112/2026")


@pytest.fixture(scope="module")
def host() -> PluginHost:
    return PluginHost.load(load_settings(resources.config(), {"REGISTRY_CONFIG": "demo.toml"}))


@pytest.fixture
def store_plugins(host: PluginHost) -> tuple[Migrations, ...]:
    return of_plugins(host)


@pytest.fixture
def desk(store: Store, host: PluginHost, tmp_path: Path) -> Desk:
    with store.writing() as session:
        for each in host.settings.authorities.values():
            session.merge(Authority(code=each.code, name=each.name, zone=each.zone.key))
    return Desk(store, host, host.settings, tmp_path / "files")


@pytest.fixture
def jonas(desk: Desk) -> Clerk:
    return factories.clerk(desk.store, authority="recife")


@pytest.fixture
def band(desk: Desk) -> Callable[..., Any]:
    """What the city's question answers at a local moment."""

    def ask(moment: str, service: str = "comum") -> Any:
        question = desk.host.question(CITY, "bandeira")
        with desk.store.reading() as session:
            law = desk.law(session, "recife", CITY)
        return question(question.given_type(at=at(moment), service=service), law).answer

    return ask


@pytest.mark.parametrize(
    ("moment", "number", "basis"),
    [
        ("2026-12-24T17:59", 1, "art-4-a-1"),
        ("2026-12-24T18:00", 2, "override"),
        ("2026-12-26T05:59", 2, "override"),
        ("2026-12-26T06:00", 1, "art-4-a-1"),
    ],
)
def test_the_band_of_an_act_holds_from_its_start_to_its_end(
    desk: Desk, jonas: Clerk, band: Any, moment: str, number: int, basis: str
) -> None:
    periods.enter_period(jonas.occasion(), desk, GIVEN)
    answer = band(moment)
    assert (answer.bandeira, answer.basis) == (number, basis)


def test_a_period_of_one_service_leaves_the_other(desk: Desk, jonas: Clerk, band: Any) -> None:
    periods.enter_period(jonas.occasion(), desk, replace(GIVEN, service="especial"))
    assert band("2026-12-24T19:00").basis != "override"
    assert band("2026-12-24T19:00", "especial").basis == "override"
    periods.enter_period(jonas.occasion(), desk, replace(GIVEN, service="comum", act="Portaria 113/2026"))
    assert band("2026-12-24T19:00").basis == "override"


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"band": 3}, "band"),
        ({"service": "lotação"}, "service"),
        ({"end": START}, "end_day"),
        ({"end": at("2028-01-01T00:00")}, "end_day"),
        ({"act": " "}, "act"),
        ({"act": "x" * 401}, "act"),
    ],
)
def test_a_period_that_cannot_be_is_refused(desk: Desk, jonas: Clerk, changed: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        periods.enter_period(jonas.occasion(), desk, replace(GIVEN, **changed))
    assert set(refused.value.fields) == {field}


def test_a_regime_without_bands_or_of_another_authority_has_no_periods(desk: Desk, jonas: Clerk) -> None:
    with pytest.raises(NotFound):
        periods.enter_period(jonas.occasion(), desk, replace(GIVEN, regime="fretamento_rmr"))
    other = factories.clerk(desk.store, "Bruno", "emtu")
    with pytest.raises(Refused, match="não tem bandeiras"):
        periods.enter_period(other.occasion(), desk, replace(GIVEN, regime="fretamento_rmr"))


@pytest.mark.parametrize(
    ("start", "end", "free"),
    [
        ("2026-12-20T00:00", "2026-12-24T18:00", True),
        ("2026-12-20T00:00", "2026-12-24T18:01", False),
        ("2026-12-26T05:59", "2026-12-27T00:00", False),
        ("2026-12-26T06:00", "2026-12-27T00:00", True),
    ],
)
def test_two_acts_do_not_set_the_band_of_one_hour(desk: Desk, jonas: Clerk, start: str, end: str, free: bool) -> None:
    periods.enter_period(jonas.occasion(), desk, GIVEN)
    other = replace(GIVEN, start=at(start), end=at(end), act="Portaria 113/2026")
    if free:
        assert periods.enter_period(jonas.occasion(), desk, other)
        return
    with pytest.raises(Refused, match="Já há bandeira 2 de 24/12/2026, 18h a 26/12/2026, 6h, por Portaria 112/2026"):
        periods.enter_period(jonas.occasion(), desk, other)


def test_a_period_taken_back_counts_no_more_and_stays_in_the_list(desk: Desk, jonas: Clerk, band: Any) -> None:
    made = periods.enter_period(jonas.occasion(once_key="a"), desk, GIVEN)
    assert periods.enter_period(jonas.occasion(once_key="a"), desk, GIVEN) == made
    with pytest.raises(Refused):
        periods.annul_period(jonas.occasion(), desk, made, " ")
    other = factories.clerk(desk.store, "Bruno", "emtu")
    with pytest.raises(NotFound):
        periods.annul_period(other.occasion(), desk, made, "x")
    for _ in range(2):
        periods.annul_period(jonas.occasion(once_key="b"), desk, made, "Ato revogado")
    assert band("2026-12-24T19:00").basis != "override"
    with pytest.raises(AlreadyDone):
        periods.annul_period(jonas.occasion(), desk, made, "x")
    with desk.store.reading() as session:
        (line,) = periods.list_periods(session, "recife", jonas.occasion().at.astimezone(ZONE))
        assert periods.list_periods(session, "emtu", jonas.occasion().at) == []
    assert (line.state, line.end_reason, line.start) == ("anulado", "Ato revogado", START)
    assert periods.enter_period(jonas.occasion(), desk, GIVEN) != made


@pytest.mark.parametrize("first", ["act", "period"])
def test_the_page_of_the_act_shows_its_periods(desk: Desk, jonas: Clerk, first: str) -> None:
    def act() -> int:
        return acts.enter_act(jonas.occasion(), desk, acts.ActInput("portaria", "112/2026", jonas.occasion().on))

    made = act() if first == "act" else 0
    periods.enter_period(jonas.occasion(), desk, GIVEN)
    with desk.store.reading() as session:
        (group,) = act_page(session, desk, "recife", made or act()).groups
    assert (group.title, group.lines[0].text) == ("Bandeiras do táxi", "Bandeira 2")
    assert group.lines[0].when == "de 24/12/2026, 18h a 26/12/2026, 6h"
