"""Sentences of the law data with facts filled in as Brazilian readers expect."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from registry.domain.text import format_date, format_hour, format_money, format_number, format_rate

FORMATS = ("date", "hour", "money", "rate", "number", "list")


def _written(value: Any, form: str) -> str:
    """``{x:date}`` 30/11/2026, ``{x:hour}`` 6h, ``{x:money}`` R$ 9,37, ``{x:rate}`` 5,1374, ``{x:number}`` 25.000,
    ``{x:list}`` a, b e c.
    """
    if form == "hour":
        return format_hour(value)
    if form == "money":
        return format_money(Decimal(str(value)))
    if form == "rate":
        return format_rate(Decimal(str(value)))
    if form == "number":
        return format_number(Decimal(str(value)))
    if form == "list":
        return join_words([str(item) for item in value])
    if form == "date" or isinstance(value, date):
        return format_date(value.date() if isinstance(value, datetime) else value)
    return str(value)


def join_words(words: list[str]) -> str:
    """``a, b e c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} e {words[-1]}" if words else ""


def format_sentence(template: str, facts: Mapping[str, Any]) -> str:
    """The template with its facts. Raises KeyError naming a fact that is absent."""
    return "".join(
        [
            literal if name is None else literal + _written(facts[name], form)
            for literal, name, form in _pieces(template)
        ]
    )


@lru_cache(maxsize=4096)
def _pieces(template: str) -> tuple[tuple[str, str | None, str], ...]:
    """Literal text, the fact that follows it and its format; a hot path asks the same templates again and again."""
    return tuple((literal, name, form or "") for literal, name, form, _ in string.Formatter().parse(template))


def check_sentence(template: Any) -> None:
    """Raises ValueError when the template is no text, its braces do not close or a format is unknown."""
    if not isinstance(template, str):
        raise ValueError(f"{template!r} is no text")
    for _, name, form, _ in string.Formatter().parse(template):
        if name is not None and not re.fullmatch(r"[a-z_][a-z0-9_]*", name):
            raise ValueError(f"{name!r} is no name of a fact")
        if form and form not in FORMATS:
            raise ValueError(f"unknown format {form!r}; use one of {', '.join(FORMATS)}")
