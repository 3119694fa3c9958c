"""A desk whose plugin takes a column of its own, previews and imports of one file."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from registry.services import imports
from registry.services.desk import Desk
from registry.services.import_write import Written
from registry.services.imports import Choices, ImportReport
from registry.store.engine import Store
from tests import factories, regime
from tests.factories import Clerk
from tests.services.imports.fleet import FLEET, Preview, Quays


@pytest.fixture
def quays() -> Quays:
    return Quays()


@pytest.fixture
def desk(store: Store, tmp_path: Path, quays: Quays) -> Desk:
    return factories.desk(store, tmp_path, quays.module())


@pytest.fixture
def preview(desk: Desk, jonas: Clerk) -> Preview:
    def made(text: str = FLEET, *, by: Clerk = jonas, code: str = regime.CODE, **choices: Any) -> ImportReport:
        stream = BytesIO(text.encode())
        return imports.preview(by.occasion(), desk, code, stream, "frota.csv", Choices(**choices))

    return made


@pytest.fixture
def bring(desk: Desk, jonas: Clerk, preview: Preview) -> Callable[..., Written]:
    def made(text: str = FLEET, *, by: Clerk = jonas, **choices: Any) -> Written:
        return imports.write(by.occasion(), desk, preview(text, by=by, **choices))

    return made
