"""What every view of requests shares: the blueprint, the address of one request, and the page that shows it."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, flash, request, url_for

from registry.domain.text import format_hour
from registry.services.errors import AlreadyDone
from registry.services.request_page import page_of, request_page
from registry.services.request_view import RequestPage
from registry.services.requests import live_outlook
from registry.web import htmx
from registry.web.edge import desk, occasion, session, zone
from registry.web.requests.screen import screen_of

blueprint = Blueprint("requests", __name__, url_prefix="/requerimentos")
ONE = "/<int(max=2147483647):request_id>"
FRAGMENTS = {"documentos": "requests/_documents_changed.html", "apontamentos": "requests/_findings.html"}
"""The fragment of each part of the page that htmx swaps, by its id."""


def page_for(request_id: int) -> RequestPage:
    """The request as it is stored. Raises NotFound, RuleDown."""
    return request_page(session(), desk(), occasion(), request_id)


def page_as_typed(request_id: int, links: dict[str, Any], facts: dict[str, Any]) -> RequestPage:
    """The request with what is being typed and not saved. Raises NotFound, RuleDown."""
    progress, _ = live_outlook(session(), desk(), occasion(), request_id, links=links, facts=facts)
    return page_of(session(), desk(), occasion(), progress)


def show(page: RequestPage, *, status: int = 200, **context: Any) -> Response:
    """The page of a request, or the part of it that htmx asked for."""
    return htmx.render("requests/page.html", FRAGMENTS, status=status, **screen_of(page, **context))


def back_to(request_id: int, anchor: str = "", **query: Any) -> Response:
    """Leads to the page of a request."""
    return htmx.go(url_for("requests.page", request_id=request_id, _anchor=anchor or None, **query))


def tell_done(error: AlreadyDone, what: str) -> None:
    """Says on the next page that the act had been done before: «Já foi feito às 10h41. Nada se repetiu.»"""
    by = f" por {error.by}" if error.by else ""
    when = f" às {format_hour(error.at.astimezone(zone()))}" if error.at else ""
    flash(f"{what}: já foi feito{by}{when}. Nada se repetiu.", "info")


def asked(name: str) -> str:
    """A value of the address, as typed; "" when it is not there."""
    return request.args.get(name, "")
