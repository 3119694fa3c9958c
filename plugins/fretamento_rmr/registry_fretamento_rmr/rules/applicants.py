"""Who may hold a permit (arts. 194, 209 II, 210, 215, 239): kind, capital, staff, fleet age, earlier cassation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from registry.api.law import DatedValue, Ground, Law, NoValueInForce, Step, Verdict, add_months, question, round_money
from registry_fretamento_rmr.rules.common import LATEST, Decision, decision, failing, found, step


@dataclass(frozen=True)
class Decided:
    """A decision and the provisions that forbid."""

    decision: Decision
    articles: tuple[str, ...]


@dataclass(frozen=True)
class Applicant:
    """The holder kind by code, and whether a member's cooperative is accredited (None = it names none)."""

    holder_kind: str
    cooperative_accredited: bool | None
    on: date | None


@question("applicant", cites=["art-194", "art-209-par-2", "art-11-LIV"])
def applicant(given: Applicant, law: Law) -> Verdict[Decided]:
    """May this kind of applicant run the service (art. 194)? A member needs an accredited cooperative."""
    kinds = law.value("applicant_kinds", given.on or LATEST)
    members = law.value("member_kinds", given.on or LATEST)
    ok = given.holder_kind in kinds.value
    grounds = [found(law, "art-194", "applicant_ok" if ok else "applicant_not_listed", ok, [kinds])]
    if given.holder_kind in members.value:
        sentence = {None: "applicant_no_cooperative", False: "applicant_cooperative_out"}
        holds = given.cooperative_accredited is True
        text = sentence.get(given.cooperative_accredited, "applicant_cooperative_ok")
        grounds.append(found(law, "art-209-par-2", text, holds, [members]))
    answer = Decided(decision(grounds), failing(grounds))
    return Verdict(answer.decision, answer, tuple(grounds))


@dataclass(frozen=True)
class HolderPermit:
    """The numbers of the holder's permits in effect, and the one under which the term is asked (None = a new one)."""

    live_numbers: tuple[str, ...]
    asked_under: str | None


@question("holder_permit", cites=["art-11-LVI", "art-195"])
def holder_permit(given: HolderPermit, law: Law) -> Verdict[Decided]:
    """Is the term asked under the number that the holder already has? One number a holder, one term a vehicle."""
    ok = not given.live_numbers or given.asked_under in given.live_numbers
    if not given.live_numbers:
        ground = found(law, "art-195", "holder_without_permit", True)
    else:
        sentence = "holder_permit_used" if ok else "holder_permit_other"
        ground = found(law, "art-11-LVI", sentence, ok, numbers=list(given.live_numbers))
    answer = Decided(decision([ground]), failing([ground]))
    return Verdict(answer.decision, answer, (ground,))


@dataclass(frozen=True)
class Capital:
    """The fleet's present value and the paid-in capital, in reais."""

    fleet_value: Decimal
    paid_in_capital: Decimal
    on: date | None


@dataclass(frozen=True)
class CapitalAnswer:
    """The exact minimum in reais, and whether the capital reaches it."""

    minimum_exact: Decimal
    decision: Decision
    articles: tuple[str, ...]


@question("capital", cites=["art-209-II-g"])
def capital(given: Capital, law: Law) -> Verdict[CapitalAnswer]:
    """Does the paid-in capital reach the law's part of the fleet's value (art. 209, II, g)? Equality passes."""
    rate = law.value("min_capital_rate", given.on or LATEST)
    minimum = rate.decimal * given.fleet_value
    ok = given.paid_in_capital >= minimum
    shown = round_money(minimum, law.rounding)
    facts: dict[str, Any] = {"capital": round_money(given.paid_in_capital, "down"), "minimum": shown}
    ground = found(law, "art-209-II-g", "capital_ok" if ok else "capital_short", ok, [rate], **facts)
    steps = (
        step(law, "step_capital", rate=rate.decimal, fleet=round_money(given.fleet_value, law.rounding), minimum=shown),
    )
    answer = CapitalAnswer(minimum, decision([ground]), failing([ground]))
    return Verdict(answer.decision, answer, (ground,), steps)


@dataclass(frozen=True)
class Staff:
    """Vehicles of the fleet (reserve included), own specialised staff, parts stock."""

    fleet_size: int
    own_specialised_staff: bool
    parts_stock: bool
    on: date | None


@dataclass(frozen=True)
class StaffAnswer:
    """Whether the rule touches this fleet, and whether both parts are there."""

    required: bool
    decision: Decision
    articles: tuple[str, ...]


@question("staff", cites=["art-209-II-h"])
def staff(given: Staff, law: Law) -> Verdict[StaffAnswer]:
    """Own staff and parts stock of a large fleet (art. 209, II, h); both are needed."""
    limit = law.value("staff_fleet_above", given.on or LATEST)
    required = given.fleet_size > limit.integer
    facts: dict[str, Any] = {"fleet": given.fleet_size, "limit": limit.integer}
    if not required:
        grounds = [found(law, "art-209-II-h", "staff_not_required", True, [limit], **facts)]
    else:
        lacking = [
            sentence
            for sentence, present in (
                ("staff_missing", given.own_specialised_staff),
                ("parts_missing", given.parts_stock),
            )
            if not present
        ]
        grounds = [found(law, "art-209-II-h", sentence, False, [limit], **facts) for sentence in lacking]
        grounds = grounds or [found(law, "art-209-II-h", "staff_ok", True, [limit], **facts)]
    answer = StaffAnswer(required, decision(grounds), failing(grounds))
    return Verdict(answer.decision, answer, tuple(grounds), (step(law, "step_staff", **facts),))


