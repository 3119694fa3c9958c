"""The rows of a whole database: written to an archive from one instant, and put back, all or nothing.

On SQLite the restored database is built beside and then copied over the standing one by SQLite itself, in one
transaction that also holds for whoever has it open. On PostgreSQL everything happens in one transaction. Killed at any
point, either leaves the old database or the new one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sqlalchemy import Connection, MetaData, func, insert, inspect, select, table, text
from sqlalchemy.exc import DatabaseError, OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

from registry.store import audit, migrate
from registry.store.archive import Archive, ArchiveError, Writer, sync_folder
from registry.store.engine import WAIT_SECONDS, WRITERS_LOCK, Store
from registry.store.migrate import Migrations
from registry.store.shapes import ShapeError, TableShape, is_ours, shapes_of

Tell = Callable[[str], None]
"""Is told in pt-BR what begins now."""

_BATCH = 1_000
_PAGES = 4_000
_MADE_AT_START = frozenset({"authority"})


class RestoreError(Exception):
    """The archive was not restored, and nothing was changed; the text says why and what to do."""


@dataclass(frozen=True)
class Standing:
    """The database that a restore would replace: how many rows, whether others have it open, whether it is readable.

    Whether others have a SQLite file open is asked only where it has no rows.
    """

    rows: int = 0
    others: bool = False
    damaged: bool = False


@contextmanager
def snapshot(store: Store) -> Iterator[Connection]:
    """A read-only connection whose reads all see one instant, while others go on writing."""
    if store.dialect == "sqlite":
        with store.read_engine.connect() as connection:
            connection.exec_driver_sql("select count(*) from sqlite_master")
            yield connection
        return
    engine = store.migration_engine()
    try:
        with engine.connect() as connection:
            yield connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    finally:
        engine.dispose()


def dump(connection: Connection, writer: Writer, tell: Tell) -> tuple[TableShape, ...]:
    """Writes every table of the registry, plugins' too, loaded or not; answers their descriptions.

    Raises ArchiveError for a column whose kind of value no archive can hold.
    """
    try:
        shapes = shapes_of(connection)
    except ShapeError as error:
        raise ArchiveError(f"{error}. Nada foi gravado.") from error
    for shape in shapes:
        tell(f"tabela {shape.name}")
        plain = shape.plain()
        query = select(plain).order_by(*(plain.c[name] for name in shape.key))
        writer.add_table(shape, connection.execute(query, execution_options={"yield_per": _BATCH}))
    return shapes


def standing(store: Store) -> Standing:
    """What a restore would replace. Closes this program's own connections to it."""
    store.close()
    path = store.sqlite_path()
    if path is None:
        with snapshot(store) as connection:
            query = (
                "select count(*) from pg_stat_activity where datname = current_database() "
                "and pid <> pg_backend_pid() and backend_type = 'client backend'"
            )
            return Standing(_rows_in(connection), bool(connection.scalar(text(query))))
    if not path.exists() or path.stat().st_size == 0:
        return Standing()
    try:
        with snapshot(store) as connection:
            rows = _rows_in(connection)
    except DatabaseError as error:
        if isinstance(error, OperationalError):
            raise RestoreError(f"{path}: o banco não pode ser aberto: {error.orig}.") from error
        return Standing(damaged=True)
    finally:
        store.close()
    return Standing(rows, not rows and _is_open_elsewhere(path))


def replace(
    store: Store, archive: Archive, plugins: Sequence[Migrations], finish: Callable[[Session], None], tell: Tell
) -> None:
    """Puts the archive's rows in the place of the database, and brings them to the program's newest revisions.

    Args:
        store: the database that is replaced, whatever it holds.
        archive: checked.
        plugins: the migrations of the loaded plugins.
        finish: is called at the end of the transaction, at the newest revisions.
        tell: is told the steps.

    Raises RestoreError; the database then is as it was.
    """
    store.close()
    try:
        if store.dialect == "sqlite":
            _replace_sqlite(store, archive, plugins, finish, tell)
        else:
            _replace_postgresql(store, archive, plugins, finish, tell)
    except migrate.MigrationError as error:
        raise RestoreError(f"{archive.path}: {error}") from error
    except SQLAlchemyError as error:
        cause = str(getattr(error, "orig", None) or type(error).__name__).splitlines()[0]
        raise RestoreError(f"{archive.path}: o banco recusou a cópia: {cause}") from error


