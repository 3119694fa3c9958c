"""The screens of retificação: what is registered, what will happen in one sentence, the act, both histories."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from registry.store.corrections import Correction
from registry.store.people import Membership
from registry.store.permits import Licence, PermitVehicle
from tests.web.conftest import MOST_QUERIES, TODAY
from tests.web.records import Records, form_sent, led_to


@pytest.fixture
def records(app: Flask) -> Records:
    return Records(app)


@pytest.fixture
def analyst(client_as: Any) -> Any:
    return client_as("analista")


@pytest.fixture
def permit(records: Records) -> tuple[int, int]:
    """A permit and its vehicle."""
    bus = records.vehicle("RZT6B18")
    return records.permit(records.company(), bus), bus


def row(records: Records, table: Any) -> int:
    with records.desk.store.reading() as session:
        return int(session.query(table).one().id)


def order(form: Any, **more: str) -> dict[str, str]:
    offices = [each.get("value") for each in form.all(".//select[@name='office']/option") if each.get("value")]
    return {"reason": "Digitado errado", "office": offices[0], **more}


def check(client: Any, page: Any, here: str, **more: str) -> Any:
    """The page that says what will happen."""
    form = page(client.get(here))
    return page(client.post(here, data=form_sent(form, here, **order(form, **more))))


def test_the_wrong_vehicle_of_a_permit(analyst, page, records, permit, visitor, queries) -> None:
    permit_id, _ = permit
    records.vehicle("KKX2E41")
    queries()
    link = page(analyst.get(f"/outorgas/{permit_id}")).links()["Retificar a inclusão de RZT6B18"]
    assert len(queries()) <= MOST_QUERIES
    form = page(analyst.get(link))
    assert len(queries()) <= MOST_QUERIES
    assert "Registrado: veículo RZT6B18 na" in form.text and form.form(link)["since"] == "10/01/2026"
    said = check(analyst, page, link, plate="KKX-2441")
    assert "Anula «veículo RZT6B18 na" in said.text and "placa KKX-2441" in said.text
    assert records.count(Correction) == 0
    shown = page(analyst.get(led_to(analyst.post(link, data=said.form(link)))))
    assert "KKX2E41" in shown.text and "Retificação. Anula" in shown.text
    assert "Não consta" in page(visitor.get("/consulta?placa=RZT6B18")).text
    assert "Já foi retificado" in page(analyst.get(link)).text


def test_a_licence_a_bar_and_a_membership(analyst, client_as, page, records, permit) -> None:
    permit_id, bus = permit
    licence = f"/retificar/licencas/{row(records, Licence)}"
    led_to(analyst.post(licence, data=check(analyst, page, licence, valid_until="31/12/2026").form(licence)))
    shown = page(analyst.get(f"/outorgas/{permit_id}"))
    assert "0001/2026" in shown.text and "31/12/2026" in shown.text and "retificada" in shown.text
    bar = f"/retificar/restricoes/{records.suspend(bus, TODAY)}"
    said = check(analyst, page, bar, never="y")
    assert "que nunca valeu" in said.text
    led_to(analyst.post(bar, data=said.form(bar)))
    assert "Retificação. Anula «Suspensão" in page(analyst.get(f"/veiculos/{bus}")).text
    coop, ana = records.cooperative(), records.person()
    add = f"/pessoas/{coop}/cooperados"
    form = page(analyst.get(f"/pessoas/{coop}"))
    led_to(analyst.post(add, data=form_sent(form, add, document="02345678135", since="01/05/2020")))
    link = page(analyst.get(f"/pessoas/{coop}")).links()["Retificar o vínculo de Ana Lima"]
    assert link == f"/retificar/vinculos/{row(records, Membership)}"
    led_to(analyst.post(link, data=check(analyst, page, link, since="01/05/2025").form(link)))
    shown = page(analyst.get(f"/pessoas/{coop}"))
    assert "01/05/2025" in shown.text and "Cooperado de" in page(analyst.get(f"/pessoas/{ana}")).text


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("plate", "PGT4H87", "Nenhum veículo cadastrado com esta placa. Cadastre o veículo e volte aqui."),
        ("plate", "PGT4H", "A placa tem 7 letras e números. Você digitou 5."),
        ("since", "", "Digite a data."),
        ("since", "31/02/2026", "O dia 31/02 não existe."),
        ("until", "01/01/2026", "O fim não pode ser antes do início (10/01/2026)."),
        ("reason", "", "Escreva o motivo. Ele vai para o processo."),
        ("office", "", "Escolha o cargo que manda retificar."),
    ],
)
def test_what_is_wrong_stands_beside_its_field(analyst, page, records, permit, field, typed, said) -> None:
    here = f"/retificar/inclusoes/{row(records, PermitVehicle)}"
    form = page(analyst.get(here))
    sent = form_sent(form, here, **order(form, act="Despacho 3/2026"))
    again = page(analyst.post(here, data={**sent, field: typed}), 422)
    assert again.error_of(field) == said
    assert again.form(here)["act"] == "Despacho 3/2026"


def test_nothing_that_differs_is_said(analyst, page, records, permit) -> None:
    here = f"/retificar/inclusoes/{row(records, PermitVehicle)}"
    form = page(analyst.get(here))
    again = page(analyst.post(here, data=form_sent(form, here, **order(form))), 422)
    assert "Nada difere do que está registrado." in again.text


def test_stale_forbidden_and_elsewhere(analyst, client_as, page, records, permit) -> None:
    _, bus = permit
    bar = records.suspend(bus, TODAY)
    here = f"/retificar/restricoes/{bar}"
    said = check(analyst, page, here, never="y")
    director = client_as("diretor")
    lift = f"/veiculos/{bus}/restricoes/{bar}/encerrar"
    led_to(director.post(lift, data=form_sent(page(director.get(lift)), lift, reason="Acordo", last_day="10/12/2026")))
    page(analyst.post(here, data=said.form(here)), 409)
    assert records.count(Correction) == 0
    assert "Analista" in page(client_as("atendente").get(here), 403).text
    page(client_as("analista", authority="recife").get(here), 404)
    page(analyst.get("/retificar/inclusoes/99"), 404)
    page(analyst.get("/retificar/requerimentos/1"), 404)


def test_a_record_entered_by_mistake(analyst, page, records, permit) -> None:
    _, bus = permit
    here = f"/cadastros/veiculos/{bus}/encerrar"
    form = page(analyst.get(here))
    again = page(analyst.post(here, data=form_sent(form, here, **order(form))), 422)
    assert "Há registros que apontam para RZT6B18." in again.text
    idle = records.vehicle("KKX2E41")
    link = page(analyst.get(f"/veiculos/{idle}")).links()["Foi cadastrado por engano"]
    form = page(analyst.get(link))
    shown = page(analyst.get(led_to(analyst.post(link, data=form_sent(form, link, **order(form))))))
    assert "Cadastro encerrado em" in shown.text and "foi feito por engano" in shown.text
    assert "Já foi encerrado" in page(analyst.get(link)).text
    assert "KKX2E41" not in page(analyst.get("/veiculos")).text
