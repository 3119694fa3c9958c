"""Users of the authority and the plugins of the installation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, abort, flash, make_response, request, url_for
from flask import session as cookie

from registry.domain.regime import Choice
from registry.domain.text import fold, format_date
from registry.plugins.host import installed_plugins
from registry.services import invitations
from registry.services import users as service
from registry.services.errors import Refused
from registry.services.users import UserLine
from registry.web import htmx
from registry.web.access import access
from registry.web.admin.forms import AppointForm, EndForm, NewUserForm, RolesForm
from registry.web.edge import authority, desk, edge, instant, now, perform, session, settings, staff, today
from registry.web.fields import RegistryForm
from registry.web.login.views import ORIGIN_ONLY
from registry.web.paging import address_of_page, page_number
from registry.web.shell import MenuEntry

blueprint = Blueprint("admin", __name__, url_prefix="/administracao")
MENU = (
    MenuEntry("administracao", "Usuários", "admin.users", order=10),
    MenuEntry("administracao", "Módulos", "admin.plugins", order=20),
)
ONE = "/usuarios/<int(max=2147483647):user_id>"
PAGE_SIZE = 20
_LINK = "link_of_user"


@blueprint.get("/usuarios")
@access("users.manage")
def users() -> Response:
    """The users of the authority: ``?q=`` a piece of the name or user name, ``?page=``."""
    typed = request.args.get("q", "")
    wanted = fold(typed).strip()
    everyone = service.users_of(session(), authority().code)
    found = [user for user in everyone if wanted in fold(user.name) or wanted in user.username]
    number, pages = page_number(), max(1, -(-len(found) // PAGE_SIZE))
    if number > pages:
        abort(404)
    return htmx.render(
        "admin/users.html",
        "admin/_users.html",
        lines=found[(number - 1) * PAGE_SIZE : number * PAGE_SIZE],
        links=_links(),
        q=typed,
        total=len(found),
        number=number,
        size=PAGE_SIZE,
        address=address_of_page(),
        **_words(),
    )


@blueprint.route("/usuarios/novo", methods=["GET", "POST"])
@access("users.manage")
def new() -> Response:
    """Enters a user, who chooses the password by the link that the next page shows."""
    form = NewUserForm()
    if request.method == "GET":
        return _show_new(form)
    if not form.validate():
        return _show_new(form, 422)
    try:
        made = perform(invitations.invite, str(form.username.data).strip(), str(form.name.data), form.roles.data or [])
    except Refused as refused:
        form.take(refused)
        return _show_new(form, 422)
    return _to_link(made)


@blueprint.get(ONE)
@access("users.manage")
def user(user_id: int) -> Response:
    """One user: roles, offices, password, access."""
    return _show(user_id)


@blueprint.post(f"{ONE}/perfis")
@access("users.manage")
def set_roles(user_id: int) -> Response:
    """Replaces the roles."""
    form = RolesForm()
    return _save(user_id, "roles_form", form, service.set_roles, lambda: (form.roles.data or [],), "Perfis gravados.")


@blueprint.post(f"{ONE}/link")
@access("users.manage")
def make_link(user_id: int) -> Response:
    """Makes a link by which the user chooses a password; the one before no longer holds."""
    form = RegistryForm()
    _user(user_id)
    if not form.validate():
        return _show(user_id, 422, link_form=form)
    try:
        return _to_link(perform(invitations.make_link, user_id))
    except Refused as refused:
        form.take(refused)
        return _show(user_id, 422, link_form=form)


@blueprint.get(f"{ONE}/link")
@access("users.manage")
def link(user_id: int) -> Response:
    """Shows the link that was just made, once; afterwards only that there is one."""
    found = _user(user_id)
    kept = cookie.pop(_LINK, None) or {}
    secret = kept.get("secret", "") if kept.get("user") == user_id else ""
    site = settings().site or request.host_url.rstrip("/")
    address = f"{site}{url_for('login.choose', secret=secret)}" if secret else ""
    response = make_response(htmx.render("admin/link.html", found=found, address=address, link=_links().get(user_id)))
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = ORIGIN_ONLY
    return response


@blueprint.post(f"{ONE}/link/cancelar")
@access("users.manage")
def cancel_link(user_id: int) -> Response:
    """Cancels the link."""
    return _save(user_id, "link_form", RegistryForm(), invitations.cancel, tuple, "O link não vale mais.")


@blueprint.post(f"{ONE}/acesso")
@access("users.manage")
def set_active(user_id: int) -> Response:
    """Closes or opens the access."""
    active = request.form.get("active") == "sim"
    said = "Acesso aberto." if active else "Acesso fechado. As sessões abertas deste usuário terminaram."
    return _save(user_id, "access_form", RegistryForm(), service.set_active, lambda: (active,), said)


@blueprint.post(f"{ONE}/nomear")
@access("users.manage")
def appoint(user_id: int) -> Response:
    """Gives the user an office from a day until a day, by act."""
    form = AppointForm()
    form.offer(_offices())

    def given() -> tuple[Any, ...]:
        regime, _, office = str(form.place.data).partition(":")
        return regime, office, form.since.data, form.until.data

    named = {"substitute": bool(form.substitute.data), "act": str(form.act.data or "")}
    return _save(user_id, "appoint_form", form, service.appoint, given, "Nomeação gravada.", named)


@blueprint.route(f"{ONE}/nomeacoes/<int(max=2147483647):appointment_id>", methods=["GET", "POST"])
@access("users.manage")
def end_appointment(user_id: int, appointment_id: int) -> Response:
    """Sets the last day of an appointment."""
    found = _user(user_id)
    held = next((each for each in found.offices if each.appointment_id == appointment_id), None)
    if held is None:
        abort(404)
    form = EndForm() if request.method == "POST" else EndForm(until=held.until or today())
    if request.method == "POST" and form.validate():
        try:
            perform(service.end_appointment, appointment_id, form.until.data)
        except Refused as refused:
            form.take(refused)
        else:
            flash(f"Nomeação até {format_date(form.until.data)}.", "ok")
            return htmx.go(url_for("admin.user", user_id=user_id))
    status = 422 if request.method == "POST" else 200
    return htmx.render("admin/end.html", status=status, found=found, held=held, form=form, **_words())


@blueprint.get("/modulos")
@access("plugins.view")
def plugins() -> Response:
    """The plugins in use, and those that are installed and not in use."""
    loaded = edge().host.plugins
    idle = [name for name in installed_plugins() if name not in loaded]
    labels = {code: each.short_name or each.name for code, each in settings().authorities.items()}
    used_by = {
        regime: [labels[code] for code, each in settings().authorities.items() if regime in each.regimes]
        for regime in edge().host.regimes
    }
    return htmx.render("admin/plugins.html", loaded=loaded, idle=idle, used_by=used_by)


def _save(
    user_id: int,
    which: str,
    form: RegistryForm,
    act: Callable[..., Any],
    given: Callable[[], tuple[Any, ...]],
    said: str,
    named: dict[str, Any] | None = None,
) -> Response:
    """One form of a user's page: saved and back to the page, or the page with what is wrong."""
    _user(user_id)
    if not form.validate():
        return _show(user_id, 422, **{which: form})
    try:
        perform(act, user_id, *given(), **(named or {}))
    except Refused as refused:
        fields = {"place" if name == "office" else name: text for name, text in refused.fields.items()}
        form.take(Refused(fields, refused.message))
        return _show(user_id, 422, **{which: form})
    flash(said, "ok")
    return htmx.go(url_for("admin.user", user_id=user_id))


