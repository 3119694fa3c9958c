"""Log in, log out."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for

from registry.services import users
from registry.web import htmx
from registry.web.access import access, load_staff
from registry.web.edge import db, desk, instant, is_staff, limiter, perform, rate, session, settings, trace_id
from registry.web.login import session as sessions
from registry.web.login.forms import LogInForm

blueprint = Blueprint("login", __name__)


@blueprint.get("/entrar")
@access.public
def form() -> Response:
    """The log-in form; whoever is logged in already goes on."""
    back = sessions.back_to(request.args.get("volta"))
    if is_staff():
        return make_response(redirect(back or url_for("home.page"), 303))
    return show_form(200, back=back, ended="terminou" in request.args)


@blueprint.post("/entrar")
@limiter.limit(rate("login"))
@access.public
def enter() -> Response:
    """Lets a user in and leads back; a form whose session had ended comes back as it was typed."""
    typed = LogInForm()
    back = sessions.back_to(typed.back.data)
    if not typed.validate():
        return _again(typed, 422)
    try:
        known = users.authenticate(desk(), str(typed.username.data), str(typed.password.data), instant(), trace_id())
    except users.LogInRefused as refused:
        typed.message = refused.message_pt
        return _again(typed, 422)
    db.session.remove()
    user = load_staff(session(), f"{known.id}:{known.epoch}", settings())
    if user is None:
        typed.message = "Este usuário é de um órgão que não usa mais este sistema."
        return _again(typed, 422)
    draft = sessions.unseal(str(typed.draft.data or ""))
    sessions.begin(user)
    if draft and draft.user == user.id:
        return make_response(render_template("login/resume.html", draft=draft, back=back))
    return htmx.go(back or url_for("home.page"))


@blueprint.post("/sair")
@access.staff
def leave() -> Response:
    """Ends the user's sessions, a copied cookie's too; what the browser kept goes as well."""
    perform(users.end_sessions)
    sessions.end()
    response = htmx.go(url_for("login.form"))
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


def show_form(status: int, *, back: str = "", draft: str = "", ended: bool = False) -> Response:
    """The empty log-in form, which keeps where to return and the draft of a form whose session ended."""
    blank = LogInForm(formdata=None, back=back, draft=draft)
    return _page(blank, status, ended=ended)


def _again(typed: LogInForm, status: int) -> Response:
    """The form once more: the name stays, the password never does."""
    return _page(typed, status, ended=bool(typed.draft.data))


def _page(form: LogInForm, status: int, *, ended: bool) -> Response:
    response = make_response(render_template("login/page.html", form=form, ended=ended, failed=status == 422), status)
    response.headers["Cache-Control"] = "no-store"
    return response
