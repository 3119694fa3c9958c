"""What the treasury's pages show: charges with their amount on a day, receipts, the till of a day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, or_, select
from sqlalchemy.orm import Session, aliased

from registry.domain.convert import from_plain
from registry.domain.identifiers import IdentifierError, canonical, parse_plate
from registry.domain.law import Step
from registry.services.amounts import (
    BY_CREDIT,
    CREDIT,
    LEGACY,
    PAYMENT,
    REVERSAL,
    USE,
    Amount,
    amount_on,
    paid_by_charge,
)
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused
from registry.store.access import User
from registry.store.charges import Charge, Posting, Receipt, TillDay
from registry.store.people import Person
from registry.store.requests import Request
from registry.store.vehicles import Vehicle

ChargeState = Literal["em_aberto", "vencido", "pago", "anulado"]
_MOST = 100


@dataclass(frozen=True)
class ChargeLine:
    """A charge on a day. ``amount`` is None when the law gives none on that day; ``refusal`` says why.

    ``left`` is what is still to be paid; for a settled charge 0. Amounts in reais.
    """

    id: int
    number: str
    label: str
    regime: str
    debtor_id: int
    debtor: str
    request_id: int | None
    request_number: str
    plate: str
    due_on: date | None
    state: ChargeState
    paid: Decimal
    left: Decimal | None
    amount: Amount | None
    refusal: str = ""
    receipt_id: int | None = None
    receipt_number: str = ""
    settled_at: datetime | None = None


@dataclass(frozen=True)
class ReceiptLine:
    """One charge of a receipt: what was paid on it, what it came to, the arithmetic; ``reversed_at`` when undone.

    ``left`` is what was still owed on the receipt's day after this payment, in reais; what is paid later leaves it so.
    ``used_at`` tells when a credit was used up; the credit that is left of it is another line.
    """

    posting_id: int
    charge_id: int
    label: str
    number: str
    kind: str
    amount: Decimal
    due_amount: Decimal
    left: Decimal
    steps: tuple[Step, ...]
    request_id: int | None
    reversed_at: datetime | None
    reversed_reason: str
    used_at: datetime | None = None


@dataclass(frozen=True)
class ReceiptPage:
    """A receipt as it is printed."""

    id: int
    number: str
    on_day: date
    method: str
    total: Decimal
    received_by: str
    received_at: datetime
    payer: str
    lines: tuple[ReceiptLine, ...]

    @property
    def left(self) -> Decimal:
        """What was still owed on the charges of the receipt, on its day, in reais; payments undone do not count."""
        return sum((line.left for line in self.lines if line.reversed_at is None), Decimal(0))


@dataclass(frozen=True)
class CashLine:
    """One movement of the till: a receipt or the reversal of a posting (negative)."""

    at: datetime
    kind: str
    receipt_id: int | None
    number: str
    method: str
    amount: Decimal
    by: str
    reason: str


@dataclass(frozen=True)
class CashPage:
    """The till of a day: what should be there, by method, and what was counted once closed."""

    day: date
    lines: tuple[CashLine, ...]
    by_method: Mapping[str, Decimal]
    expected: Decimal
    counted: Decimal | None = None
    note: str = ""
    closed_by: str = ""
    closed_at: datetime | None = None


def charges_of_person(
    session: Session, desk: Desk, authority: str, person_id: int, day: date
) -> tuple[ChargeLine, ...]:
    """Every charge of a person, open ones first, with the amounts of that day."""
    return charge_lines(session, desk, charges_here(authority).where(Charge.debtor_id == person_id), day)


def charges_of_request(
    session: Session, desk: Desk, authority: str, request_id: int, day: date
) -> tuple[ChargeLine, ...]:
    """Every charge of a request with the amounts of that day."""
    return charge_lines(session, desk, charges_here(authority).where(Charge.request_id == request_id), day)


def charge_of(session: Session, desk: Desk, authority: str, charge_id: int, day: date) -> ChargeLine:
    """One charge with its amount on that day. Raises NotFound for one of another authority."""
    lines = charge_lines(session, desk, charges_here(authority).where(Charge.id == charge_id), day)
    if not lines:
        raise NotFound
    return lines[0]


def find_charges(
    session: Session, desk: Desk, authority: str, typed: str, day: date, limit: int = _MOST
) -> tuple[ChargeLine, ...]:
    """The charges that a plate, a CPF or CNPJ, or the number of a slip or request means; open ones first.

    An empty text gives the open charges of the authority, newest first. At most ``limit``.
    """
    query = charges_here(authority)
    if not typed.strip():
        query = query.where(Charge.settled_at.is_(None), Charge.cancelled_at.is_(None))
    else:
        query = query.where(meant_by(typed))
    closed = or_(Charge.settled_at.is_not(None), Charge.cancelled_at.is_not(None))
    return charge_lines(session, desk, query.order_by(None).order_by(closed, Charge.id.desc()).limit(limit), day)


def meant_by(typed: str) -> ColumnElement[bool]:
    """Of :func:`charges_here`, those that a plate, a CPF or CNPJ, or the number of a slip or request means."""
    text = typed.strip()
    wanted = [Charge.number == text, Request.number == text, Person.document == canonical(text)]
    with suppress(IdentifierError):
        wanted.append(Vehicle.plate_key == parse_plate(text).key)
    return or_(*wanted)


def receipt_page(session: Session, authority: str, receipt_id: int) -> ReceiptPage:
    """A receipt with its lines. Raises NotFound for one of another authority."""
    head = session.execute(
        select(Receipt, User.name)
        .outerjoin(User, User.id == Receipt.received_by)
        .where(Receipt.id == receipt_id, Receipt.authority == authority)
    ).one_or_none()
    if head is None:
        raise NotFound
    receipt, by = head
    reversal = aliased(Posting)
    rows = session.execute(
        select(Posting, Charge, Person.name, reversal.posted_at, reversal.reason, reversal.kind)
        .join(Charge, Charge.id == Posting.charge_id)
        .join(Person, Person.id == Charge.debtor_id)
        .outerjoin(reversal, reversal.reverses_id == Posting.id)
        .where(Posting.receipt_id == receipt.id)
        .order_by(Posting.id)
    ).all()
    paid = _paid_until(session, [row[0] for row in rows])
    return ReceiptPage(
        id=receipt.id,
        number=receipt.number,
        on_day=receipt.on_day,
        method=receipt.method,
        total=receipt.total,
        received_by=by or "",
        received_at=receipt.received_at,
        payer=rows[0].name if rows else "",
        lines=tuple(
            _receipt_line(posting, charge, paid[posting.id], at, reason, how)
            for posting, charge, _, at, reason, how in rows
        ),
    )


def cash_of_day(session: Session, authority: str, day: date) -> CashPage:
    """What came into the till and went out of it on a day, in the order of time."""
    receipts = session.execute(
        select(Receipt, User.name)
        .outerjoin(User, User.id == Receipt.received_by)
        .where(Receipt.authority == authority, Receipt.on_day == day, Receipt.method != BY_CREDIT)
    )
    lines = [
        CashLine(row.received_at, "recibo", row.id, row.number, row.method, row.total, by or "", "")
        for row, by in receipts
    ]
    undone = aliased(Posting)
    reversals = session.execute(
        select(Posting, Receipt, User.name)
        .join(undone, undone.id == Posting.reverses_id)
        .join(Receipt, Receipt.id == undone.receipt_id)
        .outerjoin(User, User.id == Posting.posted_by)
        .where(
            Receipt.authority == authority,
            Receipt.method != BY_CREDIT,
            Posting.kind == REVERSAL,
            Posting.on_day == day,
        )
    )
    lines += [
        CashLine(row.posted_at, REVERSAL, receipt.id, receipt.number, receipt.method, -row.amount, by or "", row.reason)
        for row, receipt, by in reversals
    ]
    by_method: dict[str, Decimal] = {}
    for line in lines:
        by_method[line.method] = by_method.get(line.method, Decimal(0)) + line.amount
    closed = session.execute(
        select(TillDay, User.name)
        .outerjoin(User, User.id == TillDay.closed_by)
        .where(TillDay.authority == authority, TillDay.day == day)
    ).one_or_none()
    till, by = closed if closed else (None, "")
    return CashPage(
        day=day,
        lines=tuple(sorted(lines, key=lambda line: line.at)),
        by_method=by_method,
        expected=sum((line.amount for line in lines), Decimal("0.00")),
        counted=till.counted if till else None,
        note=till.note if till else "",
        closed_by=by or "",
        closed_at=till.closed_at if till else None,
    )


def charges_here(authority: str) -> Select[Any, Any, Any, Any]:
    """The charges of an authority with debtor, request and plate, for :func:`charge_lines`."""
    return (
        select(Charge, Person.name, Request.number.label("request_number"), Vehicle.plate)
        .join(Person, Person.id == Charge.debtor_id)
        .outerjoin(Request, Request.id == Charge.request_id)
        .outerjoin(Vehicle, Vehicle.id == Request.vehicle_id)
        .where(Charge.authority == authority)
        .order_by(Charge.settled_at.is_not(None), Charge.id)
    )


def charge_lines(session: Session, desk: Desk, query: Select[Any, Any, Any, Any], day: date) -> tuple[ChargeLine, ...]:
    """The charges of a query of :func:`charges_here` with their amounts of that day."""
    rows = session.execute(query).all()
    ids = [row[0].id for row in rows]
    paid = paid_by_charge(session, ids)
    receipts = _last_receipts(session, ids)
    return tuple(_line(session, desk, row, day, paid.get(row[0].id, Decimal(0)), receipts) for row in rows)


def _line(
    session: Session, desk: Desk, row: Any, day: date, paid: Decimal, receipts: Mapping[int, tuple[int, str]]
) -> ChargeLine:
    charge, debtor, request_number, plate = row
    state = _state(charge, day)
    amount, refusal = _amount(session, desk, charge, day) if state in ("em_aberto", "vencido") else (None, "")
    receipt_id, receipt_number = receipts.get(charge.id, (None, "")) if state == "pago" else (None, "")
    left = Decimal(0) if amount is None and not refusal else None
    return ChargeLine(
        id=charge.id,
        number=charge.number,
        label=charge.label,
        regime=charge.regime,
        debtor_id=charge.debtor_id,
        debtor=debtor,
        request_id=charge.request_id,
        request_number=request_number or "",
        plate=plate or "",
        due_on=charge.due_on,
        state=state,
        paid=paid,
        left=max(amount.amount - paid, Decimal(0)) if amount else left,
        amount=amount,
        refusal=refusal,
        receipt_id=receipt_id,
        receipt_number=receipt_number,
        settled_at=charge.settled_at,
    )


def _state(charge: Charge, day: date) -> ChargeState:
    if charge.cancelled_at is not None:
        return "anulado"
    if charge.settled_at is not None:
        return "pago"
    return "vencido" if charge.due_on is not None and charge.due_on < day else "em_aberto"


def _amount(session: Session, desk: Desk, charge: Charge, day: date) -> tuple[Amount | None, str]:
    if charge.plan != LEGACY and charge.regime not in desk.host.regimes:
        return None, "O regime desta taxa não está instalado."
    try:
        return amount_on(session, desk, charge, day), ""
    except Refused as refused:
        return None, refused.message


def _last_receipts(session: Session, charge_ids: Sequence[int]) -> dict[int, tuple[int, str]]:
    rows = session.execute(
        select(Posting.charge_id, Receipt.id, Receipt.number)
        .join(Receipt, Receipt.id == Posting.receipt_id)
        .where(Posting.charge_id.in_(charge_ids), Posting.kind == PAYMENT)
        .order_by(Posting.id)
    )
    return {row.charge_id: (row.id, row.number) for row in rows}


def _paid_until(session: Session, postings: Sequence[Posting]) -> dict[int, Decimal]:
    """What had been paid on the charge of each posting once it was made, and not been reversed by then, in reais."""
    movements = session.execute(
        select(Posting.id, Posting.charge_id, Posting.kind, Posting.amount, Posting.reverses_id).where(
            Posting.charge_id.in_({each.charge_id for each in postings}), Posting.kind.in_((PAYMENT, REVERSAL))
        )
    ).all()
    payments = {row.id for row in movements if row.kind == PAYMENT}
    signed = [
        (row.id, row.charge_id, row.amount if row.kind == PAYMENT else -row.amount)
        for row in movements
        if row.kind == PAYMENT or row.reverses_id in payments
    ]
    return {
        each.id: sum((part for at, charge, part in signed if charge == each.charge_id and at <= each.id), Decimal(0))
        for each in postings
    }


def _receipt_line(
    posting: Posting, charge: Charge, paid: Decimal, ended_at: datetime | None, reason: str | None, how: str | None
) -> ReceiptLine:
    labels = {CREDIT: f"Crédito: {charge.label}", USE: f"Crédito usado: {charge.label}"}
    left = max(posting.due_amount - paid, Decimal(0)) if posting.kind == PAYMENT else Decimal(0)
    return ReceiptLine(
        posting_id=posting.id,
        charge_id=charge.id,
        label=labels.get(posting.kind, charge.label),
        number=charge.number,
        kind=posting.kind,
        amount=posting.amount,
        due_amount=posting.due_amount,
        left=left,
        steps=tuple(from_plain(step, Step) for step in posting.steps),
        request_id=charge.request_id,
        reversed_at=ended_at if how == REVERSAL else None,
        reversed_reason=reason or "",
        used_at=ended_at if how == USE else None,
    )
