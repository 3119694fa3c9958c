"""Where a request stands: the state shown, the steps in the regime's order, what is missing, and the one next step.

Pure: everything is derived from the stored facts of a request, so that no screen can disagree with another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, cast

from registry.domain.calendar import Calendar
from registry.domain.deadline import business_days_between
from registry.domain.regime import Finding
from registry.domain.text import format_date

Stored = Literal["rascunho", "protocolado", "em_analise", "deferido", "indeferido", "desistencia"]
Shown = Literal[
    "rascunho",
    "protocolado",
    "em_analise",
    "em_exigencia",
    "aguarda_vistoria",
    "aguarda_pagamento",
    "pronto",
    "deferido",
    "indeferido",
    "encaminhado",
    "desistencia",
]
ENDED = ("deferido", "indeferido", "desistencia")
WAITING_FOR_APPLICANT = ("em_exigencia", "aguarda_pagamento", "aguarda_vistoria")

SHOWN_LABELS: dict[str, str] = {
    "rascunho": "Rascunho",
    "protocolado": "Protocolado",
    "em_analise": "Em análise",
    "em_exigencia": "Em exigência",
    "aguarda_vistoria": "Aguarda vistoria",
    "aguarda_pagamento": "Aguarda pagamento",
    "pronto": "Pronto para decisão",
    "deferido": "Deferido",
    "indeferido": "Indeferido",
    "encaminhado": "Encaminhado",
    "desistencia": "Desistência",
}
STEP_LABELS = {
    "protocolo": "Protocolo",
    "pagamento": "Pagamento",
    "vistoria": "Vistoria",
    "analise": "Análise",
    "decisao": "Decisão",
}
_WAITING: dict[str, Shown] = {
    "proposal": "pronto",
    "exigencia": "em_exigencia",
    "referral": "encaminhado",
    "return": "em_analise",
}
_SECTION_STEP = {"inspection": "vistoria", "charges": "pagamento"}


@dataclass(frozen=True)
class ChargeFact:
    """A fee of the request: its label, the step before which it is paid (filing, booking, decision), the day paid."""

    label: str
    opens_at: str
    paid_on: date | None


@dataclass(frozen=True)
class WaitFact:
    """An open item: exigencia, referral (an omitted case), proposal (of refusal) or return (from the deciding office),
    with its last day.
    """

    kind: str
    due_on: date | None


@dataclass(frozen=True)
class PaperFact:
    """A document that the applicant owes by upload, with its status on the day."""

    label: str
    status: str


@dataclass(frozen=True)
class InspectionFact:
    """The request's newest inspection: its state (marcada, aprovada, reprovada ...) and its day."""

    state: str
    on: date | None


