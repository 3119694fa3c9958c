"""An invented regime for tests of the core: passenger boats of an invented port, with small round numbers.

Two request kinds (``novo``, ``renovacao``), three kinds of holder, a fee of each moment, an inspection checklist, a
status rule, a debt gate, a document rule and two offices. Nothing of it is law.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from types import ModuleType
from typing import Any

from registry.domain.dossier import Dossier
from registry.domain.effects import AddVehicle, Command, GrantPermit, IssueLicence
from registry.domain.law import Ground, Law, Step, Verdict, question
from registry.domain.occasion import Occasion
from registry.domain.regime import (
    ChargePlan,
    ChecklistItem,
    Choice,
    FactField,
    HolderKind,
    InspectionPlan,
    Missing,
    Office,
    PublicCard,
    Regime,
    RequestKind,
    Rule,
    StatusRule,
    WantedDocument,
)
from registry.hookspecs import hookimpl
from tests.regime_law import NAME, lawbook

CODE = "barcas"
STEPS = ("protocolo", "pagamento", "vistoria", "analise", "decisao")


@dataclass(frozen=True)
class Decision:
    """The answer of a question that only decides."""

    decision: str
    articles: tuple[str, ...]


@dataclass(frozen=True)
class Seats:
    """Seats of the boat, and the day."""

    seats: int
    on: date


@dataclass(frozen=True)
class Papers:
    """Papers wanted, accepted, and sent but not looked at, by code."""

    wanted: tuple[str, ...]
    accepted: tuple[str, ...]
    sent: tuple[str, ...]


@dataclass(frozen=True)
class Debts:
    """How many debts of the holder are overdue."""

    overdue: int


@dataclass(frozen=True)
class Fee:
    """The fee's quantity of the index ``custo``, and the day of payment."""

    quantity: int
    on: date


@dataclass(frozen=True)
class FeeAnswer:
    """The amount in reais."""

    amount: Decimal


@dataclass(frozen=True)
class Checked:
    """Items of the checklist that failed."""

    failed: tuple[str, ...]


@dataclass(frozen=True)
class Status:
    """What the status hangs on, as of a day."""

    on: date
    ended_on: date | None
    licence_until: date | None
    suspended: bool


def _decided(article: str, bad: bool, ground: Ground) -> Verdict[Decision]:
    if bad:
        return Verdict("deny", Decision("deny", (article,)), (ground,))
    return Verdict("allow", Decision("allow", ()), (ground,))


def _verdict(code: str, bad: bool, text: str, facts: dict[str, Any]) -> Verdict[Decision]:
    return _decided(code, bad, Ground(code, text, holds=not bad, code=code, facts=facts))


@question("seats", cites=["art-1"])
def seats(given: Seats, law: Law) -> Verdict[Decision]:
    """Seats enough?"""
    least = law.value("seats.min", given.on)
    bad = given.seats < least.integer
    ground = Ground(
        "art-1",
        law.say("seats", seats=given.seats, least=least.integer),
        holds=not bad,
        code="seats",
        facts={"seats": given.seats},
        values=(least,),
    )
    return Verdict(
        "deny" if bad else "allow", Decision("deny" if bad else "allow", ("art-1",) if bad else ()), (ground,)
    )


@question("papers", cites=["art-2"])
def papers(given: Papers, law: Law) -> Verdict[Decision]:
    """Every paper accepted?"""
    left = tuple(code for code in given.wanted if code not in given.accepted)
    missing = tuple(code for code in left if code not in given.sent)
    if left and not missing:
        text = law.say("papers_sent", sent=left)
        ground = Ground("art-2", text, holds=None, code="papers_sent", facts={"sent": left})
        return Verdict("pending", Decision("pending", ()), (ground,))
    return _verdict("art-2", bool(missing), law.say("papers", missing=missing or ("nada",)), {"missing": missing})


@question("debts", cites=["art-3"])
def debts(given: Debts, law: Law) -> Verdict[Decision]:
    """Free of overdue debts?"""
    return _verdict("art-3", given.overdue > 0, law.say("debts", count=given.overdue), {"overdue": given.overdue})


