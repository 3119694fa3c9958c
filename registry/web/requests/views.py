"""The list of requests, a new one, and the page of one."""

from __future__ import annotations

from typing import Any

from flask import Response, abort, flash, request, url_for

from registry.domain.workflow import SHOWN_LABELS
from registry.services import worklist
from registry.services.errors import NotFound, Refused
from registry.services.request_stub import request_stub
from registry.services.requests import open_request
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, occasion, perform, session, today
from registry.web.formats import due
from registry.web.paging import list_view, order_of, page_number, quoted
from registry.web.requests import acts, fill, papers, protocol, waits
from registry.web.requests.base import ONE, asked, blueprint, page_for, show
from registry.web.requests.forms import NewForm
from registry.web.shell import MenuEntry
from registry.web.spreadsheet import CHUNK, REQUESTS, sheet

__all__ = ["MENU", "acts", "blueprint", "fill", "papers", "protocol", "waits"]

MENU = (MenuEntry("requerimentos", "Requerimentos", "requests.index", order=10),)


@blueprint.get("")
@access("requests.view")
def index() -> Response:
    """The list: ``?q=`` number, plate, CPF, CNPJ or name, ``?regime=``, ``?tipo=``, ``?situacao=``, ``?ordem=``,
    ``?page=``.
    """
    filters, regimes = _filters(), desk().regimes_of(authority().code)
    found = worklist.worklist(session(), desk(), occasion(), "todos", filters, page_number())
    chips = {
        "q": quoted(filters.text),
        "regime": next((each.short_label for each in regimes if each.code == filters.regime), ""),
        "tipo": _kinds().get(filters.kind, ""),
        "situacao": SHOWN_LABELS.get(filters.shown, ""),
    }
    return htmx.render(
        "requests/index.html",
        "requests/_results.html",
        found=found,
        filters=filters,
        regimes=regimes,
        kinds=_kinds(),
        view=list_view(chips, default="-pedido", export="requests.export"),
        states=SHOWN_LABELS,
        dues={line.id: _due(line) for line in found.lines},
        size=worklist.PAGE_SIZE,
    )


@blueprint.get("/planilha.csv")
@access("requests.view")
def export() -> Response:
    """What the list shows with its filters, as a table for a spreadsheet."""
    filters = _filters()
    return sheet(
        "requerimentos",
        REQUESTS,
        lambda number: worklist.work_lines(session(), desk(), occasion(), "todos", filters, number, CHUNK),
        {"q": filters.text, "regime": filters.regime, "tipo": filters.kind, "situacao": filters.shown},
    )


@blueprint.get("/novo")
@access("requests.edit")
def new() -> Response:
    """What is asked for; ``?document=`` and ``?plate=`` come along into the draft."""
    return _show_new(NewForm(data={"what": asked("what")}))


@blueprint.post("/novo")
@access("requests.edit")
def create() -> Response:
    """Opens the draft, which is filled in on its own page."""
    form = NewForm()
    form.offer(desk().regimes_of(authority().code))
    if not form.validate():
        return _show_new(form, 422)
    regime, _, kind = str(form.what.data).partition(":")
    chosen = desk().regime_of(authority().code, regime)
    links = {"category": chosen.categories[0].code} if len(chosen.categories) == 1 else {}
    try:
        request_id = perform(open_request, regime, kind, links=links | fill.known_links(chosen, kind, _brought()))
    except Refused:
        request_id = perform(open_request, regime, kind, links=links)
    return htmx.go(url_for("requests.page", request_id=request_id, **_brought()))


@blueprint.get(ONE)
@access("requests.view")
def page(request_id: int) -> Response:
    """The page of a request.

    ``?documento=`` opens a document's row in place (``&como=`` send, review or waive), ``?dados=1`` the form of a filed
    request; ``?document=``, ``?cooperative_document=`` and ``?plate=`` stand in the fields of a draft.
    """
    try:
        found = page_for(request_id)
    except NotFound:
        stub = request_stub(session(), desk(), authority().code, request_id)
        return htmx.render("requests/unavailable.html", stub=stub)
    typed = fill.typed_in_address(found)
    code, edits = asked("documento"), asked("dados") == "1"
    return show(found, form=typed, editing=edits, opened=code, opened_as=asked("como"), focus=bool(code))


def _show_new(form: NewForm, status: int = 200) -> Response:
    form.offer(desk().regimes_of(authority().code))
    if form.what.codes == {""}:
        flash("Este órgão não tem regime com requerimentos. Fale com a administração do sistema.", "warn")
    return htmx.render("requests/new.html", status=status, form=form, kept=_brought())


def _brought() -> dict[str, Any]:
    """The numbers that come along from a person's or a vehicle's page."""
    return {name: request.args[name] for name in ("document", "plate") if request.args.get(name)}


def _filters() -> worklist.Filters:
    """The filters of the address; one that names nothing here is no page (404)."""
    order = order_of(worklist.ORDERS)
    filters = worklist.Filters(asked("regime"), asked("tipo"), asked("situacao"), asked("q"), order)
    regimes = {each.code for each in desk().regimes_of(authority().code)}
    if not (_known(filters.regime, regimes) and _known(filters.kind, _kinds()) and _known(filters.shown, SHOWN_LABELS)):
        abort(404)
    return filters


def _kinds() -> dict[str, str]:
    regimes = desk().regimes_of(authority().code)
    return {kind.code: kind.label for regime in regimes for kind in regime.request_kinds}


def _known(value: str, values: Any) -> bool:
    return not value or value in values


def _due(line: worklist.WorkLine) -> Any:
    return due(line.due_on, today(), desk().calendar(session(), authority().code, line.regime)) if line.regime else None
