"""The registration (arts. 205, 209): documents, yearly renewal, debts that stop a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from registry.api.law import DatedValue, Ground, Law, Verdict, add_months, question
from registry_fretamento_rmr.rules.common import LATEST, Decision, decision, failing, found, step


@dataclass(frozen=True)
class Checklist:
    """The applicant kind (PF, PJ, COOP, COOP_MEMBER; None = only the vehicle's list is asked), the codes of the
    documents presented, how many copies of each (one that is not named is there in every copy), the codes of those
    that were sent and wait to be looked at, the size of the fleet, and whether the vehicle's own list is asked too.
    """

    holder_type: str | None
    presented: tuple[str, ...]
    copies: Mapping[str, int]
    sent: tuple[str, ...]
    fleet_size: int | None
    vehicle: bool
    on: date | None


@dataclass(frozen=True)
class ChecklistAnswer:
    """The codes of the documents that are missing, wholly or in copies, and of those that are to be looked at; pending
    where nothing is missing and something is to be looked at.
    """

    decision: Literal["allow", "deny", "pending"]
    missing: tuple[str, ...]
    to_check: tuple[str, ...]


_PERSON = tuple(f"art-209-I-{letter}" for letter in "abcdefghij")
_COMPANY = tuple(f"art-209-II-{letter}" for letter in "abcdefghij")
_COOPERATIVE = tuple(f"art-209-III-{letter}" for letter in "abcdefg")
_VEHICLE = tuple(f"art-209-IV-{letter}" for letter in "abc")


@question(
    "checklist",
    cites=[
        "art-209",
        "art-209-I",
        "art-209-II",
        "art-209-III",
        "art-209-IV",
        "art-209-par-2",
        *_PERSON,
        *_COMPANY,
        *_COOPERATIVE,
        *_VEHICLE,
    ],
)
def checklist(given: Checklist, law: Law) -> Verdict[ChecklistAnswer]:
    """Which documents of art. 209 does this applicant still owe? A kind without a list owes nothing here."""
    on = given.on or LATEST
    by_holder = law.value("documents_by_holder", on)
    lists = list(by_holder.value.get(given.holder_type or "", ()))
    if given.vehicle:
        lists += law.value("documents_by_vehicle", on).value
    grounds: list[Ground] = []
    count = 0
    for key in lists:
        wanted = law.value(key, on)
        for document in wanted.value:
            if "threshold" in document and not _above(document["threshold"], given.fleet_size or 0, law, on):
                continue
            count += 1
            grounds += _wanting(document, wanted, given, law)
    missing = tuple(each.facts["document_code"] for each in grounds if each.holds is False)
    to_check = tuple(each.facts["document_code"] for each in grounds if each.holds is None)
    if not lists:
        grounds.append(found(law, "art-209", "document_no_list", False, [by_holder]))
    pending = bool(to_check) and not failing(grounds)
    grounds = grounds or [found(law, "art-209", "documents_complete", True, [by_holder], count=count)]
    answer = ChecklistAnswer("pending" if pending else decision(grounds), missing, to_check)
    return Verdict(answer.decision, answer, tuple(grounds))


def _wanting(document: Mapping[str, Any], wanted: DatedValue, given: Checklist, law: Law) -> list[Ground]:
    """What a document of a list still wants: nothing, a look at what was sent, some of its copies, or all of it."""
    code, copies = document["code"], document.get("copies", 1)
    there = given.copies.get(code, copies) if code in given.presented else 0
    if there >= copies:
        return []
    facts: dict[str, Any] = {"document": document["label"], "document_code": code}
    if code in given.sent:
        return [found(law, document["provision"], "document_sent", None, [wanted], **facts)]
    if not there:
        return [found(law, document["provision"], "document_missing", False, [wanted], **facts)]
    facts |= {"short": copies - there, "copies": copies}
    sentence = "document_copy_short" if copies - there == 1 else "document_copies_short"
    return [found(law, document["provision"], sentence, False, [wanted], **facts)]


def _above(key: str, fleet_size: int, law: Law, on: date) -> bool:
    return fleet_size > law.value(key, on).integer


@dataclass(frozen=True)
class Renewal:
    """The day of registration (or of the last renewal) and the day asked."""

    registered_on: date
    as_of: date


@dataclass(frozen=True)
class RenewalAnswer:
    """The last day of the year of validity, whether it still runs, and the infraction of operating after it."""

    valid_through: date
    valid: bool
    operating_is_infraction: str | None


@question("renewal", cites=["art-209-par-1", "art-224-VII-g"])
def renewal(given: Renewal, law: Law) -> Verdict[RenewalAnswer]:
    """Until when is the registration valid (art. 209, § 1º)? Validity never rolls to a business day."""
    months = law.value("registration_months", given.registered_on)
    last = add_months(given.registered_on, months.integer)
    valid = given.as_of <= last
    infraction = law.value("late_renewal_infraction", given.as_of)
    ground = found(law, "art-209-par-1", "renewal_valid" if valid else "renewal_overdue", valid, [months], last=last)
    steps = (step(law, "step_renewal", registered=given.registered_on, months=months.integer, last=last),)
    return Verdict("allow", RenewalAnswer(last, valid, None if valid else infraction.value), (ground,), steps)


@dataclass(frozen=True)
class RenewalGate:
    """What stands on the day the renewal is decided."""

    decision_date: date
    valid_through: date
    missing_documents: tuple[str, ...]
    overdue_debts: bool
    seal_valid_through: date | None
    insurance_valid_through: date | None
    suspended: bool


@dataclass(frozen=True)
class RenewalGateAnswer:
    """Every ground against the renewal, and the new last day when it is granted."""

    decision: Decision
    articles: tuple[str, ...]
    new_valid_through: date | None


@question("renewal_gate", cites=["art-205", "art-209", "art-209-par-1", "art-211-VI", "art-211-VIII", "art-233"])
def renewal_gate(given: RenewalGate, law: Law) -> Verdict[RenewalGateAnswer]:
    """May the yearly registration be renewed, and until when? In time: from the old end; late: from the decision."""
    on = given.decision_date
    grounds: list[Ground] = []
    if given.missing_documents:
        facts: dict[str, Any] = {"documents": list(given.missing_documents)}
        grounds.append(found(law, "art-209", "renewal_documents_missing", False, **facts))
    if given.overdue_debts:
        grounds.append(found(law, "art-205", "debt_overdue", False))
    for provision, sentence, last in (
        ("art-211-VI", "renewal_seal_expired", given.seal_valid_through),
        ("art-211-VIII", "renewal_insurance_expired", given.insurance_valid_through),
    ):
        if last is None or on > last:
            grounds.append(found(law, provision, sentence, False))
    if given.suspended:
        grounds.append(found(law, "art-233", "renewal_suspended", False))
    if grounds:
        return Verdict("deny", RenewalGateAnswer("deny", failing(grounds), None), tuple(grounds))
    months = law.value("registration_months", on)
    start = given.valid_through if on <= given.valid_through else on
    last = add_months(start, months.integer)
    ground = found(law, "art-209-par-1", "renewal_granted", True, [months], last=last)
    steps = (step(law, "step_renewal_new", start=start, months=months.integer, last=last),)
    return Verdict("allow", RenewalGateAnswer("allow", (), last), (ground,), steps)


@dataclass(frozen=True)
class DebtItem:
    """What somebody owes: debtor, kind (fee, fine), status, and its amount in reais where it is known."""

    debtor: str
    kind: str
    status: str
    amount: Decimal | None


@dataclass(frozen=True)
class DebtGate:
    """The applicant, the kind of request, and the debts on the day."""

    applicant: str
    request: str
    items: tuple[DebtItem, ...]
    on: date | None


@dataclass(frozen=True)
class DebtGateAnswer:
    """Whether debts stop the request."""

    decision: Decision
    articles: tuple[str, ...]


@question("debt_gate", cites=["art-205"])
def debt_gate(given: DebtGate, law: Law) -> Verdict[DebtGateAnswer]:
    """Do the applicant's overdue debts stop this request (art. 205)? Appeal, payment and own information never."""
    on = given.on or LATEST
    free, states = law.value("never_blocked", on), law.value("blocking_debt_states", on)
    owed = [item for item in given.items if item.debtor == given.applicant and item.status in states.value]
    if given.request in free.value:
        ground = found(law, "art-205", "debt_never_blocks", True, [free])
    elif not owed:
        ground = found(law, "art-205", "no_debt", True, [states])
    else:
        amounts = [item.amount for item in owed if item.amount is not None]
        if len(amounts) == len(owed):
            ground = found(law, "art-205", "debt_overdue_amount", False, [states], total=sum(amounts, Decimal(0)))
        else:
            ground = found(law, "art-205", "debt_overdue", False, [states])
    answer = DebtGateAnswer(decision([ground]), failing([ground]))
    return Verdict(answer.decision, answer, (ground,))
