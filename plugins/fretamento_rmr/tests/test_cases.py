"""Every worked example of the decree and every one of our own comes out as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.testing.law import PluginHost, assert_case, cases_of, law_host

CASES = Path(__file__).parent / "cases"


@pytest.fixture(scope="module")
def host() -> PluginHost:
    return law_host("fretamento_rmr", zone="America/Recife")


@pytest.mark.parametrize("case", cases_of(CASES / "decreto_27099.yaml"), ids=lambda case: f"{case.id}-{case.ask}")
def test_worked_examples(host: PluginHost, case) -> None:
    assert_case(host, "fretamento_rmr", case)


@pytest.mark.parametrize("case", cases_of(CASES / "own.yaml"), ids=lambda case: f"{case.id}-{case.ask}")
def test_own_cases(host: PluginHost, case) -> None:
    assert_case(host, "fretamento_rmr", case)
