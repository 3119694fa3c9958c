"""Backup and restore of a whole installation: the database and the files of the vault, in one archive."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection, select
from sqlalchemy.orm import Session

from registry import __version__
from registry.domain.occasion import Occasion
from registry.services.vault import path_of, stored
from registry.store import audit, backup, migrate
from registry.store.archive import Archive, ArchiveError, Manifest, Writer, sync_folder, writing
from registry.store.backup import RestoreError, Tell
from registry.store.engine import Store
from registry.store.migrate import Migrations
from registry.store.requests import StoredFile

_CHUNK = 1024 * 1024
RESTORED = "database.restored"
"""The action of the audit entry that a restore leaves behind."""


@dataclass(frozen=True)
class Made:
    """A backup that was made: rows and files in it, the head of its audit chain, and what to look into.

    ``missing`` are files that the database names and the vault lacks, ``damaged`` files whose content is not the one
    of their name, ``faults`` places where the audit chain does not hold.
    """

    rows: int
    files: int
    head: audit.Head
    missing: tuple[str, ...]
    damaged: tuple[str, ...]
    faults: int


@dataclass(frozen=True)
class Restored:
    """A restore that was done: from when the archive is, rows and files, and how many files were taken away.

    ``setup`` tells whether the archive's set-up file was written, or another one that stands there was kept.
    """

    made_at: str
    rows: int
    files: int
    head: audit.Head
    removed: int
    missing: tuple[str, ...]
    setup: Literal["", "written", "kept"]


@dataclass(frozen=True)
class Restore:
    """A restore that the audit chain tells of: the entry, when, and the archive's own instant and last entry."""

    seq: int
    at: datetime
    made_at: str
    count: int


def last_restore(session: Session) -> Restore | None:
    """The last restore that the audit chain tells of; None when this database was never restored."""
    entry = session.scalars(
        select(audit.AuditEntry)
        .where(audit.AuditEntry.action == RESTORED)
        .order_by(audit.AuditEntry.seq.desc())
        .limit(1)
    ).first()
    if entry is None or not entry.after:
        return None
    return Restore(entry.seq, entry.at, str(entry.after["made_at"]), int(entry.after["count"]))


def back_up(occasion: Occasion, store: Store, files: Path, path: Path, tell: Tell, setup: Path | None = None) -> Made:
    """Writes an archive of the database as it is at one instant, whatever its revision, and of every file of the vault.

    Args:
        occasion: gives the instant that the archive names.
        store: the database; others may go on writing to it.
        files: the folder of the vault.
        path: where the archive is to stand; what stands there is replaced once the new one is whole.
        tell: is told the steps in pt-BR.
        setup: the set-up file, which goes along where it stands.

    Raises ArchiveError; no archive is left behind then, and an earlier one stays.
    """
    database = store.sqlite_path()
    if database is not None and not database.exists():
        raise ArchiveError(f"Não há banco em {database}. Confira REGISTRY_VAR e REGISTRY_DATABASE_URL.")
    damaged: list[str] = []
    with _alone_with(files, shared=True), writing(path) as writer:
        with backup.snapshot(store) as connection:
            revisions = migrate.revisions_in(connection)
            if migrate.CORE not in revisions:
                raise ArchiveError("O banco está vazio: não há o que copiar.")
            shapes = backup.dump(connection, writer, tell)
            named = _files_named(connection)
            tell("conferência da auditoria")
            with Session(connection) as session:
                report = audit.verify(session)
        tell("arquivos")
        kept = _add_vault(writer, files, damaged)
        if setup is not None and setup.is_file():
            writer.add_setup(setup.read_bytes())
        missing = tuple(sorted(named - kept))
        manifest = Manifest(
            made_at=occasion.at.astimezone(UTC).isoformat(timespec="seconds"),
            program=__version__,
            engine=store.dialect,
            revisions=revisions,
            head=report.head,
            tables=shapes,
            members=writer.members,
            missing=missing,
            faults=len(report.faults),
        )
        writer.finish(manifest)
        tell("gravação")
    return Made(manifest.rows, len(kept), report.head, missing, tuple(damaged), manifest.faults)


