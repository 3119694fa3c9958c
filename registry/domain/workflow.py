"""Where a request stands: the state shown, the steps in the regime's order, what is missing, and the one next step.

Pure: everything is derived from the stored facts of a request, so that no screen can disagree with another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal, cast

from registry.domain.calendar import Calendar
from registry.domain.deadline import business_days_between
from registry.domain.regime import Finding
from registry.domain.standing import (
    ENDED,
    ChargeFact,
    InspectionFact,
    PaperFact,
    Standing,
    WaitFact,
    absent,
    current_step,
    for_applicant,
    impeding,
    is_done,
    is_inspected,
    owed,
    unread,
)
from registry.domain.text import format_date

__all__ = [
    "ENDED",
    "SHOWN_LABELS",
    "STEP_LABELS",
    "WAITING_FOR_APPLICANT",
    "ChargeFact",
    "InspectionFact",
    "NextStep",
    "Obstacle",
    "Outlook",
    "PaperFact",
    "Shown",
    "Standing",
    "Step",
    "WaitFact",
    "due_label",
    "exigencia_text",
    "for_applicant",
    "impeding",
    "outlook",
]

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


def _sentences(finding: Finding) -> list[str]:
    against = [ground.text for ground in finding.verdict.against] if finding.verdict else []
    return [_stopped(text) for text in (against or [finding.summary])]


def _summary(finding: Finding) -> str:
    more = len(finding.verdict.against) - 1 if finding.verdict else 0
    return f"{finding.summary.removesuffix('.')} e mais {more}" if more > 0 else finding.summary


def _stopped(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _shown(standing: Standing) -> Shown:
    if standing.state in ENDED or standing.state == "rascunho":
        return cast(Shown, standing.state)
    open_kinds = {wait.kind for wait in standing.waits}
    if open_kinds:
        return next(shown for kind, shown in _WAITING.items() if kind in open_kinds)
    step = current_step(standing)
    if step == "vistoria":
        return "aguarda_vistoria"
    if step == "pagamento" or (step == "decisao" and owed(standing, ("decision",))):
        return "aguarda_pagamento"
    if step == "decisao":
        return "pronto"
    return "em_analise" if standing.taken else "protocolado"


def _obstacles(standing: Standing) -> tuple[Obstacle, ...]:
    if standing.state in ENDED:
        return ()
    found = [Obstacle(f"Informe {name}", "facts") for name in standing.lacking]
    sent = unread(standing)
    impeding_now = [each for each in standing.findings if each.impedes and not (each.to_check and sent)]
    found += [Obstacle(_summary(each), each.mend_at or "findings") for each in impeding_now]
    found += [Obstacle(f"Confira o documento enviado: {paper.label}", "documents") for paper in sent]
    found += [Obstacle(f"{paper.label}: {paper.status}", "documents") for paper in absent(standing)]
    found += [Obstacle(f"Taxa em aberto: {each.label}", "charges") for each in standing.charges if not each.paid_on]
    told = any(each.section == "inspection" for each in found)
    if standing.needs_inspection and not is_inspected(standing) and not told:
        found.append(Obstacle("Falta a vistoria aprovada", "inspection"))
    waits = {
        "exigencia": "Há exigência sem resposta",
        "referral": "O caso foi encaminhado e espera resposta",
        "return": "Quem decide devolveu o pedido e espera resposta",
    }
    found += [Obstacle(waits[each.kind], "waits") for each in standing.waits if each.kind in waits]
    return tuple(dict.fromkeys(found))


def _steps(standing: Standing, shown: Shown) -> tuple[Step, ...]:
    current = "" if standing.state in ENDED else current_step(standing)
    return tuple(_step(standing, code, code == current, shown) for code in standing.steps)


def _step(standing: Standing, code: str, is_current: bool, shown: Shown) -> Step:
    label = STEP_LABELS.get(code, code.capitalize())
    if code == "vistoria" and standing.inspection is not None and standing.inspection.state == "reprovada":
        return Step(code, label, "stopped", standing.inspection.on, f"Reprovada{_on(standing.inspection.on)}")
    if is_done(standing, code) and (code != "decisao" or standing.state in ENDED):
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


def _tell(label: str) -> str:
    return f"Responder: {label}" if label.endswith("?") else f"Informar: {label}"


def _next_step(standing: Standing, shown: Shown) -> NextStep | None:
    match shown:
        case "rascunho":
            if standing.lacking:
                return NextStep("fill", _tell(standing.lacking[0]), "facts")
            return NextStep("file", "Protocolar", "filing")
        case "aguarda_pagamento":
            unpaid = [each for each in standing.charges if each.paid_on is None]
            return NextStep("pay", f"Receber {unpaid[0].label}" if unpaid else "Receber a taxa", "charges")
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
    new = len(unread(standing))
    if new:
        return NextStep("review", f"Conferir {new} documento{'s' if new > 1 else ''}", "documents")
    left = impeding(standing)
    if left and not absent(standing) and all(each.outcome == "refer" for each in left):
        return NextStep("refer", f"Encaminhar: {left[0].rule}", "findings")
    if left and not absent(standing) and not for_applicant(left):
        wanted = next((each for each in left if each.missing), None)
        if wanted is None:
            return NextStep("review", left[0].summary, left[0].mend_at or "findings")
        return NextStep("indexes", f"Cadastrar {wanted.missing[0]}", "findings")
    count = len(for_applicant(left)) + len(absent(standing))
    what = f"{count} apontamento{'s' if count > 1 else ''}"
    return NextStep("exigencia", f"Registrar exigência: {what}", "findings")
