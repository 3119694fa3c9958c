"""The charter contract (arts. 193, 196 IV, 197, 198): whom it carries, whence and whither, what the law leaves free."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from registry.api.law import Ground, Law, Verdict, question
from registry_fretamento_rmr.rules.common import Decision, decision, failing, found


@dataclass(frozen=True)
class Contract:
    """A contract as the holder declares it; None = not told. ``price`` in reais, ``copy_held`` by the holder."""

    signed_on: date
    client_group: str | None
    origin: str | None
    destination: str | None
    timetable: str | None
    route: str | None
    price: Decimal | None
    copy_held: bool


@dataclass(frozen=True)
class ContractAnswer:
    """The decision, the provisions that forbid, and the terms that the parties agree on as they like."""

    decision: Decision
    articles: tuple[str, ...]
    free_terms: tuple[str, ...]


@question("contract", cites=["art-193", "art-196-IV", "art-197", "art-198"])
def contract(given: Contract, law: Law) -> Verdict[ContractAnswer]:
    """May the contract be registered (arts. 193, 196 IV, 198)? Timetable, route and price stay free (art. 197)."""
    groups, free = law.value("client_groups", given.signed_on), law.value("contract_free_terms", given.signed_on)
    grounds: list[Ground] = []
    if given.client_group not in groups.value:
        grounds.append(found(law, "art-193", "contract_no_group", False, [groups], groups=groups.value))
    for name, place in (("origin", given.origin), ("destination", given.destination)):
        if not (place or "").strip():
            grounds.append(found(law, "art-196-IV", f"contract_no_{name}", False))
    if not given.copy_held:
        grounds.append(found(law, "art-198", "contract_no_copy", False))
    if not grounds:
        facts: dict[str, Any] = {"origin": given.origin, "destination": given.destination}
        grounds.append(found(law, "art-196-IV", "contract_ok", True, [groups], **facts))
    grounds.append(found(law, "art-197", "contract_free", True, [free], terms=[law.say(term) for term in free.value]))
    answer = ContractAnswer(decision(grounds), failing(grounds), tuple(free.value))
    return Verdict(answer.decision, answer, tuple(grounds))