def restore(
    occasion: Occasion,
    store: Store,
    plugins: Sequence[Migrations],
    files: Path,
    path: Path,
    tell: Tell,
    *,
    force: bool = False,
    accept_faults: bool = False,
    setup: Path | None = None,
) -> Restored:
    """Puts an archive in the place of the database and of the vault, all or nothing, and brings it to this program.

    The archive's files come in first, the database is exchanged in one step, and only then go the files that are not
    in the archive: killed at any point, the old installation or the new one stands whole, and running it again mends.

    Args:
        occasion: who restores; the audit chain gets an entry that tells of it.
        store: the database that is replaced.
        plugins: the migrations of the loaded plugins; tables of others come back as the archive describes them.
        files: the folder of the vault.
        path: the archive, made on either engine.
        tell: is told the steps in pt-BR.
        force: replace a database that holds rows, or that others have open, and files of the vault.
        accept_faults: restore an archive whose audit chain was already broken when it was made.
        setup: where the archive's set-up file goes; another one that stands there is replaced only by force.

    Raises ArchiveError for an archive that is not whole, RestoreError for anything else; nothing was changed then.
    """
    with Archive(path) as archive:
        tell("conferência da cópia")
        archive.check()
        _refuse_unknown(archive, plugins)
        _refuse_broken_chain(archive, accept_faults)
        files.mkdir(parents=True, exist_ok=True)
        with _alone_with(files, shared=False):
            _refuse_standing(store, force)
            replaced = backup.head_of(store)
            occasion = _in_its_name(occasion, archive)
            manifest, present = archive.manifest, set(stored(files))
            tell("arquivos")
            _bring_files(archive, files)
            try:
                finish = partial(_finish, occasion=occasion, archive=archive, replaced=replaced)
                backup.replace(store, archive, plugins, finish, tell)
            except BaseException:
                _remove_files(files, set(manifest.files) - present)
                raise
            tell("limpeza")
            written = _bring_setup(archive, setup, force)
            removed = _remove_files(files, present - set(manifest.files)) if force else 0
        with store.reading() as session:
            head = audit.head(session)
        return Restored(manifest.made_at, manifest.rows, len(manifest.files), head, removed, manifest.missing, written)


def _in_its_name(occasion: Occasion, archive: Archive) -> Occasion:
    """The occasion in the name of an authority that the archive knows."""
    shape = archive.manifest.table("authority")
    codes = [row["code"] for row in archive.rows(shape)] if shape else []
    return occasion if occasion.authority in codes or not codes else replace(occasion, authority=codes[0])


def _bring_setup(archive: Archive, setup: Path | None, force: bool) -> Literal["", "written", "kept"]:
    content = archive.setup()
    if content is None or setup is None or (setup.is_file() and setup.read_bytes() == content):
        return ""
    if setup.exists() and not force:
        return "kept"
    fresh = setup.with_name(f"{setup.name}.restoring")
    fresh.write_bytes(content)
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(fresh, setup)
    sync_folder(setup.parent)
    return "written"


def _refuse_unknown(archive: Archive, plugins: Sequence[Migrations]) -> None:
    known = {each.name: each for each in [migrate.core(), *plugins]}
    revisions = archive.manifest.revisions
    if migrate.CORE not in revisions:
        raise ArchiveError(f"{archive.path}: a cópia não diz a revisão do núcleo. Nada foi mudado.")
    for name, revision in revisions.items():
        if name in known and not migrate.knows(known[name], revision):
            raise RestoreError(
                f"{archive.path}: a revisão {revision} ({known[name].label_pt}) é de um programa mais novo "
                f"(a cópia foi feita pela versão {archive.manifest.program}). Nada foi mudado: atualize o programa."
            )


def _refuse_broken_chain(archive: Archive, accept_faults: bool) -> None:
    shape = archive.manifest.table(audit.AuditEntry.__tablename__)
    if shape is None:
        raise ArchiveError(f"{archive.path}: falta a tabela da auditoria. Nada foi mudado.")

    def entries() -> Iterator[audit.AuditEntry]:
        try:
            for row in archive.rows(shape):
                yield audit.AuditEntry(**row)
        except TypeError as error:
            raise ArchiveError(f"{archive.path}: a auditoria não tem as colunas esperadas. Nada foi mudado.") from error

    try:
        report = audit.verify_entries(entries, archive.manifest.head)
    except AttributeError as error:
        raise ArchiveError(f"{archive.path}: uma entrada da auditoria está incompleta. Nada foi mudado.") from error
    if report.head != archive.manifest.head:
        raise ArchiveError(f"{archive.path}: a auditoria não termina onde o manifesto diz. Nada foi mudado.")
    if report.faults and not (accept_faults and len(report.faults) == archive.manifest.faults):
        first = report.faults[0].message_pt
        said = (
            "A cadeia já estava assim quando a cópia foi feita: com --accept-faults ela é restaurada como está."
            if len(report.faults) == archive.manifest.faults
            else "A cópia foi alterada depois de feita: use outra."
        )
        raise RestoreError(f"{archive.path}: a cadeia de auditoria não está íntegra. {first} Nada foi mudado. {said}")


