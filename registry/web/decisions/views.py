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
    """The findings, what may be decided, and who decides; afterwards the decision."""
    return _show(_preview(request_id))


@blueprint.get(f"{ONE}/confira")
@access("requests.decide")
def check(request_id: int) -> Response:
    """The effect of what was chosen (``?resultado=``) in one sentence and its text, to be read before the act."""
    preview, chosen = _preview(request_id), request.args.get("resultado", "")
    if preview.decided or not preview.allowed:
        return htmx.go(url_for("decisions.page", request_id=request_id))
    if fault := _fault_of(chosen, preview):
        return _show(preview, 422, fault)
    return _confirm(preview, DecisionForm(formdata=None, data={"result": chosen, "text": _drafted(preview, chosen)}))


@blueprint.post(ONE)
@access("requests.decide")
def decide(request_id: int) -> Response:
    """Decides, or gives the request back."""
    form = DecisionForm()
    if not form.chosen:
        return _show(_preview(request_id), 422, _fault_of("", None))
    if not form.complete():
        preview = _preview(request_id)
        return _show(preview) if preview.decided or not preview.allowed else _confirm(preview, form, 422)
    text = str(form.text.data or "")
    try:
        if form.chosen == "devolver":
            perform(return_request, request_id, form.saw_version, text)
            flash("Devolvido à análise.", "ok")
            return htmx.go(address_of("request", request_id) or url_for("decisions.page", request_id=request_id))
        made = perform(service.decide, request_id, form.saw_version, form.chosen, text, str(form.act.data or ""))
        flash("Deferido." if made.result == "deferido" else "Indeferido.", "ok")
    except Refused as refused:
        form.take(refused)
        return _confirm(_preview(request_id), form, 422)
    except Stale as stale:
        form.message = _stale_text(stale)
        return _confirm(_preview(request_id), form, 409)
    except AlreadyDone as done:
        flash(_decided_text(done), "info")
    return htmx.go(url_for("decisions.page", request_id=request_id))


def _preview(request_id: int) -> service.Preview:
    return service.decision_preview(session(), desk(), occasion(), request_id)


def _fault_of(chosen: str, preview: service.Preview | None) -> str:
    """Why a result cannot be chosen now; "" when it can."""
    if chosen not in LABELS:
        return "Escolha: deferir, indeferir ou devolver."
    if chosen == "deferido" and preview is not None and not preview.grantable:
        return "Ainda não dá para deferir. Resolva antes o que está na lista."
    return ""


def _drafted(preview: service.Preview, chosen: str) -> str:
    """The text of a result as born from the grounds."""
    return {"deferido": preview.grant_text, "indeferido": preview.refusal_text}.get(chosen, "")


def _stale_text(stale: Stale) -> str:
    when = f" às {format_hour(stale.at.astimezone(zone()))}" if stale.at else ""
    who = stale.by or "Outra pessoa"
    return f"{who} mudou este requerimento{when}, depois que você abriu. Confira os apontamentos e decida de novo."


def _decided_text(done: AlreadyDone) -> str:
    if not isinstance(done.result, service.DecisionMade):
        return done_text(done)
    when = f" às {format_hour(done.at.astimezone(zone()))}" if done.at else ""
    return f"Decidido por {done.by}{when}. Nada se repetiu."


def _confirm(preview: service.Preview, form: DecisionForm, status: int = 200) -> Response:
    """«Confira» with what was typed, on the request as it stands now."""
    form.version.data = str(preview.progress.case.row.request.version)
    form.call_text()
    return htmx.render(
        "decisions/check.html",
        status=status,
        preview=preview,
        form=form,
        chosen=form.chosen,
        act=LABELS[form.chosen],  # type: ignore[index]
        **_about(preview),
    )


def _show(preview: service.Preview, status: int = 200, fault: str = "") -> Response:
    decided = preview.decided
    return htmx.render(
        "decisions/page.html",
        status=status,
        preview=preview,
        fault=fault,
        drafts={code: _drafted(preview, code) for code in LABELS},
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
