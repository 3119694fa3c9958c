"""The periods in which an act sets the band, for the authority's staff: list, entry, taking back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, abort, flash, request, url_for

from registry.api.data import AlreadyDone, Refused
from registry.api.screens import (
    CHUNK,
    PAGE_SIZE,
    Answered,
    MenuEntry,
    access,
    answers,
    authority,
    desk,
    go,
    list_view,
    now,
    order_of,
    page_number,
    perform,
    render,
    session,
    sheet,
)
from registry_taxi_bandeiras import periods
from registry_taxi_bandeiras.forms import AnnulForm, PeriodForm, period_form
from registry_taxi_bandeiras.periods import HOOK, PeriodInput, PeriodLine

PLUGIN = "taxi_bandeiras"
STATES = {"agora": "Em vigor", "futuro": "Ainda não começou", "passado": "Passou", "anulado": "Anulado"}

blueprint = Blueprint("bandeiras_por_ato", __name__, url_prefix="/indices/bandeiras", template_folder="templates")


def is_shown() -> bool:
    """Whether fare bands are of use to the user's authority: it administers one of the regimes of the settings."""
    wanted = set(desk().host.settings_of(PLUGIN)["regimes"])
    return not wanted or not wanted.isdisjoint(authority().regimes)


MENU = (MenuEntry("indices", "Bandeiras por ato", "bandeiras_por_ato.index", order=40, shown=is_shown),)


@blueprint.get("")
@access("indexes.view")
def index() -> Response:
    """The periods, the latest start first: ``?situacao=``, ``?ordem=``, ``?page=``; and the form of a new one."""
    return _show(_form()(formdata=None))


@blueprint.get("/planilha.csv")
@access("indexes.view")
def export() -> Response:
    """What the list shows with its filter, as a table for a spreadsheet."""
    found = _found()
    columns: dict[str, Callable[[PeriodLine], Any]] = {
        "Começo": lambda line: f"{line.start:%d/%m/%Y %H:%M}",
        "Fim": lambda line: f"{line.end:%d/%m/%Y %H:%M}",
        "Bandeira": lambda line: line.band,
        "Vale para": lambda line: line.service or "todos",
        "Ato": lambda line: line.act,
        "Situação": lambda line: STATES[line.state],
    }
    filters = {"situacao": request.args.get("situacao", "")}
    return sheet("bandeiras", columns, lambda number: found[(number - 1) * CHUNK : number * CHUNK], filters)


@blueprint.post("")
@access("indexes.edit")
def enter() -> Response:
    """Enters a period by act."""
    form = _form()()
    try:
        if not form.validate():
            return _show(form, 422)
        perform(periods.enter_period, _given(form))
    except Refused as refused:
        form.take(refused)
        return _show(form, 422)
    flash("Período lançado. A consulta pública e a página das tarifas já o seguem.", "ok")
    return go(url_for("bandeiras_por_ato.index"))


@blueprint.get("/<int(max=2147483647):period_id>/anular")
@access("indexes.edit")
def annul(period_id: int) -> Response:
    """What is asked before a period is taken back."""
    return _annul_page(period_id, AnnulForm(formdata=None))


@blueprint.post("/<int(max=2147483647):period_id>/anular")
@access("indexes.edit")
def annul_it(period_id: int) -> Response:
    """Takes a period back."""
    form = AnnulForm()
    try:
        if not form.validate():
            return _annul_page(period_id, form, 422)
        perform(periods.annul_period, period_id, str(form.reason.data))
        flash("Período anulado. Vale de novo a tabela.", "ok")
    except Refused as refused:
        form.take(refused)
        return _annul_page(period_id, form, 422)
    except AlreadyDone as done:
        flash(f"Este período já foi anulado por {done.by}. Nada se repetiu.", "info")
    return go(url_for("bandeiras_por_ato.index"))


def _tables() -> list[Answered]:
    """The authority's regimes that have bands. Where there is none, this page does not exist (404)."""
    found = [each for each in answers(HOOK) if each.authority.code == authority().code]
    return found or abort(404)


def _labels() -> dict[str, str]:
    return {choice.code: choice.label for each in _tables() for choice in each.regime.categories}


def _form() -> type[PeriodForm]:
    tables = _tables()
    labels = _labels()
    services = dict.fromkeys(code for each in tables for code in periods.services_of(each.value))
    bands = sorted({band for each in tables for band in periods.bands_of(each.value)})
    regimes = [(each.regime.code, each.regime.label) for each in tables]
    return period_form(regimes, bands, [(code, labels.get(code, code)) for code in services])


def _given(form: PeriodForm) -> PeriodInput:
    zone = authority().zone
    moments = []
    for edge in ("start", "end"):
        day, hour = form[f"{edge}_day"].data, form[f"{edge}_hour"].data
        moments.append(datetime.combine(day, hour, zone))
    regime = form["regime"].data if "regime" in form else _tables()[0].regime.code
    service = "" if form["service"].data == "todos" else str(form["service"].data)
    return PeriodInput(str(regime), moments[0], moments[1], int(form["band"].data), str(form.act.data), service)


def _found() -> list[PeriodLine]:
    """The periods of the filter in the order of the address; a filter that is none is no page (404)."""
    _tables()
    state, order = request.args.get("situacao", ""), order_of({"comeco"})
    if state and state not in STATES:
        abort(404)
    found = periods.list_periods(session(), authority().code, now())
    kept = [line for line in found if state in ("", line.state)]
    return kept[::-1] if order == "comeco" else kept


def _show(form: PeriodForm, status: int = 200) -> Response:
    found, number = _found(), page_number()
    lines = found[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    if not lines and number > 1:
        abort(404)
    state = request.args.get("situacao", "")
    return render(
        "bandeiras/periods.html",
        status=status,
        form=form,
        lines=lines,
        total=len(found),
        number=number,
        size=PAGE_SIZE,
        view=list_view({"situacao": STATES.get(state, "")}, default="-comeco", export="bandeiras_por_ato.export"),
        state=state,
        states=STATES,
        labels=_labels(),
    )


def _annul_page(period_id: int, form: AnnulForm, status: int = 200) -> Response:
    line = next(
        (each for each in periods.list_periods(session(), authority().code, now()) if each.id == period_id), None
    )
    if line is None:
        abort(404)
    return render("bandeiras/annul.html", status=status, form=form, line=line)
