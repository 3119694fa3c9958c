"""Bars begun and ended, the same on a vehicle and on a permit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response, flash, request

from registry.domain.regime import Choice, Regime
from registry.domain.text import format_hour
from registry.services import restrictions
from registry.services.errors import Refused
from registry.services.restrictions import RestrictionLine
from registry.web import htmx
from registry.web.edge import now, perform, today
from registry.web.fields import RegistryForm
from registry.web.people.forms import values_of
from registry.web.vehicles.forms import LiftForm, RestrictionForm, VoidForm, offer

ENDS = {
    "encerrar": ("Encerrar restrição", "Encerrar restrição"),
    "anular": ("Anular restrição registrada por engano", "Anular restrição"),
}
"""What may be done to a bar, by its name in the address: title of the page, button."""


def new_form(regimes: Sequence[Regime] = ()) -> RestrictionForm:
    """The form of a new bar, from today; it asks for the service only where there are several."""
    form = RestrictionForm() if request.method == "POST" else RestrictionForm(since=today())
    if len(regimes) > 1:
        offer(form.regime, [Choice(regime.code, regime.short_label) for regime in regimes])
    else:
        del form["regime"]
    return form


def end_form(act: str) -> RegistryForm:
    """The form that ends a bar, today, or annuls it."""
    if act == "anular":
        return VoidForm()
    return LiftForm() if request.method == "POST" else LiftForm(last_day=today())


def end(form: RegistryForm, act: str, bar_id: int) -> bool:
    """Ends or annuls the bar; False when the form is not in order, which then says why."""
    if not form.validate():
        return False
    use_case: Any = restrictions.lift_restriction if act == "encerrar" else restrictions.void_restriction
    try:
        perform(use_case, bar_id, **values_of(form))
    except Refused as refused:
        form.take(refused)
        return False
    done = "encerrada" if act == "encerrar" else "anulada"
    flash(f"Restrição {done} às {format_hour(now())}. A consulta pública já mudou.", "ok")
    return True


def form_page(
    title: str,
    subject: str,
    places: Sequence[tuple[str, str]],
    form: RegistryForm,
    button: str,
    bar: RestrictionLine | None = None,
) -> Response:
    """The form as a page; ``places`` lead back to the record, ``bar`` is the one that is ended."""
    status = 422 if request.method == "POST" else 200
    return htmx.render(
        "vehicles/bar.html",
        status=status,
        title=title,
        subject=subject,
        places=list(places),
        form=form,
        button=button,
        bar=bar,
    )
