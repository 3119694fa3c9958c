"""Art. 10, § 1º: whether an alvará may be renewed, and until when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from registry.api.law import Ground, Law, Verdict, question
from registry_taxi_recife.rules.alvara import AlvaraGiven, alvara
from registry_taxi_recife.rules.common import articles, ground, outcome_of
from registry_taxi_recife.rules.debt_block import DebtBlockGiven, DebtItem, debt_block
from registry_taxi_recife.rules.drivers import DriversGiven, drivers
from registry_taxi_recife.rules.vehicle_age import age_ground


@dataclass(frozen=True)
class RenewalGiven:
    """``made`` are the years made of the cars to be renewed; ``inspection_until`` None = no passed inspection;
    ``fleet`` and ``drivers`` are looked at for a company (None = none)."""

    on: date
    holder: str
    fleet: int | None
    drivers: int | None
    fees_paid: bool
    inspection_until: date | None
    made: tuple[int, ...]
    debts: tuple[DebtItem, ...]


@dataclass(frozen=True)
class RenewalAnswer:
    """``valid_until`` of the renewed alvará; None where it is refused."""

    decision: str
    articles: tuple[str, ...]
    valid_until: date | None


@question(
    "renewal",
    cites=["art-10-par-1", "art-21-caput", "art-32-caput", "art-54-par-1", "art-57-par-2", "art-61-caput"],
)
def renewal(given: RenewalGiven, law: Law) -> Verdict[RenewalAnswer]:
    """Fees paid, drivers enough (companies), inspection in force, no overdue debt, every car young enough."""
    grounds = tuple(_grounds(given, law))
    outcome = outcome_of(grounds)
    until = alvara(AlvaraGiven(given.on), law).answer.valid_until if outcome == "allow" else None
    return Verdict(outcome, RenewalAnswer(outcome, articles(grounds), until), grounds)


def _grounds(given: RenewalGiven, law: Law) -> Iterable[Ground]:
    yield ground(law, "art-10-par-1", "fees_paid" if given.fees_paid else "fees_open", given.fees_paid)
    if given.holder == "company":
        yield from drivers(DriversGiven(given.fleet or 0, given.drivers or 0, given.on), law).grounds
    until = given.inspection_until
    if until is None:
        yield ground(law, "art-32-caput", "inspection_none", False)
    else:
        holds = given.on <= until
        yield ground(law, "art-32-caput", "inspection_ok" if holds else "inspection_expired", holds, until=until)
    yield from debt_block(DebtBlockGiven("renewal", given.on, given.debts, None), law).grounds
    for made in given.made:
        yield age_ground(made, None, given.on, law)[0]
