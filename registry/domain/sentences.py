"""Sentences of the law data with facts filled in as Brazilian readers expect."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from registry.domain.text import format_date, format_hour, format_money, format_rate

FORMATS = ("date", "hour", "money", "rate", "list")


class _PortugueseFormatter(string.Formatter):
    """``{x:date}`` 30/11/2026, ``{x:hour}`` 6h, ``{x:money}`` R$ 9,37, ``{x:rate}`` 5,1374, ``{x:list}`` a, b e c."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "date":
            return format_date(value.date() if isinstance(value, datetime) else value)
        if format_spec == "hour":
            return format_hour(value)
        if format_spec == "money":
            return format_money(Decimal(str(value)))
        if format_spec == "rate":
            return format_rate(Decimal(str(value)))
        if format_spec == "list":
            return join_words([str(item) for item in value])
        if isinstance(value, date) and not format_spec:
            return format_date(value)
        return str(super().format_field(value, format_spec))


def join_words(words: list[str]) -> str:
    """``a, b e c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} e {words[-1]}" if words else ""


def format_sentence(template: str, facts: Mapping[str, Any]) -> str:
    """The template with its facts. Raises KeyError naming a fact that is absent."""
    return _PortugueseFormatter().vformat(template, (), facts)


def check_sentence(template: Any) -> None:
    """Raises ValueError when the template is no text, its braces do not close or a format is unknown."""
    if not isinstance(template, str):
        raise ValueError(f"{template!r} is no text")
    for _, name, form, _ in string.Formatter().parse(template):
        if name is not None and not re.fullmatch(r"[a-z_][a-z0-9_]*", name):
            raise ValueError(f"{name!r} is no name of a fact")
        if form and form not in FORMATS:
            raise ValueError(f"unknown format {form!r}; use one of {', '.join(FORMATS)}")
