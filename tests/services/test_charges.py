"""The treasury: amounts of the day of payment, receipts without gaps, no payment twice, nothing edited."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from registry.services import charges, requests
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.store.acts import IndexValue
from registry.store.charges import Charge, Posting
from registry.store.requests import StoredVerdict
from tests import factories
from tests.factories import NOON, Clerk
from tests.services import steps

TODAY = date(2026, 11, 30)


@pytest.fixture
def request_id(desk: Desk, jonas: Clerk) -> int:
    return factories.filed(desk, jonas)


def _index(desk: Desk, since: date, scaled: int) -> None:
    with desk.store.writing() as session:
        session.add(
            IndexValue(
                authority="porto",
                key="custo",
                since=since,
                scaled=scaled,
                scale=4,
                unit="reais",
                act="Portaria 112/2026",
                recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
                recorded_by="teste",
            )
        )


def _only(desk: Desk, request_id: int) -> int:
    (charge_id,) = steps.open_charges(desk, request_id)
    return charge_id


@pytest.mark.parametrize(
    ("day", "amount"),
    [(date(2026, 11, 15), "200.00"), (date(2026, 11, 16), "205.50"), (date(2026, 11, 17), "205.50")],
)
def test_the_amount_is_that_of_the_day_of_payment(
    desk: Desk, jonas: Clerk, request_id: int, day: date, amount: str
) -> None:
    _index(desk, date(2026, 11, 16), 51374)
    receipt_id = charges.receive_payment(jonas.occasion(), desk, [_only(desk, request_id)], day, "pix")
    with desk.store.reading() as session:
        page = charges.receipt_page(session, "porto", receipt_id)
        assert page.total == Decimal(amount) and page.on_day == day and page.payer == "Ana Lima"
        (stored,) = session.scalars(select(StoredVerdict).where(StoredVerdict.subject == "posting"))
        assert stored.given == {"quantity": 40, "on": day.isoformat()}
        assert stored.answer == {"amount": amount}


def test_a_missing_index_refuses_the_payment_and_names_it(desk: Desk, jonas: Clerk, request_id: int) -> None:
    with pytest.raises(Refused, match="Não há «Custo» em vigor em 31/12/1999"):
        charges.receive_payment(jonas.occasion(), desk, [_only(desk, request_id)], date(1999, 12, 31), "pix")
    with desk.store.reading() as session:
        (line,) = charges.charges_of_request(session, desk, "porto", request_id, date(1999, 12, 31))
    assert line.amount is None and line.left is None and "«Custo»" in line.refusal


def test_paying_twice_is_refused_with_the_first_receipt(desk: Desk, jonas: Clerk, request_id: int) -> None:
    charge_id = _only(desk, request_id)
    first = charges.receive_payment(jonas.occasion(once_key="a"), desk, [charge_id], TODAY, "pix")
    assert charges.receive_payment(jonas.occasion(once_key="a"), desk, [charge_id], TODAY, "pix") == first
    with pytest.raises(Refused, match=r"já foi paga em 30/11/2026, 12h, recibo nº 2026/000001"):
        charges.receive_payment(jonas.occasion(once_key="b"), desk, [charge_id], TODAY, "pix")


def test_too_little_leaves_the_rest_and_too_much_is_a_credit(desk: Desk, jonas: Clerk, request_id: int) -> None:
    charge_id = _only(desk, request_id)
    charges.receive_payment(jonas.occasion(), desk, [charge_id], TODAY, "pix", Decimal("150.00"))
    with desk.store.reading() as session:
        (line,) = charges.charges_of_request(session, desk, "porto", request_id, TODAY)
        assert (line.state, line.paid, line.left) == ("em_aberto", Decimal("150.00"), Decimal("50.00"))
    receipt_id = charges.receive_payment(jonas.occasion(), desk, [charge_id], TODAY, "dinheiro", Decimal("60.00"))
    with desk.store.reading() as session:
        (line,) = charges.charges_of_request(session, desk, "porto", request_id, TODAY)
        assert (line.state, line.left) == ("pago", Decimal(0))
        page = charges.receipt_page(session, "porto", receipt_id)
    assert [(each.kind, each.amount) for each in page.lines] == [
        ("pagamento", Decimal("50.00")),
        ("credito", Decimal("10.00")),
    ]


def test_a_receipt_tells_what_was_left_on_its_day_whatever_comes_later(
    desk: Desk, jonas: Clerk, request_id: int
) -> None:
    charge_id = _only(desk, request_id)

    def pay(amount: str, days: int = 0) -> int:
        return charges.receive_payment(
            jonas.occasion(days=days), desk, [charge_id], TODAY + timedelta(days=days), "pix", Decimal(amount)
        )

    def left(receipt_id: int) -> Decimal:
        with desk.store.reading() as session:
            return charges.receipt_page(session, "porto", receipt_id).left

    first = pay("150.00")
    assert left(first) == Decimal("50.00")
    with desk.store.reading() as session:
        posting_id = charges.receipt_page(session, "porto", first).lines[0].posting_id
    second = pay("20.00")
    assert (left(first), left(second)) == (Decimal("50.00"), Decimal("30.00"))
    charges.reverse_posting(jonas.occasion(), desk, posting_id, "Pix devolvido")
    assert (left(first), left(second)) == (Decimal(0), Decimal("30.00"))
    third = pay("180.00", days=1)
    assert (left(second), left(third)) == (Decimal("30.00"), Decimal(0))


def test_one_receipt_for_several_charges(desk: Desk, jonas: Clerk, request_id: int) -> None:
    other = factories.filed(
        desk,
        jonas,
        "renovacao",
        applicant_id=factories.person(desk, jonas, factories.CPFS[1]),
        vehicle_id=factories.vehicle(desk, jonas, "KKX2E41"),
    )
    ids = [_only(desk, request_id), _only(desk, other)]
    receipt_id = charges.receive_payment(jonas.occasion(), desk, ids, TODAY, "pix")
    with desk.store.reading() as session:
        page = charges.receipt_page(session, "porto", receipt_id)
    assert page.total == Decimal("250.00") and [line.amount for line in page.lines] == [Decimal(200), Decimal(50)]


def test_a_reversal_needs_a_reason_reopens_the_charge_and_happens_once(
    desk: Desk, jonas: Clerk, request_id: int
) -> None:
    charge_id = _only(desk, request_id)
    receipt_id = charges.receive_payment(jonas.occasion(), desk, [charge_id], TODAY, "pix", Decimal("210.00"))
    with desk.store.reading() as session:
        posting_id = charges.receipt_page(session, "porto", receipt_id).lines[0].posting_id
    with pytest.raises(Refused):
        charges.reverse_posting(jonas.occasion(), desk, posting_id, " ")
    made = charges.reverse_posting(jonas.occasion(days=1), desk, posting_id, "Pix devolvido")
    with pytest.raises(AlreadyDone) as done:
        charges.reverse_posting(jonas.occasion(days=1), desk, posting_id, "de novo")
    assert done.value.result == made
    assert _only(desk, request_id) == charge_id
    with desk.store.reading() as session:
        assert charges.cash_of_day(session, "porto", TODAY).expected == Decimal("210.00")
        assert charges.cash_of_day(session, "porto", date(2026, 12, 1)).expected == Decimal("-210.00")
        page = charges.receipt_page(session, "porto", receipt_id)
        assert page.lines[0].reversed_reason == "Pix devolvido"
    again = charges.receive_payment(jonas.occasion(days=1), desk, [charge_id], TODAY, "pix")
    with desk.store.reading() as session:
        assert charges.receipt_page(session, "porto", again).number == "2026/000002"


def test_a_closed_day_takes_nothing_more(desk: Desk, jonas: Clerk, request_id: int) -> None:
    charge_id = _only(desk, request_id)
    with pytest.raises(Refused) as refused:
        charges.close_cash(jonas.occasion(), desk, TODAY, Decimal("10.00"))
    assert refused.value.fields["note"].startswith("Sobram R$")
    charges.close_cash(jonas.occasion(), desk, TODAY, Decimal("0.00"))
    with pytest.raises(Refused) as refused:
        charges.receive_payment(jonas.occasion(), desk, [charge_id], TODAY, "pix")
    assert "30/11/2026 já foi fechado" in refused.value.fields["on_day"]
    with pytest.raises(AlreadyDone):
        charges.close_cash(jonas.occasion(), desk, TODAY, Decimal("0.00"))


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"charge_ids": []}, "charges"),
        ({"on_day": date(2026, 12, 1)}, "on_day"),
        ({"method": "cheque"}, "method"),
        ({"amount": Decimal(0)}, "amount"),
        ({"amount": Decimal("-5.00")}, "amount"),
    ],
)
def test_a_bad_payment_is_refused_at_its_field(
    desk: Desk, jonas: Clerk, request_id: int, changed: dict[str, object], field: str
) -> None:
    given = {"charge_ids": [_only(desk, request_id)], "on_day": TODAY, "method": "pix", "amount": None} | changed
    with pytest.raises(Refused) as refused:
        charges.receive_payment(jonas.occasion(), desk, **given)  # type: ignore[arg-type]
    assert set(refused.value.fields) == {field}


def test_charges_of_another_authority_do_not_exist(desk: Desk, jonas: Clerk, stranger: Clerk, request_id: int) -> None:
    with pytest.raises(NotFound):
        charges.receive_payment(stranger.occasion(), desk, [_only(desk, request_id)], TODAY, "pix")
    with desk.store.reading() as session:
        assert charges.find_charges(session, desk, "outro", "", TODAY) == ()


@pytest.mark.parametrize("typed", ["RZT-6118", "rzt6b18", "023.456.781-35", "2026/000001", ""])
def test_a_plate_a_document_or_a_number_finds_the_charge(desk: Desk, jonas: Clerk, request_id: int, typed: str) -> None:
    with desk.store.reading() as session:
        found = charges.find_charges(session, desk, "porto", typed, TODAY)
    assert [line.request_id for line in found] == [request_id]


def test_postings_cannot_be_changed_in_the_database(desk: Desk, jonas: Clerk, request_id: int) -> None:
    steps.pay(desk, jonas, request_id)
    with pytest.raises(DBAPIError), desk.store.writing() as session:
        session.scalars(select(Posting)).one().amount = Decimal("1.00")


def test_an_annulled_charge_is_not_received(desk: Desk, jonas: Clerk, request_id: int) -> None:
    charge_id = _only(desk, request_id)
    with desk.store.writing() as session:
        charges.annul_charge(session, jonas.occasion(), session.get_one(Charge, charge_id), "Isento")
    with pytest.raises(Refused, match="anulada em 30/11/2026"):
        charges.receive_payment(jonas.occasion(), desk, [charge_id], TODAY, "pix")
    with desk.store.reading() as session:
        (line,) = charges.charges_of_request(session, desk, "porto", request_id, TODAY)
    assert line.state == "anulado" and line.amount is None


def test_a_payment_moves_the_request_on(desk: Desk, jonas: Clerk, request_id: int) -> None:
    assert steps.outlook_of(desk, jonas, request_id).shown == "aguarda_pagamento"
    steps.pay(desk, jonas, request_id)
    assert steps.outlook_of(desk, jonas, request_id).shown == "aguarda_vistoria"
    requests.withdraw_request(jonas.occasion(), desk, request_id, "Desistiu")
    assert NOON.date() == TODAY
