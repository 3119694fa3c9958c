"""A file read line by line under a profile: the lines that can be written, and everything that a clerk must see."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Literal

from registry.domain.identifiers import plate_key
from registry.domain.imports.cells import UNKNOWN, CellFault, Confirmable, Context, Doubtful, Noted, clean, read_cell
from registry.domain.imports.header import Header, find_header
from registry.domain.imports.kinds import KINDS
from registry.domain.imports.profile import Profile
from registry.domain.imports.remarks import Remark, Tally
from registry.domain.imports.settling import repeats_of
from registry.domain.imports.table import Record, Table, TableError, column_letter
from registry.domain.text import fold

_TOTAL = "total"


@dataclass(frozen=True)
class Line:
    """One data row: its facts by target (None = not known), and the cells that they were read from.

    ``line`` is the row in the spreadsheet, ``row`` counts the data rows from 1. ``faulty`` = a cell could not be read,
    or waits to be confirmed. ``confirmed`` are the targets for whose doubtful value the clerk vouches.
    """

    line: int
    row: int
    values: Mapping[str, Any]
    cells: Mapping[str, tuple[str, str, str]]
    faulty: bool = False
    confirmed: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """The key that both forms of the plate share; "" without a plate."""
        plate = self.values.get("plate")
        return plate_key(plate) if plate else ""

    def remark(self, kind: Any, target: str, message: str, mend: str = "", other: int = 0) -> Remark:
        """A remark on one of its cells."""
        cell, column, value = self.cells.get(target, ("", "", ""))
        return Remark(kind, self.line, self.row, message, cell, column, value, mend, other)


@dataclass(frozen=True)
class Suggestion:
    """A text that the profile proposes to read as another; nothing happens until the clerk maps it."""

    column: str
    read: str
    meant: str
    count: int


@dataclass(frozen=True)
class Sheet:
    """What a file holds. ``lines`` are those to be written: readable, each once, none left out by the clerk.

    ``rows`` counts the data rows; ``passed_over`` are lines that are no data (titles, totals, headers again),
    ``skipped`` the lines that the clerk leaves out; ``confirmed`` are the cells whose doubtful value was taken.
    """

    profile: Profile
    encoding: str
    delimiter: str
    header_line: int
    rows: int
    lines: tuple[Line, ...]
    remarks: tuple[Remark, ...]
    tallies: tuple[Tally, ...]
    suggestions: tuple[Suggestion, ...]
    ignored_columns: tuple[str, ...]
    passed_over: tuple[int, ...]
    skipped: tuple[int, ...]
    confirmed: tuple[str, ...] = ()

    def remarks_of(self, kind: str) -> tuple[Remark, ...]:
        """The remarks of one kind."""
        return tuple(each for each in self.remarks if each.kind == kind)


@dataclass
class _Reading:
    """The state of one pass over the records."""

    header: Header
    context: Context
    defaults: Mapping[str, Any]
    lines: list[Line] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    passed_over: list[int] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)


def read_sheet(table: Table, profiles: Sequence[Profile], context: Context, skip: Collection[int] = ()) -> Sheet:
    """Reads every line. ``context.profile`` is replaced by the one that the header chooses among ``profiles``.

    Args:
        table: the records of the file.
        profiles: one, or those to choose from.
        context: what cells are read under.
        skip: lines (rows of the spreadsheet) that the clerk leaves out, with those that repeat them.

    Raises:
        TableError: no header, or one that cannot be used; a default of the profile that does not fit the regime.
    """
    header = find_header(table, profiles)
    context = replace(context, profile=header.profile)
    reading = _Reading(header, context, _defaults(context))
    reading.passed_over += [each.line for each in table.records[: header.index] if not each.blank]
    for record in table.records[header.index + 1 :]:
        if record.blank:
            continue
        if _no_data(header, record):
            reading.passed_over.append(record.line)
        else:
            _read_line(reading, record)
    repeats = repeats_of(header.profile, skip)
    kept = repeats.settle(reading.lines)
    asked = repeats.left_out | {each.line for each in repeats.remarks if each.kind == "duplicada"}
    remarks = [each for each in reading.remarks if each.line not in (asked if each.confirmable else repeats.left_out)]
    return Sheet(
        profile=header.profile,
        encoding=table.encoding,
        delimiter=table.delimiter,
        header_line=header.record.line,
        rows=len(reading.lines),
        lines=tuple(line for line in kept if not line.faulty),
        remarks=tuple(sorted([*remarks, *repeats.remarks], key=lambda each: (each.line, each.cell))),
        tallies=tuple(_tally(reading, target) for target in header.places),
        suggestions=tuple(_suggestions(reading)),
        ignored_columns=header.ignored,
        passed_over=tuple(reading.passed_over),
        skipped=tuple(sorted(repeats.left_out)),
        confirmed=tuple(line.cells[target][0] for line in reading.lines for target in sorted(line.confirmed)),
    )


def _defaults(context: Context) -> dict[str, Any]:
    defaults: dict[str, Any] = {}
    for target, text in context.profile.defaults.items():
        try:
            value = read_cell(context, target, text)
            defaults[target] = value.value if isinstance(value, Noted | Confirmable) else value
        except CellFault as fault:
            message = f"Perfil {context.profile.name}, defaults.{target}, «{text}»: {fault.message}"
            raise TableError(message) from None
    return defaults


def _no_data(header: Header, record: Record) -> bool:
    """A total line (it has nothing of what marks a line of its kind), or the header once more."""
    cells = [fold(clean(cell)) for cell in record.cells]
    if cells[: len(header.record.cells)] == [fold(clean(cell)) for cell in header.record.cells]:
        return True
    first = next(cell for cell in cells if cell)
    marks = [header.places[target] for target in KINDS[header.profile.kind].marks if target in header.places]
    filled = [place for place in marks if clean(record.cell(place)) and fold(clean(record.cell(place))) != first]
    return first.split(" ")[0].rstrip(":") == _TOTAL and not filled


def _read_line(reading: _Reading, record: Record) -> None:
    header, row = reading.header, len(reading.lines) + 1
    values: dict[str, Any] = dict.fromkeys(header.profile.columns)
    cells: dict[str, tuple[str, str, str]] = {}
    told: list[tuple[str, _Told]] = []
    for target, place in header.places.items():
        text = record.cell(place)
        cells[target] = (f"{column_letter(place)}{record.line}", header.name(target), clean(text))
        values[target], found = _read(reading, target, cells[target][0], text)
        told += [(target, found)] if found else []
    for target, default in reading.defaults.items():
        if values.get(target) is None:
            values[target] = default
    extra = [clean(cell) for cell in record.cells[len(header.record.cells) :] if clean(cell)]
    faulty = bool(extra) or any(each.stops for _, each in told)
    confirmed = frozenset(target for target, each in told if each.confirmed)
    line = Line(record.line, row, values, cells, faulty, confirmed)
    reading.lines.append(line)
    reading.remarks += [
        replace(line.remark(each.kind, target, each.message, each.mend), confirmable=each.confirmable)
        for target, each in told
        if not each.confirmed
    ]
    if extra:
        reading.remarks.append(_too_wide(line, header, record, extra))
    reading.remarks += _odd(line)


@dataclass(frozen=True)
class _Told:
    """What reading a cell has to tell."""

    kind: Literal["erro", "aviso"]
    message: str
    mend: str = ""
    confirmable: bool = False
    confirmed: bool = False

    @property
    def stops(self) -> bool:
        return (self.kind == "erro" or self.confirmable) and not self.confirmed


def _read(reading: _Reading, target: str, cell: str, text: str) -> tuple[Any, _Told | None]:
    try:
        value = read_cell(reading.context, target, text)
        if value is None and target in reading.header.profile.required:
            raise CellFault("A célula está vazia.", "Preencha ou deixe a linha de fora.")
    except CellFault as fault:
        return None, _Told("erro", fault.message, fault.mend or "Corrija no arquivo, ou deixe a linha de fora.")
    match value:
        case Doubtful(message):
            return None, _Told("aviso", message)
        case Noted(known, message):
            return known, _Told("aviso", message)
        case Confirmable(known, message, mend, kind):
            return known, _Told(kind, message, mend, True, cell in reading.context.confirmed)
    if value is UNKNOWN:
        reading.unknown[target] += 1
        return None, None
    return value, None


def _too_wide(line: Line, header: Header, record: Record, extra: Sequence[str]) -> Remark:
    return Remark(
        "erro",
        line.line,
        line.row,
        f"A linha tem {len(record.cells)} células e o cabeçalho, {len(header.record.cells)}.",
        value=", ".join(extra),
        mend="Se um texto tem o separador dentro, ponha o texto entre aspas.",
    )


def _odd(line: Line) -> list[Remark]:
    """What is possible and yet strange."""
    first, made = line.values.get("first_registered_on"), line.values.get("year_made")
    if isinstance(first, date) and made is not None and first.year < made:
        message = f"O primeiro emplacamento é de {first.year}, antes do ano de fabricação ({made})."
        return [line.remark("aviso", "first_registered_on", message, "Confira no documento do veículo.")]
    return []


def _tally(reading: _Reading, target: str) -> Tally:
    texts = [line.cells[target][2] for line in reading.lines]
    values = [line.values[target] for line in reading.lines]
    known = [value for value in values if value is not None]
    unknown = reading.unknown[target]
    blank = sum(1 for text in texts if not text)
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    if target == "fuel":
        for text, value in zip(texts, values, strict=True):
            if value is not None:
                spellings[value][text] += 1
    plates = known if target == "plate" else []
    return Tally(
        column=reading.header.name(target),
        target=target,
        filled=len(texts) - blank - unknown,
        blank=blank,
        unknown=unknown,
        distinct=len({fold(value) if isinstance(value, str) else value for value in known}),
        mercosul=sum(1 for plate in plates if not plate[4].isdigit()),
        spellings={value: dict(found) for value, found in spellings.items()},
    )


def _suggestions(reading: _Reading) -> list[Suggestion]:
    found = []
    for target, meant in reading.header.profile.suggestions.items():
        if target not in reading.header.places:
            continue
        mapped = reading.header.profile.values.get(target, {})
        read = Counter(fold(line.cells[target][2]) for line in reading.lines)
        found += [
            Suggestion(reading.header.name(target), text.upper(), wanted, read[text])
            for text, wanted in meant.items()
            if read[text] and text not in mapped
        ]
    return found
