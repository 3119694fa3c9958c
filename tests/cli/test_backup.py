"""`registry backup`, `registry restore` and `registry privacy`, as an administrator types them."""

from __future__ import annotations

import json
import sqlite3
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from registry.cli import main
from registry.domain.occasion import Occasion
from registry.store.access import Authority
from registry.store.audit import record
from registry.store.engine import Store
from registry.store.people import Person
from tests.cli.conftest import Run
from tests.factories import NOON

CPF = "529.982.247-25"


@pytest.fixture
def run(run: Run) -> Run:
    """The command line without plugins."""
    return partial(run, modules=())


@pytest.fixture
def standing(run: Run, tmp_path: Path) -> Store:
    """The database of the command line with one person, entered in 2026."""
    assert run("db", "upgrade").exit_code == 0
    store = Store(f"sqlite:///{tmp_path / 'registry.db'}")
    with store.writing() as session:
        session.add(Authority(code="recife", name="Órgão", zone="America/Recife"))
        session.flush()
        session.add(
            Person(authority="recife", kind="natural", name="Ana Lima", document="52998224725", created_at=NOON)
        )
        record(session, _occasion(), "person.created", "person", 1, None, {"name": "Ana Lima"})
    store.close()
    return store


def _occasion() -> Occasion:
    return Occasion(actor="ana", authority="recife", at=NOON, zone=ZoneInfo("America/Recife"))


def names(store: Store) -> list[str]:
    with sqlite3.connect(store.url.database or "") as connection:
        found = [row[0] for row in connection.execute("select name from person")]
    connection.close()
    return found


def test_a_disaster_is_mended_and_the_heads_tell_what_was_lost(run: Run, standing: Store, tmp_path: Path) -> None:
    copy, heads = tmp_path / "away" / "a.zip", tmp_path / "away" / "heads.txt"
    copy.parent.mkdir()
    (tmp_path / "setup.toml").write_text("demo = false\n")
    made = run("backup", str(copy))
    assert made.exit_code == 0
    assert f"Cópia gravada em {copy}" in made.output
    with standing.writing() as session:
        record(session, _occasion(), "person.updated", "person", 1, {"name": "Ana Lima"}, {"name": "Ana Souza"})
        session.get_one(Person, 1).name = "Ana Souza"
    standing.close()
    assert run("audit", "head", "--append", str(heads)).exit_code == 0

    refused = run("restore", str(copy))
    assert refused.exit_code == 1
    assert "--force" in refused.output
    assert names(standing) == ["Ana Souza"]
    Path(standing.url.database or "").unlink()
    (tmp_path / "setup.toml").unlink()
    done = run("restore", "--quiet", str(copy))
    assert done.exit_code == 0, done.output
    assert "Restaurada a cópia de" in done.output
    assert names(standing) == ["Ana Lima"]
    assert (tmp_path / "setup.toml").read_text() == "demo = false\n"

    verified = run("audit", "verify", "--head", str(heads))
    assert verified.exit_code == 1
    assert "foi restaurada a cópia de" in verified.output
    assert "que ia até a entrada 1" in verified.output
    assert "registry audit head --append NOVO" in verified.output
    assert run("audit", "verify").exit_code == 0


def test_a_database_of_an_older_copy_is_told_too(run: Run, standing: Store, tmp_path: Path) -> None:
    heads, database = tmp_path / "heads.txt", Path(standing.url.database or "")
    with sqlite3.connect(database) as connection:
        connection.execute("vacuum into ?", [str(tmp_path / "older.db")])
    connection.close()
    with standing.writing() as session:
        record(session, _occasion(), "x", "person", 1)
    standing.close()
    run("audit", "head", "--append", str(heads))
    for each in tmp_path.glob("registry.db*"):
        each.unlink()
    (tmp_path / "older.db").rename(database)
    verified = run("audit", "verify", "--head", str(heads))
    assert verified.exit_code == 1
    assert "A entrada 2 foi removida." in verified.output
    assert "procure uma cópia mais nova" in verified.output


def test_what_is_no_backup_is_refused_in_a_sentence(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "letter.zip"
    other.write_text("hello")
    for words in (
        ("restore", str(other)),
        ("restore", str(tmp_path / "none.zip")),
        ("backup", str(tmp_path / "a.zip")),
    ):
        refused = run(*words)
        assert refused.exit_code == 1
        assert refused.output.startswith("Error: ")
        assert isinstance(refused.exception, SystemExit)
    assert {each.name for each in tmp_path.iterdir()} == {"letter.zip"}


def test_a_database_that_is_none_and_a_folder_that_is_closed_are_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "registry.db").write_bytes(b"not a database" * 500)
    refused = run("backup", str(tmp_path / "a.zip"))
    assert refused.output.startswith("Error: O banco não respondeu: file is not a database")
    refused = run("backup", str(tmp_path / "no" / "a.zip"))
    assert refused.output.startswith("Error: ")
    assert not (tmp_path / "a.zip").exists()


@pytest.mark.parametrize(
    "address",
    ["postgresql://nobody@127.0.0.1:1/none", "postgresql://nobody@127.0.0.1:1/none?x=1", "sqlite:///{}/no.db"],
)
def test_a_database_that_cannot_be_reached_is_told_by_every_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, address: str
) -> None:
    (tmp_path / "no.db").write_text("id;nome")
    monkeypatch.setattr("sys.argv", ["registry", "db", "current"])
    monkeypatch.setenv("REGISTRY_VAR", str(tmp_path))
    monkeypatch.setenv("REGISTRY_DATABASE_URL", address.format(tmp_path))
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert capsys.readouterr().err.startswith("O banco não respondeu: ")


def test_a_persons_data_are_written_to_two_files_that_only_the_owner_reads(
    run: Run, standing: Store, tmp_path: Path
) -> None:
    done = run("privacy", "export", CPF, str(tmp_path / "ana.json"))
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "ana.json").read_text())["tables"]["person"][0]["name"] == "Ana Lima"
    assert "Ana Lima" in (tmp_path / "ana.html").read_text()
    assert (tmp_path / "ana.json").stat().st_mode & 0o077 == 0
    for cpf, message in (("111.444.777-35", "Ninguém"), ("123", "CPF")):
        refused = run("privacy", "export", cpf, str(tmp_path / "x"))
        assert refused.exit_code == 2
        assert message in refused.output


def test_data_are_ended_when_due_and_not_before(run: Run, standing: Store) -> None:
    assert "recife: 0 pessoas." in run("--on", "2027-01-01", "privacy", "due").output
    early = run("--on", "2027-01-01", "privacy", "anonymise", CPF, "--reason", "prazo", "--yes")
    assert early.exit_code == 1
    assert "há menos de 1.825 dias" in early.output
    assert "recife · 1 · Ana Lima" in run("--on", "2040-01-01", "privacy", "due").output
    asked = run("--on", "2040-01-01", "privacy", "anonymise", CPF, "--reason", "prazo")
    assert asked.exit_code == 1
    assert names(standing) == ["Ana Lima"]
    done = run("--on", "2040-01-01", "privacy", "anonymise", CPF, "--reason", "prazo", "--yes")
    assert done.exit_code == 0, done.output
    assert names(standing) == ["Pessoa anonimizada 1"]
    assert "entradas estão sem conteúdo" in run("audit", "verify").output
    assert run("privacy", "sweep").exit_code == 0