@question("fee", cites=["art-4"])
def fee(given: Fee, law: Law) -> Verdict[FeeAnswer]:
    """The quantity of the fee times the index in force on the day."""
    cost = law.index("custo", given.on)
    amount = (cost.decimal * given.quantity).quantize(Decimal("0.01"))
    ground = Ground("art-4", law.say("fee", quantity=given.quantity), values=(cost,))
    return Verdict("allow", FeeAnswer(amount), (ground,), (Step("Taxa", amount, total=True),))


@question("checked", cites=["art-5"])
def checked(given: Checked, law: Law) -> Verdict[Decision]:
    """Did every item pass?"""
    return _verdict("art-5", bool(given.failed), law.say("checked", count=len(given.failed)), {"failed": given.failed})


@question("status", cites=["art-6"])
def status(given: Status, law: Law) -> Verdict[Decision]:
    """May the boat carry passengers on the day?"""
    ended = given.ended_on is not None and given.ended_on <= given.on
    late = given.licence_until is None or given.licence_until < given.on
    bad = ended or late or given.suspended
    reason = "ended" if ended else "suspended" if given.suspended else "late"
    ground = Ground(
        "art-6", law.say(f"status_{reason}" if bad else "status_ok"), holds=not bad, code=reason if bad else ""
    )
    return Verdict(
        "deny" if bad else "allow", Decision("deny" if bad else "allow", ("art-6",) if bad else ()), (ground,)
    )


def _seats_of(dossier: Dossier) -> Seats | Missing:
    if dossier.vehicle is None:
        return Missing(("veículo",))
    if dossier.vehicle.seats is None:
        return Missing(("lugares",))
    return Seats(dossier.vehicle.seats, dossier.on)


def _papers_of(dossier: Dossier) -> Papers | Missing:
    if dossier.request is None or not dossier.request.holder_kind:
        return Missing(("tipo de requerente",))
    wanted = tuple(each.code for each in _wanted(dossier) if each.source == "upload" and not each.waived)
    accepted = tuple(each.code for each in dossier.documents if each.accepted(dossier.on))
    return Papers(wanted, accepted, tuple(each.code for each in dossier.documents if each.sent))


def _inspected(dossier: Dossier) -> Checked | Missing:
    if dossier.inspection is None:
        return Missing(("vistoria aprovada",))
    return Checked(dossier.inspection.failed)


def _wanted(dossier: Dossier) -> tuple[WantedDocument, ...]:
    holder = dossier.request.holder_kind if dossier.request else ""
    alone = "" if holder == "PJ" else "Só para empresa"
    return (
        WantedDocument("registro", "Registro da barca", "art-2", "Art. 2º, I", "Da barca", expires=True),
        WantedDocument("fotos", "Fotos da barca", "art-2", "Art. 2º, II", "Da barca", copies=2),
        WantedDocument("antecedentes", "Antecedentes", "art-2", "Art. 2º, III", "Do requerente", restricted=True),
        WantedDocument("contrato", "Contrato social", "art-2", "Art. 2º, IV", "Do requerente", waived=alone),
        WantedDocument("laudo", "Laudo de vistoria", "art-5", "Art. 5º", "Da barca", source="inspection"),
    )


def _fee_rule(quantity: int) -> Rule:
    def given(dossier: Dossier) -> Fee:
        return Fee(quantity, dossier.on)

    return Rule(fee, given, "Taxa")


def _charge(code: str, label: str, quantity: int, opens_at: Any) -> ChargePlan:
    return ChargePlan(code, label, _fee_rule(quantity), lambda answer: answer.amount, opens_at)


def _effect(dossier: Dossier, occasion: Occasion, law: Law) -> tuple[Command, ...]:
    category = dossier.request.category if dossier.request else ""
    until = date(occasion.on.year + 1, occasion.on.month, min(occasion.on.day, 28))
    return (GrantPermit(category, occasion.on), AddVehicle(occasion.on), IssueLicence(occasion.on, until))


def _card(dossier: Dossier, law: Law) -> PublicCard:
    return PublicCard(
        plate=dossier.vehicle.plate if dossier.vehicle else "",
        regime=CODE,
        category=dossier.permit.category if dossier.permit else "",
        number=dossier.permit.number if dossier.permit else "",
        since=dossier.permit.granted_on if dossier.permit else None,
        valid_until=dossier.licence.valid_until if dossier.licence else None,
    )


