"""A new administrator with the guide alone: from nothing to the first permit, a backup, a disaster and a restore."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from registry.cli import cli
from registry.cli.console import Console
from registry.services import users
from registry.store.engine import Store
from registry.store.requests import StoredFile
from tests.architecture.source import ROOT
from tests.services.main_job import TAXI, Office

BEGUN = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
PLATE = TAXI.vehicle.plate
Run = Callable[..., str]


class Newcomers(Office):
    """The people whom the set-up entered; Rita holds the office that decides."""

    def __init__(self, console: Console) -> None:
        self.desk, self.job = console.desk, replace(TAXI, authority="prefeitura")
        self.zone = self.desk.authority("prefeitura").zone
        self.at, self.acts = BEGUN, []
        with self.desk.store.reading() as session:
            found = users.find_user(session, "rita")
        assert found is not None
        self.user_id = found.id


@pytest.fixture
def installation(tmp_path: Path, blank_store: Store, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is not there yet, an empty database of each engine, and the environment that names them."""
    folder = tmp_path / "data"
    url = blank_store.url.render_as_string(hide_password=False)
    if blank_store.dialect == "sqlite":
        url = ""
    monkeypatch.setenv("REGISTRY_VAR", str(folder))
    monkeypatch.setenv("REGISTRY_DATABASE_URL", url)
    for name in ("REGISTRY_CONFIG", "REGISTRY_SECRET_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def clock() -> list[datetime]:
    """The instant at which commands run."""
    return [BEGUN]


@pytest.fixture
def run(installation: Path, clock: list[datetime]) -> Run:
    """Runs ``registry ARGS`` as a new process would; it must succeed."""

    def invoke(*arguments: str) -> str:
        console = Console(clock=lambda: clock[0])
        done = CliRunner().invoke(cli, arguments, obj=console)
        if "store" in vars(console):
            console.store.close()
        assert done.exit_code == 0, f"registry {' '.join(arguments)}\n{done.output}\n{done.exception!r}"
        return done.output

    return invoke


def destroy(store: Store, folder: Path) -> None:
    """The disk is gone; on PostgreSQL the database with it, who was in it too, and somebody made an empty one."""
    shutil.rmtree(folder)
    if store.dialect == "postgresql":
        others = "datname = current_database() and pid <> pg_backend_pid()"
        with store.engine.begin() as connection:
            connection.execute(text(f"select pg_terminate_backend(pid) from pg_stat_activity where {others}"))
            schema = connection.execute(text("select current_schema()")).scalar()
            connection.execute(text(f"drop schema {schema} cascade"))
            connection.execute(text(f"create schema {schema}"))
    store.close()


def test_from_nothing_to_a_permit_a_disaster_and_back(
    installation: Path, blank_store: Store, run: Run, clock: list[datetime], tmp_path: Path
) -> None:
    guide = (ROOT / "docs" / "admin" / "setup.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"^```toml\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    (tmp_path / "answers.toml").write_text(told, encoding="utf-8")
    run("setup", "--answers", "answers.toml")
    assert "Pronto para a primeira outorga." in run("setup", "--check")

    console = Console(clock=lambda: BEGUN)
    people = Newcomers(console)
    request_id = people.open()
    people.go_on(request_id)
    made = people.decide(request_id, "deferido")
    clock[0] = people.at
    before = run("public", "show", PLATE)
    assert "Autorizado" in before
    assert made.permit_number in before
    run("jobs", "run")
    heads = installation / "audit" / "heads.txt"
    for kept in (heads, installation / "secret.key"):  # what the guide tells to keep elsewhere
        shutil.copy(kept, tmp_path)
    with console.store.reading() as session:
        papers = sorted({row.sha256 for row in session.query(StoredFile)})
    assert papers
    console.store.close()

    run("backup", "elsewhere.zip")
    destroy(blank_store, installation)

    run("restore", "elsewhere.zip")
    shutil.copy(tmp_path / "secret.key", installation)
    run("db", "upgrade")
    assert "íntegra" in run("audit", "verify", "--head", "heads.txt")
    assert "Pode trabalhar." in run("doctor", "--whole")
    assert run("public", "show", PLATE) == before
    assert "Pronto para a primeira outorga." in run("setup", "--check")
    for sha256 in papers:
        assert (installation / "files" / sha256[:2] / sha256).is_file()
