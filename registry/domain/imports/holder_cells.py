"""Cells about a permit's holder and state, and about closed days: the readers of lists of permits and of days."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from registry.domain.calendar import CalendarError, DayRule
from registry.domain.identifiers import IdentifierError, check_cnh, format_document, parse_document
from registry.domain.imports.days import read_day, read_past_day
from registry.domain.imports.reading import CellFault, Confirmable, Context, Noted, Reader, limited
from registry.domain.text import fold

STATES = ("ativa", "suspensa", "encerrada")
"""What a list may say of a permit; a profile maps its own words to these."""

_LONGEST_NAME = 400
_LONGEST_CODE = 64
_LONGEST_CATEGORY = 5
_CNH_DIGITS = 11
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_YEARLY = re.compile(r"([0-9]{1,2})/([0-9]{1,2})")


def _document(_context: Context, _target: str, bare: str) -> Any:
    """A CPF or CNPJ; one whose zeros in front the spreadsheet lost is made whole when its sum is right."""
    try:
        return parse_document(bare)[1]
    except IdentifierError as error:
        if error.code != "length" or error.suggestion is None:
            mend = f"Talvez seja {error.suggestion}: confira no documento." if error.suggestion else ""
            raise CellFault(error.message_pt, mend or "Confira no documento.") from None
        kind, whole = parse_document(error.suggestion)
        message = f"Faltavam zeros no começo, que a planilha cortou; lido como {format_document(kind, whole)}."
        return Noted(whole, message)


def _cnh(_context: Context, _target: str, bare: str) -> Any:
    """A driver's licence number; one whose sum fails can be true, so that the clerk may confirm it."""
    try:
        found = check_cnh(bare)
    except IdentifierError as error:
        digits = bare.replace(".", "").replace("-", "")
        if error.code == "length" and digits.isascii() and digits.isdigit() and 8 <= len(digits) < _CNH_DIGITS:
            whole = check_cnh(digits.rjust(_CNH_DIGITS, "0"))
            if whole.sum_ok:
                return Noted(whole.canonical, f"Faltavam zeros no começo; lida como {whole.canonical}.")
        raise CellFault(error.message_pt, "Confira no documento.") from None
    if found.sum_ok:
        return found.canonical
    message = "O número da CNH não bate com o dígito."
    return Confirmable(found.canonical, message, "Se está igual ao documento, confirme a célula.", "aviso")


def _cnh_category(_context: Context, _target: str, bare: str) -> str:
    category = bare.upper()
    if not category.isalpha() or not set(category) <= set("ABCDE") or len(category) > _LONGEST_CATEGORY:
        raise CellFault("A categoria da CNH é de A a E, como B ou AD.")
    return category


def _name(_context: Context, _target: str, bare: str) -> str:
    if not any(character.isalpha() for character in bare):
        raise CellFault("O nome não tem nenhuma letra.")
    return limited(bare, _LONGEST_NAME)


def _email(_context: Context, _target: str, bare: str) -> str:
    if not _EMAIL.fullmatch(bare):
        raise CellFault("O e-mail se escreve como nome@exemplo.com.br.")
    return limited(bare, _LONGEST_NAME)


def _code(_context: Context, _target: str, bare: str) -> str:
    return limited(bare, _LONGEST_CODE)


def _sex(_context: Context, _target: str, bare: str) -> str:
    return limited(bare.lower(), _LONGEST_CODE)


def _state(_context: Context, _target: str, bare: str) -> str:
    state = fold(bare)
    if state not in STATES:
        raise CellFault(f"Não é uma das situações: {', '.join(STATES)}.", "Mapeie o texto ou corrija.")
    return state


def _past(context: Context, _target: str, bare: str) -> date | Confirmable:
    return read_past_day(bare, context.on)


def _any_day(_context: Context, _target: str, bare: str) -> date | Confirmable:
    found: date | Confirmable = read_day(bare)
    return found


def _closed_day(context: Context, _target: str, bare: str) -> date | Confirmable | str:
    """A day; in a list of holidays also ``08/12``, which comes back every year, as its calendar rule ``12-08``."""
    yearly = _YEARLY.fullmatch(bare)
    if yearly is None or context.profile.kind != "holidays":
        return _any_day(context, "day", bare)
    rule = f"{int(yearly[2]):02d}-{int(yearly[1]):02d}"
    try:
        return DayRule(rule, bare).rule
    except CalendarError:
        raise CellFault(f"O dia {bare} não existe.") from None


READERS: Mapping[str, Reader] = {
    "document": _document,
    "name": _name,
    "cnh": _cnh,
    "cnh_category": _cnh_category,
    "cnh_until": _any_day,
    "born_on": _past,
    "granted_on": _past,
    "email": _email,
    "phone": _code,
    "nationality": _code,
    "sex": _sex,
    "status": _state,
    "day": _closed_day,
}