@dataclass(frozen=True)
class Standing:
    """The facts of a request from which its workflow is derived, as of ``on``.

    ``lacking`` are the fields without which it cannot be filed, as short pt-BR names; ``steps`` the regime's order;
    ``findings`` are None where the rules were not asked.
    """

    state: str
    on: date
    steps: tuple[str, ...]
    filed_on: date | None = None
    decided_on: date | None = None
    taken: bool = False
    lacking: tuple[str, ...] = ()
    needs_inspection: bool = True
    papers_are_a_finding: bool = False
    charges: tuple[ChargeFact, ...] = ()
    papers: tuple[PaperFact, ...] = ()
    inspection: InspectionFact | None = None
    waits: tuple[WaitFact, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Step:
    """One step on top of the request. ``state``: done, now, later or stopped (an inspection failed)."""

    code: str
    label: str
    state: Literal["done", "now", "later", "stopped"]
    on: date | None = None
    note: str = ""


@dataclass(frozen=True)
class Obstacle:
    """What stands before the decision: a short sentence and the page section that mends it."""

    text: str
    section: str


@dataclass(frozen=True)
class NextStep:
    """The one next step: an act's code, its label as a verb, the page section where it is done."""

    act: str
    label: str
    section: str


@dataclass(frozen=True)
class Outlook:
    """Where the request stands. ``grantable`` = filed, not ended, and nothing stands before granting it."""

    shown: Shown
    label: str
    steps: tuple[Step, ...]
    next_step: NextStep | None
    obstacles: tuple[Obstacle, ...]
    grantable: bool


def outlook(standing: Standing) -> Outlook:
    """Derives the shown state, steps, obstacles and next step of a request."""
    shown = _shown(standing)
    obstacles = _obstacles(standing)
    return Outlook(
        shown=shown,
        label=SHOWN_LABELS[shown],
        steps=_steps(standing, shown),
        next_step=_next_step(standing, shown),
        obstacles=obstacles,
        grantable=not obstacles and standing.state in ("protocolado", "em_analise"),
    )


def impeding(standing: Standing) -> tuple[Finding, ...]:
    """The findings that the analyst can have mended now: those of a step still to come are left to that step."""
    undone = {step for step in ("vistoria", "pagamento") if not _done(standing, step)}
    return tuple(
        each for each in standing.findings if each.impedes and _SECTION_STEP.get(each.mend_at, "") not in undone
    )


def for_applicant(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that impede and that the applicant can mend: a dated value not in force is not theirs to enter."""
    return tuple(each for each in findings if each.impedes and not _lacks_value(each))


def exigencia_text(findings: Iterable[Finding]) -> str:
    """The text of an exigência as born from the findings: a numbered line for each thing wanted, to be edited."""
    said = [text for each in for_applicant(findings) for text in _sentences(each)]
    lines = [f"{place}. {text}" for place, text in enumerate(dict.fromkeys(said), 1)]
    return "\n".join(["Para continuar o pedido, apresente ou corrija:", *lines]) if lines else ""


def due_label(due: date, on: date, calendar: Calendar) -> str:
    """How far a last day is: ``vence hoje``, ``em 2 dias úteis``, ``atrasado 1 dia útil``."""
    if due == on:
        return "vence hoje"
    if due > on:
        left = business_days_between(on, due, calendar)
        return f"em {_business(left)}" if left else f"em {_plain((due - on).days)}"
    late = business_days_between(due, on, calendar)
    return f"atrasado {_business(late)}" if late else "atrasado"


def _business(count: int) -> str:
    return "1 dia útil" if count == 1 else f"{count} dias úteis"


def _plain(count: int) -> str:
    return "1 dia" if count == 1 else f"{count} dias"


def _lacks_value(finding: Finding) -> bool:
    """Whether the rule was asked and a dated value was not in force, so that no verdict came."""
    return finding.verdict is None and finding.given is not None


def _sentences(finding: Finding) -> list[str]:
    against = [ground.text for ground in finding.verdict.against] if finding.verdict else []
    return [_stopped(text) for text in (against or [finding.summary])]


def _summary(finding: Finding) -> str:
    more = len(finding.verdict.against) - 1 if finding.verdict else 0
    return f"{finding.summary} (e mais {more})" if more > 0 else finding.summary


def _stopped(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _shown(standing: Standing) -> Shown:
    if standing.state in ENDED or standing.state == "rascunho":
        return cast(Shown, standing.state)
    open_kinds = {wait.kind for wait in standing.waits}
    if open_kinds:
        return next(shown for kind, shown in _WAITING.items() if kind in open_kinds)
    step = _current(standing)
    if step == "vistoria":
        return "aguarda_vistoria"
    if step == "pagamento" or (step == "decisao" and _owed(standing, ("decision",))):
        return "aguarda_pagamento"
    if step == "decisao":
        return "pronto"
    return "em_analise" if standing.taken else "protocolado"


def _current(standing: Standing) -> str:
    return next((step for step in standing.steps if not _done(standing, step)), "decisao")


def _done(standing: Standing, step: str) -> bool:
    match step:
        case "protocolo":
            return standing.filed_on is not None
        case "pagamento":
            return standing.filed_on is not None and not _owed(standing, ("filing", "booking"))
        case "vistoria":
            return not standing.needs_inspection or _inspected(standing)
        case "analise":
            return standing.filed_on is not None and not standing.waits and not _analysis_left(standing)
        case _:
            return standing.state in ENDED


def _owed(standing: Standing, moments: Sequence[str]) -> list[ChargeFact]:
    return [each for each in standing.charges if each.paid_on is None and each.opens_at in moments]


def _inspected(standing: Standing) -> bool:
    return standing.inspection is not None and standing.inspection.state == "aprovada"


def _analysis_left(standing: Standing) -> bool:
    return bool(_unread(standing) or _absent(standing) or impeding(standing))


def _unread(standing: Standing) -> list[PaperFact]:
    return [paper for paper in standing.papers if paper.status == "enviado"]


def _absent(standing: Standing) -> list[PaperFact]:
    """Papers that no finding speaks for: a regime with a document rule names them there."""
    if standing.papers_are_a_finding:
        return []
    return [paper for paper in standing.papers if paper.status in ("falta", "recusado", "vencido")]


def _obstacles(standing: Standing) -> tuple[Obstacle, ...]:
    if standing.state in ENDED:
        return ()
    found = [Obstacle(f"Informe {name}", "facts") for name in standing.lacking]
    found += [Obstacle(_summary(each), each.mend_at or "findings") for each in standing.findings if each.impedes]
    found += [Obstacle(f"{paper.label}: conferir", "documents") for paper in _unread(standing)]
    found += [Obstacle(f"{paper.label}: {paper.status}", "documents") for paper in _absent(standing)]
    found += [Obstacle(f"Taxa em aberto: {each.label}", "charges") for each in standing.charges if not each.paid_on]
    told = any(each.section == "inspection" for each in found)
    if standing.needs_inspection and not _inspected(standing) and not told:
        found.append(Obstacle("Falta a vistoria aprovada", "inspection"))
    waits = {
        "exigencia": "Há exigência sem resposta",
        "referral": "O caso foi encaminhado e espera resposta",
        "return": "Quem decide devolveu o pedido e espera resposta",
    }
    found += [Obstacle(waits[each.kind], "waits") for each in standing.waits if each.kind in waits]
    return tuple(dict.fromkeys(found))


def _steps(standing: Standing, shown: Shown) -> tuple[Step, ...]:
    current = "" if standing.state in ENDED else _current(standing)
    return tuple(_step(standing, code, code == current, shown) for code in standing.steps)


def _step(standing: Standing, code: str, is_current: bool, shown: Shown) -> Step:
    label = STEP_LABELS.get(code, code.capitalize())
    if code == "vistoria" and standing.inspection is not None and standing.inspection.state == "reprovada":
        return Step(code, label, "stopped", standing.inspection.on, f"Reprovada{_on(standing.inspection.on)}")
    if _done(standing, code) and (code != "decisao" or standing.state in ENDED):
        on, note = _done_note(standing, code)
        return Step(code, label, "done", on, note)
    if code == "vistoria" and standing.inspection is not None and standing.inspection.state == "marcada":
        return Step(code, label, "now" if is_current else "later", standing.inspection.on, "Marcada")
    if is_current:
        return Step(code, label, "now", None, SHOWN_LABELS[shown])
    return Step(code, label, "later")


def _done_note(standing: Standing, code: str) -> tuple[date | None, str]:
    match code:
        case "protocolo":
            return standing.filed_on, ""
        case "pagamento":
            days = [each.paid_on for each in standing.charges if each.paid_on]
            last = max(days) if days else None
            return last, f"Pago{_on(last)}" if last else "Nada a pagar"
        case "vistoria":
            if standing.inspection is None:
                return None, "Não precisa"
            return standing.inspection.on, f"Aprovada{_on(standing.inspection.on)}"
        case "decisao":
            return standing.decided_on, SHOWN_LABELS[standing.state]
        case _:
            return None, "Concluída"


def _on(day: date | None) -> str:
    return f" em {format_date(day)}" if day else ""


def _next_step(standing: Standing, shown: Shown) -> NextStep | None:
    match shown:
        case "rascunho":
            if standing.lacking:
                return NextStep("fill", f"Informar {standing.lacking[0]}", "facts")
            return NextStep("file", "Protocolar", "filing")
        case "aguarda_pagamento":
            owed = [each for each in standing.charges if each.paid_on is None]
            return NextStep("pay", f"Receber {owed[0].label}" if owed else "Receber a taxa", "charges")
        case "aguarda_vistoria":
            return _inspection_step(standing.inspection)
        case "protocolado":
            return NextStep("take", "Pegar para análise", "assignment")
        case "em_analise":
            return _analysis_step(standing)
        case "em_exigencia":
            due = next((wait.due_on for wait in standing.waits if wait.kind == "exigencia"), None)
            if due is not None and due < standing.on:
                return NextStep("close_exigencia", "Encerrar exigência vencida", "waits")
            return NextStep("answer_exigencia", "Conferir resposta à exigência", "waits")
        case "encaminhado":
            return NextStep("close_referral", "Registrar a resposta do encaminhamento", "waits")
        case "pronto":
            proposed = any(wait.kind == "proposal" for wait in standing.waits)
            return NextStep("decide", "Decidir: há proposta de indeferimento" if proposed else "Decidir", "decision")
        case _:
            return None


def _inspection_step(inspection: InspectionFact | None) -> NextStep:
    if inspection is not None and inspection.state == "marcada":
        return NextStep("inspect", f"Registrar a vistoria{_of(inspection.on)}", "inspection")
    if inspection is not None and inspection.state == "reprovada":
        return NextStep("book", "Marcar nova vistoria", "inspection")
    return NextStep("book", "Marcar vistoria", "inspection")


def _of(day: date | None) -> str:
    return f" de {format_date(day)}" if day else ""


def _analysis_step(standing: Standing) -> NextStep:
    if any(wait.kind == "return" for wait in standing.waits):
        return NextStep("answer_return", "Responder a quem decide", "waits")
    unread = len(_unread(standing))
    if unread:
        return NextStep("review", f"Conferir {unread} documento{'s' if unread > 1 else ''}", "documents")
    left = impeding(standing)
    if left and not _absent(standing) and all(each.outcome == "refer" for each in left):
        return NextStep("refer", f"Encaminhar: {left[0].rule}", "findings")
    if left and not _absent(standing) and not for_applicant(left):
        return NextStep("indexes", f"Cadastrar {left[0].missing[0]}", "findings")
    count = len(for_applicant(left)) + len(_absent(standing))
    what = f"{count} apontamento{'s' if count > 1 else ''}"
    return NextStep("exigencia", f"Registrar exigência: {what}", "findings")
