"""The public pages of the mechanisms: what the city's law says of bands and hand-over, now and all day."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from registry.plugins import PluginHost, RuleFailed
from registry.web.edge import EXTENSION
from tests.web.conftest import MOST_QUERIES, FrozenClock

HOURS = {"/tarifas": "Bandeiras do táxi", "/rendicao": "Rendição do táxi"}


@pytest.mark.parametrize("address", HOURS)
def test_everybody_opens_it_within_the_queries(visitor: Any, page: Any, queries: Any, address: str) -> None:
    queries()
    shown = page(visitor.get(address))
    assert len(queries()) <= MOST_QUERIES
    assert shown.h1 == HOURS[address]
    assert "Art" in shown.text and "Fretamento" not in shown.text


@pytest.mark.parametrize(
    ("ahead", "told"),
    [
        (9.99, "Agora: bandeira 1, até 30/11/2026, 22h, depois bandeira 2."),
        (10, "Agora: bandeira 2, até 01/12/2026, 6h, depois bandeira 1."),
        (-24, "Agora: bandeira 2, até 30/11/2026, 6h, depois bandeira 1."),
    ],
)
def test_the_band_of_the_moment(visitor: Any, page: Any, clock: FrozenClock, ahead: float, told: str) -> None:
    clock.ahead(hours=ahead)
    assert told in page(visitor.get("/tarifas")).text.replace("\xa0", " ").replace(" ,", ",")


@pytest.mark.parametrize(("ahead", "inside"), [(0, True), (13, False)])
def test_the_group_that_hands_over_now(visitor: Any, page: Any, clock: FrozenClock, ahead: float, inside: bool) -> None:
    clock.ahead(hours=ahead)
    assert ("Em rendição agora" in page(visitor.get("/rendicao")).text) is inside


def test_a_holiday_by_the_authoritys_calendar_counts_whole(visitor: Any, page: Any, clock: FrozenClock) -> None:
    clock.ahead(days=8)
    assert "bandeira 2 (Nossa Senhora da Conceição)" in page(visitor.get("/tarifas")).text.replace("\xa0", " ")


def test_the_page_and_the_question_are_one(visitor: Any, page: Any, app: Any, clock: FrozenClock) -> None:
    """What the page says of each hour of a week is what the question answers."""
    edge = app.extensions[EXTENSION]
    law = edge.host.law_for("taxi_recife")
    question = edge.host.question("taxi_recife", "bandeira")
    for _ in range(7 * 4):
        clock.ahead(hours=6)
        asked = question(question.given_type(at=clock.at, service="comum"), law).answer.bandeira
        text = page(visitor.get("/tarifas")).text.replace("\xa0", " ")
        assert f"Agora: bandeira {asked}" in text


def test_two_tables_for_one_regime_are_no_table(app: Any, visitor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    collect: Callable[..., Any] = PluginHost.collect
    monkeypatch.setattr(PluginHost, "collect", lambda self, hook, **facts: collect(self, hook, **facts) * 2)
    host = app.extensions[EXTENSION].host
    with pytest.raises(RuleFailed, match="taxi_recife, taxi_recife"):
        host.ask_one("taxi_bandeiras_table", regime="taxi_recife", on=clock_day(app), law=host.law_for("taxi_recife"))
    assert visitor.get("/tarifas").status_code == 503


def clock_day(app: Any) -> Any:
    return app.extensions[EXTENSION].clock().date()
