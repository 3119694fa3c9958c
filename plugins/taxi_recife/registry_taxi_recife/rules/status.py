"""Whether a taxi may carry passengers on a day: permit, alvará, inspection, car's age, orders off the road."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from registry.api.law import Ground, Law, Step, Verdict, question
from registry_taxi_recife.rules.common import articles, days, ground, step
from registry_taxi_recife.rules.vehicle_age import age_ground

_DAY = timedelta(days=1)
_ENDED = "cancelled"
_SUSPENDED = "suspended"


@dataclass(frozen=True)
class StatusGiven:
    """``permission`` is active, suspended, cancelled, held_for_minor or held_for_incapable (an heir's: it goes on).

    None = the registry does not know yet, as after an import; ``holder_unknown`` True = so the permit's holder.
    The fields from ``ended_on`` on only make the sentences say more; None = not known.
    """

    permission: str
    alvara_until: date | None
    inspection_until: date | None
    made: int | None
    first_registration: date | None
    off_road: bool
    on: date
    holder_unknown: bool
    ended_on: date | None
    suspended_until: date | None
    off_road_since: date | None
    number: str | None
    granted_on: date | None
    alvara_issued: date | None
    inspected_on: date | None


@dataclass(frozen=True)
class StatusAnswer:
    """``reasons`` are the provisions that forbid."""

    authorised: bool
    reasons: tuple[str, ...]


@question(
    "status",
    cites=["art-10-caput", "art-10-par-1", "art-32-caput", "art-32-par-un", "art-50-II", "art-50-III", "art-61-caput"],
)
def status(given: StatusGiven, law: Law) -> Verdict[StatusAnswer]:
    """Every reason against it; where none is known but facts are missing, pending with the reason ``under_review``."""
    grounds = (
        *_permission(given, law),
        *_alvara(given, law),
        *_inspection(given, law),
        *_orders(given, law),
        *_age(given, law),
    )
    steps = tuple(_steps(given, law))
    if against := articles(grounds):
        return Verdict("deny", StatusAnswer(False, against), grounds, steps)
    if missing := _missing(given):
        review = ground(law, "art-10-caput", "under_review", False, missing=missing)
        return Verdict("pending", StatusAnswer(False, ()), (review, *grounds), steps)
    return Verdict("allow", StatusAnswer(True, ()), grounds, steps)


def _permission(given: StatusGiven, law: Law) -> Iterable[Ground]:
    if given.permission == _ENDED:
        if given.ended_on is None:
            yield ground(law, "art-50-III", "permit_ended", False)
        else:
            yield ground(law, "art-50-III", "permit_ended_on", False, ended=given.ended_on)
    elif given.permission == _SUSPENDED:
        if given.suspended_until is None:
            yield ground(law, "art-50-II", "suspended", False)
        else:
            until = given.suspended_until
            yield ground(law, "art-50-II", "suspended_until", False, until=until, back=until + _DAY)
    elif given.number and given.granted_on:
        term, day = given.number, given.granted_on
        yield ground(law, "art-10-caput", "permit_active_term", True, number=term, granted=day)
    else:
        yield ground(law, "art-10-caput", "permit_active", True)


def _alvara(given: StatusGiven, law: Law) -> Iterable[Ground]:
    if given.alvara_until is not None:
        yield _dated(law, "art-10-par-1", "alvara", given.alvara_issued, given.alvara_until, given.on)


def _inspection(given: StatusGiven, law: Law) -> Iterable[Ground]:
    if given.inspection_until is not None:
        yield _dated(law, "art-32-caput", "inspection", given.inspected_on, given.inspection_until, given.on)


def _dated(law: Law, provision: str, paper: str, since: date | None, until: date, on: date) -> Ground:
    """A yearly paper that holds until a day; the sentence tells since when, where that is known."""
    if on > until:
        return ground(law, provision, f"{paper}_expired", False, until=until)
    if since is None:
        return ground(law, provision, f"{paper}_ok", True, until=until)
    return ground(law, provision, f"{paper}_ok_since", True, since=since, until=until)


def _orders(given: StatusGiven, law: Law) -> Iterable[Ground]:
    if not given.off_road:
        code = "on_road" if given.permission == _SUSPENDED else "no_bar"
        yield ground(law, "art-32-par-un", code, True)
    elif given.off_road_since is None:
        yield ground(law, "art-32-par-un", "off_road", False)
    else:
        yield ground(law, "art-32-par-un", "off_road_since", False, since=given.off_road_since)


def _age(given: StatusGiven, law: Law) -> Iterable[Ground]:
    if given.made is not None:
        yield age_ground(given.made, given.first_registration, given.on, law)[0]


def _missing(given: StatusGiven) -> list[str]:
    facts = {
        "o permissionário": given.holder_unknown,
        "o alvará": given.alvara_until is None,
        "a vistoria": given.inspection_until is None,
        "o ano de fabricação": given.made is None,
    }
    return [name for name, absent in facts.items() if absent]


def _steps(given: StatusGiven, law: Law) -> Iterable[Step]:
    for code, until in (("alvara_late", given.alvara_until), ("inspection_late", given.inspection_until)):
        if until is not None and until < given.on:
            yield step(law, code, until=until, on=given.on, days=days((given.on - until).days))
