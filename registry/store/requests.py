"""Requests with their documents, waits, decisions and stored verdicts; files."""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import AuthorityCode, Base, Code, Instant, Key, Text, Versioned
from registry.store.types import Json


class Request(Versioned, Base):
    """A requerimento. ``state`` is rascunho, protocolado, em_analise, deferido, indeferido or desistencia; the state
    shown is derived from it and the open waits. ``number`` (2026/004512) is taken when it is filed.

    ``shown`` and ``next_step`` are what was derived at the last change or sweep, kept for lists only: the request's own
    page derives them anew.
    """

    __tablename__ = "request"
    __table_args__ = (
        UniqueConstraint("authority", "number"),
        Index("ix_request_worklist", "authority", "state", "due_on"),
    )

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    regime: Mapped[Code]
    kind: Mapped[Code]
    category: Mapped[Code] = mapped_column(default="")
    holder_kind: Mapped[Code] = mapped_column(default="")
    number: Mapped[Code | None]
    applicant_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"), index=True)
    cooperative_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    vehicle_id: Mapped[int | None] = mapped_column(ForeignKey("vehicle.id"), index=True)
    permit_id: Mapped[int | None] = mapped_column(ForeignKey("permit.id"))
    state: Mapped[Code]
    shown: Mapped[Code] = mapped_column(default="rascunho")
    next_step: Mapped[Text] = mapped_column(default="")
    facts: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    assigned_to: Mapped[int | None] = mapped_column(ForeignKey("user.id"), index=True)
    assigned_at: Mapped[Instant | None]
    due_on: Mapped[date | None]
    opened_at: Mapped[Instant]
    filed_at: Mapped[Instant | None]
    decided_at: Mapped[Instant | None]


class StoredFile(Base):
    """An uploaded file, kept under its sha256 outside the database."""

    __tablename__ = "file"

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    sha256: Mapped[str] = mapped_column(String(64), index=True)
    size: Mapped[int]
    media_type: Mapped[Code]
    name: Mapped[Text]
    restricted: Mapped[bool] = mapped_column(default=False)
    uploaded_by: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    uploaded_at: Mapped[Instant]


class RequestDocument(Versioned, Base):
    """One document on a request, by the code of the wanted list. A newer one replaces it (``replaced_at``)."""

    __tablename__ = "request_document"

    id: Mapped[Key]
    request_id: Mapped[int] = mapped_column(ForeignKey("request.id"), index=True)
    code: Mapped[Code]
    file_id: Mapped[int | None] = mapped_column(ForeignKey("file.id"))
    status: Mapped[Code]
    expires_on: Mapped[date | None]
    copies: Mapped[int] = mapped_column(default=1)
    reason: Mapped[Text] = mapped_column(default="")
    reviewed_by: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    reviewed_at: Mapped[Instant | None]
    created_at: Mapped[Instant]
    replaced_at: Mapped[Instant | None]


class Wait(Base):
    """An open item of a request, its term with the day and its arithmetic.

    ``kind`` is exigencia, referral (an omitted case, sent to whoever answers it), proposal (of refusal) or return (by
    the deciding office, to the analysis).
    """

    __tablename__ = "wait"

    id: Mapped[Key]
    request_id: Mapped[int] = mapped_column(ForeignKey("request.id"), index=True)
    kind: Mapped[Code]
    text: Mapped[str] = mapped_column(String(4000))
    due_on: Mapped[date | None]
    steps: Mapped[list[Any]] = mapped_column(Json, default=list)
    opened_by: Mapped[Code]
    opened_at: Mapped[Instant]
    closed_at: Mapped[Instant | None]
    outcome: Mapped[Text] = mapped_column(default="")


class Decision(Base):
    """The decision of a request by an office, with its grounds in words; immutable."""

    __tablename__ = "decision"
    __table_args__ = (UniqueConstraint("request_id"),)

    id: Mapped[Key]
    request_id: Mapped[int] = mapped_column(ForeignKey("request.id"))
    result: Mapped[Code]
    office: Mapped[Code]
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    text: Mapped[str] = mapped_column(String(8000))
    act_id: Mapped[int | None] = mapped_column(ForeignKey("act.id"))
    at: Mapped[Instant]


class StoredVerdict(Base):
    """One question as it was asked for a decision, charge or inspection: given, verdict, values, plugin version."""

    __tablename__ = "verdict"

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    subject: Mapped[Code]
    subject_id: Mapped[int]
    plugin: Mapped[Code]
    plugin_version: Mapped[Code]
    rule: Mapped[Text]
    question: Mapped[Code]
    on: Mapped[date]
    given: Mapped[dict[str, Any] | None] = mapped_column(Json)
    outcome: Mapped[Code]
    answer: Mapped[dict[str, Any] | None] = mapped_column(Json)
    grounds: Mapped[list[Any]] = mapped_column(Json)
    steps: Mapped[list[Any]] = mapped_column(Json)
    missing: Mapped[list[Any]] = mapped_column(Json, default=list)
    at: Mapped[Instant]

    __table_args__ = (Index("ix_verdict_subject", "subject", "subject_id"),)
