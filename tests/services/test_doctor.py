"""The installation's examination: what is in order is said, each fault is found and comes with its mend."""

from __future__ import annotations

import os
import shutil
from collections import namedtuple
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from registry import resources
from registry.services import doctor
from registry.services.desk import Desk
from registry.services.doctor import Finding, examine
from registry.settings import DEFAULT_SECRET
from registry.store import audit
from registry.store.audit_head import append_head
from registry.store.engine import Store
from registry.store.requests import StoredFile
from tests import factories
from tests.factories import Clerk


@pytest.fixture
def ask(desk: Desk, jonas: Clerk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Examines the installation: the findings that are not in order, by part."""
    monkeypatch.setattr(doctor.migrate, "of_plugins", lambda _: ())  # the invented plugin lies in no folder
    settings = replace(desk.settings, demo=False, secret_key="long enough for a test", var=tmp_path)
    now = jonas.occasion().at + timedelta(hours=1)

    def examined(**changes: object) -> dict[str, Finding]:
        whole = bool(changes.pop("whole", False))
        given = {"settings": settings, "store": desk.store, "static": resources.static(), "now": now, **changes}
        chosen = given["settings"]
        parts = (chosen, desk.host, given["store"], given["static"], given["now"], heads(tmp_path))
        found = examine(*parts, whole=whole)  # type: ignore[arg-type]
        return {each.part: each for each in reversed(found) if each.state != "ok"}

    return examined


def heads(folder: Path) -> Path:
    return folder / "audit" / "heads.txt"


def export_head(desk: Desk, folder: Path, *, days_old: int = 0) -> None:
    with desk.store.reading() as session:
        now = audit.head(session)
    append_head(heads(folder), factories.NOON, now)
    then = factories.NOON.timestamp() - days_old * 86_400
    os.utime(heads(folder), (then, then))


def test_an_installation_in_order_has_only_its_cookie_to_mend(desk: Desk, ask, tmp_path: Path) -> None:
    export_head(desk, tmp_path)
    # the tests' clock stands still, the PostgreSQL server's does not
    known = {"Configuração"} if desk.store.dialect == "sqlite" else {"Configuração", "Relógio"}
    assert set(ask()) <= known
    assert ask()["Configuração"].state == "attention"
    assert set(ask(whole=True)) <= known


def test_the_secret_of_the_factory_is_a_fault(desk: Desk, ask, tmp_path: Path) -> None:
    found = ask(settings=replace(desk.settings, demo=False, secret_key=DEFAULT_SECRET, var=tmp_path))["Configuração"]
    assert (found.state, "REGISTRY_SECRET_KEY" in found.mend) == ("fault", True)


def test_a_regime_without_plugin_is_a_fault(desk: Desk, ask, tmp_path: Path) -> None:
    authority = next(iter(desk.settings.authorities.values()))
    odd = replace(authority, regimes=("boats_of_nowhere",))
    settings = replace(desk.settings, authorities={odd.code: odd}, var=tmp_path)
    assert "boats_of_nowhere" in ask(settings=settings)["Plugins"].text


def test_a_database_behind_names_the_command(desk: Desk, ask) -> None:
    set_revision = "update alembic_version set version_num = :revision"
    with desk.store.engine.begin() as connection:
        now = connection.execute(text("select version_num from alembic_version")).scalar()
        connection.execute(text(set_revision), {"revision": "0001"})
    try:
        found = ask()["Migrações"]
    finally:
        with desk.store.engine.begin() as connection:
            connection.execute(text(set_revision), {"revision": now})
    assert (found.state, found.mend) == ("fault", "Rode: registry db upgrade")


def test_an_absent_database_is_told_and_not_made(ask, tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/nowhere/registry.db")
    assert ask(store=store)["Banco de dados"].state == "fault"
    assert not (tmp_path / "nowhere").exists()


def test_a_server_that_does_not_answer_shows_no_password(ask) -> None:
    store = Store("postgresql://registry:topsecret@127.0.0.1:1/registry")
    found = ask(store=store)["Banco de dados"]
    assert found.state == "fault"
    assert "topsecret" not in found.text


def test_a_clock_before_the_last_act_is_a_fault(desk: Desk, jonas: Clerk, ask) -> None:
    occasion = jonas.occasion()
    with desk.store.writing() as session:
        audit.record(session, occasion, "thing.done", "thing", 1)

    def is_fault(seconds: int) -> bool:
        found = ask(now=occasion.at - timedelta(seconds=seconds)).get("Relógio")
        return found is not None and found.state == "fault"

    assert [is_fault(seconds) for seconds in (0, 30, 31)] == [False, False, True]


def test_a_file_that_is_gone_is_a_fault(desk: Desk, jonas: Clerk, ask) -> None:
    occasion = jonas.occasion()
    with desk.store.writing() as session:
        digest = "ab" * 32
        session.add(
            StoredFile(
                authority=occasion.authority,
                sha256=digest,
                size=1,
                media_type="application/pdf",
                name="x.pdf",
                uploaded_at=occasion.at,
            )
        )
    assert ask()["Arquivos"].state == "fault"
    assert ask(whole=True)["Arquivos"].state == "fault"


def test_a_changed_font_is_a_fault(ask, tmp_path: Path) -> None:
    static = tmp_path / "static"
    shutil.copytree(resources.static() / "vendor", static / "vendor")
    font = next((static / "vendor").rglob("*.woff2"))
    font.write_bytes(font.read_bytes() + b"x")
    assert font.name in ask(static=static)["Letras e estilos"].text


@pytest.mark.parametrize(
    ("mebibytes", "state"), [(255, "fault"), (256, "attention"), (2047, "attention"), (2048, None)]
)
def test_little_room_on_the_disk(ask, monkeypatch, mebibytes: int, state: str | None) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage(0, 0, mebibytes * 1024 * 1024))
    found = ask().get("Disco")
    assert (found and found.state) == state


def test_heads_that_are_old_missing_or_of_another_chain(desk: Desk, jonas: Clerk, ask, tmp_path: Path) -> None:
    assert ask()["Auditoria"].state == "attention"
    export_head(desk, tmp_path, days_old=3)
    assert "3 dias" in ask()["Auditoria"].text
    with heads(tmp_path).open("a") as file:
        file.write(f"2026-11-30T00:00:00Z 999 {'0' * 64}\n")
    assert ask()["Auditoria"].state == "fault"
    assert ask(whole=True)["Auditoria"].state == "fault"
    heads(tmp_path).write_text("nonsense\n")
    assert "linha 1" in ask()["Auditoria"].text
