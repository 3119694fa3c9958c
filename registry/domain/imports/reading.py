"""What reading one cell gives: a value, a fault, a doubt; and what cells are read under."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from registry.domain.imports.profile import Profile

_INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u2060\u00ad"))


class CellFault(ValueError):
    """The cell cannot be taken as it stands: what is wrong and the mend, in pt-BR."""

    def __init__(self, message: str, mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend


@dataclass(frozen=True)
class Context:
    """What cells are read under: the profile, the day, the regime's number format, categories and vehicle types
    (code -> label). ``confirmed`` are the cells (``I5``) whose doubtful value the clerk vouches for.
    """

    profile: Profile
    on: date
    number_format: str
    categories: Mapping[str, str]
    vehicle_types: Mapping[str, str]
    confirmed: frozenset[str] = field(default_factory=frozenset)


UNKNOWN = object()
"""A cell whose text means that the fact is not known."""


@dataclass(frozen=True)
class Doubtful:
    """A cell that can be read and cannot be true: it is taken as not known, with a warning."""

    message: str


@dataclass(frozen=True)
class Noted:
    """A value that was read otherwise than it stands there, with a warning that says how."""

    value: Any
    message: str


@dataclass(frozen=True)
class Confirmable:
    """A value that counts only when the clerk confirms the cell; until then it stops the import."""

    value: Any
    message: str
    mend: str = ""
    kind: Literal["erro", "aviso"] = "erro"


Reader = Callable[[Context, str, str], Any]


def clean(text: str) -> str:
    """The text of a cell without blanks around it, double blanks and invisible characters."""
    return " ".join(text.translate(_INVISIBLE).split())


def clean_lines(text: str) -> str:
    """As :func:`clean`, line by line: the breaks inside a note stay."""
    return "\n".join(clean(line) for line in text.strip().splitlines())


def limited(bare: str, most: int) -> str:
    """The text, when it is not longer than the field. Raises :class:`CellFault`."""
    if len(bare) > most:
        raise CellFault(f"O texto tem {len(bare)} letras; o limite é {most}.")
    return bare
