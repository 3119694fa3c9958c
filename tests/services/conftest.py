"""A desk with the invented regime and its clerks, on each engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.services.desk import Desk
from registry.store.engine import Store
from tests import factories
from tests.factories import Clerk


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> Desk:
    """The desk of both invented authorities."""
    return factories.desk(store, tmp_path)


@pytest.fixture
def jonas(desk: Desk) -> Clerk:
    """An analyst of the port."""
    return factories.clerk(desk.store)


@pytest.fixture
def rita(desk: Desk) -> Clerk:
    """A second analyst of the port."""
    return factories.clerk(desk.store, "Rita")


@pytest.fixture
def stranger(desk: Desk) -> Clerk:
    """An analyst of the other authority."""
    return factories.clerk(desk.store, "Bruno", factories.OTHER)
