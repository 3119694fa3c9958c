"""The archive of a backup: one ZIP with a manifest, every table as lines of JSON, the vault's files, the set-up file.

``manifest.json`` says what the archive is (format, program, engine, revisions, head of the audit chain), describes each
table and gives the sha256 and size of every other member. It is written last; a temporary file beside the target gets
the target's name only when it is whole and on the disk.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from registry.store.audit import Head
from registry.store.shapes import ShapeError, TableShape, is_ours

FORMAT = "outorga-registry backup"
VERSION = 1
MANIFEST = "manifest.json"
SETUP = "setup.toml"
LARGEST_MANIFEST = 64 * 1024 * 1024
_CHUNK = 1024 * 1024
_FILE = re.compile(r"files/(?P<sha256>[0-9a-f]{64})")
_TABLE = re.compile(r"tables/(?P<name>\w+)\.jsonl")
_BROKEN = (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, KeyError, OSError)


class ArchiveError(Exception):
    """The archive cannot be written, or is not one that can be restored; the text says what is wrong with it."""


@dataclass(frozen=True)
class Member:
    """What the manifest says of a member: sha256 and size in bytes of its content; ``rows`` of a table."""

    sha256: str
    size: int
    rows: int = 0


@dataclass(frozen=True)
class Manifest:
    """What an archive says of itself. ``revisions`` has the core's under ``""``, plugins' under their names.

    ``faults`` counts where the audit chain did not hold when the backup was made, ``missing`` lists files that the
    database names and the vault lacked.
    """

    made_at: str
    program: str
    engine: str
    revisions: Mapping[str, str]
    head: Head
    tables: tuple[TableShape, ...]
    members: Mapping[str, Member] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    faults: int = 0

    @property
    def files(self) -> tuple[str, ...]:
        """The sha256 of every file of the vault in the archive."""
        return tuple(found["sha256"] for name in self.members if (found := _FILE.fullmatch(name)))

    @property
    def rows(self) -> int:
        """How many rows all tables have together."""
        return sum(each.rows for each in self.members.values())

    def rows_of(self, table: str) -> int:
        """How many rows a table has."""
        return self.members[member_of(table)].rows

    def table(self, name: str) -> TableShape | None:
        """The description of a table; None when the archive has none of this name."""
        return next((each for each in self.tables if each.name == name), None)


def member_of(table: str) -> str:
    """The name of the member that holds a table's rows."""
    return f"tables/{table}.jsonl"


