"""A draft: opened, filled in, kept, looked at, filed; with htmx and without JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from registry.services.desk import Desk
from registry.services.requests import save_request, withdraw_request
from registry.store.charges import Charge
from registry.store.requests import Request
from tests import factories
from tests.factories import CNPJS, CPFS, OTHER
from tests.regime import CODE
from tests.web.checker import words
from tests.web.conftest import MOST_QUERIES

NEW = "/requerimentos/novo"
HTMX = {"HX-Request": "true"}


def here(request_id: int) -> str:
    return f"/requerimentos/{request_id}"


def opened(client: FlaskClient, page: Callable[..., Any], **query: str) -> int:
    form = page(client.get(NEW, query_string=query)).form()
    address = NEW + ("?" + "&".join(f"{name}={value}" for name, value in query.items()) if query else "")
    answer = client.post(address, data=form | {"what": f"{CODE}:novo"})
    assert answer.status_code == 303
    return int(answer.headers["Location"].partition("?")[0].rsplit("/", 1)[1])


def typed(client: FlaskClient, page: Callable[..., Any], request_id: int, **fields: str) -> dict[str, str]:
    sent: dict[str, str] = page(client.get(here(request_id))).form(f"{here(request_id)}/dados")
    return sent | fields


def row_of(desk: Desk, request_id: int) -> Request:
    with desk.store.reading() as session:
        return session.get_one(Request, request_id)


def test_a_draft_is_opened_filled_in_and_filed_without_javascript(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, jonas = login("atendente")
    factories.person(desk, jonas)
    factories.vehicle(desk, jonas)
    made = opened(client, page)
    empty = page(client.get(here(made)))
    assert "Informe o veículo para ver os apontamentos dele." in empty.text
    assert "Escolha o tipo de requerente para ver os documentos" in empty.text
    assert "Protocolar" not in [words(button) for button in empty.all(".//button")]

    first = {"holder_kind": "PF", "category": "comum", "document": "023.456.781-35", "plate": "rzt-6b18"}
    saved = client.post(f"{here(made)}/dados", data=typed(client, page, made, **first))
    assert saved.status_code == 303
    shown = page(client.get(saved.headers["Location"]))
    assert "Gravado às 12h." in shown.text
    assert "A barca tem 20 lugares; o mínimo é 12." in shown.text
    assert "Registro da barca" in shown.text

    answer = client.post(f"{here(made)}/dados", data=typed(client, page, made, fact_crew="3", then="protocolar"))
    assert answer.status_code == 303
    filed = page(client.get(answer.headers["Location"]))
    assert "Protocolado com o número 2026/000001." in filed.text
    assert row_of(desk, made).facts["crew"] == 3


def test_a_draft_begins_with_what_one_came_from(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, jonas = login("atendente")
    firm, boat = factories.company(desk, jonas), factories.vehicle(desk, jonas)
    row = row_of(desk, opened(client, page, document=CNPJS[0], plate="RZT6B18"))
    assert (row.applicant_id, row.vehicle_id, row.holder_kind) == (firm, boat, "PJ")
    unknown = opened(client, page, document=CPFS[2])
    assert row_of(desk, unknown).applicant_id is None


def test_a_kind_must_be_chosen(login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, _ = login("atendente")
    form = page(client.get(NEW)).form()
    wrong = page(client.post(NEW, data=form | {"what": ""}), 422)
    assert wrong.error_of("what") == "Escolha o que se pede."
    page(client.post(NEW, data=form | {"what": f"{CODE}:transferencia"}), 422)


def test_a_repeated_click_opens_one_draft(login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, _ = login("atendente")
    form = page(client.get(NEW)).form() | {"what": f"{CODE}:novo"}
    assert client.post(NEW, data=form).headers["Location"] == client.post(NEW, data=form).headers["Location"]


def test_what_cannot_be_read_stands_beside_its_field_and_all_that_was_typed_is_kept(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, _ = login("atendente")
    made = opened(client, page)
    wrong = {
        "holder_kind": "PF",
        "document": "023.456.781-36",
        "plate": "RZT6B1",
        "fact_capital": "1.2,3",
        "category": "turismo",
    }
    shown = page(client.post(f"{here(made)}/dados", data=typed(client, page, made, **wrong)), 422)
    assert shown.title.startswith("Erro: ")
    assert "os dois últimos números não batem" in shown.error_of("document")
    assert shown.error_of("plate") == "A placa tem 7 letras e números. Você digitou 6."
    assert "Corrija 2 campos" in shown.text
    kept = shown.form(f"{here(made)}/dados")
    assert (kept["document"], kept["plate"], kept["category"]) == ("023.456.781-36", "RZT6B1", "turismo")
    assert row_of(desk, made).holder_kind == ""


def test_a_number_without_a_record_leads_to_entering_it_and_back(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, jonas = login("atendente")
    made = opened(client, page)
    sent = typed(client, page, made, document=CPFS[1], plate="KGA1234")
    shown = page(client.post(f"{here(made)}/dados", data=sent), 422)
    assert shown.error_of("document") == "Não há cadastro com este número."
    person = shown.links()["Cadastrar pessoa ou empresa e voltar aqui"]
    assert person.startswith("/pessoas/nova?document=52998224725&volta=")
    assert shown.links()["Cadastrar veículo e voltar aqui"].startswith("/veiculos/novo?plate=KGA1234&volta=")
    page(client.get(person))
    factories.person(desk, jonas, CPFS[1], "Ivo Tavares")
    back = page(client.get(f"{here(made)}?document={CPFS[1]}"))
    assert back.form(f"{here(made)}/dados")["document"] == CPFS[1]
    assert "Ivo Tavares" in back.text


def test_what_is_typed_is_kept_as_one_goes_with_a_word_and_a_new_version(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], queries: Callable[[], list[str]]
) -> None:
    client, jonas = login("atendente")
    ana = factories.person(desk, jonas)
    made = opened(client, page)
    sent = typed(client, page, made, document="02345678135", holder_kind="PF", fact_crew="doze")
    part = page(client.post(f"{here(made)}/_gravar", data=sent, headers=HTMX))
    assert "Gravado às 12h." in part.text
    row = row_of(desk, made)
    assert (row.applicant_id, row.holder_kind, row.facts.get("crew")) == (ana, "PF", None)
    version = part.one(".//input[@id='versao']")
    assert (version.get("value"), version.get("hx-swap-oob")) == (str(row.version), "true")
    assert "Ana Lima" in words(part.one(".//div[@id='achado-document']"))
    assert "Registro da barca" in part.text
    again = client.post(f"{here(made)}/_gravar", data=sent | {"version": str(row.version)}, headers=HTMX)
    assert "lista-pedida" in page(again).html


def test_keeping_says_what_is_wrong_beside_the_field(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, jonas = login("atendente")
    factories.company(desk, jonas)
    made = opened(client, page)
    sent = typed(client, page, made, document=CNPJS[0], holder_kind="PF", category="turismo")
    part = page(client.post(f"{here(made)}/_gravar", data=sent, headers=HTMX))
    assert "«Pessoa física» é pessoa física." in words(part.one(".//div[@id='achado-document']"))
    row = row_of(desk, made)
    assert (row.applicant_id, row.category) == (None, "turismo")
    missing = typed(client, page, made, document=CPFS[1])
    part = page(client.post(f"{here(made)}/_gravar", data=missing, headers=HTMX))
    assert "Cadastrar pessoa ou empresa e voltar aqui" in part.links()


def test_findings_follow_what_is_typed_and_nothing_is_saved(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], queries: Callable[[], list[str]]
) -> None:
    client, jonas = login("atendente")
    made = factories.draft(desk, jonas)
    sent = typed(client, page, made, holder_kind="PJ", fact_crew="4")
    queries()
    part = page(client.post(f"{here(made)}/_findings", data=sent, headers=HTMX))
    assert part.is_fragment
    assert words(part.one(".//span[@role='status']")) == "1 impede · 1 espera dados · 2 em ordem"
    assert "contrato" in part.one(".//input[@id='lista-pedida']").get("value", "")
    seen = part.one(".//input[@id='lista-pedida']").get("value", "")
    quiet = page(client.post(f"{here(made)}/_findings", data=sent | {"wanted": seen}, headers=HTMX))
    assert quiet.all(".//section[@id='documentos']") == []
    assert row_of(desk, made).holder_kind == "PF"
    assert row_of(desk, made).facts == {}


def test_without_javascript_a_button_shows_the_findings_of_what_was_typed(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, _ = login("atendente")
    made = opened(client, page)
    sent = typed(client, page, made, holder_kind="PJ", fact_capital="9.000,00", then="ver")
    answer = client.post(f"{here(made)}/dados", data=sent)
    assert (answer.status_code, answer.location) == (303, f"{here(made)}#apontamentos")
    shown = page(client.get(here(made)))
    assert shown.form(f"{here(made)}/dados")["fact_capital"] == "9.000,00"
    assert "Contrato social Falta" in shown.text
    assert row_of(desk, made).holder_kind == "PJ"


def test_without_javascript_the_button_asks_of_the_person_and_vehicle_that_were_typed(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, jonas = login("atendente")
    ana = factories.person(desk, jonas)
    boat = factories.vehicle(desk, jonas)
    made = opened(client, page)
    sent = typed(client, page, made, holder_kind="PF", document="02345678135", plate="RZT6B18", then="ver")
    shown = page(client.post(f"{here(made)}/dados", data=sent | {"fact_crew": "muitos"}), 422)
    assert "Informe o veículo" not in shown.text
    assert (row_of(desk, made).applicant_id, row_of(desk, made).vehicle_id) == (ana, boat)
    assert shown.error_of("fact_crew")
    assert shown.form(f"{here(made)}/dados")["fact_crew"] == "muitos"


def test_filing_names_what_is_lacking_and_keeps_what_was_typed(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, jonas = login("atendente")
    firm = factories.company(desk, jonas)
    made = factories.draft(desk, jonas, applicant_id=firm, holder_kind="PJ")
    sent = typed(client, page, made, fact_crew="7", then="protocolar")
    shown = page(client.post(f"{here(made)}/dados", data=sent), 422)
    assert shown.error_of("fact_capital") == "Informe: capital."
    assert shown.form(f"{here(made)}/dados")["fact_crew"] == "7"
    assert row_of(desk, made).state == "rascunho"


def test_a_plate_of_another_holder_names_the_permit(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, jonas = login("atendente")
    ivo = factories.person(desk, jonas, CPFS[1], "Ivo Tavares")
    permit = factories.permit(desk.store, ivo, factories.vehicle(desk, jonas))
    factories.person(desk, jonas)
    made = opened(client, page)
    sent = typed(client, page, made, holder_kind="PF", document="02345678135", plate="RZT6118")
    shown = page(client.post(f"{here(made)}/dados", data=sent), 422)
    assert shown.error_of("plate").startswith("A placa RZT6B18 já está na outorga nº 0391")
    assert f"/outorgas/{permit}" in shown.links().values()


def test_filing_twice_says_so_and_repeats_nothing(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, jonas = login("atendente")
    made = factories.draft(desk, jonas)
    sent = typed(client, page, made, then="protocolar")
    assert client.post(f"{here(made)}/dados", data=sent).status_code == 303
    assert client.post(f"{here(made)}/dados", data=sent).status_code == 303
    assert "Nada se repetiu" in page(client.get(here(made))).text
    with desk.store.reading() as session:
        assert len(session.scalars(select(Charge)).all()) == 1


def test_a_stale_save_shows_both_values_in_words(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    _, rita = login("analista", name="Rita Prado")
    made = factories.draft(desk, marina, facts={"capital": "10,00", "has_pier": "sim", "route": "norte"})
    sent = typed(client, page, made, fact_route="sul", fact_has_pier="nao")
    other = factories.person(desk, rita, CPFS[1], "Ivo Tavares")
    save_request(rita.occasion(), desk, made, 1, links={"applicant_id": other}, facts={"has_pier": None, "route": ""})
    shown = page(client.post(f"{here(made)}/dados", data=sent), 409)
    assert "Rita Prado mudou este cadastro" in shown.text
    assert "Norte" in shown.text
    assert "Ivo Tavares, 529.982.247-25" in shown.text
    choices = shown.form(f"{here(made)}/dados")
    assert choices["document"] == "529.982.247-25"
    assert not {"fact_route", "fact_has_pier"} & choices.keys()
    missing = page(client.post(f"{here(made)}/dados", data=choices | {"fact_route": "sul"}), 422)
    assert missing.error_of("fact_has_pier") == "Escolha o que fica."
    choices = missing.form(f"{here(made)}/dados")
    assert (choices["fact_route"], choices["document"]) == ("sul", "529.982.247-25")
    assert client.post(f"{here(made)}/dados", data=choices | {"fact_has_pier": ""}).status_code == 303
    row = row_of(desk, made)
    assert (row.facts["route"], row.facts["has_pier"], row.applicant_id) == ("sul", None, other)


def test_a_stale_keep_shows_the_conflict_in_the_notice(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    made = factories.draft(desk, marina)
    sent = typed(client, page, made, fact_crew="5")
    save_request(marina.occasion(), desk, made, 1, facts={"crew": "4"})
    answer = client.post(f"{here(made)}/_gravar", data=sent, headers=HTMX)
    assert (answer.status_code, answer.headers["HX-Retarget"]) == (409, "#aviso")


def test_a_filed_request_has_its_facts_corrected_and_nothing_else(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina, facts={"crew": "3"})
    closed = page(client.get(here(made)))
    assert closed.all(".//form[@id='form-dados']") == []
    form = page(client.get(closed.links()["Corrigir"])).form(f"{here(made)}/dados")
    assert "document" not in form
    answer = client.post(f"{here(made)}/dados", data=form | {"fact_crew": "5", "document": CPFS[1]})
    assert answer.status_code == 303
    assert row_of(desk, made).facts["crew"] == 5
    page(client.post(f"{here(made)}/_gravar", data=form, headers=HTMX), 404)


def test_an_ended_request_is_not_filled_in(desk: Desk, login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, marina = login("analista")
    made = factories.draft(desk, marina)
    sent = typed(client, page, made, fact_crew="5")
    withdraw_request(marina.occasion(), desk, made, "Engano")
    page(client.post(f"{here(made)}/_findings", data=sent, headers=HTMX), 404)
    assert client.post(f"{here(made)}/dados", data=sent).status_code == 303
    assert row_of(desk, made).facts == {}
    assert page(client.get(here(made))).all(".//form[@id='form-dados']") == []


@pytest.mark.parametrize("address", ["", "/dados", "/_gravar", "/_findings"])
def test_a_request_of_another_authority_does_not_exist(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], token: Callable[..., str], address: str
) -> None:
    _, marina = login("analista")
    made = factories.draft(desk, marina)
    stranger, _ = login("analista", authority=OTHER)
    data = {"csrf_token": token(stranger), "version": "1"}
    answer = stranger.post(here(made) + address, data=data) if address else stranger.get(here(made))
    page(answer, 404)


@pytest.mark.parametrize("role", ["diretor", "auditor", "tesouraria", "vistoriador"])
def test_whoever_does_not_edit_reads(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], token: Callable[..., str], role: str
) -> None:
    _, marina = login("analista")
    made = factories.draft(desk, marina)
    reader, _ = login(role)
    shown = page(reader.get(here(made)))
    assert shown.all(".//form[@id='form-dados']") == []
    assert "Quem protocola: Atendente e Analista." in shown.text
    page(reader.post(f"{here(made)}/dados", data={"csrf_token": token(reader)}), 403)
    page(reader.get(NEW), 403)


def test_a_cooperative_is_asked_only_of_its_members(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, jonas = login("atendente")
    made = opened(client, page)
    sent = typed(client, page, made, holder_kind="COOP_MEMBER")
    assert "cooperative_document" not in sent
    client.post(f"{here(made)}/dados", data=sent)
    assert "cooperative_document" in typed(client, page, made)
    coop = factories.cooperative(desk, jonas)
    client.post(f"{here(made)}/dados", data=typed(client, page, made, cooperative_document=CNPJS[1]))
    assert row_of(desk, made).cooperative_id == coop
    client.post(f"{here(made)}/dados", data=typed(client, page, made, holder_kind="PF"))
    assert row_of(desk, made).cooperative_id is None


def test_a_page_of_a_draft_is_made_in_few_queries(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], queries: Callable[[], list[str]]
) -> None:
    client, marina = login("analista")
    made = factories.draft(desk, marina)
    queries()
    page(client.get(here(made)))
    assert len(queries()) <= MOST_QUERIES


def test_what_was_chosen_after_a_stale_keep_is_saved_as_a_whole_page(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    made = factories.draft(desk, marina)
    sent = typed(client, page, made, fact_crew="5")
    save_request(marina.occasion(), desk, made, 1, facts={"crew": "4"})
    conflict = page(client.post(f"{here(made)}/_gravar", data=sent, headers=HTMX), 409)
    chosen = conflict.form(f"{here(made)}/_gravar")
    assert page(client.post(f"{here(made)}/_gravar", data=chosen), 422).error_of("fact_crew")
    chosen |= {"fact_crew": "5"}
    answer = client.post(f"{here(made)}/_gravar", data=chosen)
    assert answer.status_code == 303
    assert row_of(desk, made).facts["crew"] == 5


@pytest.mark.parametrize("path", ["dados", "documentos/registro/enviar", "documentos/registro/dispensar"])
def test_the_address_of_a_form_that_came_back_leads_to_the_page(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], path: str
) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    answer = client.get(f"{here(made)}/{path}")
    assert answer.status_code == 303
    page(client.get(answer.headers["Location"]))
