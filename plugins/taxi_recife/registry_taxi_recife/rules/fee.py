"""Anexo I: the fees, in per cent of the UFR."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from registry.api.law import DatedValue, Ground, Law, Step, Verdict, format_number, known, question, round_money
from registry_taxi_recife.rules.common import ground

UFR = "ufr"
_RATE = "fee."
_TABLE = "fee.by_inspection"
_HUNDRED = Decimal(100)


@dataclass(frozen=True)
class FeeGiven:
    """``items`` are pairs of fee code (``fee.<code>`` of the law data) and quantity; ``on`` the day of the request."""

    items: tuple[tuple[str, int], ...]
    on: date


@dataclass(frozen=True)
class FeeAnswer:
    """Amounts in reais, one for each item in order, and their sum."""

    amounts: tuple[Decimal, ...]
    total: Decimal


@question("fee", cites=["anexo-I-01", "anexo-I-02", "anexo-I-03"])
def fee(given: FeeGiven, law: Law) -> Verdict[FeeAnswer]:
    """Each unit is rounded to the centavo, then multiplied and summed. Raises ``NoValueInForce`` without an UFR and
    ``FactError`` for a code that the annex lacks."""
    ufr = law.index(UFR, given.on)
    codes = [key.removeprefix(_RATE) for key in law.book.parameters if key.startswith(_RATE) and key != _TABLE]
    grounds: list[Ground] = []
    steps, amounts = [], []
    for code, quantity in given.items:
        rate = law.value(_RATE + known("A taxa", code, codes), given.on)
        unit = unit_fee(rate, ufr, law)
        amounts.append(unit * quantity)
        facts = {"label": rate.label, "pct": _pct(rate), "ufr": ufr.decimal, "unit": unit, "quantity": quantity}
        text = law.say("fee_item" if quantity == 1 else "fee_items", **facts)
        grounds.append(
            ground(law, rate.provision, "fee_item" if quantity == 1 else "fee_items", None, (rate, ufr), **facts)
        )
        steps.append(Step(text, unit * quantity))
    if not grounds:
        grounds.append(ground(law, "anexo-I-01", "fee_nothing", None, (ufr,)))
    total = sum(amounts, Decimal("0.00"))
    steps.append(Step(law.say("fee_total"), total, total=True))
    return Verdict("allow", FeeAnswer(tuple(amounts), total), tuple(grounds), tuple(steps))


def unit_fee(rate: DatedValue, ufr: DatedValue, law: Law) -> Decimal:
    """One unit charge: the rate in per cent of the UFR, rounded once."""
    return round_money(rate.decimal * ufr.decimal / _HUNDRED, law.rounding)


def _pct(rate: DatedValue) -> str:
    return format_number(rate.decimal)
