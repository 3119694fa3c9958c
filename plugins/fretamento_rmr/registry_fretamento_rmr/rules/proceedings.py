"""Who acts for the authority and how an appeal is handed in (arts. 217 sole paragraph, 221, 246)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from registry.api.law import Law, Verdict, question
from registry_fretamento_rmr.rules.common import Decision, decision, failing, found

Signatory = Literal["party", "attorney"]


@dataclass(frozen=True)
class OwnAgent:
    """Who would inspect or issue a notice on a day: the authority whose act it is, the agent's authority and roles."""

    act: Literal["inspection", "notice"]
    authority: str
    agent_authority: str
    agent_roles: tuple[str, ...]
    on: date


@dataclass(frozen=True)
class OwnAgentAnswer:
    """Whether the agent may act, and the provision that forbids."""

    decision: Decision
    articles: tuple[str, ...]


@question("own_agent", cites=["art-217-par-u", "art-221"])
def own_agent(given: OwnAgent, law: Law) -> Verdict[OwnAgentAnswer]:
    """May this agent inspect or issue the notice (arts. 217 sole paragraph, 221)? Only the authority's own agents."""
    acts = law.value("agent_acts", given.on)
    rule = acts.value[given.act]
    if given.agent_authority != given.authority:
        ground = found(law, rule["provision"], "agent_of_another", False, [acts])
    elif "role" in rule and rule["role"] not in given.agent_roles:
        ground = found(law, rule["provision"], "agent_without_role", False, [acts], role=law.say(rule["role"]))
    else:
        ground = found(law, rule["provision"], "agent_own", True, [acts])
    answer = OwnAgentAnswer(decision([ground]), failing([ground]))
    return Verdict(answer.decision, answer, (ground,))


@dataclass(frozen=True)
class AppealPetition:
    """An appeal as handed in: its date, who signed (None = nobody), the power of attorney, the copy of the notice."""

    filed_on: date
    dated: date | None
    signed_by: Signatory | None
    power_of_attorney: bool
    notice_copy: bool


@dataclass(frozen=True)
class AppealPetitionAnswer:
    """What the petition lacks. It is never refused for that: the party completes it."""

    decision: Literal["allow", "pending"]
    missing: tuple[str, ...]


@question("appeal_petition", cites=["art-246"])
def appeal_petition(given: AppealPetition, law: Law) -> Verdict[AppealPetitionAnswer]:
    """Is the petition complete (art. 246)? Dated, signed by the party or an attorney with powers, with the notice."""
    wanted = law.value("petition_items", given.filed_on)
    there = {
        "date": given.dated is not None,
        "signature": given.signed_by is not None,
        "power_of_attorney": given.power_of_attorney,
        "notice_copy": given.notice_copy,
    }
    missing = tuple(item for item in wanted.value[given.signed_by or "party"] if not there[item])
    if not missing:
        ground = found(law, "art-246", "petition_complete", True, [wanted])
        return Verdict("allow", AppealPetitionAnswer("allow", ()), (ground,))
    grounds = tuple(found(law, "art-246", f"petition_no_{item}", False, [wanted]) for item in missing)
    return Verdict("pending", AppealPetitionAnswer("pending", missing), grounds)
