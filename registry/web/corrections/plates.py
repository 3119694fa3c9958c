"""The car got another plate: its form, and the page that says what changes."""

from __future__ import annotations

from flask import Response, abort, flash, request, url_for
from wtforms.validators import Length

from registry.domain.identifiers import format_plate
from registry.domain.text import format_date
from registry.services import plates as service
from registry.services.errors import Refused
from registry.services.plates import NO_REASON, PlateChange
from registry.services.vehicles import vehicle_of
from registry.web import htmx
from registry.web.access import access
from registry.web.corrections.blueprint import blueprint
from registry.web.edge import authority, perform, session, today
from registry.web.fields import DateField, PlateField, RegistryForm, StringField, TextAreaField, Wanted

_LONG = Length(max=400, message="Use no máximo 400 letras.")


class PlateForm(RegistryForm):
    """Another plate on the same car."""

    plate = PlateField("Placa nova", wanted="Digite a placa.")
    changed_on = DateField("Primeiro dia com a placa nova", wanted="Digite a data.")
    reason = TextAreaField("Motivo", [Wanted(NO_REASON), _LONG], description="Como «Clonagem, boletim 77/2026».")
    act = StringField("Ato", [_LONG], description="Como «Portaria 112/2026».")


@blueprint.route("/veiculos/<int(max=2147483647):vehicle_id>/trocar-placa", methods=["GET", "POST"])
@access("vehicles.edit")
def plate(vehicle_id: int) -> Response:
    """Gives the vehicle another plate from a day on."""
    vehicle = vehicle_of(session(), authority().code, vehicle_id)
    if vehicle.ended_at is not None:
        abort(404)
    form = PlateForm() if request.method == "POST" else PlateForm(changed_on=today(), version=vehicle.version)
    if request.method == "POST" and form.validate():
        change = PlateChange(
            str(form.plate.data), form.changed_on.data, str(form.reason.data or ""), str(form.act.data or "")
        )
        try:
            perform(service.change_plate, vehicle_id, form.saw_version, change)
        except Refused as refused:
            form.take(refused)
        else:
            day = format_date(form.changed_on.data)
            flash(f"Placa {format_plate(change.plate)} desde {day}. A consulta pública já mudou.", "ok")
            return htmx.go(url_for("vehicles.page", vehicle_id=vehicle_id))
    status = 422 if request.method == "POST" else 200
    return htmx.render("corrections/plate.html", status=status, form=form, vehicle=vehicle)
