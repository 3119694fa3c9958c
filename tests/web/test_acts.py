"""Acts on screen: entered, found, put right, and named by every page that asks for one."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.services import acts, decisions, indexes
from registry.services.acts import ActInput
from registry.store.acts import Act
from tests import factories
from tests.factories import OTHER, PDF, PORT
from tests.services import steps
from tests.web import boats
from tests.web.boats import HX
from tests.web.conftest import MOST_QUERIES

settings, host, desk, jonas = boats.settings, boats.host, boats.desk, boats.jonas
LIST, NEW = "/indices/atos", "/indices/atos/novo"
GOOD = {
    "kind": "portaria",
    "number": "112/2026",
    "day": "27/11/2026",
    "gazette": "DOE de 28/11/2026",
    "summary": "Custo",
}


@pytest.fixture
def rita(client_as: Any) -> Any:
    return client_as("diretor", authority=PORT, name="Rita Moura")


def count(desk: Any) -> int:
    with desk.store.reading() as session:
        return int(session.scalar(select(func.count()).select_from(Act)) or 0)


def entered(page: Any, client: Any, address: str = NEW, **typed: Any) -> Any:
    return client.post(NEW, data=page(client.get(address)).form(NEW) | GOOD | typed)


def given(number: str = "112/2026", day: int = 27) -> ActInput:
    return ActInput("portaria", number, date(2026, 11, day), summary=f"Resumo {number}")


def test_an_act_is_entered_with_its_pdf_and_opened(rita, page, desk, queries) -> None:
    answer = entered(page, rita, file=(BytesIO(PDF), "portaria.pdf"))
    assert answer.status_code == 303
    queries()
    shown = page(rita.get(answer.location))
    assert len(queries()) <= MOST_QUERIES
    assert shown.h1 == "Portaria nº 112/2026" and "Ato cadastrado." in shown.text
    opened = rita.get(shown.links()["Abrir o PDF"])
    assert (opened.status_code, opened.mimetype, opened.data) == (200, "application/pdf", PDF)
    assert "sandbox" in opened.headers["Content-Security-Policy"] or "none" in opened.headers["Content-Security-Policy"]


def test_a_repeated_click_enters_once(rita, page, desk) -> None:
    sent = page(rita.get(NEW)).form(NEW) | GOOD
    first, second = (rita.post(NEW, data=sent) for _ in range(2))
    assert first.location == second.location and count(desk) == 1


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"kind": ""}, "kind"),
        ({"number": ""}, "number"),
        ({"number": "112"}, "number"),
        ({"day": "31/11/2026"}, "day"),
        ({"day": "01/12/2026"}, "day"),
        ({"gazette": "x" * 401}, "gazette"),
    ],
)
def test_a_wrong_field_keeps_what_was_typed(rita, page, desk, typed, field: str) -> None:
    shown = page(entered(page, rita, **typed), 422)
    assert shown.error_of(field)
    kept = shown.form(NEW)
    assert kept | GOOD | typed == kept
    assert count(desk) == 0


def test_a_file_of_another_kind_is_refused_at_its_field(rita, page, desk) -> None:
    shown = page(entered(page, rita, file=(BytesIO(b"texto"), "ato.pdf")), 422)
    assert shown.error_of("file") and "Escolha o arquivo de novo" in shown.text
    assert count(desk) == 0


def test_a_taken_number_leads_to_its_act_and_a_bare_one_gets_its_year(rita, page, desk) -> None:
    there = entered(page, rita).location
    shown = page(entered(page, rita), 422)
    assert shown.error_of("number").startswith("Já existe: Portaria nº 112/2026.")
    assert shown.links()["Abrir Portaria nº 112/2026"] == there
    assert "Usar 112/2026" in page(entered(page, rita, number="112"), 422).text


def test_the_list_finds_filters_sorts_and_goes_home(rita, page, desk, jonas, queries) -> None:
    for number in range(1, 23):
        acts.enter_act(jonas.occasion(), desk, given(f"{number}/2026", number))
    queries()
    first = page(rita.get(LIST))
    assert len(queries()) <= MOST_QUERIES
    assert "1 a 20 de 22" in first.text and "Portaria nº 22/2026" in first.links()
    assert (
        "Portaria nº 2/2026" not in first.links() and "Portaria nº 2/2026" in page(rita.get(f"{LIST}?page=2")).links()
    )
    oldest = page(rita.get(f"{LIST}?ordem=data"))
    assert "Portaria nº 1/2026" in oldest.links() and "Portaria nº 22/2026" not in oldest.links()
    found = page(rita.get(f"{LIST}?q=RESUMO+7%2F2026&tipo=portaria"))
    assert "«RESUMO 7/2026»" in found.text and "Portaria nº 7/2026" in found.links()
    assert "Nenhum ato com estes filtros." in page(rita.get(f"{LIST}?tipo=edital")).text
    assert page(rita.get(f"{LIST}?q=7", headers=HX)).is_fragment
    table = rita.get(f"{LIST}/planilha.csv?q=7%2F2026").text
    assert "Portaria nº 7/2026;07/11/2026" in table and "Portaria nº 8/2026" not in table
    for bad in ("tipo=lei", "situacao=x", "ordem=x", "page=3"):
        page(rita.get(f"{LIST}?{bad}"), 404)


def test_a_wrong_act_is_put_right(rita, page, desk, jonas) -> None:
    wrong = acts.enter_act(jonas.occasion(), desk, given())
    address = f"{LIST}/{wrong}/corrigir"
    form = page(rita.get(address)).form(address)
    assert (form["kind"], form["number"], form["day"]) == ("portaria", "112/2026", "27/11/2026")
    shown = page(rita.post(address, data=form | {"number": "121/2026"}), 422)
    assert shown.error_of("reason") and shown.form(address)["number"] == "121/2026"
    answer = rita.post(address, data=form | {"number": "121/2026", "reason": "Número trocado"})
    right = page(rita.get(answer.location))
    assert right.h1 == "Portaria nº 121/2026" and right.links()["Portaria nº 112/2026"] == f"{LIST}/{wrong}"
    before = page(rita.get(f"{LIST}/{wrong}"))
    assert "Encerrado: Número trocado. No lugar dele vale: Portaria nº 121/2026" in before.text
    assert (
        "Já foi feito" in page(rita.get(rita.post(address, data=form | {"once_key": "x", "reason": "y"}).location)).text
    )


def test_an_act_that_does_not_exist_is_ended(rita, page, desk, jonas) -> None:
    made = acts.enter_act(jonas.occasion(), desk, given())
    address = f"{LIST}/{made}/encerrar"
    form = page(rita.get(address)).form(address)
    assert page(rita.post(address, data=form), 422).error_of("reason")
    assert rita.post(address, data=form | {"reason": "Nunca saiu"}).status_code == 303
    assert "Nenhum ato cadastrado ainda." in page(rita.get(LIST)).text
    assert "Encerrado em 30/11/2026" in page(rita.get(f"{LIST}?situacao=encerrados")).text


def test_others_see_and_do_not_enter_and_another_authority_sees_its_own(client_as, page, token, desk, jonas) -> None:
    made = acts.enter_act(jonas.occasion(), desk, given())
    clerk = client_as("atendente", authority=PORT)
    shown = page(clerk.get(f"{LIST}/{made}"))
    assert "Está errado?" not in shown.text
    for address in (NEW, f"{LIST}/{made}/corrigir", f"{LIST}/{made}/encerrar"):
        page(clerk.get(address), 403)
        page(clerk.post(address, data={"csrf_token": token(clerk)}), 403)
    page(client_as("vistoriador", authority=PORT).get(LIST), 403)
    other = client_as("diretor", authority=OTHER)
    assert "Portaria" not in page(other.get(LIST)).links()
    for address in ("", "/corrigir", "/encerrar", "/arquivo"):
        page(other.get(f"{LIST}/{made}{address}"), 404)


def test_a_value_names_its_act_and_offers_to_enter_it(rita, page, desk, jonas) -> None:
    day = date(2026, 12, 1)
    indexes.enter_index_value(jonas.occasion(), desk, "custo", day, Decimal(5), "Portaria nº 112/26")
    one = "/indices/valor/custo"
    way = page(rita.get(one)).links()["Cadastrar este ato: Portaria nº 112/26"]
    form = page(rita.get(way)).form(NEW)
    assert (form["kind"], form["number"]) == ("portaria", "112/2026")
    answer = entered(page, rita, way)
    assert answer.location == one
    shown = page(rita.get(one))
    assert shown.links()["Portaria nº 112/26"].startswith(f"{LIST}/")
    assert shown.all(".//datalist/option[@value='Portaria nº 112/2026']")
    act = page(rita.get(shown.links()["Portaria nº 112/26"]))
    assert "R$ 5,00" in act.text.replace("\xa0", " ") and one in act.links().values()


def test_the_end_of_a_permit_and_a_bar_name_their_acts(rita, page, desk, jonas, queries) -> None:
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    version = steps.version_of(desk, request_id)
    made = decisions.decide(jonas.occasion(hours=2), desk, request_id, version, "deferido")
    act = acts.enter_act(jonas.occasion(), desk, given())
    permit = f"/outorgas/{made.permit_id}"
    for address, typed in (
        (f"{permit}/restringir", {"kind": "suspension", "reason": "x", "act": "Portaria 113/2026"}),
        (f"{permit}/encerrar", {"reason": "Cassada", "act": "portaria 112/26"}),
    ):
        form = page(rita.get(address))
        assert form.all(".//input[@name='act'][@list='act-atos']")
        assert rita.post(address, data=form.form(address) | typed).status_code == 303
    queries()
    shown = page(rita.get(permit))
    assert len(queries()) <= MOST_QUERIES
    assert shown.links()["portaria 112/26"] == f"{LIST}/{act}"
    assert shown.links()["Cadastrar este ato: Portaria 113/2026"].startswith(NEW)
    assert permit in page(rita.get(f"{LIST}/{act}")).links().values()


def test_a_decision_is_tied_to_the_act_that_it_names(someone, enter, page, desk, jonas, clock) -> None:
    act = acts.enter_act(jonas.occasion(), desk, ActInput("despacho", "45/2026", date(2026, 11, 30)))
    user = someone("diretor", authority=PORT)
    steps.appoint(desk, factories.Clerk(user.id, user.username, PORT))
    request_id = steps.ready(desk, jonas)
    clock.ahead(hours=2)
    olga, one = enter(user), f"/requerimentos/{request_id}/decisao"
    asked = page(olga.get(f"{one}/confira?resultado=deferido"))
    assert asked.all(".//datalist/option[@value='Despacho nº 45/2026']")
    answer = olga.post(one, data=asked.form(one) | {"act": "despacho 45/26"})
    assert answer.status_code == 303
    shown = page(olga.get(answer.location))
    assert "Ato: despacho 45/26." in shown.text
    assert shown.links()["Abrir o ato"] == f"{LIST}/{act}"
