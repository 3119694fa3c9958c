"""A database of the first version, full of records, comes to the newest schema with everything in it, on both engines.

``tests/data/first_issue.zip`` is a backup of the demonstration as the core's migration 0001 had it, and
``first_issue_answers.json`` what the program of that time answered to the public about each of its plates.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import select, text

from registry.app import create_app
from registry.cli import cli
from registry.cli.console import Console
from registry.plugins import PluginHost
from registry.services.replay import NOTHING_ASKED, replay
from registry.settings import Settings
from registry.store import audit, migrate
from registry.store.access import User
from registry.store.archive import Archive
from registry.store.backup import fill, snapshot
from registry.store.engine import Store
from registry.store.shapes import shapes_of
from registry.testing.databases import Databases
from registry.web.edge import EXTENSION
from tests.architecture.source import ROOT
from tests.services.backups import Rows, rows
from tests.web.conftest import NOON, FrozenClock

ARCHIVE = ROOT / "tests" / "data" / "first_issue.zip"
ANSWERS = ROOT / "tests" / "data" / "first_issue_answers.json"
FIRST = {"": "0001", "taxi_pontos": "0001"}
PAGES = ("/inicio", "/requerimentos", "/pessoas", "/veiculos", "/outorgas", "/tesouraria", "/vistorias")


@pytest.fixture
def first(databases: Databases, engine_name: str, shared_host: PluginHost) -> Iterator[Store]:
    """The database of the first version, at its revisions."""
    store = databases.blank(engine_name)
    engine = store.migration_engine()
    with Archive(ARCHIVE) as archive, engine.connect() as connection, connection.begin():
        fill(connection, archive, migrate.of_plugins(shared_host), lambda _step: None)
    engine.dispose()
    yield store
    databases.drop(store)


def narrowed(found: Rows, columns: dict[str, list[str]], now: dict[str, list[str]]) -> Rows:
    """The rows with the columns alone that a table had before."""
    return {
        table: [[row[now[table].index(name)] for name in names] for row in found[table]]
        for table, names in columns.items()
        if not table.endswith("alembic_version")
    }


def columns_of(store: Store) -> dict[str, list[str]]:
    """The columns of every table of the registry."""
    with snapshot(store) as connection:
        return {each.name: [column.name for column in each.columns] for each in shapes_of(connection)}


def upgrade(store: Store, host: PluginHost, settings: Settings) -> str:
    """``registry db upgrade``, as an administrator types it."""
    console = Console()
    console.settings = replace(settings, database_url=store.url.render_as_string(hide_password=False))
    console.host = host
    done = CliRunner().invoke(cli, ["db", "upgrade"], obj=console)
    assert done.exit_code == 0, done.output
    return done.output


def answer(app: Flask, plate: str) -> list[list[Any]]:
    body = app.test_client().get(f"/api/v1/vehicles/{plate}").get_json()
    names = ("regime", "authorized", "number", "category", "since", "valid_until")
    return [
        [*(each[name] for name in names), [reason["code"] for reason in each["reasons"]]]
        for each in body["authorizations"]
    ]


def test_a_database_of_the_first_version_comes_to_the_newest(
    first: Store, shared_host: PluginHost, settings: Settings
) -> None:
    plugins = migrate.of_plugins(shared_host)
    before, columns = rows(first), columns_of(first)
    assert {each.name: each.current for each in migrate.current(first, plugins) if each.current} == FIRST
    assert "(em dia)" in upgrade(first, shared_host, settings)
    assert not migrate.pending(first, plugins)
    assert migrate.differences(first, migrate.core()) == []

    kept = narrowed(rows(first), columns, columns_of(first))
    assert kept == {table: before[table] for table in kept}
    assert sum(map(len, kept.values())) > 6_000
    with first.reading() as session, Archive(ARCHIVE) as archive:
        assert audit.verify(session, archive.manifest.head).intact

    unhurried = replace(settings, rates=replace(settings.rates, api="100000 per minute"))
    app = create_app(unhurried, shared_host, first, FrozenClock())
    app.testing = True
    wanted = json.loads(ANSWERS.read_text(encoding="utf-8"))
    assert {plate: answer(app, plate) for plate in wanted} == wanted
    with first.reading() as session:
        asked = list(replay(session, app.extensions[EXTENSION].desk))
    assert len(asked) > 100
    assert [each for each in asked if each.changes or each.left_out not in ("", NOTHING_ASKED)] == []
    for username in ("auditor.emtu", "auditor.recife"):
        _pages_open(app, first, username)


def _pages_open(app: Flask, store: Store, username: str) -> None:
    """Every main page answers, and one record of each kind."""
    with store.reading() as session:
        user = session.execute(select(User.id, User.authority).where(User.username == username)).one()
        records = [
            (path, session.scalar(text(f"select max(id) from {table} where authority = '{user.authority}'")))
            for path, table in (
                ("pessoas", "person"),
                ("veiculos", "vehicle"),
                ("outorgas", "permit"),
                ("requerimentos", "request"),
            )
        ]
    client = app.test_client()
    with client.session_transaction() as kept:
        kept.update(_user_id=f"{user.id}:1", _fresh=True, seen=NOON.isoformat())
    for path in [*PAGES, *(f"/{path}/{row_id}" for path, row_id in records)]:
        assert client.get(path).status_code == 200, path
