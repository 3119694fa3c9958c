"""What every screen calls a finding: one word, icon and colour by its weight, and the line that counts them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from registry.domain.regime import Finding, Weight
from registry.web.formats import plural

Tone = Literal["bad", "warn", "ok"]


@dataclass(frozen=True)
class Weighed:
    """A weight as people read it: its word, icon and colour, and how so many of them are counted."""

    word: str
    icon: str
    tone: Tone
    one: str
    many: str


_WEIGHTS: dict[Weight, Weighed] = {
    "bad": Weighed("Impede o deferimento", "noc", "bad", "impede", "impedem"),
    "check": Weighed("Falta conferir", "doc", "warn", "a conferir", "a conferir"),
    "wait": Weighed("Falta informar", "clock", "warn", "espera dados", "esperam dados"),
    "warn": Weighed("Não impede", "warn", "warn", "atenção", "atenções"),
    "ok": Weighed("Em ordem", "okc", "ok", "em ordem", "em ordem"),
}


def weighed(finding: Finding) -> Weighed:
    """How a finding is called and drawn."""
    return _WEIGHTS[finding.weight]


def word_of(finding: Finding) -> str:
    """«Impede o deferimento», «Falta informar»; of what the law leaves to someone else, who answers it."""
    if finding.outcome == "refer" and finding.weight == "bad":
        return "Cabe a outra autoridade"
    return weighed(finding).word


def mend_of(finding: Finding) -> str:
    """The label of the link that mends a finding: what the rule says, or «Conferir» where what is wanted is there."""
    return "Conferir" if finding.weight == "check" else finding.mend


def by_weight(findings: Iterable[Finding]) -> dict[Weight, list[Finding]]:
    """The findings of each weight, what forbids first, each group in the order of the rules."""
    groups: dict[Weight, list[Finding]] = {weight: [] for weight in _WEIGHTS}
    for each in findings:
        groups[each.weight].append(each)
    return groups


def counts_text(findings: Iterable[Finding]) -> str:
    """«2 impedem · 1 a conferir · 1 espera dados · 1 atenção · 8 em ordem»; "" without findings."""
    groups = by_weight(findings).items()
    return " · ".join(
        plural(len(found), _WEIGHTS[weight].one, _WEIGHTS[weight].many) for weight, found in groups if found
    )
