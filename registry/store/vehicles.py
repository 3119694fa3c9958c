"""Vehicles and the dated bars on them."""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import AuthorityCode, Base, Code, Instant, Key, Text, Versioned
from registry.store.types import Json, PlateText


class Vehicle(Versioned, Base):
    """A vehicle of one authority. ``plate_key`` is shared by the old and the Mercosul form of one plate."""

    __tablename__ = "vehicle"
    __table_args__ = (
        Index(
            "uq_vehicle_authority_plate_key",
            "authority",
            "plate_key",
            unique=True,
            sqlite_where=text("ended_at is null"),
            postgresql_where=text("ended_at is null"),
        ),
        Index("ix_vehicle_plate_key", "plate_key"),
    )

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    plate: Mapped[str] = mapped_column(PlateText)
    plate_key: Mapped[str] = mapped_column(PlateText)
    renavam: Mapped[str] = mapped_column(String(11), default="")
    type: Mapped[Code] = mapped_column(default="")
    make: Mapped[Code] = mapped_column(default="")
    model: Mapped[Code] = mapped_column(default="")
    year_made: Mapped[int | None]
    first_registered_on: Mapped[date | None]
    doors: Mapped[int | None]
    seats: Mapped[int | None]
    colour: Mapped[Code] = mapped_column(default="")
    fuel: Mapped[Code] = mapped_column(default="")
    facts: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    created_at: Mapped[Instant]
    ended_at: Mapped[Instant | None]


class FormerPlate(Base):
    """A plate that a vehicle had before a change, until the day before it, so that the old plate still finds it."""

    __tablename__ = "former_plate"

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    vehicle_id: Mapped[int] = mapped_column(ForeignKey("vehicle.id"), index=True)
    plate: Mapped[str] = mapped_column(PlateText)
    plate_key: Mapped[str] = mapped_column(PlateText, index=True)
    until: Mapped[date]
    reason: Mapped[Text] = mapped_column(default="")
    recorded_at: Mapped[Instant]


class Restriction(Base):
    """A dated bar: suspension, seizure, accident_block, off_road. Days included; ``until`` null = until lifted.

    It bars one vehicle, or every vehicle of a permit. A wrong row is ended (``voided_at``), never deleted.
    """

    __tablename__ = "restriction"

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    regime: Mapped[Code]
    kind: Mapped[Code]
    vehicle_id: Mapped[int | None] = mapped_column(ForeignKey("vehicle.id"), index=True)
    permit_id: Mapped[int | None] = mapped_column(ForeignKey("permit.id"), index=True)
    since: Mapped[date]
    until: Mapped[date | None]
    reason: Mapped[Text] = mapped_column(default="")
    act: Mapped[Text] = mapped_column(default="")
    act_id: Mapped[int | None] = mapped_column(ForeignKey("act.id"))
    recorded_at: Mapped[Instant]
    voided_at: Mapped[Instant | None]
