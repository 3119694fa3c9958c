"""Authorities, users, roles, offices with appointments."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import AuthorityCode, Base, Code, Instant, Key, Text
from registry.store.types import UtcDateTime


class Authority(Base):
    """An órgão that runs one or more regimes."""

    __tablename__ = "authority"

    code: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[Text]
    zone: Mapped[Code]


class User(Base):
    """A person who works at one authority. The lock-out lives here: failures and the instant the lock ends."""

    __tablename__ = "user"
    __table_args__ = (UniqueConstraint("username"),)

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    username: Mapped[Code]
    name: Mapped[Text]
    password_hash: Mapped[str] = mapped_column(String(200))
    active: Mapped[bool] = mapped_column(default=True)
    demo: Mapped[bool] = mapped_column(default=False)
    failures: Mapped[int] = mapped_column(default=0)
    locked_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    session_epoch: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[Instant]


class UnknownLogIn(Base):
    """Log-in attempts with a name that no user has, counted and locked like a user's, so that a lock tells nothing."""

    __tablename__ = "unknown_log_in"

    username: Mapped[str] = mapped_column(String(64), primary_key=True)
    failures: Mapped[int] = mapped_column(default=0)
    locked_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    last_at: Mapped[Instant]


class Invitation(Base):
    """A link by which a user chooses a password: ``kind`` is convite (the first one) or senha (a reset).

    Only a digest of the link's secret is kept. It works once, until ``expires_at``, and not after ``cancelled_at``.
    """

    __tablename__ = "invitation"

    id: Mapped[Key]
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), index=True)
    kind: Mapped[Code]
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    created_by: Mapped[Code]
    created_at: Mapped[Instant]
    expires_at: Mapped[Instant]
    used_at: Mapped[Instant | None]
    cancelled_at: Mapped[Instant | None]


class UserRole(Base):
    """A role of a user: atendente, vistoriador, agente_fiscal, tesouraria, analista, diretor, auditor or
    administrador.
    """

    __tablename__ = "user_role"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    role: Mapped[str] = mapped_column(String(64), primary_key=True)


class Appointment(Base):
    """A user holds an office of a regime from a day until a day (both included), by act; substitutes too."""

    __tablename__ = "appointment"

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    regime: Mapped[Code]
    office: Mapped[Code]
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), index=True)
    since: Mapped[date]
    until: Mapped[date | None]
    substitute: Mapped[bool] = mapped_column(default=False)
    act: Mapped[Text] = mapped_column(default="")
    act_id: Mapped[int | None] = mapped_column(ForeignKey("act.id"))
