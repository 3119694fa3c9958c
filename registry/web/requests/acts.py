"""Who has a request, and its end without a decision: take, pass on, send to the office, withdraw."""

from __future__ import annotations

from flask import Response, flash, url_for

from registry.domain.regime import Choice
from registry.services import offices
from registry.services.assignment import colleagues, pass_request, take_request
from registry.services.errors import AlreadyDone, Refused, Taken
from registry.services.requests import withdraw_request
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, perform, session, staff, today
from registry.web.requests.base import ONE, back_to, blueprint, page_for, tell_done
from registry.web.requests.forms import PassForm, ReasonForm, offer

TO_QUEUE = "0"


@blueprint.post(f"{ONE}/pegar")
@access("requests.edit")
def take(request_id: int) -> Response:
    """«Pegar para análise»; when someone was faster, the page says who."""
    try:
        perform(take_request, request_id)
        flash("O requerimento está com você.", "ok")
    except Taken as taken:
        flash(str(taken), "warn")
    except AlreadyDone as done:
        tell_done(done, "Pedido encerrado")
    return back_to(request_id)


@blueprint.route(f"{ONE}/passar", methods=["GET", "POST"])
@access("requests.edit")
def hand_over(request_id: int) -> Response:
    """Passes the request to a colleague, or back to the queue."""
    page = page_for(request_id)
    form = PassForm()
    others = [each for each in colleagues(session(), authority().code) if each.id != page.assigned_to]
    queue = [Choice(TO_QUEUE, "Devolver à fila, sem responsável")] if page.assigned_to is not None else []
    offer(form.to_user_id, [*(Choice(str(each.id), _named(each.id, each.name)) for each in others), *queue])
    if not form.is_submitted():
        return _pass_form(page, form)
    if not form.validate():
        return _pass_form(page, form, 422)
    chosen = str(form.to_user_id.data)
    try:
        perform(pass_request, request_id, None if chosen == TO_QUEUE else int(chosen), form.note.data or "")
    except Refused as refused:
        form.take(refused)
        return _pass_form(page, form, 422)
    except AlreadyDone as done:
        tell_done(done, "Pedido encerrado")
        return back_to(request_id)
    flash("O requerimento mudou de mãos.", "ok")
    return back_to(request_id)


@blueprint.post(f"{ONE}/enviar-para-decisao")
@access("requests.edit")
def to_office(request_id: int) -> Response:
    """Passes a request that is ready to whoever holds the deciding office today, the titular first."""
    page = page_for(request_id)
    holders = offices.holders(session(), authority().code, page.regime, page.office, today())
    if not holders:
        raise Refused(
            message=f"Ninguém está nomeado hoje para o cargo «{page.office_label}». Fale com a administração."
        )
    if page.outlook.shown != "pronto":
        raise Refused(message="Este pedido ainda não está pronto para decisão.")
    holder_id, name = holders[0]
    try:
        perform(pass_request, request_id, holder_id, "Para decisão")
        flash(f"Enviado para decisão: está com {name}.", "ok")
    except AlreadyDone as done:
        tell_done(done, "Pedido encerrado")
    return back_to(request_id)


@blueprint.route(f"{ONE}/desistencia", methods=["GET", "POST"])
@access("requests.edit")
def withdraw(request_id: int) -> Response:
    """Records that the applicant gives the request up, with the reason."""
    page = page_for(request_id)
    form = ReasonForm()
    if form.is_submitted() and form.validate():
        try:
            perform(withdraw_request, request_id, form.reason.data or "")
            flash("Desistência registrada.", "ok")
            return back_to(request_id)
        except Refused as refused:
            form.take(refused)
        except AlreadyDone as done:
            tell_done(done, "Desistência")
            return back_to(request_id)
    status = 422 if form.errors else 200
    return htmx.render("requests/withdraw.html", status=status, page=page, form=form, action=_here("withdraw", page.id))


def _pass_form(page: object, form: PassForm, status: int = 200) -> Response:
    return htmx.render("requests/pass.html", status=status, page=page, form=form)


def _named(user_id: int, name: str) -> str:
    return f"{name} (você)" if user_id == staff().id else name


def _here(view: str, request_id: int) -> str:
    return url_for(f"requests.{view}", request_id=request_id)