def _to_link(made: invitations.Issued) -> Response:
    """To the page of a link that was made, which finds the secret in the session of who made it, once."""
    if made.secret:
        cookie[_LINK] = {"user": made.user_id, "secret": made.secret}
    return htmx.go(url_for("admin.link", user_id=made.user_id))


def _links() -> dict[int, invitations.Waiting]:
    return invitations.waiting(session(), authority().code, instant())


def _user(user_id: int) -> UserLine:
    found = next((each for each in service.users_of(session(), authority().code) if each.id == user_id), None)
    if found is None:
        abort(404)
    return found


def _offices() -> list[Choice]:
    regimes = desk().regimes_of(authority().code)
    return [
        Choice(f"{regime.code}:{office.code}", f"{office.label} ({regime.short_label})")
        for regime in regimes
        for office in regime.offices
    ]


def _words() -> dict[str, Any]:
    """What lists of users need to name roles and offices."""
    return {
        "roles": settings().roles,
        "offices": {each.code: each.label for each in _offices()},
        "today": today(),
        "now": now(),
    }


def _show_new(form: NewUserForm, status: int = 200) -> Response:
    return htmx.render("admin/new.html", status=status, form=form, **_words())


def _show(user_id: int, status: int = 200, **forms: RegistryForm) -> Response:
    found = _user(user_id)
    blank = AppointForm(formdata=None)
    blank.offer(_offices())
    shown: dict[str, RegistryForm] = {
        "roles_form": RolesForm(formdata=None, roles=list(found.roles)),
        "link_form": RegistryForm(formdata=None),
        "access_form": RegistryForm(formdata=None),
        "appoint_form": blank,
        **forms,
    }
    link, words = _links().get(user_id), _words()
    return htmx.render("admin/user.html", status=status, found=found, me=staff().id, link=link, **shown, **words)
