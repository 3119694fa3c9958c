"""The vehicle (arts. 11 LIII, 208, 211, 214, 216): its type, capacity, insurance, equipment, reserve, replacement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from registry.api.law import Ground, Law, Outcome, Step, Verdict, question, round_money
from registry_fretamento_rmr.rules.common import LATEST, Decision, decision, failing, found, step

VEHICLE_TYPES = {"kombi": "Kombi", "van": "Van", "microonibus": "Micro-ônibus", "onibus": "Ônibus"}
"""What the codes of the closed list are called."""


@dataclass(frozen=True)
class VehicleKind:
    """``vehicle_type`` a code of the closed list; ``on`` the day of the check (None = the last list known)."""

    vehicle_type: str | None
    on: date | None


@dataclass(frozen=True)
class Decided:
    """A decision and the provisions that forbid."""

    decision: Decision
    articles: tuple[str, ...]


@question("vehicle_kind", cites=["art-11-LIII"])
def vehicle_kind(given: VehicleKind, law: Law) -> Verdict[Decided]:
    """May a vehicle of this type be chartered (art. 11, LIII)?"""
    types = law.value("vehicle_types", given.on or LATEST)
    ok = given.vehicle_type in types.value
    sentence = "vehicle_kind_ok" if ok else "vehicle_kind_not_listed"
    listed = [_called(each) for each in types.value]
    grounds = (found(law, "art-11-LIII", sentence, ok, [types], type=_called(given.vehicle_type), types=listed),)
    return Verdict(decision(grounds), Decided(decision(grounds), failing(grounds)), grounds)


def _called(code: str | None) -> str:
    return VEHICLE_TYPES.get(code, code).lower() if code else "não informado"


@dataclass(frozen=True)
class Capacity:
    """``seats_incl_driver`` seats in all, ``emergency_windows`` how many windows are emergency exits
    (None = none)."""

    seats_incl_driver: int
    emergency_windows: int | None
    on: date | None


@dataclass(frozen=True)
class CapacityAnswer:
    """Whether the vehicle has seats and emergency windows enough."""

    decision: Decision
    emergency_window_required: bool
    articles: tuple[str, ...]


@question("capacity", cites=["art-211", "art-214"])
def capacity(given: Capacity, law: Law) -> Verdict[CapacityAnswer]:
    """Seats (art. 211) and emergency window (art. 214)."""
    on = given.on or LATEST
    windows = given.emergency_windows or 0
    seats, minimum = given.seats_incl_driver, law.value("min_seats_incl_driver", on)
    limit, wanted = law.value("emergency_window_above", on), law.value("emergency_windows_min", on)
    counts_driver = bool(law.reading("art214_counts_driver"))
    counted = seats if counts_driver else seats - law.value("driver_seats", on).integer
    required = counted > limit.integer
    enough = seats >= minimum.integer
    grounds = [
        found(
            law,
            "art-211",
            "capacity_seats_ok" if enough else "capacity_seats_few",
            enough,
            [minimum],
            seats=seats,
            minimum=minimum.integer,
        )
    ]
    facts: dict[str, Any] = {"counted": counted, "limit": limit.integer, "windows": windows}
    if not required:
        grounds.append(found(law, "art-214", "capacity_window_not_required", True, [limit], **facts))
    else:
        ok = windows >= wanted.integer
        sentence = "capacity_window_ok" if ok else "capacity_window_missing"
        grounds.append(found(law, "art-214", sentence, ok, [limit, wanted], wanted=wanted.integer, **facts))
    steps = (
        step(law, "step_capacity_seats", seats=seats, minimum=minimum.integer),
        step(law, "step_capacity_window" if counts_driver else "step_capacity_window_without_driver", **facts),
    )
    answer = CapacityAnswer(decision(grounds), required, failing(grounds))
    return Verdict(answer.decision, answer, tuple(grounds), steps)


@dataclass(frozen=True)
class SeatsOffered:
    """Seats in all, and those beside the driver, on which nobody may travel."""

    seats_incl_driver: int
    front_passenger_seats: int | None
    on: date | None


@dataclass(frozen=True)
class SeatsOfferedAnswer:
    """The seats that may be sold."""

    seats_offered: int


@question("seats_offered", cites=["art-203"])
def seats_offered(given: SeatsOffered, law: Law) -> Verdict[SeatsOfferedAnswer]:
    """How many passengers may the vehicle carry (art. 203)? All seated, none on the front seats."""
    driver, front = law.value("driver_seats", given.on or LATEST), given.front_passenger_seats or 0
    offered = given.seats_incl_driver - driver.integer - front
    facts: dict[str, Any] = {"seats": given.seats_incl_driver, "front": front, "offered": offered}
    ground = found(law, "art-203", "seats_offered", None, [driver], **facts)
    return Verdict("allow", SeatsOfferedAnswer(offered), (ground,), (step(law, "seats_offered", **facts),))


@dataclass(frozen=True)
class Insurance:
    """The liability policy: covers in reais, last day of validity, and the day of the check."""

    cover_per_person: Decimal | None
    cover_material: Decimal | None
    valid_through: date | None
    as_of: date


@dataclass(frozen=True)
class InsuranceAnswer:
    """The minimum covers in reais by the custo/km of the day, and whether the policy meets them."""

    min_per_person: Decimal
    min_material: Decimal
    decision: Decision
    articles: tuple[str, ...]


@question("insurance", cites=["art-211-VIII"])
def insurance(given: Insurance, law: Law) -> Verdict[InsuranceAnswer]:
    """Does the liability policy reach the minimum covers on the day of the check (art. 211, VIII)?"""
    cost = law.index("custo_km", given.as_of)
    grounds: list[Ground] = []
    steps: list[Step] = []
    minimums: list[Decimal] = []
    for kind, cover in (("person", given.cover_per_person), ("material", given.cover_material)):
        multiple = law.value(f"insurance_{kind}_multiple", given.as_of)
        minimum = multiple.integer * cost.decimal
        shown = round_money(minimum, law.rounding)
        ok = cover is not None and cover >= minimum
        sentence = f"insurance_{kind}_{'ok' if ok else 'short'}"
        facts: dict[str, Any] = {"cover": round_money(cover or Decimal(0), "down"), "minimum": shown}
        grounds.append(found(law, "art-211-VIII", sentence, ok, [multiple, cost], **facts))
        steps.append(step(law, f"step_insurance_{kind}", multiple=multiple.integer, cost=cost.decimal, minimum=shown))
        minimums.append(minimum)
    grounds.append(_policy_term(given, law))
    answer = InsuranceAnswer(minimums[0], minimums[1], decision(grounds), failing(grounds))
    return Verdict(answer.decision, answer, tuple(grounds), tuple(steps))


def _policy_term(given: Insurance, law: Law) -> Ground:
    if given.valid_through is None:
        return found(law, "art-211-VIII", "insurance_no_policy", False)
    ok = given.as_of <= given.valid_through
    sentence = "insurance_in_force" if ok else "insurance_expired"
    return found(law, "art-211-VIII", sentence, ok, valid_through=given.valid_through, as_of=given.as_of)


@dataclass(frozen=True)
class Equipment:
    """The items of the inspection's checklist that failed, by code."""

    failed: tuple[str, ...]
    on: date | None


