"""The migration runner: the core first, then each plugin, each with its own versions and version table.

Nothing migrates at start-up: the application asks :func:`pending` and refuses to serve until `registry db upgrade`
has run. Each distribution migrates in one transaction, on SQLite too: it goes through whole or not at all.

To write a migration after a change of the models: ``registry db revision "what changes"`` (for a plugin with
``--plugin NAME``), then read and mend what it wrote.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from registry import resources
from registry.store import guards
from registry.store.base import check_plugin_tables
from registry.store.engine import WRITERS_LOCK, Store
from registry.store.render import render_item
from registry.store.tables import METADATA, is_core_table

if TYPE_CHECKING:
    from registry.plugins import PluginHost

CORE = ""
"""The name under which the core's migrations run."""


class MigrationError(Exception):
    """The schema cannot be brought where it was asked to go; nothing of that distribution was changed."""


@dataclass(frozen=True)
class Migrations:
    """The migrations of the core (name ``""``) or of a plugin. ``versions`` is the folder with its scripts."""

    name: str
    versions: Path

    @property
    def version_table(self) -> str:
        """The table that holds the revision."""
        return f"{self.name}__alembic_version" if self.name else "alembic_version"

    @property
    def label_pt(self) -> str:
        """How messages call it."""
        return f"plugin {self.name}" if self.name else "núcleo"

    def owns(self, table: str) -> bool:
        """Whether a table is this distribution's to create and change."""
        if table == self.version_table or guards.is_guard(table):
            return False
        return table.startswith(f"{self.name}__") if self.name else is_core_table(table)


@dataclass(frozen=True)
class Revision:
    """Where a distribution's schema stands: ``current`` in the database, ``head`` in its migrations (None = none)."""

    name: str
    current: str | None
    head: str | None

    @property
    def pending(self) -> bool:
        """Whether `registry db upgrade` has something to do, or the database is newer than the program."""
        return self.current != self.head


def core() -> Migrations:
    """The core's migrations."""
    return Migrations(CORE, resources.migrations() / "versions")


def of_plugins(host: PluginHost) -> tuple[Migrations, ...]:
    """The migrations of the loaded plugins that have tables or migrations, in the configuration's order.

    Whatever opens the database asks here first, so the plugins' tables are checked here. Raises TableError for one
    that breaks the rules for tables.
    """
    tables = tables_of_plugins(host)
    found = []
    for plugin in host.plugins.values():
        versions = resources.plugin_folder(plugin.module.__name__) / "migrations" / "versions"
        if versions.is_dir() or tables[plugin.name]:
            found.append(Migrations(plugin.name, versions))
    return tuple(found)


def tables_of_plugins(host: PluginHost) -> dict[str, tuple[type[Any], ...]]:
    """The mapped classes that each loaded plugin declares, checked. Raises TableError."""
    found = {}
    for plugin in host.plugins:
        declared = (each for answer in host.collect("registry_tables", only=plugin) for each in answer.value)
        found[plugin] = tuple(declared)
        check_plugin_tables(plugin, found[plugin])
    return found


def upgrade(store: Store, plugins: Iterable[Migrations] = ()) -> tuple[Revision, ...]:
    """Brings the core, then each plugin, to its newest revision; answers where each stands.

    Raises MigrationError naming the distribution; those before it stay upgraded.
    """
    path = store.sqlite_path()
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    every = [core(), *plugins]
    for each in every:
        with _transaction(store, each) as connection:
            upgrade_within(connection, each)
    return current(store, every[1:])


def downgrade(store: Store, plugins: Sequence[Migrations] = (), name: str = CORE, revision: str = "base") -> None:
    """Brings one distribution back to a revision; ``base`` takes all its tables away.

    Raises MigrationError: no such plugin, no such revision, or plugin tables exist (they point at the core's).
    """
    chosen = next((each for each in [core(), *plugins] if each.name == name), None)
    if chosen is None:
        raise MigrationError(f"Não há migrações do plugin «{name}». Confira o nome e a configuração.")
    with _transaction(store, chosen) as connection:
        if name == CORE:
            _refuse_under_plugins(connection)
        _run(connection, chosen, "downgrade", revision)
        if _current(connection, chosen) is None and inspect(connection).has_table(chosen.version_table):
            connection.execute(text(f'drop table "{chosen.version_table}"'))


def knows(which: Migrations, revision: str) -> bool:
    """Whether a distribution's migrations lead to this revision; a newer program's are not known."""
    if not which.versions.is_dir():
        return False
    return revision in {each.revision for each in ScriptDirectory.from_config(_config(which)).walk_revisions()}


def upgrade_within(connection: Connection, which: Migrations, revision: str = "head") -> None:
    """Brings one distribution to a revision inside the caller's transaction, who checks the foreign keys.

    Raises MigrationError; the caller rolls back.
    """
    _run(connection, which, "upgrade", revision)
    if which.name == CORE and revision == "head" and (gone := guards.missing(connection)):
        raise MigrationError(f"{which.label_pt}: a migração perdeu {', '.join(gone)}; crie-os de novo nela.")


def revisions_in(connection: Connection) -> dict[str, str]:
    """The revision of the core (``""``) and of every plugin whose tables a database has, loaded or not."""
    ending = "alembic_version"
    names = [name for name in inspect(connection).get_table_names() if name == ending or name.endswith(f"__{ending}")]
    found = {name: connection.scalar(text(f'select version_num from "{name}"')) for name in names}
    return {name.removesuffix(ending).removesuffix("__"): str(each) for name, each in found.items() if each}


