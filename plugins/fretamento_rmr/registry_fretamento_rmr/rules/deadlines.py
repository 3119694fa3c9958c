"""Terms of the proceedings (arts. 236-245, 250): due days, filings in time, extensions, the report of an accident."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, Literal, cast

from registry.api.law import (
    Deadline,
    FirstDayRule,
    Law,
    NoValueInForce,
    Step,
    Verdict,
    YearlySpan,
    add_hours,
    count_business_days,
    count_calendar_days,
    filed_in_time,
    question,
    roll_moment,
)
from registry_fretamento_rmr.rules.common import LATEST, Decision, decision, found

TermKind = Literal[
    "appeal_cassation",
    "appeal_first",
    "appeal_second",
    "fine_payment",
    "judge_first",
    "judge_second",
    "notify_result",
    "process_conclude",
    "process_start",
]


def due_day(kind: TermKind, start: date, law: Law) -> Deadline:
    """The term of this kind counted from ``start`` (receipt, decision, filing, naming)."""
    terms = law.value("deadline_terms", start).value
    counting, days = terms[kind]["counting"], int(terms[kind]["days"])
    rule = cast("FirstDayRule", law.reading("first_day_rule"))
    suspended: list[YearlySpan] = []
    if law.reading("deadline_regime") == "pe_apa_2017":
        counting = _optional("apa_counting", start, law) or counting
        recess = _optional("apa_recess", start, law)
        if recess:
            suspended = [YearlySpan(recess["from"], recess["to"], "prazos suspensos")]
    if counting == "business":
        return count_business_days(start, days, law.calendar, first_day_rule=rule, suspended=suspended)
    return count_calendar_days(start, days, law.calendar, first_day_rule=rule, suspended=suspended)


def _optional(key: str, on: date, law: Law) -> Any:
    try:
        return law.value(key, on).value
    except NoValueInForce:
        return None


@dataclass(frozen=True)
class DeadlineGiven:
    """The kind of term and the day from which it is counted."""

    kind: TermKind
    start: date


@dataclass(frozen=True)
class DeadlineAnswer:
    """The last day in time."""

    due: date


@question(
    "deadline",
    cites=[
        "art-236",
        "art-240-par-2",
        "art-241",
        "art-242",
        "art-242-par-1",
        "art-242-par-2",
        "art-243",
        "art-244",
        "art-244-par-u",
        "art-250-par-1",
    ],
)
def deadline(given: DeadlineGiven, law: Law) -> Verdict[DeadlineAnswer]:
    """When is this term due? The first day is left out, the last counts; it begins and ends on office days."""
    counted = due_day(given.kind, given.start, law)
    terms = law.value("deadline_terms", given.start)
    term = terms.value[given.kind]
    ground = found(law, term["provision"], "deadline_due", None, [terms], label=term["label"], due=counted.due)
    return Verdict("allow", DeadlineAnswer(counted.due), (ground,), tuple(Step(text) for text in counted.steps))


@dataclass(frozen=True)
class Filing:
    """A filing: the kind of term, the day from which it is counted, and the local moment it was handed in."""

    kind: TermKind
    start: date
    filed_at: datetime


@dataclass(frozen=True)
class FilingAnswer:
    """The last day, and whether the filing was in time."""

    due: date
    timely: bool


@question("filing", cites=["art-244"])
def filing(given: Filing, law: Law) -> Verdict[FilingAnswer]:
    """Was it filed in time (art. 244)? Until the office closes on the last day, or midnight by the other reading."""
    counted = due_day(given.kind, given.start, law)
    closing = _closing(given.start, law)
    until_midnight = bool(law.reading("electronic_filing_until_midnight"))
    timely = filed_in_time(given.filed_at, counted.due, None if until_midnight else closing)
    sentence = "filing_timely" if timely else "filing_late"
    facts: dict[str, Any] = {"filed": given.filed_at.date(), "hour": given.filed_at, "due": counted.due}
    ground = found(law, "art-244", sentence, timely, [law.value("office_closes", given.start)], **facts)
    return Verdict("allow", FilingAnswer(counted.due, timely), (ground,), tuple(Step(text) for text in counted.steps))


def _closing(on: date, law: Law) -> time:
    return time.fromisoformat(law.value("office_closes", on).value)


@dataclass(frozen=True)
class ExtendDeadline:
    """An order that extends or reopens a term."""

    original_due: date
    new_due: date
    authority: str
    reasoned_order: bool
    relevant_reason_alleged: bool


@dataclass(frozen=True)
class ExtendDeadlineAnswer:
    """The day that holds, new or old; ``articles`` always names the rule."""

    decision: Decision
    due: date
    articles: tuple[str, ...]


@question("extend_deadline", cites=["art-245"])
def extend_deadline(given: ExtendDeadline, law: Law) -> Verdict[ExtendDeadlineAnswer]:
    """May the term be extended (art. 245)? By the right office, by reasoned order, for a weighty reason alleged."""
    office = law.value("deadline_order_authority", LATEST)
    checks = (
        ("extension_wrong_office", given.authority == office.value),
        ("extension_no_order", given.reasoned_order),
        ("extension_no_reason", given.relevant_reason_alleged),
        ("extension_not_later", given.new_due > given.original_due),
    )
    grounds = [found(law, "art-245", sentence, False, [office]) for sentence, ok in checks if not ok]
    grounds = grounds or [found(law, "art-245", "extension_granted", True, [office], due=given.new_due)]
    outcome = decision(grounds)
    due = given.new_due if outcome == "allow" else given.original_due
    return Verdict(outcome, ExtendDeadlineAnswer(outcome, due, ("art-245",)), tuple(grounds))


@dataclass(frozen=True)
class AccidentReport:
    """Local moments of a serious accident and of its written report (None = not yet reported)."""

    accident_at: datetime
    reported_at: datetime | None


@dataclass(frozen=True)
class AccidentReportAnswer:
    """The last moment for the report, whether it was in time, and the infraction where it was not."""

    limit: datetime
    timely: bool
    infraction: str | None


@question("accident_report", cites=["art-224-III-c"])
def accident_report(given: AccidentReport, law: Law) -> Verdict[AccidentReportAnswer]:
    """Was a serious accident reported in time (art. 224, III, c)? Hours run minute by minute."""
    on = given.accident_at.date()
    hours = law.value("accident_report_hours", on)
    limit = add_hours(given.accident_at, hours.integer)
    if law.reading("accident_report_rolls"):
        limit = roll_moment(limit, law.calendar, _closing(on, law))
    timely = given.reported_at is not None and given.reported_at <= limit
    infraction = None if timely else law.value("accident_report_infraction", on).value
    facts: dict[str, Any] = {"day": limit.date(), "hour": limit, "hours": hours.integer}
    sentence = "accident_report_timely" if timely else "accident_report_late"
    ground = found(law, "art-224-III-c", sentence, timely, [hours], **facts)
    return Verdict("allow", AccidentReportAnswer(limit, timely, infraction), (ground,))
