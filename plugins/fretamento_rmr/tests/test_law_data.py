"""The law data holds together: treatments, sentences, and values that change the verdict when the file changes."""

from __future__ import annotations

import ast
import tomllib
from dataclasses import replace
from datetime import date
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import registry_fretamento_rmr
from registry.api.law import Law, build_lawbook, load_lawbook
from registry_fretamento_rmr import plugin
from registry_fretamento_rmr.rules.applicants import Capital, Staff, capital, staff
from registry_fretamento_rmr.rules.fees import ServiceFee, service_fee
from registry_fretamento_rmr.rules.registration import Checklist, Renewal, checklist, renewal
from registry_fretamento_rmr.rules.vehicles import Capacity, VehicleKind, capacity, vehicle_kind

BOOK = load_lawbook("registry_fretamento_rmr")
QUESTIONS = {question.name: question for question in plugin.registry_questions()}
ON = date(2026, 11, 30)
SMALL = {"0", "1", "2"}


def law_with(file: str = "", old: str = "", new: str = "") -> Law:
    """The law as shipped, or with one piece of one file changed."""
    folder = files("registry_fretamento_rmr") / "law"
    texts = {entry.name: entry.read_text(encoding="utf-8") for entry in folder.iterdir()}
    if file:
        assert texts[file].count(old) == 1, f"{old!r} stands {texts[file].count(old)} times in {file}"
        texts[file] = texts[file].replace(old, new)
    book = build_lawbook("fretamento_rmr", "0", {name: tomllib.loads(text) for name, text in texts.items()})
    return Law(book, book.calendar, ZoneInfo("America/Recife"))


def with_cost(law: Law, value: str) -> Law:
    cost = replace(law.value("min_seats_incl_driver", ON), key="custo_km", value=value, since=date(2026, 7, 1))
    return replace(law, indexes={"custo_km": (cost,)})


def test_every_provision_with_a_question_is_cited_by_it() -> None:
    for provision in BOOK.provisions.values():
        if provision.question:
            assert provision.id in QUESTIONS[provision.question].cites, provision.id


def test_every_question_cites_provisions_that_exist() -> None:
    for question in QUESTIONS.values():
        assert question.cites
        assert not [cite for cite in question.cites if cite not in BOOK.provisions], question.name


def test_every_parameter_names_a_provision_that_exists() -> None:
    for key, values in BOOK.parameters.items():
        assert values[0].provision in BOOK.provisions, key


def test_every_catalogue_entry_names_a_provision_that_exists() -> None:
    keys = ("infractions", "inspection_items", "documents_I", "documents_II", "documents_III", "documents_IV")
    for key in (*keys, "documents_member"):
        for entry in BOOK.value(key, ON).value:
            assert entry["provision"] in BOOK.provisions, entry["code"]


def test_todos_answer_reasons_that_have_a_sentence() -> None:
    spoken = {*BOOK.sentences, "authorization_not_active"}
    assert not [code for code in BOOK.todos if code not in spoken]


def test_no_number_of_the_law_stands_in_the_rules() -> None:
    rules = Path(registry_fretamento_rmr.__file__).parent / "rules"
    for path in rules.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, int | float)
                and not isinstance(node.value, bool)
            ):
                assert str(node.value) in SMALL, f"{path.name}:{node.lineno}: {node.value}"


def test_fewer_seats_in_the_file_let_a_smaller_vehicle_pass() -> None:
    given = Capacity(seats_incl_driver=11, emergency_windows=0, on=ON)
    old = '"art-211"\nlabel = "Capacidade mínima"\nvalues = [{ from = 2004-09-08, value = 12 }]'
    changed = law_with("parameters.toml", old, old.replace("12", "11"))
    assert capacity(given, law_with()).outcome == "deny"
    assert capacity(given, changed).outcome == "allow"


def test_a_value_with_a_later_day_holds_from_that_day() -> None:
    old = '"art-211"\nlabel = "Capacidade mínima"\nvalues = [{ from = 2004-09-08, value = 12 }]'
    law = law_with("parameters.toml", old, old.replace("}]", "}, { from = 2026-11-30, value = 13 }]"))
    before, after = (Capacity(12, 0, on=day) for day in (date(2026, 11, 29), date(2026, 11, 30)))
    assert capacity(before, law).outcome == "allow"
    assert capacity(after, law).outcome == "deny"


def test_another_multiple_in_the_file_changes_the_fee() -> None:
    given = ServiceFee("microonibus", None, None, ON)
    changed = law_with("fees.toml", "b = 350", "b = 400")
    assert str(service_fee(given, with_cost(law_with(), "5.1374")).answer.amount) == "1798.09"
    assert str(service_fee(given, with_cost(changed, "5.1374")).answer.amount) == "2054.96"


def test_another_term_in_the_file_moves_the_end_of_the_registration() -> None:
    given = Renewal(date(2024, 5, 10), date(2025, 5, 10))
    old = '"art-209-par-1"\nlabel = "Validade do cadastro"\nvalues = [{ from = 2004-09-08, value = 12 }]'
    assert renewal(given, law_with()).answer.valid_through == date(2025, 5, 10)
    changed = law_with("parameters.toml", old, old.replace("12", "6"))
    assert renewal(given, changed).answer.valid_through == date(2024, 11, 10)


def test_a_document_added_to_the_file_is_owed() -> None:
    given = Checklist("COOP", ("D-III-a",), {}, (), 0, vehicle=False, on=ON)
    entry = '{ code = "D-III-g",'
    extra = '{ code = "D-III-x", provision = "art-209-III", label = "Outro", group = "Cooperativa" },\n  '
    law = law_with("checklists.toml", entry, extra + entry)
    assert "D-III-x" in checklist(given, law).answer.missing


def test_an_allow_says_why_too() -> None:
    verdict = capacity(Capacity(24, 2, on=ON), law_with())
    assert verdict.outcome == "allow"
    assert [ground.provision for ground in verdict.grounds] == ["art-211", "art-214"]
    assert all(ground.holds and ground.text and ground.values for ground in verdict.grounds)
    assert verdict.steps


@pytest.mark.parametrize(("paid", "outcome"), [("71399.99", "deny"), ("71400.00", "allow"), ("71400.01", "allow")])
def test_capital_to_the_centavo(paid: str, outcome: str) -> None:
    assert capital(Capital(Decimal("238000.00"), Decimal(paid), ON), law_with()).outcome == outcome


@pytest.mark.parametrize(("fleet", "required"), [(9, False), (10, False), (11, True)])
def test_staff_begins_above_the_limit(fleet: int, required: bool) -> None:
    assert staff(Staff(fleet, False, False, ON), law_with()).answer.required is required


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("microonibus", "O tipo do veículo (micro-ônibus) está na lista do fretamento."),
        (
            "automovel",
            "O tipo do veículo (automovel) não é de fretamento. Valem: kombi, van, micro-ônibus e ônibus.",
        ),
    ],
)
def test_a_vehicle_type_is_called_as_people_call_it(code: str, said: str) -> None:
    assert vehicle_kind(VehicleKind(code, ON), law_with()).grounds[0].text == said
