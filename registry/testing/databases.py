"""Fixtures with a migrated, empty database for each test, on SQLite and on PostgreSQL.

``store`` runs its test once on each engine. PostgreSQL is the server of REGISTRY_TEST_POSTGRES (default: the local one,
user postgres); where none answers those tests are skipped, loudly, and fail when CI=true. Each process has databases of
its own, made once and emptied between tests; on SQLite a migrated file is copied.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, inspect, text
from sqlalchemy.exc import OperationalError

from registry.store import migrate
from registry.store.engine import Store
from registry.store.migrate import Migrations

DEFAULT_SERVER = "postgresql://postgres@127.0.0.1:5432/postgres"
ENGINES = ("sqlite", "postgresql")
_ABSENT = "no PostgreSQL at REGISTRY_TEST_POSTGRES"


class Databases:
    """Makes databases for tests: ``blank`` ones without tables, and migrated ones from a template."""

    def __init__(self, folder: Path, server: str) -> None:
        self.folder = folder
        self._server = Store(server)
        self._admin = create_engine(self._server.url, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 5})
        self._prefix = f"registry_test_{os.getpid()}"
        self._migrated: dict[tuple[str, tuple[Migrations, ...]], str] = {}
        self._made = 0
        self._blanks: Store | None = None
        self._absent: str | None = None

    def blank(self, engine: str) -> Store:
        """A database without any table. Skips the test when there is no server.

        On PostgreSQL it is a schema of this process's database: making and dropping a whole one waits for a checkpoint.
        """
        self._made += 1
        if engine == "sqlite":
            return Store(f"sqlite:///{self.folder / f'blank{self._made}.db'}")
        if self._blanks is None:
            self._blanks = Store(self._create(f"{self._prefix}_blanks"))
            self._execute(self._blanks, "create extension pg_trgm schema public")
        schema = f"blank_{self._made}"
        self._execute(self._blanks, f"create schema {schema}")
        self._blanks.close()  # a restore counts who else has the database open
        url = self._blanks.url.update_query_dict({"options": f"-c search_path={schema},public"})
        return Store(url.render_as_string(hide_password=False))

    def migrated(self, engine: str, plugins: Sequence[Migrations] = ()) -> Store:
        """A database with the tables of the core and of these plugins, without rows.

        On PostgreSQL there is one for each set of plugins: open only one at a time in a test.
        """
        key = (engine, tuple(plugins))
        if key not in self._migrated:
            made = (
                self.blank(engine)
                if engine == "sqlite"
                else Store(self._create(f"{self._prefix}_{len(self._migrated)}"))
            )
            migrate.upgrade(made, plugins)
            made.close()
            self._migrated[key] = made.url.render_as_string(hide_password=False)
            if engine == "postgresql":
                return Store(self._migrated[key])
        if engine == "postgresql":
            store = Store(self._migrated[key])
            with store.engine.begin() as connection:
                _empty(connection)
            return store
        self._made += 1
        copy = self.folder / f"store{self._made}.db"
        shutil.copyfile(Store(self._migrated[key]).url.database or "", copy)
        return Store(f"sqlite:///{copy}")

    def drop(self, store: Store) -> None:
        """Closes a store and removes its database, unless it is one that is kept for the next test."""
        store.close()
        url = store.url.render_as_string(hide_password=False)
        if url in self._migrated.values():
            return
        path = store.sqlite_path()
        if path is None:
            schema = str(store.url.query["options"]).removeprefix("-c search_path=").partition(",")[0]
            self._execute(self._blanks or store, f"drop schema {schema} cascade")
        else:
            for each in path.parent.glob(f"{path.name}*"):
                each.unlink()

    def close(self) -> None:
        """Removes every PostgreSQL database that was made."""
        for (engine, _), url in self._migrated.items():
            if engine == "postgresql":
                self._drop(Store(url).url.database or "")
        if self._blanks is not None:
            self._blanks.close()
            self._drop(self._blanks.url.database or "")
        self._admin.dispose()

    @staticmethod
    def _execute(store: Store, statement: str) -> None:
        with store.engine.begin() as connection:
            connection.execute(text(statement))

    def _create(self, name: str) -> str:
        if self._absent is None:
            try:
                with self._admin.connect() as connection:
                    connection.execute(text(f'drop database if exists "{name}" with (force)'))
                    connection.execute(text(f'create database "{name}" template template0'))
                    # no test asks what a power cut leaves
                    connection.execute(text(f'alter database "{name}" set synchronous_commit = off'))
            except OperationalError as error:
                self._absent = f"{_ABSENT}: {error.orig}"
        if self._absent is not None:
            if os.environ.get("CI") == "true":
                pytest.fail(self._absent, pytrace=False)
            pytest.skip(self._absent)
        return self._server.url.set(database=name).render_as_string(hide_password=False)

    def _drop(self, name: str) -> None:
        with self._admin.connect() as connection:
            connection.execute(text(f'drop database if exists "{name}" with (force)'))


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """The maker of test databases of this process."""
    made = Databases(tmp_path_factory.mktemp("databases"), os.environ.get("REGISTRY_TEST_POSTGRES") or DEFAULT_SERVER)
    yield made
    made.close()


@pytest.fixture(params=[pytest.param(name, marks=getattr(pytest.mark, name)) for name in ENGINES])
def engine_name(request: pytest.FixtureRequest) -> str:
    """The engine of this test: each test that asks for it runs on all."""
    return str(request.param)


@pytest.fixture
def store_plugins() -> tuple[Migrations, ...]:
    """The plugins whose tables ``store`` has; override it in a folder's conftest."""
    return ()


@pytest.fixture
def store(databases: Databases, engine_name: str, store_plugins: tuple[Migrations, ...]) -> Iterator[Store]:
    """A migrated, empty store; the test runs on both engines."""
    made = databases.migrated(engine_name, store_plugins)
    yield made
    databases.drop(made)


@pytest.fixture
def sqlite_store(databases: Databases, store_plugins: tuple[Migrations, ...]) -> Iterator[Store]:
    """A migrated, empty store on SQLite alone, for tests whose subject is above the engine."""
    made = databases.migrated("sqlite", store_plugins)
    yield made
    databases.drop(made)


@pytest.fixture
def blank_store(databases: Databases, engine_name: str) -> Iterator[Store]:
    """A database without tables; the test runs on both engines."""
    made = databases.blank(engine_name)
    yield made
    databases.drop(made)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says loudly that a whole engine went untested."""
    skipped = [each for each in terminalreporter.stats.get("skipped", []) if _ABSENT in str(each.longrepr)]
    if skipped:
        line = f"{len(skipped)} TESTS ON POSTGRESQL WERE SKIPPED: {_ABSENT}"
        terminalreporter.write_line(f"!!! {line} !!!", red=True, bold=True)


def _empty(connection: Connection) -> None:
    """Deletes every row, whatever triggers and foreign keys say, and begins every serial number anew."""
    tables = [name for name in inspect(connection).get_table_names() if not name.endswith("alembic_version")]
    connection.execute(text("set local session_replication_role = replica"))
    connection.execute(text("; ".join(f'delete from "{name}"' for name in tables)))
    connection.execute(
        text(
            "select setval(format('%I.%I', schemaname, sequencename)\\:\\:regclass, 1, false) "
            "from pg_sequences where schemaname = current_schema()"
        )
    )
