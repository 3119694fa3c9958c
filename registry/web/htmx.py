"""The one place that decides between a whole page and a fragment, and between 303 and HX-Redirect."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import Flask, Response, make_response, redirect, render_template
from htmx_flask import Htmx, request
from werkzeug.urls import iri_to_uri

VARY = ("HX-Request", "HX-Boosted", "HX-History-Restore-Request")
NOTICE = "#aviso"

CONFIG = json.dumps(
    {
        "allowEval": False,
        "includeIndicatorStyles": False,
        "historyCacheSize": 0,
        "refreshOnHistoryMiss": True,
        "selfRequestsOnly": True,
        "defaultSettleDelay": 0,
        "responseHandling": [
            {"code": "204", "swap": False},
            {"code": "[23]..", "swap": True},
            {"code": "422", "swap": True},
            {"code": "409", "swap": True},
            {"code": "[45]..", "swap": True, "error": True, "target": NOTICE, "select": ".aviso"},
        ],
    }
)


def init_app(app: Flask) -> None:
    """Lets requests tell what htmx asked, and caches keep page and fragment apart."""
    Htmx(app)

    @app.after_request
    def vary(response: Response) -> Response:
        if response.mimetype == "text/html":
            response.vary.update(VARY)
        return response


def wants_fragment() -> bool:
    """Whether htmx swaps the answer into a page; a boosted link and a restored history want the whole page."""
    htmx = request.htmx
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def render(template: str, fragment: str | Mapping[str, str] = "", *, status: int = 200, **context: Any) -> Response:
    """The page, or its fragment when htmx asked for one.

    Args:
        template: the whole page.
        fragment: the template of its fragment, or one for each id of the element to be swapped.
        status: 422 and 409 are swapped like 200; the title of a page of 400 and above begins with «Erro: ».
    """
    name = template
    if wants_fragment() and fragment:
        name = fragment if isinstance(fragment, str) else fragment.get(request.htmx.target or "", template)
    return make_response(render_template(name, failed=status >= 400, **context), status)


def go(address: str) -> Response:
    """After an act: 303 to the address, or HX-Redirect, which makes htmx do the same."""
    if wants_fragment():
        response = make_response("", 200)
        response.headers["HX-Redirect"] = iri_to_uri(address)
        return response
    return make_response(redirect(address, 303))


def again() -> Response:
    """Makes htmx load the page that it is on anew; an address that differs only in its fragment would not."""
    response = make_response("", 200)
    response.headers["HX-Refresh"] = "true"
    return response


def into_notice(response: Response) -> Response:
    """Makes htmx show the answer in the page's line for notices, whatever it meant to swap."""
    if wants_fragment():
        response.headers["HX-Retarget"] = NOTICE
        response.headers["HX-Reswap"] = "innerHTML show:window:top"
    return response
