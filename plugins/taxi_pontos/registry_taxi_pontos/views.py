"""The stands of an authority with their permits, for its staff."""

from __future__ import annotations

from flask import Blueprint, Response, abort, request

from registry.api.screens import (
    CHUNK,
    PAGE_SIZE,
    MenuEntry,
    access,
    address_of_page,
    authority,
    desk,
    list_view,
    order_of,
    page_number,
    quoted,
    render,
    session,
    sheet,
    today,
)
from registry_taxi_pontos import stands

PLUGIN = "taxi_pontos"
CHOICES = {code: label for code, label in stands.CATEGORIES.items() if code}
"""The categories that the list can be limited to."""

blueprint = Blueprint("pontos", __name__, url_prefix="/pontos", template_folder="templates")


def is_shown() -> bool:
    """Whether stands are of use to the user's authority: it administers one of the regimes of the settings."""
    wanted = set(desk().host.settings_of(PLUGIN)["regimes"])
    return not wanted or not wanted.isdisjoint(authority().regimes)


MENU = (MenuEntry("cadastros", "Pontos", "pontos.index", order=40, shown=is_shown),)


@blueprint.get("")
@access("permits.view")
def index() -> Response:
    """The list: ``?q=`` fragment of the name, or code; ``?categoria=``, ``?ordem=``, ``?page=``."""
    typed, category = request.args.get("q", ""), request.args.get("categoria", "")
    chips = {"q": quoted(typed), "categoria": stands.CATEGORIES[category] if category in CHOICES else ""}
    return render(
        "pontos/index.html",
        "pontos/_results.html",
        found=_listed(page_number()),
        view=list_view(chips, default="nome", export="pontos.export"),
        q=typed,
        category=category,
        choices=CHOICES,
        categories=stands.CATEGORIES,
    )


@blueprint.get("/planilha.csv")
@access("permits.view")
def export() -> Response:
    """What the list shows with its filters, as a table for a spreadsheet."""
    columns = {
        "Ponto": lambda line: line.label,
        "Categoria": lambda line: stands.CATEGORIES.get(line.category, line.category),
        "Vagas": lambda line: line.places,
        "Permissões": lambda line: line.permits,
    }
    filters = {name: request.args.get(name, "") for name in ("q", "categoria")}
    return sheet("pontos", columns, lambda number: _listed(number, CHUNK).lines, filters)


def _listed(number: int, size: int = PAGE_SIZE) -> stands.StandList:
    category = request.args.get("categoria", "")
    if category and category not in CHOICES:
        abort(404)
    return stands.list_stands(
        session(),
        authority().code,
        today(),
        request.args.get("q", ""),
        number,
        category=category or None,
        order=order_of(stands.ORDERS) or "nome",
        size=size,
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
