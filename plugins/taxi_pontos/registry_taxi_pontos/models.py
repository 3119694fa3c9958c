"""Stands and the permits designated for them."""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from registry.api.data import AuthorityCode, Code, Folded, Instant, Key, Permit, Text, Versioned, plugin_base

Base: Any = plugin_base("taxi_pontos")


class Ponto(Versioned, Base):
    """A stand of an authority. ``name_folded`` is ``fold(name)``: two live stands never differ by accents alone.

    ``category`` is livre, privado, provisorio, or "" while it is not known. ``access`` (livre, privado), ``starts_on``
    and ``ends_on`` (its last day) belong to a provisorio one. ``places`` None = no limit, or not known.
    ``min_side_doors`` and ``max_age_years`` are its special conditions for cars; None = none.
    """

    __tablename__ = "taxi_pontos__ponto"
    __table_args__ = (
        Index(
            "uq_taxi_pontos__ponto_name",
            "authority",
            "name_folded",
            unique=True,
            sqlite_where=text("ended_at is null"),
            postgresql_where=text("ended_at is null"),
        ),
    )

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    code: Mapped[Code] = mapped_column(default="")
    name: Mapped[Text]
    name_folded: Mapped[str] = mapped_column(Folded)
    category: Mapped[Code] = mapped_column(default="")
    access: Mapped[Code] = mapped_column(default="")
    places: Mapped[int | None]
    starts_on: Mapped[date | None]
    ends_on: Mapped[date | None]
    min_side_doors: Mapped[int | None]
    max_age_years: Mapped[int | None]
    created_at: Mapped[Instant]
    ended_at: Mapped[Instant | None]


class Designation(Base):
    """A permit is designated for a stand from a day until a day (both included; null = open)."""

    __tablename__ = "taxi_pontos__designation"

    id: Mapped[Key]
    permit_id: Mapped[int] = mapped_column(ForeignKey(Permit.id), index=True)
    ponto_id: Mapped[int] = mapped_column(ForeignKey(Ponto.id), index=True)
    since: Mapped[date]
    until: Mapped[date | None]
    created_at: Mapped[Instant]
