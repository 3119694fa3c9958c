"""Arts. 13, 14, 59 and 63: a car lost in court, and the terms that ran from the decree's publication."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from registry.api.law import Deadline, Ground, Law, Step, Verdict, add_years, count_calendar_days, known, question
from registry_taxi_recife.rules.common import articles, ground, outcome_of, told, working_calendar

PUBLICATION = "decree.publication_date"
TERMS = "transitional.terms"


@dataclass(frozen=True)
class JudicialLossGiven:
    """``made`` is the year made of the new car, ``model_year`` of no matter; ``publication`` of the decree (None = the
    one of the law data); ``substituted`` the day of the replacement (None = not yet)."""

    holder: str
    proof: bool
    final_judgment: date
    requested: date
    substituted: date | None
    made: int
    model_year: int | None
    publication: date | None


@dataclass(frozen=True)
class JudicialLossAnswer:
    """``deadline`` is the last day to ask."""

    deadline: date
    decision: str
    articles: tuple[str, ...]


@dataclass(frozen=True)
class TransitionalGiven:
    """``rule`` is the provision whose term is asked."""

    rule: str
    publication: date | None


@dataclass(frozen=True)
class TransitionalAnswer:
    """``deadline`` is the last day of the term."""

    deadline: date


@question("judicial_loss", cites=["art-13-caput", "art-13-I", "art-13-II", "art-13-III", "art-14-caput"])
def judicial_loss(given: JudicialLossGiven, law: Law) -> Verdict[JudicialLossAnswer]:
    """A driver may replace the car: with proof, in time, by a car made in the year of the replacement."""
    term = _term(given, law)
    grounds = tuple(_grounds(given, term, law))
    outcome = outcome_of(grounds)
    return Verdict(outcome, JudicialLossAnswer(term.due, outcome, articles(grounds)), grounds, told(term))


def _term(given: JudicialLossGiven, law: Law) -> Deadline:
    publication = given.publication or _publication(law)
    start = max(given.final_judgment, publication)
    days = law.value("judicial_loss.days", start)
    return count_calendar_days(start, days.integer, working_calendar(law))


def _grounds(given: JudicialLossGiven, term: Deadline, law: Law) -> Iterable[Ground]:
    if given.holder != "autonomous_driver":
        yield ground(law, "art-13-caput", "loss_company", False)
    yield ground(law, "art-13-I", "loss_proof" if given.proof else "loss_no_proof", given.proof)
    by_request = law.reading("judicial_loss.year_of") == "request"
    day = given.requested if by_request or given.substituted is None else given.substituted
    holds = given.made == day.year
    yield ground(law, "art-13-II", "loss_year" if holds else "loss_wrong_year", holds, made=given.made, year=day.year)
    holds = given.requested <= term.due
    code = "loss_in_time" if holds else "loss_late"
    yield ground(law, "art-13-III", code, holds, requested=given.requested, due=term.due)


@question("transitional", cites=["art-14-caput", "art-59-caput", "art-63-caput"])
def transitional(given: TransitionalGiven, law: Law) -> Verdict[TransitionalAnswer]:
    """A term from the publication, rolled to a business day. Raises ``FactError`` for a provision without one."""
    publication = given.publication or _publication(law)
    terms = law.value(TERMS, publication)
    length = terms.value[known("O dispositivo", given.rule, terms.value)]
    calendar = working_calendar(law)
    if "days" in length:
        term = count_calendar_days(publication, length["days"], calendar)
        due, steps = term.due, told(term)
    else:
        due, steps = calendar.roll(add_years(publication, length["years"])), tuple[Step, ...]()
    reason = ground(law, given.rule, "transitional", None, (terms,), publication=publication, due=due)
    return Verdict("allow", TransitionalAnswer(due), (reason,), steps)


def _publication(law: Law) -> date:
    entry = law.book.parameters[PUBLICATION][0]
    return date.fromisoformat(str(entry.value))
