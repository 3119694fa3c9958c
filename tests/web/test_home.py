"""The home: queues, taking a request, filters, export, what stands beside; the search box and its results."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from flask import Flask

from registry.domain.identifiers import parse_plate
from registry.domain.text import fold
from registry.store.acts import IndexValue
from registry.store.inspections import Inspection
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.requests import Request
from registry.store.vehicles import Vehicle
from registry.web.edge import EXTENSION
from tests.web.conftest import MOST_QUERIES, NOON

TODAY = date(2026, 11, 30)
HX = {"HX-Request": "true"}


@pytest.fixture
def add(app: Flask) -> Callable[..., int]:
    """Adds a row and gives its id."""

    def make(table: type, **values: Any) -> int:
        with app.extensions[EXTENSION].store.writing() as session:
            row = table(**values)
            session.add(row)
            session.flush()
            return int(row.id)

    return make


@pytest.fixture
def person(add: Callable[..., int]) -> Callable[..., int]:
    """Adds a person."""

    def make(name: str = "Ana Lima", document: str = "", authority: str = "emtu", kind: str = "natural") -> int:
        return add(
            Person,
            authority=authority,
            kind=kind,
            name=name,
            name_folded=fold(name),
            document=document,
            facts={},
            created_at=NOON,
        )

    return make


@pytest.fixture
def vehicle(add: Callable[..., int]) -> Callable[..., int]:
    """Adds a vehicle."""

    def make(plate: str = "RZT6B18", authority: str = "emtu") -> int:
        key = parse_plate(plate).key
        return add(Vehicle, authority=authority, plate=plate, plate_key=key, facts={}, created_at=NOON, make="Volare")

    return make


@pytest.fixture
def work(add: Callable[..., int], app: Flask) -> Callable[..., int]:
    """Adds a request that was filed."""
    count = iter(range(1, 1000))
    regimes = app.extensions[EXTENSION].settings.authorities["emtu"].regimes

    def make(due: date | None = TODAY, authority: str = "emtu", **values: Any) -> int:
        kind = app.extensions[EXTENSION].host.regimes[regimes[0]].request_kinds[0].code
        given = {
            "state": "em_analise",
            "shown": "em_analise",
            "next_step": "Conferir documentos",
            "number": f"2026/{next(count):06d}",
        }
        return add(
            Request,
            **(given | values),
            authority=authority,
            regime=regimes[0],
            kind=kind,
            facts={},
            due_on=due,
            opened_at=NOON,
        )

    return make


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


def test_who_may_not_take_sees_no_button(client_as, page, token, work) -> None:
    id = work(state="protocolado")
    client = client_as("auditor")
    assert "Pegar para mim" not in page(client.get("/inicio?fila=sem_responsavel")).text
    page(client.post(f"/inicio/pegar/{id}", data={"csrf_token": token(client)}), 403)


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


def test_search_finds_by_name_without_accents(client_as, page, person, queries) -> None:
    person("José Ávila Conceição")
    person("Maria")
    client = client_as("atendente")
    queries()
    shown = page(client.get("/busca?q=avila+CONCEICAO"))
    assert len(queries()) <= MOST_QUERIES
    assert "José Ávila Conceição" in shown.text
    assert "Maria" not in shown.text


@pytest.mark.parametrize("typed", ["KGA1234", "kga-1234", "KGA1C34", "kga 1c34"])
def test_one_exact_plate_opens_in_either_form(client_as, vehicle, typed: str) -> None:
    id = vehicle("KGA1234")
    answer = client_as("atendente").get("/busca", query_string={"q": typed})
    assert answer.status_code == 303
    assert str(id) in answer.location


def test_an_exact_document_opens(client_as, person) -> None:
    id = person(document="52998224725")
    answer = client_as("atendente").get("/busca?q=529.982.247-25")
    assert answer.status_code == 303
    assert str(id) in answer.location


def test_it_says_how_it_read_the_text(client_as, page) -> None:
    client = client_as("atendente")
    assert "Procuramos PGT4H87 e PGT-4787." in page(client.get("/busca?q=pgt4h87")).text
    assert "Procuramos o CPF 529.982.247-25." in page(client.get("/busca?q=52998224725")).text
    assert "Procuramos o número 2026/4512." in page(client.get("/busca?q=2026/4512")).text


def test_permits_and_requests_of_who_was_found_are_found(client_as, page, add, work, person, vehicle, app) -> None:
    regime = app.extensions[EXTENSION].settings.authorities["emtu"].regimes[0]
    ana, car = person(), vehicle()
    permit = add(
        Permit, authority="emtu", regime=regime, number="0387", category="x", holder_id=ana,
        granted_on=TODAY, facts={}, created_at=NOON,
    )  # fmt: skip
    add(PermitVehicle, permit_id=permit, vehicle_id=car, since=TODAY)
    work(applicant_id=ana)
    if not app.view_functions.get("permits.page") or not app.view_functions.get("requests.page"):
        pytest.skip("the pages of permits and requests are not there")
    shown = page(client_as("atendente").get("/busca?q=ana"))
    assert "nº 0387" in shown.text
    assert "2026/000001" in shown.text


def test_more_hits_than_shown_lead_to_all_of_them(client_as, page, person) -> None:
    for number in range(60):
        person(f"Ana Lima {number:02d}")
    client = client_as("atendente")
    shown = page(client.get("/busca?q=ana"))
    whole = page(client.get(shown.links()["Ver 60"]))
    rest = page(client.get(whole.links()["Próximas 50"]))
    names = [text for text in (*whole.links(), *rest.links()) if text.startswith("Ana Lima")]
    assert len(names) == 60


def test_another_authoritys_people_are_not_found(client_as, page, person, vehicle) -> None:
    person("Segredo Guardado", document="52998224725", authority="recife")
    vehicle("KGA1234", authority="recife")
    client = client_as("atendente")
    for typed in ("segredo", "52998224725", "KGA1234"):
        shown = page(client.get("/busca", query_string={"q": typed}))
        assert "Segredo Guardado" not in shown.text
        assert "Nada encontrado" in shown.text


def test_nothing_found_offers_similar_names(client_as, page, person) -> None:
    person("Josefina Albuquerque")
    shown = page(client_as("atendente").get("/busca?q=Josefa+Albuquerqui"))
    assert "Nada encontrado" in shown.text
    assert "Josefina Albuquerque" in shown.text


@pytest.mark.parametrize("typed", ["", "   ", "%", "'", '"', "_", "\\", "a" * 5000, "🚕", "<b>x</b>"])
def test_odd_texts_are_searched_like_any_other(client_as, page, person, typed: str) -> None:
    person("Ana Lima")
    shown = page(client_as("atendente").get("/busca", query_string={"q": typed}))
    assert "Ana Lima" not in shown.text


def test_suggestions_are_options_of_a_list(client_as, page, person) -> None:
    person("Ana Lima")
    shown = page(client_as("atendente").get("/busca/sugestoes?q=ana", headers=HX))
    options = [a for a in shown.all(".//a") if a.get("role") == "option"]
    assert len(options) == 1
    assert options[0].get("href").startswith("/pessoas/")


def test_the_records_opened_last_stand_beside(client_as, page, person) -> None:
    first, second = person("Ana Lima"), person("Bia Melo")
    client = client_as("atendente")
    for id in (first, second, first):
        assert client.get(f"/pessoas/{id}").status_code == 200
    links = list(page(client.get("/inicio")).links())
    assert links.index("Ana Lima") < links.index("Bia Melo")
