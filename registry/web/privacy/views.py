"""One person's data (LGPD): the page that says what can be done, the download, the end of the data."""

from __future__ import annotations

from flask import Blueprint, Response, abort, flash, make_response, request, url_for

from registry.services import anonymisation, privacy
from registry.services.errors import Refused
from registry.services.people import person_of
from registry.services.personal import natural_person
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, perform, session, settings, today
from registry.web.privacy.forms import AnonymiseForm

blueprint = Blueprint("privacy", __name__, url_prefix="/pessoas")
ONE = "/<int(max=2147483647):person_id>/dados"
_TYPES = {"json": "application/json", "html": "text/html"}


@blueprint.get(ONE)
@access("people.privacy")
def page(person_id: int) -> Response:
    """What the registry can do with the data of a natural person."""
    return _show(person_id, AnonymiseForm())


@blueprint.post(f"{ONE}/baixar")
@access("people.privacy")
def export(person_id: int) -> Response:
    """The person's data as a file: ``formato`` json or html. It is written to the audit."""
    kind = request.form.get("formato", "")
    if kind not in _TYPES:
        abort(404)
    found = perform(privacy.export_person, person_id)
    response = make_response(found.as_json() if kind == "json" else found.as_page())
    response.headers["Content-Type"] = f"{_TYPES[kind]}; charset=utf-8"
    response.headers["Content-Disposition"] = f'attachment; filename="dados-{person_id}-{today().isoformat()}.{kind}"'
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.post(f"{ONE}/anonimizar")
@access("people.privacy")
def anonymise(person_id: int) -> Response:
    """Ends the data of the person."""
    form = AnonymiseForm()
    if not form.validate():
        return _show(person_id, form, 422)
    try:
        done = perform(anonymisation.anonymise, person_id, str(form.reason.data))
    except Refused as refused:
        form.take(refused)
        return _show(person_id, form, 422)
    flash(f"Dados anonimizados. Arquivos apagados: {done.files}.", "ok")
    return htmx.go(url_for("people.page", person_id=person_id))


def _show(person_id: int, form: AnonymiseForm, status: int = 200) -> Response:
    person = person_of(session(), authority().code, person_id)
    if person.kind != "natural":
        abort(404)
    ids = natural_person(session(), person)
    kept = settings().retention
    hindrances = anonymisation.hindrances_of(session(), ids, today(), kept)
    return htmx.render("privacy/page.html", status=status, person=person, form=form, hindrances=hindrances, kept=kept)
