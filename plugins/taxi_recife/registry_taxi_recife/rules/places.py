"""Art. 8: how new places are shared and, where there are too many applicants, who comes first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from registry.api.law import DatedValue, FactError, Ground, Law, Verdict, known, question, round_money
from registry_taxi_recife.rules.common import articles, ground

_HUNDRED = 100
_EVERY_COMPANY = "*"


@dataclass(frozen=True)
class SplitGiven:
    """``draw_winner`` company or autonomous, once the draw of an odd place was recorded."""

    places: int
    draw_winner: str | None
    on: date


@dataclass(frozen=True)
class SplitAnswer:
    """``pending`` is an odd place that waits for its draw."""

    company: int
    autonomous: int
    pending: int


@dataclass(frozen=True)
class FourDoorGiven:
    """New permits and four-door cars among them, by company."""

    new_permits: Mapping[str, int]
    four_door: Mapping[str, int]
    on: date


@dataclass(frozen=True)
class FourDoorAnswer:
    """``required`` by company; ``*`` stands for all of them together."""

    required: Mapping[str, int]
    decision: str
    articles: tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """A driver with ``score`` and ``dependents``, or a company with ``scores`` by criterion."""

    id: str
    score: Decimal | None
    dependents: int | None
    scores: Mapping[str, Decimal] | None


@dataclass(frozen=True)
class RankingGiven:
    """``draw_order`` are the ids in the order of a recorded draw; ``weights`` those of the call (companies)."""

    category: str
    seats: int
    candidates: tuple[Candidate, ...]
    draw_order: tuple[str, ...]
    weights: Mapping[str, int] | None
    on: date


@dataclass(frozen=True)
class RankingAnswer:
    """``state`` final or draw_pending; ``tied`` are those who await the draw."""

    state: str
    granted: tuple[str, ...]
    waiting: tuple[str, ...]
    tied: tuple[str, ...]
    scores: Mapping[str, Decimal]


@question("split", cites=["art-8-caput", "art-8-a", "art-8-b"])
def split(given: SplitGiven, law: Law) -> Verdict[SplitAnswer]:
    """Half to each category; the odd place by the adopted reading, a recorded draw by default."""
    share = law.value("split.share_pct", given.on)
    half = given.places * share.integer // _HUNDRED
    odd = given.places - 2 * half
    reading = law.reading("split.odd_place")
    winner = given.draw_winner if reading == "draw" else reading
    answer = SplitAnswer(
        company=half + (odd if winner == "company" else 0),
        autonomous=half + (odd if winner == "autonomous" else 0),
        pending=0 if winner else odd,
    )
    facts = {"company": answer.company, "autonomous": answer.autonomous, "pending": answer.pending}
    reason = ground(law, "art-8-caput", "split_pending" if answer.pending else "split", None, (share,), **facts)
    return Verdict("allow", answer, (reason,))


@question("four_door", cites=["art-8-par-3"])
def four_door(given: FourDoorGiven, law: Law) -> Verdict[FourDoorAnswer]:
    """A tenth of the new permits of each company (or of all together, by the other reading), rounded up."""
    pct = law.value("four_door.pct", given.on)
    needed, has = given.new_permits, given.four_door
    if law.reading("four_door.scope") == "pooled":
        needed, has = {_EVERY_COMPANY: sum(needed.values())}, {_EVERY_COMPANY: sum(has.values())}
    rounding = law.reading("four_door.rounding")
    required = {company: _part(count, pct.integer, rounding) for company, count in needed.items()}
    grounds = [_four_door(company, has.get(company, 0), count, pct, law) for company, count in required.items()]
    if not grounds:
        grounds.append(ground(law, "art-8-par-3", "four_door_nothing", True, (pct,)))
    against = articles(grounds)
    outcome = "deny" if against else "allow"
    return Verdict("deny" if against else "allow", FourDoorAnswer(required, outcome, against), tuple(grounds))


def _four_door(company: str, has: int, required: int, pct: DatedValue, law: Law) -> Ground:
    code = "four_door_ok" if has >= required else "four_door_short"
    facts = {"company": company, "has": has, "required": required}
    if company == _EVERY_COMPANY:
        code = f"{code}_together"
    return ground(law, "art-8-par-3", code, has >= required, (pct,), **facts)


def _part(count: int, pct: int, rounding: str) -> int:
    exact = count * pct
    if rounding == "floor":
        return exact // _HUNDRED
    return -(-exact // _HUNDRED) if rounding == "ceil" else (2 * exact + _HUNDRED) // (2 * _HUNDRED)


@question("ranking", cites=["art-8-par-5-a", "art-8-par-5-b", "art-8-par-5-I", "art-8-par-5-II"])
def ranking(given: RankingGiven, law: Law) -> Verdict[RankingAnswer]:
    """By score, then (drivers) by dependents, then by recorded draw; a tie at the cut waits for the draw.

    Raises ``FactError`` for a score without its weight.
    """
    scores = {candidate.id: _score(candidate, given, law) for candidate in given.candidates}
    driver = given.category == "autonomous"
    merit = {each.id: (scores[each.id], (each.dependents or 0) if driver else 0) for each in given.candidates}
    order = sorted(merit, key=lambda one: (-merit[one][0], -merit[one][1], _drawn(one, given), one))
    tied = _tied_at_cut(order, merit, given.seats)
    if tied and not set(tied) <= set(given.draw_order):
        first = order.index(tied[0])
        answer = RankingAnswer(
            "draw_pending", tuple(order[:first]), tuple(order[first + len(tied) :]), tuple(sorted(tied)), scores
        )
        reason = ground(law, "art-8-par-5-II", "draw_pending", None, tied=sorted(tied))
        return Verdict("pending", answer, (reason,))
    answer = RankingAnswer("final", tuple(order[: given.seats]), tuple(order[given.seats :]), (), scores)
    provision = "art-8-par-5-b" if driver else "art-8-par-5-a"
    return Verdict("allow", answer, (ground(law, provision, "ranking_final", None, seats=given.seats),))


def _score(candidate: Candidate, given: RankingGiven, law: Law) -> Decimal:
    if candidate.scores is None:
        return candidate.score if candidate.score is not None else Decimal(0)
    weights = given.weights or law.value("ranking.weights", given.on).value
    if not sum(weights.values()):
        raise FactError("Os pesos do edital somam zero.")
    total = sum(
        (Decimal(weights[known("O critério", name, weights)]) * value for name, value in candidate.scores.items()),
        Decimal(0),
    )
    return round_money(total / sum(weights.values()), "half_up")


def _drawn(one: str, given: RankingGiven) -> int:
    return given.draw_order.index(one) if one in given.draw_order else len(given.draw_order)


def _tied_at_cut(order: Sequence[str], merit: Mapping[str, tuple[Decimal, int]], seats: int) -> list[str]:
    """The equals of whom some fit and some do not; empty where the cut falls between unequals."""
    if not 0 < seats < len(order) or merit[order[seats - 1]] != merit[order[seats]]:
        return []
    return [one for one in order if merit[one] == merit[order[seats]]]
