"""The screen on which a car gets another plate, and what the public then reads of both."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from tests.web.conftest import MOST_QUERIES
from tests.web.records import Records, form_sent, led_to

CHANGE = {"plate": "PGT-4H88", "changed_on": "28/11/2026", "reason": "Clonagem, boletim 77/2026", "act": ""}


@pytest.fixture
def records(app: Flask) -> Records:
    return Records(app)


@pytest.fixture
def bus(records: Records) -> int:
    made = records.vehicle("RZT6B18")
    records.permit(records.company(), made)
    return made


def changed(client: Any, page: Any, bus: int, **typed: Any) -> Any:
    here = f"/veiculos/{bus}/trocar-placa"
    return client.post(here, data=form_sent(page(client.get(here)), here, **{**CHANGE, **typed}))


def test_the_public_reads_both_plates_rightly(client_as, page, visitor, bus, queries) -> None:
    clerk = client_as("atendente")
    link = page(clerk.get(f"/veiculos/{bus}")).links()["O carro trocou de placa"]
    assert link == f"/veiculos/{bus}/trocar-placa"
    address = led_to(changed(clerk, page, bus))
    queries()
    shown = page(clerk.get(address))
    assert len(queries()) <= MOST_QUERIES
    assert "PGT4H88" in shown.h1 and "Placa anterior: RZT6B18, até 27/11/2026." in shown.text
    assert "Placa trocada para PGT4H88" in shown.text
    old = page(visitor.get("/consulta?placa=RZT6118"))
    assert "Não autorizado" in old.text and "trocou de placa em 28/11/2026" in old.text
    assert "PGT4H88" not in old.html and "Rota Viva" not in old.html and "boletim" not in old.html
    assert "Autorizado" in page(visitor.get("/consulta?placa=RZT6B18&em=27/11/2026")).text
    assert "trocou de placa" in page(visitor.get("/consulta?placa=RZT6B18&em=28/11/2026")).text
    new = page(visitor.get("/consulta?placa=PGT4788"))
    assert "Autorizado" in new.text and "RZT6B18" not in new.html
    assert "Não consta" in page(visitor.get("/consulta?placa=PGT4H88&em=27/11/2026")).text
    told = visitor.get("/api/v1/vehicles/RZT6B18")
    assert told.status_code == 404
    assert told.get_json()["plate_changed"]["since"] == "2026-11-28" and told.get_json()["authorizations"] == []


def test_the_search_opens_the_car_by_its_old_plate(client_as, page, bus) -> None:
    clerk = client_as("atendente")
    changed(clerk, page, bus)
    assert clerk.get("/busca?q=RZT6B18").headers.get("Location", "").endswith(f"/veiculos/{bus}")


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("plate", "", "Digite a placa."),
        ("plate", "RZT6B18", "O veículo já tem a placa RZT6B18."),
        ("plate", "KKX2441", "já é de outro veículo"),
        ("changed_on", "01/12/2026", "A data não pode ser depois de hoje (30/11/2026)."),
        ("reason", "", "Escreva o motivo. Ele vai para o processo."),
    ],
)
def test_what_is_wrong_stands_beside_its_field(client_as, page, records, bus, field, typed, said) -> None:
    records.vehicle("KKX2E41")
    again = page(changed(client_as("atendente"), page, bus, **{field: typed}), 422)
    assert said in again.error_of(field)
    assert again.form(f"/veiculos/{bus}/trocar-placa")["act"] == ""


def test_stale_forbidden_and_elsewhere(client_as, page, records, bus) -> None:
    clerk, here = client_as("atendente"), f"/veiculos/{bus}/trocar-placa"
    sent = form_sent(page(clerk.get(here)), here, **CHANGE)
    part = f"/veiculos/{bus}/alterar/descricao"
    led_to(clerk.post(part, data=form_sent(page(clerk.get(part)), part, colour="azul")))
    page(clerk.post(here, data=sent), 409)
    page(client_as("tesouraria").get(here), 403)
    page(client_as("atendente", authority="recife").get(here), 404)