class Writer:
    """An archive being written; made by :func:`writing`."""

    def __init__(self, file: ZipFile) -> None:
        self._zip = file
        self.members: dict[str, Member] = {}

    def add_table(self, shape: TableShape, rows: Iterable[Any]) -> int:
        """Writes the rows of a table, each as its values in the order of the columns; answers how many."""
        digest, size, count = hashlib.sha256(), 0, 0
        with self._zip.open(member_of(shape.name), "w", force_zip64=True) as member:
            for row in rows:
                line = json.dumps(shape.encode(row), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
                digest.update(line)
                member.write(line)
                size, count = size + len(line), count + 1
        self.members[member_of(shape.name)] = Member(digest.hexdigest(), size, count)
        return count

    def add_file(self, sha256: str, path: Path) -> bool:
        """Writes a file of the vault; answers whether its content is still the one of its name."""
        digest, size = hashlib.sha256(), 0
        self._zip.compression = ZIP_STORED  # scans do not shrink
        with path.open("rb") as source, self._zip.open(f"files/{sha256}", "w", force_zip64=True) as member:
            while chunk := source.read(_CHUNK):
                digest.update(chunk)
                member.write(chunk)
                size += len(chunk)
        self._zip.compression = ZIP_DEFLATED
        self.members[f"files/{sha256}"] = Member(digest.hexdigest(), size)
        return digest.hexdigest() == sha256

    def add_setup(self, content: bytes) -> None:
        """Writes the file that the set-up of the installation keeps."""
        self._zip.writestr(SETUP, content)
        self.members[SETUP] = Member(hashlib.sha256(content).hexdigest(), len(content))

    def finish(self, manifest: Manifest) -> None:
        """Writes the manifest; its ``members`` are those that were added."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "made_at": manifest.made_at,
            "program": manifest.program,
            "engine": manifest.engine,
            "revisions": dict(manifest.revisions),
            "head": {"count": manifest.head.count, "hash": manifest.head.hash},
            "faults": manifest.faults,
            "missing": list(manifest.missing),
            "tables": [each.to_json() for each in manifest.tables],
            "members": {
                name: {"sha256": each.sha256, "size": each.size, "rows": each.rows}
                for name, each in self.members.items()
            },
        }
        self._zip.writestr(MANIFEST, json.dumps(content, ensure_ascii=False, indent=1))


@contextmanager
def writing(path: Path) -> Iterator[Writer]:
    """An archive to be written to this path: it stands there whole after the block, or not at all.

    What stood there before stays until then. Raises ArchiveError when it cannot be written, or is being written.
    """
    partial = path.with_name(path.name + ".partial")
    try:
        with _alone(partial) as file:
            with ZipFile(file, "w", ZIP_DEFLATED) as archive:
                yield Writer(archive)
            file.flush()
            os.fsync(file.fileno())
            os.replace(partial, path)
            sync_folder(path.parent)
    except OSError as error:
        raise ArchiveError(f"{path}: não foi possível gravar a cópia: {error.strerror or error}.") from error


@contextmanager
def _alone(partial: Path) -> Iterator[IO[bytes]]:
    """The temporary file, which only one process writes; it is removed unless it got its final name."""
    with open(os.open(partial, os.O_RDWR | os.O_CREAT, 0o600), "w+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ArchiveError(
                f"{partial}: outra cópia está sendo gravada neste arquivo. Espere que termine."
            ) from None
        file.truncate()
        inode = os.fstat(file.fileno()).st_ino
        try:
            yield file
        finally:
            if partial.exists() and partial.stat().st_ino == inode:
                partial.unlink()


def sync_folder(folder: Path) -> None:
    """Brings the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Archive:
    """An archive that is read. Raises ArchiveError at once for a file that is none, or of a newer format."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._zip = ZipFile(path)
        except FileNotFoundError:
            raise ArchiveError(f"{path}: não há este arquivo.") from None
        except _BROKEN as error:
            raise ArchiveError(f"{path}: não é uma cópia feita por `registry backup`, ou está incompleta.") from error
        try:
            self.manifest = self._manifest()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def check(self) -> None:
        """Reads every member and compares it with the manifest: nothing missing, foreign, cut or altered.

        Raises ArchiveError naming the first that is.
        """
        there = {each.filename: each.file_size for each in self._zip.infolist() if each.filename != MANIFEST}
        members = self.manifest.members
        for name in [*members.keys() - there.keys(), *there.keys() - members.keys()]:
            raise self._wrong(f"{name} {'falta' if name in members else 'não está no manifesto'}")
        known = {member_of(each.name) for each in self.manifest.tables} | {SETUP}
        for name, member in members.items():
            if name not in known and not _FILE.fullmatch(name):
                raise self._wrong(f"{name} não é tabela descrita nem arquivo do cofre")
            if there[name] != member.size or self._digest(name) != member.sha256:
                raise self._wrong(f"{name} foi alterado: o resumo não confere")
        for shape in self.manifest.tables:
            if not is_ours(shape.name):
                raise self._wrong(f"a tabela {shape.name} não é do registro")
            if member_of(shape.name) not in members:
                raise self._wrong(f"a tabela {shape.name} está descrita e não tem linhas")
            count = sum(1 for _ in self.rows(shape))
            if count != self.manifest.rows_of(shape.name):
                said = self.manifest.rows_of(shape.name)
                raise self._wrong(f"{shape.name} tem {count} linhas e o manifesto diz {said}")

    def rows(self, shape: TableShape) -> Iterator[dict[str, Any]]:
        """The rows of a table by column. Raises ArchiveError naming the line that is wrong."""
        number = 1
        try:
            with self._zip.open(member_of(shape.name)) as member:
                for line in member:
                    yield shape.decode(json.loads(line))
                    number += 1
        except (ValueError, ShapeError) as error:
            raise self._wrong(f"{member_of(shape.name)}, linha {number}: {error}") from error
        except _BROKEN as error:
            raise self._wrong(f"{member_of(shape.name)} não pode ser lido") from error

    def open_file(self, sha256: str) -> IO[bytes]:
        """A file of the vault, to be read."""
        return self._zip.open(f"files/{sha256}")

    def setup(self) -> bytes | None:
        """The set-up file's content; None when the installation had none."""
        return self._zip.read(SETUP) if SETUP in self.manifest.members else None

    def digest_of_file(self, sha256: str) -> str:
        """The sha256 that the manifest gives for the content of a file; another than its name for a damaged one."""
        return self.manifest.members[f"files/{sha256}"].sha256

    def _digest(self, name: str) -> str:
        digest = hashlib.sha256()
        try:
            with self._zip.open(name) as member:
                while chunk := member.read(_CHUNK):
                    digest.update(chunk)
        except _BROKEN as error:
            raise self._wrong(f"{name} está danificado e não pode ser lido") from error
        return digest.hexdigest()

    def _wrong(self, what: str) -> ArchiveError:
        return ArchiveError(f"{self.path}: {what}. Nada foi mudado: use outra cópia.")

    def _manifest(self) -> Manifest:
        try:
            if self._zip.getinfo(MANIFEST).file_size > LARGEST_MANIFEST:
                raise ValueError("no manifest is that large")
            content = json.loads(self._zip.read(MANIFEST))
            if content["format"] != FORMAT:
                raise KeyError("format")
            version = int(content["version"])
        except (*_BROKEN, ValueError, TypeError) as error:
            raise ArchiveError(f"{self.path}: não é uma cópia feita por `registry backup`.") from error
        if version > VERSION:
            raise self._wrong(f"é de um formato mais novo ({version}) que este programa: atualize o programa")
        try:
            return _read_manifest(content)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._wrong("o manifesto está danificado") from error


def _read_manifest(content: Mapping[str, Any]) -> Manifest:
    tables = tuple(TableShape.from_json(each) for each in content["tables"])
    for each in tables:
        if not _TABLE.fullmatch(member_of(each.name)):
            raise ValueError(each.name)
        if any(";" in index.where for index in each.indexes):
            raise ValueError(f"{each.name}: the condition of an index is one expression")
    datetime.fromisoformat(content["made_at"])
    return Manifest(
        made_at=content["made_at"],
        program=str(content["program"]),
        engine=str(content["engine"]),
        revisions={str(name): str(revision) for name, revision in content["revisions"].items()},
        head=Head(int(content["head"]["count"]), str(content["head"]["hash"])),
        tables=tables,
        members={name: Member(each["sha256"], each["size"], each["rows"]) for name, each in content["members"].items()},
        missing=tuple(content["missing"]),
        faults=int(content["faults"]),
    )
