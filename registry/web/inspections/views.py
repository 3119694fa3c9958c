"""The vistoria: agenda of the day, booking, no-show, and what stands around one inspection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

from flask import Response, abort, flash, request, url_for
from werkzeug.datastructures import MultiDict

from registry.domain.identifiers import format_plate
from registry.domain.text import TextError, fold, format_date, format_hour, parse_date
from registry.services import inspections as service
from registry.services.errors import AlreadyDone, Refused
from registry.services.inspection_booking import booking_page
from registry.services.inspection_pages import AgendaLine
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, occasion, perform, session, today, zone
from registry.web.errors import done_text
from registry.web.inspections import checklist, photos
from registry.web.inspections.blueprint import ONE, blueprint
from registry.web.inspections.forms import CancelForm, WhenForm
from registry.web.paging import PAGE_SIZE, in_order, list_view, order_of, page_number, page_of
from registry.web.shell import MenuEntry, address_of
from registry.web.spreadsheet import CHUNK, sheet

__all__ = ["MENU", "blueprint", "checklist", "photos"]
MENU = (MenuEntry("vistorias", "Agenda", "inspections.agenda", order=10),)
ORDERS: dict[str, Callable[[AgendaLine], Any]] = {
    "hora": lambda line: line.at,
    "placa": lambda line: line.plate,
    "quem": lambda line: fold(line.holder),
    "local": lambda line: fold(line.place),
    "situacao": lambda line: line.state_label,
}


@blueprint.get("")
@access("inspections.view")
def agenda() -> Response:
    """The agenda of ``?dia=30/11/2026`` (today without it), by hour and place; ``&local=`` one place, ``&ordem=``."""
    typed, place = request.args.get("dia", ""), request.args.get("local", "")
    day, fault = _day(typed)
    found = service.agenda(session(), desk(), authority().code, day) if not fault else ()
    lines, number = _of_place(found, place), page_number()
    fixed = {"dia": format_date(day)} if typed.strip() and not fault else {}
    return htmx.render(
        "inspections/agenda.html",
        "inspections/_agenda.html",
        status=422 if fault else 200,
        day=day,
        typed=typed or format_date(day),
        fault=fault,
        place=place,
        places=sorted({line.place for line in found if line.place}),
        lines=page_of(lines, number),
        view=list_view({"local": place}, default="hora", export="inspections.export", place=fixed),
        total=len(lines),
        number=number,
        size=PAGE_SIZE,
        is_today=day == today(),
        before=format_date(day - timedelta(days=1)),
        after=format_date(day + timedelta(days=1)),
    )


@blueprint.get("/planilha.csv")
@access("inspections.view")
def export() -> Response:
    """The agenda with its filters as a table for a spreadsheet."""
    day, fault = _day(request.args.get("dia", ""))
    if fault:
        abort(404)
    place = request.args.get("local", "")
    lines = _of_place(service.agenda(session(), desk(), authority().code, day), place)
    columns = {
        "Dia": lambda line: line.at or day,
        "Hora": lambda line: format_hour(line.at) if line.at else None,
        "Placa": lambda line: format_plate(line.plate),
        "Veículo": lambda line: line.vehicle,
        "Quem": lambda line: line.holder,
        "Requerimento": lambda line: line.request_number,
        "Local": lambda line: line.place,
        "Situação": lambda line: line.state_label,
        "Selo": lambda line: line.seal,
    }
    filters = {"dia": format_date(day), "local": place}
    return sheet("vistorias", columns, lambda number: lines[(number - 1) * CHUNK : number * CHUNK], filters)


def _of_place(found: Sequence[AgendaLine], place: str) -> list[AgendaLine]:
    """The lines of one place, or all, in the order asked for."""
    lines = [line for line in found if not place or line.place == place]
    return in_order(lines, order_of(ORDERS), ORDERS)


def _day(typed: str) -> tuple[date, str]:
    """The day asked for and the sentence where it cannot be read."""
    if not typed.strip():
        return today(), ""
    try:
        day = parse_date(typed)
    except TextError as error:
        return today(), error.message_pt
    return (day, "") if date.min < day < date.max else (today(), "Escreva a data como 30/11/2026.")


@blueprint.route("/marcar/<int(max=2147483647):request_id>", methods=["GET", "POST"])
@access("inspections.book")
def book(request_id: int) -> Response:
    """Books the inspection of a request; what stands in the way is said in the form's place."""
    form = WhenForm() if request.method == "POST" else WhenForm(MultiDict(request.args))
    if request.method == "GET":
        _fill(form)
        return _show_booking(request_id, form)
    if not form.validate():
        return _show_booking(request_id, form, 422)
    try:
        inspection_id = perform(service.book_inspection, request_id, form.when(zone()), str(form.place.data))
    except Refused as refused:
        form.take(_beside_day(refused))
        return _show_booking(request_id, form, 422)
    flash(f"Vistoria marcada para {format_date(form.day.data)}, {format_hour(form.when(zone()))}.", "ok")
    return htmx.go(url_for("inspections.page", inspection_id=inspection_id))


