"""The audit chain: what was altered, removed or reordered is found, and the database refuses to do it."""

from __future__ import annotations

import dataclasses
import hashlib
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Date, Integer, String, Table, insert, text
from sqlalchemy.exc import IntegrityError

from registry.store.audit import MOST_FAULTS, START, AuditEntry, Change, Head, head, plain, record, record_many, verify
from registry.store.audit_head import HeadError, append_head, read_heads
from registry.store.engine import Store
from registry.store.tables import METADATA
from registry.store.types import Money, UtcDateTime


class Colour(Enum):
    WHITE = "branco"


def fill(store: Store, occasion, count: int = 6) -> list[Head]:
    """Writes entries; answers the head after each."""
    heads = []
    for number in range(1, count + 1):
        with store.writing() as session:
            record(session, occasion(), "person.changed", "person", number, {"name": "A"}, {"name": f"Ç{number}"})
            heads.append(head(session))
    return heads


def tamper(store: Store, *statements: str) -> None:
    """Changes entries as somebody with the database's password could: with the triggers out of the way."""
    with store.engine.begin() as connection:
        if store.dialect == "postgresql":
            connection.execute(text("set local session_replication_role = replica"))
        else:
            query = "select name from sqlite_master where type = 'trigger' and tbl_name = 'audit_entry'"
            for name in connection.execute(text(query)).scalars().all():
                connection.execute(text(f"drop trigger {name}"))
        for each in statements:
            connection.execute(text(each))


def kinds(store: Store, kept: Head | list[Head] | None = None) -> list[tuple[int, str]]:
    with store.reading() as session:
        return [(fault.seq, fault.kind) for fault in verify(session, kept).faults]


def test_an_empty_chain_is_whole(store: Store) -> None:
    with store.reading() as session:
        report = verify(session)
    assert report.intact
    assert report.head == Head(0, START)


def test_a_chain_is_whole_and_agrees_with_every_head_kept_of_it(town: Store, occasion) -> None:
    heads = fill(town, occasion)
    assert kinds(town, heads) == []
    with town.reading() as session:
        assert verify(session).head == heads[-1]
        assert [heads[0].count, heads[-1].count] == [1, 6]


def test_the_hash_does_not_depend_on_the_engine_or_the_zone(town: Store, occasion) -> None:
    there = dataclasses.replace(occasion(), at=occasion().at.astimezone(timezone(timedelta(hours=-3))))
    with town.writing() as session:
        entry = record(session, there, "person.changed", "person", 7, None, {"b": [1, "ç"], "a": None})
    content = (
        '{"action":"person.changed","actor":"ana","after":{"a":null,"b":[1,"\\u00e7"]},'
        '"at":"2026-11-30T15:04:05.678901+00:00","authority":"a","before":null,"office":"",'
        f'"previous":"{START}","subject":"person","subject_id":7,"trace_id":""}}'
    )
    assert entry.hash == hashlib.sha256(content.encode()).hexdigest()


def test_values_of_every_kind_come_back_and_still_hash_alike(town: Store, occasion) -> None:
    values = {
        "decimal": Decimal("2.4700"),
        "day": date(2026, 11, 30),
        "instant": datetime(2026, 11, 30, 12, tzinfo=timezone(timedelta(hours=-3))),
        "hour": time(22, 0),
        "enum": Colour.WHITE,
        "set": {"b", "a"},
        "tuple": (1, True, None),
        "zero byte": "a\x00b",
        "large": 10**20,
        7: {"nested": "ok"},
    }
    with town.writing() as session:
        record(session, occasion(), "x", "person", 1, values, None)
    with town.reading() as session:
        entry = session.get_one(AuditEntry, 1)
        assert entry.before == {
            "decimal": "2.4700",
            "day": "2026-11-30",
            "instant": "2026-11-30T15:00:00+00:00",
            "hour": "22:00:00",
            "enum": "branco",
            "set": ["a", "b"],
            "tuple": [1, True, None],
            "zero byte": "ab",
            "large": 10**20,
            "7": {"nested": "ok"},
        }
        assert entry.after is None
    assert kinds(town) == []


def test_a_float_has_no_exact_form() -> None:
    with pytest.raises(TypeError, match="float"):
        plain({"km": 1.5})


