"""The public look-up: a plate, a day, and whether that vehicle may carry passengers, as a page and as JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, time
from typing import Any

from flask import Blueprint, Response, jsonify, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from registry.domain.identifiers import IdentifierError, Plate, parse_plate
from registry.domain.sentences import join_words
from registry.domain.text import TextError, format_date, format_hour, parse_date
from registry.services import status
from registry.services.plates import gone_plate
from registry.services.status import RegimeAnswer
from registry.web.access import access
from registry.web.edge import authority, desk, is_staff, limiter, now, rate, session, settings, today, zone
from registry.web.public import json

blueprint = Blueprint("public", __name__)
_STATES = ("authorized", "denied", "unavailable")


@blueprint.get("/")
@access.public
def root() -> AnyResponse:
    """The staff's home for whoever is logged in, the look-up for everyone else."""
    return redirect(url_for("home.page" if is_staff() else "public.consult"))


@blueprint.get("/consulta")
@access.public
@limiter.limit(rate("public"))
def consult() -> Response:
    """The field, or the answer for ``?placa=`` (and ``?em=dd/mm/aaaa`` for a past day)."""
    typed = request.args.get("placa")
    if typed is None:
        return _page("consulta/page.html", typed="", em="")
    em = request.args.get("em", "").strip()
    faults: dict[str, str] = {}
    plate, suggestion = _plate(typed, faults)
    moment = _moment(em, faults)
    if plate is None or moment is None:
        context: dict[str, Any] = {"typed": typed, "em": em, "faults": faults, "suggestion": suggestion}
        return _page("consulta/page.html", 422, **context)
    found = _in_order(status.answers(session(), desk(), plate.text, moment))
    gone = None if found else gone_plate(session(), desk(), plate.text, moment)
    context = {"plate": plate.text, "answers": found, "gone": gone, "moment": moment, "em": em, "past": bool(em)}
    response = _page("consulta/answer.html" if found else "consulta/unknown.html", **context)
    return _tagged(response, format_hour(moment), moment)


@blueprint.get("/api/v1/vehicles/<plate>")
@access.public
@limiter.limit(rate("api"))
def vehicle(plate: str) -> Response:
    """The answer as JSON; ``?em=aaaa-mm-dd`` (or dd/mm/aaaa) for a past day. An unknown plate: 404, same shape."""
    faults: dict[str, str] = {}
    parsed, suggestion = _plate(plate, faults)
    moment = _moment(request.args.get("em", "").strip(), faults, iso=True)
    if parsed is None or moment is None:
        return _problem(faults, suggestion)
    found = _in_order(status.answers(session(), desk(), parsed.text, moment))
    gone = None if found else gone_plate(session(), desk(), parsed.text, moment)
    body = json.vehicle(parsed.text, moment, found, gone)
    response = jsonify(body)
    response.status_code = 200 if found else 404
    return _tagged(response, body["as_of"], moment)


@blueprint.get("/leituras")
@access.public
def readings() -> Response:
    """The readings adopted of ambiguous provisions: problem, choice, reason, since when."""
    books = []
    for plugin in desk().host.plugins.values():
        if plugin.lawbook and plugin.lawbook.readings:
            chosen = settings().readings.get(plugin.name, {})
            books.append((_law_name(plugin.name), plugin, chosen))
    return _page("leituras/page.html", books=books)


def _law_name(plugin: str) -> str:
    labels = [regime.label for regime in desk().host.regimes.values() if regime.plugin == plugin]
    return labels[0] if labels else plugin


def _plate(typed: str, faults: dict[str, str]) -> tuple[Plate | None, str]:
    """The plate, or its fault and the likely one (only where what was typed cannot exist)."""
    try:
        return parse_plate(typed), ""
    except IdentifierError as fault:
        faults["placa"] = fault.message_pt
        return None, fault.suggestion or ""


def _moment(em: str, faults: dict[str, str], *, iso: bool = False) -> datetime | None:
    """The instant asked about: now, or the end of a past day; None with its fault."""
    if not em:
        return now()
    try:
        day = parse_date(em, iso=iso)
    except TextError as fault:
        faults["em"] = fault.message_pt
        return None
    if day > today():
        faults["em"] = f"A data não pode ser depois de hoje ({format_date(today())})."
        return None
    return now() if day == today() else datetime.combine(day, time(23, 59, 59), zone())


def _in_order(found: Sequence[RegimeAnswer]) -> list[RegimeAnswer]:
    return sorted(found, key=lambda answer: _STATES.index(answer.state))


def _page(template: str, code: int = 200, **context: Any) -> Response:
    context.setdefault("faults", {})
    owner = context["answers"][0].authority_name if context.get("answers") else ""
    names = [each.short_name for each in settings().authorities.values()]
    regimes = desk().host.regimes.values()
    page = render_template(
        template,
        failed=code >= 400,
        owner=owner or " · ".join(names),
        services=join_words([regime.short_label.lower() for regime in regimes]),
        plugin_of={regime.code: regime.plugin for regime in regimes},
        **context,
    )
    return make_response(page, code)


def _problem(faults: dict[str, str], suggestion: str) -> Response:
    """Problem details (RFC 9457) naming each fault."""
    response = jsonify(
        type="about:blank",
        title="Confira o que foi digitado",
        status=422,
        detail=" ".join(faults.values()),
        errors=faults,
        suggestion=suggestion or None,
    )
    response.status_code = 422
    response.mimetype = "application/problem+json"
    return response


def _tagged(response: Response, shown_moment: str, moment: datetime) -> Response:
    """A weak ETag of the answer and the authority's day, whatever the moment shown on it: the same answer is a 304."""
    if is_staff():
        return response
    body = response.get_data().replace(shown_moment.encode(), b"", 1)
    day = f"{authority().code}{moment.date()}".encode()
    response.set_etag(hashlib.sha256(day + body).hexdigest()[:32], weak=True)
    response.headers["Cache-Control"] = "no-cache"
    response.make_conditional(request)
    return response
