"""Arts. 11, 30 to 34: the inspection's result, its fee, what becomes of the car, and how long it counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from registry.api.law import DatedValue, Ground, Law, NoValueInForce, Step, Verdict, add_months, known, question
from registry_taxi_recife.rules.common import articles, ground
from registry_taxi_recife.rules.fee import UFR, unit_fee

LISTS = ("inspection.items", "inspection.equipment", "inspection.markings")
STATE = "inspection.state_on_fail"
FEE = "fee.by_inspection"
MONTHS = "inspection.months"


@dataclass(frozen=True)
class InspectionGiven:
    """``kind`` is inclusion, annual, ad_hoc or reinspection; ``failed`` and ``na`` are codes of the checklist."""

    kind: str
    failed: tuple[str, ...]
    na: tuple[str, ...]
    on: date


@dataclass(frozen=True)
class InspectionAnswer:
    """``fee`` is None while no UFR is in force on the day: a missing index stops no inspector."""

    result: str
    articles: tuple[str, ...]
    fee: Decimal | None
    vehicle_state: str


@dataclass(frozen=True)
class InspectionValidityGiven:
    """``inspected`` is the day of the passed inspection."""

    inspected: date


@dataclass(frozen=True)
class InspectionValidityAnswer:
    """``valid_until`` is the last day on which the inspection counts."""

    valid_until: date


@question("inspection", cites=["art-11-caput", "art-11-par-un-caput", "art-30-caput", "art-32-par-un"])
def inspection(given: InspectionGiven, law: Law) -> Verdict[InspectionAnswer]:
    """One failed item fails the car; the fee is due all the same. Raises ``FactError`` for a code outside the lists."""
    items = {item["code"]: item for item in checklist(law, given.on)}
    for code in (*given.failed, *given.na):
        known("O item da vistoria", code, items)
    kinds, states = law.value(FEE, given.on), law.value(STATE, given.on)
    known("O tipo de vistoria", given.kind, kinds.value)
    failed = [items[code] for code in items if code in given.failed]
    grounds = _grounds(failed, law)
    rate = law.value(f"fee.{kinds.value[given.kind]}", given.on)
    fee, owed, steps = _fee(rate, given.on, law)
    state = states.value[given.kind] if failed else "in_service"
    answer = InspectionAnswer("failed" if failed else "approved", articles(grounds), fee, state)
    return Verdict("deny" if failed else "allow", answer, (*grounds, *owed), steps)


@question("inspection_validity", cites=["art-32-caput"])
def inspection_validity(given: InspectionValidityGiven, law: Law) -> Verdict[InspectionValidityAnswer]:
    """A passed inspection counts for a year, to the equal-numbered day; it never rolls."""
    months = law.value(MONTHS, given.inspected)
    valid_until = add_months(given.inspected, months.integer)
    facts = {"inspected": given.inspected, "until": valid_until, "months": months.integer}
    reason = ground(law, "art-32-caput", "inspection_term", None, (months,), **facts)
    return Verdict("allow", InspectionValidityAnswer(valid_until), (reason,))


def checklist(law: Law, on: date) -> Iterable[Mapping[str, Any]]:
    """Every item of the inspection in force on a day, in the order of the decree."""
    for key in LISTS:
        yield from law.value(key, on).value


def _grounds(failed: list[Mapping[str, Any]], law: Law) -> tuple[Ground, ...]:
    if not failed:
        return (ground(law, "art-11-caput", "inspection_passed", True),)
    return tuple(ground(law, item["provision"], "item_failed", False, item=item["label"]) for item in failed)


def _fee(rate: DatedValue, on: date, law: Law) -> tuple[Decimal | None, tuple[Ground, ...], tuple[Step, ...]]:
    """The fee, the ground that it rests on, and its arithmetic; nothing of it where no UFR is in force."""
    try:
        ufr = law.index(UFR, on)
    except NoValueInForce:
        return None, (), ()
    unit = unit_fee(rate, ufr, law)
    facts = {"label": rate.label, "pct": rate.value, "ufr": ufr.decimal, "unit": unit}
    owed = ground(law, rate.provision, "fee_item", None, (rate, ufr), **facts)
    return unit, (owed,), (Step(owed.text, unit, total=True),)
