"""Debts from before the registry: fixed amounts that block, are paid and annulled like any other."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from registry.services import charges, legacy_debts
from registry.services.amounts import amount_on
from registry.services.desk import Desk
from registry.services.dossier import load_dossier
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.services.legacy_debts import DebtInput, enter_debt
from registry.services.progress import progress_of
from registry.store.charges import Charge
from registry.store.requests import StoredVerdict
from tests import factories, regime
from tests.factories import NOON, PORT, Clerk

TODAY = NOON.date()
OLD = DebtInput(regime.CODE, "fine", Decimal("616.49"), date(2019, 5, 10), "Sistema antigo", "Auto 123/2019")


@pytest.fixture
def ana(desk: Desk, jonas: Clerk) -> int:
    return factories.person(desk, jonas)


def _line(desk: Desk, charge_id: int, day: date = TODAY) -> charges.ChargeLine:
    with desk.store.reading() as session:
        return charges.charge_of(session, desk, PORT, charge_id, day)


def test_an_old_debt_has_its_fixed_amount_on_any_day_and_says_where_it_comes_from(
    desk: Desk, jonas: Clerk, ana: int
) -> None:
    made = enter_debt(jonas.occasion(), desk, ana, OLD)
    line = _line(desk, made)
    assert (line.state, line.left, line.label) == (
        "vencido",
        Decimal("616.49"),
        "Multa anterior ao registro: Auto 123/2019",
    )
    assert _line(desk, made, TODAY + timedelta(days=900)).left == Decimal("616.49")
    assert line.amount is not None
    assert line.amount.grounds[0].text == (
        "Débito anterior a este registro, com valor fixo. Origem: Sistema antigo. "
        "Documento: Auto 123/2019. Venceu em 10/05/2019."
    )


@pytest.mark.parametrize(("due", "state"), [(TODAY, "open"), (TODAY - timedelta(days=1), "overdue")])
def test_it_blocks_from_the_day_after_it_was_due(desk: Desk, jonas: Clerk, ana: int, due: date, state: str) -> None:
    request_id = factories.filed(desk, jonas, applicant_id=ana)
    enter_debt(jonas.occasion(), desk, ana, replace(OLD, due_on=due))
    with desk.store.reading() as session:
        dossier = load_dossier(session, desk, PORT, regime.CODE, NOON, request_id=request_id)
        found = progress_of(session, desk, PORT, request_id, NOON).findings
    (debt,) = [each for each in dossier.debts if each.kind == "fine"]
    assert (debt.state, debt.amount) == (state, Decimal("616.49"))
    gate = next(each for each in found if each.question == "debts")
    assert (gate.outcome == "deny") is (state == "overdue")


def test_it_is_paid_at_the_till_in_parts_and_frees_the_request(desk: Desk, jonas: Clerk, ana: int) -> None:
    request_id = factories.filed(desk, jonas, applicant_id=ana)
    made = enter_debt(jonas.occasion(), desk, ana, OLD)
    charges.receive_payment(jonas.occasion(), desk, [made], TODAY, "pix", Decimal("600.00"))
    assert _line(desk, made).left == Decimal("16.49")
    receipt = charges.receive_payment(jonas.occasion(), desk, [made], TODAY, "pix")
    with desk.store.reading() as session:
        page = charges.receipt_page(session, PORT, receipt)
        found = progress_of(session, desk, PORT, request_id, NOON).findings
        stored = session.query(StoredVerdict).filter_by(subject="posting").count()
    assert page.total == Decimal("16.49") and page.lines[0].due_amount == Decimal("616.49")
    assert next(each for each in found if each.question == "debts").outcome == "allow"
    assert stored == 0, "no rule was asked, so that none can be replayed"


def test_without_its_regimes_plugin_it_keeps_its_amount(desk: Desk, jonas: Clerk, ana: int) -> None:
    made = enter_debt(jonas.occasion(), desk, ana, OLD)
    with desk.store.writing() as session:
        session.get_one(Charge, made).regime = "removido"
    assert _line(desk, made).left == Decimal("616.49")
    with desk.store.reading() as session:
        assert amount_on(session, desk, session.get_one(Charge, made), TODAY).amount == Decimal("616.49")


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        ({"regime": "trens"}, "regime", "Escolha o serviço."),
        ({"kind": "juro"}, "kind", "Escolha o tipo do débito."),
        ({"amount": Decimal("0.00")}, "amount", "O valor deve ser maior que zero."),
        ({"amount": Decimal("-1.00")}, "amount", "O valor deve ser maior que zero."),
        ({"amount": Decimal("0.001")}, "amount", "Escreva o valor como 1.234,56."),
        ({"origin": "  "}, "origin", "Escreva de onde vem o débito, como «Sistema antigo, dívida ativa 2019»."),
        ({"reference": ""}, "reference", "Escreva o número do documento, como «Auto 1234/2019»."),
        ({"reference": "x" * 201}, "reference", "Use no máximo 200 letras. Você digitou 201."),
    ],
)
def test_what_is_wrong_is_said(
    desk: Desk, jonas: Clerk, ana: int, changed: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(Refused) as refused:
        enter_debt(jonas.occasion(), desk, ana, replace(OLD, **changed))
    assert refused.value.fields == {field: said}


def test_one_paper_is_one_debt_until_it_is_annulled(desk: Desk, jonas: Clerk, ana: int) -> None:
    first = enter_debt(jonas.occasion(once_key="a"), desk, ana, OLD)
    assert enter_debt(jonas.occasion(once_key="a"), desk, ana, OLD) == first
    with pytest.raises(Refused) as refused:
        enter_debt(jonas.occasion(once_key="b"), desk, ana, replace(OLD, reference="AUTO 123/2019 "))
    assert refused.value.existing["reference"].id == first
    legacy_debts.annul(jonas.occasion(), desk, first, "Valor errado")
    second = enter_debt(jonas.occasion(once_key="c"), desk, ana, replace(OLD, amount=Decimal("61.64")))
    assert _line(desk, first).state == "anulado" and _line(desk, second).left == Decimal("61.64")


def test_annulling_wants_a_reason_and_happens_once(desk: Desk, jonas: Clerk, stranger: Clerk, ana: int) -> None:
    made = enter_debt(jonas.occasion(), desk, ana, OLD)
    with pytest.raises(Refused):
        legacy_debts.annul(jonas.occasion(), desk, made, " ")
    with pytest.raises(NotFound):
        legacy_debts.annul(stranger.occasion(), desk, made, "Era de outro")
    legacy_debts.annul(jonas.occasion(), desk, made, "Pago no sistema antigo")
    with pytest.raises(AlreadyDone):
        legacy_debts.annul(jonas.occasion(), desk, made, "Pago no sistema antigo")


def test_what_was_paid_is_reversed_before_it_is_annulled(desk: Desk, jonas: Clerk, ana: int) -> None:
    made = enter_debt(jonas.occasion(), desk, ana, OLD)
    charges.receive_payment(jonas.occasion(), desk, [made], TODAY, "pix", Decimal("1.00"))
    with pytest.raises(Refused) as refused:
        legacy_debts.annul(jonas.occasion(), desk, made, "Engano")
    assert refused.value.message == "Já houve pagamento nesta cobrança. Estorne o recibo antes de anular."
