"""Art. 31: the standard colour of a taxi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from registry.api.law import Law, Outcome, Verdict, fold, question
from registry_taxi_recife.rules.common import ground

COLOURS = "paint.colours"


@dataclass(frozen=True)
class PaintGiven:
    """``service`` comum or especial; ``make`` as on the document; ``colour`` as seen (None = not looked at)."""

    service: str
    make: str
    colour: str | None
    on: date


@dataclass(frozen=True)
class PaintAnswer:
    """``colour`` is the one the decree wants (None for a make it does not name); ``status`` known or warn;
    ``matches`` whether the colour seen is that one (None = not compared)."""

    colour: str | None
    status: str
    matches: bool | None


@question("paint", cites=["art-31-caput", "art-31-a", "art-31-b"])
def paint(given: PaintGiven, law: Law) -> Verdict[PaintAnswer]:
    """The colour by service and make, and whether the colour seen is it; an unknown make needs a person's eye."""
    table = law.value(COLOURS, given.on)
    row = next((row for row in table.value if row["service"] == given.service and _makes(row, given.make)), None)
    if row is None:
        provision = "art-31-b" if given.service == "especial" else "art-31-a"
        unknown = ground(law, provision, "paint_unknown_make", None, (table,), make=given.make)
        outcome: Outcome = "deny" if law.reading("paint.unknown_make") == "block" else "refer"
        return Verdict(outcome, PaintAnswer(None, "warn", None), (unknown,))
    facts = {"wanted": row["colour"], "make": given.make, "service": given.service}
    if given.colour is None:
        reason = ground(law, row["provision"], "paint_wanted", None, (table,), **facts)
        return Verdict("allow", PaintAnswer(row["colour"], "known", None), (reason,))
    matches = _same(given.colour, row)
    code = "paint_ok" if matches else "paint_other"
    reason = ground(law, row["provision"], code, matches, (table,), seen=given.colour, **facts)
    return Verdict("allow" if matches else "deny", PaintAnswer(row["colour"], "known", matches), (reason,))


def _makes(row: Mapping[str, Any], make: str) -> bool:
    typed = fold(make)
    names = (row["make"], *row["aliases"])
    return row["make"] == "*" or typed in names or typed.split("/")[0] in names


def _same(seen: str, row: Mapping[str, Any]) -> bool:
    """Whether the colour seen is the wanted one, or its plain name («laranja»), which is all that a CRLV prints."""
    typed = fold(seen)
    wanted = [fold(name) for name in (row["colour"], *row.get("also", ()))]
    return any(typed in (name, name.split()[0]) for name in wanted)
