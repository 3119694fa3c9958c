"""Lines of one file that repeat or contradict each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from registry.domain.imports.remarks import Remark
from registry.domain.sentences import join_words
from registry.domain.text import fold

if TYPE_CHECKING:
    from registry.domain.imports.sheet import Line

_ASIDE = frozenset({"as_of"})
LEAVE_OUT = "Confira os documentos e deixe uma das duas linhas de fora."


class Repeated:
    """What settles the lines of a file has in common: which of them the clerk leaves out, and which repeat another.

    ``skip`` are the lines that the clerk leaves out; a line that repeats one of them goes with it (``left_out``).
    """

    def __init__(self, skip: Collection[int]) -> None:
        self.remarks: list[Remark] = []
        self.left_out: set[int] = set()
        self._skip = frozenset(skip)
        self._seen: dict[Any, Line] = {}

    def counts(self, line: Line) -> bool:
        """Whether the line counts: it is not left out and repeats no other. Ask it of the lines in order."""
        identity = identity_of(line)
        first = self._seen.get(identity) if identity else None
        if line.line in self._skip or (first is not None and first.line in self.left_out):
            self.left_out.add(line.line)
            if identity:
                self._seen.setdefault(identity, line)
            return False
        if first is not None:
            message = f"A linha repete a linha {first.line}; conta uma vez."
            self.remarks.append(line.remark("duplicada", "number", message, other=first.line))
            return False
        if identity:
            self._seen[identity] = line
        return True

    def conflict(self, line: Line, target: str, message: str, other: Line) -> None:
        """Remarks that the line contradicts another; the clerk leaves one of them out."""
        self.remarks.append(line.remark("conflito", target, message, LEAVE_OUT, other.line))


class RepeatedVehicles(Repeated):
    """Takes the lines in order and tells repeated ones from contradictory ones."""

    def __init__(self, skip: Collection[int]) -> None:
        super().__init__(skip)
        self._by_number: dict[str, Line] = {}
        self._by_plate: dict[str, Line] = {}

    def settle(self, lines: Sequence[Line]) -> list[Line]:
        """The lines that count."""
        return [line for line in lines if self._take(line)]

    def _take(self, line: Line) -> bool:
        counts = self.counts(line)
        if counts and _names_its_own(line):
            self._contradictions(line)
        return counts

    def _contradictions(self, line: Line) -> None:
        number = line.values["number"]
        same_number = self._by_number.setdefault(number, line)
        same_plate = self._by_plate.setdefault(line.key, line)
        if same_number is not line and same_number.key == line.key:
            differing = join_words([column_of(line, target) for target in _differing(line, same_number)])
            message = f"A linha {same_number.line} tem o mesmo número e a mesma placa, mas difere em {differing}."
            self.conflict(line, "number", message, same_number)
            return
        if same_number is not line:
            other = same_number.values["plate"]
            message = f"A linha {same_number.line} tem o mesmo número com outra placa, {other}."
            self.conflict(line, "number", message, same_number)
        if same_plate is not line:
            self.conflict(line, "plate", twin_message(line, same_plate), same_plate)


class RepeatedDays(Repeated):
    """Tells the days that stand twice: with one name they are one, with two names they contradict each other."""

    def settle(self, lines: Sequence[Line]) -> list[Line]:
        """The lines that count."""
        kept: dict[Any, Line] = {}
        for line in lines:
            if line.line in self._skip:
                self.left_out.add(line.line)
                continue
            day = line.values.get("day") or -line.line
            first = kept.setdefault(day, line)
            if first is line:
                continue
            if fold(str(first.values.get("name"))) == fold(str(line.values.get("name"))):
                message = f"A linha repete a linha {first.line}; conta uma vez."
                self.remarks.append(line.remark("duplicada", "day", message, other=first.line))
            else:
                message = f"A linha {first.line} tem o mesmo dia com outro nome, {first.values.get('name')}."
                self.remarks.append(line.remark("conflito", "day", message, "Deixe uma das duas de fora.", first.line))
        return list(kept.values())


def identity_of(line: Line) -> Any:
    """What a repeated line has alike: every fact but the day of the extraction.

    None without a number, or without plate and document.
    """
    if not _names_its_own(line):
        return None
    return tuple(sorted((target, str(value)) for target, value in line.values.items() if target not in _ASIDE))


def _names_its_own(line: Line) -> bool:
    return bool(line.values.get("number") and (line.values.get("plate") or line.values.get("document")))


def _differing(line: Line, other: Line) -> list[str]:
    return [
        target for target, value in line.values.items() if target not in _ASIDE and other.values.get(target) != value
    ]


def column_of(line: Line, target: str) -> str:
    """The header of a target in the file; the target's own name where the file lacks it."""
    return line.cells[target][1] if target in line.cells else target


def twin_message(line: Line, other: Line) -> str:
    """Says that two lines have one plate, in one form or in both."""
    mine, theirs = line.values["plate"], other.values["plate"]
    number = other.values["number"]
    if mine == theirs:
        return f"A mesma placa está na linha {other.line}, com o número {number}."
    return (
        f"{mine} e {theirs} são a mesma placa, na forma antiga e na Mercosul; a outra está na linha {other.line}, "
        f"com o número {number}."
    )
