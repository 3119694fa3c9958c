"""May this vehicle carry passengers? Answered at any instant from the public rows, by one select and the status rules.

This is the hot path of the public look-up: Core rows, no mapped objects, law and readers kept between requests.
"""

from __future__ import annotations

import logging
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal, NamedTuple, get_type_hints
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo

from sqlalchemy import Row, bindparam, func, or_, select
from sqlalchemy.orm import Session

from registry.domain.convert import from_plain
from registry.domain.identifiers import parse_plate
from registry.domain.law import Ground, Law, Outcome, Step
from registry.domain.regime import NowFact, PublicCard, Regime, StatusRule, combined
from registry.domain.sentences import join_words
from registry.domain.values import NoValueInForce
from registry.plugins import PluginHost
from registry.services.desk import LAW_SERIES, Desk
from registry.services.public_rows import rebuild_public, refresh_public_rows, refresh_vehicle
from registry.settings import Authority
from registry.store.acts import Closure, IndexValue
from registry.store.engine import Store
from registry.store.permits import PublicRow, Sequence

__all__ = [
    "Part",
    "Reason",
    "RegimeAnswer",
    "answers",
    "rebuild_public",
    "refresh_public_rows",
    "refresh_vehicle",
]

State = Literal["authorized", "denied", "unavailable"]
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Reason:
    """Why a vehicle may not carry passengers: code, sentence, provision with its citation, what the person can do."""

    code: str
    text: str
    provision: str
    cite: str
    todo: str


