"""Days in the cells of spreadsheets: typed in either order that leaves no doubt, or lost as a serial number."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from registry.domain.imports.reading import CellFault, Confirmable, Doubtful
from registry.domain.text import TextError, format_date, parse_date

_TIME = re.compile(r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?$")
_SERIAL = re.compile(r"[1-6][0-9]{4}")
_SPREADSHEET_START = date(1899, 12, 30)


def read_past_day(bare: str, on: date) -> date | Confirmable:
    """The day in a cell, which cannot lie after ``on``: a grant, a birth, an extraction. Raises :class:`CellFault`."""

    def not_ahead(day: date) -> date:
        if day > on:
            raise CellFault(f"A data não pode ser depois de hoje ({format_date(on)}).")
        return day

    found: date | Confirmable = read_day(bare, not_ahead)
    return found


def read_day(bare: str, checked: Callable[[date], Any] = lambda day: day) -> Any:
    """The day in a cell, as ``checked`` lets it pass; a serial number only when the clerk confirms it.

    Raises :class:`CellFault`, also from ``checked``.
    """
    if _SERIAL.fullmatch(bare):
        day = _SPREADSHEET_START + timedelta(days=int(bare))
        value = checked(day)
        if isinstance(value, Doubtful):
            return value
        return Confirmable(
            value,
            f"Isto é um número, e não uma data; no Excel seria {format_date(day)}.",
            "Confirme a célula, ou formate a coluna como data e salve de novo.",
        )
    try:
        return checked(parse_date(_TIME.sub("", bare), iso=True))
    except TextError as error:
        raise CellFault(error.message_pt) from None
