"""A request being filled in: saved as one types, findings live, everything again on a plain form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, abort, flash, request
from werkzeug.datastructures import MultiDict

from registry.domain.identifiers import IdentifierError
from registry.domain.regime import Regime
from registry.domain.text import format_hour
from registry.services.errors import AlreadyDone, Refused, Stale
from registry.services.people import PersonRef, find_by_document
from registry.services.request_view import RequestPage
from registry.services.requests import file_request, save_request
from registry.services.vehicles import find_by_plate
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, now, perform, session
from registry.web.requests.base import ONE, back_to, blueprint, page_as_typed, page_for, show, tell_done
from registry.web.requests.conflict import readable
from registry.web.requests.forms import FACT, LINKS, FillForm, filled
from registry.web.requests.screen import screen_of, wanted_mark

THEN_FILE = "protocolar"
ONLY_LOOK = "ver"
_CHOICES = ("holder_kind", "category")
_UNKNOWN = {
    "document": "Não há cadastro com este número.",
    "cooperative_document": "Não há cooperativa com este CNPJ.",
    "plate": "Não há veículo com esta placa.",
}


@blueprint.get(f"{ONE}/dados")
@access("requests.edit")
def facts(request_id: int) -> Response:
    """The address of a form that came back: leads to the page with the form open."""
    return back_to(request_id, "dados", dados=1)


@blueprint.post(f"{ONE}/dados")
@access("requests.edit")
def save(request_id: int) -> Response:
    """Saves what was typed; with ``then=protocolar`` also files it, with ``then=ver`` shows its findings."""
    then = request.form.get("then", "")
    page = page_for(request_id)
    form = filled(page, strict=then == THEN_FILE or not page.movable)
    if then == ONLY_LOOK:
        return _look(page, form)
    good = form.validate()
    links = _links(page, form)
    if not good or form.faults:
        return _again(page, form)
    try:
        changed = perform(save_request, request_id, form.saw_version, links=links, facts=form.facts)
        number = perform(file_request, request_id) if then == THEN_FILE else ""
    except Refused as refused:
        form.take(_by_field(refused))
        return _again(page_for(request_id), form)
    except Stale as stale:
        raise readable(stale, page) from stale
    except AlreadyDone as done:
        tell_done(done, "Protocolo" if then == THEN_FILE else "Pedido")
        return back_to(request_id)
    if number:
        flash(f"Protocolado com o número {number}.", "ok")
    else:
        flash(f"Gravado às {format_hour(now())}." if changed else "Nada mudou.", "ok")
    return back_to(request_id)


@blueprint.post(f"{ONE}/_gravar")
@access("requests.edit")
def keep(request_id: int) -> Response:
    """Keeps what can be read of a draft while one fills it in; the rest stays in the browser until it can be.

    Sent by a plain form (the choices after a stale save) it saves like any other.
    """
    if not htmx.wants_fragment():
        return save(request_id)
    page = page_for(request_id)
    if not page.movable:
        abort(404)
    kept, anew = _kept(page, filled(page))
    changed_kind = kept.holder_kind != page.holder_kind
    context = screen_of(kept, form=anew)
    seen = request.form.get("wanted", "")
    return htmx.render(
        "requests/_kept.html",
        at=now(),
        asks_anew=changed_kind,
        lists_anew=wanted_mark(kept) != seen,
        **context,
    )


@blueprint.post(f"{ONE}/_findings")
@access("requests.edit")
def findings(request_id: int) -> Response:
    """The findings of what is being typed; nothing is saved, save a draft whose browser runs no scripts."""
    stored = page_for_form(request_id)
    form = filled(stored)
    if not htmx.wants_fragment():
        return _look(stored, form)
    form.validate()
    page = page_as_typed(request_id, _chosen(stored, form), form.typed_facts)
    context = screen_of(page, form=form)
    return htmx.render("requests/_live.html", lists_anew=wanted_mark(page) != request.form.get("wanted", ""), **context)


def page_for_form(request_id: int) -> RequestPage:
    """The request, when its facts can still be changed; 404 once it has ended."""
    page = page_for(request_id)
    if not page.editable:
        abort(404)
    return page


def typed_in_address(page: RequestPage) -> FillForm | None:
    """The form of a draft with the numbers that the address brings back from a new record; None without them."""
    brought = {name: request.args[name] for name in LINKS if request.args.get(name)}
    if not brought or not page.movable:
        return None
    form = filled(page)
    typed = MultiDict(brought)
    for name in brought:
        if name in form._fields:
            form[name].process(typed)
            form.check(name)
    _links(page, form)
    return form


def known_links(regime: Regime, kind: str, numbers: Mapping[str, str]) -> dict[str, Any]:
    """What a new draft knows from the numbers that came along: whom and which vehicle, and the only kind of holder that
    such a person can be.
    """
    links: dict[str, Any] = {}
    person = _person(numbers.get("document", ""))
    if person is not None:
        links["applicant_id"] = person.id
        kinds = [each for each in regime.holder_kinds if each.code in regime.request_kind(kind).holder_kinds]
        fitting = [each for each in kinds if each.person_kind == person.kind]
        if len(fitting) == 1 and not fitting[0].needs_cooperative:
            links["holder_kind"] = fitting[0].code
    if vehicle_id := _found("plate", numbers.get("plate")):
        links["vehicle_id"] = vehicle_id
    return links


def _person(typed: str) -> PersonRef | None:
    try:
        return find_by_document(session(), authority().code, typed) if typed else None
    except IdentifierError:
        return None


def _kept(page: RequestPage, form: FillForm) -> tuple[RequestPage, FillForm]:
    """The draft with what could be read of the form saved, and its form anew with what could not. Raises Stale."""
    form.validate()
    links = _links(page, form)
    facts = {name: value for name, value in form.facts.items() if not form[f"{FACT}{name}"].errors}
    try:
        _keep(page.id, form, links, facts)
    except Stale as stale:
        raise readable(stale, page) from stale
    kept = page_for(page.id)
    anew = filled(kept, formdata=_with_version(kept))
    for name in form._fields:
        if form[name].errors and name in anew._fields:
            anew[name].errors = form[name].errors
    return kept, anew


def _look(page: RequestPage, form: FillForm) -> Response:
    """The page with what was typed: a draft is kept as while one types with scripts, and has its address again; a filed
    request is not changed.
    """
    if page.movable:
        kept, anew = _kept(page, form)
        return show(kept, form=anew, editing=True, status=422) if anew.errors else back_to(page.id, "apontamentos")
    form.validate()
    _links(page, form)
    seen = page_as_typed(page.id, _chosen(page, form), form.typed_facts)
    return show(seen, form=form, editing=True)


def _again(page: RequestPage, form: FillForm) -> Response:
    form.version.data = str(page.version)
    return show(page, form=form, editing=True, status=422)


def _chosen(page: RequestPage, form: FillForm) -> dict[str, Any]:
    """The choices that were typed, of a draft."""
    return {name: str(form[name].data or "") for name in _CHOICES if name in form._fields} if page.movable else {}


def _links(page: RequestPage, form: FillForm) -> dict[str, Any]:
    """The choices and the ids of the records that were named; a number of no record is marked beside its field, and its
    link left as it stands.
    """
    if not page.movable:
        return {}
    links = {name: value for name, value in _chosen(page, form).items() if not form[name].errors}
    for name, link in LINKS.items():
        if name not in form._fields:
            if name == "cooperative_document":
                links[link] = None
            continue
        field = form[name]
        if field.errors:
            continue
        found = _found(name, field.data)
        if field.data and found is None:
            form.take(Refused({name: _UNKNOWN[name]}))
            continue
        links[link] = found
    return links


def _found(name: str, typed: str | None) -> int | None:
    if not typed:
        return None
    if name != "plate":
        person = _person(typed)
        return person.id if person else None
    try:
        vehicle = find_by_plate(session(), authority().code, typed)
    except IdentifierError:
        return None
    return vehicle.id if vehicle else None


def _keep(request_id: int, form: FillForm, links: dict[str, Any], facts: dict[str, Any]) -> None:
    """Saves what is in order; a field that the use case refuses is marked and left out."""
    for _ in range(len(links) + 1):
        try:
            perform(save_request, request_id, form.saw_version, links=links, facts=facts)
            return
        except Refused as refused:
            form.take(_by_field(refused))
            wrong = set(refused.fields)
            links = {name: value for name, value in links.items() if name not in wrong}
            facts = {name: value for name, value in facts.items() if name not in wrong}
            if not (wrong and (links or facts)):
                return


def _by_field(refused: Refused) -> Refused:
    """The refusal with its sentences under the names of the form's fields."""
    names = {link: name for name, link in LINKS.items()}

    def named(key: str) -> str:
        return names.get(key, key if key in _CHOICES else f"{FACT}{key}" if key != "permit_id" else key)

    return Refused(
        {named(key): text for key, text in refused.fields.items()},
        refused.message,
        existing={named(key): each for key, each in refused.existing.items()},
        suggestions={named(key): text for key, text in refused.suggestions.items()},
    )


def _with_version(page: RequestPage) -> MultiDict[str, str]:
    """What was sent, with the version that stands now."""
    typed = MultiDict(request.form)
    typed["version"] = str(page.version)
    return typed
