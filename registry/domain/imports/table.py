"""From the bytes of a CSV file to its records: encoding, byte order mark, ``sep=`` line and delimiter are detected."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

DELIMITERS = {";": "ponto e vírgula", ",": "vírgula", "\t": "tabulação", "|": "barra vertical"}

_SEP_LINE = re.compile(r"\s*sep=(.)\s*", re.IGNORECASE)
_SAMPLE = 200
_NOT_TEXT = {
    b"PK\x03\x04": "É uma planilha ou um arquivo compactado. Salve como XLSX ou CSV.",
    b"\xd0\xcf\x11\xe0": "É uma planilha do Excel antigo. Abra e salve como XLSX ou CSV.",
    b"%PDF": "É um PDF. Peça a tabela em CSV.",
}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class TableError(ValueError):
    """The file cannot be read as a table; ``message_pt`` says why and what to do, ``line`` where (0 = whole file)."""

    def __init__(self, message_pt: str, line: int = 0) -> None:
        super().__init__(message_pt)
        self.message_pt = message_pt
        self.line = line


@dataclass(frozen=True)
class Record:
    """One record. ``line`` is its row as a spreadsheet shows it: the first is 1, a ``sep=`` line is not counted."""

    line: int
    cells: tuple[str, ...]

    @property
    def blank(self) -> bool:
        """Whether no cell holds anything."""
        return not any(cell.strip() for cell in self.cells)

    def cell(self, place: int) -> str:
        """The cell at a column counted from 0; "" where the record is shorter."""
        return self.cells[place] if place < len(self.cells) else ""


@dataclass(frozen=True)
class Table:
    """The records of a file and how it was written. ``encoding`` is UTF-8, UTF-16, Windows-1252, Latin-1 or XLSX.

    ``delimiter`` is "" where cells are not parted by text.
    """

    encoding: str
    delimiter: str
    records: tuple[Record, ...]


def read_table(data: bytes) -> Table:
    """The table in a file's bytes. Raises :class:`TableError`."""
    text, encoding = decode(data)
    first, _, rest = text.partition("\n")
    declared = _SEP_LINE.fullmatch(first)
    if declared:
        text = rest
    delimiter = declared[1] if declared else _delimiter(text)
    return Table(encoding, delimiter, tuple(_records(text, delimiter)))


def decode(data: bytes) -> tuple[str, str]:
    """The text of a file and the name of its encoding. Raises :class:`TableError`.

    Bytes that are good UTF-8 are UTF-8; else a file that is UTF-8 but for a few bytes is refused, since read otherwise
    every accent in it would be spoilt; else it is Windows-1252, or Latin-1 where nothing tells the two apart.
    """
    if not data.strip():
        raise TableError("O arquivo está vazio.")
    for beginning, message in _NOT_TEXT.items():
        if data.startswith(beginning):
            raise TableError(message)
    text, encoding = _decoded(data)
    wrong = _CONTROL.search(text)
    if wrong is not None:
        number = text.count("\n", 0, wrong.start()) + 1
        message = f"A linha {number} tem o caractere {ord(wrong[0]):#04x}, que não é texto. Salve de novo como CSV."
        raise TableError(message, number)
    return text, encoding


def _decoded(data: bytes) -> tuple[str, str]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16"), "UTF-16"
        except UnicodeDecodeError:
            raise TableError("O arquivo UTF-16 está cortado. Salve de novo como CSV UTF-8.") from None
    try:
        return data.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError as error:
        if data.startswith(b"\xef\xbb\xbf") or _mostly_utf8(data):
            line = data.count(b"\n", 0, error.start) + 1
            text = f"O arquivo é UTF-8, mas a linha {line} tem um byte que não é. Salve de novo como CSV UTF-8."
            raise TableError(text, line) from None
    if any(0x80 <= byte <= 0x9F for byte in data):
        try:
            return data.decode("cp1252"), "Windows-1252"
        except UnicodeDecodeError:
            pass
    return data.decode("latin-1"), "Latin-1"


def _mostly_utf8(data: bytes) -> bool:
    """Whether more accents stand there as UTF-8 than bytes that are not."""
    text = data.decode("utf-8", errors="surrogateescape")
    bad = sum("\udc80" <= c <= "\udcff" for c in text)
    good = sum(not c.isascii() for c in text) - bad
    return good > bad


def _delimiter(text: str) -> str:
    """The candidate under which most records of the beginning have the same number of columns, at least two."""
    best, best_score = ";", (0.0, 0)
    for candidate in DELIMITERS:
        widths = Counter(len(cells) for cells in _sample(text, candidate) if any(cells))
        several = {width: number for width, number in widths.items() if width > 1}
        if several:
            width = max(several, key=lambda each: (several[each], each))
            score = (several[width] / widths.total(), width)
            if score > best_score:
                best, best_score = candidate, score
    return best


def _sample(text: str, delimiter: str) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for _, cells in zip(range(_SAMPLE), reader, strict=False):
            yield cells
    except csv.Error:
        return


def _records(text: str, delimiter: str) -> Iterable[Record]:
    """Strict reading: an unclosed quote would otherwise swallow every line after it."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line, begun = 0, 1
    try:
        for line, cells in enumerate(reader, start=1):
            yield Record(line, tuple(cells))
            begun = reader.line_num + 1
    except csv.Error as error:
        raise TableError(_csv_message(error, line + 1), begun) from None


def _csv_message(error: csv.Error, line: int) -> str:
    if "unexpected end of data" in str(error):
        return f"Há aspas abertas e não fechadas a partir da linha {line}. Feche as aspas e tente de novo."
    if "field larger" in str(error):
        return f"Uma célula da linha {line} é grande demais. Confira se faltam aspas."
    return f"As aspas da linha {line} estão no meio de um texto. Dentro de aspas, escreva cada aspa duas vezes."


def column_letter(place: int) -> str:
    """The letters of a column counted from 0, as spreadsheets show them: A, Z, AA."""
    letters = ""
    number = place + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
