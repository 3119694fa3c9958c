"""The protocol receipt: what the counter took in, on one sheet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from registry.services.desk import Desk
from registry.services.request_page import request_page
from registry.services.requests import withdraw_request
from tests import factories
from tests.factories import OTHER
from tests.web.conftest import MOST_QUERIES


def test_a_filed_request_has_a_receipt_with_what_came_and_what_is_missing(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], queries: Callable[[], list[str]]
) -> None:
    client, marina = login("atendente")
    made = factories.filed(desk, marina)
    queries()
    shown = page(client.get(f"/requerimentos/{made}/protocolo"))
    assert len(queries()) <= MOST_QUERIES
    assert shown.h1.startswith("Protocolo nº 2026/")
    assert "Ana Lima" in shown.text
    assert "Ainda faltam" in shown.text
    assert "não autoriza o transporte" in shown.text
    code = client.get(f"/requerimentos/{made}").text
    assert f"/requerimentos/{made}/protocolo" in code


def test_a_paper_that_came_moves_from_missing_to_delivered(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("atendente")
    made = factories.filed(desk, marina)
    before = page(client.get(f"/requerimentos/{made}/protocolo"))
    missing = [item.text for item in before.all(".//li") if item.text]
    with desk.store.reading() as session:
        line = request_page(session, desk, marina.occasion(), made).documents[0]
    factories.attach(desk, marina, made, line.code)
    after = page(client.get(f"/requerimentos/{made}/protocolo"))
    assert line.label in before.text
    assert after.text.index(line.label) < after.text.index("Ainda faltam")
    assert len([item for item in after.all(".//li") if item.text]) == len(missing)


def test_another_authority_and_another_role_see_none(desk: Desk, login: Callable[..., Any]) -> None:
    client, marina = login("atendente")
    made = factories.filed(desk, marina)
    stranger, _ = login("atendente", authority=OTHER, name="Bruno")
    assert stranger.get(f"/requerimentos/{made}/protocolo").status_code == 404
    inspector, _ = login("agente_fiscal", name="Caio")
    assert inspector.get(f"/requerimentos/{made}/protocolo").status_code == 403
    assert client.get(f"/requerimentos/{made + 1}/protocolo").status_code == 404


def test_a_draft_has_none(desk: Desk, login: Callable[..., Any]) -> None:
    client, marina = login("atendente")
    assert client.get(f"/requerimentos/{factories.draft(desk, marina)}/protocolo").status_code == 404


def test_what_is_over_names_no_day_until_which_it_is_analysed(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("atendente")
    made = factories.filed(desk, marina)
    withdraw_request(marina.occasion(), desk, made, "O requerente desistiu")
    assert "Análise até" not in page(client.get(f"/requerimentos/{made}/protocolo")).text
