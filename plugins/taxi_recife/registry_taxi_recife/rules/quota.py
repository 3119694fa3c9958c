"""Art. 60: one taxi for so many inhabitants."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from registry.api.law import Ground, Law, Outcome, Verdict, question
from registry_taxi_recife.rules.common import articles, ground, step, whole

RATIO = "quota.inhabitants_per_taxi"
POPULATION = "population"


@dataclass(frozen=True)
class QuotaGiven:
    """``fleet`` is every live permit, suspended and special ones included; ``requested`` the new places asked
    for (None = none: how many are left)."""

    fleet: int
    requested: int | None
    on: date


@dataclass(frozen=True)
class QuotaAnswer:
    """``excess`` is the fleet above the quota, which stays (§ 2º); ``granted_max`` the places that may be given."""

    quota: int
    available: int
    excess: int
    granted_max: int
    decision: str
    articles: tuple[str, ...]


@question("quota", cites=["art-60-caput", "art-60-par-1", "art-60-par-2"])
def quota(given: QuotaGiven, law: Law) -> Verdict[QuotaAnswer]:
    """The places left under the proportion. Raises ``NoValueInForce`` when no population figure was entered."""
    ratio, people = law.value(RATIO, given.on), law.index(POPULATION, given.on)
    limit = whole(people) // ratio.integer
    available, excess = max(0, limit - given.fleet), max(0, given.fleet - limit)
    requested = given.requested or 0
    granted = min(requested, available)
    decision = "allow" if granted == requested else "partial" if granted else "deny"
    facts = {"fleet": given.fleet, "limit": limit, "available": available, "requested": requested}
    told = {"allow": "quota_ok" if requested else "quota_state", "partial": "quota_partial", "deny": "quota_full"}
    grounds: list[Ground] = [ground(law, "art-60-caput", told[decision], decision == "allow", (ratio, people), **facts)]
    if excess:
        grounds.append(ground(law, "art-60-par-2", "quota_excess", None, excess=excess))
    steps = (
        step(law, "quota_limit", people=whole(people), ratio=ratio.integer, limit=limit),
        step(law, "quota_available", limit=limit, fleet=given.fleet, available=available),
    )
    outcome: Outcome = "refer" if decision == "partial" else "allow" if decision == "allow" else "deny"
    answer = QuotaAnswer(limit, available, excess, granted, decision, articles(grounds))
    return Verdict(outcome, answer, tuple(grounds), steps)
