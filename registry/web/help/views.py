"""Help on each screen, for the staff and for whoever cannot log in."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, render_template, request, url_for
from markupsafe import Markup

from registry import resources
from registry.web.access import access
from registry.web.edge import is_staff
from registry.web.help.pages import INDEX, HelpPage, page_of, read_pages

blueprint = Blueprint("help", __name__, url_prefix="/ajuda")


@blueprint.get("")
@access.public
def index() -> Response:
    """What holds on every screen, and the list of pages."""
    return _show(read_pages(resources.help_pages())[INDEX])


@blueprint.get("/<code>")
@access.public
def page(code: str) -> Response:
    """The page of one screen."""
    found = read_pages(resources.help_pages()).get(code)
    if found is None or code == INDEX:
        abort(404)
    return _show(found)


@blueprint.app_template_global()
def help_address() -> str:
    """Where the help on the page being shown is: its blueprint's page, else the index."""
    found = page_of(resources.help_pages(), request.blueprint or "")
    return url_for("help.page", code=found.code) if found else url_for("help.index")


def _show(shown: HelpPage) -> Response:
    layout = "layout/staff.html" if is_staff() else "layout/public.html"
    others = [each for each in read_pages(resources.help_pages()).values() if each.code != INDEX]
    context = {"shown": shown, "text": Markup(shown.html), "others": others, "is_index": shown.code == INDEX}
    return make_response(render_template("help/page.html", layout=layout, **context))