def _refuse_standing(store: Store, force: bool) -> None:
    found = backup.standing(store)
    if force:
        return
    where = store.url.render_as_string(hide_password=True)
    if found.damaged:
        raise RestoreError(
            f"{where} não é um banco que se possa ler. Com --force ele é posto de lado (.danificado) e substituído."
        )
    if found.rows:
        raise RestoreError(
            f"O banco {where} já tem {found.rows} linhas. Nada foi mudado. Faça antes uma cópia dele "
            "(registry backup); com --force ele é substituído."
        )
    if found.others:
        raise RestoreError(
            f"O banco {where} está aberto por outro programa. Nada foi mudado. Pare o servidor e repita; com --force "
            "ele é substituído assim mesmo."
        )


def _finish(session: Session, occasion: Occasion, archive: Archive, replaced: audit.Head | None) -> None:
    """The last step inside the transaction: the chain that came in is the archive's, and tells of the restore."""
    head = archive.manifest.head
    if audit.head(session) != head:
        raise RestoreError(f"{archive.path}: a auditoria que entrou não é a da cópia. Nada foi mudado.")
    if len(audit.verify(session).faults) != archive.manifest.faults:
        raise RestoreError(f"{archive.path}: a auditoria não confere depois de gravada. Nada foi mudado.")
    after = {
        "made_at": archive.manifest.made_at,
        "count": head.count,
        "hash": head.hash,
        "replaced": None if replaced is None or not replaced.count else [replaced.count, replaced.hash],
    }
    audit.record(session, occasion, RESTORED, "database", 0, None, after)


def _files_named(connection: Connection) -> set[str]:
    """The sha256 of every file that a row names; a row whose file was taken away with a person's data names none."""
    return set(connection.scalars(select(StoredFile.__table__.c.sha256))) - {""}


def _add_vault(writer: Writer, files: Path, damaged: list[str]) -> set[str]:
    kept = set()
    for name in stored(files):
        try:
            whole = writer.add_file(name, path_of(files, name))
        except FileNotFoundError:
            continue  # taken away since by an anonymisation
        kept.add(name)
        if not whole:
            damaged.append(name)
    return kept


def _bring_files(archive: Archive, files: Path) -> None:
    """Puts the archive's files into the vault, each whole and on the disk before it gets its name."""
    for name in archive.manifest.files:
        target = path_of(files, name)
        if target.is_file() and _digest(target) in (name, archive.digest_of_file(name)):
            continue
        target.parent.mkdir(exist_ok=True)
        try:
            _bring(archive, name, target, files)
        except OSError as error:
            raise RestoreError(f"{target}: o arquivo não pôde ser gravado: {error.strerror or error}.") from error
    for folder in {path_of(files, name).parent for name in archive.manifest.files} | {files}:
        sync_folder(folder)


def _bring(archive: Archive, name: str, target: Path, files: Path) -> None:
    with tempfile.NamedTemporaryFile(dir=files, prefix="incoming-", delete=False) as incoming:
        try:
            with archive.open_file(name) as source:
                while chunk := source.read(_CHUNK):
                    incoming.write(chunk)
            incoming.flush()
            os.fsync(incoming.fileno())
            os.replace(incoming.name, target)
        finally:
            Path(incoming.name).unlink(missing_ok=True)


def _remove_files(files: Path, names: set[str]) -> int:
    """Takes away files that no row of the restored database names."""
    for name in names:
        path_of(files, name).unlink(missing_ok=True)
    return len(names)


def _digest(path: Path) -> str:
    found = sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()


@contextmanager
def _alone_with(files: Path, *, shared: bool) -> Iterator[None]:
    """Keeps a restore apart from backups and other restores of the same vault."""
    if not files.is_dir():
        yield
        return
    handle = os.open(files, os.O_RDONLY)
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise RestoreError("Outra cópia ou restauração está em curso. Espere que termine e repita.") from error
    finally:
        os.close(handle)
