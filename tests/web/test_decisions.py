"""The decision on screen: who may, a choice that nothing presets, «Confira», once, and what it gave."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.services import offices, waits
from registry.store.access import User
from registry.store.permits import Permit
from registry.store.requests import Decision, Request, Wait
from tests import factories, regime
from tests.factories import OTHER, PORT
from tests.services import steps
from tests.web import boats
from tests.web.boats import HX
from tests.web.checker import words
from tests.web.conftest import MOST_QUERIES

settings, host, desk, jonas = boats.settings, boats.host, boats.desk, boats.jonas


@pytest.fixture
def ready(desk: Any, jonas: Any, clock: Any) -> int:
    """A request on which only the decision is left, at two in the afternoon."""
    request_id = steps.ready(desk, jonas)
    clock.ahead(hours=2)
    return request_id


@pytest.fixture
def rita(someone: Any, enter: Any, desk: Any, jonas: Any) -> Any:
    """A client of the Capitão do Porto."""
    user = someone("diretor", authority=PORT, name="Rita Moura")
    appoint(desk, jonas, user.id)
    return enter(user)


def appoint(desk: Any, clerk: Any, user_id: int, since: date = date(2026, 1, 1), until: date | None = None) -> None:
    offices.appoint(clerk.occasion(), desk, user_id, regime.CODE, steps.OFFICE, since, until, act="Portaria 1/2026")


def address(request_id: int) -> str:
    return f"/requerimentos/{request_id}/decisao"


def confira(request_id: int, result: str) -> str:
    return f"{address(request_id)}/confira?resultado={result}"


def chosen(page: Any, client: Any, request_id: int, result: str, **typed: str) -> dict[str, str]:
    """The form of «Confira» for a result."""
    form = page(client.get(confira(request_id, result))).form(address(request_id))
    return form | typed


def count(desk: Any, table: Any) -> int:
    with desk.store.reading() as session:
        return int(session.scalar(select(func.count()).select_from(table)) or 0)


def test_the_list_shows_what_is_ready_oldest_first(rita, page, ready, queries) -> None:
    queries()
    shown = page(rita.get("/decisoes"))
    assert len(queries()) <= MOST_QUERIES
    assert shown.links()["Permissão nova"] == address(ready)
    assert "Ana Lima" in shown.text


def test_an_empty_list_and_an_empty_filter_differ(rita, page, ready) -> None:
    assert "Nenhum requerimento com estes filtros." in page(rita.get("/decisoes?tipo=renovacao")).text


def test_no_work_is_said_as_such(rita, page) -> None:
    assert "Nenhum requerimento pronto para decisão." in page(rita.get("/decisoes")).text


@pytest.mark.parametrize("number", ["0", "x", "999"])
def test_a_page_that_is_none_is_404(rita, page, number: str) -> None:
    page(rita.get(f"/decisoes?page={number}"), 404)


def test_the_page_presets_nothing_and_drafts_both_texts(rita, page, ready, queries) -> None:
    queries()
    shown = page(rita.get(address(ready)))
    assert len(queries()) <= MOST_QUERIES
    radios = shown.all(".//input[@name='resultado']")
    assert [radio.get("value") for radio in radios] == ["deferido", "indeferido", "devolver"]
    assert not [radio for radio in radios if radio.get("checked") is not None]
    assert "Defiro. Foi conferido:" in shown.text and "A barca tem 20 lugares" in shown.text
    assert "Minuta: deferir" in shown.text


def test_confira_repeats_the_effect_and_then_it_is_decided(rita, page, desk, ready) -> None:
    shown = page(rita.get(confira(ready, "deferido")))
    assert shown.h1 == "Confira"
    assert shown.form(address(ready))["text"].startswith("Defiro. Foi conferido:")
    assert "Concede permissão nº 0001." in shown.text
    assert "Emite passe nº 0001/2026 para RZT6B18, até 28/11/2027." in shown.text
    assert count(desk, Decision) == 0
    answer = rita.post(address(ready), data=shown.form(address(ready)))
    assert answer.status_code == 303
    done = page(rita.get(answer.location))
    assert "Decidido por Rita Moura, Capitão do Porto, em 30/11/2026 às 14h." in done.text
    assert "0001" in done.text and "28/11/2027" in done.text
    assert "Lotação" in done.text
    assert not done.all(".//input[@name='resultado']")
    assert count(desk, Permit) == 1


def test_deciding_twice_shows_the_first_decision(rita, page, desk, ready) -> None:
    data = chosen(page, rita, ready, "deferido")
    rita.post(address(ready), data=data)
    other = data | {"once_key": "outra", "result": "indeferido", "text": "Mudei de ideia"}
    answer = rita.post(address(ready), data=other)
    assert answer.status_code == 303
    assert "Decidido por Rita Moura às 14h. Nada se repetiu." in page(rita.get(answer.location)).text
    assert count(desk, Decision) == 1
    assert rita.post(address(ready), data=data).status_code == 303
    assert count(desk, Permit) == 1


def test_confira_has_an_address_and_back_leads_to_the_decision(rita, page, desk, ready) -> None:
    confirm = page(rita.get(confira(ready, "indeferido")))
    assert "Nega o pedido" in confirm.text
    assert confirm.links()["Voltar"] == address(ready)
    rita.post(address(ready), data=chosen(page, rita, ready, "indeferido", text="Falta o cais."))
    for result in ("deferido", "indeferido", "devolver"):
        back = rita.get(confira(ready, result))
        assert (back.status_code, back.location) == (303, address(ready))
    assert "Falta o cais." in page(rita.get(address(ready))).text
    assert count(desk, Decision) == 1


@pytest.mark.parametrize("result", ["", "x", "deferir"])
def test_a_result_must_be_chosen(rita, page, token, desk, ready, result) -> None:
    shown = page(rita.get(confira(ready, result)), 422)
    assert shown.error_of("result") == "Escolha: deferir, indeferir ou devolver."
    forged = {"csrf_token": token(rita), "version": "1", "result": result, "text": "x"}
    assert page(rita.post(address(ready), data=forged), 422).error_of("result")
    assert count(desk, Decision) == 0


@pytest.mark.parametrize(("result", "text"), [("indeferido", " "), ("devolver", "")])
def test_a_choice_without_its_text_stays_on_the_page(rita, page, desk, ready, result, text) -> None:
    data = chosen(page, rita, ready, result, text=text)
    shown = page(rita.post(address(ready), data=data), 422)
    assert shown.error_of("text").startswith("Escreva")
    assert shown.form(address(ready))["result"] == result
    assert count(desk, Decision) == 0


@pytest.mark.parametrize(("result", "most"), [("deferido", 8000), ("indeferido", 8000), ("devolver", 4000)])
def test_a_text_beyond_its_column_is_kept_beside_its_limit(rita, page, desk, ready, result, most) -> None:
    shown = page(rita.post(address(ready), data=chosen(page, rita, ready, result, text="x" * (most + 1))), 422)
    assert shown.error_of("text") == f"O texto tem {most + 1} letras. O limite é {most}."
    assert shown.form(address(ready))["text"] == "x" * (most + 1)
    assert count(desk, Decision) == 0


def test_what_impedes_is_listed_and_granting_is_no_choice(rita, page, desk, jonas) -> None:
    request_id = factories.filed(desk, jonas)
    shown = page(rita.get(address(request_id)))
    assert "Ainda não dá para deferir." in shown.text
    assert [radio.get("value") for radio in shown.all(".//input[@name='resultado']")] == ["indeferido", "devolver"]
    assert "Impede o deferimento" in shown.text
    assert "0 aten" not in words(shown.one(".//section[@id='apontamentos']/header"))
    refused = page(rita.get(confira(request_id, "deferido")), 422)
    assert "Ainda não dá para deferir" in refused.error_of("result")
    form = chosen(page, rita, request_id, "indeferido")
    assert form["text"].startswith("Indefiro, porque:")
    forged = form | {"result": "deferido", "text": "Meu texto"}
    refused = page(rita.post(address(request_id), data=forged), 422)
    assert "Resolva antes" in refused.text
    assert refused.form(address(request_id))["text"] == "Meu texto"
    assert count(desk, Decision) == 0


def test_a_refusal_ends_the_request_with_its_reason(rita, page, desk, jonas) -> None:
    request_id = factories.filed(desk, jonas)
    rita.post(address(request_id), data=chosen(page, rita, request_id, "indeferido"))
    shown = page(rita.get(address(request_id)))
    assert "Indeferido" in shown.text and "Indefiro, porque:" in shown.text
    assert count(desk, Permit) == 0


def test_giving_back_asks_the_analysis(rita, page, desk, ready) -> None:
    assert "Nada é decidido agora." in page(rita.get(confira(ready, "devolver"))).text
    data = chosen(page, rita, ready, "devolver", text="Confirme os lugares.")
    assert rita.post(address(ready), data=data).status_code == 303
    with desk.store.reading() as session:
        assert session.get_one(Request, ready).shown == "em_analise"
        assert [wait.text for wait in session.scalars(select(Wait))] == ["Confirme os lugares."]
    assert count(desk, Decision) == 0


def test_a_proposal_to_refuse_is_shown_to_who_decides(rita, page, desk, jonas) -> None:
    request_id = factories.filed(desk, jonas)
    waits.propose_refusal(jonas.occasion(), desk, request_id, "Sem cais próprio.")
    assert "Sem cais próprio." in page(rita.get(address(request_id))).text


@pytest.mark.parametrize(
    ("since", "until", "may"),
    [
        (date(2026, 11, 30), None, True),
        (date(2026, 12, 1), None, False),
        (date(2026, 1, 1), date(2026, 11, 30), True),
        (date(2026, 1, 1), date(2026, 11, 29), False),
    ],
)
def test_the_office_is_held_on_the_day(someone, enter, page, desk, jonas, ready, since, until, may: bool) -> None:
    user = someone("diretor", authority=PORT, name="Rita Moura")
    appoint(desk, jonas, user.id, since, until)
    shown = page(enter(user).get(address(ready)))
    assert bool(shown.all(".//input[@name='resultado']")) is may
    assert ("Só quem é Capitão do Porto decide" in shown.text) is not may


def test_a_director_without_the_office_is_told_who_decides(rita, client_as, page, token, desk, ready) -> None:
    other = client_as("diretor", authority=PORT, name="Caio Prado")
    shown = page(other.get(address(ready)))
    assert "Só quem é Capitão do Porto decide este requerimento: Rita Moura." in shown.text
    data = {"csrf_token": token(other), "result": "deferido", "version": "1"}
    refused = page(other.post(address(ready), data=data), 403)
    assert "Rita Moura" in refused.text
    assert count(desk, Decision) == 0


def test_roles_that_do_not_decide_see_and_cannot(client_as, page, token, desk, ready) -> None:
    client = client_as("analista", authority=PORT)
    assert "ninguém está nomeado hoje" in page(client.get(address(ready))).text
    page(client.post(address(ready), data={"csrf_token": token(client), "result": "deferido"}), 403)
    page(client.get("/decisoes"), 403)
    page(client_as("agente_fiscal", authority=PORT).get(address(ready)), 403)


def test_another_authority_finds_nothing(someone, enter, page, token, desk, ready) -> None:
    client = enter(someone("diretor", authority=OTHER))
    page(client.get(address(ready)), 404)
    data = {"csrf_token": token(client), "result": "deferido", "version": "1"}
    page(client.get(confira(ready, "deferido")), 404)
    page(client.post(address(ready), data=data), 404)
    assert "Nenhum requerimento pronto" in page(client.get("/decisoes")).text


def test_a_request_that_changed_is_looked_at_again(rita, page, desk, ready) -> None:
    data = chosen(page, rita, ready, "deferido", text="Meu texto")
    with desk.store.writing() as session:
        session.get_one(Request, ready).version += 1
    shown = page(rita.post(address(ready), data=data), 409)
    assert "mudou este requerimento" in shown.text
    assert count(desk, Decision) == 0
    again = shown.form(address(ready))
    assert (again["result"], again["text"]) == ("deferido", "Meu texto")
    assert rita.post(address(ready), data=again).status_code == 303
    assert count(desk, Decision) == 1


def test_a_draft_has_nothing_to_decide(rita, page, desk, jonas) -> None:
    request_id = factories.draft(desk, jonas)
    assert "ainda é um rascunho" in page(rita.get(address(request_id))).text


def test_an_inactive_holder_is_not_named(client_as, someone, page, desk, jonas, ready) -> None:
    user = someone("diretor", authority=PORT, name="Saiu Daqui")
    appoint(desk, jonas, user.id)
    with desk.store.writing() as session:
        session.get_one(User, user.id).active = False
    assert "ninguém está nomeado hoje" in page(client_as("analista", authority=PORT).get(address(ready))).text


def test_the_list_is_a_fragment_for_htmx(rita, page, ready) -> None:
    assert page(rita.get("/decisoes", headers=HX)).is_fragment


def test_what_waits_is_called_the_same_on_the_request_and_on_its_decision(rita, page, desk, jonas) -> None:
    request_id = factories.filed(desk, jonas)
    factories.attach(desk, jonas, request_id, "registro")
    for code in ("fotos", "antecedentes"):
        factories.accept(desk, jonas, request_id, code)
    factories.accept(desk, jonas, request_id, "fotos")
    pages = [page(rita.get(where)) for where in (f"/requerimentos/{request_id}", address(request_id))]
    counts = {words(shown.one(".//section[@id='apontamentos']/header/span[@class='sum']")) for shown in pages}
    assert counts == {"1 a conferir · 1 espera dados · 2 em ordem"}
    for shown in pages:
        assert "Confira o documento enviado: registro." in shown.text
        assert "Falta conferir · Documentos" in words(shown.one(".//section[@id='apontamentos']"))
        assert "Falta informar · Vistoria" in words(shown.one(".//section[@id='apontamentos']"))
        assert "Impede o deferimento" not in words(shown.one(".//section[@id='apontamentos']"))


def test_a_document_that_was_sent_is_not_asked_for_again(rita, page, desk, jonas, someone, enter) -> None:
    request_id = factories.filed(desk, jonas)
    analyst = enter(someone("analista", authority=PORT, name="Marina Alves"))
    ask = f"/requerimentos/{request_id}/exigencia"
    factories.attach(desk, jonas, request_id, "registro")
    drafted = page(analyst.get(ask)).form(ask)["text"]
    assert "Falta aceitar: fotos e antecedentes." in drafted
    assert "registro" not in drafted
    for code in ("fotos", "antecedentes"):
        factories.attach(desk, jonas, request_id, code)
    assert "Documentos" not in page(analyst.get(ask)).form(ask)["text"]
    assert "Confira" not in page(analyst.get(ask)).form(ask)["text"]
