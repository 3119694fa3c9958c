"""A vehicle: found by either form of its plate, entered once, described a section at a time, barred and freed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, abort, flash, request, url_for
from werkzeug.datastructures import MultiDict

from registry.domain.identifiers import format_plate
from registry.domain.text import format_hour
from registry.services import restrictions
from registry.services import vehicles as service
from registry.services.errors import Existing, Refused
from registry.services.merging import kept_instead
from registry.services.registers import VEHICLE_ORDERS, VEHICLE_STATES, Listed, VehicleLine, list_vehicles
from registry.services.status import RegimeAnswer
from registry.services.vehicle_pages import vehicle_page
from registry.services.vehicles import LABELS, VehicleInput, vehicle_types
from registry.store.vehicles import Vehicle
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, now, perform, session, today
from registry.web.fields import USE, RegistryForm
from registry.web.formats import shown
from registry.web.paging import PAGE_SIZE, list_view, order_of, page_number, quoted
from registry.web.people.forms import values_of
from registry.web.returning import way_back_with
from registry.web.shell import MenuEntry
from registry.web.spreadsheet import CHUNK, sheet
from registry.web.vehicles import bars
from registry.web.vehicles.forms import SECTIONS, VehicleForm, offer, types_of

blueprint = Blueprint("vehicles", __name__, url_prefix="/veiculos")
MENU = (MenuEntry("cadastros", "Veículos", "vehicles.index", order=20),)
ONE = "/<int(max=2147483647):vehicle_id>"


@dataclass(frozen=True)
class Difference:
    """A field in which the vehicle's record and what was typed differ: both as read and as typed in the field."""

    field: str
    label: str
    here: str
    here_text: str
    typed: str
    typed_text: str


@blueprint.get("")
@access("vehicles.view")
def index() -> Response:
    """The register: ``?q=`` the beginning of a plate in either form, ``?outorga=`` com or sem, ``?ordem=``,
    ``?page=``."""
    typed, state = request.args.get("q", ""), request.args.get("outorga", "")
    chips = {"q": quoted(typed), "outorga": VEHICLE_STATES.get(state, "")}
    return htmx.render(
        "vehicles/index.html",
        "vehicles/_results.html",
        found=_listed(page_number()),
        view=list_view(chips, default="placa", export="vehicles.export"),
        q=typed,
        state=state,
        states=VEHICLE_STATES,
    )


@blueprint.get("/planilha.csv")
@access("vehicles.view")
def export() -> Response:
    """What the register shows with its filters, as a table for a spreadsheet."""
    columns = {
        "Placa": lambda line: format_plate(line.plate),
        "Veículo": lambda line: line.description,
        "Tipo": lambda line: line.type_label,
        "Lugares": lambda line: line.seats,
        "Cor": lambda line: line.colour,
        "Outorga em vigor": lambda line: ", ".join(permit.label for permit in line.permits),
    }
    filters = {name: request.args.get(name, "") for name in ("q", "outorga")}
    return sheet("veiculos", columns, lambda number: _listed(number, CHUNK).lines, filters)


def _listed(number: int, size: int = PAGE_SIZE) -> Listed[VehicleLine]:
    state = request.args.get("outorga", "")
    if state and state not in VEHICLE_STATES:
        abort(404)
    return list_vehicles(
        session(),
        desk(),
        authority().code,
        today(),
        typed=request.args.get("q", ""),
        state=state,
        order=order_of(VEHICLE_ORDERS),
        page=number,
        size=size,
    )


@blueprint.get(ONE)
@access("vehicles.view")
def page(vehicle_id: int) -> Response:
    """The page of a vehicle; of one that was merged, the page of the one that it became."""
    return show(vehicle_id)


@blueprint.get("/novo")
@access("vehicles.edit")
def new() -> Response:
    """The form; ``?plate=`` fills the plate in."""
    asked = {name: request.args[name] for name in ("plate", USE) if name in request.args}
    form = _with_types(VehicleForm(MultiDict(asked) if asked else None))
    if asked and form.check("plate"):
        _note_existing(form)
    return _show_new(form)


