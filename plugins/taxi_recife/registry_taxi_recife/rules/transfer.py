"""Art. 9: when a permit may pass to another, what becomes of an heir who is a minor, and leases."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from registry.api.law import Ground, Law, Verdict, add_years, question
from registry_taxi_recife.rules.common import articles, ground, outcome_of

COMMISSION = "transfer.commission"
AGE = "majority.age"
_CORPORATE = ("sucessao", "fusao", "incorporacao")
_BANNING = ("fusao", "incorporacao")
_SURVIVORS = ("spouse", "partner")
_HELD = ("held_for_minor", "held_for_incapable")


@dataclass(frozen=True)
class Heir:
    """``other_taxi``: holds or co-owns another taxi."""

    born_on: date | None
    professional_driver: bool
    other_taxi: bool
    incapable: bool


@dataclass(frozen=True)
class Receiver:
    """``kind`` professional_driver or company."""

    kind: str
    has_permit: bool


@dataclass(frozen=True)
class Commission:
    """Members by side, who chairs, who named the chair, its opinion."""

    authority: int
    union: int
    chair: str
    chair_named_by: str
    opinion: str


@dataclass(frozen=True)
class TransferGiven:
    """``case`` is the letter of art. 9 that is invoked (None = none); each letter looks at its own facts."""

    case: str | None
    transferor: str | None
    event: str | None
    corporate_act: bool
    death_proof: bool
    partition: bool
    heir: Heir | None
    on: date
    beneficiaries: tuple[str, ...]
    judicial_order: bool
    qualified: bool
    disability: str | None
    insolvency_proof: bool
    receiver: Receiver | None
    commission: Commission | None
    authority_act: bool
    public_interest: bool
    reason: str | None
    overdue_debt: bool


@dataclass(frozen=True)
class TransferAnswer:
    """``effects``: new_termo_and_alvara, ban_transferor:art-9-par-3, held_for_incapable, held_for_minor_until:<day>."""

    decision: str
    articles: tuple[str, ...]
    effects: tuple[str, ...]


@dataclass(frozen=True)
class MajorityGiven:
    """``born`` day of birth."""

    born: date


@dataclass(frozen=True)
class MajorityAnswer:
    """``majority`` is the day on which the person comes of age."""

    majority: date


@dataclass(frozen=True)
class LeaseGiven:
    """``state`` of the permit; whether there is a formal contract and the authority approved it."""

    state: str
    contract: bool
    approved: bool


@dataclass(frozen=True)
class LeaseAnswer:
    """``decision`` allow, deny or pending."""

    decision: str
    articles: tuple[str, ...]


@question(
    "transfer", cites=["art-9-caput", "art-9-a", "art-9-b", "art-9-c", "art-9-d", "art-9-e", "art-9-f", "art-9-g"]
)
def transfer(given: TransferGiven, law: Law) -> Verdict[TransferAnswer]:
    """No transfer but in the cases of letters a to g, each with its proof; overdue debts forbid it too."""
    check = _CASES.get(given.case or "")
    grounds = list(check(given, law) if check else _no_case(law))
    if given.overdue_debt:
        grounds.append(ground(law, "art-54-par-1", "transfer_debt", False))
    outcome = outcome_of(grounds)
    effects = tuple(_effects(given, law)) if outcome == "allow" else ()
    return Verdict(outcome, TransferAnswer(outcome, articles(grounds), effects), tuple(grounds))


@question("majority", cites=["art-9-par-1"])
def majority(given: MajorityGiven, law: Law) -> Verdict[MajorityAnswer]:
    """The first day on which the person has the age that civil law asks on that day."""
    days = []
    for age in law.book.parameters[AGE]:
        first = max(add_years(given.born, age.integer), age.since)
        if age.until is None or first <= age.until:
            days.append((first, age))
    day, age = min(days, key=lambda found: found[0])
    reason = ground(law, "art-9-par-1", "majority", None, (age,), born=given.born, age=age.integer, day=day)
    return Verdict("allow", MajorityAnswer(day), (reason,))


@question("lease", cites=["art-9-par-2"])
def lease(given: LeaseGiven, law: Law) -> Verdict[LeaseAnswer]:
    """Only where the permit is held for a minor or incapable heir, with a contract that the authority approved."""
    if given.state not in _HELD:
        reason = ground(law, "art-9-par-2", "lease_not_held", False)
        return Verdict("deny", LeaseAnswer("deny", articles([reason])), (reason,))
    if not given.contract or not given.approved:
        code = "lease_not_approved" if given.contract else "lease_no_contract"
        reason = ground(law, "art-9-par-2", code, False)
        return Verdict("pending", LeaseAnswer("pending", articles([reason])), (reason,))
    return Verdict("allow", LeaseAnswer("allow", ()), (ground(law, "art-9-par-2", "lease_ok", True),))


def _no_case(law: Law) -> Iterable[Ground]:
    yield ground(law, "art-9-caput", "transfer_no_case", False)


def _case_a(given: TransferGiven, law: Law) -> Iterable[Ground]:
    holds = given.transferor == "company" and given.event in _CORPORATE and given.corporate_act
    yield ground(law, "art-9-a", "transfer_a" if holds else "transfer_a_not", holds)


def _case_b(given: TransferGiven, law: Law) -> Iterable[Ground]:
    heir = given.heir
    holds = given.transferor == "autonomous" and given.death_proof and given.partition and heir is not None
    yield ground(law, "art-9-b", "transfer_b" if holds else "transfer_b_not", holds)
    if heir is None:
        return
    if heir.incapable or _minor_until(given, law):
        yield ground(law, "art-9-par-1", "heir_held", True)
        return
    if heir.other_taxi:
        yield ground(
            law, "art-10-par-3", "second_taxi", False, limit=law.value("autonomous.max_taxis", given.on).integer
        )
    if not heir.professional_driver:
        yield ground(law, "art-17-caput", "heir_no_driver", False)


def _case_c(given: TransferGiven, law: Law) -> Iterable[Ground]:
    close = {*_SURVIVORS, "minor"}
    alone = bool(given.beneficiaries) and set(given.beneficiaries) <= close
    proved = given.judicial_order and given.qualified
    holds = given.transferor == "autonomous" and alone and proved
    yield ground(law, "art-9-c", "transfer_c" if holds else "transfer_c_not", holds)


def _case_d(given: TransferGiven, law: Law) -> Iterable[Ground]:
    holds = given.disability == "permanent"
    yield ground(law, "art-9-d", "transfer_d" if holds else "transfer_d_not", holds)


def _case_e(given: TransferGiven, law: Law) -> Iterable[Ground]:
    receiver = given.receiver
    fits = receiver is not None and (
        (receiver.kind == "professional_driver" and not receiver.has_permit)
        or (receiver.kind == "company" and receiver.has_permit)
    )
    holds = given.insolvency_proof and fits
    yield ground(law, "art-9-e", "transfer_e" if holds else "transfer_e_not", holds)


def _case_f(given: TransferGiven, law: Law) -> Iterable[Ground]:
    rule = law.value(COMMISSION, given.on)
    found = given.commission
    wanted = rule.value
    holds = found is not None and (
        found.authority == wanted["authority"]
        and found.union == wanted["union"]
        and found.chair == wanted["chair"]
        and found.chair_named_by == wanted["chair_named_by"]
        and found.opinion == "favourable"
    )
    yield ground(law, "art-9-f", "transfer_f" if holds else "transfer_f_not", holds, (rule,))


def _case_g(given: TransferGiven, law: Law) -> Iterable[Ground]:
    holds = given.authority_act and given.public_interest
    yield ground(law, "art-9-g", "transfer_g" if holds else "transfer_g_not", holds)


_CASES: dict[str, Callable[[TransferGiven, Law], Iterable[Ground]]] = {
    "a": _case_a,
    "b": _case_b,
    "c": _case_c,
    "d": _case_d,
    "e": _case_e,
    "f": _case_f,
    "g": _case_g,
}


def _effects(given: TransferGiven, law: Law) -> Iterable[str]:
    if given.case == "b" and (until := _minor_until(given, law)):
        yield f"held_for_minor_until:{until.isoformat()}"
    elif given.case == "b" and given.heir is not None and given.heir.incapable:
        yield "held_for_incapable"
    else:
        yield "new_termo_and_alvara"
    if given.case == "a" and given.event in _BANNING:
        yield "ban_transferor:art-9-par-3"


def _minor_until(given: TransferGiven, law: Law) -> date | None:
    if given.heir is None or given.heir.born_on is None:
        return None
    day = majority(MajorityGiven(given.heir.born_on), law).answer.majority
    return day if given.on < day else None
