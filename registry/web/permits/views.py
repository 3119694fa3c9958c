"""A permit: its state and reasons, vehicles, licences, bars, history; ended, or a vehicle taken off it, by act."""

from __future__ import annotations

from flask import Blueprint, Response, abort, flash, request, url_for

from registry.domain.identifiers import format_plate
from registry.domain.sentences import join_words
from registry.domain.text import format_date, format_hour
from registry.services import permits as service
from registry.services import restrictions
from registry.services.errors import Refused
from registry.services.permit_pages import PermitPage, permit_page
from registry.services.registers import PERMIT_ORDERS, PERMIT_STATES, Listed, PermitLine, list_permits, regime_label
from registry.services.status import RegimeAnswer
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, now, perform, session, settings, today
from registry.web.fields import RegistryForm
from registry.web.paging import PAGE_SIZE, list_view, order_of, page_number, quoted
from registry.web.people.forms import values_of
from registry.web.permits.forms import EndForm, RemovalForm
from registry.web.shell import MenuEntry
from registry.web.spreadsheet import CHUNK, sheet
from registry.web.vehicles import bars

blueprint = Blueprint("permits", __name__, url_prefix="/outorgas")
MENU = (MenuEntry("cadastros", "Outorgas", "permits.index", order=30),)
ONE = "/<int(max=2147483647):permit_id>"


@blueprint.get("")
@access("permits.view")
def index() -> Response:
    """The register: ``?q=`` number, plate or holder's name, ``?servico=``, ``?situacao=``, ``?ordem=``,
    ``?page=``."""
    typed, regime, state = (request.args.get(name, "") for name in ("q", "servico", "situacao"))
    services = {code: regime_label(desk(), code) for code in authority().regimes}
    chips = {"q": quoted(typed), "servico": services.get(regime, ""), "situacao": PERMIT_STATES.get(state, "")}
    return htmx.render(
        "permits/index.html",
        "permits/_results.html",
        found=_listed(page_number()),
        view=list_view(chips, default="numero", export="permits.export"),
        q=typed,
        regime=regime,
        services=services,
        state=state,
        states=PERMIT_STATES,
        today=today(),
    )


@blueprint.get("/planilha.csv")
@access("permits.view")
def export() -> Response:
    """What the register shows with its filters, as a table for a spreadsheet."""
    columns = {
        "Outorga": lambda line: line.label,
        "Titular": lambda line: line.holder,
        "Serviço": lambda line: line.regime_label,
        "Categoria": lambda line: line.category,
        "Placas": lambda line: ", ".join(format_plate(plate) for _, plate in line.plates),
        "Desde": lambda line: line.granted_on if line.granted_on_known else None,
        "Encerrada em": lambda line: line.ended_on,
    }
    filters = {name: request.args.get(name, "") for name in ("q", "servico", "situacao")}
    return sheet("outorgas", columns, lambda number: _listed(number, CHUNK).lines, filters)


def _listed(number: int, size: int = PAGE_SIZE) -> Listed[PermitLine]:
    typed, regime, state = (request.args.get(name, "") for name in ("q", "servico", "situacao"))
    if (regime and regime not in authority().regimes) or (state and state not in PERMIT_STATES):
        abort(404)
    return list_permits(
        session(),
        desk(),
        authority().code,
        today(),
        typed=typed,
        regime=regime,
        state=state,
        order=order_of(PERMIT_ORDERS),
        page=number,
        size=size,
    )


@blueprint.get(ONE)
@access("permits.view")
def page(permit_id: int) -> Response:
    """The page of a permit. It opens without its regime's plugin too."""
    found = _found(permit_id)
    answers = _answers(found)
    return htmx.render(
        "permits/page.html",
        found=found,
        regime_label=regime_label(desk(), found.regime),
        answers=answers,
        state=_state(found, answers),
        today=today(),
        plugin_of={code: regime.plugin for code, regime in desk().host.regimes.items()},
        kinds=_request_kinds(found),
        who_ends=join_words([settings().roles[role] for role in settings().permissions["permits.end"]]),
    )


def _found(permit_id: int) -> PermitPage:
    return permit_page(session(), desk(), authority().code, permit_id, now())


def _answers(found: PermitPage) -> tuple[RegimeAnswer, ...]:
    """What the public reads of the permit's vehicle; nothing where another permit speaks for the vehicle by now."""
    told = [answer for line in found.vehicles for answer in line.answers]
    return tuple(answer for answer in told if answer.card.number in ("", found.number))


