"""The decision of a request: the list of what is ready, one request's page, «Confira», and the act."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, flash, request, url_for

from registry.domain.text import format_hour
from registry.services import decisions as service
from registry.services import worklist
from registry.services.decision_pages import stored_findings
from registry.services.errors import AlreadyDone, Refused, Stale
from registry.services.returns import return_request
from registry.web import htmx
from registry.web.access import access
from registry.web.decisions.forms import LABELS, DecisionForm
from registry.web.edge import authority, desk, occasion, perform, session, today, zone
from registry.web.errors import done_text
from registry.web.findings import by_weight, counts_text
from registry.web.formats import due
from registry.web.paging import address_of_page, page_number
from registry.web.shell import MenuEntry, address_of

blueprint = Blueprint("decisions", __name__)
MENU = (MenuEntry("requerimentos", "Prontos para decisão", "decisions.index", order=40),)
ONE = "/requerimentos/<int(max=2147483647):request_id>/decisao"
_SECTIONS = {"documents": "documentos", "charges": "taxas", "inspection": "vistoria", "waits": "espera"}


@blueprint.get("/decisoes")
@access("requests.decide")
def index() -> Response:
    """What is ready for decision, oldest first: ``?regime=``, ``?tipo=``, ``?page=``."""
    filters = worklist.Filters(request.args.get("regime", ""), request.args.get("tipo", ""))
    found = worklist.worklist(session(), desk(), occasion(), "prontos", filters, page_number())
    regimes = desk().regimes_of(authority().code)
    calendars = {each.code: desk().calendar(session(), authority().code, each.code) for each in regimes}
    fallback = desk().calendar(session(), authority().code)
    return htmx.render(
        "decisions/index.html",
        "decisions/_list.html",
        found=found,
        regimes=regimes,
        kinds={kind.code: kind.label for regime in regimes for kind in regime.request_kinds},
        dues={line.id: due(line.due_on, today(), calendars.get(line.regime, fallback)) for line in found.lines},
        size=worklist.PAGE_SIZE,
        address=address_of_page(),
    )


@blueprint.get(ONE)
@access("requests.view")
def page(request_id: int) -> Response:
    """The findings, the draft of either result, and who decides; afterwards the decision."""
    return _show(request_id, DecisionForm(formdata=None))


@blueprint.post(f"{ONE}/confira")
@access("requests.decide")
def check(request_id: int) -> Response:
    """Repeats what is about to be decided and its effect; nothing is saved yet. ``voltar`` leads back to the form."""
    form = DecisionForm()
    if "voltar" in request.form:
        return _show(request_id, form)
    preview = service.decision_preview(session(), desk(), occasion(), request_id)
    if preview.decided or not preview.allowed or not form.check_choice(preview.grantable):
        return _show(request_id, form, 422 if form.errors else 200)
    return _confirm(preview, form)


@blueprint.post(ONE)
@access("requests.decide")
def decide(request_id: int) -> Response:
    """Decides, or gives the request back."""
    form = DecisionForm()
    preview_first = form.result.data not in LABELS or not form.validate()
    if preview_first:
        form.check_choice(True)
        return _show(request_id, form, 422)
    try:
        if form.result.data == "devolver":
            perform(return_request, request_id, form.saw_version, form.text)
            flash("Devolvido à análise.", "ok")
            return htmx.go(address_of("request", request_id) or url_for("decisions.page", request_id=request_id))
        made = perform(service.decide, request_id, form.saw_version, form.result.data, form.text)
        flash("Deferido." if made.result == "deferido" else "Indeferido.", "ok")
    except service.Impeded as impeded:
        form.message = impeded.message
        return _show(request_id, form, 422)
    except Refused as refused:
        form.take(_beside_text(refused, str(form.result.data)))
        return _show(request_id, form, 422)
    except Stale as stale:
        form.message = _stale_text(stale)
        return _show(request_id, form, 409)
    except AlreadyDone as done:
        flash(_decided_text(done), "info")
    return htmx.go(url_for("decisions.page", request_id=request_id))


def _beside_text(refused: Refused, result: str) -> Refused:
    fields = {f"text_{result}" if name == "text" else name: text for name, text in refused.fields.items()}
    return Refused(fields, refused.message)


def _stale_text(stale: Stale) -> str:
    when = f" às {format_hour(stale.at.astimezone(zone()))}" if stale.at else ""
    who = stale.by or "Outra pessoa"
    return f"{who} mudou este requerimento{when}, depois que você abriu. Confira os apontamentos e decida de novo."


def _decided_text(done: AlreadyDone) -> str:
    if not isinstance(done.result, service.DecisionMade):
        return done_text(done)
    when = f" às {format_hour(done.at.astimezone(zone()))}" if done.at else ""
    return f"Decidido por {done.by}{when}. Nada se repetiu."


def _confirm(preview: service.Preview, form: DecisionForm) -> Response:
    chosen = str(form.result.data)
    text = form.text.strip() or (preview.grant_text if chosen == "deferido" else "")
    return htmx.render(
        "decisions/check.html",
        preview=preview,
        form=form,
        chosen=chosen,
        text=text,
        act=LABELS[chosen],  # type: ignore[index]
        **_about(preview),
    )


def _show(request_id: int, form: DecisionForm, status: int = 200) -> Response:
    preview = service.decision_preview(session(), desk(), occasion(), request_id)
    form.version.data = str(preview.progress.case.row.request.version)
    if not form.text_deferido.raw_data:
        form.text_deferido.data = preview.grant_text
    if not form.text_indeferido.raw_data:
        form.text_indeferido.data = preview.refusal_text
    decided = preview.decided
    return htmx.render(
        "decisions/page.html",
        status=status,
        preview=preview,
        form=form,
        labels=LABELS,
        sections=_SECTIONS,
        stored=stored_findings(session(), decided.id) if decided else (),
        **_about(preview),
    )


def _about(preview: service.Preview) -> dict[str, Any]:
    """What both pages say of the request."""
    case = preview.progress.case
    found = [each for group in by_weight(preview.progress.findings).values() for each in group]
    return {
        "row": case.row.request,
        "kind": case.kind,
        "regime": case.regime,
        "holder": case.dossier.holder,
        "cooperative": case.dossier.cooperative,
        "vehicle": case.dossier.vehicle,
        "outlook": preview.progress.outlook,
        "against": [each for each in found if each.impedes],
        "warning": [each for each in found if not each.impedes and each.outcome != "allow"],
        "in_order": [each for each in found if each.outcome == "allow"],
        "counts": counts_text(found),
        "request_address": address_of("request", case.row.request.id),
    }
