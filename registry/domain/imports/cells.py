"""One cell's text as a typed fact, or the fault that the clerk must see. One reader a target."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from registry.domain.identifiers import IdentifierError, parse_plate, parse_renavam
from registry.domain.imports.profile import Profile
from registry.domain.text import TextError, fold, format_date, parse_date

_LONGEST_CODE = 64
_LONGEST_TEXT = 400
_FIRST_YEAR = 1900
_MOST = {"doors": 20, "seats": 200}
_INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u2060\u00ad"))
_TIME = re.compile(r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?$")
_WHOLE = re.compile(r"([0-9]{1,9})(?:,0+)?")
_SERIAL = re.compile(r"[1-6][0-9]{4}")
_SCIENTIFIC = re.compile(r"[0-9]+([.,][0-9]+)?E[+-]?[0-9]+", re.IGNORECASE)
_SPREADSHEET_START = date(1899, 12, 30)


class CellFault(ValueError):
    """The cell cannot be taken as it stands: what is wrong and the mend, in pt-BR."""

    def __init__(self, message: str, mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend


@dataclass(frozen=True)
class Context:
    """What cells are read under: the profile, the day, the regime's number format, categories and vehicle types
    (code -> label).
    """

    profile: Profile
    on: date
    number_format: str
    categories: Mapping[str, str]
    vehicle_types: Mapping[str, str]


UNKNOWN = object()
"""A cell whose text means that the fact is not known."""


@dataclass(frozen=True)
class Doubtful:
    """A cell that can be read and cannot be true: it is taken as not known, with a warning."""

    message: str


def clean(text: str) -> str:
    """The text of a cell without blanks around it, double blanks and invisible characters."""
    return " ".join(text.translate(_INVISIBLE).split())


def read_cell(context: Context, target: str, text: str) -> Any:
    """The fact in a cell: its typed value, None for a blank cell, :data:`UNKNOWN`, or a :class:`Doubtful`.

    Raises :class:`CellFault`.
    """
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
    return _limited(bare.upper(), _LONGEST_CODE)


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


def _as_of(context: Context, _target: str, bare: str) -> date:
    day = _date(bare)
    if day > context.on:
        raise CellFault(f"A data não pode ser depois de hoje ({format_date(context.on)}).")
    return day


def _past_day(context: Context, _target: str, bare: str) -> date | Doubtful:
    day = _date(bare)
    if day > context.on:
        return Doubtful(f"A data é depois de hoje ({format_date(context.on)}); fica como não conhecida.")
    return day


def _date(bare: str) -> date:
    if _SERIAL.fullmatch(bare):
        likely = format_date(_SPREADSHEET_START + timedelta(days=int(bare)))
        raise CellFault(
            f"Isto é um número, e não uma data; no Excel seria {likely}.", "Formate a coluna como data e salve de novo."
        )
    try:
        return parse_date(_TIME.sub("", bare), iso=True)
    except TextError as error:
        raise CellFault(error.message_pt) from None


def _fuel(context: Context, target: str, bare: str) -> str:
    """The fuels as a set: each spelling and order of the same fuels gives one text."""
    profile = context.profile
    if not profile.fuels:
        return _limited(bare, _LONGEST_CODE)
    parts = [part.strip() for part in re.split(f"[{re.escape(profile.fuel_separators)}]", bare) if part.strip()]
    found = set()
    for part in parts:
        fuel = profile.fuels.get(fold(part))
        if fuel is None:
            known = ", ".join(profile.fuel_order)
            raise CellFault(f"«{part}» não é um combustível conhecido.", f"Há: {known}. Mapeie o texto ou corrija.")
        found.add(fuel)
    return _limited("/".join(fuel for fuel in profile.fuel_order if fuel in found), _LONGEST_CODE)


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
    return _limited(bare, _LONGEST_CODE)


def _text(_context: Context, _target: str, bare: str) -> str:
    return _limited(bare, _LONGEST_TEXT)


def _limited(bare: str, most: int) -> str:
    if len(bare) > most:
        raise CellFault(f"O texto tem {len(bare)} letras; o limite é {most}.")
    return bare


_READERS: Mapping[str, Callable[[Context, str, str], Any]] = {
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
