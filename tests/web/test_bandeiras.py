"""Fare bands set by act, on screen: entered by who may, followed by the public pages at once, taken back."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import func, select

from registry.web.edge import EXTENSION
from registry_taxi_bandeiras.models import Period
from tests.web.conftest import MOST_QUERIES

LIST = "/indices/bandeiras"
GOOD = {
    "band": "2", "service": "todos", "start_day": "30/11/2026", "start_hour": "11:00", "end_day": "02/12/2026",
    "end_hour": "6h", "act": "Portaria 112/2026",
}  # fmt: skip


@pytest.fixture
def rita(client_as: Any) -> Any:
    return client_as("diretor", authority="recife", name="Rita Moura")


def enter(page: Any, client: Any, **typed: str) -> Any:
    return client.post(LIST, data=page(client.get(LIST)).form(LIST) | GOOD | typed)


def count(app: Any) -> int:
    with app.extensions[EXTENSION].store.reading() as session:
        return int(session.scalar(select(func.count()).select_from(Period)) or 0)


def bare(text: str) -> str:
    return text.replace("\xa0", " ")


def test_the_public_follows_an_act_at_once_and_its_taking_back(rita, page, visitor, queries, app) -> None:
    assert "Agora: bandeira 1" in bare(page(visitor.get("/tarifas")).text)
    assert enter(page, rita).status_code == 303
    told = bare(page(visitor.get("/tarifas")).text)
    assert "Agora: bandeira 2 (Portaria 112/2026), até 02/12/2026, 6h" in told
    assert "De 30/11/2026, 11h a 02/12/2026, 6h: bandeira 2, por Portaria 112/2026." in told
    queries()
    shown = page(rita.get(LIST))
    assert len(queries()) <= MOST_QUERIES
    assert "Em vigor" in shown.text and "Todos os táxis" in shown.text
    address = shown.links()["Anular o período que começa em 30/11/2026, 11h"]
    form = page(rita.get(address)).form(address)
    assert page(rita.post(address, data=form), 422).error_of("reason")
    sent = form | {"reason": "Ato revogado"}
    assert rita.post(address, data=sent).status_code == 303
    assert "Agora: bandeira 1" in bare(page(visitor.get("/tarifas")).text)
    after = page(rita.get(rita.post(address, data=sent | {"once_key": "x"}).location))
    assert "já foi anulado por" in after.text and "Ato revogado" in after.text
    assert (
        "30/11/2026 11:00;02/12/2026 06:00;2;todos;Portaria 112/2026;Anulado" in rita.get(f"{LIST}/planilha.csv").text
    )
    assert "Nenhum período com este filtro." in page(rita.get(f"{LIST}?situacao=agora")).text


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"band": ""}, "band"),
        ({"band": "3"}, "band"),
        ({"service": ""}, "service"),
        ({"start_day": "31/11/2026"}, "start_day"),
        ({"end_hour": "25:00"}, "end_hour"),
        ({"end_day": "29/11/2026"}, "end_day"),
        ({"act": ""}, "act"),
    ],
)
def test_a_wrong_field_keeps_what_was_typed(rita, page, app, typed, field: str) -> None:
    shown = page(enter(page, rita, **typed), 422)
    assert shown.error_of(field)
    kept = shown.form(LIST)
    wanted = {name: value for name, value in (GOOD | typed).items() if value not in ("3", "6h")}
    assert kept | wanted == kept
    assert count(app) == 0


def test_a_repeated_click_enters_once_and_the_same_hours_are_refused(rita, page, app) -> None:
    sent = page(rita.get(LIST)).form(LIST) | GOOD
    assert [rita.post(LIST, data=sent).status_code for _ in range(2)] == [303, 303]
    assert count(app) == 1
    refused = page(enter(page, rita, act="Portaria 113/2026"), 422)
    assert "Já há bandeira 2" in refused.error_of("start_day")


def test_only_taxis_have_it_and_only_who_may_enters(client_as, page, token, app) -> None:
    charter = client_as("diretor", authority="emtu")
    assert "Bandeiras por ato" not in page(charter.get("/indices")).links()
    page(charter.get(LIST), 404)
    page(charter.post(LIST, data=GOOD | {"csrf_token": token(charter)}), 404)
    clerk = client_as("atendente", authority="recife")
    assert page(clerk.get("/indices")).links()["Bandeiras por ato"] == LIST
    assert "Novo período" not in page(clerk.get(LIST)).text
    page(clerk.post(LIST, data=GOOD | {"csrf_token": token(clerk)}), 403)
    for bad in ("situacao=x", "ordem=x", "page=2"):
        page(clerk.get(f"{LIST}?{bad}"), 404)
    assert count(app) == 0
