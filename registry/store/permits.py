"""Permits, the vehicles under them, the yearly licences, and the public rows."""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import AuthorityCode, Base, Code, Instant, Key, Text, Versioned
from registry.store.types import Json, PlateText


class Permit(Versioned, Base):
    """The outorga of a holder. ``holder_id`` null = not yet known (imported).

    ``ended_on`` is the first day without effect.
    """

    __tablename__ = "permit"
    __table_args__ = (UniqueConstraint("authority", "regime", "number"),)

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    regime: Mapped[Code] = mapped_column(index=True)
    number: Mapped[Code]
    category: Mapped[Code]
    holder_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"), index=True)
    cooperative_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    granted_on: Mapped[date]
    granted_on_known: Mapped[bool] = mapped_column(default=True)
    ended_on: Mapped[date | None]
    end_reason: Mapped[Code] = mapped_column(default="")
    end_act_id: Mapped[int | None] = mapped_column(ForeignKey("act.id"))
    facts: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    created_at: Mapped[Instant]


class PermitVehicle(Base):
    """A vehicle under a permit from a day; ``until`` is its last day (null = open)."""

    __tablename__ = "permit_vehicle"

    id: Mapped[Key]
    permit_id: Mapped[int] = mapped_column(ForeignKey("permit.id"), index=True)
    vehicle_id: Mapped[int] = mapped_column(ForeignKey("vehicle.id"), index=True)
    role: Mapped[Code] = mapped_column(default="regular")
    since: Mapped[date]
    until: Mapped[date | None]


class Licence(Base):
    """The paper of one vehicle under a permit: Termo, Alvará. ``valid_until`` is its last day."""

    __tablename__ = "licence"
    __table_args__ = (UniqueConstraint("authority", "regime", "number"),)

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    regime: Mapped[Code]
    permit_id: Mapped[int] = mapped_column(ForeignKey("permit.id"), index=True)
    vehicle_id: Mapped[int] = mapped_column(ForeignKey("vehicle.id"), index=True)
    number: Mapped[Code]
    issued_on: Mapped[date]
    valid_until: Mapped[date | None]
    ended_on: Mapped[date | None]
    end_reason: Mapped[Code] = mapped_column(default="")


class PublicRow(Base):
    """What the public look-up reads: the facts of one plate in one regime over ``[since, until)`` instants.

    ``givens`` holds the given of each status question by name; ``card`` the public card. A row is never overwritten:
    a later change closes it (``until``) or withdraws a future one (``withdrawn_at``) and adds others.
    """

    __tablename__ = "public_row"
    __table_args__ = (Index("ix_public_row_plate_key_since", "plate_key", "since"),)

    id: Mapped[Key]
    plate_key: Mapped[str] = mapped_column(PlateText)
    plate: Mapped[str] = mapped_column(PlateText)
    authority: Mapped[AuthorityCode]
    regime: Mapped[Code]
    permit_id: Mapped[int] = mapped_column(ForeignKey("permit.id"), index=True)
    since: Mapped[Instant]
    until: Mapped[Instant | None]
    givens: Mapped[dict[str, Any]] = mapped_column(Json)
    card: Mapped[dict[str, Any]] = mapped_column(Json)
    recorded_at: Mapped[Instant]
    withdrawn_at: Mapped[Instant | None]


class Sequence(Base):
    """The last number given in a yearly series without gaps; taken under a lock."""

    __tablename__ = "sequence"

    authority: Mapped[str] = mapped_column(String(64), ForeignKey("authority.code"), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    year: Mapped[int] = mapped_column(primary_key=True)
    last: Mapped[int]


class Onceness(Base):
    """The first result of an act by its once_key: a repeated click shows it again."""

    __tablename__ = "once"

    authority: Mapped[str] = mapped_column(String(64), ForeignKey("authority.code"), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    act: Mapped[Code]
    result: Mapped[Text]
    at: Mapped[Instant]
