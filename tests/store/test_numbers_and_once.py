"""Numbers without gaps, and acts that are done once, also when eight threads ask at the same time."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from registry.store.access import User
from registry.store.engine import Store, StoreError
from registry.store.numbers import take
from registry.store.once import first_result, remember


def test_numbers_begin_with_one_and_follow_each_other(town: Store) -> None:
    with town.writing() as session:
        assert [take(session, "a", "request", 2026) for _ in range(3)] == [1, 2, 3]
    with town.writing() as session:
        assert take(session, "a", "request", 2026) == 4


def test_each_authority_series_and_year_counts_for_itself(town: Store) -> None:
    with town.writing() as session:
        take(session, "a", "request", 2026)
        assert take(session, "b", "request", 2026) == 1
        assert take(session, "a", "permit", 2026) == 1
        assert take(session, "a", "request", 2027) == 1
        assert take(session, "a", "request", 2026) == 2


def test_a_number_that_was_rolled_back_is_given_again(town: Store) -> None:
    with pytest.raises(RuntimeError), town.writing() as session:
        take(session, "a", "request", 2026)
        raise RuntimeError
    with town.writing() as session:
        assert take(session, "a", "request", 2026) == 1


def test_eight_threads_leave_no_gap_and_no_duplicate(town: Store, at_once) -> None:
    def take_ten(number: int) -> list[int]:
        taken = []
        for turn in range(10):
            try:
                with town.writing() as session:
                    given = take(session, "a", "request", 2026)
                    if (number + turn) % 5 == 0:
                        raise RuntimeError
            except RuntimeError:
                continue
            taken.append(given)
        return taken

    taken = sorted(number for each in at_once(take_ten) for number in each)
    assert taken == list(range(1, len(taken) + 1))
    assert len(taken) == 64


def _add_user(store: Store, occasion) -> str:
    """A creating act as the services write them."""
    with store.writing() as session:
        first = first_result(session, occasion, "user.create")
        if first is not None:
            return first.result
        count = session.scalar(select(func.count()).select_from(User))
        row = User(authority="a", username=f"u{count}", name="u", password_hash="x", created_at=occasion.at)
        session.add(row)
        session.flush()
        remember(session, occasion, "user.create", row.id)
        return str(row.id)


def test_eight_clicks_at_once_make_one_row_and_show_one_result(town: Store, occasion, at_once) -> None:
    results = at_once(lambda _: _add_user(town, occasion(once_key="k")))
    assert len(set(results)) == 1
    with town.reading() as session:
        assert session.scalar(select(func.count()).select_from(User)) == 1


def test_another_key_and_no_key_act_again(town: Store, occasion) -> None:
    results = {_add_user(town, occasion(once_key=key)) for key in ("k", "l", "", "")}
    assert len(results) == 4


def test_a_key_belongs_to_its_authority(town: Store, occasion) -> None:
    with town.writing() as session:
        remember(session, occasion(once_key="k"), "act", 1)
        assert first_result(session, occasion(once_key="k", authority="b"), "act") is None


def test_a_rolled_back_act_may_be_tried_again(town: Store, occasion) -> None:
    with pytest.raises(RuntimeError), town.writing() as session:
        remember(session, occasion(once_key="k"), "act", 1)
        raise RuntimeError
    with town.writing() as session:
        assert first_result(session, occasion(once_key="k"), "act") is None


def test_a_key_of_another_act_is_refused(town: Store, occasion) -> None:
    with town.writing() as session:
        remember(session, occasion(once_key="k"), "act", 1)
    with pytest.raises(StoreError, match="once_key"), town.writing() as session:
        first_result(session, occasion(once_key="k"), "other")
