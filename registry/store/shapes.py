"""Tables described without an engine: their columns and keys, and how each value stands in a line of JSON.

A backup carries these descriptions, so that it can be read on the other engine, and so that the tables of a plugin that
is not there come back too.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Date,
    DateTime,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Numeric,
    PrimaryKeyConstraint,
    String,
    Table,
    Time,
    UniqueConstraint,
    inspect,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

from registry.store.tables import METADATA
from registry.store.types import UtcDateTime

_KINDS: tuple[tuple[type[TypeEngine[Any]], str], ...] = (
    (Boolean, "boolean"),
    (JSON, "json"),
    (DateTime, "datetime"),
    (Date, "date"),
    (Time, "time"),
    (BigInteger, "bigint"),
    (Integer, "integer"),
    (LargeBinary, "bytes"),
    (Float, "float"),
    (Numeric, "decimal"),
    (String, "text"),
)
_OUT: Mapping[str, Callable[[Any], Any]] = {
    "datetime": lambda value: value.astimezone(UTC).isoformat(),
    "date": lambda value: value.isoformat(),
    "time": lambda value: value.isoformat(),
    "bytes": lambda value: base64.b64encode(value).decode("ascii"),
    "decimal": lambda value: format(value.normalize(), "f"),
}
_IN: Mapping[str, Callable[[Any], Any]] = {
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "bytes": base64.b64decode,
    "decimal": Decimal,
}
_PLAIN: Mapping[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "bigint": (int,),
    "integer": (int,),
    "float": (int, float),
    "text": (str,),
}


class ShapeError(ValueError):
    """A table or value that cannot be written or read; the text says which."""


@dataclass(frozen=True)
class ColumnShape:
    """A column: its kind of value, the length of a text (None = any), whether it is compared byte by byte."""

    name: str
    kind: str
    nullable: bool
    length: int | None = None
    bytewise: bool = False


@dataclass(frozen=True)
class Reference:
    """A foreign key: these columns name a row of ``table`` by those of ``targets``."""

    name: str | None
    columns: tuple[str, ...]
    table: str
    targets: tuple[str, ...]


@dataclass(frozen=True)
class IndexShape:
    """An index or unique constraint; ``where`` limits it to some rows ("" = all)."""

    name: str | None
    columns: tuple[str, ...]
    unique: bool
    constraint: bool = False
    where: str = ""


@dataclass(frozen=True)
class TableShape:
    """A table: ``key`` names the columns of its primary key."""

    name: str
    columns: tuple[ColumnShape, ...]
    key: tuple[str, ...]
    references: tuple[Reference, ...] = ()
    indexes: tuple[IndexShape, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The description as it stands in a manifest."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> TableShape:
        """The description as it stood in a manifest. Raises KeyError or TypeError for what is none."""
        return cls(
            name=content["name"],
            columns=tuple(ColumnShape(**each) for each in content["columns"]),
            key=tuple(content["key"]),
            references=tuple(
                Reference(each["name"], tuple(each["columns"]), each["table"], tuple(each["targets"]))
                for each in content["references"]
            ),
            indexes=tuple(IndexShape(**{**each, "columns": tuple(each["columns"])}) for each in content["indexes"]),
        )

    def table(self, metadata: MetaData) -> Table:
        """The table in a metadata of its own, with types that both engines understand and with all its keys."""
        items: list[Any] = [Column(each.name, _type_of(each), nullable=each.nullable) for each in self.columns]
        items.append(PrimaryKeyConstraint(*self.key))
        for each in self.references:
            targets = [f"{each.table}.{name}" for name in each.targets]
            items.append(ForeignKeyConstraint(each.columns, targets, name=each.name))
        items += [UniqueConstraint(*each.columns, name=each.name) for each in self.indexes if each.constraint]
        made = Table(self.name, metadata, *items)
        for each_index in self.indexes:
            if not each_index.constraint:
                where = text(each_index.where) if each_index.where else None
                columns = [made.c[name] for name in each_index.columns]
                options: dict[str, Any] = (
                    {"sqlite_where": where, "postgresql_where": where} if where is not None else {}
                )
                Index(each_index.name, *columns, unique=each_index.unique, **options)
        return made

    def plain(self) -> Table:
        """The table without its keys to others, for reading and writing rows."""
        return Table(self.name, MetaData(), *(Column(each.name, _type_of(each)) for each in self.columns))

    def encode(self, row: Sequence[Any]) -> list[Any]:
        """The values of a row, in the order of the columns, as JSON has them."""
        return [
            value if value is None or column.kind not in _OUT else _OUT[column.kind](value)
            for column, value in zip(self.columns, row, strict=True)
        ]

    def decode(self, values: Any) -> dict[str, Any]:
        """The row by column, from what :meth:`encode` gave. Raises ShapeError naming the column that is wrong."""
        if not isinstance(values, list) or len(values) != len(self.columns):
            raise ShapeError(f"{self.name}: a linha não tem {len(self.columns)} valores")
        pairs = zip(self.columns, values, strict=True)
        return {column.name: _decoded(self.name, column, value) for column, value in pairs}


def is_ours(table: str) -> bool:
    """Whether a table of a database belongs to the registry: the core's, or a plugin's, loaded or not."""
    return table in METADATA.tables or "__" in table or table == "alembic_version"


def shapes_of(connection: Connection) -> tuple[TableShape, ...]:
    """The registry's tables in a database, each after those that it refers to. Raises ShapeError for a strange type."""
    names = [name for name in inspect(connection).get_table_names() if is_ours(name)]
    found = MetaData()
    found.reflect(connection, only=names, resolve_fks=False)
    return tuple(_shape_of(each) for each in found.sorted_tables)