def head_of(store: Store) -> audit.Head | None:
    """The end of the audit chain in a database; None where there is none to be read."""
    path = store.sqlite_path()
    try:
        if path is not None and not path.exists():
            return None
        with snapshot(store) as connection, Session(connection) as session:
            return audit.head(session)
    except SQLAlchemyError:
        return None
    finally:
        store.close()


def _replace_sqlite(
    store: Store, archive: Archive, plugins: Sequence[Migrations], finish: Callable[[Session], None], tell: Tell
) -> None:
    target = store.sqlite_path() or Path()
    target.parent.mkdir(parents=True, exist_ok=True)
    built = target.with_name(f"{target.name}.restoring")
    _remove_sqlite(built)
    beside = Store(store.url.set(database=str(built)).render_as_string(hide_password=False))
    try:
        with beside.migration_engine().connect() as connection, connection.begin():
            _build(connection, archive, plugins, tell)
            _finish(connection, finish)
            _refuse_broken_references(connection)
        tell("troca do banco")
        if standing(store).damaged:
            _set_aside(target)
        _copy_over(built, target, tell)
    finally:
        beside.close()
        _remove_sqlite(built)


def _copy_over(built: Path, target: Path, tell: Tell) -> None:
    source, goal = sqlite3.connect(built), sqlite3.connect(target, timeout=WAIT_SECONDS)
    try:
        goal.execute("pragma synchronous=full")
        source.backup(goal, pages=_PAGES, progress=lambda _status, left, _all: tell(f"faltam {left} páginas"))
    except sqlite3.Error as error:
        raise RestoreError(f"{target}: o banco não pôde ser trocado: {error}. Pare o servidor e repita.") from error
    finally:
        source.close()
        goal.close()
    sync_folder(target.parent)


def _set_aside(target: Path) -> None:
    """Moves a file that is no database out of the way, with what SQLite keeps beside it."""
    for ending in ("-wal", "-shm", ""):
        each = Path(f"{target}{ending}")
        if each.exists():
            each.replace(Path(f"{target}.danificado{ending}"))


