"""Charges (what is owed) and immutable postings (amounts that became fixed)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import AuthorityCode, Base, Code, Instant, Key, Text
from registry.store.types import Json, Money


class Charge(Base):
    """What is owed: the question and its facts, since the amount may depend on the day of payment."""

    __tablename__ = "charge"

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    regime: Mapped[Code]
    kind: Mapped[Code]
    plan: Mapped[Code]
    label: Mapped[Text]
    debtor_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    request_id: Mapped[int | None] = mapped_column(ForeignKey("request.id"), index=True)
    number: Mapped[Code] = mapped_column(unique=True)
    plugin: Mapped[Code]
    question: Mapped[Code]
    given: Mapped[dict[str, Any]] = mapped_column(Json)
    due_on: Mapped[date | None]
    opened_at: Mapped[Instant]
    settled_at: Mapped[Instant | None]
    cancelled_at: Mapped[Instant | None]


class Posting(Base):
    """A fixed amount on a charge: pagamento, estorno, anulacao, credito. Never edited; corrected by a reversal."""

    __tablename__ = "posting"

    id: Mapped[Key]
    charge_id: Mapped[int] = mapped_column(ForeignKey("charge.id"), index=True)
    kind: Mapped[Code]
    amount: Mapped[Decimal] = mapped_column(Money)
    due_amount: Mapped[Decimal] = mapped_column(Money)
    on_day: Mapped[date]
    method: Mapped[Code] = mapped_column(default="")
    receipt: Mapped[Code | None] = mapped_column(unique=True)
    reverses_id: Mapped[int | None] = mapped_column(ForeignKey("posting.id"), unique=True)
    reason: Mapped[Text] = mapped_column(default="")
    steps: Mapped[list[Any]] = mapped_column(Json, default=list)
    posted_by: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    posted_at: Mapped[Instant]
