"""Arts. 54 and 57: which requests an overdue debt blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from registry.api.law import Ground, Law, Verdict, question
from registry_taxi_recife.rules.common import articles, ground, outcome_of

EXEMPT = "debt_block.exempt_requests"
DAMAGE_REQUESTS = "debt_block.damage_requests"
OVERRIDE_ROLE = "debt_block.override_role"


@dataclass(frozen=True)
class Instalment:
    """``paid`` None = not paid."""

    due: date
    paid: date | None


@dataclass(frozen=True)
class DebtItem:
    """``kind`` fine or damage; ``due`` None = not due (an appeal is pending); with ``instalments`` only these count.

    ``amount`` is what is owed of it on the day, in reais; None = not known.
    """

    kind: str
    due: date | None
    amount: Decimal | None
    appeal_deadline: date | None
    instalments: tuple[Instalment, ...]
    paid: date | None
    under_appeal: bool


@dataclass(frozen=True)
class DebtOverride:
    """An office sets the block aside, with its written reason."""

    role: str
    reason: str | None


@dataclass(frozen=True)
class DebtBlockGiven:
    """``request`` is the kind of request (new_permit, renewal, transfer, appeal, defence, payment, correction)."""

    request: str
    on: date
    debts: tuple[DebtItem, ...]
    override: DebtOverride | None


@dataclass(frozen=True)
class DebtBlockAnswer:
    """``override`` whether a block was set aside."""

    decision: str
    articles: tuple[str, ...]
    override: bool


@question("debt_block", cites=["art-54-par-1", "art-57-par-2"])
def debt_block(given: DebtBlockGiven, law: Law) -> Verdict[DebtBlockAnswer]:
    """Only overdue, enforceable debts block, and never an appeal, defence, payment or correction.

    The director of the department may set the block aside with a written reason.
    """
    exempt = law.value(EXEMPT, given.on)
    if given.request in exempt.value:
        reason = ground(law, "art-54-par-1", "debt_exempt", True, (exempt,))
        return Verdict("allow", DebtBlockAnswer("allow", (), False), (reason,))
    grounds = tuple(_against(given, law))
    if not grounds:
        reason = ground(law, "art-54-par-1", "no_debt", True)
        return Verdict("allow", DebtBlockAnswer("allow", (), False), (reason,))
    if _overridden(given, law):
        reason = ground(law, "art-54-par-1", "debt_override", True, reason=given.override and given.override.reason)
        return Verdict("allow", DebtBlockAnswer("allow", (), True), (reason,))
    return Verdict(outcome_of(grounds), DebtBlockAnswer("deny", articles(grounds), False), grounds)


def overdue_since(debt: DebtItem, on: date) -> date | None:
    """The due day of what is overdue and enforceable on a day; None when nothing is."""
    if (debt.paid is not None and debt.paid <= on) or debt.under_appeal:
        return None
    if debt.appeal_deadline is not None and on <= debt.appeal_deadline:
        return None
    if debt.instalments:
        late = [part.due for part in debt.instalments if part.due < on and (part.paid is None or part.paid > on)]
        return min(late, default=None)
    return debt.due if debt.due is not None and debt.due < on else None


def _against(given: DebtBlockGiven, law: Law) -> Iterable[Ground]:
    overdue = [(debt, since) for debt in given.debts if (since := overdue_since(debt, given.on)) is not None]
    if overdue:
        oldest = min(since for _, since in overdue)
        amounts = [debt.amount for debt, _ in overdue if debt.amount is not None and not debt.instalments]
        facts: dict[str, Any] = {"count": len(overdue), "since": oldest}
        if len(amounts) == len(overdue):
            yield ground(law, "art-54-par-1", "debt_overdue_amount", False, total=sum(amounts, Decimal(0)), **facts)
        else:
            yield ground(law, "art-54-par-1", "debt_overdue", False, **facts)
    requests = law.value(DAMAGE_REQUESTS, given.on)
    damages = [since for debt, since in overdue if debt.kind == "damage"]
    if damages and given.request in requests.value:
        yield ground(law, "art-57-par-2", "damage_overdue", False, (requests,), since=min(damages))


def _overridden(given: DebtBlockGiven, law: Law) -> bool:
    if given.override is None or not (given.override.reason or "").strip():
        return False
    return bool(given.override.role == law.value(OVERRIDE_ROLE, given.on).value)
