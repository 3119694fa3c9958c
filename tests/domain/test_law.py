"""Dated values, index values, readings, citations and sentences of a law; declaring questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from registry.domain.calendar import Calendar
from registry.domain.law import Ground, Law, Question, Step, Verdict, question, questions_in
from registry.domain.lawbook import build_lawbook
from registry.domain.values import DatedValue, NoValueInForce

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Given:
    seats: int


@dataclass(frozen=True)
class Answer:
    decision: str


def book() -> Any:
    return build_lawbook(
        "city",
        "1",
        {
            "provisions.toml": {"provision": [{"id": "art-1", "label": "Idade", "cite": "Art. 1º", "kind": "limit"}]},
            "parameters.toml": {
                "parameter": {
                    "age": {
                        "unit": "anos",
                        "provision": "art-1",
                        "values": [
                            {"from": date(1978, 10, 9), "until": date(2009, 6, 30), "value": 5},
                            {"from": date(2009, 7, 1), "value": 7},
                        ],
                    },
                    "term": {
                        "unit": "dias",
                        "provision": "art-1",
                        "values": [{"from": date(2000, 1, 1), "until": date(2000, 12, 31), "value": "2.50"}],
                    },
                }
            },
            "readings.toml": {
                "reading": [
                    {
                        "id": "R",
                        "key": "age.mode",
                        "problem": "p",
                        "choice": "c",
                        "reason": "r",
                        "since": date(2026, 1, 1),
                        "default": "year",
                        "options": ["year", "day"],
                    }
                ]
            },
            "sentences.toml": {"sentence": {"age": "Tem {years} anos em {on:date}."}},
        },
    )


def law(**changed: Any) -> Law:
    return replace(Law(book(), Calendar(), ZoneInfo("America/Recife")), **changed)


@pytest.mark.parametrize(
    ("on", "value"),
    [
        (date(1978, 10, 9), 5),
        (date(2009, 6, 30), 5),
        (date(2009, 7, 1), 7),
        (date(2100, 1, 1), 7),
    ],
)
def test_the_value_of_the_day_at_both_ends(on: date, value: int):
    assert law().value("age", on).integer == value


@pytest.mark.parametrize("on", [date(1978, 10, 8), date(1900, 1, 1)])
def test_no_value_before_the_first(on: date):
    with pytest.raises(NoValueInForce) as raised:
        law().value("age", on)
    assert (raised.value.key, raised.value.on) == ("age", on)


def test_no_value_after_the_last_and_for_an_unknown_key():
    assert str(law().value("term", date(2000, 12, 31)).decimal) == "2.50"
    for key, on in (("term", date(2001, 1, 1)), ("agee", date(2010, 1, 1))):
        with pytest.raises(NoValueInForce):
            law().value(key, on)


def test_an_index_value_counts_from_its_day_and_the_decrees_own_before_it():
    since = date(2020, 3, 2)
    ruled = law(indexes={"age": (DatedValue("age", "9", "anos", since, act="Lei 1/2020"),)})
    assert ruled.index("age", since - DAY).integer == 7
    assert ruled.index("age", since).integer == 9
    assert ruled.index("age", since).act == "Lei 1/2020"
    assert ruled.value("age", since).integer == 7


def test_the_latest_of_several_index_values_holds_whatever_their_order():
    entries = tuple(
        DatedValue("ufr", text, "R$", date(year, 1, 1)) for year, text in ((2025, "2"), (2026, "3"), (2024, "1"))
    )
    ruled = law(indexes={"ufr": entries})
    assert [ruled.index("ufr", date(year, 1, 1)).value for year in (2024, 2025, 2026)] == ["1", "2", "3"]
    with pytest.raises(NoValueInForce):
        ruled.index("ufr", date(2023, 12, 31))


def test_a_chosen_reading_outranks_the_default_even_when_it_is_false():
    assert law().reading("age.mode") == "year"
    assert law(readings={"age.mode": "day"}).reading("age.mode") == "day"
    assert law(readings={"age.mode": False}).reading("age.mode") is False
    with pytest.raises(KeyError):
        law().reading("age.mod")


def test_sentences_and_citations():
    assert law().say("age", years=5, on=date(2026, 11, 30)) == "Tem 5 anos em 30/11/2026."
    assert law().cite("art-1") == "Art. 1º"
    with pytest.raises(KeyError):
        law().cite("art-2")
    with pytest.raises(KeyError):
        law().say("age", years=5)


def test_grounds_against_keep_the_order_of_the_law():
    grounds = (Ground("b", "", False), Ground("a", "", True), Ground("a", "", False), Ground("c", "", None))
    verdict = Verdict("deny", Answer("deny"), grounds, (Step("conta"),))
    assert [ground.provision for ground in verdict.against] == ["b", "a"]


def test_a_question_knows_its_types_and_answers():
    @question("age", cites=("art-1",))
    def age(given: Given, law: Law) -> Verdict[Answer]:
        return Verdict("allow", Answer(str(given.seats)))

    assert (age.name, age.cites, age.given_type, age.answer_type) == ("age", ("art-1",), Given, Answer)
    assert age(Given(3), law()).answer == Answer("3")


@pytest.mark.parametrize("result", ["Answer", "Verdict", "list[Answer]"])
def test_a_question_declared_otherwise_is_refused(result: str):
    def wrong(given: Given, law: Law) -> Any: ...

    wrong.__annotations__ = {"given": Given, "law": Law, "return": eval(result)}
    with pytest.raises(TypeError, match="Verdict"):
        question("wrong", cites=())(wrong)


def test_questions_of_modules_leave_out_what_they_import():
    one, two = ModuleType("one"), ModuleType("two")
    asked = _declared("age", "one")
    one.age, two.age = asked, asked  # type: ignore[attr-defined]
    assert questions_in(one, two) == (asked,)
    two.other = _declared("age", "two")  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="age"):
        questions_in(one, two)


def _declared(name: str, module: str) -> Question[Any, Any]:
    def rule(given: Given, law: Law) -> Verdict[Answer]:
        return Verdict("allow", Answer(""))

    rule.__module__ = module
    rule.__annotations__ = {"given": Given, "law": Law, "return": Verdict[Answer]}
    return question(name, cites=())(rule)
