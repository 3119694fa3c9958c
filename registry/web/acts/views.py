"""Acts of the authority: the list, one with everything that rests on it, a new one, a wrong one put right or ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, abort, flash, make_response, request, send_file, url_for

from registry.domain.acts import ACT_KINDS, parse_act
from registry.services import acts as service
from registry.services.act_pages import ActPage, act_page, open_act_file
from registry.services.acts import STATES, ActFile, ActInput, ActLine
from registry.services.errors import AlreadyDone, Refused, TooBig
from registry.web import htmx
from registry.web.access import access
from registry.web.acts import naming
from registry.web.acts.forms import ActForm, CorrectForm, EndForm
from registry.web.edge import authority, desk, perform, session, settings
from registry.web.errors import done_text
from registry.web.fields import RegistryForm
from registry.web.paging import in_order, list_view, order_of, page_number, page_of, quoted
from registry.web.requests.papers import FILE_POLICY
from registry.web.returning import RETURN, way_back
from registry.web.shell import MenuEntry
from registry.web.spreadsheet import CHUNK, sheet

blueprint = Blueprint("acts", __name__, url_prefix="/indices/atos")
blueprint.record_once(naming.give)
MENU = (MenuEntry("indices", "Atos", "acts.index", order=30),)
ONE = "/<int(max=2147483647):act_id>"
ORDERS: dict[str, Callable[[ActLine], Any]] = {
    "data": lambda line: (line.day, line.id),
    "ato": lambda line: (line.kind_label, line.name.rpartition("/")[2], len(line.name), line.name),
}
_MIB = 1024 * 1024


@blueprint.get("")
@access("acts.view")
def index() -> Response:
    """The list: ``?q=`` words, ``?tipo=``, ``?situacao=encerrados``, ``?ordem=``, ``?page=``."""
    typed, kind, state = _filters()
    found = in_order(_found(), order_of(ORDERS), ORDERS)
    chips = {"q": quoted(typed), "tipo": ACT_KINDS.get(kind, ""), "situacao": STATES[state] if state else ""}
    return htmx.render(
        "acts/index.html",
        "acts/_results.html",
        lines=page_of(found, page_number()),
        total=len(found),
        number=page_number(),
        view=list_view(chips, default="-data", export="acts.export"),
        kinds=ACT_KINDS,
        states=STATES,
        chosen={"q": typed, "tipo": kind, "situacao": state},
    )


@blueprint.get("/planilha.csv")
@access("acts.view")
def export() -> Response:
    """What the list shows with its filters, as a table for a spreadsheet."""
    found = in_order(_found(), order_of(ORDERS), ORDERS)
    columns: dict[str, Callable[[ActLine], Any]] = {
        "Ato": lambda line: line.name,
        "Data": lambda line: line.day,
        "Publicação": lambda line: line.gazette,
        "Resumo": lambda line: line.summary,
        "Arquivo": lambda line: "sim" if line.file_id else "não",
        "Situação": lambda line: "Encerrado" if line.ended_at else "Em vigor",
    }
    _, kind, state = _filters()
    read = lambda number: found[(number - 1) * CHUNK : number * CHUNK]  # noqa: E731
    return sheet("atos", columns, read, {"tipo": kind, "situacao": state})


@blueprint.get("/novo")
@access("acts.edit")
def new() -> Response:
    """The form; ``?ato=Portaria 112/2026`` stands in it, ``?volta=`` is the page that sent here."""
    named = parse_act(request.args.get("ato", ""), (authority().code, authority().short_name))
    known = {"kind": named.kind, "number": named.number} if named else {}
    if not named and request.args.get("ato", "").strip():
        known = {"kind": "outro", "number": request.args["ato"].strip()[:64]}
    return _form_page(ActForm(formdata=None, data=known))


@blueprint.post("/novo")
@access("acts.edit")
def enter() -> Response:
    """Enters the act."""
    form = ActForm()
    try:
        if not form.validate():
            return _form_page(form, status=422)
        made = perform(service.enter_act, _given(form), _file())
    except Refused as refused:
        form.take(refused)
        return _form_page(form, status=413 if isinstance(refused, TooBig) else 422)
    flash("Ato cadastrado.", "ok")
    return htmx.go(way_back() or url_for("acts.page", act_id=made))


@blueprint.get(ONE)
@access("acts.view")
def page(act_id: int) -> Response:
    """An act with everything that rests on it."""
    return htmx.render("acts/page.html", found=_page(act_id))


@blueprint.get(f"{ONE}/arquivo")
@access("acts.view")
def file(act_id: int) -> Response:
    """The act's PDF."""
    opened = open_act_file(session(), desk(), authority().code, act_id)
    response = make_response(send_file(opened.path, mimetype=opened.media_type, download_name=opened.name))
    response.headers["Content-Security-Policy"] = FILE_POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    response.headers["Cache-Control"] = "private, max-age=300"
    return response


