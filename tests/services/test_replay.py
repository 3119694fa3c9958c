"""Stored verdicts asked anew: the same law answers the same, another is told field by field, nothing is written."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import func, select

from registry.cli import cli
from registry.cli.console import Console
from registry.domain.law import Law, Question, Step, Verdict, question
from registry.plugins import PluginHost
from registry.services import decisions, indexes
from registry.services.desk import Desk
from registry.services.replay import NOTHING_ASKED, UNLOADED, Replayed, named, replay
from registry.store.audit import AuditEntry
from registry.store.engine import Store
from registry.store.requests import StoredVerdict
from tests import factories, regime
from tests.services import steps

DAY = factories.NOON.date()


def decide(store: Store, var: Path) -> Desk:
    """A desk after a whole request: an inspection, payments, a grant."""
    desk = factories.desk(store, var)
    jonas = factories.clerk(store)
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    decisions.decide(jonas.occasion(hours=2), desk, request_id, steps.version_of(desk, request_id), "deferido")
    return desk


@pytest.fixture
def decided(sqlite_store: Store, tmp_path: Path) -> Desk:
    return decide(sqlite_store, tmp_path)


def asked_again(desk: Desk, **wanted: Any) -> list[Replayed]:
    with desk.store.reading() as session:
        return list(replay(session, desk, **wanted))


def with_questions(desk: Desk, *changed: Question[Any, Any], without: str = "") -> Desk:
    """The desk on a later version of the plugin, in which these questions stand in the place of their namesakes."""
    mine = {each.name: each for each in changed}
    known = (regime.seats, regime.papers, regime.debts, regime.fee, regime.checked, regime.status)
    kept = tuple(mine.get(each.name, each) for each in known if each.name != without)
    hooks: dict[str, Any] = {"registry_questions": lambda: kept, "registry_regimes": lambda: ()}
    if without:
        book = regime.lawbook()
        left = {
            key: replace(each, question="", declaratory="-") if each.question == without else each
            for key, each in book.provisions.items()
        }
        hooks["registry_lawbook"] = lambda: replace(book, provisions=left)
    settings = replace(desk.settings, authorities=_without_regimes(desk))
    host = PluginHost.load(settings, {regime.NAME: regime.module(**hooks)})
    return Desk(desk.store, host, settings, desk.files)


def _without_regimes(desk: Desk) -> dict[str, Any]:
    return {code: replace(each, regimes=()) for code, each in desk.settings.authorities.items()}


def differing(desk: Desk) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for each in asked_again(desk):
        if each.changes:
            found.setdefault(each.question, set()).update(change.what for change in each.changes)
    return found


def test_the_same_law_answers_the_same(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("registry.services.replay._BATCH", 3)
    decided = decide(store, tmp_path)
    found = asked_again(decided)
    assert asked_again(decided, plugin=regime.NAME, since=date(2026, 1, 1)) == found
    assert {each.subject for each in found} == {"decision", "inspection", "posting"}
    assert [each for each in found if each.changes or each.left_out] == []


def test_a_stricter_rule_is_told_by_outcome_answer_and_grounds(decided: Desk) -> None:
    @question("seats", cites=["art-1"])
    def stricter(given: regime.Seats, law: Law) -> Verdict[regime.Decision]:
        return regime.seats(replace(given, seats=given.seats - 9), law)

    assert differing(with_questions(decided, stricter)) == {
        "seats": {"resultado", "resposta.decision", "resposta.articles", "fundamentos"}
    }
    changes = next(each.changes for each in asked_again(with_questions(decided, stricter)) if each.changes)
    outcome = next(each for each in changes if each.what == "resultado")
    assert (outcome.before, outcome.now) == ("allow", "deny")


def test_a_dearer_fee_is_told_with_both_amounts(decided: Desk) -> None:
    @question("fee", cites=["art-4"])
    def dearer(given: regime.Fee, law: Law) -> Verdict[regime.FeeAnswer]:
        verdict = regime.fee(given, law)
        amount = verdict.answer.amount + 1
        return Verdict("allow", regime.FeeAnswer(amount), verdict.grounds, (Step("Taxa", amount, total=True),))

    assert differing(with_questions(decided, dearer)) == {"fee": {"resposta.amount", "valores da conta"}}
    found = next(each for each in asked_again(with_questions(decided, dearer)) if each.changes)
    amounts = next(each for each in found.changes if each.what == "resposta.amount")
    assert Decimal(amounts.now) == Decimal(amounts.before) + 1


def test_another_sentence_is_no_other_answer(decided: Desk) -> None:
    @question("seats", cites=["art-1"])
    def wordier(given: regime.Seats, law: Law) -> Verdict[regime.Decision]:
        verdict = regime.seats(given, law)
        return replace(verdict, grounds=tuple(replace(each, text="Outra frase.") for each in verdict.grounds))

    assert differing(with_questions(decided, wordier)) == {}


def test_what_can_no_longer_be_asked_is_told(decided: Desk) -> None:
    @dataclass(frozen=True)
    class More:
        seats: int
        beds: int
        on: date

    def seats(given: More, law: Law) -> Verdict[regime.Decision]:
        raise NotImplementedError

    seats.__annotations__ = {"given": More, "law": Law, "return": Verdict[regime.Decision]}

    @question("papers", cites=["art-2"])
    def broken(given: regime.Papers, law: Law) -> Verdict[regime.Decision]:
        raise ZeroDivisionError

    later = with_questions(decided, question("seats", cites=["art-1"])(seats), broken, without="checked")
    told = {each.question: str(each.changes[0].now) for each in asked_again(later) if each.changes}
    assert "beds" in told["seats"] and "ZeroDivisionError" in told["papers"] and "não existe mais" in told["checked"]


def _of_later(given: type, answer: type) -> Question[Any, Any]:
    """The question about seats in a version that knows more facts and answers more."""

    def seats(given: Any, law: Law) -> Verdict[Any]:
        told = regime.seats(regime.Seats(given.seats, given.on), law)
        return replace(told, answer=answer(told.answer.decision, told.answer.articles, False))

    seats.__annotations__ = {"given": given, "law": Law, "return": Verdict[answer]}  # type: ignore[valid-type]
    return question("seats", cites=["art-1"])(seats)


@dataclass(frozen=True)
class Fuller:
    decision: str
    articles: tuple[str, ...]
    berths_counted: bool


def test_what_a_question_has_got_since_is_no_change_and_is_told(decided: Desk) -> None:
    @dataclass(frozen=True)
    class Wider:
        seats: int
        berths: tuple[str, ...]
        by_deck: Mapping[str, int]
        measured_on: date | None
        on: date

    later = with_questions(decided, _of_later(Wider, Fuller))
    assert differing(later) == {}
    told = {each.question: each.since for each in asked_again(later) if each.since}
    assert told == {"seats": ("fato berths", "fato by_deck", "fato measured_on", "resposta berths_counted")}
    result = run(later)
    assert (
        result.exit_code == 0
        and "de ensaio seats foram refeitas com o que então não havia: fato berths" in result.output
    )


def test_a_yes_or_no_that_nobody_asked_is_not_taken_for_no(decided: Desk) -> None:
    @dataclass(frozen=True)
    class Stricter:
        seats: int
        seized: bool
        on: date

    later = with_questions(decided, _of_later(Stricter, Fuller))
    (change,) = next(each.changes for each in asked_again(later) if each.changes)
    assert "seized" in str(change.now)


def test_a_field_that_is_no_longer_answered_is_a_change(decided: Desk) -> None:
    @dataclass(frozen=True)
    class Sparer:
        decision: str

    def seats(given: regime.Seats, law: Law) -> Verdict[Sparer]:
        told = regime.seats(given, law)
        return Verdict(told.outcome, Sparer(told.answer.decision), told.grounds, told.steps)

    seats.__annotations__ = {"given": regime.Seats, "law": Law, "return": Verdict[Sparer]}
    assert differing(with_questions(decided, question("seats", cites=["art-1"])(seats))) == {
        "seats": {"resposta.articles"}
    }


def test_an_index_value_entered_since_for_that_day_is_a_change(decided: Desk) -> None:
    jonas = factories.clerk(decided.store)
    assert differing(decided) == {}
    indexes.enter_index_value(
        jonas.occasion(hours=3), decided, "custo", DAY, Decimal("6.00"), "Portaria 9/2026", confirmed=True
    )
    assert "resposta.amount" in differing(decided)["fee"]


def test_one_plugin_or_from_a_day_on(decided: Desk) -> None:
    assert asked_again(decided, plugin=regime.NAME) == asked_again(decided)
    assert asked_again(decided, plugin="other") == []
    last = max(each.on for each in asked_again(decided))
    assert {each.on for each in asked_again(decided, since=last)} == {last}
    assert asked_again(decided, since=date(2027, 1, 1)) == []


def test_what_was_not_asked_then_and_what_nobody_can_ask_is_left_out(decided: Desk) -> None:
    with decided.store.writing() as session:
        row = session.scalars(select(StoredVerdict).limit(1)).one()
        session.expunge(row)
        values = {
            column.key: getattr(row, column.key) for column in StoredVerdict.__table__.columns if column.key != "id"
        }
        session.add(StoredVerdict(**{**values, "given": None, "outcome": "pending", "missing": ["lugares"]}))
    assert [each.left_out for each in asked_again(decided) if each.left_out] == [NOTHING_ASKED]
    bare = replace(decided.settings, plugins=(), authorities=_without_regimes(decided))
    gone = Desk(decided.store, PluginHost.load(bare), bare, decided.files)
    assert {each.left_out for each in asked_again(gone)} == {UNLOADED}


def test_many_are_read_in_batches_and_nothing_is_written(decided: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = asked_again(decided)
    with decided.store.reading() as session:
        before = session.scalar(select(func.count()).select_from(AuditEntry))
    monkeypatch.setattr("registry.services.replay._BATCH", 2)
    assert asked_again(decided) == whole and len(whole) > 4
    with decided.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(AuditEntry)) == before


def test_a_difference_is_named_as_the_clerk_knows_it(decided: Desk) -> None:
    with decided.store.reading() as session:
        names = {each.subject: named(session, each) for each in replay(session, decided)}
    assert names["decision"].startswith("decisão do requerimento 2026/")
    assert names["posting"].startswith("pagamento do lançamento ")
    assert names["inspection"].startswith("vistoria ")


def run(desk: Desk, *arguments: str) -> Result:
    console = Console()
    vars(console).update(settings=desk.settings, host=desk.host, store=desk.store, desk=desk)
    return CliRunner().invoke(cli, ["replay", *arguments], obj=console)


def test_the_command_ends_with_0_while_all_is_the_same(decided: Desk) -> None:
    result = run(decided)
    assert result.exit_code == 0, result.output
    assert result.output.endswith(" respostas refeitas, 0 diferentes.\n")


def test_the_command_lists_what_changed_and_ends_with_1(decided: Desk, tmp_path: Path) -> None:
    @question("seats", cites=["art-1"])
    def stricter(given: regime.Seats, law: Law) -> Verdict[regime.Decision]:
        return regime.seats(replace(given, seats=0), law)

    later = with_questions(decided, stricter)
    result = run(later, "--out", str(tmp_path / "x.csv"), "--plugin", regime.NAME, "--since", "01/01/2026")
    assert result.exit_code == 1
    assert "Lotação (ensaio seats)" in result.output and "resultado: era allow, seria deny" in result.output
    assert result.output.endswith(", 1 diferente.\n")
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter=";"))
    assert {row["mudou"] for row in rows} >= {"resultado", "resposta.decision"}
    assert {row["pergunta"] for row in rows} == {"seats"}


def test_the_command_says_loudly_what_it_could_not_ask(decided: Desk) -> None:
    bare = replace(decided.settings, plugins=(), authorities=_without_regimes(decided))
    result = run(Desk(decided.store, PluginHost.load(bare), bare, decided.files))
    assert result.exit_code == 0
    assert f"do plugin ensaio não refeitas: {UNLOADED}." in result.output and "ATENÇÃO" in result.output
    assert "0 respostas refeitas" in result.output


def test_a_file_that_cannot_be_written_is_told_before_anything(decided: Desk, tmp_path: Path) -> None:
    result = run(decided, "--out", str(tmp_path / "none" / "x.csv"))
    assert result.exit_code == 1 and "Não consegui escrever" in result.output


def test_a_plugin_that_is_not_there(decided: Desk) -> None:
    result = run(decided, "--plugin", "ensaios")
    assert result.exit_code == 2 and "«ensaio»" in result.output
