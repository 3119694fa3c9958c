"""Arts. 6, 19, 25, 28 and 45: cars on the road, agreed prices, refusals, lost objects, luggage."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal

from registry.api.law import Law, Verdict, add_hours, question
from registry_taxi_recife.rules.bandeira import WEEKDAYS
from registry_taxi_recife.rules.common import articles, ground
from registry_taxi_recife.rules.sanctions import DecisionAnswer

_HUNDRED = 100


@dataclass(frozen=True)
class CirculationGiven:
    """Licensed cars of a company, cars on the road at an aware instant, cars that the authority ordered off it."""

    fleet: int
    circulating: int
    at: datetime
    ordered_off_road: int | None


@dataclass(frozen=True)
class CirculationAnswer:
    """``required`` cars by the row ``rule`` of art. 19."""

    required: int
    compliant: bool
    rule: str


@dataclass(frozen=True)
class PriceAgreementGiven:
    """``event`` wedding, baptism, reception, funeral or any other."""

    event: str
    on: date


@dataclass(frozen=True)
class RefusalGiven:
    """``ground`` of the refusal; ``at`` an aware instant (None = hour not known)."""

    ground: str
    at: datetime | None
    guide_dog: bool
    on: date


@dataclass(frozen=True)
class RefusalAnswer:
    """``code`` of the infraction where the refusal was not lawful."""

    lawful: bool
    code: str | None


@dataclass(frozen=True)
class LostObjectGiven:
    """``found`` is an aware instant."""

    found: datetime


@dataclass(frozen=True)
class LostObjectAnswer:
    """``deadline`` in naive civil time."""

    deadline: datetime


@dataclass(frozen=True)
class LuggageItem:
    """Weight in kg and the sides in cm; None or no sides = not measured."""

    kg: Decimal | None
    cm: tuple[Decimal, ...]


@dataclass(frozen=True)
class LuggageGiven:
    """The pieces of one passenger."""

    items: tuple[LuggageItem, ...]
    on: date


@dataclass(frozen=True)
class LuggageAnswer:
    """Whether each piece may be charged, in order."""

    chargeable: tuple[bool, ...]


@question("circulation", cites=["art-19-caput-1", "art-19-caput-2"])
def circulation(given: CirculationGiven, law: Law) -> Verdict[CirculationAnswer]:
    """The least cars on the road, rounded up; one share by day on working days, another at all other times."""
    local = given.at.astimezone(law.zone)
    on = local.date()
    window = law.value("circulation.day_window", on)
    start, end = (time.fromisoformat(text) for text in window.value)
    weekdays = law.value("circulation.reduced_weekdays", on).value
    reduced = WEEKDAYS[on.weekday()] in weekdays or law.calendar.holiday_name(on) is not None
    by_day = not reduced and start <= local.time() < end
    other = law.value("circulation.other_min_pct", on)
    pct = int(law.reading("circulation.weekday_min_pct")) if by_day else other.integer
    rule = "art-19-caput-1" if by_day else "art-19-caput-2"
    base = given.fleet - (given.ordered_off_road or 0)
    required = -(-base * pct // _HUNDRED)
    compliant = given.circulating >= required
    facts = {"base": base, "pct": pct, "required": required, "circulating": given.circulating}
    code = "circulation_ok" if compliant else "circulation_short"
    reason = ground(law, rule, code, compliant, (window,) if by_day else (window, other), **facts)
    return Verdict("allow", CirculationAnswer(required, compliant, rule), (reason,))


@question("price_agreement", cites=["art-6-caput"])
def price_agreement(given: PriceAgreementGiven, law: Law) -> Verdict[DecisionAnswer]:
    """A price may be agreed only for the ceremonies of the list."""
    events = law.value("price_agreement.events", given.on)
    holds = given.event in events.value
    reason = ground(law, "art-6-caput", "price_ok" if holds else "price_not", holds, (events,))
    decision = "allow" if holds else "deny"
    return Verdict("allow" if holds else "deny", DecisionAnswer(decision, articles([reason])), (reason,))


@question("refusal", cites=["art-25-VIII", "art-28-I", "art-28-II", "art-28-III", "art-28-IV"])
def refusal(given: RefusalGiven, law: Law) -> Verdict[RefusalAnswer]:
    """Whether a driver may (or must) refuse a passenger on this ground; a guide dog is never a ground."""
    on = given.at.astimezone(law.zone).date() if given.at else given.on
    table, code = law.value("refusal.grounds", on), law.value("refusal.fine_code", on)
    row = next((row for row in table.value if row["ground"] == given.ground), None)
    lawful = row is not None
    if row is not None and "window" in row:
        lawful = given.at is not None and _within(given.at.astimezone(law.zone).time(), row["window"])
    if row is not None and row.get("except_guide_dog", False) and given.guide_dog:
        lawful = False
    provision = row["provision"] if row is not None else "art-28-caput"
    reason = ground(law, provision, "refusal_ok" if lawful else "refusal_not", lawful, (table,))
    return Verdict("allow", RefusalAnswer(lawful, None if lawful else str(code.value)), (reason,))


def _within(clock: time, window: list[str]) -> bool:
    start, end = (time.fromisoformat(text) for text in window)
    return start <= clock < end if start < end else clock >= start or clock < end


@question("lost_object", cites=["art-25-IX"])
def lost_object(given: LostObjectGiven, law: Law) -> Verdict[LostObjectAnswer]:
    """So many hours from the finding, any day of the week."""
    local = given.found.astimezone(law.zone)
    hours = law.value("lost_object.hours", local.date())
    deadline = add_hours(local, hours.integer).replace(tzinfo=None)
    facts = {"day": deadline.date(), "clock": deadline.time(), "hours": hours.integer}
    reason = ground(law, "art-25-IX", "lost_object", None, (hours,), **facts)
    return Verdict("allow", LostObjectAnswer(deadline), (reason,))


@question("luggage", cites=["art-45-caput"])
def luggage(given: LuggageGiven, law: Law) -> Verdict[LuggageAnswer]:
    """A piece above the weight or larger than the case may be charged; exactly as much is free."""
    limit, case = law.value("luggage.max_kg", given.on), law.value("luggage.case_cm", given.on)
    sides = sorted(Decimal(text) for text in case.value)
    total = sum((item.kg or Decimal(0) for item in given.items), Decimal(0))
    whole = law.reading("luggage.weight_scope") == "total"
    chargeable = tuple(
        (total if whole else item.kg or Decimal(0)) > limit.decimal or _larger(item, sides, law) for item in given.items
    )
    facts = {"count": sum(chargeable), "kg": limit.value, "short": case.value[0], "long": case.value[1]}
    return Verdict(
        "allow", LuggageAnswer(chargeable), (ground(law, "art-45-caput", "luggage", None, (limit, case), **facts),)
    )


def _larger(item: LuggageItem, case: list[Decimal], law: Law) -> bool:
    """Whether a piece is larger than the case: its two largest sides do not fit, or cover a larger area."""
    short, long = sorted((Decimal(0), Decimal(0), *item.cm))[-2:]
    if law.reading("luggage.size_test") == "area":
        return short * long > case[0] * case[1]
    return short > case[0] or long > case[1]
