"""Credits: what a debtor paid too much, kept until it pays another charge or goes back with the payment.

A credit is used up by one posting (``uso``) that ends it; what is left of it is a new credit of the same receipt. So a
credit cannot be used twice, the sum of a receipt's live credits tells what is left, and nothing is edited.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session, aliased

from registry.domain.convert import to_plain
from registry.domain.law import Step
from registry.domain.occasion import Occasion
from registry.services.amounts import BY_CREDIT, CREDIT, PAYMENT, USE
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import Refused
from registry.services.postings import charges_of, new_receipt, owed_on, post, refresh, refuse_closed, refuse_settled
from registry.store.audit import record
from registry.store.charges import Charge, Posting, Receipt
from registry.store.once import remember


@dataclass(frozen=True)
class CreditLine:
    """A credit that is left, in reais: of which receipt, paid too much on what."""

    receipt_id: int
    receipt_number: str
    label: str
    amount: Decimal


def credits_of(session: Session, authority: str, debtor_id: int) -> tuple[CreditLine, ...]:
    """The credits of a person that nothing has used up, the oldest first."""
    rows = session.execute(
        select(Posting.amount, Charge.label, Receipt.id, Receipt.number)
        .join(Charge, Charge.id == Posting.charge_id)
        .join(Receipt, Receipt.id == Posting.receipt_id)
        .where(Charge.authority == authority, Charge.debtor_id == debtor_id, *_live())
        .order_by(Posting.id)
    )
    return tuple(CreditLine(row.id, row.number, row.label, row.amount) for row in rows)


def use_credit(occasion: Occasion, desk: Desk, charge_id: int) -> int:
    """Pays an open charge, as far as it goes, with its debtor's credits, the oldest first; gives the receipt's id.

    The charge is asked for its amount of today. No money moves: the till does not change.

    Raises:
        Refused: no credit, nothing left to pay today, a charge that is paid or annulled, or today's till is closed.
        NotFound: a charge of another authority.
        RuleDown: the rule did not answer.
    """
    with desk.store.writing() as session:
        before = done_before(session, occasion, "credit.used")
        if before is not None:
            return before
        refuse_closed(session, occasion.authority, occasion.on)
        (charge,) = charges_of(session, occasion.authority, [charge_id])
        refuse_settled(session, occasion, [charge])
        (owed,) = owed_on(session, desk, [charge], occasion.on)
        credits = _credits(session, occasion.authority, charge.debtor_id)
        used = min(owed.left, sum((each.amount for each in credits), Decimal(0)))
        if not used:
            raise Refused(message="Não há crédito de quem deve esta cobrança, ou nada resta a pagar nela hoje.")
        receipt = new_receipt(session, occasion, occasion.on, BY_CREDIT, used)
        post(session, occasion, desk, owed, receipt, PAYMENT, used)
        if used == owed.left:
            charge.settled_at = occasion.at
        rest = used
        for credit in credits:
            part = min(rest, credit.amount)
            rest -= part
            if part:
                _use(session, occasion, receipt, credit, part)
        after = {"number": receipt.number, "total": used, "charge": charge.id}
        record(session, occasion, "credit.used", "receipt", receipt.id, None, after)
        remember(session, occasion, "credit.used", receipt.id)
        refresh(session, desk, occasion, [charge])
        return receipt.id


def undone_with(session: Session, occasion: Occasion, payment: Posting) -> list[Posting]:
    """What is reversed together with a payment: the credits that it left. A payment by credit gives its credit back.

    Raises Refused when a credit of the payment has paid another charge since: that one is reversed first.
    """
    receipt = session.get_one(Receipt, payment.receipt_id)
    if receipt.method == BY_CREDIT:
        _give_back(session, occasion, receipt)
        return []
    of_payment = (Posting.receipt_id == receipt.id, Posting.charge_id == payment.charge_id, Posting.kind == CREDIT)
    first = session.scalar(select(Posting.amount).where(*of_payment).order_by(Posting.id).limit(1))
    live = list(session.scalars(select(Posting).where(*of_payment, *_live()).order_by(Posting.id)))
    if first is not None and sum((each.amount for each in live), Decimal(0)) != first:
        raise Refused(message=f"O crédito deste pagamento foi usado {_where(session, payment)}. Estorne o uso antes.")
    return live


def _live() -> tuple[ColumnElement[bool], ...]:
    """The conditions of a credit that is neither used up nor reversed."""
    ends = aliased(Posting)
    return (Posting.kind == CREDIT, ~select(ends.id).where(ends.reverses_id == Posting.id).exists())


def _credits(session: Session, authority: str, debtor_id: int) -> list[Posting]:
    whose = (Charge.authority == authority, Charge.debtor_id == debtor_id)
    found = select(Posting).join(Charge, Charge.id == Posting.charge_id).where(*whose, *_live()).order_by(Posting.id)
    return list(session.scalars(found))


def _use(session: Session, occasion: Occasion, receipt: Receipt, credit: Posting, part: Decimal) -> None:
    number = session.scalar(select(Receipt.number).where(Receipt.id == credit.receipt_id))
    left = credit.amount - part
    steps = (
        Step(f"Crédito do recibo nº {number}", credit.amount),
        Step("Usado neste recibo", part),
        Step("Continua como crédito", left, total=True),
    )
    session.add(_posting(occasion, credit, USE, part, receipt.id, steps, ends=credit.id))
    if left:
        session.add(_posting(occasion, credit, CREDIT, left, credit.receipt_id, steps))
    session.flush()


def _give_back(session: Session, occasion: Occasion, receipt: Receipt) -> None:
    uses = select(Posting).where(Posting.receipt_id == receipt.id, Posting.kind == USE).order_by(Posting.id)
    for use in session.scalars(uses).all():
        credit = session.get_one(Posting, use.reverses_id)
        steps = (Step(f"Crédito de volta do recibo nº {receipt.number}", use.amount, total=True),)
        session.add(_posting(occasion, credit, CREDIT, use.amount, credit.receipt_id, steps))
    session.flush()


def _posting(
    occasion: Occasion,
    credit: Posting,
    kind: str,
    amount: Decimal,
    receipt_id: int | None,
    steps: tuple[Step, ...],
    ends: int | None = None,
) -> Posting:
    """A posting on the charge of a credit."""
    return Posting(
        charge_id=credit.charge_id,
        kind=kind,
        amount=amount,
        due_amount=credit.due_amount,
        on_day=occasion.on,
        receipt_id=receipt_id,
        reverses_id=ends,
        steps=to_plain(steps),
        posted_by=occasion.actor_id,
        posted_at=occasion.at,
    )


def _where(session: Session, payment: Posting) -> str:
    """«no recibo nº 2026/000002»: where the credits of a payment were used."""
    credit = aliased(Posting)
    numbers = session.scalars(
        select(Receipt.number)
        .join(Posting, Posting.receipt_id == Receipt.id)
        .join(credit, credit.id == Posting.reverses_id)
        .where(Posting.kind == USE, credit.receipt_id == payment.receipt_id, credit.charge_id == payment.charge_id)
        .order_by(Receipt.id.desc())
    ).all()
    return f"no recibo nº {numbers[0]}" if numbers else "em outra cobrança"
