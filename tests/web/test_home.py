"""The home: queues, taking a request, filters, export, what stands beside; the records opened last."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta
from typing import Any

import pytest

from registry.store.acts import IndexValue
from registry.store.inspections import Inspection
from registry.web.edge import EXTENSION
from tests.web.conftest import MOST_QUERIES, NOON, TODAY

HX = {"HX-Request": "true"}


def rows(shown: Any) -> list[str]:
    return [
        " ".join("".join(row.itertext()).split())
        for row in shown.all(".//tr")
        if row.find("{http://www.w3.org/1999/xhtml}td") is not None
    ]


def test_the_greeting_names_the_day_and_the_next_holiday(client_as, page, clock) -> None:
    client = client_as("analista")
    shown = page(client.get("/inicio"))
    assert shown.h1 == "Boa tarde, Marina"
    assert "Segunda-feira, 30 de novembro de 2026." in shown.text
    assert "terça, 08/12" in shown.text


@pytest.mark.parametrize(
    ("hours", "told"), [(-0.02, "Bom dia"), (0, "Boa tarde"), (5.98, "Boa tarde"), (6, "Boa noite")]
)
def test_the_greeting_knows_the_hour(client_as, page, clock, hours: float, told: str) -> None:
    clock.ahead(hours=hours)
    assert page(client_as("analista").get("/inicio")).h1.startswith(told)


def test_ones_own_queue_most_urgent_first(someone, enter, page, work, person, vehicle, queries) -> None:
    user = someone("analista")
    mine = {"assigned_to": user.id}
    ana, car = person(), vehicle()
    work(TODAY + timedelta(days=2), **mine, next_step="Depois")
    work(TODAY - timedelta(days=3), **mine, applicant_id=ana, vehicle_id=car, next_step="Antes")
    work(TODAY, **mine, next_step="Hoje")
    work(TODAY, next_step="De ninguém")
    client = enter(user)
    queries()
    shown = page(client.get("/inicio"))
    assert len(queries()) <= MOST_QUERIES
    found = rows(shown)
    assert [text for row in found for text in ("Antes", "Hoje", "Depois", "De ninguém") if text in row] == [
        "Antes",
        "Hoje",
        "Depois",
    ]
    assert "27/11" in found[0] and "atrasado 1 dia útil" in found[0]
    assert "Ana Lima" in found[0] and "RZT6B18" in found[0]
    assert "vence hoje" in found[1] and "em 2 dias úteis" in found[2]
    assert "Início 3 na sua fila" in shown.text
    assert "1 a 3 de 3. Não há mais nada com você." in shown.text


def test_another_authoritys_work_is_not_seen(client_as, page, work, person) -> None:
    work(authority="recife", applicant_id=person("Segredo", authority="recife"))
    for tab in ("comigo", "atrasados", "sem_responsavel", "aguardam", "prontos", "decididos"):
        shown = page(client_as("analista").get(f"/inicio?fila={tab}"))
        assert rows(shown) == []
        assert "Segredo" not in shown.html


def test_each_tab_has_an_address_and_its_count(client_as, page, work) -> None:
    work(TODAY - timedelta(days=1))
    work(TODAY + timedelta(days=9))
    work(None, shown="em_exigencia")
    work(TODAY + timedelta(days=1), shown="pronto")
    work(None, state="deferido", shown="deferido", decided_at=NOON)
    client = client_as("analista")
    for tab, count in (("atrasados", 1), ("sem_responsavel", 4), ("aguardam", 1), ("prontos", 1), ("decididos", 1)):
        shown = page(client.get(f"/inicio?fila={tab}"))
        assert len(rows(shown)) == count, tab
        current = [a for a in shown.all(".//nav[@class='tabs']/a") if a.get("aria-current")]
        assert len(current) == 1 and f"fila={tab}" in current[0].get("href")


@pytest.mark.parametrize("query", ["fila=nada", "page=0", "page=x", "page=2", "page=-1", "page=9999999999"])
def test_an_address_that_means_nothing_is_404(client_as, page, query: str) -> None:
    page(client_as("analista").get(f"/inicio?{query}"), 404)


def test_the_queue_alone_for_htmx(client_as, page, work, queries) -> None:
    work()
    client = client_as("analista")
    queries()
    shown = page(client.get("/inicio?fila=sem_responsavel", headers=HX))
    assert shown.is_fragment
    assert len(rows(shown)) == 1
    assert len(queries()) <= MOST_QUERIES


def test_pages_keep_their_filters(client_as, page, work) -> None:
    for number in range(45):
        work(TODAY + timedelta(days=number), shown="em_exigencia")
    client = client_as("analista")
    first = page(client.get("/inicio?fila=sem_responsavel&situacao=em_exigencia"))
    assert "1 a 20 de 45." in first.text
    second = page(client.get(first.links()["Próxima"]))
    assert "21 a 40 de 45." in second.text
    assert "situacao=em_exigencia" in second.links()["Anterior"]


def test_new_work_is_announced_and_moves_no_row(client_as, page, work, clock) -> None:
    work()
    client = client_as("analista")
    shown = page(client.get("/inicio?fila=sem_responsavel"))
    asks = shown.one(".//p[@id='novos']").get("hx-get")
    quiet = page(client.get(asks, headers=HX))
    assert quiet.text == "" and quiet.one(".//p").get("hx-get") == asks
    work()
    work()
    told = page(client.get(asks, headers=HX))
    assert told.text == "2 novos. Atualizar"
    assert len(rows(page(client.get(told.links()["Atualizar"])))) == 3
    for _ in range(3):
        clock.ahead(minutes=25)
        answer = client.get(asks, headers=HX)
    assert answer.status_code == 401


def test_a_filter_that_finds_nothing_is_not_an_empty_queue(client_as, page, work) -> None:
    work()
    client = client_as("analista")
    shown = page(client.get("/inicio?fila=sem_responsavel&situacao=pronto"))
    assert "Nenhum requerimento com estes filtros." in shown.text
    assert page(client.get(shown.links()["Limpar filtros"])).text.count("2026/000001") >= 1
    assert "Há 1 sem responsável." in page(client.get("/inicio")).text


def test_taking_a_request(someone, enter, page, work) -> None:
    user = someone("analista")
    id = work(state="protocolado", shown="protocolado")
    client = enter(user)
    form = page(client.get("/inicio?fila=sem_responsavel")).form(f"/inicio/pegar/{id}")
    answer = client.post(f"/inicio/pegar/{id}", data=form)
    assert answer.status_code == 303
    shown = page(client.get(answer.location))
    assert "O requerimento está com você." in shown.text
    assert len(rows(shown)) == 1


def test_who_was_slower_is_told_by_whom(someone, enter, page, work, clock) -> None:
    first, second = someone("analista", name="Jonas Prado"), someone("analista")
    id = work(state="protocolado", shown="protocolado")
    slow, fast = enter(second), enter(first)
    form = page(slow.get("/inicio?fila=sem_responsavel")).form(f"/inicio/pegar/{id}")
    fast.post(f"/inicio/pegar/{id}", data=page(fast.get("/inicio?fila=sem_responsavel")).form(f"/inicio/pegar/{id}"))
    clock.ahead(minutes=1)
    assert (
        "Jonas Prado pegou este requerimento há 1 minuto."
        in page(slow.post(f"/inicio/pegar/{id}", data=form), 409).text
    )


def test_a_request_of_another_authority_cannot_be_taken(client_as, page, token, work) -> None:
    id = work(authority="recife", state="protocolado")
    client = client_as("analista")
    page(client.post(f"/inicio/pegar/{id}", data={"csrf_token": token(client)}), 404)


def test_who_does_not_work_on_requests_has_no_queue_and_takes_none(client_as, page, token, work) -> None:
    id = work(state="protocolado")
    for role in ("auditor", "tesouraria", "vistoriador"):
        client = client_as(role)
        shown = page(client.get("/inicio?fila=sem_responsavel"))
        assert "Pegar para mim" not in shown.text and not shown.all(".//nav[@class='tabs']")
        page(client.post(f"/inicio/pegar/{id}", data={"csrf_token": token(client)}), 403)


def test_the_treasury_begins_with_todays_till(client_as, page, queries) -> None:
    client = client_as("tesouraria")
    queries()
    shown = page(client.get("/inicio"))
    assert len(queries()) <= MOST_QUERIES
    assert "Caixa de hoje aberto" in shown.text
    assert "Nada recebido hoje ainda." in shown.text


def test_a_director_begins_with_what_is_ready(client_as, page, work) -> None:
    work(shown="pronto", next_step="Decidir")
    work(next_step="Analisar")
    found = rows(page(client_as("diretor").get("/inicio")))
    assert len(found) == 1 and "Decidir" in found[0]


@pytest.mark.parametrize("role", ["agente_fiscal", "administrador"])
def test_a_role_without_queue_gets_its_places(client_as, page, role: str) -> None:
    shown = page(client_as(role).get("/inicio"))
    assert "Seus lugares" in shown.text


def test_the_export_has_what_the_filter_shows_and_no_formula(client_as, work, person) -> None:
    work(applicant_id=person("=HYPERLINK(1)"))
    for _ in range(24):
        work()
    work(shown="pronto")
    answer = client_as("analista").get("/inicio/planilha.csv?fila=sem_responsavel&situacao=em_analise")
    assert answer.status_code == 200
    table = list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff")), delimiter=";"))
    assert len(table) == 26
    assert all(not cell.startswith("=") for row in table for cell in row)
    assert {row[7] for row in table[1:]} == {"Em análise"}


def test_todays_inspections_stand_beside(client_as, page, add, vehicle, app) -> None:
    regime = app.extensions[EXTENSION].settings.authorities["emtu"].regimes[0]
    common = {"authority": "emtu", "regime": regime, "kind": "x", "items": {}, "created_at": NOON}
    add(Inspection, **common, vehicle_id=vehicle(), scheduled_at=NOON, state="marcada", place="Pátio 2")
    add(Inspection, **common, vehicle_id=vehicle("KKX2E41"), scheduled_at=NOON + timedelta(days=1), state="marcada")
    shown = page(client_as("vistoriador").get("/inicio"))
    assert "12h RZT6B18 Marcada Pátio 2" in shown.text
    assert "KKX2E41" not in shown.text


@pytest.mark.parametrize(
    ("days", "told"), [(0, ""), (1, "muda amanhã"), (2, "muda em 2 dias"), (30, "muda em 30 dias"), (31, "")]
)
def test_an_index_about_to_change_is_said(client_as, page, add, days: int, told: str) -> None:
    common = {"authority": "emtu", "key": "custo_km", "scale": 4, "unit": "R$", "recorded_at": NOON, "recorded_by": "x"}
    add(IndexValue, **common, since=date(2026, 7, 1), scaled=51374, act="Portaria 112/2026")
    add(IndexValue, **common, since=TODAY + timedelta(days=days), scaled=52012, act="Portaria 140/2026")
    shown = page(client_as("analista").get("/inicio"))
    if told:
        assert told in shown.text
        assert "De R$ 5,1374 para R$ 5,2012" in shown.text
    else:
        assert "muda" not in shown.text


def test_the_records_opened_last_stand_beside(client_as, page, person) -> None:
    first, second = person("Ana Lima"), person("Bia Melo")
    client = client_as("atendente")
    for id in (first, second, first):
        assert client.get(f"/pessoas/{id}").status_code == 200
    links = list(page(client.get("/inicio")).links())
    assert links.index("Ana Lima") < links.index("Bia Melo")