@dataclass(frozen=True)
class EquipmentAnswer:
    """Whether the inspection is passed."""

    decision: Decision
    failed: tuple[str, ...]
    articles: tuple[str, ...]


@question(
    "equipment",
    cites=[
        "art-199",
        "art-211",
        "art-211-I",
        "art-211-II",
        "art-211-V",
        "art-211-VII",
        "art-211-IX",
        "art-211-par-2",
        "art-214",
        "art-220-par-u",
    ],
)
def equipment(given: Equipment, law: Law) -> Verdict[EquipmentAnswer]:
    """Is every item of the inspection in order (arts. 199, 211, 214, 220)? One failure fails the vehicle."""
    items = law.value("inspection_items", given.on or LATEST)
    grounds = [
        found(law, item["provision"], "equipment_failed", False, [items], item=item["label"], code=item["code"])
        for item in items.value
        if item["code"] in given.failed
    ]
    if not grounds:
        grounds.append(found(law, "art-199", "equipment_ok", True, [items], count=len(items.value)))
    answer = EquipmentAnswer(decision(grounds), given.failed, failing(grounds))
    return Verdict(answer.decision, answer, tuple(grounds))


@dataclass(frozen=True)
class Replacement:
    """Years of manufacture, the year in which ages are counted, whether the old vehicle was struck off."""

    reference_year: int
    old_year: int
    new_year: int
    old_discharged: bool


