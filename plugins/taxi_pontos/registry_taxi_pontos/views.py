"""The stands of an authority with their permits, for its staff."""

from __future__ import annotations

from flask import Blueprint, Response, request

from registry.api.screens import (
    MenuEntry,
    access,
    address_of_page,
    authority,
    desk,
    page_number,
    render,
    session,
    today,
)
from registry_taxi_pontos import stands

PLUGIN = "taxi_pontos"

blueprint = Blueprint("pontos", __name__, url_prefix="/pontos", template_folder="templates")


def is_shown() -> bool:
    """Whether stands are of use to the user's authority: it administers one of the regimes of the settings."""
    wanted = set(desk().host.settings_of(PLUGIN)["regimes"])
    return not wanted or not wanted.isdisjoint(authority().regimes)


MENU = (MenuEntry("cadastros", "Pontos", "pontos.index", order=40, shown=is_shown),)


@blueprint.get("")
@access("permits.view")
def index() -> Response:
    """The list: ``?q=`` fragment of the name, or code; ``?page=``."""
    typed = request.args.get("q", "")
    found = stands.list_stands(session(), authority().code, today(), typed, page_number())
    return render(
        "pontos/index.html",
        "pontos/_results.html",
        found=found,
        q=typed,
        categories=stands.CATEGORIES,
        address=address_of_page(),
    )


@blueprint.get("/<int(max=2147483647):ponto_id>")
@access("permits.view")
def page(ponto_id: int) -> Response:
    """A stand with the permits designated for it today."""
    found = stands.stand_page(session(), authority().code, ponto_id, today(), page_number())
    regimes = {code: regime.permit_label for code, regime in desk().host.regimes.items()}
    return render(
        "pontos/page.html",
        found=found,
        categories=stands.CATEGORIES,
        papers=regimes,
        address=address_of_page(),
    )
