"""A list of requests as a table for a spreadsheet: what is filtered, page after page."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

from flask import Response, make_response

from registry.services.worklist import WorkLine, Worklist
from registry.web.edge import today

MOST_PAGES = 50
COLUMNS = ("Prazo", "Situação do prazo", "Requerimento", "Número", "Quem", "Placa", "Próximo passo", "Situação", "Com")


def requests_csv(page: Callable[[int], Worklist]) -> Response:
    """The lines of a list, at most 50 pages; ``page`` gives one of them, from 1."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";")
    writer.writerow(COLUMNS)
    for number in range(1, MOST_PAGES + 1):
        found = page(number)
        for line in found.lines:
            writer.writerow([_safe(cell) for cell in _cells(line)])
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


def _safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t") else cell
