"""Index values and closures, each set by an act of the authority."""

from __future__ import annotations

from datetime import date

from sqlalchemy import BigInteger, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import AuthorityCode, Base, Code, Instant, Key, Text


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
    recorded_at: Mapped[Instant]
    recorded_by: Mapped[Code]


class Closure(Base):
    """A day on which the authority does not open, by act."""

    __tablename__ = "closure"
    __table_args__ = (UniqueConstraint("authority", "day"),)

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    day: Mapped[date]
    name: Mapped[Text]
    act: Mapped[Text]
    recorded_at: Mapped[Instant]
