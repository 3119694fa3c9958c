"""Penalties, who applies and who judges them (arts. 222-227, 233, 235, 240-241)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time, timedelta
from datetime import date as Day
from typing import Any, Literal

from registry.api.law import Law, Verdict, add_months, last_day_of_days, question
from registry_fretamento_rmr.rules.common import LATEST, Decision, decision, failing, found, step

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Decided:
    """A decision and the provisions that forbid."""

    decision: Decision
    articles: tuple[str, ...]


@dataclass(frozen=True)
class NoticeFields:
    """What is written on a notice; None or empty = blank."""

    holder_name: str | None
    authorization_number: str | None
    provision: str | None
    notice_date: date | None
    agent_id: str | None
    place: str | None
    day: date | None
    hour: time | None
    driver_name: str | None


@dataclass(frozen=True)
class NoticeDraft:
    """Where the infraction was found (field, file) and the fields filled in."""

    origin: Literal["field", "file"]
    fields: NoticeFields


@dataclass(frozen=True)
class NoticeAnswer:
    """Whether the notice may be issued: fields that it lacks, and fields that would be better filled."""

    decision: Decision
    missing: tuple[str, ...]
    warnings: tuple[str, ...]


@question(
    "notice",
    cites=[
        "art-222",
        "art-227",
        *(f"art-227-{item}" for item in ("I", "II", "III", "IV", "V")),
        "art-227-par-u",
        "art-227-par-u-I",
        "art-227-par-u-II",
    ],
)
def notice(given: NoticeDraft, law: Law) -> Verdict[NoticeAnswer]:
    """May the notice be issued, or what does art. 227 still ask for?"""
    wanted, liked = law.value("notice_fields", LATEST), law.value("notice_preferred", LATEST)
    labels, provisions = law.value("notice_labels", LATEST).value, law.value("notice_provisions", LATEST).value
    blank = [name for name in labels if getattr(given.fields, name) in (None, "")]
    missing = [name for name in wanted.value[given.origin] if name in blank]
    warnings = [name for name in liked.value[given.origin] if name in blank]
    grounds = [
        found(law, provisions[name], "notice_lacks", False, [wanted], field=labels[name]) for name in missing
    ] or [found(law, "art-227", "notice_complete", True, [wanted])]
    grounds += [found(law, provisions[name], "notice_better_with", None, field=labels[name]) for name in warnings]
    answer = NoticeAnswer(decision(grounds), tuple(missing), tuple(warnings))
    return Verdict(answer.decision, answer, tuple(grounds))


@dataclass(frozen=True)
class Suspension:
    """First suspended day, days imposed, days of each extension."""

    start: date
    days: int
    extensions: tuple[int, ...]


@dataclass(frozen=True)
class SuspensionAnswer:
    """Whether it may be imposed; last suspended day and the day service comes back; the rule."""

    decision: Decision
    last_day: date | None
    resume_on: date | None
    articles: tuple[str, ...]


@question("suspension", cites=["art-233", "art-233-par-u"])
def suspension(given: Suspension, law: Law) -> Verdict[SuspensionAnswer]:
    """May this suspension be imposed or extended, and when does it end (art. 233, sole paragraph)?"""
    fewest, most = law.value("suspension_min_days", given.start), law.value("suspension_max_days", given.start)
    extensions = law.value("suspension_max_extensions", given.start)
    checks = (
        ("suspension_too_long", fewest.integer <= given.days <= most.integer),
        ("suspension_too_many_extensions", len(given.extensions) <= extensions.integer),
        ("suspension_extension_too_long", all(fewest.integer <= more <= given.days for more in given.extensions)),
    )
    facts: dict[str, Any] = {"days": given.days, "most": most.integer}
    values = [fewest, most, extensions]
    grounds = [found(law, "art-233-par-u", sentence, False, values, **facts) for sentence, ok in checks if not ok]
    if grounds:
        return Verdict("deny", SuspensionAnswer("deny", None, None, ("art-233-par-u",)), tuple(grounds))
    length = given.days + sum(given.extensions)
    last = last_day_of_days(given.start, length)
    ground = found(law, "art-233-par-u", "suspension_until", True, values, last=last, resume=last + _DAY)
    steps = (step(law, "step_suspension", start=given.start, days=length, last=last),)
    return Verdict("allow", SuspensionAnswer("allow", last, last + _DAY, ("art-233-par-u",)), (ground,), steps)


@dataclass(frozen=True)
class WrittenWarning:
    """A written warning: its day and the infraction."""

    date: Day
    infraction: str


@dataclass(frozen=True)
class Warnings:
    """The written warnings of one holder."""

    warnings: tuple[WrittenWarning, ...]


@dataclass(frozen=True)
class WarningsAnswer:
    """Whether they make a case of suspension; the rule."""

    suspension_case: bool
    articles: tuple[str, ...]


@question("warnings", cites=["art-233-I"])
def warnings(given: Warnings, law: Law) -> Verdict[WarningsAnswer]:
    """Do the warnings for one infraction within some three months make a case of suspension (art. 233, I)?"""
    above, months = law.value("warnings_above", LATEST), law.value("warnings_months", LATEST)
    days: dict[str, list[Day]] = {}
    for warning in given.warnings:
        days.setdefault(warning.infraction, []).append(warning.date)
    case = any(
        sum(first <= day <= add_months(first, months.integer) for day in same) > above.integer
        for same in days.values()
        for first in same
    )
    sentence = "warnings_case" if case else "warnings_no_case"
    facts: dict[str, Any] = {"above": above.integer, "months": months.integer}
    ground = found(law, "art-233-I", sentence, None, [above, months], **facts)
    return Verdict("allow", WarningsAnswer(case, ("art-233-I",)), (ground,))


@dataclass(frozen=True)
class Competence:
    """A penalty and the office that would apply it."""

    penalty: str
    authority: str


@question("competence", cites=["art-226"])
def competence(given: Competence, law: Law) -> Verdict[Decided]:
    """May this office apply this penalty (art. 226)?"""
    offices = law.value("penalty_offices", LATEST)
    ok = given.authority in offices.value.get(given.penalty, ())
    ground = found(law, "art-226", "competent" if ok else "not_competent", ok, [offices])
    answer = Decided(decision([ground]), failing([ground]))
    return Verdict(answer.decision, answer, (ground,))


@dataclass(frozen=True)
class Cassation:
    """The office, whether a process was opened, whether there was an opportunity of defence."""

    authority: str
    process_opened: bool
    defence_opportunity: bool


@question("cassation", cites=["art-226", "art-235", "art-225-V"])
def cassation(given: Cassation, law: Law) -> Verdict[Decided]:
    """May this office cassate the permit now (arts. 226, 235)?"""
    offices: Mapping[str, list[str]] = law.value("penalty_offices", LATEST).value
    grounds = []
    if given.authority not in offices["cassation"]:
        grounds.append(found(law, "art-226", "not_competent", False))
    if not given.process_opened:
        grounds.append(found(law, "art-235", "cassation_no_process", False))
    if not given.defence_opportunity:
        grounds.append(found(law, "art-235", "cassation_no_defence", False))
    grounds = grounds or [found(law, "art-225-V", "cassation_ready", True)]
    answer = Decided(decision(grounds), failing(grounds))
    return Verdict(answer.decision, answer, tuple(grounds))


@dataclass(frozen=True)
class AppealRoute:
    """The act appealed against and the instance (1, 2)."""

    act: str
    instance: int | None


@dataclass(frozen=True)
class AppealRouteAnswer:
    """Who judges (None = nobody any more); the rule."""

    body: str | None
    articles: tuple[str, ...]


@question("appeal_route", cites=["art-240", "art-240-par-1", "art-241"])
def appeal_route(given: AppealRoute, law: Law) -> Verdict[AppealRouteAnswer]:
    """Who judges the appeal against this act in this instance (arts. 240-241)?"""
    bodies, rules = law.value("appeal_bodies", LATEST), law.value("appeal_grounds", LATEST).value
    ladder = bodies.value.get(given.act, ())
    place = (given.instance or 1) - 1
    body = ladder[place] if 0 <= place < len(ladder) else None
    if place == 0:
        articles = rules["first_cassation"] if given.act == "cassation" else rules["first"]
    else:
        articles = rules["second"]
    sentence = f"appeal_goes_to_{body}" if body else "appeal_no_instance"
    grounds = tuple(found(law, article, sentence, bool(body), [bodies]) for article in articles)
    return Verdict("allow" if body else "deny", AppealRouteAnswer(body, tuple(articles)), grounds)
