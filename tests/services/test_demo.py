"""The demonstration with the real plugins: every state, and what the public is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.domain.acts import parse_act
from registry.services import demo, status
from registry.services.desk import Desk
from registry.store.access import UserRole
from registry.store.acts import Act, IndexValue
from registry.store.audit import verify
from registry.store.permits import Permit
from registry.store.requests import Request
from tests.conftest import DEMO_AT as AT
from tests.conftest import Copied

pytestmark = pytest.mark.xdist_group("demo")


@pytest.fixture(scope="module")
def filled(filled_demo: Copied, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, demo.Filled]]:
    """The demonstration's database, filled once."""
    desk, made = filled_demo(tmp_path_factory.mktemp("demo"))
    yield desk, made
    desk.store.close()


def rows_of(desk: Desk) -> list[tuple[str, dict[str, Any]]]:
    """Every story that the plugins tell, with its regime."""
    told = []
    for answer in desk.host.collect("registry_demo_rows"):
        regime = next(each.code for each in desk.host.regimes.values() if each.plugin == answer.plugin)
        told += [(regime, row) for row in answer.value if "vehicle" in row]
    return told


def test_about_two_hundred_permits_and_a_user_a_role(filled: tuple[Desk, demo.Filled]) -> None:
    desk, made = filled
    assert 150 <= sum(made.permits.values()) <= 250
    with desk.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(Permit)) == sum(made.permits.values())
        roles = set(session.scalars(select(UserRole.role)))
    assert roles == set(desk.settings.roles)


def test_every_request_stands_where_its_row_says(filled: tuple[Desk, demo.Filled]) -> None:
    desk, _ = filled
    wanted: dict[str, set[str]] = {}
    for regime, row in rows_of(desk):
        if row["request"]:
            wanted.setdefault(regime, set()).add(row["request"]["state"])
    with desk.store.reading() as session:
        shown: dict[str, set[str]] = {}
        for regime, state in session.execute(select(Request.regime, Request.shown)):
            shown.setdefault(regime, set()).add(state)
    for regime, states in wanted.items():
        assert states <= shown[regime], f"{regime}: {states - shown[regime]} are not there, only {shown[regime]}"


def test_the_public_is_told_each_state(filled: tuple[Desk, demo.Filled]) -> None:
    desk, _ = filled
    allowed = {"authorised", "suspension_over", "suspension_to_come"}
    wrong = []
    with desk.store.reading() as session:
        for regime, row in rows_of(desk):
            if row["permit"] is None or row["request"]:
                continue
            found = status.answers(session, desk, row["vehicle"]["plate"], AT)
            told = next((each.authorized for each in found if each.regime == regime), False)
            if told is not (row["state"] in allowed):
                wrong.append((row["vehicle"]["plate"], row["state"], told))
    assert wrong == []


def test_the_audit_chain_holds(filled: tuple[Desk, demo.Filled]) -> None:
    desk, _ = filled
    with desk.store.reading() as session:
        report = verify(session)
    assert report.intact and report.head.count > 300


def test_the_values_of_acts_have_the_declared_unit_and_rest_on_their_act(filled: tuple[Desk, demo.Filled]) -> None:
    desk, _ = filled
    declared = {key: kind.unit for each in desk.host.plugins.values() for key, kind in each.lawbook.indexes.items()}
    with desk.store.reading() as session:
        for row in session.scalars(select(IndexValue)):
            assert row.unit == declared[row.key]
            assert (row.act_id is not None) is (parse_act(row.act) is not None), row.act
        assert session.scalar(select(func.count()).select_from(Act))