@blueprint.post("/novo/conferir")
@access("vehicles.edit")
def check() -> Response:
    """The plate's field on leaving it: what is wrong with it, or the vehicle that has it already."""
    form = _with_types(VehicleForm())
    if form.check("plate"):
        _note_existing(form)
    form.plate.first_fault = False  # whoever goes on typing keeps the focus
    return htmx.render(
        "vehicles/new.html", "vehicles/_plate.html", form=form, differences=(), other=None, back=_back(form)
    )


@blueprint.post("/novo")
@access("vehicles.edit")
def create() -> Response:
    """Enters the vehicle; where the plate is here already with another description, asks which one is right."""
    form = _with_types(VehicleForm())
    if not form.validate():
        return _show_new(form, 422)
    try:
        vehicle_id = perform(service.create_vehicle, VehicleInput(**values_of(form)))
    except Refused as refused:
        form.take(refused)
        return _show_new(form, 422)
    flash(f"Cadastro feito às {format_hour(now())}.", "ok")
    return htmx.go(_back(form) or url_for("vehicles.page", vehicle_id=vehicle_id))


def _with_types(form: Any) -> Any:
    if "type" in form:
        offer(form.type, types_of(desk().regimes_of(authority().code)))
    return form


def _note_existing(form: VehicleForm) -> None:
    """Says beside the plate that it is here, in either form."""
    types = vehicle_types(desk(), authority().code)
    other = service.find_by_plate(session(), authority().code, str(form.plate.data), types, former=False)
    if other is not None:
        label = f"{other.plate}, {other.description}".rstrip(", ")
        existing = {"plate": Existing("vehicle", other.id, label)}
        form.take(Refused({"plate": f"Já existe: {label}. Abrir"}, existing=existing))


def _show_new(form: VehicleForm, status: int = 200) -> Response:
    """The form; when its plate is here already, with both descriptions to choose from."""
    existing = form.existing.get("plate")
    other = service.vehicle_of(session(), authority().code, existing.id) if existing else None
    differences = _differences(form, other) if other is not None else ()
    return htmx.render(
        "vehicles/new.html",
        "vehicles/_new.html",
        status=status,
        form=form,
        other=other,
        differences=differences,
        back=_back(form),
    )


def _back(form: VehicleForm) -> str:
    """The way back with the plate that was typed; "" when one came from nowhere."""
    return way_back_with(["plate"], str(form.plate.data or ""))


def _differences(form: VehicleForm, other: Vehicle) -> tuple[Difference, ...]:
    """The fields that were typed and differ from the record, the plate's form too."""
    types = vehicle_types(desk(), authority().code)
    reads: dict[str, Callable[[Any], str]] = {
        "plate": format_plate,
        "type": lambda code: types.get(code, shown(code)),
    }
    found = []
    for name, label in LABELS.items():
        typed, here = form[name].data, getattr(other, name)
        if (form[name].errors and name != "plate") or typed in (None, "") or typed == here:
            continue
        raw = str(form[name].raw_data[0]) if form[name].raw_data else ""
        read = reads.get(name, shown)
        found.append(Difference(name, label, read(here), _typed(form, name, here), read(typed), raw))
    return tuple(found)


def _typed(form: VehicleForm, name: str, value: Any) -> str:
    """A value of the record as it would be typed in its field."""
    if value is None:
        return ""
    return str(form[name].write(value)) if hasattr(form[name], "write") else str(value)


@blueprint.route(f"{ONE}/alterar/<section>", methods=["GET", "POST"])
@access("vehicles.edit")
def edit(vehicle_id: int, section: str) -> Response:
    """One section of the record as a form; saving leads back to the page."""
    if section not in SECTIONS:
        abort(404)
    vehicle = service.vehicle_of(session(), authority().code, vehicle_id)
    form = _with_types(SECTIONS[section][1](obj=vehicle))
    if request.method == "GET":
        return show(vehicle_id, section, form)
    return _save(vehicle_id, section, form)


@blueprint.post(f"{ONE}/descricoes")
@access("vehicles.edit")
def choose(vehicle_id: int) -> Response:
    """Saves the fields that were chosen of two descriptions; the others stay."""
    form = _with_types(VehicleForm())
    for name in LABELS:
        if name not in request.form:
            del form[name]
    return _save(vehicle_id, "", form)


