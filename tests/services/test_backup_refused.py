"""A bad archive is refused with a sentence that names what is wrong, and changes nothing."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from registry.store.access import Authority
from registry.store.archive import LARGEST_MANIFEST, MANIFEST, ArchiveError
from registry.store.backup import RestoreError
from registry.store.engine import Store
from registry.store.people import Person
from registry.testing.databases import Databases
from tests import factories
from tests.services.backups import edit_manifest, edit_rows, furnish, put_back, rewrite, rows, save, vault


@pytest.fixture(scope="module")
def whole(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive, to be copied before it is spoilt."""
    store = databases.migrated("sqlite")
    folder = tmp_path_factory.mktemp("whole")
    desk = factories.desk(store, folder)
    furnish(desk, factories.clerk(store))
    save(desk, folder / "whole.zip")
    databases.drop(store)
    return folder / "whole.zip"


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0xFF
    path.write_bytes(bytes(content))


def lack(path: Path) -> None:
    rewrite(path, lambda members: members.pop("tables/person.jsonl"))


def lack_file(path: Path) -> None:
    rewrite(path, lambda members: members.pop(next(name for name in members if name.startswith("files/"))))


def foreign(path: Path) -> None:
    rewrite(path, lambda members: members.update({"../../etc/passwd": b"x"}))


def alter(path: Path) -> None:
    rewrite(path, lambda members: members.update({"tables/person.jsonl": members["tables/person.jsonl"] + b"[]\n"}))


def other_zip(path: Path) -> None:
    with ZipFile(path, "w") as file:
        file.writestr("letter.txt", "hello")


def without_table(path: Path) -> None:
    def edit(members: dict[str, bytes]) -> None:
        members.pop("tables/wait.jsonl")
        manifest = json.loads(members[MANIFEST])
        manifest["members"].pop("tables/wait.jsonl")
        manifest["tables"] = [each for each in manifest["tables"] if each["name"] != "wait"]
        members[MANIFEST] = json.dumps(manifest).encode()

    rewrite(path, edit)


def bomb(path: Path) -> None:
    """A manifest that is small in the archive and fills the memory when it is read."""
    rewrite(path, lambda members: members.update({MANIFEST: b" " * (LARGEST_MANIFEST + 1)}))


BAD: dict[str, tuple[Callable[[Path], None], str]] = {
    "absent": (Path.unlink, "não há este arquivo"),
    "empty": (empty, "não é uma cópia"),
    "text": (lambda path: path.write_text("id;nome\n") and None, "não é uma cópia"),
    "other zip": (other_zip, "não é uma cópia"),
    "cut": (cut, "incompleta"),
    "flipped": (flip, "não confere|danificado|não é uma cópia"),
    "without a table's rows": (lack, r"tables/person\.jsonl falta"),
    "without a file": (lack_file, "files/.* falta"),
    "with a foreign member": (foreign, "não está no manifesto"),
    "altered": (alter, r"tables/person\.jsonl foi alterado"),
    "newer format": (lambda path: edit_manifest(path, lambda m: m.update(version=99)), "formato mais novo"),
    "newer program": (lambda path: edit_manifest(path, lambda m: m["revisions"].update({"": "9999"})), "atualize"),
    "other head": (lambda path: edit_manifest(path, lambda m: m["head"].update(count=1)), "auditoria não termina"),
    "manifest without end": (bomb, "não é uma cópia"),
    "ruined manifest": (lambda path: edit_manifest(path, lambda m: m.pop("tables")), "manifesto está danificado"),
    "audit altered": (lambda path: edit_rows(path, "audit_entry", lambda b: b.replace(b"Ana", b"Eva")), "íntegra"),
    "audit cut": (
        lambda path: edit_rows(path, "audit_entry", lambda b: b"".join(b.splitlines(True)[:-1])),
        "não termina|íntegra",
    ),
    "no number": (lambda path: edit_rows(path, "vehicle", lambda b: b.replace(b",20,", b',"x",')), r"vehicle\.seats"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_archive_is_refused_and_nothing_changes(
    whole: Path, sqlite_store: Store, tmp_path: Path, name: str
) -> None:
    _refused(whole, sqlite_store, tmp_path, *BAD[name])


def with_statement(path: Path) -> None:
    """A table of a plugin that is not there, whose index would bring a statement of its own along."""
    column = {"name": "id", "kind": "integer", "nullable": False, "length": None, "bytewise": False}
    where = "true; drop table audit_entry cascade; select 1 where true"
    index = {"name": "x", "columns": ["id"], "unique": False, "constraint": False, "where": where}
    table = {"name": "gone__x", "columns": [column], "key": ["id"], "references": [], "indexes": [index]}
    edit_manifest(path, lambda manifest: manifest["tables"].append(table))
    manifest_of_rows = {"sha256": hashlib.sha256(b"").hexdigest(), "size": 0, "rows": 0}
    edit_manifest(path, lambda manifest: manifest["members"].update({"tables/gone__x.jsonl": manifest_of_rows}))
    rewrite(path, lambda members: members.update({"tables/gone__x.jsonl": b""}))


WRONG_ROWS: dict[str, tuple[Callable[[Path], None], str]] = {
    "without a table": (without_table, "faltam as tabelas wait"),
    "a statement in an index": (with_statement, "manifesto está danificado"),
    "row gone": (lambda path: edit_rows(path, "vehicle", lambda _: b""), "se referem a|recusou"),
    "row twice": (lambda path: edit_rows(path, "person", lambda b: b + b.splitlines(True)[0]), "recusou"),
}


@pytest.mark.parametrize("name", WRONG_ROWS)
def test_rows_that_a_database_cannot_hold_are_refused_and_nothing_changes(
    whole: Path, store: Store, tmp_path: Path, name: str
) -> None:
    _refused(whole, store, tmp_path, *WRONG_ROWS[name])


def _refused(whole: Path, store: Store, folder: Path, spoil: Callable[[Path], None], message: str) -> None:
    with store.writing() as session:
        session.add(Authority(code="outro", name="Outro", zone="America/Recife"))
        session.flush()
        session.add(Person(authority="outro", kind="natural", name="Antes", created_at=factories.NOON))
    before = rows(store)
    path = folder / "spoilt.zip"
    shutil.copyfile(whole, path)
    spoil(path)
    with pytest.raises((ArchiveError, RestoreError), match=message):
        put_back(store, folder / "files", path, force=True)
    assert rows(store) == before
    assert vault(folder / "files") == set()
