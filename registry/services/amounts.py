"""What a charge amounts to on a day: its question is asked anew, with the law of that day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from registry.domain.convert import from_plain
from registry.domain.law import DatedValue, Ground, Law, Step, Verdict
from registry.domain.money import cents, from_cents
from registry.domain.regime import ChargePlan
from registry.domain.text import format_date
from registry.domain.values import NoValueInForce
from registry.plugins.host import guarded
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused, RuleDown
from registry.services.failures import rule_down
from registry.store.charges import Charge, Posting

PAYMENT, CREDIT, USE, REVERSAL, ANNULMENT = "pagamento", "credito", "uso", "estorno", "anulacao"
BY_CREDIT = "credito"
"""The method of a receipt that no money came with: what was paid too much before pays it."""
LEGACY = "legado"
"""The plan of a debt from before the registry, whose amount is fixed and comes from no question."""


@dataclass(frozen=True)
class LegacyDebt:
    """What is kept of a debt from before the registry: its amount in reais, where it comes from, its paper."""

    amount: Decimal
    origin: str
    reference: str


@dataclass(frozen=True)
class Amount:
    """What is owed in all on a day, in reais, with the arithmetic, grounds and dated values behind it."""

    on: date
    amount: Decimal
    steps: tuple[Step, ...]
    grounds: tuple[Ground, ...]
    given: Any
    verdict: Verdict[Any]

    @property
    def values(self) -> tuple[DatedValue, ...]:
        """The dated values used, each once."""
        found = {(value.key, value.since): value for ground in self.grounds for value in ground.values}
        return tuple(found.values())


def amount_on(session: Session, desk: Desk, charge: Charge, day: date) -> Amount:
    """Asks the charge's question as of a day of payment; a debt from before the registry has its fixed amount.

    Raises:
        Refused: no index value is in force on that day, or the law has no amount for this case; the text says which.
        NotFound: the charge's regime is not loaded.
        RuleDown: the regime's rule did not answer.
    """
    if charge.plan == LEGACY:
        return _fixed(charge, day)
    desk.regime(charge.regime)
    return amount_under(desk, charge, day, desk.law(session, charge.authority, charge.plugin))


def left_on(session: Session, desk: Desk, charge: Charge, paid: Decimal, day: date) -> Decimal | None:
    """What is still owed on a charge on a day, in reais, after ``paid``; None where the law gives no amount that day
    or its rule does not answer. For facts about a debt, which stands without its amount.
    """
    plugin = desk.host.plugins.get(charge.plugin)
    if charge.plan != LEGACY and (plugin is None or charge.question not in plugin.questions):
        return None
    try:
        amount = amount_on(session, desk, charge, day).amount
    except (NotFound, Refused, RuleDown):
        return None
    return max(amount - paid, Decimal(0))


def sum_known(amounts: Iterable[Decimal | None]) -> Decimal | None:
    """The sum in reais; None where one of the amounts is not known, since a part of a sum would mislead."""
    total = Decimal(0)
    for amount in amounts:
        if amount is None:
            return None
        total += amount
    return total


def amount_under(desk: Desk, charge: Charge, day: date, law: Law) -> Amount:
    """As :func:`amount_on`, under a law that the caller gives."""
    regime = desk.regime(charge.regime)
    plan = plan_of(desk, charge)
    if plan is None:
        raise Refused(message=f"A taxa «{charge.label}» não está mais na tabela deste regime.")
    question = desk.host.question(charge.plugin, charge.question)
    absent: NoValueInForce | None = None
    with rule_down(regime), guarded(charge.plugin, charge.question):
        given = from_plain({**charge.given, **dict.fromkeys(charge.day_fields, day)}, question.given_type)
        try:
            verdict = question(given, law)
        except NoValueInForce as error:
            absent = error
    if absent is not None:
        raise Refused(message=no_value_text(law, absent.key, absent.on))
    if verdict.outcome != "allow":
        why = " ".join(ground.text for ground in verdict.against or verdict.grounds)
        raise Refused(message=why or f"A lei não dá valor para «{charge.label}» neste caso.")
    with rule_down(regime), guarded(charge.plugin, charge.question):
        amount = from_cents(cents(plan.amount(verdict.answer)))
    return Amount(day, amount, verdict.steps, verdict.grounds, given, verdict)


def _fixed(charge: Charge, day: date) -> Amount:
    debt = from_plain(charge.given, LegacyDebt)
    text = f"Débito anterior a este registro, com valor fixo. Origem: {debt.origin}. Documento: {debt.reference}."
    due = f" Venceu em {format_date(charge.due_on)}." if charge.due_on and charge.due_on < day else ""
    grounds = (Ground("", f"{text}{due}"),)
    steps = (Step(f"Valor do documento {debt.reference}", debt.amount, total=True),)
    return Amount(day, debt.amount, steps, grounds, debt, Verdict("allow", debt, grounds, steps))


def plan_of(desk: Desk, charge: Charge) -> ChargePlan | None:
    """The fee of the regime's table that the charge was opened from; None when it is no longer there."""
    kinds = {kind.code: kind for kind in desk.regime(charge.regime).request_kinds}
    kind = kinds.get(charge.request_kind)
    return next((plan for plan in kind.charges if plan.code == charge.plan), None) if kind else None


def no_value_text(law: Law, key: str, on: date) -> str:
    """The sentence that refuses a payment for want of a dated value, naming it as the clerk knows it."""
    return f"Não há «{law.book.name(key)}» em vigor em {format_date(on)}. Cadastre o valor em Índices e receba depois."


def paid_by_charge(session: Session, charge_ids: Iterable[int]) -> Mapping[int, Decimal]:
    """What was paid on each charge and not reversed, in reais; charges without a payment are left out."""
    reversal = aliased(Posting)
    rows = session.execute(
        select(Posting.charge_id, func.sum(Posting.amount).label("paid"))
        .where(
            Posting.charge_id.in_(sorted(set(charge_ids))),
            Posting.kind == PAYMENT,
            ~select(reversal.id).where(reversal.reverses_id == Posting.id).exists(),
        )
        .group_by(Posting.charge_id)
    )
    return {row.charge_id: row.paid for row in rows}