@dataclass(frozen=True)
class Eligibility:
    """The ages of the fleet in whole years (year of the check less year made)."""

    fleet_ages: tuple[int, ...]
    on: date | None


@question("eligibility", cites=["art-210", "art-210-II"])
def eligibility(given: Eligibility, law: Law) -> Verdict[Decided]:
    """Is no vehicle above the age allowed (art. 210, II)? Without a norm that sets the limit nothing is refused."""
    limit = _age_limit(given, law)
    if limit is None:
        grounds = [found(law, "art-210-II", "fleet_age_no_limit", None)]
    else:
        grounds = [
            found(law, "art-210-II", "fleet_age_above", False, [limit], age=age, limit=limit.integer)
            for age in given.fleet_ages
            if age > limit.integer
        ] or [found(law, "art-210-II", "fleet_age_ok", True, [limit], limit=limit.integer)]
    answer = Decided(decision(grounds), failing(grounds))
    return Verdict(answer.decision, answer, tuple(grounds))


def _age_limit(given: Eligibility, law: Law) -> DatedValue | None:
    try:
        limit = law.index("max_vehicle_age", given.on or LATEST)
    except NoValueInForce:
        return None
    return None if limit.value is None else limit


@dataclass(frozen=True)
class Reauthorization:
    """An earlier cassation: kind of person, its cause, when it became final (None = there was none), the day of the
    grant, and for a crime whether the sentence was served and when rehabilitation came.
    """

    person: str
    cause: str | None
    cassation_final: date | None
    grant_date: date
    sentence_served: bool
    rehabilitated_on: date | None


@dataclass(frozen=True)
class ReauthorizationAnswer:
    """The last day of the ban where it has one; ``articles`` always names the rule applied."""

    ban_last_day: date | None
    decision: Decision
    articles: tuple[str, ...]


@question("reauthorization", cites=["art-210-I", "art-239-s1", "art-239-s2"])
def reauthorization(given: Reauthorization, law: Law) -> Verdict[ReauthorizationAnswer]:
    """May somebody whose permit was cassated get a new one on a day (arts. 210, I, and 239)?"""
    last: date | None = None
    steps: tuple[Step, ...] = ()
    if given.cassation_final is None:
        ground = found(law, "art-210-I", "no_cassation", True)
        return Verdict("allow", ReauthorizationAnswer(None, "allow", ()), (ground,))
    if law.reading("art210_cassation_permanent"):
        ground = found(law, "art-210-I", "cassation_permanent", False, final=given.cassation_final)
    elif given.cause == "crime" and given.person in law.value("crime_persons", given.grant_date).value:
        ground = _rehabilitation(given, law)
    else:
        months = law.value("reauthorization_ban_months", given.grant_date)
        last = add_months(given.cassation_final, months.integer)
        ok = given.grant_date > last
        ground = found(law, "art-239-s2", "ban_over" if ok else "ban_running", ok, [months], last=last)
        steps = (step(law, "step_ban", final=given.cassation_final, months=months.integer, last=last),)
    outcome: Literal["allow", "deny"] = decision([ground])
    return Verdict(outcome, ReauthorizationAnswer(last, outcome, (ground.provision,)), (ground,), steps)


def _rehabilitation(given: Reauthorization, law: Law) -> Ground:
    if not given.sentence_served:
        return found(law, "art-239-s1", "sentence_not_served", False)
    if given.rehabilitated_on is None or given.rehabilitated_on > given.grant_date:
        return found(law, "art-239-s1", "not_rehabilitated", False)
    return found(law, "art-239-s1", "rehabilitated", True, since=given.rehabilitated_on)


@dataclass(frozen=True)
class MemberVehicle:
    """A vehicle that the member already has: plate and status (registered, reserve, discharged)."""

    plate: str
    status: str


@dataclass(frozen=True)
class CoopVehicle:
    """The vehicles that the member has besides the one asked for."""

    vehicles: tuple[MemberVehicle, ...]
    on: date | None


@question("coop_vehicle", cites=["art-215"])
def coop_vehicle(given: CoopVehicle, law: Law) -> Verdict[Decided]:
    """May the member of a cooperative register another vehicle (art. 215)? One in all, the reserve included."""
    on = given.on or LATEST
    limit, states = law.value("member_vehicles", on), law.value("member_vehicle_states", on)
    plates = [vehicle.plate for vehicle in given.vehicles if vehicle.status in states.value]
    ok = len(plates) < limit.integer
    facts: dict[str, Any] = {"plates": plates, "limit": limit.integer}
    ground = found(law, "art-215", "member_vehicle_ok" if ok else "member_vehicle_taken", ok, [limit, states], **facts)
    answer = Decided(decision([ground]), failing([ground]))
    return Verdict(answer.decision, answer, (ground,))