def _status_of(dossier: Dossier) -> Status:
    return Status(
        on=dossier.on,
        ended_on=dossier.permit.ended_on if dossier.permit else None,
        licence_until=dossier.licence.valid_until if dossier.licence else None,
        suspended=dossier.restricted("suspension") is not None,
    )


FIELDS = (
    FactField("capital", "Capital", "money", required=True, when=("PJ",)),
    FactField("crew", "Tripulantes", "integer"),
    FactField("rate", "Índice próprio", "decimal"),
    FactField("insured_until", "Seguro até", "date"),
    FactField("has_pier", "Tem cais próprio?", "flag"),
    FactField("route", "Linha", "choice", choices=(Choice("norte", "Norte"), Choice("sul", "Sul"))),
)
_RULES = (
    Rule(seats, _seats_of, "Lotação", mend="Corrigir o veículo", mend_at="vehicle"),
    Rule(papers, _papers_of, "Documentos", mend="Ver documentos", mend_at="documents"),
    Rule(checked, _inspected, "Vistoria", mend="Ver a vistoria", mend_at="inspection"),
)


def _kind(code: str, label: str, charges: tuple[ChargePlan, ...], **more: Any) -> RequestKind:
    return RequestKind(
        code=code,
        label=label,
        holder_kinds=("PF", "PJ", "COOP_MEMBER"),
        office="capitao",
        rules=_RULES,
        documents=lambda dossier, law: _wanted(dossier),
        effect=_effect,
        fields=FIELDS,
        charges=charges,
        steps=STEPS,
        document_rule="papers",
        **more,
    )


REGIME = Regime(
    code=CODE,
    plugin=NAME,
    label="Barcas de passageiros",
    short_label="Barcas",
    subject="Esta barca pode levar passageiros.",
    holder_kinds=(
        HolderKind("PF", "Pessoa física", "natural"),
        HolderKind("PJ", "Empresa", "company"),
        HolderKind("COOP_MEMBER", "Cooperado", "natural", needs_cooperative=True),
    ),
    categories=(Choice("comum", "Comum"), Choice("turismo", "Turismo")),
    vehicle_types=(Choice("barca", "Barca"), Choice("lancha", "Lancha")),
    offices=(Office("capitao", "Capitão do Porto"), Office("conselho", "Conselho")),
    request_kinds=(
        _kind(
            "novo",
            "Permissão nova",
            (_charge("vistoria", "Vistoria", 40, "booking"), _charge("registro", "Registro", 100, "decision")),
        ),
        _kind("renovacao", "Renovação", (_charge("renovacao", "Renovação", 10, "filing"),), needs_inspection=False),
    ),
    inspection=InspectionPlan(
        items=lambda dossier, law: (
            ChecklistItem("casco", "Casco", "art-5", "Art. 5º, I", may_not_apply=False),
            ChecklistItem("coletes", "Coletes", "art-5", "Art. 5º, II"),
        ),
        rules=(Rule(checked, _inspected, "Itens da vistoria"),),
        valid_until=lambda dossier, law: date(dossier.on.year + 1, dossier.on.month, min(dossier.on.day, 28)),
        booking_needs_payment=True,
    ),
    status=(StatusRule(Rule(status, _status_of, "Situação"), as_of="on"),),
    card=_card,
    permit_label="Permissão",
    licence_label="Passe",
    debt_gate=Rule(
        debts,
        lambda dossier: Debts(sum(each.state == "overdue" for each in dossier.debts)),
        "Débitos",
        mend="Ver débitos",
        mend_at="charges",
    ),
)


def module(**members: Any) -> ModuleType:
    """The plugin as a module for ``PluginHost.load``; ``members`` add or replace hooks."""
    made = ModuleType(f"registry_{NAME}.plugin")
    hooks: dict[str, Any] = {
        "registry_lawbook": lambda: lawbook(),
        "registry_questions": lambda: (seats, papers, debts, fee, checked, status),
        "registry_regimes": lambda: (REGIME,),
        **members,
    }
    vars(made)["REGISTRY_API"] = 1
    for name, function in hooks.items():
        function.__name__ = name
        setattr(made, name, hookimpl(function))
    return made
