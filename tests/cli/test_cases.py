"""``registry cases run`` and ``registry law coverage``."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import pytest

from tests.hooks.planted import city, files, plugin

from .conftest import Run

HEAD = "regime: city\ncases:\n"
GOOD = "- {id: C-1, article: art-1, ask: seats, given: {seats: 4}, expect: {decision: allow, articles: []}}\n"
BAD = "- {id: C-2, article: art-1, ask: seats, given: {seats: 3}, expect: {decision: allow}, why: porque}\n"
NOBODY = "- {id: C-3, article: art-2, ask: paint, given: {}, expect: {}}\n"


@pytest.fixture
def case_file(tmp_path: Path):
    def write(*cases: str, head: str = HEAD, name: str = "x.yaml") -> str:
        (tmp_path / name).write_text(head + "".join(cases), encoding="utf-8")
        return str(tmp_path / name)

    return write


def test_all_pass(run: Run, case_file):
    result = run("cases", "run", case_file(GOOD))
    assert (result.exit_code, result.output) == (0, "1 passed, 0 failed, 0 skipped\n")


def test_failing_ones_are_told_with_both_sides_and_exit_1(run: Run, case_file):
    result = run("cases", "run", case_file(GOOD, BAD, NOBODY))
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "x.yaml: C-2 seats (art-1) não confere: porque",
        "    decision: esperado allow, veio deny",
        "Perguntas sem resposta: paint (1)",
        "1 passed, 1 failed, 1 skipped",
    ]


def test_several_files_are_counted_together_and_unanswered_ones_do_not_fail(run: Run, case_file):
    other = case_file(GOOD, NOBODY, head="regime: boats\ncases:\n", name="y.yaml")
    result = run("cases", "run", case_file(GOOD, NOBODY), other)
    assert result.exit_code == 0
    assert "paint (2), seats (1)" in result.output
    assert result.output.endswith("1 passed, 0 failed, 3 skipped\n")


def test_text_stays_text(run: Run, case_file):
    """Without implicit types ``on`` is no boolean and 0101 no octal number: both reach the converter as written."""
    result = run("cases", "run", case_file("- {id: C, ask: seats, given: {seats: 010}, expect: {decision: on}}\n"))
    assert "esperado on, veio allow" in result.output


@pytest.mark.parametrize(
    ("head", "cases", "words"),
    [
        (HEAD, "- {id: C\n", "x.yaml"),
        (HEAD, GOOD + GOOD, "C-1 está duas vezes"),
        ("cases:\n", GOOD, "regime"),
        (HEAD, "- {id: C-1}\n", "falta ask, expect, given"),
    ],
)
def test_a_file_that_cannot_be_read(run: Run, case_file, head: str, cases: str, words: str):
    result = run("cases", "run", case_file(cases, head=head))
    assert result.exit_code == 1
    assert words in result.output
    assert "Traceback" not in result.output


def test_coverage_lists_treatment_and_cases(run: Run, case_file):
    content = deepcopy(files())
    content["provisions.toml"]["provision"] += [
        {"id": "art-3", "label": "Selo", "cite": "Art. 3º", "kind": "duty", "verbs": ["print"], "template": "seal.typ"},
        {
            "id": "art-4",
            "label": "Hora",
            "cite": "Art. 4º",
            "kind": "duty",
            "verbs": ["enforce"],
            "via": "bands",
            "question": "seats",
        },
        {"id": "art-5", "label": "Taxa", "cite": "Art. 5º", "kind": "duty", "verbs": ["compute"]},
    ]
    arguments = ("law", "coverage", "city", "--cases", case_file(GOOD, BAD, NOBODY))
    result = run(*arguments, modules=(city(content=content),))
    assert result.output.splitlines() == [
        "art-1\tLugares\tpergunta seats\tC-1, C-2",
        "art-2\tCor\tdeclaratório: Só anuncia.\t",
        "art-3\tSelo\tmodelo seal.typ\t",
        "art-4\tHora\tpergunta seats, via bands\tfalta caso",
        "art-5\tTaxa\tsem tratamento\tfalta caso",
        "4 of 5 provisions treated (1 declaratory), 1 with a case, 2 still need one",
    ]
    short = run(*arguments, "--untreated", modules=(city(content=content),))
    assert [line.split("\t")[0] for line in short.output.splitlines()[:-1]] == ["art-4", "art-5"]


def test_coverage_of_a_mechanism(run: Run):
    result = run("law", "coverage", "bands", modules=(plugin("bands"),))
    assert result.output.startswith("0 of 0 provisions treated")
