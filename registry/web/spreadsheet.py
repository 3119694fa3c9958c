"""A list as a table for a spreadsheet: what is filtered, whole, without formulas; taking it home is recorded."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from flask import Response, make_response

from registry.domain.spreadsheet import safe
from registry.domain.text import format_number
from registry.services.registers import record_export
from registry.services.worklist import WorkLine
from registry.web.edge import perform, today

MOST_LINES = 20_000
CHUNK = 1_000
"""How many lines of a list are read at a time."""
CUT = f"A planilha para aqui, em {format_number(MOST_LINES)} linhas. Use os filtros e baixe em partes."

Line = TypeVar("Line")


def sheet(
    name: str,
    columns: Mapping[str, Callable[[Line], Any]],
    read: Callable[[int], Sequence[Line]],
    filters: Mapping[str, str],
) -> Response:
    """A list as CSV, of at most 20,000 lines; the audit says who took which list, how many lines, under which filters.

    Args:
        name: of the list, in pt-BR, which the file has too: ``pessoas``.
        columns: heading and content of each column; a date is written dd/mm/aaaa, None stays empty.
        read: gives the page of that number, from 1, in pages of :data:`CHUNK`; a shorter one is the last.
        filters: what limits the list, by its name in the address.
    """
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";")
    writer.writerow(columns)
    lines = _lines(read)
    count = 0
    for line in islice(lines, MOST_LINES):
        writer.writerow([safe(_text(of(line))) for of in columns.values()])
        count += 1
    if next(lines, None) is not None:
        writer.writerow([CUT])
    perform(record_export, name, count, filters)
    response = make_response("\ufeff" + text.getvalue())
    response.headers["Content-Type"] = "text/csv; charset=utf-8"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}-{today().isoformat()}.csv"'
    return response


def _lines(read: Callable[[int], Sequence[Line]]) -> Iterator[Line]:
    number = 1
    while True:
        found = read(number)
        yield from found
        if len(found) < CHUNK:
            return
        number += 1


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:%d/%m/%Y}" if hasattr(value, "strftime") else str(value)


REQUESTS: Mapping[str, Callable[[WorkLine], Any]] = {
    "Prazo": lambda line: line.due_on,
    "Situação do prazo": lambda line: line.due_label,
    "Requerimento": lambda line: line.kind_label,
    "Número": lambda line: line.number,
    "Quem": lambda line: " – ".join(filter(None, (line.cooperative, line.applicant))),
    "Placa": lambda line: line.plate,
    "Próximo passo": lambda line: line.next_step,
    "Situação": lambda line: line.shown_label,
    "Com": lambda line: line.assigned_name,
}
"""The columns of a list of requests: the register's and the home's."""
