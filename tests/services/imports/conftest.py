"""A desk whose plugin takes a column of its own, previews and imports of one file."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from registry.services import import_runs, import_undo, imports
from registry.services.desk import Desk
from registry.services.import_write import Written
from registry.services.imports import Choices, ImportReport
from registry.store.engine import Store
from tests import factories, regime
from tests.factories import Clerk
from tests.services.imports.fleet import FLEET, Preview, Quays, Undo


@pytest.fixture
def quays() -> Quays:
    return Quays()


@pytest.fixture
def desk(store: Store, tmp_path: Path, quays: Quays) -> Desk:
    return factories.desk(store, tmp_path, quays.module())


@pytest.fixture
def preview(desk: Desk, jonas: Clerk) -> Preview:
    def made(
        text: str | bytes = FLEET,
        *,
        by: Clerk = jonas,
        code: str = regime.CODE,
        kind: str = "vehicles",
        days: int = 0,
        **choices: Any,
    ) -> ImportReport:
        stream = BytesIO(text.encode() if isinstance(text, str) else text)
        return imports.preview(by.occasion(days=days), desk, code, stream, "frota.csv", Choices(**choices), kind)

    return made


@pytest.fixture
def bring(desk: Desk, jonas: Clerk, preview: Preview) -> Callable[..., Written]:
    def made(text: str | bytes = FLEET, *, by: Clerk = jonas, days: int = 0, **choices: Any) -> Written:
        return imports.write(by.occasion(days=days), desk, preview(text, by=by, days=days, **choices))

    return made


@pytest.fixture
def begin(desk: Desk, jonas: Clerk) -> Callable[..., int]:
    def made(text: str = FLEET, *, kind: str = "vehicles", **choices: Any) -> int:
        code = regime.CODE if kind in ("vehicles", "permits") else ""
        stream = BytesIO(text.encode())
        return import_runs.start(jonas.occasion(), desk, kind, stream, "frota.csv", code, Choices(**choices))

    return made


@pytest.fixture
def undo(desk: Desk, rita: Clerk) -> Undo:
    def made(run_id: int, *, days: float = 1) -> import_undo.Undone:
        return import_undo.undo(rita.occasion(days=days), desk, run_id, "Arquivo errado")

    return made
