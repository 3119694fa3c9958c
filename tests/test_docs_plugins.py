"""The examples for plugin authors work as they are printed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from registry.api import law as surface
from registry.api.law import Law, Lawbook, Question, build_lawbook
from registry.domain.cases import read_case_file, run_cases

PAGES = Path(__file__).resolve().parents[1] / "docs" / "plugins"


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of one language on a page."""
    return re.findall(
        rf"^```{language}\n(.*?)^```", (PAGES / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def printed_book() -> Lawbook:
    """The law data of the page, with the provision that its index value names."""
    calendar, rest = {}, []
    for text in blocks("law.md", "toml"):
        (calendar.update(tomllib.loads(text)) if "[[day]]" in text else rest.append(text))

    files: dict[str, Any] = {"law.toml": tomllib.loads("\n".join(rest)), "calendar.toml": calendar}
    files["more.toml"] = {"sentence": {"seats_ok": "O veículo tem {seats} lugares. O mínimo é {minimum}."}}
    return build_lawbook("my_town", "1", files)


def printed_question() -> Question[Any, Any]:
    """The question of the page."""
    (source,) = blocks("README.md", "python")
    names = "from dataclasses import dataclass\nfrom datetime import date\nfrom typing import Literal\n"
    scope: dict[str, Any] = {name: getattr(surface, name) for name in surface.__all__}
    exec(compile(names + source, "README.md", "exec", dont_inherit=True), scope)
    return scope["capacity"]


def test_the_law_data_of_the_page_loads():
    book = printed_book()
    assert set(book.provisions) == {"art-7"}
    assert book.indexes["custo_km"].places == 4
    assert book.reading("art7_counts_driver").options == (True, False)
    assert book.calendar.rules and book.calendar.closures


@pytest.mark.parametrize(("seats", "decision"), [(11, "deny"), (12, "allow"), (13, "allow")])
def test_the_case_of_the_page_passes_and_turns_at_the_limit(seats: int, decision: str):
    (source,) = blocks("cases.md", "yaml")
    text = source.replace("seats: 11", f"seats: {seats}").replace("decision: deny", f"decision: {decision}")
    cases = read_case_file(yaml.load(text, yaml.BaseLoader)).cases
    book = printed_book()
    (result,) = run_cases(cases, {"capacity": printed_question()}, Law(book, book.calendar, ZoneInfo("UTC")))
    assert result.status == "passed", result
