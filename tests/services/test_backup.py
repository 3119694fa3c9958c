"""Backup and restore: what goes in comes out, on either engine; a bad archive or a kill changes nothing by halves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from registry.services.backup import RESTORED, back_up, restore
from registry.services.desk import Desk
from registry.services.vault import path_of
from registry.store import audit, migrate
from registry.store.archive import Archive, ArchiveError
from registry.store.backup import RestoreError
from registry.store.engine import Store
from registry.testing.databases import ENGINES, Databases
from tests import factories
from tests.architecture.source import ROOT
from tests.factories import Clerk
from tests.services.backups import (
    OCCASION,
    add_more,
    furnish,
    put_back,
    quiet,
    rows,
    save,
    vault,
    without_restore,
)
from tests.store.test_audit import tamper


@pytest.fixture
def office(desk: Desk, jonas: Clerk) -> Desk:
    """A desk with a request, its papers and a permit."""
    furnish(desk, jonas)
    return desk


@pytest.fixture
def small(sqlite_store: Store, tmp_path: Path) -> Desk:
    """The same on SQLite alone, for what does not depend on the engine."""
    made = factories.desk(sqlite_store, tmp_path)
    furnish(made, factories.clerk(sqlite_store))
    return made


@pytest.fixture
def copy(small: Desk, tmp_path: Path) -> Path:
    """A backup of it."""
    save(small, tmp_path / "small.zip")
    return tmp_path / "small.zip"


@pytest.fixture
def archive(office: Desk, tmp_path: Path) -> Path:
    """A backup of the office."""
    path = tmp_path / "copies" / "office.zip"
    path.parent.mkdir()
    save(office, path)
    return path


@pytest.fixture
def fresh(databases: Databases) -> Iterator[Callable[[str], Store]]:
    """Makes databases without tables."""
    made = []

    def make(engine: str) -> Store:
        made.append(databases.blank(engine))
        return made[-1]

    yield make
    for each in made:
        databases.drop(each)


def test_everything_comes_back_on_the_other_engine(
    office: Desk, jonas: Clerk, archive: Path, engine_name: str, fresh: Callable[[str], Store], tmp_path: Path
) -> None:
    into = next(each for each in ENGINES if each != engine_name)
    target, files = fresh(into), tmp_path / "elsewhere" / "files"
    done = put_back(target, files, archive, force=True)
    assert without_restore(rows(target)) == rows(office.store)
    assert vault(files) == vault(office.files) != set()
    with target.reading() as session:
        assert audit.verify(session).intact
        last = session.get_one(audit.AuditEntry, done.head.count)
        assert (last.action, last.actor) == (RESTORED, "linha de comando")
    there = factories.desk(target, tmp_path / "elsewhere")
    new = factories.person(there, jonas, factories.CPFS[3], "Nova Pessoa")
    assert new == max(row[0] for row in rows(target)["person"])


def test_the_backup_says_what_is_in_it(office: Desk, archive: Path, engine_name: str) -> None:
    with Archive(archive) as found:
        assert found.manifest.engine == engine_name
        assert found.manifest.revisions == {"": "0003"}
        assert found.manifest.made_at == "2026-12-01T03:00:00+00:00"
        assert found.manifest.rows_of("person") == 2
        assert set(found.manifest.files) == vault(office.files)
    assert archive.stat().st_mode & 0o077 == 0
    assert [each.name for each in archive.parent.iterdir()] == ["office.zip"]


def test_a_backup_sees_one_instant_while_others_write(
    office: Desk, jonas: Clerk, tmp_path: Path, fresh: Callable[[str], Store]
) -> None:
    before = rows(office.store)

    def write(step: str) -> None:
        if step == "tabela audit_entry":
            factories.person(office, jonas, factories.CPFS[3], "Depois")

    save(office, tmp_path / "a.zip", write)
    assert len(rows(office.store)["person"]) == len(before["person"]) + 1
    target = fresh("sqlite")
    put_back(target, tmp_path / "there", tmp_path / "a.zip")
    assert without_restore(rows(target)) == before


def test_a_database_with_rows_is_replaced_only_by_force(office: Desk, jonas: Clerk, archive: Path) -> None:
    before = rows(office.store)
    add_more(office, jonas)
    standing, files = rows(office.store), vault(office.files)
    with pytest.raises(RestoreError, match=r"já tem \d+ linhas.*--force"):
        put_back(office.store, office.files, archive)
    assert rows(office.store) == standing
    assert vault(office.files) == files
    done = put_back(office.store, office.files, archive, force=True)
    assert without_restore(rows(office.store)) == before
    assert done.removed == 1
    assert len(vault(office.files)) == len(files) - 1
    with office.store.reading() as session:
        told = session.get_one(audit.AuditEntry, done.head.count).after or {}
        assert told["replaced"][0] == len(standing["audit_entry"])
        report = audit.verify(session, audit.Head(*told["replaced"]))
        assert [fault.kind for fault in report.faults] == ["removed"]


def test_a_sqlite_file_that_others_have_open_is_replaced_only_by_force(
    copy: Path, databases: Databases, tmp_path: Path
) -> None:
    target = databases.migrated("sqlite")
    other = Store(target.url.render_as_string(hide_password=False))
    with other.reading() as session:
        session.execute(text("select 1 from person"))
        with pytest.raises(RestoreError, match=r"aberto por outro programa.*Pare o servidor"):
            put_back(target, tmp_path / "there", copy)
        put_back(target, tmp_path / "there", copy, force=True)
    with other.reading() as session:
        assert session.scalar(text("select count(*) from person")) == 2
    other.close()
    databases.drop(target)


def test_an_empty_postgresql_that_others_have_open_is_refused(
    copy: Path, fresh: Callable[[str], Store], tmp_path: Path
) -> None:
    target = fresh("postgresql")
    with target.engine.connect(), pytest.raises(RestoreError, match="aberto por outro programa"):
        restore(OCCASION, Store(target.url.render_as_string(hide_password=False)), (), tmp_path / "f", copy, quiet)


def test_a_file_that_is_no_database_is_put_aside_by_force(small: Desk, copy: Path, tmp_path: Path) -> None:
    target = Store(f"sqlite:///{tmp_path / 'broken.db'}")
    (tmp_path / "broken.db").write_bytes(b"not a database" * 1000)
    with pytest.raises(RestoreError, match="--force"):
        put_back(target, tmp_path / "there", copy)
    put_back(target, tmp_path / "there", copy, force=True)
    assert without_restore(rows(target)) == rows(small.store)
    assert (tmp_path / "broken.db.danificado").exists()


def test_tables_of_a_plugin_that_is_not_there_come_back(databases: Databases, engine_name: str, tmp_path: Path) -> None:
    source, target = databases.blank(engine_name), databases.blank(next(e for e in ENGINES if e != engine_name))
    migrate.upgrade(source)
    kinds = "json" if engine_name == "sqlite" else "jsonb"
    with source.engine.begin() as connection:
        for statement in (
            "create table gone__alembic_version (version_num varchar(32) primary key)",
            "insert into gone__alembic_version values ('0007')",
            "create table gone__thing (id integer primary key, "
            "authority varchar(64) not null references authority(code), "
            f"born date, notes {kinds}, price numeric(10,2), ended_at timestamp, constraint uq_x unique (authority))",
            "create unique index ux_thing on gone__thing (authority) where ended_at is null",
            "insert into authority values ('a', 'A', 'America/Recife')",
            """insert into gone__thing values (1, 'a', '2026-11-30', '{"é": [1, null]}', 12.5, null)""",
            "insert into audit_entry values (1, 'a', '2026-11-30 15:00:00.000000', '', '', '', '', '', 1, null, null, "
            f"'{audit.START}', 'x')",
        ):
            connection.execute(text(statement))
    copy = tmp_path / "a.zip"
    made = back_up(OCCASION, source, tmp_path / "files", copy, quiet)
    assert made.faults == 1
    with pytest.raises(RestoreError, match="--accept-faults"):
        put_back(target, tmp_path / "there", copy, force=True)
    put_back(target, tmp_path / "there", copy, force=True, accept_faults=True)
    with target.reading() as session:
        assert session.execute(text("select version_num from gone__alembic_version")).scalar() == "0007"
    assert without_restore(rows(target)) == rows(source)
    with pytest.raises(Exception, match=r"(?i)unique"), target.writing() as session:
        session.execute(text("insert into gone__thing (id, authority) values (2, 'a')"))
    for each in (source, target):
        databases.drop(each)


def test_files_that_lack_or_changed_are_told_and_copied_as_they_are(
    small: Desk, tmp_path: Path, fresh: Callable[[str], Store]
) -> None:
    add_more(small, factories.clerk(small.store))
    changed, gone = sorted(vault(small.files))
    path_of(small.files, changed).write_bytes(b"%PDF-spoilt")
    path_of(small.files, gone).unlink()
    made = save(small, tmp_path / "a.zip")
    assert (made.damaged, made.missing, made.files) == ((changed,), (gone,), 1)
    done = put_back(fresh("sqlite"), tmp_path / "there", tmp_path / "a.zip")
    assert done.missing == (gone,)
    assert path_of(tmp_path / "there", changed).read_bytes() == b"%PDF-spoilt"


def test_a_broken_chain_is_copied_loudly_and_comes_back_only_when_accepted(
    small: Desk, tmp_path: Path, fresh: Callable[[str], Store]
) -> None:
    tamper(small.store, "update audit_entry set actor = 'eva' where seq = 2")
    assert save(small, tmp_path / "a.zip").faults == 1
    target = fresh("sqlite")
    with pytest.raises(RestoreError, match=r"entrada 2 foi alterada.*--accept-faults"):
        put_back(target, tmp_path / "there", tmp_path / "a.zip")
    put_back(target, tmp_path / "there", tmp_path / "a.zip", accept_faults=True)
    with target.reading() as session:
        assert [fault.seq for fault in audit.verify(session).faults] == [2]


def test_an_empty_or_absent_database_and_a_place_that_cannot_be_written_are_told(
    office: Desk, blank_store: Store, tmp_path: Path
) -> None:
    with pytest.raises(ArchiveError, match=r"vazio|Não há banco"):
        back_up(OCCASION, blank_store, tmp_path, tmp_path / "a.zip", quiet)
    with pytest.raises(ArchiveError, match="não foi possível gravar"):
        save(office, tmp_path / "no" / "such" / "folder.zip")
    assert not (tmp_path / "a.zip").exists()


def test_two_at_once_are_kept_apart(small: Desk, copy: Path, tmp_path: Path) -> None:
    def second(step: str) -> None:
        if step == "arquivos":
            with pytest.raises(RestoreError, match="em curso"):
                put_back(small.store, small.files, copy, force=True)
            with pytest.raises(ArchiveError, match="outra cópia"):
                save(small, tmp_path / "a.zip")

    save(small, tmp_path / "a.zip", second)


def test_an_archive_of_the_first_version_is_brought_to_the_newest(
    fresh: Callable[[str], Store], tmp_path: Path
) -> None:
    target = fresh("postgresql")
    done = put_back(target, tmp_path / "there", ROOT / "tests" / "data" / "first_issue.zip", force=True)
    assert (done.rows, done.files, done.head.count) == (6_197, 1, 1_643)
    assert not migrate.pending(target)
    assert len(rows(target)["taxi_pontos__designation"]) > 50
    with target.reading() as session:
        assert audit.verify(session).intact


def test_another_set_up_that_stands_there_is_replaced_only_by_force(
    small: Desk, fresh: Callable[[str], Store], tmp_path: Path
) -> None:
    setup, path, target = tmp_path / "setup.toml", tmp_path / "a.zip", fresh("sqlite")
    setup.write_text("demo = false\n")
    back_up(OCCASION, small.store, small.files, path, quiet, setup)
    setup.write_text("demo = true\n")
    assert restore(OCCASION, target, (), tmp_path / "there", path, quiet, setup=setup).setup == "kept"
    assert setup.read_text() == "demo = true\n"
    assert restore(OCCASION, target, (), tmp_path / "there", path, quiet, force=True, setup=setup).setup == "written"
    assert setup.read_text() == "demo = false\n"


def test_the_entry_of_a_restore_is_in_the_name_of_an_authority_of_the_archive(
    copy: Path, fresh: Callable[[str], Store], tmp_path: Path
) -> None:
    target = fresh("sqlite")
    elsewhere = replace(OCCASION, authority="emtu")
    done = restore(elsewhere, target, (), tmp_path / "there", copy, quiet)
    with target.reading() as session:
        assert session.get_one(audit.AuditEntry, done.head.count).authority in (factories.PORT, factories.OTHER)
