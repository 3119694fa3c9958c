"""From an XLSX workbook to a table, as a CSV file gives one: days typed, numbers as text without loss, no bombs."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Any

from registry.domain.imports.table import Record, Table, TableError

XLSX = "XLSX"
ZIP = b"PK\x03\x04"
_MOST_BYTES = 300 * 1024 * 1024
_MOST_CELLS = 20_000_000
_MOST_EXACT = 10**15
_CHUNK = 1024 * 1024
_OVERLAP = 256
_WORKBOOK = "xl/workbook.xml"
_PLACE = re.compile(rb'<(?:\w+:)?(?:row|c)\s[^>]{0,200}?\br="([A-Z]{0,3})([0-9]{1,7})"')
_WRONG = "O arquivo não é uma planilha XLSX inteira. Abra no programa de planilhas e salve como XLSX ou CSV."


def read_workbook(data: bytes, sheet: str = "") -> Table:
    """The table in one sheet of an XLSX file; the first sheet unless one is named.

    A day becomes ``2026-11-30``, a number its digits with a decimal comma, a formula its stored result. A number of
    more than fifteen digits, which a spreadsheet cannot hold, comes as a power of ten, so that no reader takes it.

    Raises TableError: not a workbook by content, too big when unpacked, no such sheet.
    """
    _refuse_bombs(data)
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        raise TableError("Este servidor não lê XLSX: instale o extra «xlsx», ou salve como CSV.") from None
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        chosen = _chosen(workbook.sheet_names, sheet)
        rows = workbook.get_sheet_by_name(chosen).to_python(skip_empty_area=False)
    except TableError:
        raise
    except Exception as error:  # calamine has an error class for each fault of a file
        raise TableError(_WRONG) from error
    return Table(XLSX, "", tuple(_records(rows)))


def _chosen(names: list[str], wanted: str) -> str:
    if not names:
        raise TableError(_WRONG)
    if not wanted:
        return names[0]
    found = next((name for name in names if name.casefold().strip() == wanted.casefold().strip()), None)
    if found is None:
        raise TableError(f"A planilha não tem a aba «{wanted}». Há: {', '.join(names)}.")
    return found


def _records(rows: Iterable[list[Any]]) -> Iterable[Record]:
    for line, row in enumerate(rows, start=1):
        cells = [_text(cell) for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        yield Record(line, tuple(cells))


def _text(cell: Any) -> str:
    match cell:
        case bool():
            return "sim" if cell else "não"
        case int() | float():
            return _number(cell)
        case datetime():
            return cell.date().isoformat() if cell.time() == time(0) else cell.isoformat(" ", "seconds")
        case date():
            return cell.isoformat()
        case time():
            return cell.isoformat("minutes")
        case timedelta():
            return str(cell)
    return str(cell)


def _number(number: float) -> str:
    if abs(number) >= _MOST_EXACT:
        return f"{number:.5E}".replace(".", ",")
    whole = int(number)
    return str(whole) if whole == number else repr(number).replace(".", ",")


def _refuse_bombs(data: bytes) -> None:
    """Refuses what is no workbook, or would fill the memory when unpacked, before anything unpacks it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if _WORKBOOK not in {each.filename for each in members}:
                raise TableError("É um arquivo compactado, e não uma planilha XLSX. Salve como XLSX ou CSV.")
            if sum(each.file_size for each in members) > _MOST_BYTES:
                raise TableError("A planilha é grande demais depois de aberta. Divida em partes ou salve como CSV.")
            for each in members:
                cells = _cells(archive, each)
                if cells > _MOST_CELLS:
                    raise TableError(
                        "A planilha tem células longe demais do começo. Copie só a tabela para uma planilha nova."
                    )
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(_WRONG) from error


def _cells(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> int:
    """How many cells the area of a sheet has, from the places that it names; reading checks the member's sum too."""
    last_row = last_column = 0
    rest, total = b"", 0
    with archive.open(member) as stream:
        while chunk := stream.read(_CHUNK):
            total += len(chunk)
            if total > _MOST_BYTES:
                raise TableError("A planilha é grande demais depois de aberta. Divida em partes ou salve como CSV.")
            if not member.filename.endswith(".xml"):
                continue
            text = rest + chunk
            for letters, row in _PLACE.findall(text):
                last_row = max(last_row, int(row))
                if len(letters) > 1:
                    last_column = max(last_column, _column(letters))
            rest = text[-_OVERLAP:]
    return last_row * max(last_column, 26)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number
