"""What is asked of others: exigência born from findings, referral, proposal of refusal, and how each ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Response, abort, flash, url_for

from registry.domain.regime import Choice
from registry.domain.text import format_date
from registry.services import waits as service
from registry.services.errors import AlreadyDone, Refused
from registry.services.request_view import RequestPage
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import perform
from registry.web.requests.base import ONE, back_to, blueprint, page_for, tell_done
from registry.web.requests.forms import AnswerForm, TextForm, offer

_OUTCOMES = {
    "exigencia": (
        Choice("respondida", "Respondida: o requerente apresentou o que faltava"),
        Choice("não respondida", "Não respondida no prazo"),
    ),
    "referral": (Choice("respondido", "Respondido"), Choice("devolvido", "Devolvido sem resposta")),
    "proposal": (Choice("devolvida", "Devolvida à análise"),),
    "return": (Choice("respondida", "Respondida: o pedido volta a quem decide"),),
}


@dataclass(frozen=True)
class Asking:
    """One kind of text: its heading, the field's label and hint, the button's act, what is said when it is done."""

    title: str
    label: str
    hint: str
    act: str
    done: str
    service: Callable[..., int]


_EXIGENCIA = Asking(
    "Registrar exigência",
    "O que o requerente deve apresentar ou corrigir",
    "Já vem escrita com o que impede o deferimento. Confira e mude o que quiser: este texto vai para o requerente.",
    "Registrar exigência",
    "Exigência registrada. Resposta até {due}.",
    service.open_exigencia,
)
_REFERRAL = Asking(
    "Encaminhar",
    "O que se pergunta, e a quem",
    "Para o caso que a lei não prevê, ou que ela deixa a outra autoridade.",
    "Encaminhar",
    "Caso encaminhado.",
    service.refer_request,
)
_PROPOSAL = Asking(
    "Propor indeferimento",
    "Motivo",
    "O texto vai para o processo. Quem decide vê a proposta e decide como entender.",
    "Propor indeferimento",
    "Indeferimento proposto. O pedido está pronto para decisão.",
    service.propose_refusal,
)


@blueprint.route(f"{ONE}/exigencia", methods=["GET", "POST"])
@access("requests.analyse")
def ask(request_id: int) -> Response:
    """The exigência, written from the findings and editable before it is sent."""
    return _asked(request_id, _EXIGENCIA)


@blueprint.route(f"{ONE}/encaminhar", methods=["GET", "POST"])
@access("requests.analyse")
def refer(request_id: int) -> Response:
    """The referral of a case to whoever answers it."""
    return _asked(request_id, _REFERRAL)


@blueprint.route(f"{ONE}/propor-indeferimento", methods=["GET", "POST"])
@access("requests.analyse")
def propose(request_id: int) -> Response:
    """The proposal to refuse, which makes the request ready for decision."""
    return _asked(request_id, _PROPOSAL)


@blueprint.route(f"{ONE}/espera/<int(max=2147483647):wait_id>", methods=["GET", "POST"])
@access("requests.analyse")
def answer(request_id: int, wait_id: int) -> Response:
    """How an open item ended."""
    page = page_for(request_id)
    wait = next((each for each in page.waits if each.id == wait_id), None)
    if wait is None:
        abort(404)
    if wait.closed_at is not None:
        tell_done(AlreadyDone(wait.outcome, "", wait.closed_at), wait.label)
        return back_to(request_id)
    form = AnswerForm()
    offer(form.outcome, _OUTCOMES[wait.kind])
    if not form.is_submitted():
        return htmx.render("requests/answer.html", page=page, wait=wait, form=form)
    if not form.validate():
        return htmx.render("requests/answer.html", status=422, page=page, wait=wait, form=form)
    try:
        perform(service.close_wait, wait_id, str(form.outcome.data), form.note.data or "")
        flash(f"{wait.label}: resultado registrado.", "ok")
    except Refused as refused:
        form.take(refused)
        return htmx.render("requests/answer.html", status=422, page=page, wait=wait, form=form)
    except AlreadyDone as done:
        tell_done(done, wait.label)
    return back_to(request_id)


def _asked(request_id: int, asking: Asking) -> Response:
    page = page_for(request_id)
    if not page.editable or page.state == "rascunho":
        abort(404)
    drafted = page.exigencia.text if asking is _EXIGENCIA and page.exigencia else ""
    form = TextForm(data={"text": drafted})
    if not form.is_submitted():
        return _text_form(page, form, asking)
    if not form.validate():
        return _text_form(page, form, asking, 422)
    try:
        perform(asking.service, request_id, form.text.data or "")
    except Refused as refused:
        form.take(refused)
        return _text_form(page, form, asking, 422)
    except AlreadyDone as done:
        tell_done(done, asking.title)
        return back_to(request_id)
    due = format_date(page.exigencia.due_on) if page.exigencia else ""
    flash(asking.done.format(due=due), "ok")
    return back_to(request_id)


def _text_form(page: RequestPage, form: TextForm, asking: Asking, status: int = 200) -> Response:
    form.text.label.text = asking.label
    names = {_EXIGENCIA.title: "ask", _REFERRAL.title: "refer", _PROPOSAL.title: "propose"}
    context: dict[str, Any] = {
        "page": page,
        "form": form,
        "asking": asking,
        "action": url_for(f"requests.{names[asking.title]}", request_id=page.id),
        "term": page.exigencia if asking is _EXIGENCIA else None,
    }
    return htmx.render("requests/text.html", status=status, **context)
