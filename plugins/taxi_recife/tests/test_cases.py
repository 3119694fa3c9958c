from __future__ import annotations

from pathlib import Path

import pytest

from registry.testing.law import assert_case, cases_of, law_host
from registry_taxi_recife.plugin import registry_questions

HERE = Path(__file__).parent / "cases"
HOST = law_host("taxi_bandeiras", "taxi_rendicao", "taxi_recife", zone="America/Recife")
ANSWERED = {question.name for question in registry_questions()}
CASES = [case for file in sorted(HERE.glob("*.yaml")) for case in cases_of(file, ANSWERED)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: object) -> None:
    assert_case(HOST, "taxi_recife", case)  # type: ignore[arg-type]


def test_every_answered_question_has_a_case() -> None:
    assert {case.ask for case in CASES} == ANSWERED
