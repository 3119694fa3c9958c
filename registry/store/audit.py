"""The audit chain: who, when, what, before, after; each entry hashes the one before it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import Base, Code, Instant, Text
from registry.store.types import Json


class AuditEntry(Base):
    """One change. ``seq`` has no gaps; triggers refuse update and delete on both engines."""

    __tablename__ = "audit_entry"
    __table_args__ = (Index("ix_audit_entry_subject", "subject", "subject_id"),)

    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    authority: Mapped[Code]
    at: Mapped[Instant]
    actor: Mapped[Text]
    office: Mapped[Code]
    trace_id: Mapped[Code]
    action: Mapped[Code]
    subject: Mapped[Code]
    subject_id: Mapped[int]
    before: Mapped[dict[str, Any] | None] = mapped_column(Json)
    after: Mapped[dict[str, Any] | None] = mapped_column(Json)
    previous: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64))
