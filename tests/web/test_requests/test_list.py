from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from registry.services.desk import Desk
from registry.services.requests import withdraw_request
from tests import factories
from tests.factories import CPFS, OTHER
from tests.regime import CODE
from tests.web.checker import words
from tests.web.conftest import MOST_QUERIES

LIST = "/requerimentos"


def test_the_list_has_every_request_newest_first_in_few_queries(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], queries: Callable[[], list[str]]
) -> None:
    client, marina = login("analista")
    first = factories.filed(desk, marina)
    ivo = factories.person(desk, marina, CPFS[1], "Ivo Tavares")
    second = factories.draft(desk, marina, applicant_id=ivo, vehicle_id=factories.vehicle(desk, marina, "KGA1234"))
    queries()
    shown = page(client.get(LIST))
    assert len(queries()) <= MOST_QUERIES
    links = [link.get("href") for link in shown.all(".//td[@class='what']/a")]
    assert links == [f"{LIST}/{second}", f"{LIST}/{first}"]
    assert "2026/000001" in shown.text
    assert "Ivo Tavares" in shown.text
    assert words(shown.one(".//caption")) == "Requerimentos, do mais novo ao mais antigo"


@pytest.mark.parametrize("typed", ["2026/000001", "2026000001", "rzt6b18", "023.456.781-35", "ana", "RZT6118"])
def test_a_request_is_found_by_number_plate_document_or_name(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], typed: str
) -> None:
    client, marina = login("analista")
    wanted = factories.filed(desk, marina)
    ivo = factories.person(desk, marina, CPFS[1], "Ivo Tavares")
    factories.draft(desk, marina, applicant_id=ivo, vehicle_id=factories.vehicle(desk, marina, "KGA1234"))
    shown = page(client.get(LIST, query_string={"q": typed}))
    assert [link.get("href") for link in shown.all(".//td[@class='what']/a")] == [f"{LIST}/{wanted}"]
    assert "Limpar filtros" in shown.links()


def test_filters_stand_in_the_address_and_say_when_they_find_nothing(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("atendente")
    made = factories.filed(desk, marina)
    withdraw_request(marina.occasion(), desk, made, "Vendeu a barca")
    found = page(client.get(LIST, query_string={"situacao": "desistencia", "tipo": "novo", "regime": CODE}))
    assert f"{LIST}/{made}" in found.links().values()
    nothing = page(client.get(LIST, query_string={"situacao": "pronto"}))
    assert "Nenhum requerimento com estes filtros." in nothing.text
    assert nothing.links()["Limpar filtros"] == LIST
    part = page(client.get(LIST, query_string={"situacao": "pronto"}, headers={"HX-Request": "true"}))
    assert part.is_fragment


def test_without_requests_the_list_leads_to_the_first(login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, _ = login("atendente")
    assert page(client.get(LIST)).links()["Abrir o primeiro"] == f"{LIST}/novo"
    reader, _ = login("auditor")
    assert "Abrir o primeiro" not in page(reader.get(LIST)).links()


@pytest.mark.parametrize("query", ["page=0", "page=x", "page=999", "page=-1", "regime=trens", "tipo=x", "situacao=x"])
def test_an_address_of_nothing_is_no_page(login: Callable[..., Any], page: Callable[..., Any], query: str) -> None:
    client, _ = login("analista")
    page(client.get(f"{LIST}?{query}"), 404)


def test_the_list_is_of_the_users_authority(desk: Desk, login: Callable[..., Any], page: Callable[..., Any]) -> None:
    _, marina = login("analista")
    made = factories.filed(desk, marina)
    stranger, _ = login("analista", authority=OTHER)
    assert f"{LIST}/{made}" not in page(stranger.get(LIST)).links().values()
    assert page(stranger.get(LIST, query_string={"q": "ana"})).all(".//td") == []


def test_twenty_a_page_with_the_filters_kept(desk: Desk, login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, marina = login("analista")
    ana, boat = factories.person(desk, marina), factories.vehicle(desk, marina)
    for _ in range(21):
        factories.draft(desk, marina, applicant_id=ana, vehicle_id=boat)
    first = page(client.get(LIST, query_string={"q": "ana"}))
    assert len(first.all(".//td[@class='what']/a")) == 20
    assert "1 a 20 de 21" in first.text
    second = page(client.get(first.links()["Próxima"]))
    assert len(second.all(".//td[@class='what']/a")) == 1
    assert "«ana»" in second.text


@pytest.mark.parametrize(("role", "status"), [("agente_fiscal", 403), ("administrador", 403), ("tesouraria", 200)])
def test_who_may_see_requests(login: Callable[..., Any], page: Callable[..., Any], role: str, status: int) -> None:
    client, _ = login(role)
    page(client.get(LIST), status)


def test_the_list_in_order_of_the_last_day_and_as_a_table(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    first = factories.filed(desk, marina)
    ivo = factories.person(desk, marina, CPFS[1], "=Ivo Tavares")
    second = factories.draft(desk, marina, applicant_id=ivo, vehicle_id=factories.vehicle(desk, marina, "KGA1234"))
    shown = page(client.get(f"{LIST}?ordem=prazo&q=a"))
    assert [link.get("href") for link in shown.all(".//td[@class='what']/a")] == [f"{LIST}/{first}", f"{LIST}/{second}"]
    table = client.get(shown.links()["Baixar planilha"])
    assert table.mimetype == "text/csv"
    lines = table.get_data(as_text=True).splitlines()
    assert lines[1].startswith("22/12/2026;em 15 dias úteis;Permissão nova;2026/000001;Ana Lima;RZT6B18;")
    assert "'=Ivo Tavares" in lines[2]
    page(client.get(f"{LIST}?ordem=nome"), 404)
