"""A wrong row corrected: its page, what will happen in one sentence, and the act; records entered by mistake ended."""

from __future__ import annotations

from typing import Any

from flask import Response, abort, flash, request, url_for
from wtforms.validators import Length

from registry.domain.regime import Choice
from registry.domain.text import format_hour
from registry.services import corrections as service
from registry.services import merging
from registry.services.corrections import Wrong
from registry.services.errors import AlreadyDone, Refused
from registry.services.merging import NO_REASON
from registry.services.restrictions import KIND_LABELS
from registry.web import htmx
from registry.web.access import access
from registry.web.corrections.blueprint import blueprint
from registry.web.corrections.merges import noun_of
from registry.web.edge import authority, desk, now, occasion, perform, session
from registry.web.errors import done_text
from registry.web.fields import (
    BooleanField,
    ChoiceField,
    DateField,
    PlateField,
    RegistryForm,
    StringField,
    TextAreaField,
    Wanted,
)
from registry.web.shell import address_of
from registry.web.vehicles.forms import offer

ROWS = {
    "inclusoes": "permit_vehicle",
    "licencas": "licence",
    "restricoes": "restriction",
    "vinculos": "membership",
}
"""The nouns of what may be corrected by their names in the address."""

_LONG = Length(max=400, message="Use no máximo 400 letras.")


class OrderForm(RegistryForm):
    """Why, by which office, and the act."""

    reason = TextAreaField("Motivo", [Wanted(NO_REASON), _LONG])
    office = ChoiceField("Cargo que manda retificar", wanted="Escolha o cargo que manda retificar.")
    act = StringField("Ato", [_LONG], description="Como «Despacho 31/2026».")


class RowForm(OrderForm):
    """The right row in the place of a wrong one; :meth:`suit` leaves the fields that it has."""

    never = BooleanField("Nunca valeu: só anular, sem nada no lugar", false_values=(False, "false", "", "nao"))
    plate = PlateField("Placa certa")
    kind = ChoiceField("Restrição certa", [Choice(code, label) for code, label in KIND_LABELS.items()])
    since = DateField("Primeiro dia certo")
    until = DateField("Último dia certo", description="Em branco: sem fim.")
    issued_on = DateField("Emissão certa")
    valid_until = DateField("Último dia certo", description="Em branco: sem prazo.")
    bar_reason = TextAreaField("Motivo da restrição", [_LONG])
    bar_act = StringField("Ato da restrição", [_LONG])

    def suit(self, fields: tuple[str, ...]) -> None:
        """Takes away what this kind of row does not have."""
        for name in service.LABELS:
            if name in self and name not in fields:
                del self[name]


def _offices(form: Any) -> bool:
    """Gives the form the offices of the authority; False, and no such field, where it has none."""
    found = merging.offices(desk(), authority().code)
    offer(form.office, [Choice(code, label) for code, label in found.items()])
    if not found:
        del form["office"]
    return bool(found)


@blueprint.route("/retificar/<rows>/<int(max=2147483647):row_id>", methods=["GET", "POST"])
@access("corrections.make")
def correct(rows: str, row_id: int) -> Response:
    """Ends a wrong row and enters the right one; first says what will happen."""
    if rows not in ROWS:
        abort(404)
    wrong = service.wrong_row(session(), desk(), authority().code, ROWS[rows], row_id)
    if request.method == "GET":
        form = RowForm(data={**wrong.values, "version": wrong.stamp})
        _suit(form, wrong)
        return _show(form, wrong)
    form = RowForm()
    has_offices = _suit(form, wrong)
    if not form.validate():
        return _show(form, wrong, 422)
    right = None if form.never.data else {name: _typed(form, name) for name in wrong.fields}
    reason, act = str(form.reason.data or ""), str(form.act.data or "")
    office = str(form.office.data) if has_offices else ""
    try:
        if "confirmado" not in request.form:
            args = (session(), desk(), occasion(office), wrong.noun, row_id, right)
            effect = service.preview(*args, reason=reason, act=act)
            return htmx.render("corrections/check.html", form=form, wrong=wrong, effect=effect, back=_back(wrong))
        perform(service.correct, wrong.noun, row_id, form.saw_version, right, reason=reason, act=act, office=office)
    except Refused as refused:
        form.take(refused)
        return _show(form, wrong, 422)
    except AlreadyDone as done:
        flash(done_text(done), "info")
    else:
        flash(f"Retificado às {format_hour(now())}. A consulta pública já responde pelo certo.", "ok")
    return htmx.go(_back(wrong))


def _suit(form: RowForm, wrong: Wrong) -> bool:
    form.suit(wrong.fields)
    return _offices(form)


def _typed(form: RowForm, name: str) -> Any:
    field = form[name]
    return field.data if isinstance(field, DateField) else str(field.data or "")


def _back(wrong: Wrong) -> str:
    noun, id = wrong.subject
    return address_of(noun, id) or url_for("home.page")


def _show(form: RowForm, wrong: Wrong, status: int = 200) -> Response:
    fields = [form[name] for name in wrong.fields]
    return htmx.render("corrections/row.html", status=status, form=form, wrong=wrong, fields=fields, back=_back(wrong))


@blueprint.route("/cadastros/<nouns>/<int(max=2147483647):record_id>/encerrar", methods=["GET", "POST"])
@access("corrections.make")
def end_record(nouns: str, record_id: int) -> Response:
    """Ends a person or vehicle that was entered by mistake and that nothing points at."""
    noun = noun_of(nouns)
    row = merging.record_of(session(), authority().code, noun, record_id)
    form = OrderForm() if request.method == "POST" else OrderForm(version=row.version)
    has_offices = _offices(form)
    back = address_of(noun, record_id)
    if request.method == "POST" and form.validate():
        order = {"reason": str(form.reason.data or ""), "act": str(form.act.data or "")}
        office = str(form.office.data) if has_offices else ""
        try:
            perform(service.end_record, noun, record_id, form.saw_version, **order, office=office)
        except Refused as refused:
            form.take(refused)
        except AlreadyDone as done:
            flash(done_text(done), "info")
            return htmx.go(back)
        else:
            flash(f"Cadastro encerrado às {format_hour(now())}.", "ok")
            return htmx.go(back)
    status = 422 if request.method == "POST" else 200
    return htmx.render(
        "corrections/end.html", status=status, form=form, row=row, nouns=nouns, label=merging.label_of(row), back=back
    )
