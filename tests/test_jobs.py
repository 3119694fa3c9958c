"""The queue: what a screen puts in is done by the worker, once; what another hand put there is not run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import inspect

from registry.jobs import Jobs
from registry.services.desk import Desk
from registry.store.engine import Store
from tests import factories
from tests.factories import NOON


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> Desk:
    return factories.desk(store, tmp_path)


@pytest.fixture
def jobs(desk: Desk) -> Iterator[Jobs]:
    made = Jobs(desk, lambda: NOON)
    made.queue.storage.flush_all()
    yield made
    made.queue.storage.flush_all()
    made.queue.storage.close()


def test_what_is_put_in_is_done_by_the_worker(jobs: Jobs) -> None:
    done, seen = Event(), []

    @jobs.queue.task(name="note")
    def note(number: int) -> None:
        seen.append(number)
        if len(seen) == 2:
            done.set()

    note(7)
    note(8)
    assert jobs.waiting == 2
    stop = jobs.work_beside()
    try:
        assert done.wait(20)
    finally:
        stop()
    assert (seen, jobs.waiting) == ([7, 8], 0)


def test_what_another_hand_put_there_is_not_run(jobs: Jobs, desk: Desk) -> None:
    ran, own = Event(), Event()

    @jobs.queue.task(name="note")
    def note(foreign: bool) -> None:
        (ran if foreign else own).set()

    message = jobs.queue.serialize_task(note.s(True))
    jobs.queue.storage.enqueue(message[:-1] + (b"0" if message[-1:] != b"0" else b"1"))
    note(False)
    stop = jobs.work_beside()
    try:
        assert own.wait(20)
    finally:
        stop()
    assert not ran.is_set()


@pytest.mark.parametrize(("hour", "minute", "is_night"), [(6, 9, False), (6, 10, True), (6, 11, False), (3, 10, False)])
def test_the_night_is_by_the_clock_of_the_authority(jobs: Jobs, hour: int, minute: int, is_night: bool) -> None:
    assert jobs._is_night(datetime(2026, 11, 30, hour, minute)) is is_night  # noqa: DTZ001


def test_the_tables_of_the_queue_are_not_among_the_registrys(jobs: Jobs, store: Store) -> None:
    assert jobs.waiting == 0
    assert not [name for name in inspect(store.read_engine).get_table_names() if "huey" in name or name == "task"]