def current(store: Store, plugins: Iterable[Migrations] = ()) -> tuple[Revision, ...]:
    """Where the core and each plugin stand, in this order; an empty or absent database has no revisions."""
    every = [core(), *plugins]
    path = store.sqlite_path()
    if path is not None and not path.exists():
        return tuple(Revision(each.name, None, _head(each)) for each in every)
    with store.read_engine.connect() as connection:
        return tuple(Revision(each.name, _current(connection, each), _head(each)) for each in every)


def pending(store: Store, plugins: Iterable[Migrations] = ()) -> tuple[Revision, ...]:
    """The distributions whose schema is not the one that the program expects."""
    return tuple(each for each in current(store, plugins) if each.pending)


def check(store: Store, plugins: Iterable[Migrations] = ()) -> None:
    """Refuses a database whose schema is not the program's; who serves or reads calls it first.

    Raises MigrationError saying which part is behind and how to bring it up.
    """
    if behind := pending(store, plugins):
        names = ", ".join(f"plugin {each.name}" if each.name else "núcleo" for each in behind)
        where = store.url.render_as_string(hide_password=True)
        raise MigrationError(f"O banco {where} não está na versão do programa ({names}). Rode: registry db upgrade")


def differences(store: Store, which: Migrations) -> list[Any]:
    """What alembic would change to make the database equal to the models; empty when they agree."""
    with store.read_engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=_options(which))
        return list(compare_metadata(context, METADATA))


def revise(store: Store, which: Migrations, message: str, revision: str | None = None) -> Path:
    """Writes a migration from the difference between the database and the models; answers its file.

    Args:
        store: a database at the newest revision of ``which``.
        which: the core or a plugin; its models must have been imported.
        message: what changes, a few words.
        revision: the new revision; made by alembic when None.

    Raises MigrationError: the database is not at the newest revision.
    """
    which.versions.mkdir(parents=True, exist_ok=True)
    with _transaction(store, which) as connection:
        config = _config(which, connection)
        try:
            written: Any = command.revision(config, message, autogenerate=True, rev_id=revision)
        except CommandError as error:
            raise MigrationError(f"{which.label_pt}: {error}") from error
    return Path(written.path)


def _options(which: Migrations) -> dict[str, Any]:
    def include_name(name: str | None, kind: str, _parents: Any) -> bool:
        if kind == "table":
            return which.owns(name or "")
        return not (kind == "index" and guards.is_guard(name or ""))

    def include_object(item: Any, name: str | None, kind: str, _reflected: bool, _compared: Any) -> bool:
        return kind != "table" or which.owns(name or "")

    return {
        "target_metadata": METADATA,
        "version_table": which.version_table,
        "include_name": include_name,
        "include_object": include_object,
        "render_item": render_item,
        "render_as_batch": True,
        "compare_type": True,
    }


def _config(which: Migrations, connection: Connection | None = None) -> Config:
    config = Config(cmd_opts=Namespace(quiet=True))
    config.set_main_option("script_location", str(resources.migrations()).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(which.versions).replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["options"] = _options(which)
    return config


def _head(which: Migrations) -> str | None:
    return ScriptDirectory.from_config(_config(which)).get_current_head() if which.versions.is_dir() else None


def _current(connection: Connection, which: Migrations) -> str | None:
    return MigrationContext.configure(connection, opts={"version_table": which.version_table}).get_current_revision()


@contextmanager
def _transaction(store: Store, which: Migrations) -> Iterator[Connection]:
    """One transaction for one distribution; commits only when the foreign keys hold and no foreign table changed."""
    engine = store.migration_engine()
    try:
        with engine.connect() as connection, connection.begin():
            if store.dialect == "postgresql":
                connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": WRITERS_LOCK})
            before = _shape_of_others(connection, which)
            yield connection
            if store.dialect == "sqlite":
                _check_foreign_keys(connection, which)
            changed = {table for table, _ in before.items() ^ _shape_of_others(connection, which).items()}
            if changed:
                names = ", ".join(sorted(changed))
                raise MigrationError(f"{which.label_pt}: a migração mexeu em tabelas alheias: {names}.")
    finally:
        engine.dispose()


def _run(connection: Connection, which: Migrations, verb: str, revision: str) -> None:
    if not which.versions.is_dir():
        return
    try:
        getattr(command, verb)(_config(which, connection), revision)
    except CommandError as error:
        raise MigrationError(
            f"{which.label_pt}: {error}. O banco pode ser de uma versão mais nova do programa."
        ) from error
    except SQLAlchemyError as error:
        raise MigrationError(f"{which.label_pt}: a migração falhou e foi desfeita: {error}") from error


def _check_foreign_keys(connection: Connection, which: Migrations) -> None:
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if broken:
        rows = "; ".join(f"{row[0]} linha {row[1]} -> {row[2]}" for row in broken[:10])
        raise MigrationError(f"{which.label_pt}: {len(broken)} linhas ficariam sem a linha a que se referem: {rows}.")


def _shape_of_others(connection: Connection, which: Migrations) -> dict[str, str]:
    """The columns of each table that this distribution does not own, by table, as text."""
    columns = inspect(connection).get_multi_columns()
    return {
        table: repr([(column["name"], str(column["type"]), column["nullable"]) for column in found])
        for (_, table), found in columns.items()
        if not which.owns(table) and table != which.version_table and not guards.is_guard(table)
    }


def _refuse_under_plugins(connection: Connection) -> None:
    standing = sorted(name for name in inspect(connection).get_table_names() if not is_core_table(name))
    if standing:
        plugins = sorted({name.partition("__")[0] for name in standing})
        raise MigrationError(
            f"O núcleo não desce enquanto houver tabelas de plugins ({', '.join(standing)}). Antes: "
            + "; ".join(f"registry db downgrade --plugin {each}" for each in plugins)
        )
