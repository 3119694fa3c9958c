"""What a case file leaves out is filled, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

import pytest

from registry.domain.convert import ConversionError, fill_absent, to_type


@dataclass(frozen=True)
class Vehicle:
    plate: str
    year: int
    seized: bool


@dataclass(frozen=True)
class Sparse:
    flag: bool
    sure: bool | None
    note: str | None
    level: Literal["a", "b", None]
    listed: tuple[str, ...]
    group: Mapping[str, int]
    many: list[Vehicle]
    one: Vehicle | None
    by_id: Mapping[str, Vehicle]
    quantity: int = 1
    extra: tuple[int, ...] = field(default_factory=tuple)


def test_what_a_case_leaves_out_is_false_null_or_empty():
    assert to_type(fill_absent(Sparse, {}), Sparse) == Sparse(
        flag=False, sure=None, note=None, level=None, listed=(), group={}, many=[], one=None, by_id={}
    )


def test_without_flags_an_absent_yes_or_no_is_an_error_at_every_depth():
    car = {"plate": "x", "year": 1}
    for data, path in (({}, "flag"), ({"flag": True, "many": [car]}, "many[0].seized")):
        with pytest.raises(ConversionError) as caught:
            fill_absent(Sparse, data, flags=False)
        assert caught.value.path == path
    whole = {"flag": True, "many": [{**car, "seized": False}]}
    assert fill_absent(Sparse, whole, flags=False)["listed"] == ()


def test_what_stands_in_nested_groups_is_filled_too():
    car = {"plate": "x", "year": "1"}
    data = {"many": [car], "one": car, "by_id": {"k": car}, "quantity": "3", "flag": "true"}
    filled = to_type(fill_absent(Sparse, data), Sparse)
    whole = Vehicle("x", 1, False)
    assert (filled.many, filled.one, filled.by_id) == ([whole], whole, {"k": whole})
    assert (filled.quantity, filled.flag) == (3, True)
    assert data["many"] == [{"plate": "x", "year": "1"}]


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"one": {"plate": "x"}}, "one.year"),
        ({"many": [{"plate": "x", "year": "1"}, {"year": "1"}]}, "many[1].plate"),
        ({"by_id": {"k": {"year": "1"}}}, "by_id.k.plate"),
    ],
)
def test_a_number_or_name_that_is_left_out_is_an_error(data, path):
    with pytest.raises(ConversionError) as caught:
        fill_absent(Sparse, data)
    assert caught.value.path == path


def test_a_keyword_field_is_filled_under_its_outer_name():
    @dataclass(frozen=True)
    class Ban:
        from_: date | None
        until: date | None

    assert fill_absent(Ban, {"until": "2026-01-01"}) == {"from": None, "until": "2026-01-01"}
    assert fill_absent(Ban, {"from_": "x", "until": ""}) == {"from_": "x", "until": ""}


def test_a_misspelt_key_of_a_case_is_still_found():
    with pytest.raises(ConversionError) as caught:
        to_type(fill_absent(Sparse, {"flga": "true"}), Sparse)
    assert caught.value.path == "flga"
