"""What the authority charges (art. 255): technical services by multiple of the custo/km, and the share of contracts."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Literal

from registry.api.law import DatedValue, FactError, Law, Step, Verdict, add_months, question
from registry_fretamento_rmr.rules.common import (
    LATEST,
    Amounts,
    Decision,
    decision,
    failing,
    found,
    rounded,
    step,
    total,
)

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class ServiceFee:
    """The service by ``item``, else by the type of vehicle to be registered; ``quantity`` services (None = one);
    the day of payment (None = the last custo/km known).
    """

    vehicle_type: str | None
    item: str | None
    quantity: int | None
    payment_date: date | None


@dataclass(frozen=True)
class ServiceFeeAnswer:
    """The item charged, the multiple of the custo/km times the quantity, and the amount in reais."""

    item: str | None
    multiple_custo_km: int | None
    amount: Decimal | None
    amount_half_even: Decimal | None
    amount_truncated: Decimal | None


_FEE_ITEMS = tuple(f"art-255-I-{item}" for item in "abcdefg")


@question("service_fee", cites=["art-255", "art-255-I", "art-207", *_FEE_ITEMS])
def service_fee(given: ServiceFee, law: Law) -> Verdict[ServiceFeeAnswer]:
    """What a technical service costs (art. 255, I, a to g). A type outside the table goes to the director."""
    on = given.payment_date or LATEST
    by_type, multiples = law.value("fee_by_vehicle_type", on), law.value("fee_multiples", on)
    item = given.item or by_type.value.get(given.vehicle_type or "")
    if item not in multiples.value:
        refused = (
            found(law, "art-255-I", "fee_not_listed", False, [by_type], what=given.item or given.vehicle_type or "?"),
            found(law, "art-207", "omitted_case", False),
        )
        return Verdict("refer", ServiceFeeAnswer(None, None, None, None, None), refused)
    cost = law.index("custo_km", on)
    multiple, count = int(multiples.value[item]), given.quantity or 1
    label = law.value("fee_labels", on).value[item]
    unit = rounded(multiple * cost.decimal, law)
    due = unit.times(count)
    steps = [step(law, "step_fee_cost", cost=cost.decimal, act=cost.act or "—")]
    steps.append(Step(law.say("step_fee_unit", label=label, multiple=multiple, cost=cost.decimal), unit.amount))
    steps.append(total(law, "step_fee_total", due.amount, count=count))
    provision = law.value("fee_provisions", on).value[item]
    values = [multiples, cost] if given.item else [by_type, multiples, cost]
    grounds = (found(law, provision, "fee_due", None, values, label=label, multiple=multiple, amount=due.amount),)
    answer = ServiceFeeAnswer(item, multiple * count, due.amount, due.half_even, due.truncated)
    return Verdict("allow", answer, grounds, tuple(steps))


@dataclass(frozen=True)
class ItemH:
    """A contract (or single trip, without days): seats offered, first and last day, trips in all or by month
    (``2024-03``), and whether the share was paid before the trip authorization is issued.
    """

    seats_offered: int
    contract_start: date | None
    contract_end: date | None
    trips: int | Mapping[str, int]
    paid_before_issue: bool


@dataclass(frozen=True)
class ItemHAnswer:
    """How the share is billed and how much it is: by month, or one amount."""

    duration: Literal["exactly_one_month", "over_one_month", "under_one_month"] | None
    billing: Literal["monthly", "upfront"]
    charges: Mapping[str, Decimal]
    amount: Decimal | None
    amount_half_even: Decimal | None
    amount_truncated: Decimal | None
    decision: Decision
    articles: tuple[str, ...]


@question("item_h", cites=["art-255-I-h", "art-255-par-1"])
def item_h(given: ItemH, law: Law) -> Verdict[ItemHAnswer]:
    """The share of a contract (art. 255, I, h) and whether the trips may be authorized (art. 255, § 1º).

    Raises ``FactError`` for a month that is none.
    """
    duration = _duration(given, law)
    monthly = duration == "over_one_month" or (
        duration == "exactly_one_month" and law.reading("item_h_exact_one_month") == "monthly"
    )
    steps: list[Step] = []
    charges: dict[str, Decimal] = {}
    due: Amounts | None = None
    rate = law.value("item_h_rate", given.contract_start or LATEST)
    if monthly and isinstance(given.trips, Mapping):
        for month, count in given.trips.items():
            fare = law.index("average_fare", _last_day(month))
            share = rounded(_share(rate, fare, given.seats_offered, count), law)
            charges[month] = share.amount
            factors: dict[str, Any] = {"fare": fare.decimal, "seats": given.seats_offered, "trips": count}
            steps.append(Step(law.say("step_item_h_month", month=month, rate=rate.decimal, **factors), share.amount))
    else:
        trips = given.trips if isinstance(given.trips, int) else sum(given.trips.values())
        fare = law.index("average_fare", given.contract_start or LATEST)
        due = rounded(_share(rate, fare, given.seats_offered, trips), law)
        factors = {"rate": rate.decimal, "fare": fare.decimal, "seats": given.seats_offered, "trips": trips}
        steps.append(total(law, "step_item_h", due.amount, **factors))
    ok = monthly or given.paid_before_issue
    sentence = "item_h_monthly" if monthly else "item_h_paid" if ok else "item_h_unpaid"
    grounds = (found(law, "art-255-par-1", sentence, ok, [rate]),)
    answer = ItemHAnswer(
        duration,
        "monthly" if monthly else "upfront",
        charges,
        due.amount if due else None,
        due.half_even if due else None,
        due.truncated if due else None,
        decision(grounds),
        failing(grounds),
    )
    return Verdict(answer.decision, answer, grounds, tuple(steps))


def _duration(given: ItemH, law: Law) -> Literal["exactly_one_month", "over_one_month", "under_one_month"] | None:
    if given.contract_start is None or given.contract_end is None:
        return None
    months = law.value("item_h_month_limit", given.contract_start)
    after, limit = given.contract_end + _DAY, add_months(given.contract_start, months.integer)
    return "exactly_one_month" if after == limit else "over_one_month" if after > limit else "under_one_month"


def _share(rate: DatedValue, fare: DatedValue, seats: int, trips: int) -> Decimal:
    return rate.decimal * fare.decimal * seats * trips


def _last_day(month: str) -> date:
    try:
        first = date.fromisoformat(f"{month}-01")
    except ValueError:
        raise FactError(f"Esperava um mês como 2024-03, veio «{month}».") from None
    return first.replace(day=monthrange(first.year, first.month)[1])
