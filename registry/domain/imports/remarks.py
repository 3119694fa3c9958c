"""What an import tells of a file: remarks on lines and cells, and counts over columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

RemarkKind = Literal["erro", "conflito", "duplicada", "aviso"]
BLOCKING: frozenset[RemarkKind] = frozenset({"erro", "conflito"})


@dataclass(frozen=True)
class Remark:
    """One thing that a clerk must know of a line.

    ``line`` is the row in the spreadsheet, ``row`` counts the data rows from 1; both 0 for the whole file. ``cell`` is
    the spreadsheet's cell (C9), ``column`` its header, ``value`` what stands there; ``mend`` says what to do. An erro
    or a conflito stops the import; ``other`` is the line that this one repeats or contradicts (0 = none).
    ``choosable``: the clerk may say whether the record here or the file counts. ``confirmable``: the value is taken
    when the clerk confirms the cell, and stops the import until then.
    """

    kind: RemarkKind
    line: int
    row: int
    message: str
    cell: str = ""
    column: str = ""
    value: str = ""
    mend: str = ""
    other: int = 0
    choosable: bool = False
    confirmable: bool = False

    @property
    def blocks(self) -> bool:
        """Whether nothing is written as long as it stands."""
        return self.kind in BLOCKING or self.confirmable

    @property
    def text(self) -> str:
        """The remark as one line of text."""
        place = f"linha {self.line}" if self.line else "arquivo"
        if self.cell:
            place += f", célula {self.cell} ({self.column})"
        value = f" «{self.value}»" if self.value else ""
        mend = f" {self.mend}" if self.mend else ""
        return f"{place}{value}: {self.message}{mend}"


@dataclass(frozen=True)
class RowRemark:
    """A plugin's remark on one row of an import: the row's ``line`` and the column's ``target`` that it is about.

    A conflito means that the plugin's own records say otherwise: the clerk keeps them (the value is then not handed to
    ``registry_import_row``) or lets the file replace them.
    """

    line: int
    target: str
    kind: RemarkKind
    message: str
    mend: str = ""


@dataclass(frozen=True)
class Tally:
    """Counts over one column: cells filled, blank, holding a text that means «not known», and values that differ.

    ``spellings`` gives, for columns whose texts are brought to one form, each form with the texts read and their
    number. ``mercosul`` counts plates of the newer format.
    """

    column: str
    target: str
    filled: int = 0
    blank: int = 0
    unknown: int = 0
    distinct: int = 0
    mercosul: int = 0
    spellings: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
