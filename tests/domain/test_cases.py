"""The case runner: what becomes a fact, a setting or a dated value; how answers compare; how a failure is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest

from registry.domain.calendar import Calendar
from registry.domain.cases import Case, CaseError, CaseResult, cited, read_case_file, run_case
from registry.domain.law import Law, Question, Verdict
from registry.domain.lawbook import build_lawbook
from registry.domain.money import round_money
from registry.domain.values import NoValueInForce

ZONE = ZoneInfo("America/Recife")
ON = date(2026, 11, 30)
CASES_TOML = {
    "options": {"fee": {"mode": "age.mode", "pct": "pct"}},
    "config_aliases": {"rolls": "late.rolls"},
    "dated": {"ufr": "ufr", "fee": {"max": "fleet.max"}, "periods": "periods"},
    "series": {"series": {"index": "ufr", "table": "ufr_series"}},
    "defaults": {"quantity": "1", "fee": {"kind": "x"}, "other": {"quantity": "9"}},
}


@dataclass(frozen=True)
class Item:
    name: str
    paid: bool


@dataclass(frozen=True)
class Fee:
    quantity: int
    kind: Literal["x", "y"]
    seized: bool
    on: date | None
    at: datetime | None
    items: tuple[Item, ...]
    from_: date | None


@dataclass(frozen=True)
class FeeAnswer:
    amount: Decimal
    decision: str
    articles: tuple[str, ...]
    fleet_ages: tuple[int, ...]
    nights: Mapping[int, tuple[str, ...]]
    local: datetime
    at: datetime
    due: date | None
    hour: time
    seen: Mapping[str, Any]


def book() -> Any:
    reading = {"problem": "p", "choice": "c", "reason": "r", "since": date(2026, 1, 1)}
    return build_lawbook(
        "city",
        "1",
        {
            "provisions.toml": {
                "provision": [
                    {"id": f"art-{number}", "label": "x", "cite": f"Art. {number}º", "kind": "duty"}
                    for number in (1, 2, 3)
                ]
            },
            "parameters.toml": {
                "parameter": {
                    "fleet.max": {
                        "unit": "veículos",
                        "provision": "art-1",
                        "values": [{"from": date(2000, 1, 1), "value": 50}],
                    }
                }
            },
            "readings.toml": {
                "reading": [
                    {"id": "1", "key": "age.mode", "default": "year", "options": ["year", "day"], **reading},
                    {"id": "2", "key": "late.rolls", "default": True, "options": [True, False], **reading},
                    {"id": "3", "key": "pct", "default": 80, "options": [80, 20], **reading},
                ]
            },
            "cases.toml": CASES_TOML,
        },
    )


LAW = Law(book(), Calendar(), ZONE)


def fee(given: Fee, law: Law) -> Verdict[FeeAnswer]:
    """Answers with everything that it saw."""
    try:
        ufr = law.index("ufr", ON).decimal
    except NoValueInForce:
        ufr = Decimal("0.125")
    periods = law.indexes.get("periods", ())
    answer = FeeAnswer(
        amount=round_money(ufr * given.quantity, law.rounding),
        decision="allow",
        articles=("art-1", "art-2"),
        fleet_ages=(3, 1),
        nights={1: ("A", "B"), 2: ("C",)},
        local=datetime(2026, 11, 30, 22),  # noqa: DTZ001
        at=datetime(2026, 11, 30, 22, tzinfo=ZONE),
        due=None,
        hour=time(6),
        seen={
            "given": given,
            "mode": law.reading("age.mode"),
            "rolls": law.reading("late.rolls"),
            "pct": law.reading("pct"),
            "max": law.index("fleet.max", ON).value,
            "periods": periods[0].value if periods else None,
            "closed": law.calendar.why_closed(ON),
        },
    )
    return Verdict("allow", answer)


QUESTIONS: dict[str, Question[Any, Any]] = {"fee": Question("fee", (), fee, Fee, FeeAnswer)}


def ran(given: dict[str, Any], expect: dict[str, Any], header: dict[str, Any] | None = None) -> CaseResult:
    return run_case(Case("C-1", "art-1", "fee", given, expect, header=header or {}), QUESTIONS, LAW)


def seen(given: dict[str, Any], header: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the rule saw, told by the one mismatch."""
    captured: dict[str, Any] = {}

    def spy(facts: Fee, law: Law) -> Verdict[FeeAnswer]:
        verdict = fee(facts, law)
        captured.update(verdict.answer.seen)
        captured["amount"] = verdict.answer.amount
        return verdict

    questions = {"fee": Question("fee", (), spy, Fee, FeeAnswer)}
    result = run_case(Case("C-1", "", "fee", given, {}, header=header or {}), questions, LAW)
    assert result.status == "passed", result.error
    return captured


