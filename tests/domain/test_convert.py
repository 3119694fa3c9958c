"""From text to typed values and back: what is read, what is refused, and where the error stands."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NewType
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from registry.domain.convert import ConversionError, from_plain, to_plain, to_type

RECIFE = ZoneInfo("America/Recife")
Amount = NewType("Amount", Decimal)


class Colour(Enum):
    WHITE = "branco"
    RED = "vermelho"


@dataclass(frozen=True)
class Vehicle:
    plate: str
    year: int
    seized: bool


@dataclass(frozen=True)
class Period:
    from_: datetime
    to: datetime | None


@dataclass(frozen=True)
class Given:
    code: str
    share: Decimal
    on: date
    hour: time
    service: Literal["comum", "especial"]
    band: Literal[1, 2]
    colour: Colour
    vehicle: Vehicle | None
    vehicles: tuple[Vehicle, ...]
    periods: list[Period]
    turns: Mapping[int, tuple[str, ...]]
    extra: dict[str, Decimal]
    tags: frozenset[str]
    note: str | None
    amount: Amount | None


@dataclass(frozen=True)
class Tree:
    name: str
    children: tuple[Tree, ...] = ()


@dataclass(frozen=True)
class Range:
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low above high")


TEXT = """
code: 0101
share: 187.430
on: 2026-11-30
hour: 15:06
service: comum
band: 2
colour: branco
vehicle: {plate: KGA1234, year: 2024, seized: false}
vehicles:
- {plate: ABC1C34, year: 2021, seized: true}
periods:
- {from: 2020-02-21T06:00:00-03:00, to: null}
turns: {1: [a, b], 2: []}
extra: {x: 1.50}
tags: [b, a]
note: ~
amount: 12.00
"""

EXPECTED = Given(
    code="0101",
    share=Decimal("187.430"),
    on=date(2026, 11, 30),
    hour=time(15, 6),
    service="comum",
    band=2,
    colour=Colour.WHITE,
    vehicle=Vehicle("KGA1234", 2024, False),
    vehicles=(Vehicle("ABC1C34", 2021, True),),
    periods=[Period(datetime(2020, 2, 21, 6, tzinfo=RECIFE), None)],
    turns={1: ("a", "b"), 2: ()},
    extra={"x": Decimal("1.50")},
    tags=frozenset({"a", "b"}),
    note=None,
    amount=Amount(Decimal("12.00")),
)


def refusal(value: Any, annotation: Any, **options: Any) -> ConversionError:
    with pytest.raises(ConversionError) as caught:
        to_type(value, annotation, **options)
    return caught.value


# ------------------------------------------------------------------ whole objects


def test_yaml_without_implicit_types_becomes_typed():
    assert to_type(yaml.load(TEXT, yaml.BaseLoader), Given, zone=RECIFE) == EXPECTED


def test_a_typed_object_goes_through_json_and_back():
    plain = json.loads(json.dumps(to_plain(EXPECTED)))
    assert plain["share"] == "187.430"
    assert plain["periods"] == [{"from": "2020-02-21T06:00:00-03:00", "to": None}]
    assert plain["turns"] == {"1": ["a", "b"], "2": []}
    assert plain["tags"] == ["a", "b"]
    assert from_plain(plain, Given, zone=RECIFE) == EXPECTED


moments = st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
vehicles = st.builds(Vehicle, st.text(), st.integers(), st.booleans())
finite = st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**12), max_value=10**12)


@given(
    st.builds(
        Given,
        code=st.text(),
        share=finite,
        on=st.dates(),
        hour=st.times(),
        service=st.sampled_from(["comum", "especial"]),
        band=st.sampled_from([1, 2]),
        colour=st.sampled_from(Colour),
        vehicle=st.none() | vehicles,
        vehicles=st.lists(vehicles, max_size=3).map(tuple),
        periods=st.lists(st.builds(Period, moments, st.none() | moments), max_size=2),
        turns=st.dictionaries(st.integers(), st.lists(st.text()).map(tuple), max_size=3),
        extra=st.dictionaries(st.text(), finite, max_size=3),
        tags=st.frozensets(st.text()),
        note=st.none() | st.sampled_from(["null", "~", ""]) | st.text(),
        amount=st.none() | finite,
    )
)
def test_whatever_was_stored_comes_back_the_same(obj):
    assert from_plain(json.loads(json.dumps(to_plain(obj))), Given, zone=UTC) == obj


def test_a_person_named_null_survives_the_store():
    assert from_plain("null", str | None) == "null"
    assert from_plain(None, str | None) is None
    assert to_type("null", str | None) is None


def test_types_that_hold_themselves():
    tree = {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}
    assert to_type(tree, Tree) == Tree("a", (Tree("b", (Tree("c"),)),))
    assert refusal({"name": "a", "children": [{"name": "b", "children": [{}]}]}, Tree).path == (
        "children[0].children[0].name"
    )


# ------------------------------------------------------------------ single values


@pytest.mark.parametrize(
    ("value", "annotation", "expected"),
    [
        ("0101", str, "0101"),
        ("on", str, "on"),
        ("null", str, "null"),
        ("", str, ""),
        ("0101", int, 101),
        ("-3", int, -3),
        (3, int, 3),
        ("187.430", Decimal, Decimal("187.430")),
        (5, Decimal, Decimal(5)),
        (Decimal("1.5"), Decimal, Decimal("1.5")),
        ("true", bool, True),
        ("false", bool, False),
        (False, bool, False),
        ("2026-11-30", date, date(2026, 11, 30)),
        (date(2026, 11, 30), date, date(2026, 11, 30)),
        ("23:59", time, time(23, 59)),
        ("23:59:30", time, time(23, 59, 30)),
        ("2", Literal[1, 2], 2),
        ("true", Literal["a", True], True),
        ("vermelho", Colour, Colour.RED),
        (Colour.RED, Colour, Colour.RED),
        ("null", int | None, None),
        ("~", int | None, None),
        ("", int | None, None),
        (None, int | None, None),
        ("null", Literal["a", None], None),
        ("7", int | str, 7),
        ("x7", int | str, "x7"),
        (True, int | bool, True),
        (None, None, None),
        (["1", "2"], tuple[int, ...], (1, 2)),
        (("1", "2"), list[int], [1, 2]),
        (["1", "b"], tuple[int, str], (1, "b")),
        (["1"], Sequence[int], (1,)),
        (["1", "1"], set[int], {1}),
        ([], tuple[int, ...], ()),
        (["x"], tuple, ("x",)),
        ({"1": "2"}, Mapping[int, int], {1: 2}),
        ("5", Annotated[int, "years"], 5),
        ("5.5", Amount, Decimal("5.5")),
        ({"anything": 1}, Any, {"anything": 1}),
    ],
)
def test_a_value_is_read(value, annotation, expected):
    result = to_type(value, annotation)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (5, str), (None, str), (True, str), (b"x", str),
        ("1_000", int), ("１", int), ("²", int), ("1.0", int), (1.0, int), (True, int), ("", int), (" 1", int),
        ("1\n", int), ("9" * 5000, int),
        ("1,5", Decimal), ("1e3", Decimal), ("4.4E+08", Decimal), ("NaN", Decimal), ("inf", Decimal),
        ("Infinity", Decimal), (".5", Decimal), ("5.", Decimal), ("١", Decimal),
        (2.4731, Decimal), (True, Decimal), (Decimal("NaN"), Decimal),
        ("yes", bool), ("on", bool), ("1", bool), (1, bool), (0, bool), ("TRUE", bool), (None, bool), ("", bool),
        ("30/11/2026", date), ("2026-02-31", date), ("20261130", date), ("2026-W48-1", date),
        ("2026-11-30T10:00", date), (datetime(2026, 11, 30, tzinfo=UTC), date),
        ("2026-11-30", datetime), ("2026-11-30T25:00", datetime), ("2026-11-30T10", datetime),
        (date(2026, 1, 1), datetime),
        ("10h42", time), ("24:00", time), ("9:00", time),
        ("3", Literal[1, 2]), (True, Literal[1, 2]), ("Comum", Literal["comum"]), ("null", Literal["a"]),
        ("azul", Colour), ("RED", Colour),
        ("1,2", tuple[int, ...]), ({"a": 1}, tuple[int, ...]), (None, tuple[int, ...]), (5, list[int]),
        (["1"], tuple[int, str]), ({"1": "a", "01": "b"}, Mapping[int, str]), (["a"], Mapping[str, str]),
        ("x", int | None), ("x", None), ([], Vehicle), ("x", Vehicle), (None, Vehicle), ({}, int | None),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_refused(value, annotation):
    assert refusal(value, annotation).message


@pytest.mark.parametrize("annotation", [float, bytes, complex, type, list[float], Literal["a"] | bytes])
def test_a_type_that_is_not_read_is_a_mistake_of_the_author(annotation):
    with pytest.raises(TypeError):
        to_type("1", annotation)


# ------------------------------------------------------------------ zones


def test_a_naive_moment_is_in_the_authoritys_zone_and_an_aware_one_is_brought_to_it():
    naive = to_type("2025-05-14T22:00", datetime, zone=RECIFE)
    assert naive.isoformat() == "2025-05-14T22:00:00-03:00"
    assert to_type("2025-05-15T01:00:00Z", datetime, zone=RECIFE).isoformat() == "2025-05-14T22:00:00-03:00"
    assert to_type("2025-05-14 22:00:00-03:00", datetime, zone=RECIFE) == naive
    assert to_type("2002-01-10T12:00", datetime, zone=RECIFE).utcoffset() == timedelta(hours=-2)
    aware = datetime(2025, 5, 15, 3, tzinfo=timezone(timedelta(hours=2)))
    assert to_type(aware, datetime, zone=RECIFE) == naive


def test_without_a_zone_moments_stay_as_they_are():
    assert to_type("2025-05-14T22:00", datetime).tzinfo is None
    assert to_type("2025-05-15T01:00:00Z", datetime).utcoffset() == timedelta(0)


def test_a_moment_beyond_the_calendar_is_refused():
    assert refusal("9999-12-31T23:59:59-03:00", datetime, zone=UTC).message


# ------------------------------------------------------------------ errors say where and why


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        ({"share": "1,5"}, "share", "decimal"),
        ({"vehicle": {"plate": "x", "year": "dois", "seized": "false"}}, "vehicle.year", "«dois»"),
        ({"vehicles": [{"plate": "x", "year": "1"}]}, "vehicles[0].seized", "falta o campo"),
        ({"periods": [{"from": "hoje", "to": ""}]}, "periods[0].from", "2026-11-30T22:00"),
        ({"turns": {"um": []}}, "turns.um", "inteiro"),
        ({"turns": {"1": ["a", None]}}, "turns.1[1]", "falta o valor"),
        ({"service": "expresso"}, "service", "comum, especial"),
        ({"vehicle": {"plate": "x", "yaer": "1", "seized": "false"}}, "vehicle.yaer", "«year»"),
        ({"vehicle": {"plate": "x", "seized": "false"}}, "vehicle.year", "falta o campo"),
        ({"colours": "x"}, "colours", "campo desconhecido"),
    ],
)
def test_an_error_names_the_place(change, path, words):
    data = yaml.load(TEXT, yaml.BaseLoader) | change
    error = refusal(data, Given, zone=RECIFE)
    assert error.path == path
    assert words in error.message
    assert str(error).startswith(f"{path}: ")
    assert refusal(data, Given, path="given", zone=RECIFE).path == f"given.{path}"


def test_an_absent_fact_is_never_read_as_false():
    assert refusal({"plate": "x", "year": "1"}, Vehicle).path == "seized"
    assert refusal({"from": "2020-01-01T00:00"}, Period).path == "to"


def test_a_misspelt_field_gets_the_likely_one():
    @dataclass(frozen=True)
    class Loose:
        note: str = ""

    assert refusal({"nota": "x"}, Loose).message == "campo desconhecido; quis dizer «note»?"


def test_a_keyword_field_in_either_spelling_but_once():
    moment = "2020-01-01T00:00"
    assert to_type({"from": moment, "to": None}, Period) == to_type({"from_": moment, "to": None}, Period)
    assert refusal({"from": moment, "from_": moment, "to": None}, Period).path == "from_"


def test_a_value_that_the_class_refuses_is_an_error_at_its_place():
    assert to_type({"low": "1", "high": "2"}, Range) == Range(1, 2)
    assert refusal([{"low": "3", "high": "2"}], list[Range]).path == "[0]"


def test_a_long_value_is_cut_in_the_message():
    assert len(refusal("x" * 10_000, int).message) < 120


# ------------------------------------------------------------------ to plain


@pytest.mark.parametrize(
    ("obj", "plain"),
    [
        (Decimal("74.10"), "74.10"),
        (Decimal("1E+2"), "100"),
        (Decimal("1E-7"), "0.0000001"),
        (True, True),
        (None, None),
        (date(2026, 11, 30), "2026-11-30"),
        (time(15, 6), "15:06:00"),
        (Colour.RED, "vermelho"),
        ({date(2026, 1, 1): (1,), True: "x"}, {"2026-01-01": [1], "true": "x"}),
        ({3, 1}, [1, 3]),
    ],
)
def test_plain_forms(obj, plain):
    assert to_plain(obj) == plain
    assert type(to_plain(obj)) is type(plain)


@pytest.mark.parametrize("obj", [1.5, b"x", object(), Vehicle, [1.5], {"a": {1.5}}])
def test_what_has_no_plain_form_is_refused(obj):
    with pytest.raises(TypeError):
        to_plain(obj)
