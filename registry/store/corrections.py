"""How wrong and duplicate rows are put right: corrections and merges. Both keep what was."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, ForeignKey, Index, or_
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import AuthorityCode, Base, Code, Instant, Key, Text
from registry.store.types import Json


class Correction(Base):
    """A retificação: the wrong row of a noun is ended and linked to the right one (null = there is none), with the
    reason, the office that ordered it and the act.
    """

    __tablename__ = "correction"
    __table_args__ = (
        Index("ix_correction_wrong", "noun", "wrong_id"),
        Index("ix_correction_right", "noun", "right_id"),
    )

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    noun: Mapped[Code]
    wrong_id: Mapped[int]
    right_id: Mapped[int | None]
    reason: Mapped[Text]
    office: Mapped[Code]
    act: Mapped[Text] = mapped_column(default="")
    act_id: Mapped[int | None] = mapped_column(ForeignKey("act.id"))
    recorded_by: Mapped[Code]
    recorded_at: Mapped[Instant]


def ever_held(table: Any) -> ColumnElement[bool]:
    """The rows of a table with ``since`` and ``until`` that held at all: a corrected one ends before its first day."""
    return or_(table.until.is_(None), table.until >= table.since)


class Merge(Base):
    """Two records of one person or vehicle made one: ``gone_id`` is ended, its rows point at ``kept_id``.

    ``moved`` lists them by table and column, so that undoing (``undone_at``) gives back exactly those.
    """

    __tablename__ = "merge"
    __table_args__ = (Index("ix_merge_gone", "noun", "gone_id"), Index("ix_merge_kept", "noun", "kept_id"))

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    noun: Mapped[Code]
    kept_id: Mapped[int]
    gone_id: Mapped[int]
    reason: Mapped[Text]
    office: Mapped[Code]
    moved: Mapped[dict[str, Any]] = mapped_column(Json)
    merged_by: Mapped[Code]
    merged_at: Mapped[Instant]
    undone_by: Mapped[Code | None]
    undone_at: Mapped[Instant | None]
    undone_reason: Mapped[Text] = mapped_column(default="")
