"""Index values and closed days on screen. A value is never edited: a new one is entered by act, from a day on."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from flask import Blueprint, Response, abort, flash, request, url_for
from werkzeug.datastructures import MultiDict

from registry.domain.text import format_date
from registry.services import indexes as service
from registry.services.errors import Refused
from registry.services.indexes import IndexLine, Touched
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, perform, session, settings, today
from registry.web.indexes.forms import ClosureForm, ValueForm, value_form
from registry.web.shell import MenuEntry

blueprint = Blueprint("indexes", __name__, url_prefix="/indices")
MENU = (
    MenuEntry("indices", "Índices", "indexes.page", order=10),
    MenuEntry("indices", "Dias sem expediente", "indexes.closures", order=20),
)
ONE = "/valor/<key>"
TYPED = ("value", "since", "act")
_WEEKEND = (5, 6)


@blueprint.get("")
@access("indexes.view")
def page() -> Response:
    """Every value that acts set: what is in force, since when, by which act, who entered it, what comes next."""
    lines = service.index_page(session(), desk(), authority().code, today())
    regimes = {regime.plugin: regime.label for regime in desk().regimes_of(authority().code)}
    writers = {line.kind.key: _writer(line) for line in lines}
    return htmx.render("indexes/page.html", lines=lines, regimes=regimes, writers=writers)


@blueprint.get(ONE)
@access("indexes.view")
def one(key: str) -> Response:
    """One value with its history, and the form of a new one for whoever may enter it.

    ``?value=``, ``?since=`` and ``?act=`` stand in the form, which is where «Voltar e mudar» leads.
    """
    line = _line(key)
    return _show(line, _typed(line))


@blueprint.post(f"{ONE}/efeito")
@access("indexes.edit")
def effect(key: str) -> Response:
    """What the value being typed would move, while it is typed."""
    line = _line(key)
    form = value_form(line.kind.places)()
    good = form.check("value") and form.check("since")
    moved = _touched(line, form) if good else None
    for field in form:
        field.errors = ()
    return htmx.render("indexes/one.html", "indexes/_effect.html", moved=moved, **_about(line, form))


@blueprint.post(f"{ONE}/confira")
@access("indexes.edit")
def check(key: str) -> Response:
    """Leads to the page that repeats the value, once it is in order."""
    line = _line(key)
    form = value_form(line.kind.places)()
    if not form.validate():
        return _show(line, form, 422)
    kept: dict[str, Any] = _kept(form)
    return htmx.go(url_for("indexes.confirm", key=key, **kept))


@blueprint.get(f"{ONE}/confira")
@access("indexes.edit")
def confirm(key: str) -> Response:
    """Repeats the value of ``?value=``, ``?since=`` and ``?act=`` and what it moves; nothing is saved yet."""
    line = _line(key)
    form = _typed(line)
    return _confirm(line, form) if form.validate() else _show(line, form, 422)


@blueprint.post(ONE)
@access("indexes.edit")
def enter(key: str) -> Response:
    """Enters the value."""
    line = _line(key)
    form = value_form(line.kind.places)()
    if not form.validate():
        return _show(line, form, 422)
    args = (key, form.since.data, form.value.data, str(form.act.data))
    try:
        perform(service.enter_index_value, *args, confirmed=bool(form.since_confirmed.data))
    except Refused as refused:
        form.take(refused)
        return _confirm(line, form, 422) if refused.confirm else _show(line, form, 422)
    flash(f"{line.kind.label}: novo valor a partir de {format_date(form.since.data)}.", "ok")
    return htmx.go(url_for("indexes.one", key=key))


@blueprint.get("/dias")
@access("indexes.view")
def closures() -> Response:
    """The closed days by act, and the days of the calendar until the end of next year."""
    return _show_closures(ClosureForm(formdata=None))


@blueprint.post("/dias")
@access("indexes.edit")
def close() -> Response:
    """Closes a day, by act."""
    form = ClosureForm()
    if not form.validate():
        return _show_closures(form, 422)
    try:
        perform(service.close_day, form.day.data, str(form.name.data), str(form.act.data))
    except Refused as refused:
        form.take(refused)
        return _show_closures(form, 422)
    flash(f"{format_date(form.day.data)}: dia sem expediente.", "ok")
    return htmx.go(url_for("indexes.closures"))


def _line(key: str) -> IndexLine:
    lines = service.index_page(session(), desk(), authority().code, today())
    found = next((line for line in lines if line.kind.key == key), None)
    if found is None:
        abort(404)
    return found


def _writer(line: IndexLine) -> str:
    """Who entered the value in force; "" where it is the decree's own."""
    return next((entry.by for entry in line.entries if entry.in_force), "")


def _kept(form: ValueForm) -> dict[str, str]:
    """What was typed, as the address of «Confira» carries it."""
    return {name: form[name]._value() for name in TYPED}


def _typed(line: IndexLine) -> ValueForm:
    """The form with what the address carries; empty without it."""
    given = MultiDict({name: request.args[name] for name in TYPED if name in request.args})
    return value_form(line.kind.places)(formdata=given or None, meta={"csrf": False})


def _touched(line: IndexLine, form: ValueForm) -> Touched:
    args = (line.kind.key, form.since.data, form.value.data, today())
    return service.touched(session(), desk(), authority().code, *args)


def _about(line: IndexLine, form: ValueForm) -> dict[str, Any]:
    regimes = {regime.plugin: regime.label for regime in desk().regimes_of(authority().code)}
    return {
        "line": line,
        "form": form,
        "regime_label": regimes.get(line.plugin, ""),
        "writer": _writer(line),
        "today": today(),
        "editors": [settings().roles[role] for role in settings().permissions["indexes.edit"]],
    }


def _show(line: IndexLine, form: ValueForm, status: int = 200) -> Response:
    return htmx.render("indexes/one.html", status=status, moved=None, **_about(line, form))


def _confirm(line: IndexLine, form: ValueForm, status: int = 200) -> Response:
    """The page that repeats the value; a first day in the past, or one that has a value, is vouched for."""
    taken = next((each for each in line.entries if each.since == form.since.data and not each.replaced), None)
    past = form.since.data is not None and form.since.data < today()
    moved = _touched(line, form)
    return htmx.render(
        "indexes/check.html",
        status=status,
        moved=moved,
        past=past,
        taken=taken,
        must_confirm=past or taken is not None,
        kept=_kept(form),
        **_about(line, form),
    )


def _show_closures(form: ClosureForm, status: int = 200) -> Response:
    calendar = desk().calendar(session(), authority().code)
    by_act = service.closures(session(), authority().code)
    acts = {each.day for each in by_act}
    days = (today() + timedelta(days=ahead) for ahead in range((date(today().year + 1, 12, 31) - today()).days + 1))
    coming = [
        (day, why)
        for day in days
        if day.weekday() not in _WEEKEND and day not in acts and (why := calendar.why_closed(day))
    ]
    return htmx.render(
        "indexes/closures.html",
        "indexes/_closures.html",
        status=status,
        form=form,
        by_act=by_act,
        coming=coming,
        today=today(),
    )
