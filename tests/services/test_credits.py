"""What was paid too much pays another charge, once, and comes back when that payment is reversed."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from registry.services import charges, credits
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.services.request_page import request_page
from registry.store.audit import AuditEntry
from registry.store.charges import Charge, Posting
from tests import factories
from tests.factories import CPFS, Clerk
from tests.services import steps

TODAY = date(2026, 11, 30)


class Till:
    """Two open charges of 200,00 of one debtor, and one of somebody else."""

    def __init__(self, desk: Desk, by: Clerk) -> None:
        self.desk, self.by = desk, by
        ana = factories.person(desk, by)
        ivo = factories.person(desk, by, CPFS[1], "Ivo Tavares")
        plates = iter(("RZT6B18", "KGA1234", "PGT4H87"))
        self.first, self.second, self.other = (
            steps.open_charges(
                desk,
                factories.filed(desk, by, applicant_id=who, vehicle_id=factories.vehicle(desk, by, next(plates))),
            )[0]
            for who in (ana, ana, ivo)
        )
        self.ana = ana

    def pay(self, charge_id: int, amount: str) -> int:
        return charges.receive_payment(self.by.occasion(), self.desk, [charge_id], TODAY, "pix", Decimal(amount))

    def use(self, charge_id: int, key: str = "") -> int:
        return credits.use_credit(self.by.occasion(once_key=key), self.desk, charge_id)

    def reverse(self, receipt_id: int) -> int:
        with self.desk.store.reading() as session:
            (posting,) = session.query(Posting).filter_by(receipt_id=receipt_id, kind="pagamento")
        return charges.reverse_posting(self.by.occasion(), self.desk, posting.id, "Engano")

    def left(self) -> list[str]:
        with self.desk.store.reading() as session:
            return [str(each.amount) for each in credits.credits_of(session, self.by.authority, self.ana)]

    def cash(self) -> str:
        with self.desk.store.reading() as session:
            return str(charges.cash_of_day(session, self.by.authority, TODAY).expected)

    def settled(self, charge_id: int) -> bool:
        with self.desk.store.reading() as session:
            return session.get_one(Charge, charge_id).settled_at is not None


@pytest.fixture
def till(desk: Desk, jonas: Clerk) -> Till:
    return Till(desk, jonas)


@pytest.mark.parametrize(
    ("paid", "left", "settled", "credit"),
    [
        ("200.01", "199.99", False, []),
        ("399.99", "0.01", False, []),
        ("400.00", "0.00", True, []),
        ("430.00", "0.00", True, ["30.00"]),
    ],
)
def test_a_credit_pays_as_far_as_it_goes(till: Till, paid: str, left: str, settled: bool, credit: list[str]) -> None:
    till.pay(till.first, paid)
    receipt = till.use(till.second)
    assert till.settled(till.second) is settled and till.left() == credit and till.cash() == paid
    with till.desk.store.reading() as session:
        line = charges.charge_of(session, till.desk, till.by.authority, till.second, TODAY)
        assert line.left == Decimal(left)
        page = charges.receipt_page(session, till.by.authority, receipt)
        assert page.method == "credito" and page.total == min(Decimal(paid) - 200, Decimal(200))
        told = [(each.kind, [step.text for step in each.steps][:1]) for each in page.lines]
        assert told[1] == ("uso", ["Crédito do recibo nº 2026/000001"])


def test_a_repeated_click_uses_it_once_and_a_used_credit_is_gone(till: Till) -> None:
    till.pay(till.first, "230.00")
    assert till.use(till.second, "k") == till.use(till.second, "k")
    with pytest.raises(Refused, match="Não há crédito"):
        till.use(till.second)
    with pytest.raises(Refused, match="Não há crédito"):
        till.use(till.other)
    with pytest.raises(Refused, match="já foi paga"):
        till.use(till.first)


def test_a_reversed_use_gives_the_credit_back_and_no_money_moves(till: Till) -> None:
    till.pay(till.first, "230.00")
    used = till.use(till.second)
    till.reverse(used)
    assert till.left() == ["30.00"] and till.cash() == "230.00" and not till.settled(till.second)
    with pytest.raises(AlreadyDone):
        till.reverse(used)
    again = till.use(till.second)
    assert till.left() == [] and again != used


def test_a_payment_whose_credit_was_used_is_reversed_only_after_the_use(till: Till) -> None:
    first = till.pay(till.first, "450.00")
    used = till.use(till.second)
    assert till.left() == ["50.00"]
    with pytest.raises(Refused, match=r"foi usado no recibo nº 2026/000002\. Estorne o uso antes"):
        till.reverse(first)
    assert till.cash() == "450.00"
    till.reverse(used)
    assert till.left() == ["50.00", "200.00"]
    till.reverse(first)
    assert till.left() == [] and till.cash() == "0.00" and not till.settled(till.first)


def test_credits_of_several_receipts_are_used_oldest_first(till: Till) -> None:
    till.pay(till.first, "220.00")
    till.pay(till.second, "240.00")
    third = steps.open_charges(
        till.desk,
        factories.filed(
            till.desk, till.by, applicant_id=till.ana, vehicle_id=factories.vehicle(till.desk, till.by, "OYV4B22")
        ),
    )[0]
    assert till.left() == ["20.00", "40.00"]
    used = till.use(third)
    assert till.left() == [] and till.cash() == "460.00"
    till.reverse(used)
    assert till.left() == ["20.00", "40.00"]


def test_no_use_on_a_closed_day_nor_in_another_authority(till: Till, stranger: Clerk) -> None:
    till.pay(till.first, "230.00")
    with pytest.raises(NotFound):
        credits.use_credit(stranger.occasion(), till.desk, till.second)
    charges.close_cash(till.by.occasion(), till.desk, TODAY, Decimal("230.00"))
    with pytest.raises(Refused, match="já foi fechado"):
        till.use(till.second)
    assert till.left() == ["30.00"]


def test_a_use_is_audited_and_told_on_the_request(till: Till) -> None:
    till.pay(till.first, "400.00")
    used = till.use(till.second)
    with till.desk.store.reading() as session:
        (entry,) = session.query(AuditEntry).filter_by(action="credit.used")
        assert (entry.subject, entry.subject_id) == ("receipt", used)
        assert entry.after == {"number": "2026/000002", "total": "200.00", "charge": till.second}
        request_id = session.get_one(Charge, till.second).request_id
        assert request_id is not None
        told = request_page(session, till.desk, till.by.occasion(), request_id)
        assert [fee.paid for fee in told.fees] == [Decimal("200.00")]
