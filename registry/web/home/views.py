"""The home: the user's queues as tabs, today's inspections, what changes soon, what was opened last."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, flash, request, url_for

from registry.domain.workflow import SHOWN_LABELS
from registry.services import search, worklist
from registry.services.assignment import take_request
from registry.services.charge_pages import cash_of_day
from registry.services.errors import Taken
from registry.services.inspection_pages import agenda
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, now, occasion, perform, session, staff, today
from registry.web.formats import due
from registry.web.home.today import closed_words, greeting, index_changes
from registry.web.paging import page_number
from registry.web.shell import MenuEntry, has_queue, recent
from registry.web.spreadsheet import CHUNK, REQUESTS, sheet
from registry.web.words import status_of

blueprint = Blueprint("home", __name__)

MENU = (MenuEntry("inicio", "Início", "home.page", 0),)


@blueprint.get("/inicio")
@access.staff
def page() -> Response:
    """The home of the user's role; htmx gets the queue alone."""
    return _show()


@blueprint.post("/inicio/pegar/<int:id>")
@access("requests.edit")
def take(id: int) -> Response:
    """«Pegar para mim»; when someone was faster, the queue says who."""
    try:
        perform(take_request, id)
    except Taken as taken:
        return _show(409, told=str(taken))
    flash("O requerimento está com você.", "ok")
    return htmx.go(url_for("home.page", fila="comigo"))


@blueprint.get("/inicio/novos")
@access("requests.view")
def news() -> Response:
    """Whether the queue has grown since it was shown («2 novos. Atualizar»): rows never move by themselves."""
    if not htmx.wants_fragment():
        return htmx.go(url_for("home.page"))
    queue = _queue(1)
    known = request.args.get("conhecidos", "")
    more = queue.total - int(known) if known.isascii() and known.isdecimal() and len(known) < 8 else 0
    return htmx.render(
        "home/_news.html", queue=queue, more=max(0, more), known=known, kept=_kept(queue), tabs=worklist.TABS
    )


@blueprint.get("/inicio/planilha.csv")
@access("requests.view")
def export() -> Response:
    """What the queue shows with its filters, as a table for a spreadsheet."""
    tab, filters = _tab(), _filters()
    shown = {"fila": tab, "regime": filters.regime, "tipo": filters.kind, "situacao": filters.shown}
    return sheet(
        "requerimentos",
        REQUESTS,
        lambda number: worklist.work_lines(session(), desk(), occasion(), tab, filters, number, CHUNK),
        shown,
    )


def _show(status: int = 200, told: str = "") -> Response:
    queue = _queue(page_number()) if has_queue() else None
    context: dict[str, Any] = {"queue": queue, "told": told, "status_of": status_of}
    if queue:
        context |= _queue_context(queue)
    if not htmx.wants_fragment():
        context |= _around()
    return htmx.render("home/page.html", "home/_queue.html" if queue else "", status=status, **context)


def _queue(number: int) -> worklist.Worklist:
    return worklist.worklist(session(), desk(), occasion(), _tab(), _filters(), number)


def _filters() -> worklist.Filters:
    given = request.args
    return worklist.Filters(given.get("regime", ""), given.get("tipo", ""), given.get("situacao", ""))


def _tab() -> str:
    """The queue asked for; without one, what is ready for who decides, else one's own."""
    return request.args.get("fila", "") or ("prontos" if staff().may("requests.decide") else "comigo")


def _queue_context(queue: worklist.Worklist) -> dict[str, Any]:
    regimes = desk().regimes_of(authority().code)
    calendars = {each.code: desk().calendar(session(), authority().code, each.code) for each in regimes}
    fallback = desk().calendar(session(), authority().code)
    kept = _kept(queue)
    return {
        "dues": {line.id: due(line.due_on, today(), calendars.get(line.regime, fallback)) for line in queue.lines},
        "tabs": worklist.TABS | {"prontos": "Prontos"},
        "size": worklist.PAGE_SIZE,
        "regimes": regimes,
        "kinds": {kind.code: kind.label for regime in regimes for kind in regime.request_kinds},
        "kept": kept,
        "address": lambda number: url_for("home.page", **kept, page=number),
        "states": SHOWN_LABELS,
    }


def _kept(queue: worklist.Worklist) -> dict[str, Any]:
    """What the addresses of this queue carry on: its tab and filters."""
    chosen = {
        "fila": queue.tab,
        "regime": queue.filters.regime,
        "tipo": queue.filters.kind,
        "situacao": queue.filters.shown,
    }
    return {name: value for name, value in chosen.items() if value}


def _around() -> dict[str, Any]:
    """What stands beside the queue: today's inspections, index values, recent records."""
    closed = worklist.next_holiday(session(), desk(), occasion())
    booked = agenda(session(), desk(), authority().code, today()) if staff().may("inspections.view") else None
    return {
        "greeting": greeting(now()),
        "today": today(),
        "holiday": closed_words(session(), desk(), authority().code, closed),
        "booked": booked,
        "till": cash_of_day(session(), authority().code, today()) if staff().may("charges.receive") else None,
        "changes": index_changes(session(), desk(), authority().code, today()) if staff().may("indexes.view") else (),
        "opened": search.named(session(), desk(), authority().code, recent()),
    }