@pytest.mark.parametrize(
    "statement",
    ["update audit_entry set actor = 'eva'", "delete from audit_entry where seq = 6", "delete from audit_entry"],
)
def test_the_database_refuses_to_change_or_remove(town: Store, occasion, statement: str) -> None:
    fill(town, occasion)
    with pytest.raises(IntegrityError, match="never changed or removed"), town.writing() as session:
        session.execute(text(statement))
    assert kinds(town) == []


def test_the_database_refuses_to_replace(town: Store, occasion) -> None:
    fill(town, occasion)
    columns = ", ".join(f'"{column.name}"' for column in AuditEntry.__table__.columns)
    if town.dialect == "postgresql":
        attack = f"insert into audit_entry select {columns} from audit_entry where seq = 2"
        attack += " on conflict (seq) do update set actor = 'eva'"
    else:
        attack = f"insert or replace into audit_entry select {columns} from audit_entry where seq = 2"
    with pytest.raises(IntegrityError, match="never changed or removed"), town.writing() as session:
        session.execute(text(attack))


def test_postgresql_refuses_to_truncate(town: Store, occasion) -> None:
    if town.dialect != "postgresql":
        pytest.skip("SQLite has no TRUNCATE")
    fill(town, occasion)
    with pytest.raises(IntegrityError, match="never changed or removed"), town.writing() as session:
        session.execute(text("truncate audit_entry"))


@pytest.mark.parametrize(
    "column", ["authority", "actor", "office", "trace_id", "action", "subject", "previous", "hash"]
)
def test_an_altered_text_is_found(town: Store, occasion, column: str) -> None:
    fill(town, occasion)
    tamper(town, f"update audit_entry set {column} = 'x' where seq = 3")
    assert (3, "altered") in kinds(town)


@pytest.mark.parametrize("change", ["subject_id = 99", "before = null", 'after = \'{"name": "outra"}\''])
def test_an_altered_value_is_found(town: Store, occasion, change: str) -> None:
    fill(town, occasion)
    tamper(town, f"update audit_entry set {change} where seq = 3")
    assert kinds(town) == [(3, "altered")]


def test_an_instant_moved_by_a_microsecond_is_found(town: Store, occasion) -> None:
    fill(town, occasion)
    moved = occasion().at + timedelta(microseconds=1)
    stamp = moved.isoformat() if town.dialect == "postgresql" else f"{moved.replace(tzinfo=None)}"
    tamper(town, f"update audit_entry set at = '{stamp}' where seq = 6")
    assert kinds(town) == [(6, "altered")]


@pytest.mark.parametrize(("gone", "first"), [("seq = 1", 1), ("seq = 3", 3), ("seq in (3, 4)", 3)])
def test_a_removed_entry_is_found(town: Store, occasion, gone: str, first: int) -> None:
    fill(town, occasion)
    tamper(town, f"delete from audit_entry where {gone}")
    assert kinds(town) == [(first, "removed")]


def test_a_removed_entry_is_found_though_the_others_were_renumbered(town: Store, occasion) -> None:
    fill(town, occasion)
    tamper(
        town,
        "delete from audit_entry where seq = 3",
        *(f"update audit_entry set seq = {seq - 1} where seq = {seq}" for seq in (4, 5, 6)),
    )
    assert kinds(town) == [(2, "removed")]


def test_a_cut_tail_is_found_with_a_kept_head_alone(town: Store, occasion) -> None:
    heads = fill(town, occasion)
    tamper(town, "delete from audit_entry where seq >= 5")
    assert kinds(town) == []
    assert kinds(town, heads[3]) == []
    assert kinds(town, heads[4]) == [(5, "removed")]
    assert kinds(town, heads[-1]) == [(5, "removed")]


def test_an_emptied_chain_is_found_with_a_kept_head(town: Store, occasion) -> None:
    heads = fill(town, occasion)
    tamper(town, "delete from audit_entry")
    assert kinds(town, heads) == [(1, "removed")]


def test_reordered_entries_are_found(town: Store, occasion) -> None:
    fill(town, occasion)
    tamper(
        town,
        "update audit_entry set seq = 103 where seq = 3",
        "update audit_entry set seq = 3 where seq = 4",
        "update audit_entry set seq = 4 where seq = 103",
    )
    assert kinds(town) == [(3, "reordered"), (4, "reordered"), (5, "reordered")]


