"""What the tests of backup and restore share: an office, its archive, the rows of a database, a process that dies."""

from __future__ import annotations

import hashlib
import json
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile
from zoneinfo import ZoneInfo

from sqlalchemy import select

from registry.domain.occasion import Occasion
from registry.services.backup import RESTORED, Made, Restored, back_up, restore
from registry.services.desk import Desk
from registry.store.archive import MANIFEST, Archive
from registry.store.backup import snapshot
from registry.store.engine import Store
from registry.store.shapes import shapes_of
from tests import factories
from tests.factories import Clerk

NIGHT = datetime(2026, 12, 1, 3, tzinfo=UTC)
OCCASION = Occasion(actor="linha de comando", authority=factories.PORT, at=NIGHT, zone=ZoneInfo("America/Recife"))
Rows = dict[str, list[list[Any]]]


def quiet(_step: str) -> None:
    """Hears the steps and says nothing."""


def save(desk: Desk, path: Path, tell: Callable[[str], None] = quiet) -> Made:
    return back_up(OCCASION, desk.store, desk.files, path, tell)


def put_back(store: Store, files: Path, path: Path, tell: Callable[[str], None] = quiet, **options: bool) -> Restored:
    return restore(OCCASION, store, (), files, path, tell, **options)


def rows(store: Store) -> Rows:
    """Every row of every table of the registry, in order."""
    with snapshot(store) as connection:
        found = {
            shape.name: sorted((shape.encode(row) for row in connection.execute(select(shape.plain()))), key=repr)
            for shape in shapes_of(connection)
        }
    store.close()
    return found


def without_restore(found: Rows) -> Rows:
    """The rows without the audit entries that restores leave."""
    kept = [each for each in found["audit_entry"] if RESTORED not in each]
    return {**found, "audit_entry": kept}


def vault(files: Path) -> set[str]:
    return {path.name for path in files.rglob("*") if path.is_file()}


def furnish(desk: Desk, clerk: Clerk) -> None:
    """A request with a paper, a company, a permit."""
    boat = factories.vehicle(desk, clerk)
    request_id = factories.filed(desk, clerk, vehicle_id=boat)
    factories.accept(desk, clerk, request_id, "registro", date(2027, 12, 31))
    factories.permit(desk.store, factories.company(desk, clerk), boat)


def add_more(desk: Desk, clerk: Clerk) -> None:
    """A second request, with a paper of its own."""
    applicant = factories.person(desk, clerk, factories.CPFS[3], "Depois")
    made = factories.filed(desk, clerk, applicant_id=applicant, vehicle_id=factories.vehicle(desk, clerk, "KGA1C34"))
    factories.attach(desk, clerk, made, "fotos", factories.PDF + b"other")


def rewrite(path: Path, members: Callable[[dict[str, bytes]], None]) -> None:
    """Writes an archive anew with other members."""
    with ZipFile(path) as file:
        content = {name: file.read(name) for name in file.namelist()}
    members(content)
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        for name, each in content.items():
            file.writestr(name, each)


def edit_manifest(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    def edit(members: dict[str, bytes]) -> None:
        manifest = json.loads(members[MANIFEST])
        change(manifest)
        members[MANIFEST] = json.dumps(manifest).encode()

    rewrite(path, edit)


def edit_rows(path: Path, table: str, change: Callable[[bytes], bytes]) -> None:
    """Changes the rows of a table as a forger would who knows the manifest."""

    def edit(members: dict[str, bytes]) -> None:
        name = f"tables/{table}.jsonl"
        members[name] = change(members[name])
        manifest = json.loads(members[MANIFEST])
        manifest["members"][name] = {
            "sha256": hashlib.sha256(members[name]).hexdigest(),
            "size": len(members[name]),
            "rows": members[name].count(b"\n"),
        }
        members[MANIFEST] = json.dumps(manifest).encode()

    rewrite(path, edit)


def killed(at: str, act: Callable[[Callable[[str], None]], object]) -> bool:
    """Runs in a process of its own, which is killed when the step begins; False when it never came to it."""
    child = os.fork()
    if child == 0:

        def tell(step: str) -> None:
            if step.startswith(at):
                os.kill(os.getpid(), signal.SIGKILL)

        with suppress(BaseException):
            act(tell)
        os._exit(1)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def files_of(archive: Path) -> set[str]:
    """The files of the vault in an archive."""
    with Archive(archive) as found:
        return set(found.manifest.files)
