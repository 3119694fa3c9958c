"""Persons, companies, cooperatives and their members."""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column, validates

from registry.domain.text import fold
from registry.store.base import AuthorityCode, Base, Code, Instant, Key, Text, Versioned
from registry.store.types import Folded, Json


class Person(Versioned, Base):
    """A natural person, company or cooperative of one authority. ``document`` is the canonical CPF or CNPJ.

    ``name_folded`` is ``fold(name)``: set with the name here, by the writer in a Core insert.
    """

    __tablename__ = "person"
    __table_args__ = (
        Index(
            "uq_person_authority_document",
            "authority",
            "document",
            unique=True,
            sqlite_where=text("document <> '' and ended_at is null"),
            postgresql_where=text("document <> '' and ended_at is null"),
        ),
        # covers the search for fragments too short for the trigram index
        Index("ix_person_authority_name_folded", "authority", "name_folded", "ended_at"),
    )

    id: Mapped[Key]
    authority: Mapped[AuthorityCode]
    kind: Mapped[Code]
    name: Mapped[Text]
    name_folded: Mapped[str] = mapped_column(Folded)
    document: Mapped[str] = mapped_column(String(14), default="")
    born_on: Mapped[date | None]
    nationality: Mapped[Code] = mapped_column(default="")
    sex: Mapped[Code] = mapped_column(default="")
    cnh: Mapped[str] = mapped_column(String(11), default="")
    cnh_confirmed: Mapped[bool] = mapped_column(default=False)
    phone: Mapped[Code] = mapped_column(default="")
    email: Mapped[Text] = mapped_column(default="")
    address: Mapped[Text] = mapped_column(default="")
    facts: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    created_at: Mapped[Instant]
    ended_at: Mapped[Instant | None]
    anonymised_at: Mapped[Instant | None]

    @validates("name")
    def _fold_name(self, _key: str, name: str) -> str:
        self.name_folded = fold(name)[:400]
        return name


class Membership(Base):
    """A natural person belongs to a cooperative from a day until a day (both included)."""

    __tablename__ = "membership"

    id: Mapped[Key]
    cooperative_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    member_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    since: Mapped[date]
    until: Mapped[date | None]
    recorded_at: Mapped[Instant]
