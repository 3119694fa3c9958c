"""The card «Próximo passo»: one act, its explanation and who may do it; what stands before the decision; other ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flask import url_for

from registry.domain.sentences import join_words
from registry.domain.text import format_money
from registry.services.request_view import RequestPage
from registry.web.edge import settings, staff
from registry.web.formats import plural
from registry.web.requests.forms import FACT
from registry.web.shell import has_endpoint

_TELL = "Informe "
How = Literal["link", "post", "form", ""]
_FIELDS = {
    "tipo de requerente": "#holder_kind",
    "requerente": "#document",
    "cooperativa": "#cooperative_document",
    "categoria": "#category",
    "veículo": "#plate",
}
_SECTIONS = {
    "facts": "#dados",
    "documents": "#documentos",
    "charges": "#taxas",
    "inspection": "#vistoria",
    "waits": "#espera",
    "vehicle": "#apontamentos",
    "holder": "#apontamentos",
    "findings": "#apontamentos",
}


@dataclass(frozen=True)
class Way:
    """A link with its label and, below it, a note."""

    label: str
    address: str
    note: str = ""


@dataclass(frozen=True)
class NextCard:
    """The next step. ``how``: a link, a POST, the data form's own button, or "" where ``text`` says who does it."""

    title: str
    text: str = ""
    how: How = ""
    label: str = ""
    address: str = ""
    missing: tuple[Way, ...] = ()


def next_card(page: RequestPage) -> NextCard | None:
    """The one next step of the request for this user; None when it has ended."""
    step = page.outlook.next_step
    if step is None:
        return None
    makers = {
        "fill": _fill,
        "file": _file,
        "pay": _pay,
        "book": _book,
        "inspect": _inspect,
        "take": _take,
        "review": _review,
        "refer": _refer,
        "exigencia": _ask,
        "answer_exigencia": _answer,
        "close_exigencia": _answer,
        "close_referral": _answer,
        "answer_return": _answer,
        "indexes": _indexes,
        "decide": _decide,
    }
    return makers.get(step.act, _any)(page)


def obstacles(page: RequestPage) -> tuple[Way, ...]:
    """What stands before granting, each with the part of the page that mends it; nothing before it is filed."""
    if page.state not in ("protocolado", "em_analise"):
        return ()
    return tuple(Way(each.text, _SECTIONS.get(each.section, "#apontamentos")) for each in page.outlook.obstacles)


def other_ways(page: RequestPage) -> tuple[Way, ...]:
    """What else may be done with the request now."""
    ways = []
    filed = page.state in ("protocolado", "em_analise")
    open_kinds = {wait.kind for wait in page.waits if wait.closed_at is None}
    if filed and staff().may("requests.analyse"):
        if "proposal" not in open_kinds:
            ways.append(Way("Propor indeferimento", url_for("requests.propose", request_id=page.id)))
        if "referral" not in open_kinds:
            note = "Caso que a lei não prevê (omisso)"
            ways.append(Way("Encaminhar a quem responde", url_for("requests.refer", request_id=page.id), note))
        if page.exigencia is not None and page.outlook.next_step and page.outlook.next_step.act != "exigencia":
            ways.append(Way("Registrar exigência", url_for("requests.ask", request_id=page.id)))
    if filed and has_endpoint("decisions.page") and page.outlook.shown != "pronto":
        ways.append(Way("Abrir a decisão", url_for("decisions.page", request_id=page.id)))
    if page.editable and staff().may("requests.edit"):
        label = "Registrar desistência" if filed else "Descartar o rascunho"
        ways.append(Way(label, url_for("requests.withdraw", request_id=page.id)))
    return tuple(ways)


def _able(permission: str) -> str:
    """The roles that a permission opens, as a sentence's subject: «Tesouraria», «Analista ou Diretor»."""
    roles = settings().permissions.get(permission, ())
    return join_words([settings().roles.get(role, role) for role in roles])


def _only(permission: str, does: str) -> str:
    return f"Quem {does}: {_able(permission)}."


def _fill(page: RequestPage) -> NextCard:
    lacks = [each.text for each in page.outlook.obstacles if each.section == "facts"]
    names = [text.removeprefix(_TELL) for text in lacks if text.startswith(_TELL)]
    missing = tuple(Way(name, _field_of(page, name)) for name in names)
    if not staff().may("requests.edit"):
        return NextCard("Preencher o pedido", _only("requests.edit", "preenche"), missing=missing)
    return NextCard(
        "Preencher o pedido",
        "O rascunho fica guardado. Para protocolar, falta informar:",
        "form",
        "Gravar rascunho",
        missing=missing,
    )


def _field_of(page: RequestPage, name: str) -> str:
    """The field of the form that a lacking thing is told in."""
    if name in _FIELDS:
        return _FIELDS[name]
    labels = {line.field.label.lower(): line.field.name for line in page.fields}
    fact = labels.get(name.lower())
    return f"#{FACT}{fact}" if fact else "#dados"


def _file(page: RequestPage) -> NextCard:
    text = "O pedido recebe número e prazo. Documentos podem chegar depois."
    if not staff().may("requests.edit"):
        return NextCard("Protocolar o pedido", _only("requests.edit", "protocola"))
    if page.findings.impeding:
        left = plural(len(page.findings.impeding), "apontamento", "apontamentos")
        text += f" Até o deferimento, falta resolver {left}."
    return NextCard("Protocolar o pedido", text, "form", "Protocolar")