def test_absent_facts_are_filled_and_defaults_taken():
    given = seen({})["given"]
    assert given == Fee(quantity=1, kind="x", seized=False, on=None, at=None, items=(), from_=None)


def test_facts_are_typed_nested_ones_too():
    given = seen(
        {
            "quantity": "3",
            "kind": "y",
            "seized": "true",
            "on": "2026-11-30",
            "at": "2026-11-30T22:00:00-03:00",
            "items": [{"name": "0101"}],
            "from": "2026-01-01",
        }
    )["given"]
    assert (given.quantity, given.kind, given.seized, given.on) == (3, "y", True, ON)
    assert given.at == datetime(2026, 11, 30, 22, tzinfo=ZONE)
    assert given.items == (Item("0101", False),)
    assert given.from_ == date(2026, 1, 1)


def test_a_naive_moment_is_in_the_authoritys_zone():
    assert seen({"at": "2026-11-30T22:00"})["given"].at == datetime(2026, 11, 30, 22, tzinfo=ZONE)


def test_options_and_config_choose_readings_with_their_own_type():
    chosen = seen({"mode": "day", "pct": "20", "config": {"rolls": "false"}})
    assert (chosen["mode"], chosen["pct"], chosen["rolls"]) == ("day", 20, False)
    assert seen({"config": {"late.rolls": "false"}})["rolls"] is False
    plain = seen({})
    assert (plain["mode"], plain["pct"], plain["rolls"]) == ("year", 80, True)


def test_dated_values_and_series():
    assert seen({"ufr": "2.50", "quantity": "2"})["amount"] == Decimal("5.00")
    assert seen({"max": "40"})["max"] == 40
    assert seen({})["max"] == 50
    steps = [{"from": "2026-11-30", "value": "3"}, {"from": "2026-12-01", "value": "4"}]
    assert seen({"ufr": steps})["amount"] == Decimal("3.00")
    header = {"ufr_series": {"A": {"2026-01-01": "7", "2026-12-01": "8"}}}
    assert seen({"series": "A"}, header)["amount"] == Decimal("7.00")
    assert seen({"ufr": None})["amount"] == Decimal("0.13")
    periods = [{"from": "2020-02-21T06:00", "to": "2020-02-26T06:00", "bandeira": "2"}]
    assert seen({"periods": periods})["periods"] == periods


def test_extra_closures_close_the_office():
    assert seen({})["closed"] is None
    assert seen({"extra_closures": ["2026-11-30"]})["closed"] == "sem expediente"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"quanttiy": "1"}, "quanttiy"),
        ({"quantity": "1.5"}, "quantity"),
        ({"kind": "z"}, "kind"),
        ({"mode": "month"}, "age.mode"),
        ({"config": {"roll": "true"}}, "roll"),
        ({"series": "B"}, "ufr_series.B"),
        ({"max": "muitos"}, "fleet.max"),
        ({"items": [{"nome": "x"}]}, "items[0].name"),
    ],
)
def test_a_case_that_cannot_be_asked_fails_and_names_the_key(given: dict[str, Any], words: str):
    result = ran(given, {})
    assert result.status == "failed"
    assert words in result.error