@blueprint.get(f"{ONE}/corrigir")
@access("acts.edit")
def correct(act_id: int) -> Response:
    """The form of the right act, filled with what the wrong one says."""
    found = _page(act_id)
    line = found.line
    number = line.name.rpartition(" nº ")[2] if line.kind != "outro" else line.name
    known = {"kind": line.kind, "number": number, "day": line.day, "gazette": line.gazette, "summary": line.summary}
    return _form_page(CorrectForm(formdata=None, data=known), found)


@blueprint.post(f"{ONE}/corrigir")
@access("acts.edit")
def enter_right(act_id: int) -> Response:
    """Ends the wrong act and enters the right one."""
    form = CorrectForm()
    try:
        if not form.validate():
            return _form_page(form, _page(act_id), 422)
        made = perform(service.correct_act, act_id, _given(form), str(form.reason.data), _file())
    except Refused as refused:
        form.take(refused)
        return _form_page(form, _page(act_id), 413 if isinstance(refused, TooBig) else 422)
    except AlreadyDone as done:
        flash(done_text(done), "info")
        return htmx.go(url_for("acts.page", act_id=act_id))
    flash("Ato corrigido. O errado fica guardado, encerrado.", "ok")
    return htmx.go(url_for("acts.page", act_id=made))


@blueprint.get(f"{ONE}/encerrar")
@access("acts.edit")
def end(act_id: int) -> Response:
    """What is asked before an act that does not exist is ended."""
    return _end_page(EndForm(formdata=None), _page(act_id))


@blueprint.post(f"{ONE}/encerrar")
@access("acts.edit")
def end_it(act_id: int) -> Response:
    """Ends the act; nothing takes its place."""
    form = EndForm()
    try:
        if not form.validate():
            return _end_page(form, _page(act_id), 422)
        perform(service.end_act, act_id, str(form.reason.data))
    except Refused as refused:
        form.take(refused)
        return _end_page(form, _page(act_id), 422)
    except AlreadyDone as done:
        flash(done_text(done), "info")
        return htmx.go(url_for("acts.page", act_id=act_id))
    flash("Ato encerrado.", "ok")
    return htmx.go(url_for("acts.page", act_id=act_id))


def _filters() -> tuple[str, str, str]:
    """The words, kind and state of the address; a kind or state that is none is no page (404)."""
    typed, kind, state = (request.args.get(name, "") for name in ("q", "tipo", "situacao"))
    if (kind and kind not in ACT_KINDS) or state not in STATES:
        abort(404)
    return typed.strip(), kind, state


def _found() -> list[ActLine]:
    return service.find_acts(session(), authority().code, *_filters())


def _page(act_id: int) -> ActPage:
    return act_page(session(), desk(), authority().code, act_id)


def _given(form: ActForm) -> ActInput:
    kind, number = str(form.kind.data), str(form.number.data)
    assert form.day.data is not None
    return ActInput(kind, number, form.day.data, str(form.gazette.data or ""), str(form.summary.data or ""))


def _file() -> ActFile | None:
    sent = request.files.get("file")
    return ActFile(sent.stream, sent.filename) if sent is not None and sent.filename else None


def _form_page(form: RegistryForm, found: ActPage | None = None, status: int = 200) -> Response:
    """The form of a new act, or of the right one in the place of ``found``."""
    if status != 200 and _file() is not None:
        form.message = " ".join(filter(None, (form.message, "Escolha o arquivo de novo: ele não foi guardado.")))
    context: dict[str, Any] = {"limit": settings().upload_limit // _MIB, "back": way_back(), "RETURN": RETURN}
    return htmx.render("acts/form.html", status=status, form=form, found=found, **context)


def _end_page(form: EndForm, found: ActPage, status: int = 200) -> Response:
    return htmx.render("acts/end.html", status=status, form=form, found=found)
