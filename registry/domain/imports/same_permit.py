"""Lines of a list of permits that speak of one permit or one person: brought together, or told to contradict."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from registry.domain.imports.kinds import HOLDER, VEHICLE
from registry.domain.imports.repeats import Repeated, column_of, twin_message
from registry.domain.sentences import join_words
from registry.domain.text import fold

if TYPE_CHECKING:
    from registry.domain.imports.sheet import Line

_LOOSE = frozenset({"address", "phone", "email", "cnh_category", "cnh_until", "note"})
_APART = frozenset({"number", "plate", "as_of", *HOLDER})
_OF_PERMIT = ("category", "granted_on", "status", "note")
_ENDED = "encerrada"


class RepeatedPermits(Repeated):
    """Settles the lines of a list of permits.

    One CPF or CNPJ is one person and one number one permit. What a line lacks another may give; a name is kept with its
    accents; addresses and the like may differ, and the first line's hold. Anything else that differs is a conflict.
    ``fleet`` lets a permit have several vehicles.
    """

    def __init__(self, skip: Collection[int], fleet: bool) -> None:
        super().__init__(skip)
        self._fleet = fleet
        self._people: dict[str, tuple[Line, dict[str, Any]]] = {}
        self._permits: dict[str, list[tuple[Line, dict[str, Any]]]] = {}
        self._plates: dict[str, Line] = {}

    def settle(self, lines: Sequence[Line]) -> list[Line]:
        """The lines that count, with everything that the file says of their permit and holder."""
        kept = [line for line in lines if self._take(line)]
        return self._each_vehicle_once([replace(line, values=self._gathered(line)) for line in kept])

    def _each_vehicle_once(self, lines: Sequence[Line]) -> list[Line]:
        """Takes the vehicle out of the line of an ended permit when another line has it."""
        owners: dict[str, Line] = {}
        for line in (*filter(_is_in_force, lines), *lines):
            if line.key:
                owners.setdefault(line.key, line)
        return [
            line if _is_in_force(line) or not line.key else self._without_vehicle(line, owners[line.key])
            for line in lines
        ]

    def _without_vehicle(self, line: Line, owner: Line) -> Line:
        if owner is line:
            return line
        message = f"A placa está também na linha {owner.line}, com o número {owner.values['number']}, que fica com ela."
        self.remarks.append(line.remark("aviso", "plate", message, other=owner.line))
        return replace(line, values={**line.values, **dict.fromkeys(VEHICLE)})

    def _gathered(self, line: Line) -> Mapping[str, Any]:
        others = self._of_number(line)
        own = next((values for first, values in others if first is line), None)
        if own is None:
            own = dict(line.values)
        else:
            own = {**own, **{target: others[0][1].get(target) for target in _OF_PERMIT if target in own}}
        document = line.values.get("document")
        return {**own, **self._people[document][1]} if document in self._people else own

    def _of_number(self, line: Line) -> list[tuple[Line, dict[str, Any]]]:
        number = line.values.get("number")
        return self._permits.setdefault(number, []) if number else []

    def _take(self, line: Line) -> bool:
        if not self.counts(line):
            return False
        notes = self._same_person(line)
        joined = self._same_permit(line, notes)
        self._same_plate(line)
        return not joined

    def _same_person(self, line: Line) -> list[str]:
        """Brings the facts of one person together; answers the columns in which the lines differ harmlessly."""
        document = line.values.get("document")
        if not document:
            return []
        facts = {target: line.values[target] for target in HOLDER if target in line.values}
        first, known = self._people.setdefault(document, (line, facts))
        return [] if first is line else self._bring_together(line, first, known, facts, "o mesmo CPF ou CNPJ")

    def _same_permit(self, line: Line, notes: list[str]) -> bool:
        """Whether the line says nothing of its own: another with its number has the same holder and vehicle."""
        others = self._of_number(line)
        own = dict(line.values)
        if not others:
            others.append((line, own))
            self._tell_notes(line, notes)
            return False
        first, _ = others[0]
        if first.values.get("document") != line.values.get("document"):
            self.conflict(line, "number", f"A linha {first.line} tem o mesmo número com outro titular.", first)
            return False
        same = next((each for each in others if _same_vehicle(each[0], line)), None)
        if same is None and not self._fleet:
            plate = first.values["plate"]
            self.conflict(line, "plate", f"A linha {first.line} tem o mesmo número com outra placa, {plate}.", first)
            return False
        other, known = same or others[0]
        facts = {target: value for target, value in own.items() if target not in _APART}
        of_permit = facts if same else {name: facts.get(name) for name in _OF_PERMIT}
        notes += self._bring_together(line, other, known, of_permit, "o mesmo número")
        if same is None:
            others.append((line, own))
            self._tell_notes(line, notes)
            return False
        if known.get("plate") is None:
            known["plate"] = own.get("plate")
        message = f"A linha diz da mesma outorga que a linha {other.line}; conta uma vez.{_differ(notes, other)}"
        self.remarks.append(line.remark("duplicada", "number", message, other=other.line))
        return True

    def _tell_notes(self, line: Line, notes: Sequence[str]) -> None:
        if notes:
            first = self._people[line.values["document"]][0]
            message = f"O mesmo CPF ou CNPJ está na linha {first.line}.{_differ(notes, first)}"
            self.remarks.append(line.remark("aviso", "document", message, other=first.line))

    def _same_plate(self, line: Line) -> None:
        if not line.key or not _is_in_force(line):
            return
        other = self._plates.setdefault(line.key, line)
        if other is not line and other.values["number"] != line.values["number"]:
            self.conflict(line, "plate", twin_message(line, other), other)

    def _bring_together(
        self, line: Line, first: Line, known: dict[str, Any], facts: Mapping[str, Any], shared: str
    ) -> list[str]:
        """Completes what is known by the line's facts; conflicts become remarks, harmless differences are answered."""
        notes = []
        for target, value in facts.items():
            here = known.get(target)
            if value is None or here == value:
                continue
            if here is None or (_alike(here, value) and _marks(value) > _marks(here)):
                known[target] = value
            elif target in _LOOSE:
                notes.append(column_of(line, target))
            elif not _alike(here, value):
                message = f"A linha {first.line} tem {shared} e difere em {column_of(line, target)}."
                self.conflict(line, target, message, first)
        return notes


def _is_in_force(line: Line) -> bool:
    return bool(line.values.get("status") != _ENDED)


def _same_vehicle(one: Line, other: Line) -> bool:
    return one.key == other.key or not one.key or not other.key


def _alike(one: Any, other: Any) -> bool:
    """Whether two texts are the same but for accents and case."""
    return isinstance(one, str) and isinstance(other, str) and fold(one) == fold(other)


def _marks(text: str) -> tuple[int, bool]:
    """How much a text says beyond its bare letters: accents, then small letters."""
    return sum(not character.isascii() for character in text), not text.isupper()


def _differ(notes: Iterable[str], other: Line) -> str:
    columns = list(dict.fromkeys(notes))
    return f" Difere em {join_words(columns)}: vale a linha {other.line}." if columns else ""