@dataclass(frozen=True)
class ReplacementAnswer:
    """Ages in whole years and whether one may replace the other; ``articles`` always names the rule."""

    old_age: int
    new_age: int
    decision: Literal["allow", "deny", "refer"]
    articles: tuple[str, ...]


@question("replacement", cites=["art-216", "art-216-I", "art-216-II", "art-216-par-u", "art-207"])
def replacement(given: Replacement, law: Law) -> Verdict[ReplacementAnswer]:
    """May the new vehicle replace the old one (art. 216)? A vehicle of the year for another goes to the director."""
    limit, gain = law.value("replacement_age_limit", LATEST), law.value("replacement_min_gain", LATEST)
    old, new = given.reference_year - given.old_year, given.reference_year - given.new_year
    facts: dict[str, Any] = {"old": old, "new": new, "limit": limit.integer, "gain": gain.integer}
    undecided = old <= 0 and new == old
    if old > limit.integer:
        rule, ok = "art-216-I", new < limit.integer
    elif old < limit.integer:
        rule, ok = "art-216-II", new <= old - gain.integer
    else:
        rule, ok = "art-216", new < limit.integer
    sentence = f"replacement_{'ok' if ok else 'too_old'}"
    grounds = [found(law, rule, sentence, ok, [limit, gain], **facts)]
    if not given.old_discharged:
        grounds.append(found(law, "art-216-par-u", "replacement_not_discharged", False))
    outcome: Outcome = decision(grounds)
    articles = failing(grounds) or (rule,)
    if undecided and given.old_discharged:
        outcome = "refer"
        grounds.append(found(law, "art-207", "omitted_case", False))
        articles = failing(grounds)
    steps = (step(law, "step_replacement", year=given.reference_year, old=old, new=new),)
    answer = ReplacementAnswer(old, new, "refer" if outcome == "refer" else decision(grounds), articles)
    return Verdict(outcome, answer, tuple(grounds), steps)


@dataclass(frozen=True)
class Reserve:
    """The four conditions under which a reserve vehicle runs."""

    registered: bool
    inspected_emtu: bool
    inspected_detran: bool
    regular_vehicle_unavailable: bool


@question("reserve", cites=["art-208-par-1"])
def reserve(given: Reserve, law: Law) -> Verdict[Decided]:
    """May the reserve vehicle run (art. 208, § 1º)?"""
    checks = (
        ("reserve_not_registered", given.registered),
        ("reserve_not_inspected_emtu", given.inspected_emtu),
        ("reserve_not_inspected_detran", given.inspected_detran),
        ("reserve_regular_available", given.regular_vehicle_unavailable),
    )
    grounds = [found(law, "art-208-par-1", sentence, False) for sentence, ok in checks if not ok]
    grounds = grounds or [found(law, "art-208-par-1", "reserve_ok", True)]
    answer = Decided(decision(grounds), failing(grounds))
    return Verdict(answer.decision, answer, tuple(grounds))


@dataclass(frozen=True)
class Stpp:
    """Whether the holder runs regular lines (STPP) and the vehicle is registered and inspected for them."""

    holder_is_stpp_operator: bool
    vehicle_registered_stpp: bool
    vehicle_inspected_stpp: bool


@dataclass(frozen=True)
class StppAnswer:
    """What an operator of regular lines still has to do."""

    company_registration_required: bool
    vehicle_registration_required: bool
    inspection_required: bool
    driver_registration_required: bool
    item_h_due: bool


@question("stpp", cites=["art-208-par-3"])
def stpp(given: Stpp, law: Law) -> Verdict[StppAnswer]:
    """What is waived for an operator of regular lines (art. 208, § 3º)? The contract share is always due."""
    operator = given.holder_is_stpp_operator
    waived = operator and given.vehicle_registered_stpp and given.vehicle_inspected_stpp
    sentence = "stpp_all_waived" if waived else "stpp_company_waived" if operator else "stpp_nothing_waived"
    grounds = (found(law, "art-208-par-3", sentence, None),)
    return Verdict("allow", StppAnswer(not operator, not waived, not waived, not waived, item_h_due=True), grounds)
