"""``registry plugin new`` and ``registry plugin list``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from registry.cli import cli
from registry.cli.console import Console
from registry.cli.plugin import listing, skeleton
from registry.store import migrate
from registry.store.access import Authority
from registry.store.engine import Store
from registry.store.permits import Permit
from tests.cli.planting import Nursery, nursery, seem_installed
from tests.factories import NOON

__all__ = ["nursery"]


def registry(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, obj=Console())


def test_what_it_writes_passes_its_own_tests_and_the_check_untouched(tmp_path: Path):
    result = registry("plugin", "new", "van_escolar", "--into", str(tmp_path))
    assert result.exit_code == 0, result.output
    folder = tmp_path / "van_escolar"
    assert f"cd {folder}" in result.output and "registry plugin check van_escolar" in result.output
    assert "@@" not in "".join(path.read_text() for path in folder.rglob("*") if path.is_file())
    seem_installed(folder)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Van", "não serve"),
        ("van escolar", "não serve"),
        ("van__escolar", "não serve"),
        ("vã", "não serve"),
        ("1van", "não serve"),
        ("../van", "não serve"),
        ("class", "não serve"),
        ("", "não serve"),
        ("v" * 25, "25 letras"),
        ("taxi_recife", "já há um plugin"),
        ("db", "já é nome"),
        ("people", "já é nome"),
        ("sqlite_van", "já é nome"),
    ],
)
def test_a_name_that_does_not_serve_writes_nothing(tmp_path: Path, name: str, told: str):
    result = registry("plugin", "new", "--into", str(tmp_path), "--", name)
    assert result.exit_code == 1
    assert told.casefold() in result.output.casefold() and "Traceback" not in result.output
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_stays_as_it_is(tmp_path: Path):
    mine = tmp_path / "van_escolar" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    result = registry("plugin", "new", "van_escolar", "--into", str(tmp_path))
    assert result.exit_code == 1 and "já existe e fica como está" in result.output
    assert [path.name for path in tmp_path.rglob("*")] == ["van_escolar", "mine.txt"]


def test_a_folder_that_is_not_there(tmp_path: Path):
    result = registry("plugin", "new", "van_escolar", "--into", str(tmp_path / "none"))
    assert result.exit_code == 1 and "--into" in result.output
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    left = 5
    written = Path.write_text

    def some(self: Path, *arguments, **named):
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(28, "No space left on device")
        return written(self, *arguments, **named)

    monkeypatch.setattr(Path, "write_text", some)
    with pytest.raises(skeleton.SkeletonError, match="Nada ficou escrito"):
        skeleton.write("van_escolar", tmp_path, "UTC")
    assert list(tmp_path.iterdir()) == []


def test_the_list_tells_what_each_plugin_is_and_how_it_stands(nursery: Nursery, tmp_path: Path):
    unused = nursery.plant("sem_uso")
    nursery.subject(unused)
    broken = nursery.change("registry_@/plugin.py", "", "import nothing_of_this_name")
    store = Store(f"sqlite:///{tmp_path / 'registry.db'}")
    assert {line.permits and sum(line.permits.values()) for line in listing.lines(("gone",), store)} == {None}
    migrate.upgrade(store)
    with store.writing() as session:
        session.add(Authority(code="a", name="A", zone="UTC"))
        for number, regime in (("1", "taxi_recife"), ("2", "taxi_recife"), ("3", "bondes")):
            session.add(
                Permit(
                    authority="a", regime=regime, number=number, category="", granted_on=NOON.date(), created_at=NOON
                )
            )
    found = {line.name: line for line in listing.lines(("taxi_recife", "gone"), store)}
    store.close()
    assert (found["taxi_recife"].state, found["taxi_recife"].permits) == (listing.LOADED, {"taxi_recife": 2})
    assert (found["taxi_recife"].version, found["taxi_recife"].api) == ("0.1.0", "1")
    assert (found["sem_uso"].state, found["sem_uso"].permits) == (listing.UNUSED, {"sem_uso": 0})
    assert found["gone"].state == listing.ABSENT
    assert "ModuleNotFoundError" in found[broken.name].state
    assert (found["bondes"].state, found["bondes"].permits) == (listing.ORPHAN, {"bondes": 1})
    assert list(found)[:2] == ["taxi_recife", "gone"]


def test_the_command_prints_them_and_what_start_up_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("REGISTRY_VAR", str(tmp_path))
    monkeypatch.setenv("REGISTRY_CONFIG", "demo.toml")
    result = registry("plugin", "list")
    assert result.exit_code == 0
    assert "taxi_recife 0.1.0 (contrato 1): taxi_recife; " in result.output and "em uso" in result.output
    (tmp_path / "mine.toml").write_text('plugins = ["taxi_recief"]\n')
    monkeypatch.setenv("REGISTRY_CONFIG", str(tmp_path / "mine.toml"))
    result = registry("plugin", "list")
    assert "taxi_recief: na configuração, mas não instalado" in result.output
    assert "Você quis escrever «taxi_recife»?" in str(result.exception)