@dataclass(frozen=True)
class Part:
    """One status question: its title, outcome, grounds and arithmetic. ``missing`` names absent facts (pending)."""

    question: str
    title: str
    outcome: Outcome
    grounds: tuple[Ground, ...]
    steps: tuple[Step, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class RegimeAnswer:
    """The answer of one regime for one plate at one instant.

    ``state`` is unavailable when the regime's plugin is gone or its rule did not answer; then reasons and parts are
    empty and nothing may be concluded. ``now`` is empty unless authorised; ``now_failed`` tells that it did not answer.
    """

    authority: str
    authority_name: str
    regime: str
    label: str
    short_label: str
    state: State
    sentence: str
    card: PublicCard
    reasons: tuple[Reason, ...] = ()
    parts: tuple[Part, ...] = ()
    now: tuple[NowFact, ...] = ()
    now_failed: bool = False

    @property
    def authorized(self) -> bool | None:
        """True or False; None when it is not known."""
        return None if self.state == "unavailable" else self.state == "authorized"

    @property
    def grounds(self) -> tuple[Ground, ...]:
        """Every ground of every status question, in order."""
        return tuple(ground for part in self.parts for ground in part.grounds)

    @property
    def in_order(self) -> tuple[Ground, ...]:
        """What is satisfied."""
        return tuple(ground for ground in self.grounds if ground.holds)


_LOOKUP = (
    select(
        PublicRow.authority,
        PublicRow.regime,
        PublicRow.permit_id,
        PublicRow.givens,
        PublicRow.card,
        select(func.max(IndexValue.id)).scalar_subquery().label("last_index"),
        select(func.max(Closure.id)).scalar_subquery().label("last_closure"),
        select(Sequence.last)
        .where(Sequence.authority == PublicRow.authority, Sequence.name == LAW_SERIES, Sequence.year == 0)
        .scalar_subquery()
        .label("last_change"),
    )
    .where(
        PublicRow.plate_key == bindparam("plate_key"),
        PublicRow.since <= bindparam("at"),
        or_(PublicRow.until.is_(None), PublicRow.until > bindparam("at")),
        PublicRow.withdrawn_at.is_(None),
    )
    .order_by(PublicRow.authority, PublicRow.regime, PublicRow.permit_id)
)


def answers(session: Session, desk: Desk, plate_text: str, at: datetime) -> tuple[RegimeAnswer, ...]:
    """What every regime of every authority says of a plate at an instant; empty when no permit holds it then.

    Of several permits of one regime the one that authorises speaks, else the newest.

    Args:
        session: of a reader; one select is made, and one more after an act changed the law.
        plate_text: as typed; both forms of a plate find the vehicle.
        at: aware instant; a past one answers as it was then.

    Raises:
        IdentifierError: the text cannot be a plate.
    """
    plate = parse_plate(plate_text)
    parameters = {"plate_key": plate.key, "at": at.astimezone(UTC)}
    found: dict[tuple[str, str], RegimeAnswer] = {}
    for row in session.connection().execute(_LOOKUP, parameters).all():
        answer = _answer(session, desk, row, at)
        earlier = found.get((answer.authority, answer.regime))
        if earlier is None or earlier.state != "authorized" or answer.state == "authorized":
            found[answer.authority, answer.regime] = answer
    return tuple(found.values())


def _answer(session: Session, desk: Desk, row: Row[Any], at: datetime) -> RegimeAnswer:
    authority = desk.settings.authorities.get(row.authority)
    regime = desk.host.regimes.get(row.regime)
    card = from_plain(row.card, PublicCard)
    if authority is None or regime is None:
        return _unavailable(row, authority, regime, card)
    moment = at.astimezone(authority.zone)
    laws = _Laws(session, desk, row.authority, (row.last_index, row.last_closure, row.last_change))
    try:
        parts = _parts(desk, regime, row.givens, moment, laws)
        reasons = _reasons(desk, regime, parts, laws)
    except Exception:
        logger.exception("status of %s %s is unavailable", row.regime, card.number)
        return _unavailable(row, authority, regime, card)
    authorized = combined([part.outcome for part in parts] or ["pending"]) == "allow"
    now, now_failed = _now(regime, card, moment, laws) if authorized else ((), False)
    return RegimeAnswer(
        authority=row.authority,
        authority_name=authority.short_name,
        regime=regime.code,
        label=regime.label,
        short_label=regime.short_label,
        state="authorized" if authorized else "denied",
        sentence=regime.subject if authorized else _first_sentence(reasons),
        card=card,
        reasons=reasons,
        parts=parts,
        now=now,
        now_failed=now_failed,
    )


class _Laws(NamedTuple):
    """Where the rules' law comes from: kept between requests until an act changes a value or a day."""

    session: Session
    desk: Desk
    authority: str
    stamp: tuple[int | None, ...]

    def of(self, plugin: str) -> Law:
        kept = _kept_by(self.desk)
        found = kept.get((self.authority, plugin))
        if found is None or found[0] != self.stamp:
            found = (self.stamp, self.desk.law(self.session, self.authority, plugin))
            kept[self.authority, plugin] = found
        return found[1]


_Kept = dict[tuple[str, str], tuple[Any, Law]]
_kept_laws: WeakKeyDictionary[Store, WeakKeyDictionary[PluginHost, _Kept]] = WeakKeyDictionary()


def _kept_by(desk: Desk) -> _Kept:
    by_host = _kept_laws.get(desk.store)
    if by_host is None:
        by_host = _kept_laws.setdefault(desk.store, WeakKeyDictionary())
    kept = by_host.get(desk.host)
    return by_host.setdefault(desk.host, {}) if kept is None else kept


def _parts(desk: Desk, regime: Regime, givens: Mapping[str, Any], moment: datetime, laws: _Laws) -> tuple[Part, ...]:
    return tuple(
        _part(status, givens[status.rule.question.name], moment, laws.of(desk.host.owner(status.rule.question)))
        for status in regime.status
        if status.rule.question.name in givens
    )


def _part(status: StatusRule, stored: Mapping[str, Any], moment: datetime, law: Law) -> Part:
    question, title = status.rule.question, status.rule.title
    if "missing" in stored:
        return Part(question.name, title, "pending", (), (), tuple(stored["missing"]))
    given = given_at(status, stored["given"], moment, law.zone)
    try:
        verdict = question(given, law)
    except NoValueInForce as absent:
        return Part(question.name, title, "pending", (), (), (f"valor de {law.book.name(absent.key)} em vigor",))
    outcome = verdict.outcome if status.rule.blocks else "allow"
    return Part(question.name, title, outcome, verdict.grounds, verdict.steps)


def given_at(status: StatusRule, plain: Mapping[str, Any], moment: datetime, zone: ZoneInfo) -> Any:
    """The facts of a public row in the question's type, as of an instant (aware, in the authority's zone)."""
    kind: Any = status.rule.question.given_type
    as_of = moment if _asks_instant(kind, status.as_of) else moment.date()
    return from_plain({**plain, status.as_of: as_of}, status.rule.question.given_type, zone=zone)


@cache
def _asks_instant(kind: Hashable, field: str) -> bool:
    hint = get_type_hints(kind)[field]
    return hint is datetime


def _reasons(desk: Desk, regime: Regime, parts: tuple[Part, ...], laws: _Laws) -> tuple[Reason, ...]:
    """Every reason against, each once, in the order of the questions; none when all allow."""
    if not parts:
        return (_UNKNOWN,)
    if all(part.outcome == "allow" for part in parts):
        return ()
    rules = {status.rule.question.name: status.rule for status in regime.status}
    found: dict[tuple[str, str], Reason] = {}
    for part in parts:
        if part.outcome == "allow":
            continue
        law = laws.of(desk.host.owner(rules[part.question].question))
        for reason in _reasons_of(part, law):
            found.setdefault((reason.code, reason.provision), reason)
    return tuple(found.values())


def _reasons_of(part: Part, law: Law) -> list[Reason]:
    if part.missing:
        text = f"{part.title}: falta no cadastro {join_words(list(part.missing))}."
        return [Reason("missing", text, "", "", _ASK_OFFICE)]
    against = [ground for ground in part.grounds if ground.holds is False] or list(part.grounds)
    return [
        Reason(
            code=ground.code or part.outcome,
            text=ground.text,
            provision=ground.provision,
            cite=law.cite(ground.provision) if ground.provision else "",
            todo=law.book.todo(ground.code),
        )
        for ground in against
    ] or [replace(_UNKNOWN, code=part.outcome)]


_ASK_OFFICE = "Procure o órgão para completar o cadastro."
_UNKNOWN = Reason("missing", "O cadastro não tem os dados que a lei pede.", "", "", _ASK_OFFICE)


def _first_sentence(reasons: tuple[Reason, ...]) -> str:
    return reasons[0].text if reasons else ""


def _now(regime: Regime, card: PublicCard, moment: datetime, laws: _Laws) -> tuple[tuple[NowFact, ...], bool]:
    """The facts of the moment and whether they failed: their failure hides nothing of the status."""
    if regime.now is None:
        return (), False
    try:
        return tuple(regime.now(card, moment, laws.of(regime.plugin))), False
    except Exception:
        logger.exception("the facts of the moment of %s did not answer", regime.code)
        return (), True


def _unavailable(row: Row[Any], authority: Authority | None, regime: Regime | None, card: PublicCard) -> RegimeAnswer:
    return RegimeAnswer(
        authority=row.authority,
        authority_name=authority.short_name if authority else row.authority,
        regime=row.regime,
        label=regime.label if regime else row.regime,
        short_label=regime.short_label if regime else row.regime,
        state="unavailable",
        sentence="",
        card=card,
    )
