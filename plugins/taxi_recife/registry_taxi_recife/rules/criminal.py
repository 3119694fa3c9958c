"""Arts. 16 and 17: what a conviction does to a company's directors and to an autonomous driver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from registry.api.law import Ground, Law, Outcome, Verdict, add_years, question
from registry_taxi_recife.rules.common import articles, ground

WINDOW = "criminal.negligent_window_years"


@dataclass(frozen=True)
class Conviction:
    """``kind`` intentional or negligent; ``final_on`` the day it became final (None = not final: it does not count)."""

    kind: str
    final_on: date | None
    rehabilitated: bool


@dataclass(frozen=True)
class CriminalGiven:
    """``person`` is director or autonomous_driver."""

    person: str
    convictions: tuple[Conviction, ...]
    on: date


@dataclass(frozen=True)
class CriminalAnswer:
    """``decision`` allow, deny or manual_review (a person decides, with reasons)."""

    decision: str
    articles: tuple[str, ...]


@question("criminal", cites=["art-16-par-un-a", "art-16-par-un-b", "art-17-VII"])
def criminal(given: CriminalGiven, law: Law) -> Verdict[CriminalAnswer]:
    """The bar is written for company directors; an autonomous driver's record goes to a reasoned human decision.

    A bar that rests on a rehabilitated conviction alone goes to review too (reading criminal.rehabilitated).
    """
    final = [conviction for conviction in given.convictions if conviction.final_on is not None]
    if given.person != "director" and law.reading("criminal.scope") == "directors":
        return _driver(_counted(final, law), law)
    return _barred(final, given.on, law)


def _counted(final: Sequence[Conviction], law: Law) -> list[Conviction]:
    ignored = law.reading("criminal.rehabilitated") == "ignore"
    return [conviction for conviction in final if not (ignored and conviction.rehabilitated)]


def _driver(final: Sequence[Conviction], law: Law) -> Verdict[CriminalAnswer]:
    if not final:
        return Verdict("allow", CriminalAnswer("allow", ()), (ground(law, "art-17-VII", "record_clean", True),))
    reason = ground(law, "art-17-VII", "record_review", False, count=len(final))
    return Verdict("refer", CriminalAnswer("manual_review", articles([reason])), (reason,))


def _barred(final: Sequence[Conviction], on: date, law: Law) -> Verdict[CriminalAnswer]:
    counts_all = law.reading("criminal.rehabilitated") == "count"
    firm = [conviction for conviction in final if counts_all or not conviction.rehabilitated]
    if grounds := _bars(firm, on, law):
        return _against("deny", "deny", grounds)
    if grounds := _bars(_counted(final, law), on, law):
        review = ground(law, "art-16-par-un-caput", "record_rehabilitated", None)
        return _against("refer", "manual_review", [*grounds, review])
    return Verdict("allow", CriminalAnswer("allow", ()), (ground(law, "art-16-par-un-caput", "record_no_bar", True),))


def _bars(convictions: Sequence[Conviction], on: date, law: Law) -> list[Ground]:
    grounds = []
    intentional = sorted(c.final_on for c in convictions if c.kind == "intentional" and c.final_on)
    if intentional:
        grounds.append(ground(law, "art-16-par-un-a", "record_intentional", False, final=intentional[0]))
    negligent = sorted(c.final_on for c in convictions if c.kind == "negligent" and c.final_on)
    window = law.value(WINDOW, on)
    for first, second in pairwise(negligent):
        if second <= add_years(first, window.integer):
            facts = {"first": first, "second": second, "years": window.integer}
            grounds.append(ground(law, "art-16-par-un-b", "record_negligent_twice", False, (window,), **facts))
            break
    return grounds


def _against(outcome: Outcome, decision: str, grounds: Sequence[Ground]) -> Verdict[CriminalAnswer]:
    return Verdict(outcome, CriminalAnswer(decision, articles(grounds)), tuple(grounds))
