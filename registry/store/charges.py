"""Charges (what is owed), immutable postings (amounts that became fixed), receipts and the closed days of the till."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import AuthorityCode, Base, Code, Instant, Key, Text
from registry.store.types import Json, Money


class Charge(Base):
    """What is owed: the question and its facts, since the amount may depend on the day of payment.

    ``day_fields`` names the fields of ``given`` that carry the day of payment.
    """

    __tablename__ = "charge"
    __table_args__ = (UniqueConstraint("authority", "number"),)

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    regime: Mapped[Code]
    kind: Mapped[Code]
    plan: Mapped[Code]
    label: Mapped[Text]
    debtor_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    request_id: Mapped[int | None] = mapped_column(ForeignKey("request.id"), index=True)
    request_kind: Mapped[Code] = mapped_column(default="")
    number: Mapped[Code]
    plugin: Mapped[Code]
    question: Mapped[Code]
    given: Mapped[dict[str, Any]] = mapped_column(Json)
    day_fields: Mapped[list[str]] = mapped_column(Json, default=list)
    due_on: Mapped[date | None]
    opened_at: Mapped[Instant]
    settled_at: Mapped[Instant | None]
    cancelled_at: Mapped[Instant | None]


class Receipt(Base):
    """One payment at the till, for one or several charges; numbered by year without gaps. Never edited."""

    __tablename__ = "receipt"
    __table_args__ = (UniqueConstraint("authority", "number"),)

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    number: Mapped[Code]
    on_day: Mapped[date] = mapped_column(index=True)
    method: Mapped[Code]
    total: Mapped[Decimal] = mapped_column(Money)
    received_by: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    received_at: Mapped[Instant]


class Posting(Base):
    """A fixed amount on a charge: pagamento, estorno, anulacao, credito, uso (of a credit, which it ends).

    Never edited; corrected by a reversal.

    ``due_amount`` is what was owed in all on ``on_day``, by ``steps``.
    """

    __tablename__ = "posting"

    id: Mapped[Key]
    charge_id: Mapped[int] = mapped_column(ForeignKey("charge.id"), index=True)
    kind: Mapped[Code]
    amount: Mapped[Decimal] = mapped_column(Money)
    due_amount: Mapped[Decimal] = mapped_column(Money)
    on_day: Mapped[date] = mapped_column(index=True)
    receipt_id: Mapped[int | None] = mapped_column(ForeignKey("receipt.id"), index=True)
    reverses_id: Mapped[int | None] = mapped_column(ForeignKey("posting.id"), unique=True)
    reason: Mapped[Text] = mapped_column(default="")
    steps: Mapped[list[Any]] = mapped_column(Json, default=list)
    posted_by: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    posted_at: Mapped[Instant]


class TillDay(Base):
    """A day of the till that was counted and closed: nothing more is posted on it."""

    __tablename__ = "till_day"
    __table_args__ = (UniqueConstraint("authority", "day"),)

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    day: Mapped[date]
    expected: Mapped[Decimal] = mapped_column(Money)
    counted: Mapped[Decimal] = mapped_column(Money)
    note: Mapped[Text] = mapped_column(default="")
    closed_by: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    closed_at: Mapped[Instant]
