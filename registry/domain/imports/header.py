"""Which record is the header, and which profile the file was made for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from registry.domain.imports.cells import clean
from registry.domain.imports.profile import Profile
from registry.domain.imports.table import Record, Table, TableError, column_letter
from registry.domain.sentences import join_words
from registry.domain.text import fold

_TITLE_LINES = 40


@dataclass(frozen=True)
class Header:
    """The header of a file under a profile: its place among the records, and the column of each target, from 0."""

    profile: Profile
    index: int
    record: Record
    places: Mapping[str, int]

    def name(self, target: str) -> str:
        """The header as written in the file."""
        return clean(self.record.cell(self.places[target]))

    @property
    def ignored(self) -> tuple[str, ...]:
        """The headers that the profile does not know: their columns are not imported."""
        taken = set(self.places.values())
        return tuple(clean(cell) for place, cell in enumerate(self.record.cells) if place not in taken and clean(cell))


def find_header(table: Table, profiles: Sequence[Profile]) -> Header:
    """The header with the profile that knows most of its columns; of equal ones the profile with fewer names.

    Title lines above the header are passed over. Raises :class:`TableError` naming the columns that are missing.
    """
    beginning = [(index, record) for index, record in enumerate(table.records) if not record.blank][:_TITLE_LINES]
    if not beginning:
        raise TableError("O arquivo não tem nenhuma linha com dados.")
    fitting = [
        Header(profile, index, record, places)
        for index, record in beginning
        for profile in profiles
        if profile.header_line in (0, record.line)
        and set(profile.header) <= (places := _places(profile, record)).keys()
    ]
    if not fitting:
        raise _no_header([record for _, record in beginning], profiles)
    best = max(fitting, key=lambda each: (len(each.places), -each.index, -_names(each.profile)))
    _refuse_twice(best)
    return best


def _names(profile: Profile) -> int:
    return sum(len(names) for names in profile.columns.values())


def _places(profile: Profile, record: Record) -> dict[str, int]:
    places: dict[str, int] = {}
    for place, cell in enumerate(record.cells):
        target = profile.target_of(clean(cell)) if clean(cell) else None
        if target is not None:
            places.setdefault(target, place)
    return places


def _refuse_twice(header: Header) -> None:
    for place, cell in enumerate(header.record.cells):
        target = header.profile.target_of(clean(cell)) if clean(cell) else None
        if target is not None and header.places[target] != place:
            first, again = column_letter(header.places[target]), column_letter(place)
            raise TableError(
                f"As colunas {first} ({header.name(target)}) e {again} ({clean(cell)}) dizem a mesma coisa. "
                "Deixe só uma no arquivo.",
                header.record.line,
            )


def _no_header(beginning: Sequence[Record], profiles: Sequence[Profile]) -> TableError:
    """Names the missing columns of the profile that comes nearest, at the line that looks most like a header."""
    attempts = [(record, profile, _places(profile, record)) for record in beginning for profile in profiles]
    record, profile, places = max(
        attempts, key=lambda each: (len(each[2]), sum(bool(clean(cell)) for cell in each[0].cells), -each[0].line)
    )
    missing = [target for target in profile.header if target not in places]
    wanted = join_words([f"«{profile.columns[target][0]}»" for target in missing])
    there = [clean(cell) for cell in record.cells if clean(cell)]
    names = {fold(name): name for target in missing for name in profile.columns[target]}
    near = next((cell for cell in there if get_close_matches(fold(cell), names, n=1, cutoff=0.8)), None)
    hint = f" Seria «{near}»?" if near else ""
    plural = "Faltam as colunas" if len(missing) > 1 else "Falta a coluna"
    return TableError(
        f"{plural} {wanted} (perfil {profile.name}).{hint} A linha {record.line} tem: {', '.join(there)}. "
        "Corrija o cabeçalho ou escolha outro perfil.",
        record.line,
    )
