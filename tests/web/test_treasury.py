"""The treasury on screen: amounts of the day of payment, one receipt a payment, reversals, the till."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.services import charges
from registry.store.acts import IndexValue
from registry.store.charges import Charge, Posting, Receipt
from tests import factories
from tests.factories import OTHER, PORT
from tests.services import steps
from tests.web import boats
from tests.web.boats import HX
from tests.web.checker import words
from tests.web.conftest import MOST_QUERIES

settings, host, desk, jonas = boats.settings, boats.host, boats.desk, boats.jonas
TARGET = HX | {"HX-Target": "cobrancas"}


@pytest.fixture
def request_id(desk: Any, jonas: Any) -> int:
    """A filed request that owes R$ 200,00 for its inspection; from 16 November on R$ 205,50."""
    with desk.store.writing() as session:
        session.add(
            IndexValue(
                authority=PORT,
                key="custo",
                since=date(2026, 11, 16),
                scaled=51374,
                scale=4,
                unit="reais",
                act="Portaria 112/2026",
                recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
                recorded_by="teste",
            )
        )
    return factories.filed(desk, jonas)


@pytest.fixture
def caixa(client_as: Any) -> Any:
    return client_as("tesouraria", authority=PORT, name="Célia Prado")


def sent(page: Any, client: Any, request_id: int, **typed: Any) -> dict[str, Any]:
    form = page(client.get(f"/tesouraria/requerimento/{request_id}")).form("/tesouraria/receber")
    return form | {"method": "pix"} | typed


def count(desk: Any, table: Any) -> int:
    with desk.store.reading() as session:
        return int(session.scalar(select(func.count()).select_from(table)) or 0)


@pytest.mark.parametrize("typed", ["RZT-6118", "rzt6b18", "023.456.781-35", "02345678135", "2026/000001"])
def test_a_search_shows_what_is_open_with_its_why(caixa, page, request_id, typed: str, queries) -> None:
    queries()
    shown = page(caixa.get("/tesouraria", query_string={"q": typed}))
    assert len(queries()) <= MOST_QUERIES
    assert "R$ 205,50" in shown.text and "Ana Lima" in shown.text
    assert "Por quê?" in shown.text and "Portaria 112/2026" in shown.text
    assert not [box for box in shown.all(".//input[@name='charge']") if box.get("checked") is not None]


def test_a_search_that_finds_nothing_says_so(caixa, page, request_id) -> None:
    assert "Nenhuma cobrança em aberto para «PEZ0O00»." in page(caixa.get("/tesouraria?q=PEZ0O00")).text


def test_without_a_search_the_newest_and_the_till(caixa, page, request_id) -> None:
    shown = page(caixa.get("/tesouraria"))
    assert "Vistoria" in shown.text and "Caixa de hoje" in shown.text and "Nada recebido hoje." in shown.text


def test_a_request_s_charges_are_ticked_and_summed(caixa, page, request_id, queries) -> None:
    queries()
    shown = page(caixa.get(f"/tesouraria/requerimento/{request_id}"))
    assert len(queries()) <= MOST_QUERIES
    assert "1 cobrança marcada: R$ 205,50" in shown.text


@pytest.mark.parametrize(
    ("day", "amount"), [("15/11/2026", "R$ 200,00"), ("16/11/2026", "R$ 205,50"), ("17/11/2026", "R$ 205,50")]
)
def test_the_sum_follows_the_day_with_and_without_htmx(caixa, page, request_id, day: str, amount: str) -> None:
    data = sent(page, caixa, request_id, on_day=day)
    fragment = page(caixa.post("/tesouraria/conferir", data=data, headers=TARGET))
    answer = caixa.post("/tesouraria/conferir", data=data)
    assert answer.status_code == 303
    whole = page(caixa.get(answer.location))
    for shown in (fragment, whole):
        assert f"1 cobrança marcada: {amount}" in shown.text
        assert shown.form("/tesouraria/receber")["on_day"] == day
        assert shown.form("/tesouraria/receber")["method"] == "pix"
    assert fragment.is_fragment and not whole.is_fragment


def test_what_is_recalculated_has_an_address_that_keeps_ticks_and_typing(caixa, page, request_id) -> None:
    data = sent(page, caixa, request_id, on_day="15/11/2026", amount="10,00")
    shown = page(caixa.get(caixa.post("/tesouraria/conferir", data=data).location))
    kept = shown.form("/tesouraria/receber")
    assert (kept["on_day"], kept["method"], kept["amount"]) == ("15/11/2026", "pix", "10,00")
    assert kept["charge"] == data["charge"]
    unticked = {name: value for name, value in data.items() if name != "charge"}
    shown = page(caixa.get(caixa.post("/tesouraria/conferir", data=unticked).location))
    assert "0 cobranças marcadas: R$ 0,00" in shown.text
    searched = data | {"q": "RZT6B18", "request_id": ""}
    answer = caixa.post("/tesouraria/conferir", data=searched)
    assert answer.location.startswith("/tesouraria?q=RZT6B18&dia=15")
    assert "1 cobrança marcada: R$ 200,00" in page(caixa.get(answer.location)).text


@pytest.mark.parametrize(("day", "sentence"), [("31/02/2026", "não existe"), ("01/12/2026", "não pode ser depois")])
def test_a_day_that_cannot_be_is_said_beside_it(caixa, page, desk, request_id, day: str, sentence: str) -> None:
    data = sent(page, caixa, request_id, on_day=day)
    for address in ("/tesouraria/conferir", "/tesouraria/receber"):
        shown = page(caixa.post(address, data=data), 422)
        assert sentence in shown.error_of("on_day")
        assert shown.form("/tesouraria/receber")["on_day"] == day
    assert count(desk, Receipt) == 0


def test_receiving_gives_a_receipt_that_prints(caixa, page, desk, request_id) -> None:
    answer = caixa.post("/tesouraria/receber", data=sent(page, caixa, request_id))
    assert answer.status_code == 303
    shown = page(caixa.get(answer.location))
    assert shown.h1 == "Recibo nº 2026/000001"
    assert "Ana Lima" in shown.text and "R$ 205,50" in shown.text and "Pix" in shown.text
    assert "Célia Prado" in shown.text
    with desk.store.reading() as session:
        assert session.scalars(select(Charge)).one().settled_at is not None


def test_htmx_is_led_to_the_receipt(caixa, page, request_id) -> None:
    answer = caixa.post("/tesouraria/receber", data=sent(page, caixa, request_id), headers=HX)
    assert answer.headers["HX-Redirect"].startswith("/tesouraria/recibos/")


def test_a_repeated_click_gives_one_receipt(caixa, page, desk, request_id) -> None:
    data = sent(page, caixa, request_id)
    first, second = (caixa.post("/tesouraria/receber", data=data) for _ in range(2))
    assert first.location == second.location
    assert count(desk, Receipt) == 1


def test_a_second_payment_names_the_first(caixa, page, desk, request_id) -> None:
    data = sent(page, caixa, request_id)
    caixa.post("/tesouraria/receber", data=data)
    shown = page(caixa.post("/tesouraria/receber", data=data | {"once_key": "outra"}), 422)
    assert "já foi paga em 30/11/2026, 12h, recibo nº 2026/000001. Nada foi recebido de novo." in shown.text
    assert count(desk, Receipt) == 1


@pytest.mark.parametrize(
    ("typed", "field", "sentence"),
    [
        ({"method": ""}, "method", "Escolha a forma"),
        ({"method": "fiado"}, "method", "Escolha uma das opções"),
        ({"amount": "205.50"}, "amount", ""),
        ({"amount": "0,00"}, "amount", "maior que zero"),
        ({"on_day": ""}, "on_day", "Digite o dia"),
    ],
)
def test_a_wrong_field_keeps_what_was_typed(caixa, page, desk, request_id, typed, field, sentence) -> None:
    shown = page(caixa.post("/tesouraria/receber", data=sent(page, caixa, request_id, **typed)), 422)
    assert shown.error_of(field) and sentence in shown.error_of(field)
    kept = shown.form("/tesouraria/receber")
    if typed.get("method") != "fiado":
        assert kept | typed == kept
    assert count(desk, Receipt) == 0


def test_nothing_ticked_is_refused(caixa, page, desk, request_id) -> None:
    data = {name: value for name, value in sent(page, caixa, request_id).items() if name != "charge"}
    assert "Marque o que está sendo pago." in page(caixa.post("/tesouraria/receber", data=data), 422).text


def test_too_little_leaves_the_rest_open(caixa, page, desk, request_id) -> None:
    answer = caixa.post("/tesouraria/receber", data=sent(page, caixa, request_id, amount="100,00"))
    receipt = page(caixa.get(answer.location))
    assert receipt.text.count("Resta R$ 105,50 em 30/11/2026") == 2
    shown = page(caixa.get(f"/tesouraria/requerimento/{request_id}"))
    assert "Resta R$ 105,50 em 30/11/2026: R$ 205,50, já pagos R$ 100,00" in shown.text
    assert "1 cobrança marcada: R$ 105,50" in shown.text
    fees = words(page(caixa.get(f"/requerimentos/{request_id}")).one(".//section[@id='taxas']"))
    assert "Resta R$ 105,50 em 30/11/2026: já pagos R$ 100,00" in fees
    whole = caixa.post("/tesouraria/receber", data=sent(page, caixa, request_id))
    assert "Resta" not in page(caixa.get(whole.location)).text
    assert receipt.text.count("Resta R$ 105,50") == page(caixa.get(answer.location)).text.count("Resta R$ 105,50")


def test_a_reversal_needs_a_reason_and_opens_the_charge(caixa, page, desk, request_id) -> None:
    receipt = caixa.post("/tesouraria/receber", data=sent(page, caixa, request_id)).location
    address = page(caixa.get(receipt)).links()["Estornar Vistoria"]
    form = page(caixa.get(address)).form(address)
    refused = page(caixa.post(address, data=form), 422)
    assert refused.error_of("reason") == "Escreva o motivo. Ele vai para o processo."
    assert caixa.post(address, data=form | {"reason": "Pago duas vezes"}).status_code == 303
    shown = page(caixa.get(receipt))
    assert "Estornado em 30/11/2026, 12h: Pago duas vezes" in shown.text
    assert "Estornar" not in shown.links()
    assert caixa.post(address, data=form | {"reason": "De novo"}).status_code == 303
    assert "Já foi feito por Célia Prado às 12h" in page(caixa.get(receipt)).text
    assert "R$ 205,50" in page(caixa.get(f"/tesouraria/requerimento/{request_id}")).text
    with desk.store.reading() as session:
        kinds = [posting.kind for posting in session.scalars(select(Posting).order_by(Posting.id))]
    assert kinds == ["pagamento", "estorno"]


def test_the_till_of_the_day_is_counted_and_closed(caixa, page, desk, request_id) -> None:
    caixa.post("/tesouraria/receber", data=sent(page, caixa, request_id))
    shown = page(caixa.get("/tesouraria/caixa"))
    assert "2026/000001" in shown.text and "Esperado R$ 205,50" in shown.text
    form = shown.form("/tesouraria/caixa")
    refused = page(caixa.post("/tesouraria/caixa", data=form | {"counted": "205,00"}), 422)
    assert "Faltam R$ 0,50. Escreva por quê." in refused.error_of("note")
    assert refused.form("/tesouraria/caixa")["counted"] == "205,00"
    assert caixa.post("/tesouraria/caixa", data=form | {"counted": "205,50"}).status_code == 303
    closed = page(caixa.get("/tesouraria/caixa"))
    assert "Fechado por Célia Prado" in closed.text
    assert caixa.post("/tesouraria/caixa", data=form | {"counted": "1,00"}).status_code == 303
    assert "Já foi feito por Célia Prado" in page(caixa.get("/tesouraria/caixa")).text


def test_a_closed_day_refuses_a_payment(caixa, page, desk, jonas, request_id) -> None:
    charges.close_cash(jonas.occasion(), desk, date(2026, 11, 28), Decimal("0.00"))
    data = sent(page, caixa, request_id, on_day="28/11/2026")
    shown = page(caixa.post("/tesouraria/receber", data=data), 422)
    assert "O caixa de 28/11/2026 já foi fechado" in shown.error_of("on_day")


@pytest.mark.parametrize("typed", ["31/11/2026", "ontem"])
def test_a_till_day_that_cannot_be_read_keeps_what_was_typed(caixa, page, typed: str) -> None:
    shown = page(caixa.get("/tesouraria/caixa", query_string={"dia": typed}), 422)
    assert shown.error_of("dia")
    assert shown.one(".//input[@name='dia']").get("value") == typed


@pytest.mark.parametrize("role", ["atendente", "analista", "diretor", "auditor"])
def test_others_see_and_do_not_receive(client_as, page, token, desk, request_id, role: str) -> None:
    client = client_as(role, authority=PORT)
    shown = page(client.get(f"/tesouraria/requerimento/{request_id}"))
    assert "R$ 205,50" in shown.text and "Quem recebe é a Tesouraria." in shown.text
    assert not shown.all(".//input[@type='checkbox']")
    data = {"csrf_token": token(client), "charge": "1", "on_day": "30/11/2026", "method": "pix"}
    page(client.post("/tesouraria/receber", data=data), 403)
    assert count(desk, Receipt) == 0


def test_an_inspector_does_not_open_the_treasury(client_as, page) -> None:
    page(client_as("vistoriador", authority=PORT).get("/tesouraria"), 403)


def test_another_authority_finds_nothing(client_as, caixa, page, token, desk, request_id) -> None:
    receipt = caixa.post("/tesouraria/receber", data=sent(page, caixa, request_id)).location
    client = client_as("tesouraria", authority=OTHER)
    page(client.get(receipt), 404)
    page(client.get(f"{receipt}/estornar/1"), 404)
    page(client.get("/tesouraria/cobrancas/1"), 404)
    page(client.get(f"/tesouraria/requerimento/{request_id}"), 404)
    assert "Ana Lima" not in page(client.get("/tesouraria?q=RZT6B18")).text
    assert "2026/000001" not in page(client.get("/tesouraria/caixa")).text
    data = {"csrf_token": token(client), "charge": "1", "on_day": "30/11/2026", "method": "pix"}
    page(client.post("/tesouraria/receber", data=data), 404)


def test_one_charge_has_a_page(caixa, page, desk, request_id) -> None:
    (charge_id,) = steps.open_charges(desk, request_id)
    assert "Vistoria" in page(caixa.get(f"/tesouraria/cobrancas/{charge_id}")).text
    page(caixa.get("/tesouraria/cobrancas/999"), 404)
