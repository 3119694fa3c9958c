"""Importing: the file, what it would do line by line and cell by cell, everything or nothing, and taking it back."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, current_app, flash, make_response, request, url_for

from registry.domain.imports.remarks import Remark
from registry.jobs import Jobs
from registry.services import import_runs, import_undo, imports
from registry.services.errors import AlreadyDone, Refused
from registry.services.import_errors import errors_csv
from registry.services.import_runs import RunState
from registry.services.import_write import Written
from registry.services.imports import ImportReport
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import EXTENSION, authority, desk, edge, occasion, perform
from registry.web.errors import done_text
from registry.web.imports.forms import ChoicesForm, FileForm, UndoForm, choices_form
from registry.web.paging import PAGE_SIZE
from registry.web.shell import MenuEntry

blueprint = Blueprint("imports", __name__, url_prefix="/importar")
MENU = (MenuEntry("administracao", "Importar", "imports.index", order=40),)
ONE = "/<int:run_id>"
FIRST_ROWS = 5
MOST_REMARKS = 50
_KINDS = {"erro": "Erros", "conflito": "Conflitos", "duplicada": "Linhas repetidas", "aviso": "Avisos"}


@blueprint.get("")
@access("imports.make")
def index() -> Response:
    """The file to be imported, and the imports so far, newest first; ``?antes=`` those before a number."""
    return _show_index(FileForm(formdata=None))


@blueprint.post("")
@access("imports.make")
def start() -> Response:
    """Keeps the file and leads to what it would do; nothing of it is written."""
    form = FileForm()
    form.offer(desk().regimes_of(authority().code))
    if not form.validate():
        return _show_index(form, 422)
    kind, _, regime = str(form.what.data).partition(":")
    file = form.file.data
    try:
        run_id = perform(import_runs.start, kind, file.stream, file.filename or "arquivo", regime)
    except Refused as refused:
        form.take(refused)
        return _show_index(form, 413 if "file" in refused.fields else 422)
    return htmx.go(url_for("imports.run", run_id=run_id, _anchor="resultado"))


@blueprint.get(ONE)
@access("imports.make")
def run(run_id: int) -> Response:
    """One import: what it would do, how far it is, or what it did."""
    state = perform(import_runs.run_state, run_id)
    if state.can_write and state.state != "na_fila":
        return _show_dry_run(state, choices_form(state.choices))
    if htmx.wants_fragment() and state.state not in ("na_fila", "gravando"):
        return htmx.again()
    return htmx.render("imports/run.html", "imports/_progress.html", state=state, done=_done(state))


@blueprint.post(f"{ONE}/escolhas")
@access("imports.make")
def choose(run_id: int) -> Response:
    """Takes what the clerk decides and shows what the file would do then."""
    state = perform(import_runs.run_state, run_id)
    form = ChoicesForm()
    chosen = form.chosen() if form.validate() else None
    if chosen is None:
        return _show_dry_run(state, form, 422)
    try:
        perform(import_runs.choose, run_id, chosen)
    except Refused as refused:
        form.take(refused)
        return _show_dry_run(state, form, 422)
    return htmx.go(url_for("imports.run", run_id=run_id, _anchor="resultado"))


@blueprint.post(f"{ONE}/gravar")
@access("imports.make")
def write(run_id: int) -> Response:
    """Hands the import to the worker: everything is written, or nothing."""
    try:
        perform(import_runs.enqueue, run_id)
    except Refused as refused:
        flash(str(refused), "bad")
    else:
        act = occasion()
        _jobs().put_import(run_id, act.authority, act.actor, act.actor_id)
    return htmx.go(url_for("imports.run", run_id=run_id, _anchor="resultado"))


@blueprint.get(f"{ONE}/erros.csv")
@access("imports.make")
def errors(run_id: int) -> Response:
    """Every remark as a table, to be sent back to whoever made the file."""
    response = make_response(errors_csv(perform(import_runs.report_of, run_id)))
    response.mimetype = "text/csv"
    response.headers["Content-Disposition"] = f"attachment; filename=importacao-{run_id}-erros.csv"
    return response


@blueprint.route(f"{ONE}/desfazer", methods=["GET", "POST"])
@access("imports.make")
def undo(run_id: int) -> Response:
    """Takes a written import back as one act, with the reason; or says what rests on it."""
    state = perform(import_runs.run_state, run_id)
    form = UndoForm()
    if request.method == "GET":
        return _show_undo(state, form)
    if not form.validate():
        return _show_undo(state, form, 422)
    try:
        perform(import_undo.undo, run_id, str(form.reason.data))
    except Refused as refused:
        form.take(refused)
        return _show_undo(state, form, 422)
    except AlreadyDone as done:
        flash(done_text(done), "info")
    else:
        flash("Importação desfeita.", "ok")
    return htmx.go(url_for("imports.run", run_id=run_id, _anchor="resultado"))


def _jobs() -> Jobs:
    """The queue, opened when something is put into it."""
    key = f"{EXTENSION}.jobs"
    if key not in current_app.extensions:
        current_app.extensions[key] = Jobs(edge().desk, edge().clock)
    found: Jobs = current_app.extensions[key]
    return found


def _show_index(form: FileForm, status: int = 200) -> Response:
    form.offer(desk().regimes_of(authority().code))
    typed = request.args.get("antes", "")
    before = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 10 else None
    found = perform(import_runs.runs, PAGE_SIZE + 1, before)
    more = found[PAGE_SIZE - 1].id if len(found) > PAGE_SIZE else None
    return htmx.render("imports/index.html", status=status, form=form, lines=found[:PAGE_SIZE], more=more)


def _show_dry_run(state: RunState, form: ChoicesForm, status: int = 200) -> Response:
    """What the file would do under the choices that are kept; the form as it stands."""
    report, fault = None, ""
    try:
        report = perform(import_runs.report_of, state.id)
    except Refused as refused:
        fault = str(refused)
    offered = [each for each in imports.profiles(desk().settings) if each.kind == state.kind]
    return htmx.render(
        "imports/dry_run.html",
        status=status,
        state=state,
        form=form,
        fault=fault,
        profiles=offered,
        report=report,
        **(_told(report) if report else {}),
    )


def _told(report: ImportReport) -> dict[str, Any]:
    """A preview as its page shows it."""
    sheet, plan = report.sheet, report.plan
    return {
        "groups": [(kind, label, remarks) for kind, label in _KINDS.items() if (remarks := _open(report, kind))],
        "most": MOST_REMARKS,
        "doubtful": _vouchable(report),
        "rows": sheet.lines[:FIRST_ROWS],
        "columns": [each for each in sheet.tallies if each.target],
        "counts": _phrases(dict(plan.counts())),
        "choosable": report.choices.existing != "ask" or any(each.choosable for each in plan.remarks),
        "yearly": getattr(plan, "yearly", ()),
        "nothing_new": not any(step for step in plan.counts().values()) or plan.says_nothing_new,
    }


def _open(report: ImportReport, kind: str) -> tuple[Remark, ...]:
    """The remarks of a kind; a doubtful value has a list of its own."""
    return tuple(each for each in report.remarks_of(kind) if not each.confirmable)


def _vouchable(report: ImportReport) -> list[Remark]:
    return [each for each in report.remarks if each.confirmable]


def _done(state: RunState) -> list[str]:
    """What a written import did, in words."""
    return _phrases(dict(Written(**state.counts).told)) if state.counts else []


def _phrases(named: dict[str, int]) -> list[str]:
    """«3.677 veículos novos» for each count above zero."""
    found = []
    for words, number in named.items():
        one, many = words.split("|")
        if number:
            found.append(f"{number:,} {one if number == 1 else many}".replace(",", "."))
    return found


def _show_undo(state: RunState, form: UndoForm, status: int = 200) -> Response:
    against = perform(import_undo.obstacles, state.id)
    return htmx.render("imports/undo.html", status=status, state=state, form=form, against=against, done=_done(state))
