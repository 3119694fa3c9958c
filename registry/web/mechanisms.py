"""What the screens of a mechanism show: the one answer that a city's plugin gives for each of its regimes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from registry.domain.law import Law
from registry.domain.regime import Regime
from registry.settings import Authority
from registry.web.edge import desk, session, settings, today


@dataclass(frozen=True)
class Answered:
    """A regime, the authority that administers it, its law on the authority's day, and what its plugin answered."""

    regime: Regime
    authority: Authority
    law: Law
    value: Any


def answers(hook: str) -> tuple[Answered, ...]:
    """The answer to a mechanism's hook ``(regime, on, law)`` for each regime that has one, in the configured order.

    Raises RuleFailed when several plugins answer for one regime.
    """
    found = []
    for authority in settings().authorities.values():
        for regime in desk().host.regimes_of(authority.code):
            law = desk().law(session(), authority.code, regime.plugin)
            value = desk().host.ask_one(hook, regime=regime.code, on=today(), law=law)
            if value is not None:
                found.append(Answered(regime, authority, law, value))
    return tuple(found)