def _remove_sqlite(path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{ending}").unlink(missing_ok=True)


def _is_open_elsewhere(path: Path) -> bool:
    """Whether another process has the database open: only alone can one leave its write-ahead log."""
    connection = sqlite3.connect(path, timeout=0)
    try:
        return connection.execute("pragma journal_mode=delete").fetchone()[0] != "delete"
    except sqlite3.OperationalError:
        return True
    finally:
        connection.close()


def _replace_postgresql(
    store: Store, archive: Archive, plugins: Sequence[Migrations], finish: Callable[[Session], None], tell: Tell
) -> None:
    engine = store.migration_engine()
    try:
        with engine.connect() as connection, connection.begin():
            connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": WRITERS_LOCK})
            _drop_postgresql(connection)
            _build(connection, archive, plugins, tell)
            _finish(connection, finish)
            tell("troca do banco")
    finally:
        engine.dispose()


def _drop_postgresql(connection: Connection) -> None:
    names = [name for name in inspect(connection).get_table_names() if is_ours(name)]
    if names:
        listed = ", ".join(f'"{name}"' for name in names)
        connection.execute(text(f"drop table {listed} cascade"))
    query = "select oid::regprocedure::text from pg_proc where pronamespace = current_schema()::regnamespace"
    for name in connection.execute(text(f"{query} and proname like 'registry\\_%'")).scalars().all():
        connection.execute(text(f"drop function {name} cascade"))


def _build(connection: Connection, archive: Archive, plugins: Sequence[Migrations], tell: Tell) -> None:
    fill(connection, archive, plugins, tell)
    for which in [migrate.core(), *plugins]:
        migrate.upgrade_within(connection, which)


def fill(connection: Connection, archive: Archive, plugins: Sequence[Migrations], tell: Tell) -> None:
    """Makes the archive's schema in an empty database, at the archive's revisions, and brings its rows in.

    Raises RestoreError for an archive that lacks a table; MigrationError and SQLAlchemyError pass.
    """
    known = {each.name: each for each in [migrate.core(), *plugins]}
    revisions = archive.manifest.revisions
    made = [known[name] for name in sorted(revisions) if name in known]
    for which in made:
        migrate.upgrade_within(connection, which, revisions[which.name])
    versions = {each.version_table for each in made}
    shapes = [each for each in archive.manifest.tables if each.name not in versions]
    foreign = [each for each in shapes if not any(which.owns(each.name) for which in made)]
    _create(connection, archive.manifest.tables, foreign)
    lacking = {name for name in inspect(connection).get_table_names() if is_ours(name)} - versions
    if lacking := lacking - {each.name for each in shapes}:
        raise RestoreError(f"{archive.path}: faltam as tabelas {', '.join(sorted(lacking))}. Nada foi mudado.")
    references = _drop_references(connection)
    for shape in shapes:
        tell(f"tabela {shape.name}")
        _fill(connection, archive, shape)
    for constraint, on, definition in references:
        connection.execute(text(f"alter table {on} add constraint {constraint} {definition}"))
    if connection.dialect.name == "postgresql":
        _reset_sequences(connection, shapes)


def _finish(connection: Connection, finish: Callable[[Session], None]) -> None:
    """Calls ``finish`` with a session of the connection's own transaction, which stays open."""
    with Session(connection) as session:
        finish(session)
        session.commit()


def _create(connection: Connection, tables: Sequence[TableShape], foreign: Sequence[TableShape]) -> None:
    """Creates the tables of plugins that are not there as the archive describes them."""
    metadata = MetaData()
    made = {each.name: each.table(metadata) for each in tables}
    metadata.create_all(connection, tables=[made[each.name] for each in foreign], checkfirst=False)


def _fill(connection: Connection, archive: Archive, shape: TableShape) -> None:
    rows, into = archive.rows(shape), insert(shape.plain())
    while batch := list(islice(rows, _BATCH)):
        connection.execute(into, batch)


def _drop_references(connection: Connection) -> list[tuple[str, str, str]]:
    """Takes the foreign keys of PostgreSQL away while rows come in; adding them again checks every row."""
    if connection.dialect.name != "postgresql":
        return []
    query = (
        "select quote_ident(conname), conrelid::regclass::text, pg_get_constraintdef(oid) from pg_constraint "
        "where contype = 'f' and connamespace = current_schema()::regnamespace order by 2, 1"
    )
    found = [(row[0], row[1], row[2]) for row in connection.execute(text(query))]
    found = [each for each in found if is_ours(each[1].rpartition(".")[2].strip('"'))]
    for constraint, on, _ in found:
        connection.execute(text(f"alter table {on} drop constraint {constraint}"))
    return found


def _reset_sequences(connection: Connection, shapes: Sequence[TableShape]) -> None:
    """Lets every serial number of PostgreSQL go on after the highest one that came in."""
    for shape in shapes:
        for column in shape.columns:
            if column.kind not in ("integer", "bigint"):
                continue
            owner = {"of": f'"{shape.name}"', "column": column.name}
            sequence = connection.scalar(text("select pg_get_serial_sequence(:of, :column)"), owner)
            if sequence is not None:
                highest = connection.scalar(select(func.max(shape.plain().c[column.name])))
                values = {"sequence": sequence, "last": highest or 1, "called": highest is not None}
                connection.execute(text("select setval(cast(:sequence as regclass), :last, :called)"), values)


def _refuse_broken_references(connection: Connection) -> None:
    if connection.dialect.name == "sqlite" and (broken := connection.exec_driver_sql("PRAGMA foreign_key_check").all()):
        rows = "; ".join(f"{row[0]} linha {row[1]} -> {row[2]}" for row in broken[:10])
        raise RestoreError(f"{len(broken)} linhas da cópia se referem a linhas que não há: {rows}. Nada foi mudado.")


def _rows_in(connection: Connection) -> int:
    """How many rows the registry's tables have, beside what the program enters by itself at its first start."""
    names = [name for name in inspect(connection).get_table_names() if is_ours(name) and name not in _MADE_AT_START]
    names = [name for name in names if not name.endswith("alembic_version")]
    return sum(connection.scalar(select(func.count()).select_from(table(name))) or 0 for name in names)
