"""``registry ask``: facts in, verdict out, and what it says when a fact is wrong or absent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from registry.cli import cli
from registry.cli.ask import nested
from registry.cli.output import shown
from registry.cli.wanted import absent
from registry.domain.law import Ground, Law, Step, Verdict, known, question
from registry.store import migrate
from registry.store.access import Authority
from registry.store.acts import IndexValue
from registry.store.engine import Store
from tests.hooks import planted
from tests.hooks.planted import Answer, Seats, city, hook

from .conftest import Run

GOLDEN = Path(__file__).parents[1] / "golden"


@question("fee", cites=["art-1"])
def fee(given: Seats, law: Law) -> Verdict[Answer]:
    """A sum with an index value."""
    ufr = law.index("ufr", date(2026, 11, 30))
    each = ufr.decimal * given.seats
    ground = Ground("art-1", "Cobra-se por lugar.", None, "fee", {"seats": given.seats}, (ufr,))
    steps = (Step(f"{given.seats} lugares", each), Step("Total", each, total=True))
    return Verdict("allow", Answer(law.reading("age.mode"), ()), (ground,), steps)


@question("broken", cites=[])
def broken(given: Seats, law: Law) -> Verdict[Answer]:
    """A rule with a fault."""
    raise ZeroDivisionError("x")


@question("choosy", cites=[])
def choosy(given: Seats, law: Law) -> Verdict[Answer]:
    """A rule that knows two facts only."""
    return Verdict("allow", Answer(known("Os lugares", str(given.seats), ("2", "4")), ()))


@question("early", cites=[])
def early(given: Seats, law: Law) -> Verdict[Answer]:
    """A rule asked of a day before the law."""
    return Verdict("allow", Answer(law.value(next(iter(law.book.parameters)), date(1900, 1, 1)).label, ()))


MODULES = (city(registry_questions=hook("registry_questions", lambda: (planted.seats, fee, broken, choosy, early))),)


def test_the_whole_answer_is_as_it_was(run: Run):
    result = run("ask", "city", "seats", "seats=3")
    assert result.exit_code == 0
    assert result.output == (GOLDEN / "ask_seats.txt").read_text(encoding="utf-8")


def test_the_whole_json_is_as_it_was(run: Run):
    result = run("ask", "city", "seats", "seats=3", "--json")
    assert json.loads(result.output) == json.loads((GOLDEN / "ask_seats.json").read_text(encoding="utf-8"))


def test_the_arithmetic_with_the_total(run: Run):
    result = run("ask", "city", "fee", "seats=2", "--index", "ufr=187.43", modules=MODULES)
    assert "  2 lugares = R$\xa0374,86\n  Total = R$\xa0374,86\n" in result.output
    assert "ufr = 187,43 (informado na linha de comando)" in result.output


def test_another_reading(run: Run):
    arguments = ("ask", "city", "fee", "seats=2", "--index", "ufr=1", "--reading")
    assert "decision: day" in run(*arguments, "age.mode=day", modules=MODULES).output
    wrong = run(*arguments, "age.mode=month", modules=MODULES)
    assert (wrong.exit_code, "age.mode" in wrong.output) == (2, True)
    assert "«age.mode»" in run(*arguments, "age.mod=day", modules=MODULES).output


def test_a_code_that_the_law_does_not_list(run: Run):
    result = run("ask", "city", "choosy", "seats=7", modules=MODULES)
    assert result.exit_code == 2
    assert "Os lugares: «7» não está na lista. Há: 2, 4." in result.output
    assert "choosy" not in result.output


def test_a_value_of_the_law_before_its_first_day(run: Run):
    result = run("ask", "city", "early", "seats=1", modules=MODULES)
    assert result.exit_code == 1
    assert "não valia em 01/01/1900; vale desde" in result.output


def test_an_index_value_that_nobody_entered(run: Run):
    result = run("ask", "city", "fee", "seats=2", modules=MODULES)
    assert result.exit_code == 1
    assert "ufr" in result.output
    assert "30/11/2026" in result.output


def test_index_values_come_from_the_authoritys_database(run: Run, tmp_path: Path):
    store = Store(f"sqlite:///{tmp_path / 'registry.db'}")
    migrate.upgrade(store, ())
    with store.writing() as session:
        session.add(Authority(code="recife", name="Órgão", zone="America/Recife"))
        session.flush()
        session.add(
            IndexValue(
                authority="recife",
                key="ufr",
                since=date(2026, 1, 1),
                scaled=18743,
                scale=2,
                unit="R$",
                act="Portaria 1/2026",
                recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
                recorded_by="maria",
            )
        )
    store.close()
    result = run("ask", "city", "fee", "seats=2", modules=MODULES)
    assert "ufr = 187,43 R$, desde 01/01/2026 (Portaria 1/2026)" in result.output
    assert "Total = R$\xa0374,86" in result.output


def test_a_database_of_an_older_program_is_told_with_the_command_that_brings_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    store = Store(f"sqlite:///{tmp_path / 'registry.db'}")
    migrate.upgrade(store, ())
    with store.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '0002'"))
        connection.execute(text("drop index uq_closure_authority_day"))
        connection.execute(text("alter table closure drop column ended_at"))
    store.close()
    monkeypatch.setenv("REGISTRY_CONFIG", "recife.toml")
    monkeypatch.setenv("REGISTRY_VAR", str(tmp_path))
    monkeypatch.delenv("REGISTRY_DATABASE_URL", raising=False)
    result = CliRunner().invoke(cli, ["ask", "taxi_recife", "alvara", "issued=2026-01-02"])
    assert result.exit_code == 1
    assert "não está na versão do programa" in result.output and "registry db upgrade" in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ask", "cyty", "seats"], "«city»"),
        (["ask", "city", "seat"], "«seats»"),
        (["ask", "city", "seats"], "Faltam fatos:\n  seats (número inteiro)"),
        (["ask", "city", "seats", "seats"], "não é chave=valor"),
        (["ask", "city", "seats", "seats=four"], "seats"),
        (["ask", "city", "seats", "seats=1", "doors=4"], "doors"),
        (["ask", "city", "seats", "seats=[1"], "não é JSON"),
        (["ask", "city", "seats", "seats=1", "seats=2"], "duas vezes"),
        (["ask", "city", "seats", "seats=1", "--authority", "recif"], "«recife»"),
    ],
)
def test_what_is_wrong_is_named(run: Run, arguments: list[str], words: str):
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.output


def test_a_rule_that_raises_is_not_a_missing_value(run: Run):
    result = run("ask", "city", "broken", "seats=1", modules=MODULES)
    assert type(result.exception).__name__ == "RuleFailed"


@dataclass(frozen=True)
class Vehicle:
    zero_km: bool
    kind: Literal["van", "bus"]


@dataclass(frozen=True)
class Wanted:
    vehicle: Vehicle | None
    fleet: tuple[Vehicle, ...]
    on: date | None
    names: tuple[str, ...]
    trips: Mapping[str, int]
    from_: time


def test_absent_facts_are_named_with_their_form():
    assert list(absent(Wanted, {})) == [
        "vehicle (JSON: zero_km, kind ou null)",
        "fleet (lista JSON de JSON: zero_km, kind)",
        "on (dia como 2026-11-30 ou null)",
        "names (lista JSON de texto)",
        "trips (JSON: {chave: valor})",
        "from (hora como 15:06)",
    ]
    given = {"vehicle": {"zero_km": "true"}, "fleet": [], "on": "null", "names": [], "trips": {}, "from": "15:06"}
    assert list(absent(Wanted, given)) == ["vehicle.kind (van, bus)"]


def test_nested_keys():
    assert nested([("a.b", "1"), ("a.c.d", "2"), ("e", "3")]) == {"a": {"b": "1", "c": {"d": "2"}}, "e": "3"}
    with pytest.raises(ValueError, match="a"):
        nested([("a", "1"), ("a.b", "2")])
    with pytest.raises(ValueError, match=r"a\.b"):
        nested([("a.b", "1"), ("a.b", "2")])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nada"),
        (True, "sim"),
        (False, "não"),
        (0, "0"),
        (Decimal("1234.50"), "1.234,5"),
        (date(2026, 5, 6), "06/05/2026"),
        ((), "nada"),
        (["a", 1], "a, 1"),
        ({"a": False}, "a: não"),
        (Seats(3), "seats: 3"),
    ],
)
def test_values_as_people_read_them(value: Any, text: str):
    assert shown(value) == text
