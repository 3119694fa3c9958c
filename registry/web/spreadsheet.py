"""A list of requests as a table for a spreadsheet: what is filtered, page after page."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable

from flask import Response, make_response

from registry.services.worklist import WorkLine, Worklist
from registry.web.edge import today

MOST_PAGES = 50
_AMOUNT = re.compile(r"-?[0-9]{1,3}(?:\.?[0-9]{3})*(?:,[0-9]+)?")
_FORMULA = frozenset("=+-@|%")
_BLANK = frozenset("\t\r\n")
COLUMNS = ("Prazo", "Situação do prazo", "Requerimento", "Número", "Quem", "Placa", "Próximo passo", "Situação", "Com")


def requests_csv(page: Callable[[int], Worklist]) -> Response:
    """The lines of a list, at most 50 pages; ``page`` gives one of them, from 1."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";")
    writer.writerow(COLUMNS)
    for number in range(1, MOST_PAGES + 1):
        found = page(number)
        for line in found.lines:
            writer.writerow([safe(cell) for cell in _cells(line)])
        if number >= found.pages:
            break
    response = make_response("\ufeff" + text.getvalue())
    response.headers["Content-Type"] = "text/csv; charset=utf-8"
    response.headers["Content-Disposition"] = f'attachment; filename="requerimentos-{today().isoformat()}.csv"'
    return response


def _cells(line: WorkLine) -> tuple[str, ...]:
    return (
        f"{line.due_on:%d/%m/%Y}" if line.due_on else "",
        line.due_label,
        line.kind_label,
        line.number,
        " – ".join(filter(None, (line.cooperative, line.applicant))),
        line.plate,
        line.next_step,
        line.shown_label,
        line.assigned_name,
    )


def safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: quoted, also behind blanks; an amount such as -30,00 stays."""
    start = unicodedata.normalize("NFKC", cell).lstrip()[:1]
    if not cell or _AMOUNT.fullmatch(cell) or not (start in _FORMULA or cell[0] in _BLANK):
        return cell
    return f"'{cell}"
