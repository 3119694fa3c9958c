"""The home page."""

from __future__ import annotations

from flask import Blueprint, Response

from registry.web import htmx
from registry.web.access import access
from registry.web.shell import MenuEntry

blueprint = Blueprint("home", __name__)

MENU = (MenuEntry("inicio", "Início", "home.page", 0),)


@blueprint.get("/inicio")
@access.staff
def page() -> Response:
    """The home of the user's role."""
    return htmx.render("home/page.html")