def _pay(page: RequestPage) -> NextCard:
    owed = [fee for fee in page.fees if fee.paid_on is None]
    total = sum(fee.amount.amount - fee.paid for fee in owed if fee.amount is not None)
    what = join_words([fee.label for fee in owed])
    text = f"{what}: {format_money(total)} hoje." if total else f"{what}."
    if not staff().may("charges.receive"):
        text = f"{text} {_only('charges.receive', 'recebe')}"
    if has_endpoint("treasury.request"):
        address = url_for("treasury.request", request_id=page.id)
        label = "Receber a taxa" if staff().may("charges.receive") else "Pedir pagamento"
        return NextCard(label, text, "link", label, address)
    return NextCard("Esperar o pagamento", text)


def _book(page: RequestPage) -> NextCard:
    failed = page.inspection is not None and page.inspection.state == "reprovada"
    title = "Marcar nova vistoria" if failed else "Marcar a vistoria"
    if has_endpoint("inspections.book"):
        address = url_for("inspections.book", request_id=page.id)
        return NextCard(title, "Escolha dia, hora e lugar.", "link", "Marcar vistoria", address)
    return NextCard(title, _only("inspections.book", "marca"))


def _inspect(page: RequestPage) -> NextCard:
    title = _label(page)
    if page.inspection is not None and has_endpoint("inspections.page"):
        address = url_for("inspections.page", inspection_id=page.inspection.id)
        label = "Abrir a vistoria" if not staff().may("inspections.record") else "Registrar a vistoria"
        return NextCard(title, "", "link", label, address)
    return NextCard(title, _only("inspections.record", "registra"))


def _take(page: RequestPage) -> NextCard:
    if not staff().may("requests.analyse"):
        return NextCard("Esperar a análise", _only("requests.analyse", "analisa"))
    if page.assigned_to is not None and page.assigned_to != staff().id:
        return NextCard("Começar a análise", f"O pedido está com {page.assigned_name}.")
    address = url_for("requests.take", request_id=page.id)
    return NextCard("Começar a análise", "O pedido fica com você.", "post", "Pegar para análise", address)


def _review(page: RequestPage) -> NextCard:
    waiting = [line for line in page.documents if line.status == "enviado"]
    if not waiting:
        return _any(page)
    title = f"Conferir {plural(len(waiting), 'documento', 'documentos')}"
    if not staff().may("requests.analyse"):
        return NextCard(title, _only("requests.analyse", "confere"))
    address = url_for("requests.page", request_id=page.id, documento=waiting[0].code, _anchor="documentos")
    return NextCard(title, f"O primeiro é «{waiting[0].label}».", "link", title, address)


def _indexes(page: RequestPage) -> NextCard:
    title = _label(page)
    text = "Sem este valor a regra não responde."
    if has_endpoint("indexes.page"):
        return NextCard(title, text, "link", "Abrir índices", url_for("indexes.page"))
    return NextCard(title, f"{text} {_only('indexes.edit', 'cadastra')}")


def _any(page: RequestPage) -> NextCard:
    return NextCard(_label(page))


def _label(page: RequestPage) -> str:
    return page.outlook.next_step.label if page.outlook.next_step else ""


def _refer(page: RequestPage) -> NextCard:
    title = _label(page)
    if not staff().may("requests.analyse"):
        return NextCard(title, _only("requests.analyse", "encaminha"))
    address = url_for("requests.refer", request_id=page.id)
    return NextCard(title, "A lei deixa este ponto a outra autoridade.", "link", "Encaminhar", address)


def _ask(page: RequestPage) -> NextCard:
    title = "Pedir o que falta ao requerente"
    if not staff().may("requests.analyse"):
        return NextCard(title, _only("requests.analyse", "registra a exigência"))
    count = page.exigencia.count if page.exigencia else 0
    born = f"A exigência já vem escrita com {plural(count, 'apontamento', 'apontamentos')}. " if count else ""
    address = url_for("requests.ask", request_id=page.id)
    return NextCard(title, f"{born}Você confere antes de enviar.", "link", "Registrar exigência", address)


def _answer(page: RequestPage) -> NextCard:
    wait = next((each for each in page.waits if each.closed_at is None and each.kind != "proposal"), None)
    title = _label(page)
    if wait is None or not staff().may("requests.analyse"):
        return NextCard(title, _only("requests.analyse", "registra a resposta"))
    address = url_for("requests.answer", request_id=page.id, wait_id=wait.id)
    return NextCard(title, "", "link", "Registrar a resposta", address)


def _decide(page: RequestPage) -> NextCard:
    proposed = any(wait.kind == "proposal" and wait.closed_at is None for wait in page.waits)
    text = "Há proposta de indeferimento." if proposed else "Nada impede o deferimento."
    if staff().may("requests.decide") and has_endpoint("decisions.page"):
        return NextCard("Decidir", text, "link", "Abrir a decisão", url_for("decisions.page", request_id=page.id))
    text = f"{text} Quem decide: {page.office_label}."
    if not staff().may("requests.edit") or page.assigned_to not in (None, staff().id):
        return NextCard("Esperar a decisão", text)
    address = url_for("requests.to_office", request_id=page.id)
    return NextCard("Enviar para decisão", text, "post", "Enviar para decisão", address)
