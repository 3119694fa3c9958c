"""Migrations: the core and plugins come and go in any order, whole or not at all, and touch only their own tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Column, ForeignKey, Integer, String, Table, inspect, text

from registry.store import guards, migrate
from registry.store.engine import Store
from registry.store.migrate import MigrationError, Migrations
from registry.store.tables import METADATA, is_core_table

FIRST = """
    op.create_table(
        "{name}__thing",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("authority", sa.String(64), sa.ForeignKey("authority.code")),
    )
    op.create_table(
        "{name}__part",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("thing_id", sa.Integer(), sa.ForeignKey("{name}__thing.id"), nullable=False),
    )
"""
SECOND = """
    recreate = "always" if op.get_bind().dialect.name == "sqlite" else "auto"
    with op.batch_alter_table("{name}__thing", recreate=recreate) as batch:
        batch.add_column(sa.Column("note", sa.String(40)))
"""


@pytest.fixture
def plant(tmp_path: Path):
    """Writes the migrations of a plugin: each argument is the body of one upgrade."""

    def make(name: str, *bodies: str) -> Migrations:
        versions = tmp_path / name / "migrations" / "versions"
        versions.mkdir(parents=True, exist_ok=True)
        for number, body in enumerate(bodies, start=1):
            undo = f'op.drop_table("{name}__part"); op.drop_table("{name}__thing")' if number == 1 else "pass"
            before = repr(f"{number - 1:04}") if number > 1 else None
            (versions / f"{number:04}_step.py").write_text(
                "import sqlalchemy as sa\nfrom alembic import op\n"
                f"revision = '{number:04}'\ndown_revision = {before}\n"
                f"def upgrade():\n    {body.format(name=name).strip()}\n"
                f"def downgrade():\n    {undo}\n"
            )
        return Migrations(name, versions)

    return make


def tables(store: Store) -> set[str]:
    with store.read_engine.connect() as connection:
        return set(inspect(connection).get_table_names())


CORE_TABLES = {name for name in METADATA.tables if is_core_table(name)} | {"alembic_version"}


def without_guards(names: set[str]) -> set[str]:
    return {name for name in names if not guards.is_guard(name)}


def test_the_migrated_schema_is_that_of_the_models(blank_store: Store) -> None:
    migrate.upgrade(blank_store)
    assert migrate.differences(blank_store, migrate.core()) == []
    assert without_guards(tables(blank_store)) == CORE_TABLES
    with blank_store.read_engine.connect() as connection:
        assert guards.missing(connection) == ()


def test_a_difference_is_seen(blank_store: Store) -> None:
    """The comparison above can fail: a column taken away, and one of another type, are reported."""
    migrate.upgrade(blank_store)
    with blank_store.engine.begin() as connection:
        connection.execute(text("alter table closure drop column act"))
    found = migrate.differences(blank_store, migrate.core())
    assert [(each[0], each[2], each[3].name) for each in found] == [("add_column", "closure", "act")]


def guards_in(store: Store) -> set[str]:
    """The definitions of triggers, functions and name indexes that stand in a database."""
    if store.dialect == "sqlite":
        query = "select sql from sqlite_master where type = 'trigger' or name = 'person_search'"
    else:
        query = (
            "select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal "
            "union all select indexdef from pg_indexes where schemaname = current_schema() "
            "and indexdef like '%% gin %%'"
            " union all select pg_get_functiondef(oid) from pg_proc where proname like 'registry%%'"
        )
    with store.read_engine.connect() as connection:
        return set(connection.exec_driver_sql(query).scalars())


def drop_guards(store: Store) -> None:
    with store.engine.begin() as connection:
        if store.dialect == "sqlite":
            names = connection.execute(text("select name from sqlite_master where type = 'trigger'")).scalars().all()
            drops = [f"drop trigger {name}" for name in names] + ["drop table person_search"]
        else:
            query = "select tgname, tgrelid::regclass from pg_trigger where not tgisinternal"
            drops = [f'drop trigger {name} on "{table}"' for name, table in connection.execute(text(query))]
            drops += [f"drop index {guards.TRIGRAM_INDEX}", f"drop index {guards.BIGRAM_INDEX}"]
            drops += guards.drop_statements("postgresql")
        for drop in drops:
            connection.execute(text(drop))


def test_the_migrations_carry_the_guards_of_the_program(blank_store: Store) -> None:
    migrate.upgrade(blank_store)
    migrated = guards_in(blank_store)
    drop_guards(blank_store)
    assert guards_in(blank_store) == set()
    with blank_store.engine.begin() as connection:
        for statement in guards.create_statements(blank_store.dialect):
            connection.execute(text(statement))
    assert guards_in(blank_store) == migrated


@pytest.mark.parametrize("names", [(), ("one",), ("one", "two"), ("two", "one")])
def test_an_empty_database_goes_up_and_down(blank_store: Store, plant, names: tuple[str, ...]) -> None:
    plugins = [plant(name, FIRST, SECOND) for name in names]
    assert [each.pending for each in migrate.current(blank_store, plugins)] == [True] * (len(names) + 1)

    upgraded = migrate.upgrade(blank_store, plugins)

    assert [(each.name, each.current, each.pending) for each in upgraded] == [
        ("", "0003", False),
        *((name, "0002", False) for name in names),
    ]
    own = {f"{name}__{table}" for name in names for table in ("thing", "part", "alembic_version")}
    assert without_guards(tables(blank_store)) == CORE_TABLES | own
    assert migrate.differences(blank_store, migrate.core()) == []
    migrate.check(blank_store, plugins)
    assert migrate.upgrade(blank_store, plugins) == upgraded

    for name in names:
        migrate.downgrade(blank_store, plugins, name)
    assert without_guards(tables(blank_store)) == CORE_TABLES
    migrate.downgrade(blank_store, plugins)
    assert tables(blank_store) == set()
    migrate.upgrade(blank_store, plugins)
    migrate.check(blank_store, plugins)


def test_a_plugin_comes_later_and_another_leaves(blank_store: Store, plant) -> None:
    one, two = plant("one", FIRST), plant("two", FIRST)
    migrate.upgrade(blank_store, [one])
    migrate.upgrade(blank_store, [two])
    assert {"one__thing", "two__thing"} <= tables(blank_store)
    assert migrate.pending(blank_store, [two]) == ()
    assert migrate.pending(blank_store, [one, two]) == ()
    assert [each.name for each in migrate.pending(blank_store, [plant("three", FIRST)])] == ["three"]


def test_the_core_does_not_go_down_under_a_plugin(blank_store: Store, plant) -> None:
    one = plant("one", FIRST)
    migrate.upgrade(blank_store, [one])
    before = tables(blank_store)
    for plugins in ([one], []):
        with pytest.raises(MigrationError, match=r"one__thing.*registry db downgrade --plugin one"):
            migrate.downgrade(blank_store, plugins)
    assert tables(blank_store) == before


def test_a_plugin_goes_down_by_one_revision(blank_store: Store, plant) -> None:
    one = plant("one", FIRST, SECOND)
    migrate.upgrade(blank_store, [one])
    migrate.downgrade(blank_store, [one], "one", "0001")
    assert migrate.current(blank_store, [one])[1].current == "0001"


def test_a_plugin_that_is_not_there_is_named(blank_store: Store) -> None:
    with pytest.raises(MigrationError, match="«nobody»"):
        migrate.downgrade(blank_store, [], "nobody")


@pytest.mark.parametrize(
    "attack",
    [
        'op.add_column("person", sa.Column("note", sa.String(9)))',
        'op.create_table("loose", sa.Column("id", sa.Integer(), primary_key=True))',
        'op.add_column("two__thing", sa.Column("note", sa.String(9)))',
    ],
)
def test_a_plugin_touches_only_its_own_tables(blank_store: Store, plant, attack: str) -> None:
    two = plant("two", FIRST)
    migrate.upgrade(blank_store, [two])
    one = plant("one", FIRST + "    " + attack)
    with pytest.raises(
        MigrationError, match=r"plugin one: a migração mexeu em tabelas alheias: (person|loose|two__thing)"
    ):
        migrate.upgrade(blank_store, [two, one])
    assert migrate.differences(blank_store, migrate.core()) == []
    assert not any(name.startswith("one__") or name == "loose" for name in tables(blank_store))


def test_a_migration_that_fails_half_way_leaves_nothing(blank_store: Store, plant) -> None:
    one = plant("one", FIRST + '    op.execute("insert into nowhere values (1)")')
    with pytest.raises(MigrationError, match="plugin one: a migração falhou"):
        migrate.upgrade(blank_store, [one])
    assert without_guards(tables(blank_store)) == CORE_TABLES


def test_rows_without_what_they_refer_to_stop_a_migration(blank_store: Store, plant) -> None:
    one = plant("one", FIRST + '    op.execute("insert into one__part (id, thing_id) values (7, 404)")')
    with pytest.raises(MigrationError, match="plugin one"):
        migrate.upgrade(blank_store, [one])
    assert without_guards(tables(blank_store)) == CORE_TABLES


def test_a_table_made_anew_keeps_the_rows_that_refer_to_it(blank_store: Store, plant) -> None:
    one = plant("one", FIRST)
    migrate.upgrade(blank_store, [one])
    with blank_store.engine.begin() as connection:
        connection.execute(text("insert into one__thing (id) values (1)"))
        connection.execute(text("insert into one__part (id, thing_id) values (2, 1)"))
    migrate.upgrade(blank_store, [plant("one", FIRST, SECOND)])
    with blank_store.read_engine.connect() as connection:
        rows = connection.execute(
            text(
                "select part.id, thing.id, thing.note from one__part part "
                "join one__thing thing on part.thing_id = thing.id"
            )
        ).all()
        assert [tuple(row) for row in rows] == [(2, 1, None)]
    with pytest.raises(Exception, match=r"(?i)foreign key"), blank_store.engine.begin() as connection:
        connection.execute(text("delete from one__thing"))


def test_a_lost_trigger_stops_the_upgrade(blank_store: Store) -> None:
    migrate.upgrade(blank_store)
    name = "audit_entry_no_update" if blank_store.dialect == "sqlite" else "audit_entry_kept_same"
    on = "" if blank_store.dialect == "sqlite" else " on audit_entry"
    with blank_store.engine.begin() as connection:
        connection.execute(text(f"drop trigger {name}{on}"))
    with pytest.raises(MigrationError, match=name):
        migrate.upgrade(blank_store)


def test_a_disabled_trigger_counts_as_lost(blank_store: Store) -> None:
    if blank_store.dialect != "postgresql":
        pytest.skip("SQLite cannot disable a trigger")
    migrate.upgrade(blank_store)
    with blank_store.engine.begin() as connection:
        connection.execute(text("alter table audit_entry disable trigger audit_entry_kept"))
    with pytest.raises(MigrationError, match="audit_entry_kept"):
        migrate.upgrade(blank_store)


def test_a_database_of_a_newer_program_is_refused(blank_store: Store) -> None:
    migrate.upgrade(blank_store)
    with blank_store.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = 'future'"))
    assert [each.current for each in migrate.pending(blank_store)] == ["future"]
    with pytest.raises(MigrationError, match="versão mais nova"):
        migrate.upgrade(blank_store)


def test_asking_where_an_absent_database_stands_does_not_make_it(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/deep/registry.db")
    assert [each.current for each in migrate.current(store)] == [None]
    with pytest.raises(MigrationError, match="registry db upgrade"):
        migrate.check(store)
    assert not (tmp_path / "deep").exists()
    migrate.upgrade(store)
    migrate.check(store)
    store.close()


def test_a_plugin_without_migrations_has_nothing_pending(blank_store: Store, tmp_path: Path) -> None:
    bare = Migrations("bare", tmp_path / "nowhere")
    migrate.upgrade(blank_store, [bare])
    assert migrate.pending(blank_store, [bare]) == ()


@pytest.fixture
def planted_table() -> Iterator[Table]:
    """A table of a plugin in the shared metadata, taken out again."""
    table = Table(
        "sown__thing",
        METADATA,
        Column("id", Integer, primary_key=True),
        Column("person_id", Integer, ForeignKey("person.id"), nullable=False, index=True),
        Column("name", String(40), nullable=False),
    )
    yield table
    METADATA.remove(table)


def test_a_written_migration_holds_the_plugins_tables_alone(
    blank_store: Store, tmp_path: Path, plant, planted_table: Table
) -> None:
    sown, other = Migrations("sown", tmp_path / "sown" / "versions"), plant("other", FIRST)
    migrate.upgrade(blank_store, [other])
    written = migrate.revise(blank_store, sown, "stands of taxis", "0001")
    assert [line.strip() for line in written.read_text().splitlines() if "_table(" in line] == [
        "op.create_table('sown__thing',",
        "with op.batch_alter_table('sown__thing', schema=None) as batch_op:",
        "with op.batch_alter_table('sown__thing', schema=None) as batch_op:",
        "op.drop_table('sown__thing')",
    ]
    migrate.upgrade(blank_store, [other, sown])
    assert migrate.differences(blank_store, sown) == []
    assert migrate.differences(blank_store, migrate.core()) == []
    migrate.downgrade(blank_store, [other, sown], "sown")
    assert "sown__thing" not in tables(blank_store)


def test_a_migration_is_written_only_on_the_newest_revision(blank_store: Store, plant) -> None:
    one = plant("one", FIRST, SECOND)
    migrate.upgrade(blank_store, [plant("one", FIRST)])
    with blank_store.engine.begin() as connection:
        connection.execute(text("update one__alembic_version set version_num = '0001'"))
    with pytest.raises(MigrationError, match="plugin one"):
        migrate.revise(blank_store, one, "too early")
