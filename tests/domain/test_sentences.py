"""Facts inside sentences as Brazilian readers expect them."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

from registry.domain.sentences import format_sentence, join_words


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("{x:date}", date(2026, 5, 6), "06/05/2026"),
        ("{x:date}", datetime(2026, 5, 6, 23, 30), "06/05/2026"),  # noqa: DTZ001
        ("{x}", date(2026, 5, 6), "06/05/2026"),
        ("{x:hour}", time(6), "6h"),
        ("{x:hour}", time(10, 42), "10h42"),
        ("{x:money}", Decimal("1234.5"), "R$\xa01.234,50"),
        ("{x:money}", "9.37", "R$\xa09,37"),
        ("{x:rate}", "2.4731", "2,4731"),
        ("{x:number}", 25000, "25.000"),
        ("{x:number}", Decimal("40"), "40"),
        ("{x:number}", Decimal("2.5"), "2,5"),
        ("{x:list}", ["a", "b", "c"], "a, b e c"),
        ("{x:list}", [], ""),
        ("{x}", 4963, "4963"),
        ("{x}", "{y}", "{y}"),
    ],
)
def test_formats(template: str, value: Any, text: str):
    assert format_sentence(template, {"x": value}) == text


def test_an_absent_fact_is_named():
    with pytest.raises(KeyError, match="on"):
        format_sentence("em {on:date}", {"at": 1})


def test_words_joined():
    assert [join_words(words) for words in ([], ["a"], ["a", "b"])] == ["", "a", "a e b"]
