"""What a plugin's law data may hold, and the message for each thing that it may not."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

from registry.domain.lawbook import Lawbook, LawbookError, build_lawbook

PROVISION = {"id": "art-1", "label": "Cor", "cite": "Art. 1º", "kind": "duty"}
READING = {
    "id": "R-1",
    "key": "mode",
    "problem": "p",
    "choice": "c",
    "reason": "r",
    "since": date(2026, 1, 1),
    "default": "a",
}


def book(**files: Any) -> Lawbook:
    return build_lawbook("city", "1.0", {f"{name}.toml": content for name, content in files.items()})


def refused(**files: Any) -> str:
    with pytest.raises(LawbookError) as raised:
        book(**files)
    return str(raised.value)


def parameter(*values: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"parameter": {"age": {"unit": "anos", "provision": "art-1", "values": list(values), **more}}}


def test_all_files_are_merged():
    made = book(
        provisions={"provision": [PROVISION]},
        fees=parameter({"from": date(2000, 1, 1), "value": "0.05"}),
        checklists={
            "parameter": {"list": {"unit": "x", "provision": "", "values": [{"from": date(2000, 1, 1), "value": []}]}}
        },
        readings={"reading": [READING]},
        sentences={"sentence": {"a": "A {x}"}, "todo": {"a": "Faça."}},
        calendar={"day": [{"rule": "12-08", "name": "Conceição"}]},
        cases={"dated": {"ufr": "ufr"}},
    )
    assert set(made.parameters) == {"age", "list"}
    assert made.todo("a") == "Faça."
    assert made.todo("b") == ""
    assert made.calendar.holiday_name(date(2026, 12, 8)) == "Conceição"
    assert made.cases == {"dated": {"ufr": "ufr"}}


@pytest.mark.parametrize(
    ("entry", "treated", "place"),
    [
        ({}, False, ""),
        ({"question": "q"}, True, ""),
        ({"table": "permit"}, True, "permit"),
        ({"route": "public.lookup"}, True, "public.lookup"),
        ({"template": "letters/x.typ"}, True, "letters/x.typ"),
        ({"declaratory": "Só anuncia."}, True, ""),
        ({"via": "mechanism"}, False, ""),
    ],
)
def test_treatment_of_a_provision(entry: dict[str, str], treated: bool, place: str):
    provision = book(provisions={"provision": [PROVISION | entry]}).provision("art-1")
    assert (provision.treated, provision.place) == (treated, place)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"provisions": {"provision": [PROVISION, PROVISION]}}, ["provisions.toml", "art-1", "twice"]),
        ({"provisions": {"provision": [PROVISION | {"queston": "q"}]}}, ["queston", "'question'"]),
        ({"provisions": {"provision": [{"id": "art-1"}]}}, ["art-1", "cite, kind, label"]),
        ({"provisions": {"provision": [PROVISION | {"question": "q", "table": "t"}]}}, ["question and table"]),
        ({"provisions": {"provisions": [PROVISION]}}, ["'provisions'", "'provision'"]),
        ({"fees": parameter()}, ["fees.toml", "'age'", "no dated value"]),
        ({"fees": {"parameter": {"age": {"values": [1]}}}}, ["provision, unit"]),
        ({"fees": parameter({"value": 5})}, ["lacks from"]),
        ({"fees": parameter({"from": "2000-01-01", "value": 5})}, ["no day"]),
        ({"fees": parameter({"from": datetime(2000, 1, 1), "value": 5})}, ["no day"]),  # noqa: DTZ001
        ({"fees": parameter({"from": date(2000, 1, 1), "value": 5, "untill": date(2001, 1, 1)})}, ["'until'"]),
        (
            {"fees": parameter({"from": date(2000, 1, 2), "value": 5, "until": date(2000, 1, 1)})},
            ["ends before it begins"],
        ),
        (
            {"fees": parameter({"from": date(2000, 1, 1), "value": 5}, {"from": date(2000, 1, 1), "value": 6})},
            ["two values from 2000-01-01"],
        ),
        ({"fees": parameter({"from": date(2000, 1, 1), "value": 0.05})}, ["fees.toml", "0.05", "text"]),
        ({"fees": parameter({"from": date(2000, 1, 1), "value": [{"pct": [0.5]}]})}, ["float"]),
        (
            {
                "fees": parameter({"from": date(2000, 1, 1), "value": 5}),
                "others": parameter({"from": date(2000, 1, 1), "value": 5}),
            },
            ["others.toml", "'age'", "twice"],
        ),
        ({"readings": {"reading": [READING, READING]}}, ["'mode'", "twice"]),
        ({"readings": {"reading": [{"id": "R-9"}]}}, ["R-9", "lacks"]),
        ({"readings": {"reading": [READING | {"options": ["b", "c"]}]}}, ["'a'", "options"]),
        ({"readings": {"reading": [READING | {"default": 1, "options": [True, False]}]}}, ["options"]),
        ({"sentences": {"sentence": {"a": "de {on:day}"}}}, ["'a'", "'day'", "date"]),
        ({"sentences": {"sentence": {"a": "de {on"}}}, ["sentences.toml", "'a'"]),
        ({"sentences": {"sentence": {"a": "{x.y}"}}}, ["x.y"]),
        ({"sentences": {"sentence": {"a": "{}"}}}, ["''"]),
        ({"sentences": {"todo": {"a": 3}}}, ["'a'", "no text"]),
        ({"calendar": {"day": [{"rule": "13-45", "name": "x"}]}}, ["calendar.toml", "13-45"]),
        ({"calendar": {"holiday": []}}, ["calendar.toml", "'holiday'"]),
        ({"cases": {"option": {}}}, ["cases.toml", "'options'"]),
    ],
)
def test_wrong_data_is_refused_with_the_place(files: dict[str, Any], words: list[str]):
    message = refused(**files)
    assert message.startswith("city: ")
    for word in words:
        assert word in message


def test_a_reading_without_options_is_fixed():
    assert book(readings={"reading": [READING]}).reading("mode").fixed
    assert not book(readings={"reading": [READING | {"options": ["a", "b"]}]}).reading("mode").fixed
