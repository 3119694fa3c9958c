"""The treasury: receiving, reversing and annulling. Postings and receipts are never edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.convert import to_plain
from registry.domain.occasion import Occasion
from registry.domain.text import format_date, format_hour, format_money
from registry.services.amounts import (
    ANNULMENT,
    CREDIT,
    LEGACY,
    PAYMENT,
    REVERSAL,
    Amount,
    amount_on,
    paid_by_charge,
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
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.services.lengths import refuse_long, too_long
from registry.services.progress import refresh_request
from registry.services.touched import refresh_requests_of
from registry.services.verdicts import store_verdict
from registry.store.access import User
from registry.store.audit import record
from registry.store.charges import Charge, Posting, Receipt, TillDay
from registry.store.numbers import take
from registry.store.once import remember

__all__ = [
    "METHODS",
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
NO_REASON = "Escreva o motivo. Ele vai para o processo."


@dataclass(frozen=True)
class _Owed:
    """A charge with what it amounts to on the day of payment and what is left of it."""

    charge: Charge
    amount: Amount
    left: Decimal


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
        _refuse_closed(session, occasion.authority, on_day)
        charges = _charges(session, occasion.authority, charge_ids)
        _refuse_settled(session, occasion, charges)
        owed = _owed(session, desk, charges, on_day)
        due = sum((each.left for each in owed), Decimal(0))
        received = due if amount is None else amount
        receipt = _receipt(session, occasion, on_day, method, received)
        _post(session, occasion, desk, owed, receipt)
        after = {"number": receipt.number, "total": received, "on_day": on_day, "method": method, "charges": charge_ids}
        record(session, occasion, "payment.received", "receipt", receipt.id, None, after)
        remember(session, occasion, "payment.received", receipt.id)
        _refresh(session, desk, occasion, charges)
        return receipt.id


def reverse_posting(occasion: Occasion, desk: Desk, posting_id: int, reason: str) -> int:
    """Reverses a payment (and the credit of the same receipt and charge); the charge is open again. Gives the id.

    Raises:
        Refused: no reason, not a payment, or today's till is closed.
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
            raise AlreadyDone(earlier.id, _name(session, earlier.posted_by), earlier.posted_at)
        _refuse_closed(session, occasion.authority, occasion.on)
        credit = session.scalar(
            select(Posting).where(
                Posting.receipt_id == posting.receipt_id, Posting.charge_id == charge.id, Posting.kind == CREDIT
            )
        )
        made = [_reversal(session, occasion, each, reason) for each in (posting, credit) if each is not None]
        charge.settled_at = None
        before = {"posting": posting.id, "amount": posting.amount}
        after = {"reason": reason.strip(), "reversal": made[0].id}
        record(session, occasion, "payment.reversed", "charge", charge.id, before, after)
        _refresh(session, desk, occasion, [charge])
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


def _refuse_closed(session: Session, authority: str, day: date) -> None:
    closed = session.scalar(select(TillDay.day).where(TillDay.authority == authority, TillDay.day == day))
    if closed is not None:
        raise Refused({"on_day": f"O caixa de {format_date(day)} já foi fechado. Use um dia aberto."})


def _charges(session: Session, authority: str, charge_ids: Sequence[int]) -> list[Charge]:
    wanted = list(dict.fromkeys(charge_ids))
    found = {
        charge.id: charge
        for charge in session.scalars(select(Charge).where(Charge.authority == authority, Charge.id.in_(wanted)))
    }
    if len(found) < len(wanted):
        raise NotFound
    return [found[each] for each in wanted]


def _refuse_settled(session: Session, occasion: Occasion, charges: Sequence[Charge]) -> None:
    """A second payment is refused with the first one's receipt."""
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


def _owed(session: Session, desk: Desk, charges: Sequence[Charge], on_day: date) -> list[_Owed]:
    paid = paid_by_charge(session, [charge.id for charge in charges])
    amounts = [(charge, amount_on(session, desk, charge, on_day)) for charge in charges]
    return [
        _Owed(charge, amount, max(amount.amount - paid.get(charge.id, Decimal(0)), Decimal(0)))
        for charge, amount in amounts
    ]


def _receipt(session: Session, occasion: Occasion, on_day: date, method: str, total: Decimal) -> Receipt:
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


def _post(session: Session, occasion: Occasion, desk: Desk, owed: Sequence[_Owed], receipt: Receipt) -> None:
    """Distributes what was received; the surplus is a credit on the last charge."""
    left = receipt.total
    for place, each in enumerate(owed):
        part = min(left, each.left)
        left -= part
        if part:
            _posting(session, occasion, desk, each, receipt, PAYMENT, part)
        if part == each.left:
            each.charge.settled_at = occasion.at
        if place == len(owed) - 1 and left:
            _posting(session, occasion, desk, each, receipt, CREDIT, left)


def _posting(
    session: Session, occasion: Occasion, desk: Desk, owed: _Owed, receipt: Receipt, kind: str, amount: Decimal
) -> None:
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


def _reversal(session: Session, occasion: Occasion, posting: Posting, reason: str) -> Posting:
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


def _refresh(session: Session, desk: Desk, occasion: Occasion, charges: Sequence[Charge]) -> None:
    session.flush()
    for request_id in dict.fromkeys(charge.request_id for charge in charges if charge.request_id):
        refresh_request(session, desk, occasion, request_id)
    refresh_requests_of(session, desk, occasion, people=[each.debtor_id for each in charges if each.plan == LEGACY])


def _name(session: Session, user_id: int | None) -> str:
    return session.scalar(select(User.name).where(User.id == user_id)) or "" if user_id else ""
