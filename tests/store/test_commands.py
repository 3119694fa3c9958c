"""`registry db` and `registry audit`, as an operator types them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import text

from registry.cli.audit import audit
from registry.cli.console import Console
from registry.cli.db import db
from registry.domain.occasion import Occasion
from registry.store import migrate
from registry.store.audit import record
from registry.store.engine import Store


class Desk(Console):
    """A console for one database and no plugins."""

    settings = None  # type: ignore[assignment]
    host = SimpleNamespace(plugins={})  # type: ignore[assignment]


@pytest.fixture
def run(blank_store: Store) -> Callable[..., Result]:
    console = Desk(clock=lambda: datetime(2026, 11, 30, 15, 4, 5, tzinfo=UTC))
    console.settings = SimpleNamespace(  # type: ignore[assignment]
        database_url=blank_store.url.render_as_string(hide_password=False)
    )

    def invoke(*words: str) -> Result:
        group = {"db": db, "audit": audit}[words[0]]
        return CliRunner().invoke(group, list(words[1:]), obj=console)

    return invoke


def test_an_empty_database_is_brought_up_and_down(run) -> None:
    before = run("db", "current")
    assert (before.exit_code, before.output) == (1, "núcleo: vazio (falta levar a 0003: registry db upgrade)\n")
    up = run("db", "upgrade")
    assert (up.exit_code, up.output) == (0, "núcleo: 0003 (em dia)\n")
    assert run("db", "current").exit_code == 0
    down = run("db", "downgrade", "--yes")
    assert (down.exit_code, down.output) == (0, "núcleo: vazio (falta levar a 0003: registry db upgrade)\n")


def test_going_down_asks_first(run) -> None:
    run("db", "upgrade")
    asked = run("db", "downgrade")
    assert asked.exit_code == 1
    assert "serão perdidos" in asked.output
    assert run("db", "current").exit_code == 0


def test_what_cannot_go_down_is_said_without_a_traceback(run) -> None:
    run("db", "upgrade")
    refused = run("db", "downgrade", "--yes", "--plugin", "nobody")
    assert refused.exit_code == 1
    assert "«nobody»" in refused.output
    assert isinstance(refused.exception, SystemExit)


def test_the_chain_is_verified_against_its_exported_head(
    run, blank_store: Store, occasion: Callable[..., Occasion], tmp_path: Path
) -> None:
    migrate.upgrade(blank_store)
    kept = tmp_path / "heads.txt"
    for number in (1, 2, 3):
        with blank_store.writing() as session:
            record(session, occasion(), "x", "person", number)
    exported = run("audit", "head", "--append", str(kept))
    assert exported.exit_code == 0
    assert exported.output == kept.read_text()
    assert exported.output.startswith("2026-11-30T15:04:05Z 3 ")
    whole = run("audit", "verify", "--head", str(kept))
    assert (whole.exit_code, whole.output.splitlines()[-1]) == (0, "A cadeia está íntegra.")

    with blank_store.engine.begin() as connection:
        if blank_store.dialect == "postgresql":
            connection.execute(text("set local session_replication_role = replica"))
        else:
            connection.execute(text("drop trigger audit_entry_no_delete"))
        connection.execute(text("delete from audit_entry where seq = 3"))

    unseen = run("audit", "verify")
    assert unseen.exit_code == 0
    assert "sem --head não se sabe" in unseen.output
    cut = run("audit", "verify", "--head", str(kept))
    assert cut.exit_code == 1
    assert "A entrada 3 foi removida." in cut.output
    assert "íntegra" not in cut.output


def test_a_database_without_tables_is_said_without_a_traceback(run) -> None:
    result = run("audit", "verify")
    assert result.exit_code == 1
    assert "registry db upgrade" in result.output
    assert isinstance(result.exception, SystemExit)


def test_a_head_file_of_something_else_is_refused(run, tmp_path: Path) -> None:
    run("db", "upgrade")
    (tmp_path / "other.txt").write_text("nothing of the kind\n")
    result = run("audit", "verify", "--head", str(tmp_path / "other.txt"))
    assert result.exit_code == 1
    assert "linha 1" in result.output
