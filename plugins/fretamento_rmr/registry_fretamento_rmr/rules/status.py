"""What the public learns: may this vehicle do charter service on a day (arts. 195, 209, 218, 219, 225)?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from registry.api.law import Ground, Law, Step, Verdict, question
from registry_fretamento_rmr.rules.common import Period, decision, found, step

_DAY = timedelta(days=1)
_ENDS = {"cassated": "permit_ended_cassated", "active": "term_ended"}


@dataclass(frozen=True)
class Bar:
    """A dated bar: kind (suspension, seizure, accident_block, off_road), first and last day (None = until lifted)."""

    kind: str
    from_: date
    to: date | None


@dataclass(frozen=True)
class PublicStatus:
    """The facts of the status. ``authorization`` is the state of the permit; ``started_on`` and ``ended_on`` (first day
    without effect) bound it where known; ``inspected_on`` is the day of the inspection behind the seal; ``bars`` are
    dated bars, besides the plain facts of a suspension, a seizure and an accident.
    """

    as_of: date
    authorization: str
    registration_valid_through: date | None
    seal_valid_through: date | None
    suspension: Period | None
    seized: bool
    accident_block: bool
    express_authorization: Period | None
    started_on: date | None
    ended_on: date | None
    inspected_on: date | None
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class PublicStatusAnswer:
    """Whether the vehicle may do charter service, and the reason codes against it."""

    authorized: bool
    reasons: tuple[str, ...]


@question(
    "public_status",
    cites=[
        "art-195",
        "art-208",
        "art-209-par-1",
        "art-218",
        "art-219-par-u",
        "art-220",
        "art-225-II",
        "art-225-IV",
        "art-233-par-u",
    ],
)
def public_status(given: PublicStatus, law: Law) -> Verdict[PublicStatusAnswer]:
    """May the vehicle do charter service on a day? Every reason against it is given; none hides another."""
    grounds = [_authorization(given, law), _registration(given, law), _inspection(given, law), *_bars(given, law)]
    reasons = tuple(dict.fromkeys(ground.code for ground in grounds if ground.holds is False))
    return Verdict(
        decision(grounds), PublicStatusAnswer(not reasons, reasons), tuple(grounds), tuple(_steps(given, law))
    )


def _steps(given: PublicStatus, law: Law) -> Iterator[Step]:
    """The arithmetic of the days: last inspection, its end, and how long a lapse has lasted."""
    if given.inspected_on is not None and given.seal_valid_through is not None:
        yield step(law, "step_last_inspection", on=given.inspected_on, last=given.seal_valid_through)
    for code, last in (
        ("step_inspection_lapsed", given.seal_valid_through),
        ("step_registration_lapsed", given.registration_valid_through),
    ):
        if last is not None and given.as_of > last:
            yield step(law, code, last=last, days=(given.as_of - last).days)


def _authorization(given: PublicStatus, law: Law) -> Ground:
    live = law.value("live_authorization", given.as_of)
    code = "authorization_not_active"
    if given.started_on is not None and given.as_of < given.started_on:
        return found(law, "art-195", "permit_not_begun", False, code=code, since=given.started_on)
    if given.ended_on is not None and given.as_of < given.ended_on:
        return found(law, "art-195", "permit_live", True, code="")
    if given.ended_on is not None:
        sentence = _ENDS.get(given.authorization, "permit_ended")
        return found(law, "art-195", sentence, False, code=code, ended=given.ended_on)
    if given.authorization not in live.value:
        named = f"permit_{given.authorization}"
        sentence = named if named in law.book.sentences else "permit_not_active"
        return found(law, "art-195", sentence, False, code=code)
    return found(law, "art-195", "permit_live", True, code="")


def _registration(given: PublicStatus, law: Law) -> Ground:
    last = given.registration_valid_through
    if last is None:
        return found(law, "art-208", "registration_none", False, code="registration_expired")
    ok = given.as_of <= last
    sentence = "registration_in_force" if ok else "registration_expired"
    return found(law, "art-209-par-1", sentence, ok, code="" if ok else "registration_expired", last=last)


def _inspection(given: PublicStatus, law: Law) -> Ground:
    last, express = given.seal_valid_through, given.express_authorization
    if last is not None and given.as_of <= last:
        return found(law, "art-219-par-u", "inspection_in_force", True, code="", last=last)
    if express is not None and express.covers(given.as_of):
        return found(law, "art-219-par-u", "inspection_express", True, code="")
    if last is None:
        return found(law, "art-219-par-u", "inspection_none", False, code="inspection_expired")
    return found(law, "art-219-par-u", "inspection_expired", False, last=last)


def _bars(given: PublicStatus, law: Law) -> Iterator[Ground]:
    running = [bar for bar in given.bars if Period(bar.from_, bar.to).covers(given.as_of)]
    plain = given.suspension
    if plain is not None and plain.covers(given.as_of):
        yield _suspended(plain.to, law)
    for bar in running:
        if bar.kind == "suspension":
            yield _suspended(bar.to, law)
        elif bar.kind == "seizure":
            yield found(law, "art-225-II", "seized", False, code="seized", since=bar.from_)
        elif bar.kind == "accident_block":
            yield found(law, "art-218", "accident_block", False, code="accident_block", since=bar.from_)
        else:
            yield found(law, "art-220", "off_road", False, code="off_road", since=bar.from_)
    if given.seized:
        yield found(law, "art-225-II", "seized_undated", False, code="seized")
    if given.accident_block:
        yield found(law, "art-218", "accident_block_undated", False, code="accident_block")


def _suspended(last: date | None, law: Law) -> Ground:
    if last is None:
        return found(law, "art-225-IV", "suspended_open", False, code="suspended")
    return found(law, "art-233-par-u", "suspended", False, last=last, resume=last + _DAY)
