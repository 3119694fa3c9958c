"""Periods in which an act sets the fare band."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from registry.api.data import Act, AuthorityCode, Code, Instant, Key, Text, UtcDateTime, plugin_base

Base: Any = plugin_base("taxi_bandeiras")


class Period(Base):
    """From ``start`` (included) to ``end`` (excluded) an act sets the band of a regime.

    ``service`` is one of the regime's; "" = all. A wrong period is ended with its reason and counts no more, as if it
    had never been entered.
    """

    __tablename__ = "taxi_bandeiras__period"

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    regime: Mapped[Code]
    service: Mapped[Code] = mapped_column(default="")
    band: Mapped[int]
    start: Mapped[Instant]
    end: Mapped[Instant]
    act: Mapped[Text]
    act_id: Mapped[int | None] = mapped_column(ForeignKey(Act.id))
    recorded_at: Mapped[Instant]
    recorded_by: Mapped[Code]
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    ended_by: Mapped[Code | None]
    end_reason: Mapped[Text] = mapped_column(default="")
