"""Acts of the authority, and the index values and closures that they set."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import AuthorityCode, Base, Code, Instant, Key, Text


class Act(Base):
    """A portaria, despacho, edital or other act: what sets values, closes days, appoints and decides rests on it.

    ``number`` is as printed, year included («112/2026»). A wrong act is ended and the right one entered.
    """

    __tablename__ = "act"
    __table_args__ = (
        Index(
            "uq_act_authority_kind_number",
            "authority",
            "kind",
            "number",
            unique=True,
            sqlite_where=text("ended_at is null"),
            postgresql_where=text("ended_at is null"),
        ),
    )

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    kind: Mapped[Code]
    number: Mapped[Code]
    day: Mapped[date]
    gazette: Mapped[Text] = mapped_column(default="")
    summary: Mapped[Text] = mapped_column(default="")
    file_id: Mapped[int | None] = mapped_column(ForeignKey("file.id"))
    recorded_at: Mapped[Instant]
    recorded_by: Mapped[Code]
    ended_at: Mapped[Instant | None]


ActKey = Annotated[int | None, mapped_column(ForeignKey("act.id"))]
"""The act that a row rests on, where it is entered as an act; the row's ``act`` is its printed name either way."""


class IndexValue(Base):
    """A dated value that an act sets (custo/km, UFR, population ...): the decimal is ``scaled / 10**scale``, exact."""

    __tablename__ = "index_value"
    __table_args__ = (UniqueConstraint("authority", "key", "since", "recorded_at"),)

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    key: Mapped[Code]
    since: Mapped[date]
    scaled: Mapped[int] = mapped_column(BigInteger)
    scale: Mapped[int]
    unit: Mapped[Code]
    act: Mapped[Text]
    act_id: Mapped[ActKey]
    recorded_at: Mapped[Instant]
    recorded_by: Mapped[Code]


class Closure(Base):
    """A day on which the authority does not open, by act. ``ended_at`` = since then it opens after all."""

    __tablename__ = "closure"
    __table_args__ = (
        Index(
            "uq_closure_authority_day",
            "authority",
            "day",
            unique=True,
            sqlite_where=text("ended_at is null"),
            postgresql_where=text("ended_at is null"),
        ),
    )

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    day: Mapped[date]
    name: Mapped[Text]
    act: Mapped[Text]
    act_id: Mapped[ActKey]
    recorded_at: Mapped[Instant]
    ended_at: Mapped[Instant | None]
