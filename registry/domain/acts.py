"""Acts of the authority as people write them: «Portaria nº 112/2026», «PORT. 112/26», «Edital nº 1.234, de 2026»."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from registry.domain.text import fold

ActKind = Literal["portaria", "despacho", "edital", "decreto", "outro"]
ACT_KINDS: dict[str, str] = {
    "portaria": "Portaria",
    "despacho": "Despacho",
    "edital": "Edital",
    "decreto": "Decreto",
    "outro": "Outro",
}
_WRITTEN = {"portaria": "portaria", "port": "portaria", "despacho": "despacho", "desp": "despacho"} | {
    "edital": "edital", "decreto": "decreto", "dec": "decreto",
}  # fmt: skip
_KIND = re.compile(r"(portaria|port|despacho|desp|edital|decreto|dec)\b\.? *")
_BEFORE_NUMBER = frozenset({"n", "no", "nr", "num", "numero", "municipal", "estadual"})
_NUMBER = re.compile(r"(?P<digits>[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:-?(?P<letter>[a-z])(?![a-z]))? *(?P<rest>.*)")
_YEAR = re.compile(r"/ *(?P<year>[0-9]{4}|[0-9]{2})(?![0-9])(?P<rest>.*)")
_DATED = re.compile(r",? *(?:de|em)\b[^/]*?(?:/[0-9]{1,2}/|\b)(?P<year>(?:19|20)[0-9]{2})\b(?P<rest>.*)")
_ISSUER = re.compile(r"[ ,-]*d[ao]s? (\w+)")


@dataclass(frozen=True)
class ActName:
    """What one act is known by: its kind and its number, year included (``portaria``, ``112/2026``)."""

    kind: ActKind
    number: str

    def __str__(self) -> str:
        """The name as pages print it: «Portaria nº 112/2026», «Edital nº 1.234/2026»."""
        if self.kind == "outro":
            return self.number
        digits, slash, rest = self.number.partition("/")
        bare = digits.partition("-")[0]
        dotted = f"{int(bare):,}".replace(",", ".") + digits[len(bare) :] if bare.isdecimal() else digits
        return f"{ACT_KINDS[self.kind]} nº {dotted}{slash}{rest}"


@dataclass(frozen=True)
class RestsOnAct:
    """A plugin's row that rests on an act, as the act's page shows it: the kind of row (plural) and what it says.

    ``start`` and ``end`` are aware instants, shown in the authority's time; None = it has none.
    """

    title: str
    text: str
    start: datetime | None = None
    end: datetime | None = None


def parse_act(text: str, own: Iterable[str] = ()) -> ActName | None:
    """The act that a text names, in any usual spelling; None when it is not a kind, a number and a year.

    Args:
        text: as typed: «Portaria nº 112/2026», «portaria 112/26», «Edital 1.234, de 9 de outubro de 2026».
        own: names of the authority that may stand between kind and number («Portaria XYZ nº 112/2026»); with another
            body's name there it is that body's act, and not read.
    """
    folded = _flat(text)
    found = _KIND.match(folded)
    if found is None:
        return None
    kind: ActKind = _WRITTEN[found[1]]  # type: ignore[assignment]
    ours = {word for name in own for word in re.findall(r"\w+", _flat(name))}
    number, tail = _number(_without_words(folded[found.end() :], ours))
    issuer = _ISSUER.match(tail)
    if not number or _KIND.search(tail) or (issuer is not None and issuer[1] not in ours):
        return None
    return ActName(kind, number)


def parse_number(text: str) -> str:
    """The number of an act with its year («112/2026») from a text that holds it alone; "" when it holds none.

    «n° 1.234/26», «0112/2026», «112, de 3/5/2026» and «112-A/2026» are read.
    """
    return _number(_without_words(_flat(text), set()))[0]


def same_words(text: str) -> str:
    """A text by which two spellings of one name are the same: no accents, case, stops or repeated blanks."""
    return " ".join(re.sub(r"[.,;:()]|\bn[oº°]?\b", " ", _flat(text)).split())


def _flat(text: str) -> str:
    return " ".join(fold(text.replace("º", "o").replace("°", "o")).split())


def _without_words(text: str, ours: Set[str]) -> str:
    """The text from its number on, where only words that may stand before a number stand before it; else ""."""
    start = re.search(r"[0-9]", text)
    if start is None:
        return ""
    words = set(re.findall(r"\w+", text[: start.start()]))
    return text[start.start() :] if words <= _BEFORE_NUMBER | ours else ""


def _number(text: str) -> tuple[str, str]:
    """The canonical number at the beginning of a folded text, and what follows it; ("", "") when there is none."""
    found = _NUMBER.match(text)
    if found is None:
        return "", ""
    year = _YEAR.match(found["rest"]) or _DATED.match(found["rest"])
    if year is None:
        return "", ""
    digits = found["digits"].replace(".", "").lstrip("0")
    letter = f"-{found['letter'].upper()}" if found["letter"] else ""
    return (f"{digits}{letter}/{_whole_year(year['year'])}", year["rest"]) if digits else ("", "")


def _whole_year(text: str) -> str:
    """The year with four digits: of two, 70 to 99 are of the last century."""
    return text if len(text) == 4 else f"{'19' if int(text) >= 70 else '20'}{text}"