def _shape_of(table: Table) -> TableShape:
    uniques = [each for each in table.constraints if isinstance(each, UniqueConstraint)]
    named = {each.name for each in uniques}
    indexes = [_constraint_shape(each) for each in uniques]
    indexes += [_index_shape(each) for each in table.indexes if each.name not in named and each.columns]
    references = [
        Reference(
            None if each.name is None else str(each.name),
            tuple(each.column_keys),
            each.elements[0].target_fullname.rpartition(".")[0].rpartition(".")[2],
            tuple(element.target_fullname.rpartition(".")[2] for element in each.elements),
        )
        for each in table.foreign_key_constraints
    ]
    return TableShape(
        name=table.name,
        columns=tuple(_column_shape(table.name, each) for each in table.columns),
        key=tuple(each.name for each in table.primary_key.columns),
        references=tuple(sorted(references, key=lambda each: each.columns)),
        indexes=tuple(sorted(indexes, key=lambda each: (each.name or "", each.columns))),
    )


def _column_shape(table: str, column: Column[Any]) -> ColumnShape:
    kind = next((name for known, name in _KINDS if isinstance(column.type, known)), None)
    if kind is None:
        raise ShapeError(f"a coluna {table}.{column.name} é de um tipo que a cópia não sabe guardar: {column.type}")
    length = column.type.length if isinstance(column.type, String) else None
    bytewise = getattr(column.type, "collation", None) == "C"
    return ColumnShape(column.name, kind, bool(column.nullable), length, bytewise)


def _constraint_shape(unique: UniqueConstraint) -> IndexShape:
    name = None if unique.name is None else str(unique.name)
    return IndexShape(name, tuple(each.name for each in unique.columns), unique=True, constraint=True)


def _index_shape(index: Index) -> IndexShape:
    where = next(
        (str(index.dialect_options[each]["where"]) for each in ("sqlite", "postgresql") if _limited(index, each)), ""
    )
    return IndexShape(str(index.name), tuple(each.name for each in index.columns), bool(index.unique), where=where)


def _limited(index: Index, dialect: str) -> bool:
    return index.dialect_options[dialect].get("where") is not None


def _type_of(column: ColumnShape) -> TypeEngine[Any]:
    if column.kind == "text":
        made = String(column.length)
        return made.with_variant(String(column.length, collation="C"), "postgresql") if column.bytewise else made
    if column.kind == "json":
        # a column that is never null holds the JSON text null where Python has None
        nullable = column.nullable
        return JSON(none_as_null=nullable).with_variant(JSONB(none_as_null=nullable), "postgresql")
    made_by: dict[str, TypeEngine[Any]] = {
        "boolean": Boolean(),
        "datetime": UtcDateTime(),
        "date": Date(),
        "time": Time(),
        "bigint": BigInteger(),
        "integer": Integer(),
        "bytes": LargeBinary(),
        "float": Float(),
        "decimal": Numeric(),
    }
    if column.kind not in made_by:
        raise ShapeError(f"a coluna {column.name} é de um tipo desconhecido: {column.kind}")
    return made_by[column.kind]


def _decoded(table: str, column: ColumnShape, value: Any) -> Any:
    if value is None or column.kind == "json":
        return value
    try:
        if column.kind in _IN:
            return _IN[column.kind](value)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ShapeError(f"{table}.{column.name}: valor que não é {column.kind}") from error
    if not isinstance(value, _PLAIN.get(column.kind, ())) or (isinstance(value, bool) and column.kind != "boolean"):
        raise ShapeError(f"{table}.{column.name}: valor que não é {column.kind}")
    return value
