"""What the store's tests share: an authority, occasions, threads that begin at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from registry.domain.occasion import Occasion
from registry.store.access import Authority
from registry.store.engine import Store

THREADS = 8
AT = datetime(2026, 11, 30, 15, 4, 5, 678901, tzinfo=UTC)


@pytest.fixture
def town(store: Store) -> Store:
    """A store with the authorities ``a`` and ``b``."""
    with store.writing() as session:
        session.add_all(Authority(code=code, name=code, zone="America/Recife") for code in ("a", "b"))
    return store


@pytest.fixture
def occasion() -> Callable[..., Occasion]:
    def make(once_key: str = "", actor: str = "ana", authority: str = "a") -> Occasion:
        return Occasion(actor=actor, authority=authority, at=AT, zone=ZoneInfo("America/Recife"), once_key=once_key)

    return make


@pytest.fixture
def at_once() -> Callable[[Callable[[int], Any]], list[Any]]:
    """Calls a function in eight threads that start together; answers what each returned, in order."""

    def run(act: Callable[[int], Any]) -> list[Any]:
        start = Barrier(THREADS)

        def wait_and_act(number: int) -> Any:
            start.wait()
            return act(number)

        with ThreadPoolExecutor(THREADS) as pool:
            return list(pool.map(wait_and_act, range(THREADS)))

    return run
