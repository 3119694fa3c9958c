"""What is wrong in a file, as a table that a clerk sends back to whoever made it."""

from __future__ import annotations

import csv
import io

from registry.domain.spreadsheet import safe
from registry.services.imports import ImportReport

COLUMNS = ("Linha", "Célula", "Coluna", "Valor", "O que é", "O que está errado", "O que fazer")
_KINDS = {"erro": "Erro", "conflito": "Conflito", "duplicada": "Linha repetida", "aviso": "Aviso"}


def errors_csv(report: ImportReport) -> str:
    """Every remark of a preview as CSV (``;``, a byte order mark, formulas quoted), what stops the import first."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for each in sorted(report.remarks, key=lambda remark: not remark.blocks):
        kind = f"{_KINDS[each.kind]}, a confirmar" if each.confirmable else _KINDS[each.kind]
        cells = (str(each.line or ""), each.cell, each.column, each.value, kind, each.message, each.mend)
        writer.writerow([safe(cell) for cell in cells])
    return "\ufeff" + text.getvalue()
