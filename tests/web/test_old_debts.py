"""The screens of debts from before the registry: entered at the treasury, shown with their origin, annulled."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from flask import Flask

from registry.services import requests
from registry.services.legacy_debts import KINDS, DebtInput, annul, enter_debt
from registry.services.progress import progress_of
from registry.store.charges import Charge
from tests.web.conftest import MOST_QUERIES
from tests.web.records import ANA, CHARTER, IVO, TAXI, Records, form_sent, led_to

NEW = "/tesouraria/debitos/novo"
OLD = {
    "document": "023.456.781-35",
    "regime": CHARTER,
    "kind": "fine",
    "amount": "616,49",
    "due_on": "10/05/2019",
    "reference": "Auto 123/2019",
    "origin": "Sistema antigo",
}


@pytest.fixture
def records(app: Flask) -> Records:
    return Records(app)


@pytest.fixture
def caixa(client_as: Any) -> Any:
    return client_as("tesouraria")


def entered(caixa: Any, page: Any, **typed: Any) -> str:
    """The address of the charge that was entered."""
    return led_to(caixa.post(NEW, data=form_sent(page(caixa.get(NEW)), NEW, **{**OLD, **typed})))


def test_a_debt_is_entered_shown_and_paid(caixa, page, records, queries) -> None:
    ana = records.person()
    address = entered(caixa, page)
    queries()
    shown = page(caixa.get(address))
    assert len(queries()) <= MOST_QUERIES
    for text in ("Multa anterior ao registro: Auto 123/2019", "R$ 616,49", "Vencido", "Origem: Sistema antigo"):
        assert text in shown.text
    form = shown.form("/tesouraria/receber")
    receipt = page(caixa.get(led_to(caixa.post("/tesouraria/receber", data={**form, "method": "pix"}))))
    assert "616,49" in receipt.text and "Auto 123/2019" in receipt.text
    assert "Multa anterior ao registro" in page(caixa.get(f"/pessoas/{ana}")).text


def test_the_person_page_leads_to_the_form_with_the_number(client_as, page, records) -> None:
    ana = records.person()
    clerk = client_as("analista")
    link = page(clerk.get(f"/pessoas/{ana}")).links()["Lançar débito antigo"]
    form = page(clerk.get(link)).form(NEW)
    assert form["document"] == ANA


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("document", "", "Digite o CPF ou o CNPJ."),
        ("document", IVO, "Ninguém cadastrado com este CPF ou CNPJ. Cadastre e volte aqui."),
        ("regime", "", "Escolha o serviço."),
        ("regime", "taxi_recife", "Escolha uma das opções da lista."),
        ("kind", "", "Escolha o tipo do débito."),
        ("amount", "616.49", "616"),
        ("amount", "0,00", "O valor deve ser maior que zero."),
        ("due_on", "31/02/2019", "O dia 31/02 não existe."),
        ("reference", " ", "Escreva o número do documento, como «Auto 1234/2019»."),
        ("origin", "", "Escreva de onde vem o débito, como «Sistema antigo, dívida ativa 2019»."),
    ],
)
def test_what_is_wrong_stands_beside_its_field(caixa, page, records, field, typed, said) -> None:
    records.person()
    sent = form_sent(page(caixa.get(NEW)), NEW, **{**OLD, field: typed})
    again = page(caixa.post(NEW, data=sent), 422)
    assert said in again.error_of(field)
    assert again.form(NEW)["reference"] == (typed if field == "reference" else OLD["reference"])
    assert records.count(Charge) == 0


def test_a_double_click_enters_one_debt(caixa, page, records) -> None:
    records.person()
    sent = form_sent(page(caixa.get(NEW)), NEW, **OLD)
    assert led_to(caixa.post(NEW, data=sent)) == led_to(caixa.post(NEW, data=sent))
    assert records.count(Charge) == 1


def test_a_charge_is_annulled_with_its_reason(caixa, page, records) -> None:
    records.person()
    address = entered(caixa, page)
    act = page(caixa.get(address)).links()["Anular esta cobrança"]
    again = page(caixa.post(act, data=form_sent(page(caixa.get(act)), act, reason="")), 422)
    assert again.error_of("reason") == "Escreva o motivo. Ele vai para o processo."
    led = led_to(caixa.post(act, data=form_sent(page(caixa.get(act)), act, reason="Pago no sistema antigo")))
    assert led == address and "Anulado" in page(caixa.get(led)).text
    assert "já foi anulada" in page(caixa.get(act)).text


def test_who_may_not(client_as, page, records) -> None:
    records.person()
    clerk = client_as("atendente")
    assert "Tesouraria" in page(clerk.get(NEW), 403).text
    charge = records.fee(records.person(IVO, "Ivo Tavares"), date(2026, 11, 1))
    page(clerk.get(f"/tesouraria/cobrancas/{charge}/anular"), 403)
    stranger = client_as("tesouraria", authority="recife")
    page(stranger.get(f"/tesouraria/cobrancas/{charge}/anular"), 404)


@pytest.mark.parametrize(
    ("authority", "regime", "kind", "holder", "stops"),
    [
        ("emtu", CHARTER, "novo_termo", "PJ", ("fine", "fee", "damage")),
        ("recife", TAXI, "nova_permissao", "autonomous_driver", ("fine", "damage")),
    ],
)
def test_both_regimes_are_stopped_by_it_as_their_law_says(app, authority, regime, kind, holder, stops) -> None:
    records = Records(app, authority)
    who = records.company() if holder == "PJ" else records.person()
    links = {"holder_kind": holder, "applicant_id": who, "vehicle_id": records.vehicle()}
    request_id = requests.open_request(records.occasion, records.desk, regime, kind, links=links)
    for place, owed in enumerate(KINDS):
        due = records.occasion.on if owed not in stops else date(2026, 11, 29)
        entered = DebtInput(regime, owed, Decimal("616.49"), due, "Sistema antigo", f"Auto {place}/2019")
        charge = enter_debt(records.occasion, records.desk, who, entered)
        with records.desk.store.reading() as session:
            found = progress_of(session, records.desk, authority, request_id, records.occasion.at).findings
        gate = next(each for each in found if each.rule == "Débitos")
        assert (gate.outcome == "deny") is (owed in stops), owed
        annul(records.occasion, records.desk, charge, "Pago no sistema antigo")
