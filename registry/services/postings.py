"""Postings and receipts: how an amount becomes fixed on a charge. What is posted is never edited, only reversed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.convert import to_plain
from registry.domain.occasion import Occasion
from registry.domain.text import format_date, format_hour
from registry.services.amounts import LEGACY, PAYMENT, REVERSAL, Amount, amount_on, paid_by_charge
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused
from registry.services.progress import refresh_request
from registry.services.touched import refresh_requests_of
from registry.services.verdicts import store_verdict
from registry.store.access import User
from registry.store.charges import Charge, Posting, Receipt, TillDay
from registry.store.numbers import take


@dataclass(frozen=True)
class Owed:
    """A charge with what it amounts to on the day of payment and what is left of it."""

    charge: Charge
    amount: Amount
    left: Decimal


def refuse_closed(session: Session, authority: str, day: date) -> None:
    """Raises Refused beside ``on_day`` when the till of that day is closed."""
    closed = session.scalar(select(TillDay.day).where(TillDay.authority == authority, TillDay.day == day))
    if closed is not None:
        raise Refused({"on_day": f"O caixa de {format_date(day)} já foi fechado. Use um dia aberto."})


def charges_of(session: Session, authority: str, charge_ids: Sequence[int]) -> list[Charge]:
    """These charges of an authority, each once. Raises NotFound where one is not there."""
    wanted = list(dict.fromkeys(charge_ids))
    found = {
        charge.id: charge
        for charge in session.scalars(select(Charge).where(Charge.authority == authority, Charge.id.in_(wanted)))
    }
    if len(found) < len(wanted):
        raise NotFound
    return [found[each] for each in wanted]


def refuse_settled(session: Session, occasion: Occasion, charges: Sequence[Charge]) -> None:
    """Raises Refused for a charge that was annulled, or paid already, with the first receipt."""
    for charge in charges:
        if charge.cancelled_at is not None:
            raise Refused(message=f"«{charge.label}» foi anulada em {_moment(occasion, charge)}.")
        if charge.settled_at is None:
            continue
        number = session.scalar(
            select(Receipt.number)
            .join(Posting, Posting.receipt_id == Receipt.id)
            .where(Posting.charge_id == charge.id, Posting.kind == PAYMENT)
            .order_by(Posting.id.desc())
            .limit(1)
        )
        when = charge.settled_at.astimezone(occasion.zone)
        raise Refused(
            message=f"«{charge.label}» já foi paga em {format_date(when.date())}, {format_hour(when)}, "
            f"recibo nº {number}. Nada foi recebido de novo."
        )


def _moment(occasion: Occasion, charge: Charge) -> str:
    return format_date(charge.cancelled_at.astimezone(occasion.zone).date()) if charge.cancelled_at else ""


def owed_on(session: Session, desk: Desk, charges: Sequence[Charge], on_day: date) -> list[Owed]:
    """What is owed on each on a day of payment. Raises Refused where the law gives no amount, RuleDown."""
    paid = paid_by_charge(session, [charge.id for charge in charges])
    amounts = [(charge, amount_on(session, desk, charge, on_day)) for charge in charges]
    return [
        Owed(charge, amount, max(amount.amount - paid.get(charge.id, Decimal(0)), Decimal(0)))
        for charge, amount in amounts
    ]


def new_receipt(session: Session, occasion: Occasion, on_day: date, method: str, total: Decimal) -> Receipt:
    """The next receipt of the year, in a writing transaction; ``total`` in reais."""
    year = occasion.on.year
    receipt = Receipt(
        authority=occasion.authority,
        number=f"{year}/{take(session, occasion.authority, 'receipt', year):06d}",
        on_day=on_day,
        method=method,
        total=total,
        received_by=occasion.actor_id,
        received_at=occasion.at,
    )
    session.add(receipt)
    session.flush()
    return receipt


def post(
    session: Session, occasion: Occasion, desk: Desk, owed: Owed, receipt: Receipt, kind: str, amount: Decimal
) -> Posting:
    """Posts an amount, in reais, on a charge as of the receipt\'s day; a payment keeps the verdict that it is of."""
    charge = owed.charge
    posting = Posting(
        charge_id=charge.id,
        kind=kind,
        amount=amount,
        due_amount=owed.amount.amount,
        on_day=receipt.on_day,
        receipt_id=receipt.id,
        steps=to_plain(owed.amount.steps),
        posted_by=occasion.actor_id,
        posted_at=occasion.at,
    )
    session.add(posting)
    session.flush()
    if kind == PAYMENT and charge.plan != LEGACY:
        store_verdict(
            session,
            desk,
            charge.authority,
            "posting",
            posting.id,
            plugin=charge.plugin,
            rule=charge.label,
            question=charge.question,
            given=owed.amount.given,
            verdict=owed.amount.verdict,
            on=receipt.on_day,
            at=occasion.at,
        )
    return posting


def reverse(session: Session, occasion: Occasion, posting: Posting, reason: str) -> Posting:
    """Posts the reversal of a posting, which then counts no longer."""
    reversal = Posting(
        charge_id=posting.charge_id,
        kind=REVERSAL,
        amount=posting.amount,
        due_amount=posting.due_amount,
        on_day=occasion.on,
        reverses_id=posting.id,
        reason=reason.strip(),
        posted_by=occasion.actor_id,
        posted_at=occasion.at,
    )
    session.add(reversal)
    session.flush()
    return reversal


def refresh(session: Session, desk: Desk, occasion: Occasion, charges: Sequence[Charge]) -> None:
    """Brings the requests that these charges touch up to date, last in the transaction."""
    session.flush()
    for request_id in dict.fromkeys(charge.request_id for charge in charges if charge.request_id):
        refresh_request(session, desk, occasion, request_id)
    refresh_requests_of(session, desk, occasion, people=[each.debtor_id for each in charges if each.plan == LEGACY])


def name_of_user(session: Session, user_id: int | None) -> str:
    """The name of a user; "" for none."""
    return session.scalar(select(User.name).where(User.id == user_id)) or "" if user_id else ""
