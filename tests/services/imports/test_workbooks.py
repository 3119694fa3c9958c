"""XLSX workbooks are read as tables: what they hold comes out whole, and what would harm is refused."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
import xlsxwriter

from registry.domain.imports.table import TableError
from registry.services import import_workbook
from registry.services.errors import Refused
from registry.services.import_workbook import read_workbook
from tests.services.imports.fleet import Bring, Preview, counts, one_engine, permit

ROWS = [
    ["prefixo", "placa", "modelo", "cor", "primeiro emplacamento"],
    [7, "RZA1B23", "MARÉ", "AZUL", date(2022, 11, 14)],
    ["0008", "RZB1234", "MARÉ", None, date(2023, 1, 2)],
]


def workbook(*sheets: tuple[str, list[list[Any]]], strange: Callable[[Any], None] | None = None) -> bytes:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        day = book.add_format({"num_format": "dd/mm/yyyy"})
        for name, rows in sheets:
            sheet = book.add_worksheet(name)
            for line, row in enumerate(rows):
                for column, cell in enumerate(row):
                    if isinstance(cell, date):
                        sheet.write_datetime(line, column, cell, day)
                    elif cell is not None:
                        sheet.write(line, column, cell)
            if strange:
                strange(sheet)
    return stream.getvalue()


def cells(data: bytes, sheet: str = "") -> list[tuple[str, ...]]:
    return [record.cells for record in read_workbook(data, sheet).records]


def test_days_and_numbers_come_out_as_text_without_loss() -> None:
    table = [[98765432100, 1467.35, 0.1, 90000001174, date(2026, 11, 30), True, "0042", 5.0, 4.4e20]]
    assert cells(workbook(("A", table))) == [
        ("98765432100", "1467,35", "0,1", "90000001174", "2026-11-30", "sim", "0042", "5", "4,40000E+20")
    ]


def test_blank_rows_keep_their_place_and_blank_ends_go() -> None:
    table = read_workbook(workbook(("A", [[None], ["a", None, "b", None], [], ["c"]])))
    assert [(each.line, each.cells) for each in table.records] == [(1, ()), (2, ("a", "", "b")), (3, ()), (4, ("c",))]
    assert (table.encoding, table.delimiter) == ("XLSX", "")


def test_the_first_sheet_is_read_unless_one_is_named() -> None:
    both = workbook(("Capa", [["capa"]]), ("Frota 2026", [["frota"]]))
    assert cells(both) == [("capa",)]
    assert cells(both, " frota 2026 ") == [("frota",)]
    with pytest.raises(TableError, match=r"não tem a aba «Táxis»\. Há: Capa, Frota 2026"):
        cells(both, "Táxis")


def test_a_workbook_comes_in_as_a_csv_does(store: Any, bring: Bring, preview: Preview) -> None:
    data = workbook(("Capa", [["x"]]), ("Frota", ROWS))
    report = preview(data, sheet="Frota")
    assert (report.sheet.encoding, report.blocked, report.sheet.rows) == ("XLSX", False, 2)
    assert bring(data, sheet="Frota").vehicles == 2
    assert permit(store, "0007")[1].first_registered_on == date(2022, 11, 14)
    before = counts(store)
    assert bring(data, sheet="Frota").nothing_changed
    assert counts(store) == before


@one_engine
def test_a_wrong_cell_of_a_workbook_is_named_as_the_spreadsheet_names_it(preview: Preview) -> None:
    rows = [*ROWS, [9, "PEXIB23", "MARÉ", None, 44562]]
    found = preview(workbook(("Frota", rows))).remarks_of("erro")
    assert [(each.cell, each.confirmable) for each in found] == [("B4", False), ("E4", True)]


# what is refused


def archive(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (archive(leia=b"x"), "arquivo compactado"),
        (workbook(("A", ROWS))[:900], "planilha XLSX inteira"),
        (b"PK\x03\x04" + b"x" * 50, "planilha XLSX inteira"),
        (archive(xl__workbook_xml=b"<x/>"), "planilha XLSX inteira"),
    ],
)
def test_what_is_no_workbook_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(TableError, match=says):
        read_workbook(data)


def test_an_archive_that_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_workbook, "_MOST_BYTES", 1_000_000)
    with pytest.raises(TableError, match="grande demais"):
        read_workbook(archive(xl__workbook_xml=b"<x/>", xl__bomb_xml=b"0" * 1_000_001))


def test_a_cell_at_the_end_of_the_sheet_is_refused_before_room_is_made_for_it() -> None:
    far = workbook(("A", ROWS), strange=lambda sheet: sheet.write(1_048_575, 16_383, "x"))
    with pytest.raises(TableError, match="longe demais"):
        read_workbook(far)


@pytest.mark.parametrize("start", [b"\xd0\xcf\x11\xe0", b"%PDF-1.7", b"PK\x03\x04"])
@one_engine
def test_other_files_are_refused_by_what_they_hold(preview: Preview, start: bytes) -> None:
    with pytest.raises(Refused, match=r"XLSX|CSV"):
        preview(start + b"x" * 100)
