"""The facts of a regime's request form: typed in pt-BR, stored as plain JSON, handed to rules in their types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from registry.domain.regime import FactField
from registry.domain.text import TextError, format_date, format_money_field, format_number, parse_date, parse_money
from registry.domain.text import parse_rate as parse_decimal

_FLAGS = {"sim": True, "true": True, "não": False, "nao": False, "false": False}
_PLACES = 6


def fields_for(fields: Iterable[FactField], holder_kind: str) -> tuple[FactField, ...]:
    """The fields that the form shows to a kind of holder."""
    return tuple(each for each in fields if not each.when or holder_kind in each.when)


def read_facts(fields: Iterable[FactField], typed: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Typed text as values by field name, and the sentence beside each field that cannot be read.

    A field that ``typed`` lacks is left out; an empty one is None. A value that already has its type passes.
    """
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for each in fields:
        if each.name not in typed:
            continue
        try:
            values[each.name] = _read(each, typed[each.name])
        except TextError as error:
            errors[each.name] = error.message_pt
    return values, errors


def encode(value: Any) -> Any:
    """A fact as it is stored: days as ISO text, decimals as text."""
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value


def decode(fields: Iterable[FactField], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Stored facts in the types that rules take; facts of no field pass as they are."""
    kinds = {each.name: each.kind for each in fields}
    return {name: _decode(kinds.get(name, "text"), value) for name, value in stored.items()}


def for_field(kind: str, value: Any) -> str:
    """A fact as it stands in its input: ``1.234,56``, ``30/11/2026``, ``sim``; "" when not given."""
    if value is None:
        return ""
    if kind == "flag":
        return "sim" if value else "nao"
    if kind == "date":
        return format_date(value)
    if kind == "money":
        return format_money_field(value)
    return format_number(value) if kind == "decimal" else str(value)


def _decode(kind: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if kind == "date":
        return date.fromisoformat(value)
    return Decimal(value) if kind in ("money", "decimal") else value


def _read(each: FactField, typed: Any) -> Any:
    if typed is None or (isinstance(typed, str) and not typed.strip()):
        return None
    if not isinstance(typed, str):
        return typed
    bare = typed.strip()
    match each.kind:
        case "integer":
            return _integer(bare)
        case "money":
            return parse_money(bare)
        case "decimal":
            return parse_decimal(bare, _PLACES)
        case "date":
            return parse_date(bare)
        case "flag":
            return _flag(bare)
        case "choice":
            return _choice(each, bare)
        case _:
            return bare


def _integer(bare: str) -> int:
    digits = bare.replace(".", "")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        raise TextError("format", "Escreva um número inteiro, como 12.")
    return int(digits)


def _flag(bare: str) -> bool:
    if bare.lower() not in _FLAGS:
        raise TextError("format", "Escolha Sim ou Não.")
    return _FLAGS[bare.lower()]


def _choice(each: FactField, bare: str) -> str:
    if bare not in {choice.code for choice in each.choices}:
        raise TextError("format", "Escolha uma das opções.")
    return bare
