"""The nightly run: lists follow the day, the audit head is kept, a rule that fails hides nothing else."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from registry.cli import cli
from registry.cli.console import Console
from registry.domain.occasion import Occasion
from registry.jobs import Swept, nightly
from registry.services.desk import Desk
from registry.store.audit import head
from registry.store.audit_head import read_heads
from registry.store.requests import Request
from tests import factories, regime
from tests.factories import NOON, OTHER, PORT, ZONE, Clerk
from tests.services import steps

EXPIRES = date(2026, 12, 14)


@pytest.fixture
def request_id(desk: Desk, jonas: Clerk) -> int:
    """A request on which only the decision is left, whose register expires on 14 December."""
    made = factories.filed(desk, jonas)
    factories.accept(desk, jonas, made, "registro", EXPIRES)
    for code in ("fotos", "fotos", "antecedentes"):
        factories.accept(desk, jonas, made, code)
    steps.pay(desk, jonas, made)
    steps.inspect(desk, jonas, made)
    steps.pay(desk, jonas, made, hours=steps.LATER)
    return made


def on(day: date) -> Any:
    """Occasions at noon of a day."""
    at = NOON + (day - NOON.date())
    return lambda authority: Occasion(actor="noite", authority=authority, at=at, zone=ZONE)


def shown(desk: Desk, request_id: int) -> tuple[str, str]:
    with desk.store.reading() as session:
        row = session.get_one(Request, request_id)
        return row.shown, row.next_step


@pytest.mark.parametrize(("later", "changes"), [(-1, 0), (0, 0), (1, 1)])
def test_a_list_follows_the_day_on_which_a_paper_expires(
    desk: Desk, request_id: int, tmp_path: Path, later: int, changes: int
) -> None:
    before = shown(desk, request_id)
    night = nightly(desk, on(EXPIRES + timedelta(days=later)), tmp_path / "heads.txt")
    assert night.swept == (Swept(PORT, changes, 0), Swept(OTHER, 0, 0)) and not night.failed
    assert (shown(desk, request_id) != before) is bool(changes)


def test_each_night_adds_the_head_of_the_chain(desk: Desk, request_id: int, tmp_path: Path) -> None:
    file = tmp_path / "kept" / "heads.txt"
    for day in (1, 2):
        nightly(desk, on(date(2026, 12, day)), file)
    with desk.store.reading() as session:
        assert read_heads(file) == [head(session)] * 2
    assert file.read_text().startswith("2026-12-01T15:00:00Z ")


def test_a_rule_that_fails_is_counted_and_the_head_is_kept(
    desk: Desk, request_id: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: Any) -> Any:
        raise ZeroDivisionError

    before = shown(desk, request_id)
    monkeypatch.setattr(type(regime.seats), "__call__", broken)
    night = nightly(desk, on(EXPIRES + timedelta(days=1)), tmp_path / "heads.txt")
    assert night.failed and night.swept[0] == Swept(PORT, 0, 1)
    assert shown(desk, request_id) == before and read_heads(tmp_path / "heads.txt")


def test_the_command_tells_what_it_did_and_ends_with_1_when_a_rule_failed(
    desk: Desk, request_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = Console(clock=lambda: NOON + timedelta(days=15))
    console.host, console.settings, console.store = desk.host, desk.settings, desk.store
    monkeypatch.setattr(Console, "migrated", lambda self: self.store)
    done = CliRunner().invoke(cli, ["jobs", "run"], obj=console)
    assert done.exit_code == 0, done.output
    assert "porto: 1 requerimentos atualizados.\noutro: 0 requerimentos" in done.output
    assert len(read_heads(desk.settings.var / "audit" / "heads.txt")) == 1
    monkeypatch.setattr(type(regime.seats), "__call__", lambda *given: 1 / 0)
    failed = CliRunner().invoke(cli, ["jobs", "run"], obj=console)
    assert failed.exit_code == 1 and "1 sem resposta da regra" in failed.output
