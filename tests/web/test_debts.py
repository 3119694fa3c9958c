"""What an overdue debt says on the page of a request: its sum of the day, what it stops, and what stays open."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from flask import Flask

from registry.services import requests
from registry.store.charges import Charge
from tests.web.checker import words
from tests.web.conftest import MOST_QUERIES
from tests.web.records import CHARTER, Records, form_sent

LATE, TODAY = date(2026, 11, 29), date(2026, 11, 30)
MARKER = "Débito vencido de R$ 2.568,70. Não impede recurso. Ver débitos"
GATE = (
    "Há débito vencido de R$ 2.568,70. A lei impede este pedido até o pagamento (art. 205). "
    "Recurso e consulta continuam abertos."
)


@pytest.fixture
def records(app: Flask) -> Records:
    return Records(app)


@pytest.fixture
def rota(records: Records) -> int:
    return records.company()


@pytest.fixture
def draft(records: Records, rota: int) -> str:
    """The address of a draft of this company."""
    occasion, desk = records.occasion, records.desk
    links = {"holder_kind": "PJ", "applicant_id": rota, "vehicle_id": records.vehicle()}
    made = requests.open_request(occasion, desk, CHARTER, "novo_termo", links=links)
    return f"/requerimentos/{made}"


def marker(shown: Any) -> str:
    return words(shown.one(".//*[@id='marcas']"))


def test_the_draft_of_a_debtor_names_the_sum_and_what_it_stops(
    client_as: Callable[..., Any],
    page: Callable[..., Any],
    queries: Callable[[], list[str]],
    records: Records,
    rota: int,
    draft: str,
) -> None:
    records.fee(rota, LATE)
    client = client_as("atendente")
    queries()
    shown = page(client.get(draft))
    assert len(queries()) <= MOST_QUERIES
    assert marker(shown) == MARKER
    assert [link.get("href") for link in shown.all(".//*[@id='marcas']//a")] == [f"/pessoas/{rota}#debitos"]
    assert GATE in shown.text


def test_a_debt_that_falls_due_today_is_none_yet(
    client_as: Callable[..., Any], page: Callable[..., Any], records: Records, rota: int, draft: str
) -> None:
    records.fee(rota, TODAY)
    shown = page(client_as("atendente").get(draft))
    assert marker(shown) == "" and "Há débito vencido" not in shown.text


def test_a_sum_that_is_known_in_part_is_not_named(
    client_as: Callable[..., Any], page: Callable[..., Any], records: Records, rota: int, draft: str
) -> None:
    records.fee(rota, LATE)
    gone = records.fee(rota, date(2026, 11, 28))
    with records.desk.store.writing() as session:
        charge = session.get(Charge, gone)
        assert charge is not None
        charge.plan = "gone"
    client = client_as("atendente")
    assert "Débito vencido. Não impede recurso." in page(client.get(f"/pessoas/{rota}")).text
    shown = page(client.get(draft))
    assert marker(shown) == "Débito vencido. Não impede recurso. Ver débitos"
    assert "Há débito vencido. A lei impede este pedido até o pagamento (art. 205)." in shown.text


def test_naming_a_debtor_brings_the_marker_at_once(
    client_as: Callable[..., Any], page: Callable[..., Any], records: Records, rota: int
) -> None:
    records.fee(rota, LATE)
    made = requests.open_request(records.occasion, records.desk, CHARTER, "novo_termo", links={"holder_kind": "PJ"})
    client, address = client_as("atendente"), f"/requerimentos/{made}"
    shown = page(client.get(address))
    assert marker(shown) == ""
    sent = form_sent(shown, f"{address}/dados", document="12.ABC.345/01DE-35")
    part = page(client.post(f"{address}/_gravar", data=sent, headers={"HX-Request": "true"}))
    assert marker(part) == MARKER
