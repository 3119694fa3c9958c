"""Killed at any point, a backup leaves the earlier archive and a restore leaves the old or the new installation."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.services.backup import back_up
from registry.services.desk import Desk
from registry.services.vault import path_of
from registry.store.archive import Archive
from registry.store.engine import Store
from tests import factories
from tests.factories import Clerk
from tests.services.backups import (
    OCCASION,
    add_more,
    files_of,
    furnish,
    killed,
    put_back,
    rows,
    save,
    vault,
    without_restore,
)

IN_RESTORE = {
    "sqlite": ("arquivos", "tabela person", "troca do banco", "faltam", "limpeza"),
    "postgresql": ("arquivos", "tabela person", "troca do banco", "limpeza"),
}


@pytest.fixture
def office(desk: Desk, jonas: Clerk) -> Desk:
    """A desk with some rows and a file."""
    furnish(desk, jonas)
    return desk


def test_a_backup_that_is_killed_leaves_the_earlier_one(office: Desk, jonas: Clerk, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    path, absent = folder / "a.zip", folder / "never.zip"
    save(office, path)
    earlier = path.read_bytes()
    factories.person(office, jonas, factories.CPFS[3], "Depois")
    office.store.close()
    url = office.store.url.render_as_string(hide_password=False)
    for step in ("tabela person", "arquivos", "gravação"):
        for target in (path, absent):
            assert killed(step, lambda tell, to=target: back_up(OCCASION, Store(url), office.files, to, tell))
        assert path.read_bytes() == earlier
        assert not absent.exists()
    save(office, path)
    save(office, absent)
    with Archive(path) as found:
        found.check()
        assert found.manifest.rows_of("person") == 3
    assert {each.name for each in folder.iterdir()} == {"a.zip", "never.zip"}


def test_a_restore_that_is_killed_leaves_old_or_new_and_can_be_repeated(
    office: Desk, jonas: Clerk, engine_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.store.backup._PAGES", 20)
    archive = tmp_path / "a.zip"
    save(office, archive)
    new, new_files = rows(office.store), files_of(archive)
    add_more(office, jonas)
    old, old_files = rows(office.store), vault(office.files) - new_files
    for each in new_files:
        path_of(office.files, each).unlink()
    url = office.store.url.render_as_string(hide_password=False)
    for step in IN_RESTORE[engine_name]:
        assert killed(step, lambda tell: put_back(Store(url), office.files, archive, tell, force=True)), step
        done = step == "limpeza"
        assert without_restore(rows(office.store)) == (new if done else old), step
        assert (new_files if done else old_files) <= vault(office.files), step
    put_back(office.store, office.files, archive, force=True)
    assert without_restore(rows(office.store)) == new
    assert {name for name in vault(office.files) if not name.startswith("incoming-")} == new_files
    assert not list(Path(office.store.url.database or "").parent.glob("*.restoring*"))
