"""Runs of the importer: the file, what was chosen, how far it is, and what it wrote, so that it can be undone."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import AuthorityCode, Base, Code, Instant, Key, Text
from registry.store.types import Json


class ImportRun(Base):
    """One file on its way in. ``state`` is previa, na_fila, gravando, gravado, recusado, falhou or desfeito.

    ``choices`` is what the clerk decided about the file, ``report`` what it did: counts and remarks.
    """

    __tablename__ = "import_run"
    __table_args__ = (Index("ix_import_run_list", "authority", "created_at"),)

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    kind: Mapped[Code]
    regime: Mapped[Code] = mapped_column(default="")
    file_id: Mapped[int | None] = mapped_column(ForeignKey("file.id"))
    file_name: Mapped[Text]
    sha256: Mapped[str] = mapped_column(String(64))
    choices: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    state: Mapped[Code]
    lines_done: Mapped[int] = mapped_column(default=0)
    lines_total: Mapped[int] = mapped_column(default=0)
    report: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    created_by: Mapped[Code]
    created_at: Mapped[Instant]
    started_at: Mapped[Instant | None]
    finished_at: Mapped[Instant | None]
    undone_by: Mapped[Code | None]
    undone_at: Mapped[Instant | None]
    undone_reason: Mapped[Text] = mapped_column(default="")


class ImportedRow(Base):
    """A row that a run made or changed: its table, its id, and, where changed, the fields as they were and became."""

    __tablename__ = "imported_row"

    id: Mapped[Key]
    run_id: Mapped[int] = mapped_column(ForeignKey("import_run.id"), index=True)
    table: Mapped[Code]
    row_id: Mapped[int]
    before: Mapped[dict[str, Any] | None] = mapped_column(Json)
    after: Mapped[dict[str, Any] | None] = mapped_column(Json)
