"""A credit on screen: seen where its debtor owes, used with one press, told by both receipts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from registry.services import charges
from tests import factories
from tests.factories import PORT
from tests.services import steps
from tests.web import boats
from tests.web.conftest import MOST_QUERIES, TODAY

settings, host, desk, jonas = boats.settings, boats.host, boats.desk, boats.jonas


@pytest.fixture
def owed(desk: Any, jonas: Any) -> int:
    """A charge of R$ 200,00 of somebody who has paid R$ 30,00 too much on another."""
    ana = factories.person(desk, jonas)
    first, second = (
        steps.open_charges(
            desk, factories.filed(desk, jonas, applicant_id=ana, vehicle_id=factories.vehicle(desk, jonas, plate))
        )[0]
        for plate in ("RZT6B18", "KGA1234")
    )
    charges.receive_payment(jonas.occasion(), desk, [first], TODAY, "pix", Decimal("230.00"))
    return second


def test_a_credit_is_seen_and_used_and_both_receipts_tell(client_as: Any, page: Any, owed: int, queries: Any) -> None:
    till = client_as("tesouraria", authority=PORT)
    here = f"/tesouraria/cobrancas/{owed}"
    queries()
    shown = page(till.get(here))
    assert len(queries()) <= MOST_QUERIES
    assert "Crédito de Ana Lima" in shown.text and "R$\xa030,00" in shown.html
    form = shown.form(f"{here}/credito")
    answer = till.post(f"{here}/credito", data=form)
    assert answer.status_code == 303
    receipt = page(till.get(answer.location))
    for text in ("Crédito de pagamento a mais", "Crédito usado", "Continua como crédito", "Total pago com crédito"):
        assert text in receipt.text, text
    assert till.post(f"{here}/credito", data=form).location == answer.location
    assert "Usado em 30/11/2026" in page(till.get("/tesouraria/recibos/1")).text
    assert "Crédito de Ana Lima" not in page(till.get(here)).text
    undo = next(href for text, href in receipt.links().items() if text.startswith("Estornar"))
    assert "o crédito volta a quem pagou" in page(till.get(undo)).text
    assert "R$ 230,00" in page(till.get("/tesouraria/caixa")).text


def test_who_does_not_receive_sees_the_credit_and_no_button(client_as: Any, page: Any, token: Any, owed: int) -> None:
    clerk = client_as("atendente", authority=PORT)
    here = f"/tesouraria/cobrancas/{owed}"
    shown = page(clerk.get(here))
    assert "Crédito de Ana Lima" in shown.text and "Usar o crédito" not in shown.text
    page(clerk.post(f"{here}/credito", data={"csrf_token": token(clerk)}), 403)


def test_a_charge_without_credit_is_told_so(client_as: Any, page: Any, token: Any, desk: Any, jonas: Any) -> None:
    (alone,) = steps.open_charges(desk, factories.filed(desk, jonas))
    till = client_as("tesouraria", authority=PORT)
    sent = {"csrf_token": token(till), "once_key": "k"}
    shown = page(till.post(f"/tesouraria/cobrancas/{alone}/credito", data=sent), 422)
    assert "Não há crédito" in shown.text