def _state(found: PermitPage, answers: tuple[RegimeAnswer, ...]) -> str:
    """The status word of the permit: ended, or what the public reads of its vehicle."""
    if found.state == "encerrada":
        return "encerrado"
    if not found.regime_loaded:
        return "indisponivel"
    states = {answer.state for answer in answers}
    if not states:
        return "em_vigor"
    if "authorized" in states:
        return "autorizado"
    return "nao_autorizado" if "denied" in states else "indisponivel"


def _request_kinds(found: PermitPage) -> dict[str, str]:
    regime = desk().host.regimes.get(found.regime)
    return {kind.code: kind.label for kind in regime.request_kinds} if regime else {}


@blueprint.route(f"{ONE}/encerrar", methods=["GET", "POST"])
@access("permits.end")
def end(permit_id: int) -> Response:
    """Ends the permit with its licences, with reason and act."""
    found = _found(permit_id)
    if not found.regime_loaded:
        abort(404)
    form = EndForm() if request.method == "POST" else EndForm(on=today(), version=found.version)
    if request.method == "POST" and form.validate():
        values = {name: form[name].data or "" for name in ("reason", "act")}
        try:
            perform(service.end_permit, permit_id, form.saw_version, form.on.data, **values)
        except Refused as refused:
            form.take(refused)
        else:
            flash(f"Outorga encerrada: sem efeito a partir de {format_date(form.on.data)}.", "ok")
            return htmx.go(url_for("permits.page", permit_id=permit_id))
    status = 422 if request.method == "POST" else 200
    return htmx.render("permits/end.html", status=status, found=found, form=form)


@blueprint.route(f"{ONE}/veiculos/<int(max=2147483647):vehicle_id>/baixa", methods=["GET", "POST"])
@access("permits.end")
def remove_vehicle(permit_id: int, vehicle_id: int) -> Response:
    """Takes a vehicle off the permit with its licence, with reason and act."""
    found = _found(permit_id)
    lines = [each for each in found.vehicles if each.vehicle_id == vehicle_id]
    if not lines or not found.regime_loaded:
        abort(404)
    form = RemovalForm() if request.method == "POST" else RemovalForm(on=today(), version=found.version)
    if request.method == "POST" and form.validate():
        values = {name: form[name].data or "" for name in ("reason", "act")}
        try:
            perform(service.remove_vehicle, permit_id, vehicle_id, form.saw_version, form.on.data, **values)
        except Refused as refused:
            form.take(refused)
        else:
            plate = format_plate(lines[0].plate)
            flash(f"Baixa do veículo {plate} registrada. A consulta pública já mudou.", "ok")
            return htmx.go(url_for("permits.page", permit_id=permit_id))
    status = 422 if request.method == "POST" else 200
    others = [each for each in found.vehicles if each.until is None and each.vehicle_id != vehicle_id]
    return htmx.render("permits/removal.html", status=status, found=found, line=lines[0], others=others, form=form)


@blueprint.route(f"{ONE}/restringir", methods=["GET", "POST"])
@access("restrictions.edit")
def restrict(permit_id: int) -> Response:
    """Bars every vehicle of the permit."""
    found = _found(permit_id)
    if not found.regime_loaded:
        abort(404)
    form = bars.new_form()
    if request.method == "POST" and form.validate():
        try:
            perform(restrictions.restrict_permit, permit_id, **values_of(form))
        except Refused as refused:
            form.take(refused)
        else:
            flash(f"Restrição registrada às {format_hour(now())}. A consulta pública já mudou.", "ok")
            return htmx.go(url_for("permits.page", permit_id=permit_id))
    return _bar_page(found, "Restringir a outorga", form, "Registrar restrição")


@blueprint.route(f"{ONE}/restricoes/<int(max=2147483647):bar_id>/<act>", methods=["GET", "POST"])
@access("restrictions.edit")
def end_bar(permit_id: int, bar_id: int, act: str) -> Response:
    """Ends a bar of the permit itself (``encerrar``), or marks it as recorded by mistake (``anular``)."""
    found = _found(permit_id)
    line = next((each for each in found.bars if each.bar.id == bar_id and each.vehicle_id is None), None)
    if line is None or act not in bars.ENDS or not found.regime_loaded:
        abort(404)
    form = bars.end_form(act)
    if request.method == "POST" and bars.end(form, act, bar_id):
        return htmx.go(url_for("permits.page", permit_id=permit_id))
    title, button = bars.ENDS[act]
    return _bar_page(found, f"{title}: {line.bar.label.lower()}", form, button, line.bar)


def _bar_page(
    found: PermitPage, title: str, form: RegistryForm, button: str, bar: restrictions.RestrictionLine | None = None
) -> Response:
    label = f"{found.permit_label} nº {found.number}"
    places = [("Outorgas", url_for("permits.index")), (label, url_for("permits.page", permit_id=found.id))]
    return bars.form_page(title, label, places, form, button, bar)
