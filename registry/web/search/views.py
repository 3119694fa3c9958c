"""Search."""

from __future__ import annotations

from flask import Blueprint, Response

from registry.web import htmx
from registry.web.access import access

blueprint = Blueprint("search", __name__)


@blueprint.get("/busca")
@access.staff
def page() -> Response:
    """Results."""
    return htmx.render("home/page.html")


@blueprint.get("/busca/sugestoes")
@access.staff
def suggest() -> Response:
    """Suggestions."""
    return htmx.render("home/page.html")
