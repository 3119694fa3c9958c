"""Engines and transactions: one writer at a time on both engines, readers that never wait and cannot write."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

WAIT_SECONDS = 30
"""How long a writer waits for its turn before the database refuses."""

WRITERS_LOCK = 0x5245474953545259
"""Key of the PostgreSQL advisory lock that writers queue for."""


class StoreError(Exception):
    """The database cannot be used as asked; the text says what to mend."""


class Store:
    """A database, by its URL (``sqlite:///path`` or ``postgresql://...``).

    Writers take turns: on SQLite by BEGIN IMMEDIATE, on PostgreSQL by a transaction lock. So what a writing
    transaction has read stays true until it commits: numbers have no gaps, quotas hold, the audit chain has one tail.
    Readers use a second engine that refuses to write: a DEFERRED transaction on SQLite, AUTOCOMMIT on PostgreSQL.

    Raises StoreError for another engine and for SQLite in memory, which two connections cannot share.
    """

    def __init__(self, url: str) -> None:
        self.url = _checked(url)
        self.dialect = self.url.get_backend_name()
        self.engine = _engine(self.url, writes=True)
        self.read_engine = _engine(self.url, writes=False)
        self._inside = threading.local()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A read-only session; closed on leaving. A write through it is refused by the database."""
        with Session(self.read_engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session in one transaction, the writers' turn taken on entering: commits on leaving, rolls back on error.

        Raises StoreError when this thread is already inside ``writing()``, which would wait for itself.
        """
        if getattr(self._inside, "writing", False):
            raise StoreError("writing() inside writing(): pass the outer session on instead")
        self._inside.writing = True
        try:
            with Session(self.engine, expire_on_commit=False) as session, session.begin():
                take_turn(session)
                yield session
        finally:
            self._inside.writing = False

    def migration_engine(self) -> Engine:
        """An engine without pool for schema changes; on SQLite it leaves foreign keys to the migration runner."""
        return _engine(self.url, writes=True, foreign_keys=False, poolclass=NullPool)

    def sqlite_path(self) -> Path | None:
        """The database file on SQLite; None on PostgreSQL."""
        return Path(self.url.database or "") if self.dialect == "sqlite" else None

    def close(self) -> None:
        """Closes the pooled connections."""
        self.engine.dispose()
        self.read_engine.dispose()


def take_turn(session: Session) -> None:
    """Begins the transaction and waits for the writers' turn; harmless when it is already ours."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("select pg_advisory_xact_lock(:key)"), {"key": WRITERS_LOCK})
    else:
        session.connection()


def _checked(url: str) -> URL:
    try:
        parsed = make_url("postgresql" + url.removeprefix("postgres") if url.startswith("postgres://") else url)
    except (ArgumentError, ValueError) as error:
        raise StoreError("não é um endereço: use sqlite:///caminho ou postgresql://...") from error
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise StoreError(f"o banco «{backend}» não é aceito: use sqlite:///caminho ou postgresql://...")
    if not parsed.database or parsed.database == ":memory:":
        raise StoreError("o SQLite em memória não é aceito: dê um arquivo, como sqlite:///var/registry.db")
    return parsed


def _engine(url: URL, *, writes: bool, foreign_keys: bool = True, **options: Any) -> Engine:
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": WAIT_SECONDS}, **options)
        event.listen(engine, "connect", _sqlite_pragmas(writes, foreign_keys))
        begin = "BEGIN IMMEDIATE" if writes else "BEGIN DEFERRED"
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
        return engine
    settings = ["-c timezone=UTC", f"-c lock_timeout={WAIT_SECONDS * 1000}"]
    if not writes:
        # set here and not by execution_options, which would cost a round trip at each checkout
        options["isolation_level"] = "AUTOCOMMIT"
        settings.append("-c default_transaction_read_only=on")
    given = url.query.get("options", "")
    joined = " ".join([given if isinstance(given, str) else " ".join(given), *settings]).strip()
    return create_engine(url, connect_args={"options": joined}, **options)


def _sqlite_pragmas(writes: bool, foreign_keys: bool) -> Callable[[Any, Any], None]:
    pragmas = [
        f"busy_timeout={WAIT_SECONDS * 1000}",
        "journal_mode=WAL",
        "synchronous=FULL",
        f"foreign_keys={'ON' if foreign_keys else 'OFF'}",
        f"query_only={'OFF' if writes else 'ON'}",
    ]

    def on_connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}").fetchall()

    return on_connect
