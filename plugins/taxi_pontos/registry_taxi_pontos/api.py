"""What a city's plugin may call: pure functions on stands. The provisions and the outcome are the city's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

Access = Literal["livre", "privado"]
Reason = Literal["free", "designated", "not_designated", "no_end", "over", "not_yet", "provisional"]

PLUGIN = "taxi_pontos"
"""The key of this plugin's facts in ``dossier.plugin_facts``."""


@dataclass(frozen=True)
class Stand:
    """A stand: ``access`` livre (any taxi) or privado (designated ones); ``provisional`` ones have a first and a last
    day, both included (None = not set).
    """

    access: Access | None
    provisional: bool = False
    start: date | None = None
    end: date | None = None


@dataclass(frozen=True)
class Admission:
    """Whether a taxi may stand there, as far as the stand itself decides, and every reason for and against."""

    admitted: bool
    reasons: tuple[Reason, ...]


_AGAINST: frozenset[Reason] = frozenset({"not_designated", "no_end", "over", "not_yet"})


def admission(stand: Stand, designated: bool, on: date) -> Admission:
    """Whether a taxi may stand at a stand on a day.

    Args:
        stand: the stand.
        designated: whether the taxi's permit is designated for it.
        on: the civil day.

    A provisional stand without a last day admits nobody; it admits from its first day to its last, both included.
    """
    reasons: list[Reason] = []
    if stand.access == "privado":
        reasons.append("designated" if designated else "not_designated")
    elif stand.access == "livre" and not stand.provisional:
        reasons.append("free")
    if stand.provisional:
        reasons.append(_within(stand, on))
    return Admission(not _AGAINST.intersection(reasons), tuple(reasons))


def _within(stand: Stand, on: date) -> Reason:
    if stand.end is None:
        return "no_end"
    if on > stand.end:
        return "over"
    return "not_yet" if stand.start is not None and on < stand.start else "provisional"
