"""What a regime declares: holders, categories, request kinds, rules by role, papers, what is public."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, TypeVar

from registry.domain.dossier import Dossier, PersonKind
from registry.domain.effects import Command
from registry.domain.law import Ground, Law, Outcome, Question, Verdict
from registry.domain.occasion import Occasion
from registry.domain.values import NoValueInForce


@dataclass(frozen=True)
class Missing:
    """The facts that a rule needs and the dossier lacks, as short pt-BR names (``ano de fabricação``)."""

    what: tuple[str, ...]


@dataclass(frozen=True)
class Rule:
    """The only bridge from the database to a question.

    ``given`` turns a dossier into the question's facts, into :class:`Missing` (the finding is pending), or into None
    when the rule does not touch this dossier. ``title`` heads the finding («Seguro»); ``blocks`` False = a deny only
    warns («atenção»). ``mend`` labels the link that mends it («Pedir endosso»), ``mend_at`` the page section
    (documents, vehicle, holder, facts, inspection, charges).
    """

    question: Question[Any, Any]
    given: Callable[[Dossier], Any | Missing | None]
    title: str
    blocks: bool = True
    mend: str = ""
    mend_at: str = ""


Weight = Literal["bad", "check", "wait", "warn", "ok"]


@dataclass(frozen=True)
class Finding:
    """One rule's result on a dossier. ``verdict`` is None when facts are missing; ``given`` is what was asked."""

    rule: str
    question: str
    plugin: str
    outcome: Outcome
    blocks: bool
    summary: str
    given: Any = None
    verdict: Verdict[Any] | None = None
    missing: tuple[str, ...] = ()
    mend: str = ""
    mend_at: str = ""

    @property
    def impedes(self) -> bool:
        """Whether the request cannot be granted because of it."""
        return self.blocks and self.outcome != "allow"

    @property
    def to_check(self) -> bool:
        """Whether what is wanted is there and waits only to be looked at: pending, though nothing stands against it."""
        return self.verdict is not None and self.outcome == "pending" and not self.verdict.against

    @property
    def weight(self) -> Weight:
        """What every screen calls it: bad (impede), check (a conferir), wait (espera dados), warn (atenção), ok."""
        if self.outcome == "allow":
            return "ok"
        if not self.blocks:
            return "warn"
        return "bad" if self.outcome != "pending" else "check" if self.to_check else "wait"


@dataclass(frozen=True)
class Choice:
    """A code and its pt-BR label."""

    code: str
    label: str


@dataclass(frozen=True)
class HolderKind:
    """A kind of holder (PF, PJ, COOP_MEMBER ...), the person kind it takes, and whether it needs a cooperative."""

    code: str
    label: str
    person_kind: PersonKind
    needs_cooperative: bool = False


@dataclass(frozen=True)
class FactField:
    """A fact that the regime's request form asks for. ``kind`` chooses the input and the type of the stored value:
    text str, integer int, money/decimal Decimal, flag bool (asked as Sim/Não, None = not answered), date date,
    choice str. ``when`` limits it to holder kinds (empty = all). ``provision`` names why it is asked.
    """

    name: str
    label: str
    kind: Literal["text", "integer", "money", "decimal", "flag", "date", "choice"]
    required: bool = False
    help: str = ""
    provision: str = ""
    choices: tuple[Choice, ...] = ()
    when: tuple[str, ...] = ()


@dataclass(frozen=True)
class WantedDocument:
    """A document that this applicant owes. ``source`` upload (a file), inspection or record (satisfied by the
    registry's own facts). ``waived`` says why it is not owed («Só para frota acima de 10 veículos»), "" = owed.
    """

    code: str
    label: str
    provision: str
    cite: str
    group: str
    source: Literal["upload", "inspection", "record"] = "upload"
    copies: int = 1
    expires: bool = False
    restricted: bool = False
    waived: str = ""


@dataclass(frozen=True)
class ChecklistItem:
    """One item of the inspection: code, label, provision, whether «Não se aplica» may be ticked."""

    code: str
    label: str
    provision: str
    cite: str
    may_not_apply: bool = True


@dataclass(frozen=True)
class InspectionPlan:
    """The regime's inspection.

    ``items`` gives the checklist on the dossier's day. ``rules`` judge a finished inspection (dossier.inspection holds
    its failed items): one deny fails it. ``valid_until`` asks the seal question for the last day of the seal of
    the dossier's (passed) inspection. ``booking_needs_payment`` True: the inspection charge is paid before booking.
    """

    items: Callable[[Dossier, Law], tuple[ChecklistItem, ...]]
    rules: tuple[Rule, ...]
    valid_until: Callable[[Dossier, Law], date | None]
    booking_needs_payment: bool = False


@dataclass(frozen=True)
class ChargePlan:
    """A fee of a request kind: its question and facts, the amount in the answer, and the step that opens it
    (``filing``, ``booking`` or ``decision``: must be paid before the step of that name is done; ``filing`` fees are
    opened when the request is filed). ``given`` receives the payment day through ``dossier.on``.
    """

    code: str
    label: str
    rule: Rule
    amount: Callable[[Any], Decimal]
    opens_at: Literal["filing", "booking", "decision"] = "filing"


