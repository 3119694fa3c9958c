"""Arts. 10, 12, 18, 46, 50 and 55: ending a permit, changing its category, and who may report an infraction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from registry.api.law import Law, Step, Verdict, question
from registry_taxi_recife.rules.common import articles, ground
from registry_taxi_recife.rules.fee import FeeGiven, fee
from registry_taxi_recife.rules.sanctions import DecisionAnswer

GROUNDS = "cancellation.grounds"
CHANGE_FEES = "category_change.fees"


@dataclass(frozen=True)
class CancellationGiven:
    """``ground`` a code of the list; ``hearing``: the holder was heard in a regular proceeding; ``proved`` the fact;
    ``reasons`` written by who decides."""

    ground: str
    hearing: bool
    proved: bool
    reasons: bool
    on: date


@dataclass(frozen=True)
class CancellationAnswer:
    """``decision`` cancel, or deny with the provisions that stand against it; ``label`` the legal name of the act."""

    decision: str
    articles: tuple[str, ...]
    label: str


@dataclass(frozen=True)
class CategoryChangeGiven:
    """``commerce_registration``: the driver proved to be registered as a firm."""

    commerce_registration: bool
    on: date


@dataclass(frozen=True)
class CategoryChangeAnswer:
    """``total`` in reais of the new Termo and Alvará; None where the change is refused."""

    decision: str
    articles: tuple[str, ...]
    total: Decimal | None


@dataclass(frozen=True)
class AgentReportGiven:
    """First and last day of the agent's accreditation (None = none, or open), and the day of the report."""

    accredited_from: date | None
    accredited_until: date | None
    on: date


@question(
    "cancellation",
    cites=["art-10-par-2", "art-18-par-un", "art-50-III", "art-50-par-un", "art-55-caput", "art-55-c", "art-55-d"],
)
def cancellation(given: CancellationGiven, law: Law) -> Verdict[CancellationAnswer]:
    """A permit ends only by a ground of the decree, proved, after the holder was heard, with written reasons."""
    table = law.value(GROUNDS, given.on)
    row = next((row for row in table.value if row["code"] == given.ground), None)
    if row is None:
        reason = ground(law, "art-55-caput", "cancel_no_ground", False, (table,), ground_code=given.ground)
        return Verdict("deny", CancellationAnswer("deny", articles([reason]), ""), (reason,))
    checks = {"cancel_not_proved": given.proved, "cancel_not_heard": given.hearing, "cancel_no_reasons": given.reasons}
    against = tuple(
        ground(law, row["provision"], code, False, (table,), label=row["label"])
        for code, holds in checks.items()
        if not holds
    )
    if against:
        return Verdict("deny", CancellationAnswer("deny", articles(against), row["act"]), against)
    reason = ground(law, row["provision"], "cancel", True, (table,), label=row["label"], act=row["act"])
    return Verdict("allow", CancellationAnswer("cancel", (), row["act"]), (reason,))


@question("category_change", cites=["art-8-par-2", "art-12-caput"])
def category_change(given: CategoryChangeGiven, law: Law) -> Verdict[CategoryChangeAnswer]:
    """A driver who became a firm gets and pays a new Termo and Alvará. Raises ``NoValueInForce`` without an UFR."""
    if not given.commerce_registration:
        reason = ground(law, "art-12-caput", "change_no_proof", False)
        return Verdict("deny", CategoryChangeAnswer("deny", articles([reason]), None), (reason,))
    items = law.value(CHANGE_FEES, given.on)
    owed = fee(FeeGiven(tuple((item, 1) for item in items.value), given.on), law)
    reason = ground(law, "art-12-caput", "change_ok", True, (items,))
    steps: tuple[Step, ...] = owed.steps
    return Verdict("allow", CategoryChangeAnswer("allow", (), owed.answer.total), (reason, *owed.grounds), steps)


@question("agent_report", cites=["art-46-caput"])
def agent_report(given: AgentReportGiven, law: Law) -> Verdict[DecisionAnswer]:
    """Only an agent accredited on the day may report an infraction."""
    since, until = given.accredited_from, given.accredited_until
    holds = since is not None and since <= given.on and (until is None or given.on <= until)
    reason = ground(law, "art-46-caput", "agent_ok" if holds else "agent_not", holds)
    decision = "allow" if holds else "deny"
    return Verdict("allow" if holds else "deny", DecisionAnswer(decision, articles([reason])), (reason,))
