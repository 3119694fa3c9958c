"""Undoing a merge of any records is as if it never was."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from registry.services.desk import Desk
from registry.services.merging import undo
from registry.store.charges import Charge
from registry.store.people import Membership, Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.requests import Request
from registry.store.vehicles import FormerPlate, Restriction, Vehicle
from tests import factories
from tests.factories import NOON, PORT
from tests.services.merges import merged, snapshot


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    links=st.lists(st.tuples(st.sampled_from("rcmp"), st.integers(0, 2), st.integers(0, 2)), max_size=12),
    taken=st.sets(st.sampled_from(["name", "document", "born_on", "phone", "email", "cnh"])),
    chain=st.booleans(),
)
def test_undoing_a_merge_of_any_people_is_as_if_it_never_was(
    sqlite_desk: Desk, links: list[tuple[str, int, int]], taken: set[str], chain: bool
) -> None:
    desk = sqlite_desk
    jonas = factories.clerk(desk.store)
    with desk.store.writing() as session:
        who = [
            Person(
                authority=PORT,
                kind="natural",
                name=f"Ana {n}",
                document="",
                phone=f"{n}",
                created_at=NOON,
                facts={n: 1},
            )
            for n in "abc"
        ]
        session.add_all(who)
        session.flush()
        ids = [each.id for each in who]
        for kind, one, other in links:
            session.add(_link(kind, ids[one], ids[other]))
    before = snapshot(desk)
    done = [merged(desk, jonas, "person", ids[0], ids[1], tuple(taken))]
    if chain:
        done.append(merged(desk, jonas, "person", ids[2], ids[0], tuple(taken)))
    for each in reversed(done):
        undo(jonas.occasion(hours=1), desk, each, "Eram outras pessoas")
    assert snapshot(desk) == before


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    links=st.lists(st.tuples(st.sampled_from("rufb"), st.integers(0, 2)), max_size=12),
    taken=st.sets(st.sampled_from(["plate", "renavam", "make", "year_made", "first_registered_on", "colour"])),
    chain=st.booleans(),
)
def test_undoing_a_merge_of_any_vehicles_is_as_if_it_never_was(
    sqlite_desk: Desk, links: list[tuple[str, int]], taken: set[str], chain: bool
) -> None:
    desk = sqlite_desk
    jonas = factories.clerk(desk.store)
    with desk.store.writing() as session:
        ids = [_car(session, year) for year in (2020, 2021, None)]
        for kind, which in links:
            session.add(_on_car(session, kind, ids[which]))
    before = snapshot(desk)
    done = [merged(desk, jonas, "vehicle", ids[0], ids[1], tuple(taken))]
    if chain:
        done.append(merged(desk, jonas, "vehicle", ids[2], ids[0], tuple(taken)))
    for each in reversed(done):
        undo(jonas.occasion(hours=1), desk, each, "Eram outros carros")
    assert snapshot(desk) == before


def _car(session: Session, year: int | None) -> int:
    plate = f"{chr(65 + next(factories._serial) % 26)}XY{next(factories._serial) % 10_000:04}"
    first = date(year, 5, 1) if year else None
    made = Vehicle(
        authority=PORT, plate=plate, plate_key=plate, make=f"Naval {year}", year_made=year, first_registered_on=first,
        created_at=NOON, facts={str(year): 1},
    )  # fmt: skip
    session.add(made)
    session.flush()
    return made.id


def _on_car(session: Session, kind: str, vehicle_id: int) -> Any:
    day = date(2020, 1, 1) + timedelta(days=next(factories._serial))
    if kind == "r":
        return Request(
            authority=PORT, regime="sumido", kind="novo", vehicle_id=vehicle_id, state="rascunho", opened_at=NOON
        )
    if kind == "f":
        return FormerPlate(
            authority=PORT, vehicle_id=vehicle_id, plate="AAA0001", plate_key="AAA0001", until=day, recorded_at=NOON
        )
    if kind == "b":
        return Restriction(
            authority=PORT, regime="sumido", kind="seizure", vehicle_id=vehicle_id, since=day, recorded_at=NOON
        )
    permit = Permit(
        authority=PORT, regime="sumido", number=f"{next(factories._serial)}", category="x", granted_on=day,
        ended_on=date(2022, 1, 1), created_at=NOON,
    )  # fmt: skip
    session.add(permit)
    session.flush()
    return PermitVehicle(permit_id=permit.id, vehicle_id=vehicle_id, since=day)


def _link(kind: str, one: int, other: int) -> Any:
    if kind == "r":
        return Request(
            authority=PORT, regime="sumido", kind="novo", applicant_id=one, cooperative_id=other, state="rascunho",
            opened_at=NOON,
        )  # fmt: skip
    if kind == "c":
        return Charge(
            authority=PORT, regime="sumido", kind="fee", plan="x", label="X", debtor_id=one, plugin="sumido", given={},
            question="x", number=f"{next(factories._serial)}", opened_at=NOON,
        )  # fmt: skip
    if kind == "m":
        day = date(2020, 1, 1) + timedelta(days=next(factories._serial))
        return Membership(cooperative_id=one, member_id=other, since=day, until=day, recorded_at=NOON)
    return Permit(
        authority=PORT, regime="sumido", number=f"{next(factories._serial)}", category="x", holder_id=one,
        cooperative_id=other, granted_on=date(2020, 1, 1), ended_on=date(2021, 1, 1), created_at=NOON,
    )  # fmt: skip


@pytest.fixture
def sqlite_desk(sqlite_store: Any, tmp_path: Any) -> Desk:
    return factories.desk(sqlite_store, tmp_path)
