"""Transactions: one writer at a time, nothing lost, readers that cannot write."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from registry.store.access import Authority, UserRole
from registry.store.engine import Store, StoreError


def _authority(code: str = "a", name: str = "0") -> Authority:
    return Authority(code=code, name=name, zone="America/Recife")


def test_what_is_written_is_read(store: Store) -> None:
    with store.writing() as session:
        session.add(_authority())
    with store.reading() as session:
        assert session.scalars(select(Authority.code)).all() == ["a"]


def test_an_error_rolls_everything_back(store: Store) -> None:
    with pytest.raises(RuntimeError), store.writing() as session:
        session.add(_authority())
        session.flush()
        raise RuntimeError
    with store.reading() as session:
        assert session.scalars(select(Authority)).all() == []


def test_a_reading_session_cannot_write(store: Store) -> None:
    with pytest.raises(DBAPIError), store.reading() as session:
        session.add(_authority())
        session.flush()
    with store.writing() as session:
        assert session.scalars(select(Authority)).all() == []


def test_foreign_keys_hold(store: Store) -> None:
    with pytest.raises(IntegrityError), store.writing() as session:
        session.add(UserRole(user_id=404, role="diretor"))


def test_writing_inside_writing_is_refused_at_once(store: Store) -> None:
    with store.writing() as session:
        session.add(_authority())
        with pytest.raises(StoreError, match="writing"), store.writing():
            pass
    with store.writing() as session:
        assert session.scalars(select(Authority.code)).all() == ["a"]


def test_a_reader_does_not_wait_for_a_writer(store: Store) -> None:
    with store.writing() as writer:
        writer.add(_authority())
        writer.flush()
        with store.reading() as reader:
            assert reader.scalars(select(Authority)).all() == []


def test_no_update_is_lost_among_eight_writers(store: Store) -> None:
    with store.writing() as session:
        session.add(_authority())
    start = Barrier(8)

    def add_one(_: int) -> None:
        start.wait()
        for _ in range(10):
            with store.writing() as session:
                row = session.scalars(select(Authority)).one()
                row.name = str(int(row.name) + 1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add_one, range(8)))
    with store.reading() as session:
        assert session.scalars(select(Authority.name)).one() == "80"


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "mysql://host/name"])
def test_an_unfit_database_is_refused(url: str) -> None:
    with pytest.raises(StoreError):
        Store(url)


def test_the_short_name_of_postgresql_is_understood() -> None:
    assert Store("postgres://user:secret@host/name").url.drivername == "postgresql+psycopg"


def test_sqlite_is_set_for_many_readers_and_safe_commits(sqlite_store: Store) -> None:
    with sqlite_store.reading() as session:
        values = {name: session.execute(text(f"pragma {name}")).scalar() for name in ("journal_mode", "foreign_keys")}
    assert values == {"journal_mode": "wal", "foreign_keys": 1}