def _save(vehicle_id: int, section: str, form: RegistryForm) -> Response:
    if not form.validate():
        return _again(vehicle_id, section, form)
    try:
        changed = perform(service.update_vehicle, vehicle_id, form.saw_version, values_of(form))
    except Refused as refused:
        form.take(refused)
        return _again(vehicle_id, section, form)
    flash(f"Gravado às {format_hour(now())}." if changed else "Nada mudou.", "ok")
    return htmx.go(url_for("vehicles.page", vehicle_id=vehicle_id))


def _again(vehicle_id: int, section: str, form: RegistryForm) -> Response:
    """The section's form with its faults; chosen fields have no form, so their faults are a refusal as a page."""
    if not section:
        raise Refused({field.name: text for field, text in form.faults}, form.message)
    return show(vehicle_id, section, form, 422)


def show(vehicle_id: int, editing: str = "", form: RegistryForm | None = None, status: int = 200) -> Response:
    """The page of a vehicle, with one section as a form where ``editing`` names it."""
    found = vehicle_page(session(), desk(), authority().code, vehicle_id, now())
    if found.vehicle.ended_at is not None:
        kept_id = kept_instead(session(), authority().code, "vehicle", vehicle_id)
        if kept_id is not None:
            flash("Este cadastro foi juntado a outro: você está no que ficou.", "info")
            return htmx.go(url_for("vehicles.page", vehicle_id=kept_id))
    return htmx.render(
        "vehicles/page.html",
        {"ficha": "vehicles/_record.html"},
        status=status,
        found=found,
        vehicle=found.vehicle,
        state=situation_of(found.answers),
        plugin_of={code: regime.plugin for code, regime in desk().host.regimes.items()},
        today=today(),
        regimes=desk().regimes_of(authority().code),
        sections=SECTIONS,
        editing=editing,
        form=form,
    )


def situation_of(answers: tuple[RegimeAnswer, ...]) -> str:
    """The status word of a vehicle: authorised where one regime says so; "" when no permit has it."""
    states = {answer.state for answer in answers}
    if not states:
        return ""
    if "authorized" in states:
        return "autorizado"
    return "nao_autorizado" if "denied" in states else "indisponivel"


@blueprint.route(f"{ONE}/restringir", methods=["GET", "POST"])
@access("restrictions.edit")
def restrict(vehicle_id: int) -> Response:
    """Bars the vehicle: suspension, seizure, accident block, off-road order."""
    vehicle = service.vehicle_of(session(), authority().code, vehicle_id)
    regimes = desk().regimes_of(authority().code)
    if not regimes:
        abort(404)
    form = bars.new_form(regimes)
    if request.method == "POST" and form.validate():
        try:
            perform(restrictions.restrict_vehicle, vehicle_id, **{"regime": regimes[0].code, **values_of(form)})
        except Refused as refused:
            form.take(refused)
        else:
            flash(f"Restrição registrada às {format_hour(now())}. A consulta pública já mudou.", "ok")
            return htmx.go(url_for("vehicles.page", vehicle_id=vehicle_id))
    return _bar_page(vehicle, "Restringir o veículo", form, "Registrar restrição")


@blueprint.route(f"{ONE}/restricoes/<int(max=2147483647):bar_id>/<act>", methods=["GET", "POST"])
@access("restrictions.edit")
def end_bar(vehicle_id: int, bar_id: int, act: str) -> Response:
    """Ends a bar of the vehicle itself (``encerrar``), or marks it as recorded by mistake (``anular``)."""
    found = vehicle_page(session(), desk(), authority().code, vehicle_id, now())
    line = next((each for each in found.bars if each.bar.id == bar_id and each.permit_id is None), None)
    if line is None or act not in bars.ENDS:
        abort(404)
    form = bars.end_form(act)
    if request.method == "POST" and bars.end(form, act, bar_id):
        return htmx.go(url_for("vehicles.page", vehicle_id=vehicle_id))
    title, button = bars.ENDS[act]
    return _bar_page(found.vehicle, f"{title}: {line.bar.label.lower()}", form, button, line.bar)


def _bar_page(
    vehicle: Vehicle, title: str, form: RegistryForm, button: str, bar: restrictions.RestrictionLine | None = None
) -> Response:
    plate = format_plate(vehicle.plate)
    back = url_for("vehicles.page", vehicle_id=vehicle.id)
    places = [("Veículos", url_for("vehicles.index")), (f"Veículo {plate}", back)]
    return bars.form_page(title, f"Veículo {plate}", places, form, button, bar)
