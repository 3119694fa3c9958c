"""Log in, log out, choose a password by a link."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for

from registry.domain.text import format_date, format_hour
from registry.services import invitations, users
from registry.services.errors import Refused
from registry.web import htmx
from registry.web.access import access, load_staff
from registry.web.edge import db, desk, instant, is_staff, limiter, perform, rate, session, settings, trace_id
from registry.web.errors import show
from registry.web.login import session as sessions
from registry.web.login.forms import ChooseForm, LogInForm

blueprint = Blueprint("login", __name__)
ORIGIN_ONLY = "strict-origin"
"""The referrer of a page whose address is a secret: the host alone, which the check of forms over HTTPS needs."""


@blueprint.get("/entrar")
@access.public
def form() -> Response:
    """The log-in form; whoever is logged in already goes on."""
    back = sessions.back_to(request.args.get("volta"))
    if is_staff():
        return make_response(redirect(back or url_for("home.page"), 303))
    return show_form(200, back=back, ended="terminou" in request.args, chosen="senha" in request.args)


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


@blueprint.route("/convite/<secret>", methods=["GET", "POST"])
@limiter.limit(rate("login"))
@access.public
def choose(secret: str) -> Response:
    """Where the invited choose a password. Opening it uses nothing up: only the sent form does."""
    try:
        found = invitations.read(session(), desk(), secret, instant())
        form = ChooseForm()
        if request.method == "POST" and form.validate():
            db.session.remove()
            invitations.accept(desk(), secret, str(form.password.data), instant(), trace_id())
            return htmx.go(url_for("login.form", senha=1))
    except invitations.LinkUnusable:
        return show(404, "Este link não vale mais", invitations.UNUSABLE)
    except Refused as refused:
        form.take(refused)
    status = 422 if request.method == "POST" else 200
    until = found.expires_at.astimezone(desk().authority(found.authority).zone)
    told = {"form": form, "found": found, "secret": secret, "failed": status == 422}
    told["until"] = f"{format_date(until.date())}, {format_hour(until)}"
    return make_response(render_template("login/choose.html", **told), status)


@blueprint.after_request
def keep_links_secret(response: Response) -> Response:
    """A link's address is a secret: no cache keeps its page, no request tells more of it than the host."""
    if request.endpoint == "login.choose":
        response.headers["Cache-Control"] = "no-store"
        response.headers["Referrer-Policy"] = ORIGIN_ONLY
        response.headers["X-Robots-Tag"] = "noindex"
    return response


def show_form(status: int, *, back: str = "", draft: str = "", ended: bool = False, chosen: bool = False) -> Response:
    """The empty log-in form, which keeps where to return and the draft of a form whose session ended."""
    blank = LogInForm(formdata=None, back=back, draft=draft)
    return _page(blank, status, ended=ended, chosen=chosen)


def _again(typed: LogInForm, status: int) -> Response:
    """The form once more: the name stays, the password never does."""
    return _page(typed, status, ended=bool(typed.draft.data))


def _page(form: LogInForm, status: int, *, ended: bool, chosen: bool = False) -> Response:
    body = render_template("login/page.html", form=form, ended=ended, chosen=chosen, failed=status == 422)
    response = make_response(body, status)
    response.headers["Cache-Control"] = "no-store"
    return response