@pytest.mark.parametrize(
    ("expect", "same"),
    [
        ({"amount": "0.13"}, True),
        ({"amount": "0.130"}, True),
        ({"amount": "0.12"}, False),
        ({"amount": "abc"}, False),
        ({"amount_half_even": "0.12"}, True),
        ({"amount_half_even": "0.13"}, False),
        ({"amount_truncated": "0.12"}, True),
        ({"total_truncated": "0.12"}, False),
        ({"decision": "allow"}, True),
        ({"decision": "deny"}, False),
        ({"articles": ["art-2", "art-1"]}, True),
        ({"articles": ["art-1"]}, False),
        ({"articles": []}, False),
        ({"articles": "art-1"}, False),
        ({"fleet_ages": ["3", "1"]}, True),
        ({"fleet_ages": ["1", "3"]}, False),
        ({"fleet_ages": ["3"]}, False),
        ({"nights": {"1": ["A", "B"]}}, True),
        ({"nights": {"1": ["B", "A"]}}, False),
        ({"nights": {"3": []}}, False),
        ({"local": "2026-11-30T22:00:00"}, True),
        ({"local": "2026-11-30T22:00"}, True),
        ({"local": "2026-11-30T22:01"}, False),
        ({"at": "2026-11-30T22:00:00"}, True),
        ({"at": "2026-12-01T01:00:00+00:00"}, True),
        ({"at": "2026-12-01T01:00:00"}, False),
        ({"due": "null"}, True),
        ({"due": None}, True),
        ({"due": "2026-11-30"}, False),
        ({"hour": "06:00"}, True),
        ({"hour": "06:01"}, False),
        ({"quota": "1"}, False),
        ({}, True),
    ],
)
def test_how_answers_compare(expect: dict[str, Any], same: bool):
    result = ran({}, expect)
    assert (result.status == "passed") is same
    assert [each.field for each in result.mismatches] == ([] if same else list(expect))


def test_a_mismatch_tells_both_sides():
    (mismatch,) = ran({}, {"articles": ["art-3"]}).mismatches
    assert (mismatch.expected, mismatch.got) == ("[art-3]", "[art-1, art-2]")
    (absent,) = ran({}, {"quota": "1"}).mismatches
    assert "não tem" in absent.got


def test_a_question_that_nobody_answers_is_skipped_and_one_that_raises_fails():
    assert run_case(Case("C", "", "fine", {}, {}), QUESTIONS, LAW).status == "skipped"
    broken = {"fee": Question("fee", (), lambda given, law: 1 // 0, Fee, FeeAnswer)}
    result = run_case(Case("C", "", "fee", {}, {"amount": "1"}), broken, LAW)
    assert (result.status, "ZeroDivisionError" in result.error) == ("failed", True)


def test_reading_a_file():
    entry = {"id": "C-1", "ask": "fee", "given": {}, "expect": {}, "article": "art-1", "why": "porque"}
    file = read_case_file({"header": {"a": "b"}, "regime": "city", "cases": [entry]})
    assert (file.regime, file.cases[0].header, file.cases[0].why) == ("city", {"a": "b"}, "porque")
    for document, words in (
        ({"cases": [entry]}, "regime"),
        ([], "casos"),
        ({"regime": "city", "cases": [entry, entry]}, "C-1 está duas vezes"),
        ({"regime": "city", "cases": [{"id": "C-2", "given": {}}]}, "C-2 falta ask, expect"),
    ):
        with pytest.raises(CaseError, match=words):
            read_case_file(document)


def test_the_provisions_that_a_case_cites():
    case = Case("C", "art-1", "fee", {}, {"articles": ["art-3"], "basis": "art-2", "decision": "deny"})
    assert cited(case, book()) == {"art-1", "art-2", "art-3"}