def _fill(form: WhenForm) -> None:
    """An address that names only a day leaves the rest empty, without a fault."""
    form.day.errors = form.hour.errors = form.place.errors = ()


def _beside_day(refused: Refused) -> Refused:
    fields = {"day" if name == "when" else name: text for name, text in refused.fields.items()}
    return Refused(fields, refused.message)


def _show_booking(request_id: int, form: WhenForm, status: int = 200) -> Response:
    found = booking_page(session(), desk(), occasion(), request_id)
    return htmx.render(
        "inspections/book.html",
        {"agenda-do-dia": "inspections/_taken.html"},
        status=status,
        found=found,
        form=form,
        request_address=address_of("request", request_id),
        **_taken(form),
    )


def _taken(form: WhenForm) -> dict[str, Any]:
    """What is booked already on the day being typed."""
    if form.day.data is None:
        return {"taken": None, "taken_on": None}
    lines = service.agenda(session(), desk(), authority().code, form.day.data)
    return {"taken": [line for line in lines if line.state == "marcada"], "taken_on": form.day.data}


@blueprint.route(f"{ONE}/remarcar", methods=["GET", "POST"])
@access("inspections.book")
def move(inspection_id: int) -> Response:
    """Another day, hour or place for an inspection that is booked."""
    found = _page(inspection_id)
    kept = {"day": found.scheduled_at.date(), "hour": found.scheduled_at.time()} if found.scheduled_at else {}
    form = WhenForm(version=found.version, place=found.place, **kept)
    if request.method == "POST" and form.validate():
        args = (inspection_id, form.saw_version, form.when(zone()), str(form.place.data))
        try:
            perform(service.move_inspection, *args)
        except Refused as refused:
            form.take(_beside_day(refused))
        else:
            flash(f"Vistoria remarcada para {format_date(form.day.data)}, {format_hour(form.when(zone()))}.", "ok")
            return htmx.go(url_for("inspections.page", inspection_id=inspection_id))
    return _show_move(found, form, CancelForm(version=found.version))


def _show_move(found: service.InspectionPage, form: WhenForm, cancel: CancelForm) -> Response:
    return htmx.render(
        "inspections/move.html",
        {"agenda-do-dia": "inspections/_taken.html"},
        status=422 if form.errors or form.message or cancel.errors else 200,
        found=found,
        form=form,
        cancel=cancel,
        **_taken(form),
    )


@blueprint.post(f"{ONE}/cancelar")
@access("inspections.book")
def cancel(inspection_id: int) -> Response:
    """Takes an inspection off the agenda."""
    form = CancelForm()
    if not form.validate():
        found = _page(inspection_id)
        kept = {"day": found.scheduled_at.date(), "hour": found.scheduled_at.time()} if found.scheduled_at else {}
        blank = WhenForm(formdata=None, version=found.version, place=found.place, **kept)
        return _show_move(found, blank, form)
    return _act(inspection_id, service.cancel_inspection, form.saw_version, str(form.reason.data))


@blueprint.post(f"{ONE}/falta")
@access("inspections.record")
def no_show(inspection_id: int) -> Response:
    """Nobody brought the vehicle."""
    form = CancelForm()
    return _act(inspection_id, service.record_no_show, form.saw_version)


def _act(inspection_id: int, act: Callable[..., None], *args: Any) -> Response:
    """An act that needs no page of its own; done before, the page says so."""
    try:
        perform(act, inspection_id, *args)
    except AlreadyDone as done:
        flash(done_text(done), "info")
    return htmx.go(url_for("inspections.page", inspection_id=inspection_id))


def _page(inspection_id: int) -> service.InspectionPage:
    found = service.inspection_page(session(), desk(), authority().code, inspection_id, occasion().at)
    if found.state != "marcada":
        abort(404)
    return found