def test_a_chain_written_anew_is_found_with_a_kept_head(town: Store, occasion) -> None:
    heads = fill(town, occasion)
    tamper(town, "delete from audit_entry")
    for number in range(1, 9):
        with town.writing() as session:
            record(session, occasion(actor="eva"), "person.changed", "person", number)
    assert kinds(town) == []
    assert kinds(town, heads[-1]) == [(6, "altered")]


def test_a_ruined_chain_names_a_hundred_faults_and_stops(town: Store, occasion) -> None:
    with town.writing() as session:
        for number in range(MOST_FAULTS + 5):
            record(session, occasion(), "x", "person", number)
    tamper(town, "update audit_entry set actor = 'eva'")
    assert len(kinds(town)) == MOST_FAULTS


def test_an_entry_goes_with_its_change(town: Store, occasion) -> None:
    fill(town, occasion, 2)
    with pytest.raises(RuntimeError), town.writing() as session:
        record(session, occasion(), "x", "person", 1)
        raise RuntimeError
    fill(town, occasion, 1)
    with town.reading() as session:
        assert verify(session).intact
        assert head(session).count == 3


def test_eight_threads_make_one_whole_chain(town: Store, occasion, at_once) -> None:
    def write(number: int) -> None:
        for turn in range(10):
            with town.writing() as session:
                record(session, occasion(actor=f"u{number}"), "x", "person", turn)

    at_once(write)
    with town.reading() as session:
        report = verify(session)
    assert report.intact
    assert report.head.count == 80


def test_heads_are_kept_in_a_file_line_by_line(tmp_path) -> None:
    path = tmp_path / "away" / "heads.txt"
    kept = [Head(3, "a" * 64), Head(5, "b" * 64)]
    for each in kept:
        append_head(path, datetime(2026, 11, 30, 3, tzinfo=UTC), each)
    assert read_heads(path) == kept
    assert path.read_text().splitlines()[0] == f"2026-11-30T03:00:00Z 3 {'a' * 64}"


@pytest.mark.parametrize("content", ["", "\n", "2026-11-30T03:00:00Z 3\n", f"2026-11-30T03:00:00Z x {'a' * 64}\n"])
def test_a_file_of_something_else_is_refused(tmp_path, content: str) -> None:
    path = tmp_path / "heads.txt"
    path.write_text(content)
    with pytest.raises(HeadError, match=r"heads\.txt"):
        read_heads(path)


@pytest.mark.parametrize("table", ["posting", "decision"])
def test_postings_and_decisions_are_never_changed_or_removed(town: Store, table: str) -> None:
    with town.migration_engine().connect() as connection, connection.begin():
        if town.dialect == "postgresql":
            connection.execute(text("set local session_replication_role = replica"))
        connection.execute(insert(METADATA.tables[table]).values(_sample(METADATA.tables[table])))
    for change in (f"update {table} set id = 2", f"delete from {table}"):
        with pytest.raises(IntegrityError, match="never changed or removed"), town.writing() as session:
            session.execute(text(change))
    with town.reading() as session:
        assert session.execute(text(f"select count(*) from {table} where id = 1")).scalar() == 1


def _sample(table: Table) -> dict[str, Any]:
    """A row with something in each column that must not be empty; what it refers to need not exist."""
    values: dict[type, Any] = {Integer: 1, String: "x", Money: Decimal(1), Date: date(2026, 11, 30), JSON: []}
    values |= {UtcDateTime: datetime.now(UTC), Boolean: True}
    return {
        column.name: next(value for kind, value in values.items() if isinstance(column.type, kind))
        for column in table.columns
        if not column.nullable
    }


def test_many_changes_at_once_make_the_same_chain(town: Store, occasion) -> None:
    changes = [Change("x", "person", number, None, {"n": number}) for number in range(1, 2_005)]
    with town.writing() as session:
        record(session, occasion(), "x", "person", 0)
        assert record_many(session, occasion(), changes) == len(changes)
        assert record_many(session, occasion(), []) == 0
        record(session, occasion(), "x", "person", 0)
    with town.reading() as session:
        report = verify(session)
        assert session.get_one(AuditEntry, 2_005).after == {"n": 2_004}
    assert report.intact
    assert report.head.count == 2_006
