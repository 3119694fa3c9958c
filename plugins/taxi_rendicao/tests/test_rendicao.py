from __future__ import annotations

from datetime import datetime, time
from zoneinfo import ZoneInfo

import pytest

from registry_taxi_rendicao.api import Group, HandOverError, Span, hand_over_at

ZONE = ZoneInfo("America/Recife")
GROUPS = (
    Group((0, 1), (Span(time(11), time(12)), Span(time(17), time(18))), "row-a"),
    Group((2, 3), (Span(time(12), time(13)),), "row-b"),
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


@pytest.mark.parametrize(
    ("digit", "clock", "inside"),
    [
        (0, "10:59:59", False),
        (0, "11:00:00", True),
        (0, "11:59:59", True),
        (0, "12:00:00", False),
        (1, "17:30:00", True),
        (2, "12:00:00", True),
        (2, "13:00:00", False),
    ],
)
def test_each_instant_belongs_to_one_window_at_most(digit: int, clock: str, inside: bool) -> None:
    found = hand_over_at(GROUPS, digit, at(f"2026-11-30T{clock}"), ZONE)
    assert (found.current is not None) is inside


def test_the_current_window_tells_its_end() -> None:
    found = hand_over_at(GROUPS, 1, at("2026-11-29T17:30:00"), ZONE)
    assert found.group.provision == "row-a"
    assert [span.text for span in found.group.spans] == ["11:00-12:00", "17:00-18:00"]
    assert found.until == datetime.fromisoformat("2026-11-29T18:00")
    assert hand_over_at(GROUPS, 1, at("2026-11-29T18:00:00"), ZONE).until is None


def test_an_instant_from_elsewhere_is_brought_to_the_zone() -> None:
    assert hand_over_at(GROUPS, 0, datetime.fromisoformat("2026-11-30T14:00:00+00:00"), ZONE).current is not None


def test_a_digit_without_group_and_a_naive_instant_are_refused() -> None:
    with pytest.raises(HandOverError, match="9"):
        hand_over_at(GROUPS, 9, at("2026-11-30T11:00:00"), ZONE)
    with pytest.raises(ValueError, match="aware"):
        hand_over_at(GROUPS, 0, datetime.fromisoformat("2026-11-30T11:00"), ZONE)