@dataclass(frozen=True)
class RequestKind:
    """A kind of request: who may ask, what the form and the documents are, which rules, fees, office and effect.

    ``documents`` lists what the applicant owes; its completeness is asked by one of ``rules``. ``effect`` is pure.
    ``steps`` is the regime's order of steps shown on top (codes: protocolo, pagamento, vistoria, analise, decisao).
    """

    code: str
    label: str
    holder_kinds: tuple[str, ...]
    office: str
    rules: tuple[Rule, ...]
    documents: Callable[[Dossier, Law], tuple[WantedDocument, ...]]
    effect: Callable[[Dossier, Occasion, Law], tuple[Command, ...]]
    fields: tuple[FactField, ...] = ()
    charges: tuple[ChargePlan, ...] = ()
    needs_inspection: bool = True
    needs_vehicle: bool = True
    steps: tuple[str, ...] = ("protocolo", "pagamento", "vistoria", "analise", "decisao")
    document_rule: str = ""


@dataclass(frozen=True)
class StatusRule:
    """A rule whose verdicts make the status. ``given`` works on a dossier as of any instant; ``as_of`` names the given
    field that carries the day, which the public look-up replaces by the day asked («?em=»).
    """

    rule: Rule
    as_of: str


@dataclass(frozen=True)
class PublicCard:
    """What the public may see besides the status: the permit's own facts as label/value lines, already formatted."""

    plate: str
    regime: str
    category: str
    number: str
    since: date | None
    valid_until: date | None
    lines: tuple[tuple[str, str], ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class NowFact:
    """Something true at this moment (bandeira, rendição): shown as a box, and as ``data`` in JSON's ``now``.

    ``page`` names the view (``blueprint.view``) of a public page that says more; "" = none.
    """

    code: str
    label: str
    headline: str
    detail: str
    data: Mapping[str, Any] = field(default_factory=dict)
    grounds: tuple[Ground, ...] = ()
    highlight: bool = False
    page: str = ""


@dataclass(frozen=True)
class Office:
    """An office that decides in this regime, held by users through appointments."""

    code: str
    label: str


@dataclass(frozen=True)
class Regime:
    """One body of law with its holders, vehicles and rules.

    ``status`` rules: a deny outranks a pending. ``card`` makes the public card from a dossier. ``now`` gives the facts
    of the moment for a card (a taxi's bandeira and rendição). ``subject`` is the sentence of the authorised case
    («Este táxi pode levar passageiros.»). ``licence_label`` is the name of the vehicle's paper.
    ``vehicle_types`` are what its vehicles may be; ``fields_of_vehicle`` of the core's vehicle that it needs.
    """

    code: str
    plugin: str
    label: str
    short_label: str
    subject: str
    holder_kinds: tuple[HolderKind, ...]
    categories: tuple[Choice, ...]
    vehicle_types: tuple[Choice, ...]
    offices: tuple[Office, ...]
    request_kinds: tuple[RequestKind, ...]
    inspection: InspectionPlan
    status: tuple[StatusRule, ...]
    card: Callable[[Dossier, Law], PublicCard]
    permit_label: str
    licence_label: str
    number_format: str = "{number:04d}"
    debt_gate: Rule | None = None
    now: Callable[[PublicCard, datetime, Law], tuple[NowFact, ...]] | None = None

    def request_kind(self, code: str) -> RequestKind:
        """The request kind of this code. Raises KeyError."""
        return _by_code(self.request_kinds, code)

    def holder_kind(self, code: str) -> HolderKind:
        """The holder kind of this code. Raises KeyError."""
        return _by_code(self.holder_kinds, code)


T = TypeVar("T", RequestKind, HolderKind)


def _by_code(items: tuple[T, ...], code: str) -> T:
    for item in items:
        if item.code == code:
            return item
    raise KeyError(code)


def ask(rule: Rule, dossier: Dossier, law: Law, plugin: str) -> Finding | None:
    """One rule's finding on a dossier; None when the rule does not touch it.

    Missing facts, and a dated value that is not in force, give a pending finding that names what is missing.
    """
    given = rule.given(dossier)
    if given is None:
        return None
    if isinstance(given, Missing):
        return _pending(rule, plugin, given.what)
    try:
        verdict = rule.question(given, law)
    except NoValueInForce as absent:
        return _pending(rule, plugin, (f"valor de {law.book.name(absent.key)} em vigor",), given)
    waiting = () if verdict.outcome == "allow" else tuple(each for each in verdict.grounds if each.holds is None)
    decisive = verdict.against or waiting or verdict.grounds
    summary = decisive[0].text if decisive else rule.title
    return Finding(
        rule=rule.title,
        question=rule.question.name,
        plugin=plugin,
        outcome=verdict.outcome,
        blocks=rule.blocks,
        summary=summary,
        given=given,
        verdict=verdict,
        mend=rule.mend,
        mend_at=rule.mend_at,
    )


def _pending(rule: Rule, plugin: str, what: tuple[str, ...], given: Any = None) -> Finding:
    return Finding(
        rule=rule.title,
        question=rule.question.name,
        plugin=plugin,
        outcome="pending",
        blocks=rule.blocks,
        summary=f"{rule.title}: falta informar {', '.join(what)}",
        given=given,
        missing=what,
        mend=rule.mend,
        mend_at=rule.mend_at,
    )


def combined(outcomes: list[Outcome]) -> Outcome:
    """The outcome of several questions of one role: deny outranks refer, refer outranks pending, then allow.

    Where nothing was asked nothing is allowed: pending.
    """
    ranks: tuple[Outcome, ...] = ("deny", "refer", "pending", "allow")
    return next((rank for rank in ranks if rank in outcomes), "pending")
