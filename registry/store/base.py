"""The declarative base of the core's tables; plugins get their own from :func:`plugin_base`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, ClassVar, cast

from sqlalchemy import ForeignKey, ForeignKeyConstraint, MetaData, String, Table
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from registry.plugins.errors import PluginError
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


class TableError(PluginError):
    """A plugin's table breaks the rules for tables; the text names it and says how to mend it."""


class PluginTable:
    """What every table of a plugin obeys; checked when the class is made."""

    registry_plugin: ClassVar[str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        name = cls.__dict__.get("__tablename__")
        if isinstance(name, str):
            _check_name(cls.registry_plugin, name, f"{cls.__module__}.{cls.__qualname__}")


def plugin_base(name: str) -> type[DeclarativeBase]:
    """A declarative base for the plugin's own tables: own class registry, the core's metadata.

    Tables must be named ``<name>__<table>``; foreign keys point from the plugin to core ids, never back, and never
    delete along. Core classes are named as classes, not as text. Raises TableError for a wrong name.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise TableError(
            name, "plugin_base", "não serve como nome de plugin.", "Use letras minúsculas, números e um _ entre eles."
        )
    # fresh, since a class registry shared with the core would let one broken mapper stop every other
    body = {"metadata": Base.metadata, "registry_plugin": name, "__module__": __name__}
    return cast("type[DeclarativeBase]", type(f"{name}_Base", (PluginTable, DeclarativeBase), body))


def check_plugin_tables(plugin: str, classes: Iterable[type[Any]]) -> None:
    """Checks the mapped classes that a plugin declares, once all modules are loaded.

    Raises TableError for a table without the plugin's prefix, a foreign key to anything but a core table's primary key
    or the plugin's own table, or one that deletes or updates along.
    """
    for each in classes:
        table = getattr(each, "__table__", None)
        where = f"{each.__module__}.{each.__qualname__}"
        if not isinstance(table, Table) or getattr(each, "registry_plugin", None) != plugin:
            raise TableError(plugin, where, "não é uma tabela do plugin.", f"Derive-a de plugin_base({plugin!r}).")
        _check_name(plugin, table.name, where)
        for constraint in table.foreign_key_constraints:
            _check_foreign_key(plugin, where, constraint)


def _check_name(plugin: str, table: str, where: str) -> None:
    if not table.startswith(f"{plugin}__") or table == f"{plugin}__alembic_version":
        raise TableError(
            plugin, where, f"a tabela «{table}» não leva o nome do plugin.", f"Ela deve chamar-se «{plugin}__nome»."
        )


def _check_foreign_key(plugin: str, where: str, constraint: ForeignKeyConstraint) -> None:
    for element in constraint.elements:
        target, _, column = element.target_fullname.rpartition(".")
        known = Base.metadata.tables.get(target)
        if known is None:
            raise TableError(plugin, where, f"aponta para «{target}», que não existe.", "Corrija o nome.")
        own = target.startswith(f"{plugin}__")
        if not own and ("__" in target or list(known.primary_key.columns.keys()) != [column]):
            raise TableError(
                plugin, where, f"aponta para «{target}.{column}».", "Aponte só para a chave de uma tabela do núcleo."
            )
    if (constraint.ondelete or "").upper() not in ("", "RESTRICT", "NO ACTION") or constraint.onupdate:
        raise TableError(plugin, where, "apaga ou muda em cascata.", "Tire ondelete e onupdate.")
