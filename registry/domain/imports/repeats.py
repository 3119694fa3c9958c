"""Lines of one file that repeat or contradict each other."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from registry.domain.imports.remarks import Remark
from registry.domain.sentences import join_words

if TYPE_CHECKING:
    from registry.domain.imports.sheet import Line

_ASIDE = frozenset({"as_of"})
_LEAVE_OUT = "Confira os documentos e deixe uma das duas linhas de fora."


class Repeats:
    """Takes the lines in order and tells repeated ones from contradictory ones.

    ``skip`` are the lines that the clerk leaves out; a line that repeats one of them goes with it (``left_out``).
    """

    def __init__(self, skip: Collection[int]) -> None:
        self.remarks: list[Remark] = []
        self.left_out: set[int] = set()
        self._skip = frozenset(skip)
        self._seen: dict[Any, Line] = {}
        self._by_number: dict[str, Line] = {}
        self._by_plate: dict[str, Line] = {}

    def take(self, line: Line) -> bool:
        """Whether the line counts: it is not left out and repeats no other."""
        identity = _identity(line)
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
            self._contradictions(line)
        return True

    def _contradictions(self, line: Line) -> None:
        number = line.values["number"]
        same_number = self._by_number.setdefault(number, line)
        same_plate = self._by_plate.setdefault(line.key, line)
        if same_number is not line and same_number.key == line.key:
            differing = join_words([_column(line, target) for target in _differing(line, same_number)])
            message = f"A linha {same_number.line} tem o mesmo número e a mesma placa, mas difere em {differing}."
            self._conflict(line, "number", message, same_number)
            return
        if same_number is not line:
            other = same_number.values["plate"]
            message = f"A linha {same_number.line} tem o mesmo número com outra placa, {other}."
            self._conflict(line, "number", message, same_number)
        if same_plate is not line:
            self._conflict(line, "plate", _plate_message(line, same_plate), same_plate)

    def _conflict(self, line: Line, target: str, message: str, other: Line) -> None:
        self.remarks.append(line.remark("conflito", target, message, _LEAVE_OUT, other.line))


def _identity(line: Line) -> Any:
    """What a repeated line has alike: every fact but the day of the extraction; None without number or plate."""
    if not line.values.get("number") or not line.values.get("plate"):
        return None
    return tuple(sorted((target, str(value)) for target, value in line.values.items() if target not in _ASIDE))


def _differing(line: Line, other: Line) -> list[str]:
    return [
        target for target, value in line.values.items() if target not in _ASIDE and other.values.get(target) != value
    ]


def _column(line: Line, target: str) -> str:
    return line.cells[target][1] if target in line.cells else target


def _plate_message(line: Line, other: Line) -> str:
    mine, theirs = line.values["plate"], other.values["plate"]
    number = other.values["number"]
    if mine == theirs:
        return f"A mesma placa está na linha {other.line}, com o número {number}."
    return (
        f"{mine} e {theirs} são a mesma placa, na forma antiga e na Mercosul; a outra está na linha {other.line}, "
        f"com o número {number}."
    )
