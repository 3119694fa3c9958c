"""One cell's text as a typed fact, or the fault that the clerk must see. One reader a target."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from registry.domain.identifiers import IdentifierError, parse_plate, parse_renavam
from registry.domain.imports import holder_cells
from registry.domain.imports.days import read_day, read_past_day
from registry.domain.imports.reading import (
    UNKNOWN,
    CellFault,
    Confirmable,
    Context,
    Doubtful,
    Noted,
    Reader,
    clean,
    clean_lines,
    limited,
)
from registry.domain.text import fold, format_date

__all__ = ["UNKNOWN", "CellFault", "Confirmable", "Context", "Doubtful", "Noted", "clean", "read_cell"]

_LONGEST_CODE = 64
_LONGEST_TEXT = 400
_LONGEST_NOTE = 4000
_FIRST_YEAR = 1900
_MOST = {"doors": 20, "seats": 200}
_WHOLE = re.compile(r"([0-9]{1,9})(?:,0+)?")
_SCIENTIFIC = re.compile(r"[0-9]+([.,][0-9]+)?E[+-]?[0-9]+", re.IGNORECASE)


def read_cell(context: Context, target: str, text: str) -> Any:
    """The fact in a cell: its typed value, None for a blank cell, :data:`UNKNOWN`, a :class:`Doubtful`, a
    :class:`Noted` or a :class:`Confirmable`.

    Raises :class:`CellFault`.
    """
    if target == "note":
        return limited(clean_lines(text), _LONGEST_NOTE) or None
    bare = clean(text)
    folded = fold(bare)
    bare = context.profile.values.get(target, {}).get(folded, bare)
    if not bare:
        return None
    unknown = context.profile.unknown.get(target, frozenset())
    if fold(bare) in unknown:
        return UNKNOWN
    value = _READERS.get(target, _text)(context, target, bare)
    return UNKNOWN if isinstance(value, date) and value.isoformat() in unknown else value


def _number(context: Context, _target: str, bare: str) -> str:
    """A permit's number: digits get the zeros of the regime's format, so that 42 and 0042 are one permit."""
    if _SCIENTIFIC.fullmatch(bare) and not bare.isalpha():
        raise CellFault("A planilha cortou este número.", "Formate a coluna como texto e salve de novo.")
    if bare.isascii() and bare.isdigit():
        return context.number_format.format(number=int(bare)) if len(bare) <= 18 else bare[:_LONGEST_CODE]
    return limited(bare.upper(), _LONGEST_CODE)


def _plate(_context: Context, _target: str, bare: str) -> str:
    try:
        return parse_plate(bare).text
    except IdentifierError as error:
        mend = f"Talvez seja {error.suggestion}: confira no documento." if error.suggestion else ""
        raise CellFault(error.message_pt, mend) from None


def _renavam(_context: Context, _target: str, bare: str) -> str:
    try:
        return parse_renavam(bare)
    except IdentifierError as error:
        raise CellFault(error.message_pt, f"Talvez seja {error.suggestion}." if error.suggestion else "") from None


def _year(context: Context, target: str, bare: str) -> int:
    year = _whole(context, target, bare)
    if year > context.on.year:
        raise CellFault(f"O ano de fabricação não pode ser maior que {context.on.year}.")
    if year < _FIRST_YEAR:
        raise CellFault("Confira o ano de fabricação.", "Escreva o ano com 4 números.")
    return year


def _count(context: Context, target: str, bare: str) -> int:
    number = _whole(context, target, bare)
    if not 0 < number <= _MOST[target]:
        raise CellFault(f"Escreva um número de 1 a {_MOST[target]}.")
    return number


def _whole(_context: Context, _target: str, bare: str) -> int:
    found = _WHOLE.fullmatch(bare)
    if not found:
        raise CellFault("Escreva um número inteiro.")
    return int(found[1])


def _as_of(context: Context, _target: str, bare: str) -> date | Confirmable:
    return read_past_day(bare, context.on)


def _past_day(context: Context, _target: str, bare: str) -> date | Doubtful | Confirmable:
    def known(day: date) -> date | Doubtful:
        if day > context.on:
            return Doubtful(f"A data é depois de hoje ({format_date(context.on)}); fica como não conhecida.")
        return day

    found: date | Doubtful | Confirmable = read_day(bare, known)
    return found


def _fuel(context: Context, target: str, bare: str) -> str:
    """The fuels as a set: each spelling and order of the same fuels gives one text."""
    profile = context.profile
    if not profile.fuels:
        return limited(bare, _LONGEST_CODE)
    parts = [part.strip() for part in re.split(f"[{re.escape(profile.fuel_separators)}]", bare) if part.strip()]
    found = set()
    for part in parts:
        fuel = profile.fuels.get(fold(part))
        if fuel is None:
            known = ", ".join(profile.fuel_order)
            raise CellFault(f"«{part}» não é um combustível conhecido.", f"Há: {known}. Mapeie o texto ou corrija.")
        found.add(fuel)
    return limited("/".join(fuel for fuel in profile.fuel_order if fuel in found), _LONGEST_CODE)


def _category(context: Context, _target: str, bare: str) -> str:
    return _choice(context.categories, bare)


def _type(context: Context, _target: str, bare: str) -> str:
    return _choice(context.vehicle_types, bare)


def _choice(choices: Mapping[str, str], bare: str) -> str:
    wanted = fold(bare)
    for code, label in choices.items():
        if wanted in (fold(code), fold(label)):
            return code
    raise CellFault(f"Não é uma das opções: {', '.join(choices.values())}.", "Mapeie o texto ou corrija.")


def _code(_context: Context, _target: str, bare: str) -> str:
    return limited(bare, _LONGEST_CODE)


def _text(_context: Context, _target: str, bare: str) -> str:
    return limited(bare, _LONGEST_TEXT)


_READERS: Mapping[str, Reader] = {
    **holder_cells.READERS,
    "number": _number,
    "plate": _plate,
    "make": _code,
    "model": _code,
    "colour": _code,
    "type": _type,
    "year_made": _year,
    "first_registered_on": _past_day,
    "as_of": _as_of,
    "fuel": _fuel,
    "doors": _count,
    "seats": _count,
    "renavam": _renavam,
    "category": _category,
}
