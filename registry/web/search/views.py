"""The search: one exact hit opens; else the groups, or one group whole. The box asks for suggestions as one types."""

from __future__ import annotations

from flask import Blueprint, Response, abort, request

from registry.services import search as service
from registry.store.search import search_people
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, session
from registry.web.shell import address_of, has_endpoint, noun_endpoint

blueprint = Blueprint("search", __name__)

LABELS = {"person": "Pessoas", "vehicle": "Veículos", "permit": "Outorgas", "request": "Requerimentos"}
WHOLE = 50
_GROUPS = {"pessoas": "person", "veiculos": "vehicle", "outorgas": "permit", "requerimentos": "request"}
CODES = {noun: code for code, noun in _GROUPS.items()}


def _nouns() -> list[service.Noun]:
    """The groups that the user's roles open."""
    return [noun for noun in service.NOUNS if has_endpoint(noun_endpoint(noun))]


@blueprint.get("/busca")
@access.staff
def page() -> Response:
    """The results of ``?q=``; with ``&em=pessoas`` one group whole. One exact hit opens at once."""
    typed, only = request.args.get("q", ""), request.args.get("em", "")
    if only and only not in _GROUPS:
        abort(404)
    nouns = _nouns()
    found = service.find(session(), desk(), authority().code, typed, nouns, WHOLE if only else service.FEW)
    if found.exact and not only and (address := address_of(found.exact.noun, found.exact.id)):
        return htmx.go(address)
    groups = [group for group in found.groups if not only or group.noun == _GROUPS[only]]
    more = _next_people(typed) if only == "pessoas" else None
    if more:
        groups = [more]
    return htmx.render(
        "search/page.html", q=typed, found=found, groups=groups, only=only, labels=LABELS, codes=CODES, whole=WHOLE
    )


def _next_people(typed: str) -> service.Group | None:
    """The page of people after ``&depois=<id>&nome=<folded name>``; None on the first page."""
    after, name = request.args.get("depois", ""), request.args.get("nome", "")
    if not after:
        return None
    if not (after.isascii() and after.isdecimal() and len(after) < 12):
        abort(404)
    hits = search_people(session(), authority().code, typed, WHOLE, (name, int(after)))
    refs = service.named(session(), desk(), authority().code, [("person", hit.id) for hit in hits.hits])
    return service.Group("person", refs, hits.count)


@blueprint.get("/busca/sugestoes")
@access.staff
def suggest() -> Response:
    """The list under the box; without JavaScript the box leads to the page instead."""
    typed = request.args.get("q", "")
    found = service.find(session(), desk(), authority().code, typed, _nouns()) if len(typed.strip()) > 1 else None
    return htmx.render(
        "search/page.html",
        "search/_suggestions.html",
        q=typed,
        found=found,
        groups=found.groups if found else (),
        only="",
        labels=LABELS,
        codes=CODES,
        whole=WHOLE,
    )
