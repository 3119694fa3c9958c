"""Who has a request, what is asked of others, and its end without a decision."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from registry.services import inspections
from registry.services.assignment import take_request
from registry.services.desk import Desk
from registry.services.waits import open_exigencia
from registry.store.requests import Request, Wait
from tests import factories
from tests.factories import OTHER
from tests.services import steps
from tests.web.checker import words


def here(request_id: int) -> str:
    return f"/requerimentos/{request_id}"


def row_of(desk: Desk, request_id: int) -> Request:
    with desk.store.reading() as session:
        return session.get_one(Request, request_id)


def waits_of(desk: Desk) -> list[Wait]:
    with desk.store.reading() as session:
        return session.query(Wait).order_by(Wait.id).all()


def analysed(desk: Desk, by: Any) -> int:
    """A request under analysis, paid and inspected, whose papers are missing."""
    made = factories.filed(desk, by)
    steps.pay(desk, by, made)
    steps.inspect(desk, by, made)
    take_request(by.occasion(), desk, made)
    return made


def next_step(page: Any) -> str:
    return words(page.one(".//section[@id='proximo']"))


def test_an_analyst_takes_a_request_and_the_second_is_told_who_was_first(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], token: Callable[..., str]
) -> None:
    client, marina = login("analista")
    other, _ = login("analista", name="Rita Prado")
    made = factories.filed(desk, marina)
    steps.pay(desk, marina, made)
    steps.inspect(desk, marina, made)
    shown = page(client.get(here(made)))
    assert "Pegar para análise" in next_step(shown)
    sent = shown.form(f"{here(made)}/pegar")
    stale = page(other.get(here(made))).form(f"{here(made)}/pegar")
    assert client.post(f"{here(made)}/pegar", data=sent).status_code == 303
    assert "Com você." in page(client.get(here(made))).text
    assert other.post(f"{here(made)}/pegar", data=stale).status_code == 303
    told = page(other.get(here(made)))
    assert "Marina Albuquerque pegou este requerimento" in told.text
    assert row_of(desk, made).assigned_to == marina.id


def test_a_request_is_passed_to_a_colleague_and_back_to_the_queue(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    _, rita = login("analista", name="Rita Prado")
    _, stranger = login("analista", authority=OTHER, name="Bruno Teles")
    made = analysed(desk, marina)
    link = page(client.get(here(made))).links()["Passar para outra pessoa"]
    shown = page(client.get(link))
    options = {words(option): option.get("value") for option in shown.all(".//option")}
    assert "Rita Prado" in options
    assert "Bruno Teles" not in options
    wrong = page(client.post(link, data=shown.form(link)), 422)
    assert wrong.error_of("to_user_id") == "Escolha para quem passar."
    page(client.post(link, data=shown.form(link) | {"to_user_id": str(stranger.id)}), 422)
    answer = client.post(link, data=shown.form(link) | {"to_user_id": str(rita.id), "note": "Férias"})
    assert answer.status_code == 303
    assert row_of(desk, made).assigned_to == rita.id
    assert "Passado para Rita Prado" in page(client.get(here(made))).text
    client.post(link, data=page(client.get(link)).form(link) | {"to_user_id": "0"})
    assert row_of(desk, made).assigned_to is None


def test_the_exigencia_is_born_from_the_findings_and_edited(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    made = analysed(desk, marina)
    shown = page(client.get(here(made)))
    assert "Registrar exigência" in next_step(shown)
    assert "Resposta até 15/12/2026. Por quê?" in next_step(shown)
    address = f"{here(made)}/exigencia"
    asked = page(client.get(address))
    form = asked.form(address)
    assert "Falta aceitar: registro, fotos e antecedentes." in form["text"]
    assert "O prazo não vem de lei: é o da configuração do órgão." in asked.text
    empty = page(client.post(address, data=form | {"text": "  "}), 422)
    assert empty.error_of("text") == "Escreva o que o requerente deve apresentar ou corrigir."
    long = page(client.post(address, data=form | {"text": "x" * 4001}), 422)
    assert "4000" in long.error_of("text")
    answer = client.post(address, data=form | {"text": "Traga as fotos."})
    assert answer.status_code == 303
    assert client.post(address, data=form | {"text": "Traga as fotos."}).status_code == 303
    (wait,) = waits_of(desk)
    assert (wait.text, wait.due_on) == ("Traga as fotos.", date(2026, 12, 15))
    told = page(client.get(here(made)))
    assert "Em exigência" in told.text
    assert "Exigência: resposta até 15/12/2026" in told.text
    assert "Traga as fotos." in told.text


def test_an_open_item_is_answered_once(desk: Desk, login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, marina = login("analista")
    made = analysed(desk, marina)
    open_exigencia(marina.occasion(), desk, made, "Traga as fotos.")
    shown = page(client.get(here(made)))
    address = f"{here(made)}/espera/{waits_of(desk)[0].id}"
    assert address in shown.links().values()
    form = page(client.get(address)).form(address)
    assert page(client.post(address, data=form), 422).error_of("outcome") == "Escolha o resultado."
    sent = form | {"outcome": "respondida", "note": "Trouxe em papel"}
    assert client.post(address, data=sent).status_code == 303
    assert waits_of(desk)[0].outcome == "respondida: Trouxe em papel"
    assert client.post(address, data=sent).status_code == 303
    assert "Nada se repetiu" in page(client.get(here(made))).text


@pytest.mark.parametrize(
    ("path", "kind", "shown"),
    [("encaminhar", "referral", "Encaminhado"), ("propor-indeferimento", "proposal", "Pronto para decisão")],
)
def test_a_request_is_referred_or_proposed_for_refusal(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], path: str, kind: str, shown: str
) -> None:
    client, marina = login("analista")
    made = analysed(desk, marina)
    address = f"{here(made)}/{path}"
    assert address in page(client.get(here(made))).links().values()
    form = page(client.get(address)).form(address)
    page(client.post(address, data=form), 422)
    assert client.post(address, data=form | {"text": "Motivo"}).status_code == 303
    assert [wait.kind for wait in waits_of(desk)] == [kind]
    assert shown in page(client.get(here(made))).text


def test_a_request_that_is_ready_goes_to_the_office(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    director, rita = login("diretor", name="Rita Prado")
    made = steps.ready(desk, marina)
    clear = page(client.get(here(made)))
    assert "Nada impede o deferimento." in clear.text
    address = f"{here(made)}/enviar-para-decisao"
    sent = clear.form(address)
    alone = page(client.post(address, data=sent), 422)
    assert "Ninguém está nomeado hoje para o cargo «Capitão do Porto»." in alone.text
    steps.appoint(desk, rita)
    assert client.post(address, data=sent).status_code == 303
    assert row_of(desk, made).assigned_to == rita.id
    assert "Enviar para decisão" not in next_step(page(client.get(here(made))))
    shown = page(director.get(here(made)))
    assert shown.links()["Abrir a decisão"] == f"{here(made)}/decisao"


def test_a_request_that_is_not_ready_is_not_sent(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], token: Callable[..., str]
) -> None:
    client, marina = login("analista")
    _, rita = login("diretor", name="Rita Prado")
    steps.appoint(desk, rita)
    made = analysed(desk, marina)
    page(client.post(f"{here(made)}/enviar-para-decisao", data={"csrf_token": token(client)}), 422)
    assert row_of(desk, made).assigned_to == marina.id


def test_withdrawing_wants_the_reason_and_ends_the_request(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("atendente")
    made = factories.filed(desk, marina)
    address = f"{here(made)}/desistencia"
    form = page(client.get(address)).form(address)
    assert page(client.post(address, data=form), 422).error_of("reason") == "Escreva o motivo. Ele vai para o processo."
    assert client.post(address, data=form | {"reason": "Vendeu a barca"}).status_code == 303
    shown = page(client.get(here(made)))
    assert "O requerente desistiu do pedido." in shown.text
    assert "«Vendeu a barca»" in shown.text
    assert client.post(address, data=form | {"reason": "De novo"}).status_code == 303
    assert "Nada se repetiu" in page(client.get(here(made))).text


def test_the_next_step_follows_the_request(desk: Desk, login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    assert "Vistoria: R$ 200,00 hoje. Quem recebe: Tesouraria." in next_step(page(client.get(here(made))))
    assert "R$ 200,00" in words(page(client.get(here(made))).one(".//section[@id='taxas']"))
    steps.pay(desk, marina, made)
    assert page(client.get(here(made))).links()["Marcar vistoria"] == f"/vistorias/marcar/{made}"
    booked = steps.book(desk, marina, made)
    assert page(client.get(here(made))).links()["Abrir a vistoria"] == f"/vistorias/{booked}"
    version = steps.mark_all(desk, marina, booked)
    inspections.conclude_inspection(marina.occasion(hours=1), desk, booked, version)
    shown = page(client.get(here(made)))
    assert "Aprovada" in words(shown.one(".//section[@id='vistoria']"))
    assert "Pegar para análise" in next_step(shown)
    take_request(marina.occasion(), desk, made)
    factories.attach(desk, marina, made, "antecedentes")
    assert "Conferir 1 documento" in next_step(page(client.get(here(made))))


def test_each_role_is_told_who_acts(desk: Desk, login: Callable[..., Any], page: Callable[..., Any]) -> None:
    _, marina = login("analista")
    made = analysed(desk, marina)
    clerk, _ = login("atendente")
    shown = page(clerk.get(here(made)))
    assert "Quem registra a exigência: Analista." in next_step(shown)
    assert f"{here(made)}/exigencia" not in shown.links().values()
    page(clerk.get(f"{here(made)}/exigencia"), 403)
    assert "Registrar desistência" in shown.links()
    auditor, _ = login("auditor")
    quiet = page(auditor.get(here(made)))
    assert "Registrar desistência" not in quiet.links()
    assert [form for form in quiet.all(".//main//form") if form.get("method") == "post"] == []


@pytest.mark.parametrize(
    "path", ["exigencia", "encaminhar", "propor-indeferimento", "desistencia", "passar", "espera/1"]
)
def test_acts_on_a_request_of_another_authority_do_not_exist(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], path: str
) -> None:
    _, marina = login("analista")
    made = analysed(desk, marina)
    open_exigencia(marina.occasion(), desk, made, "Traga as fotos.")
    stranger, _ = login("analista", authority=OTHER)
    page(stranger.get(f"{here(made)}/{path}"), 404)


def test_a_late_exigencia_is_told_as_late_on_the_day_after_its_last(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], clock: Any
) -> None:
    _, marina = login("analista")
    made = analysed(desk, marina)
    open_exigencia(marina.occasion(), desk, made, "Traga as fotos.")
    for days, words_ in ((14, "em 1 dia útil"), (1, "vence hoje"), (1, "atrasado 1 dia útil")):
        clock.ahead(days=days)
        client, _ = login("analista")
        assert words_ in next_step(page(client.get(here(made))))


def test_the_fees_add_up(desk: Desk, login: Callable[..., Any], page: Callable[..., Any], clock: Any) -> None:
    _, marina = login("analista")
    made = steps.ready(desk, marina)
    clock.ahead(hours=2)
    client, _ = login("auditor")
    shown = words(page(client.get(here(made))).one(".//section[@id='taxas']"))
    assert "Total pago R$ 700,00" in shown
