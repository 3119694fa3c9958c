"""The treasury: receiving, reversing and annulling. Postings and receipts are never edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.text import format_date, format_money
from registry.services.amounts import (
    ANNULMENT,
    BY_CREDIT,
    CREDIT,
    PAYMENT,
)
from registry.services.charge_pages import (
    CashLine,
    CashPage,
    ChargeLine,
    ReceiptPage,
    cash_of_day,
    charge_of,
    charges_of_person,
    charges_of_request,
    find_charges,
    receipt_page,
)
from registry.services.credits import undone_with
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.services.lengths import refuse_long, too_long
from registry.services.postings import (
    Owed,
    charges_of,
    name_of_user,
    new_receipt,
    owed_on,
    post,
    refresh,
    refuse_closed,
    refuse_settled,
    reverse,
)
from registry.store.audit import record
from registry.store.charges import Charge, Posting, Receipt, TillDay
from registry.store.once import remember

__all__ = [
    "METHODS",
    "METHOD_LABELS",
    "CashLine",
    "CashPage",
    "ChargeLine",
    "ReceiptPage",
    "annul_charge",
    "cash_of_day",
    "charge_of",
    "charges_of_person",
    "charges_of_request",
    "close_cash",
    "find_charges",
    "receipt_page",
    "receive_payment",
    "reverse_posting",
]

METHODS: Mapping[str, str] = {
    "dinheiro": "Dinheiro",
    "pix": "Pix",
    "cartao": "Cartão",
    "boleto": "Boleto",
    "transferencia": "Transferência",
}
METHOD_LABELS: Mapping[str, str] = {**METHODS, BY_CREDIT: "Crédito de pagamento a mais"}
NO_REASON = "Escreva o motivo. Ele vai para o processo."


def receive_payment(
    occasion: Occasion,
    desk: Desk,
    charge_ids: Sequence[int],
    on_day: date,
    method: str,
    amount: Decimal | None = None,
) -> int:
    """Receives a payment for one or several charges and gives the receipt's id.

    Each charge is asked for its amount on the day of payment. What is paid goes to the charges in order: too little
    leaves the rest open, too much is a credit on the last one.

    Args:
        charge_ids: charges of this authority, each once.
        on_day: day on which the money was paid; not after today, not a closed day of the till.
        method: one of :data:`METHODS`.
        amount: reais received; None = exactly what is owed.

    Raises:
        Refused: nothing chosen, a wrong day, method or amount, no index value for the day, or a charge that was
            already paid (its first receipt is named) or annulled.
        NotFound: a charge of another authority.
        RuleDown: a rule did not answer.
    """
    _check_payment(occasion, charge_ids, on_day, method, amount)
    with desk.store.writing() as session:
        before = done_before(session, occasion, "payment.received")
        if before is not None:
            return before
        refuse_closed(session, occasion.authority, on_day)
        charges = charges_of(session, occasion.authority, charge_ids)
        refuse_settled(session, occasion, charges)
        owed = owed_on(session, desk, charges, on_day)
        due = sum((each.left for each in owed), Decimal(0))
        received = due if amount is None else amount
        receipt = new_receipt(session, occasion, on_day, method, received)
        _distribute(session, occasion, desk, owed, receipt)
        after = {"number": receipt.number, "total": received, "on_day": on_day, "method": method, "charges": charge_ids}
        record(session, occasion, "payment.received", "receipt", receipt.id, None, after)
        remember(session, occasion, "payment.received", receipt.id)
        refresh(session, desk, occasion, charges)
        return receipt.id


def reverse_posting(occasion: Occasion, desk: Desk, posting_id: int, reason: str) -> int:
    """Reverses a payment (and the credit that it left); the charge is open again. Gives the id.

    A payment by credit becomes that credit again.

    Raises:
        Refused: no reason, not a payment, its credit is used already, or today's till is closed.
        AlreadyDone: it was reversed before; the result is that reversal's id.
        NotFound: a posting of another authority.
    """
    if fault := (too_long(reason, what="O motivo") if reason.strip() else NO_REASON):
        raise Refused({"reason": fault})
    with desk.store.writing() as session:
        found = session.execute(
            select(Posting, Charge)
            .join(Charge, Charge.id == Posting.charge_id)
            .where(Posting.id == posting_id, Charge.authority == occasion.authority)
        ).one_or_none()
        if found is None:
            raise NotFound
        posting, charge = found
        if posting.kind != PAYMENT:
            raise Refused(message="Só um pagamento pode ser estornado.")
        if earlier := session.scalar(select(Posting).where(Posting.reverses_id == posting.id)):
            raise AlreadyDone(earlier.id, name_of_user(session, earlier.posted_by), earlier.posted_at)
        refuse_closed(session, occasion.authority, occasion.on)
        also = undone_with(session, occasion, posting)
        made = [reverse(session, occasion, each, reason) for each in (posting, *also)]
        charge.settled_at = None
        before = {"posting": posting.id, "amount": posting.amount}
        after = {"reason": reason.strip(), "reversal": made[0].id}
        record(session, occasion, "payment.reversed", "charge", charge.id, before, after)
        refresh(session, desk, occasion, [charge])
        return made[0].id


def annul_charge(session: Session, occasion: Occasion, charge: Charge, reason: str) -> None:
    """Annuls a charge on which nothing was paid, in the transaction of the act that makes it void.

    Raises Refused for a reason that is too long.
    """
    refuse_long(reason=reason)
    session.add(
        Posting(
            charge_id=charge.id,
            kind=ANNULMENT,
            amount=Decimal(0),
            due_amount=Decimal(0),
            on_day=occasion.on,
            reason=reason,
            posted_by=occasion.actor_id,
            posted_at=occasion.at,
        )
    )
    charge.cancelled_at = occasion.at
    record(session, occasion, "charge.annulled", "charge", charge.id, None, {"reason": reason})


def close_cash(occasion: Occasion, desk: Desk, day: date, counted: Decimal, note: str = "") -> CashPage:
    """Counts and closes a day of the till: nothing more is posted on it.

    ``counted`` is what was found, in reais. Raises Refused when it differs and no note says why and for a day to come,
    AlreadyDone for a closed day.
    """
    with desk.store.writing() as session:
        page = cash_of_day(session, occasion.authority, day)
        if page.closed_at is not None:
            raise AlreadyDone(page, page.closed_by, page.closed_at)
        faults = {}
        if day > occasion.on:
            faults["day"] = _not_after_today(occasion)
        if counted < 0:
            faults["counted"] = "O valor contado não pode ser negativo."
        if counted != page.expected and not note.strip():
            difference = format_money(abs(counted - page.expected))
            faults["note"] = f"{'Sobram' if counted > page.expected else 'Faltam'} {difference}. Escreva por quê."
        if fault := too_long(note, what="A observação"):
            faults["note"] = fault
        if faults:
            raise Refused(faults)
        row = TillDay(
            authority=occasion.authority,
            day=day,
            expected=page.expected,
            counted=counted,
            note=note.strip(),
            closed_by=occasion.actor_id,
            closed_at=occasion.at,
        )
        session.add(row)
        session.flush()
        after = {"day": day, "expected": page.expected, "counted": counted, "note": note.strip()}
        record(session, occasion, "cash.closed", "till_day", row.id, None, after)
        return cash_of_day(session, occasion.authority, day)


def _check_payment(
    occasion: Occasion, charge_ids: Sequence[int], on_day: date, method: str, amount: Decimal | None
) -> None:
    faults = {}
    if not charge_ids:
        faults["charges"] = "Marque o que está sendo pago."
    if on_day > occasion.on:
        faults["on_day"] = _not_after_today(occasion)
    if method not in METHODS:
        faults["method"] = "Escolha a forma de pagamento."
    if amount is not None and amount <= 0:
        faults["amount"] = "O valor deve ser maior que zero."
    if faults:
        raise Refused(faults)


def _not_after_today(occasion: Occasion) -> str:
    return f"A data não pode ser depois de hoje ({format_date(occasion.on)})."


def _distribute(session: Session, occasion: Occasion, desk: Desk, owed: Sequence[Owed], receipt: Receipt) -> None:
    """Distributes what was received; the surplus is a credit on the last charge."""
    left = receipt.total
    for place, each in enumerate(owed):
        part = min(left, each.left)
        left -= part
        if part:
            post(session, occasion, desk, each, receipt, PAYMENT, part)
        if part == each.left:
            each.charge.settled_at = occasion.at
        if place == len(owed) - 1 and left:
            post(session, occasion, desk, each, receipt, CREDIT, left)
