"""Inspections: agenda, checklist, seal."""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import AuthorityCode, Base, Code, Instant, Key, Text, Versioned
from registry.store.types import Json


class Inspection(Versioned, Base):
    """A vistoria. ``state`` is marcada, aprovada, reprovada, nao_compareceu or cancelada.

    ``items`` maps checklist codes to {"result": ok|falha|na, "reason": text, "photos": ids of files}; each tap saves,
    and ``result`` is "" where a photo came first. A pass yields the seal.
    """

    __tablename__ = "inspection"
    __table_args__ = (
        UniqueConstraint("authority", "regime", "seal"),
        Index("ix_inspection_agenda", "authority", "scheduled_at"),
    )

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    regime: Mapped[Code]
    kind: Mapped[Code]
    request_id: Mapped[int | None] = mapped_column(ForeignKey("request.id"), index=True)
    vehicle_id: Mapped[int] = mapped_column(ForeignKey("vehicle.id"), index=True)
    scheduled_at: Mapped[Instant | None]
    place: Mapped[Text] = mapped_column(default="")
    state: Mapped[Code]
    items: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    inspector_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    done_at: Mapped[Instant | None]
    done_on: Mapped[date | None]
    seal: Mapped[Code | None]
    valid_until: Mapped[date | None]
    notes: Mapped[Text] = mapped_column(default="")
    created_at: Mapped[Instant]
