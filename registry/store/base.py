"""The declarative base of the core's tables; plugins get their own from :func:`plugin_base`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from sqlalchemy import ForeignKey, MetaData, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from registry.store.types import UtcDateTime

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

Key = Annotated[int, mapped_column(primary_key=True)]
Code = Annotated[str, mapped_column(String(64))]
Text = Annotated[str, mapped_column(String(400))]
Instant = Annotated[datetime, mapped_column(UtcDateTime)]
AuthorityCode = Annotated[str, mapped_column(String(64), ForeignKey("authority.code"), index=True)]


class Base(DeclarativeBase):
    """Base of every core table."""

    metadata = MetaData(naming_convention=NAMING)


class Versioned:
    """A row whose edits carry the version that the editor saw; a stale save is refused."""

    version: Mapped[int] = mapped_column(default=1)


def plugin_base(name: str) -> type[DeclarativeBase]:
    """A declarative base for the plugin's own tables: own class registry, the core's metadata.

    Tables must be named ``<name>__<table>``; foreign keys point from the plugin to core ids, never back.
    """
    return type(f"{name}_Base", (DeclarativeBase,), {"metadata": Base.metadata})
