"""Art. 29: the hand-over (rendição) windows of a plate, and whether an instant lies in one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache

from registry.api.law import IdentifierError, Law, Verdict, canonical, format_hour, join_words, parse_plate, question
from registry_taxi_recife.rules.common import ground
from registry_taxi_rendicao.api import Group, Span, hand_over_at

GROUPS = "rendicao.groups"
_HISTORIC = re.compile(r"[A-Z]{2}[0-9]{4}")


@dataclass(frozen=True)
class RendicaoGiven:
    """``plate`` as typed, ``at`` an aware instant."""

    plate: str
    at: datetime


@dataclass(frozen=True)
class RendicaoAnswer:
    """``windows`` as ``13:00-14:00``; ``until`` the civil end of the window it is in; ``error`` invalid_plate or None.

    With an error there is no digit, no rule and no window.
    """

    final_digit: int | None
    rule: str
    windows: tuple[str, ...]
    in_window: bool
    error: str | None
    until: datetime | None


@question("rendicao", cites=["art-29-caput", "art-29-par-1-a", "art-29-par-1-b", "art-29-par-1-c"])
def rendicao(given: RendicaoGiven, law: Law) -> Verdict[RendicaoAnswer]:
    """The windows of the group of the plate's last digit, on any day; a text that is no plate gives the error."""
    plate = _plate(given.plate, bool(law.reading("rendicao.allow_historic")))
    if plate is None:
        refusal = ground(law, "art-29-caput", "not_a_plate", False, plate=given.plate)
        return Verdict("deny", RendicaoAnswer(None, "", (), False, "invalid_plate", None), (refusal,))
    on = given.at.astimezone(law.zone).date()
    found = hand_over_at(groups(law, on), int(plate[-1]), given.at, law.zone)
    spans = found.group.spans
    answer = RendicaoAnswer(
        found.final_digit,
        found.group.provision,
        tuple(span.text for span in spans),
        found.current is not None,
        None,
        found.until,
    )
    reason = ground(
        law,
        found.group.provision,
        "rendicao_windows",
        None,
        (law.value(GROUPS, on),),
        digits=[str(digit) for digit in found.group.digits],
        hours=hours(spans, "das "),
    )
    return Verdict("allow", answer, (reason,))


def groups(law: Law, on: date) -> tuple[Group, ...]:
    """The groups of art. 29, § 1º, as they stand on a day."""
    return tuple(
        Group(
            tuple(row["digits"]),
            tuple(_span(start, end) for start, end in row["windows"]),
            row["provision"],
        )
        for row in law.value(GROUPS, on).value
    )


@cache
def _span(start: str, end: str) -> Span:
    return Span(time.fromisoformat(start), time.fromisoformat(end))


def hours(spans: Sequence[Span], lead: str = "") -> str:
    """``13h às 14h e 19h às 20h``; each span begins with ``lead``."""
    return join_words([f"{lead}{format_hour(span.start)} às {format_hour(span.end)}" for span in spans])


def _plate(text: str, historic: bool) -> str | None:
    try:
        return parse_plate(text).text
    except IdentifierError:
        bare = canonical(text)
        return bare if historic and _HISTORIC.fullmatch(bare) else None
