"""Runs of the importer: a file kept, previewed, written whole or not at all, and undone. What a wizard and jobs need.

One run goes ``previa`` -> (``na_fila``) -> ``gravando`` -> ``gravado`` -> ``desfeito``; or ``recusado`` (an erro or
conflito stands) or ``falhou`` (a rule did not answer, the process was ended), from which it may be written again.

- ``start(occasion, desk, kind, stream, file_name, regime="", choices=None) -> int``: keeps the file; the run's id.
- ``report_of(occasion, desk, run_id) -> ImportReport``: what the file would do now, under the run's choices.
- ``choose(occasion, desk, run_id, choices)``: other choices for a run that is not yet written.
- ``enqueue(occasion, desk, run_id)``: hands the run to the worker, which calls ``perform``.
- ``perform(occasion, desk, run_id, told=None) -> Written``: writes it; here or in a worker.
- ``run_state(occasion, desk, run_id) -> RunState`` and ``runs(occasion, desk, limit, before) -> tuple[RunState, ...]``:
  state, lines done and in all, counts, message; a run whose writer is gone is marked as failed by looking.
- ``errors_csv(report) -> str`` (``import_errors``): line, cell, value, what is wrong, mend.
- ``obstacles(occasion, desk, run_id) -> tuple[str, ...]`` and ``undo(occasion, desk, run_id, reason) -> Undone``
  (``import_undo``): why it cannot be undone; undoing it as one act.

Every function raises NotFound for a run of another authority.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from io import BytesIO
from typing import Any, BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.imports.kinds import KINDS
from registry.domain.occasion import Occasion
from registry.services import import_alive, imports
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import AlreadyDone, NotFound, Refused, ServiceError, TooBig
from registry.services.history import name_of, names_of
from registry.services.import_write import Told, Written
from registry.services.imports import Choices, ImportReport
from registry.services.vault import enter_file, keep, path_of
from registry.store.audit import record
from registry.store.imports import ImportRun
from registry.store.once import remember
from registry.store.requests import StoredFile

STATES: Mapping[str, str] = {
    "previa": "Conferindo",
    "na_fila": "Na fila",
    "gravando": "Gravando",
    "gravado": "Gravada",
    "recusado": "Recusada",
    "falhou": "Não terminou",
    "desfeito": "Desfeita",
}
_OPEN = ("previa", "na_fila", "recusado", "falhou")
_STOPPED = "A gravação parou no meio e nada ficou gravado. Pode gravar de novo."
_FAILED = "A gravação falhou e nada ficou gravado. Tente de novo; se repetir, chame quem cuida do sistema."
_ACTIONS = {"na_fila": "queued", "gravando": "begun", "recusado": "refused", "falhou": "failed"}
_MEGABYTE = 1024 * 1024
_LONGEST = 2000


@dataclass(frozen=True)
class RunState:
    """A run as lists and its page show it. ``counts`` are those of :class:`Written` by name, empty until it is written;
    ``message`` says why it was refused or failed; names are those of users where they have one.
    """

    id: int
    kind: str
    kind_label: str
    regime: str
    file_name: str
    choices: Choices
    state: str
    state_label: str
    lines_done: int
    lines_total: int
    counts: Mapping[str, int]
    message: str
    created_by: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    undone_by: str
    undone_at: datetime | None
    undone_reason: str

    @property
    def can_write(self) -> bool:
        """Whether the run may be written, or its choices changed."""
        return self.state in _OPEN


def start(
    occasion: Occasion,
    desk: Desk,
    kind: str,
    stream: BinaryIO,
    file_name: str,
    regime: str = "",
    choices: Choices | None = None,
) -> int:
    """Keeps a file and opens a run for it; gives the run's id. Nothing of the file is written.

    Raises TooBig above the upload limit, and what :func:`imports.preview` raises: such a file opens no run.
    """
    limit = desk.settings.upload_limit
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise TooBig({"file": f"O arquivo passa de {limit // _MEGABYTE} MB. Divida em partes."})
    report = imports.preview(occasion, desk, regime, BytesIO(data), file_name, choices, kind)
    return open_run(occasion, desk, report, data)


def open_run(occasion: Occasion, desk: Desk, report: ImportReport, data: bytes) -> int:
    """Keeps the bytes of a previewed file and opens a run for it; gives the run's id."""
    kept = keep(desk.files, BytesIO(data), report.file_name, len(data), known=_media_type)
    with desk.store.writing() as session:
        before = done_before(session, occasion, "import.opened")
        if before is not None:
            return before
        run = imports.run_of(occasion, report)
        run.file_id = enter_file(session, occasion, kept, restricted=True)
        session.add(run)
        session.flush()
        after = {"file": run.file_name, "sha256": run.sha256, "kind": run.kind, "regime": run.regime}
        record(session, occasion, "import.opened", "import", run.id, None, after)
        remember(session, occasion, "import.opened", run.id)
        return run.id


def bring_in(occasion: Occasion, desk: Desk, report: ImportReport, data: bytes, told: Told | None = None) -> Written:
    """Writes a file that was just previewed, as a run of its own; one that says nothing new opens no run.

    Raises what :func:`imports.write` raises.
    """
    imports.refuse_blocked(report)
    if report.plan.says_nothing_new:
        return imports.write(occasion, desk, report, told)
    return perform(occasion, desk, open_run(occasion, desk, report, data), told, report)


def report_of(occasion: Occasion, desk: Desk, run_id: int) -> ImportReport:
    """What the kept file would do now, under the run's choices. Raises what :func:`imports.preview` raises."""
    with desk.store.reading() as session:
        run = run_row(session, occasion, run_id)
        sha256 = session.scalar(select(StoredFile.sha256).where(StoredFile.id == run.file_id))
    if sha256 is None:
        raise Refused(message="O arquivo desta importação não foi guardado.")
    try:
        stream = path_of(desk.files, sha256).open("rb")
    except FileNotFoundError:
        raise Refused(message="O arquivo desta importação não está mais no depósito de arquivos.") from None
    with stream:
        chosen = _choices(run.choices)
        return imports.preview(occasion, desk, run.regime, stream, run.file_name, chosen, run.kind)


def choose(occasion: Occasion, desk: Desk, run_id: int, choices: Choices) -> None:
    """Gives a run that is not yet written other choices. Raises Refused for one that is."""
    with desk.store.writing() as session:
        run = run_row(session, occasion, run_id)
        _refuse_unless_open(run)
        before, after = run.choices, asdict(choices)
        if before != after:
            run.choices = after
            record(session, occasion, "import.chosen", "import", run.id, before, after)


def enqueue(occasion: Occasion, desk: Desk, run_id: int) -> None:
    """Marks a run for the worker. Raises Refused while an erro or conflito stands, or when it cannot be written."""
    imports.refuse_blocked(report_of(occasion, desk, run_id))
    _move(occasion, desk, run_id, "na_fila")


def perform(
    occasion: Occasion, desk: Desk, run_id: int, told: Told | None = None, report: ImportReport | None = None
) -> Written:
    """Writes a run whole, or leaves nothing but its state. ``told`` is called with lines done and lines in all.

    Args:
        report: its preview, when the caller has just made it.

    Raises:
        AlreadyDone: it is written; ``result`` is what was.
        Refused: it is being written, was undone, or an erro or conflito stands.
        RuleDown: a plugin did not answer.
    """
    _already(occasion, desk, run_id)
    try:
        with import_alive.holding(desk.settings.var, run_id) as keeps:
            _move(occasion, desk, run_id, "gravando")

            def both(done: int, total: int) -> None:
                keeps(done, total)
                if told:
                    told(done, total)

            try:
                now = report or report_of(occasion, desk, run_id)
                return imports.write(occasion, desk, now, both, run_id)
            except Refused as error:
                _move(occasion, desk, run_id, "recusado", str(error))
                raise
            except BaseException as error:
                message = str(error) if isinstance(error, ServiceError) else _FAILED
                _move(occasion, desk, run_id, "falhou", message)
                raise
    except import_alive.Busy:
        raise Refused(message="Esta importação já está sendo gravada.") from None


def run_state(occasion: Occasion, desk: Desk, run_id: int) -> RunState:
    """A run as it is now; one whose writer is gone is marked as failed."""
    with desk.store.reading() as session:
        run = run_row(session, occasion, run_id)
        if not _is_stopped(desk, run):
            return _states(session, desk, [run])[0]
    _mark_stopped(occasion, desk, run_id)
    with desk.store.reading() as session:
        return _states(session, desk, [run_row(session, occasion, run_id)])[0]


def runs(occasion: Occasion, desk: Desk, limit: int = 20, before: int | None = None) -> tuple[RunState, ...]:
    """The authority's runs, newest first, those older than the run ``before``."""
    query = select(ImportRun).where(ImportRun.authority == occasion.authority)
    if before is not None:
        query = query.where(ImportRun.id < before)
    query = query.order_by(ImportRun.id.desc()).limit(limit)
    with desk.store.reading() as session:
        stopped = [run.id for run in session.scalars(query) if _is_stopped(desk, run)]
    for run_id in stopped:
        _mark_stopped(occasion, desk, run_id)
    with desk.store.reading() as session:
        return _states(session, desk, session.scalars(query).all())


def run_row(session: Session, occasion: Occasion, run_id: int) -> ImportRun:
    """The row of a run of the occasion's authority. Raises NotFound."""
    run = session.get(ImportRun, run_id)
    if run is None or run.authority != occasion.authority:
        raise NotFound
    return run


def written_of(run: ImportRun) -> Written:
    """What a written run wrote."""
    counts = {each.name: int(run.report.get(each.name, 0)) for each in fields(Written)}
    return Written(**{**counts, "number": run.id})


def _already(occasion: Occasion, desk: Desk, run_id: int) -> None:
    with desk.store.reading() as session:
        run = run_row(session, occasion, run_id)
        if run.state == "gravado":
            raise AlreadyDone(written_of(run), name_of(session, run.authority, run.created_by), run.finished_at)
        if run.state == "desfeito":
            raise Refused(message="Esta importação foi desfeita. Comece outra com o arquivo.")


def _move(occasion: Occasion, desk: Desk, run_id: int, state: str, message: str = "") -> None:
    """Brings an open run, or the one being written, to a state."""
    with desk.store.writing() as session:
        run = run_row(session, occasion, run_id)
        if run.state != "gravando":
            _refuse_unless_open(run)
        before = {"state": run.state}
        run.state = state
        run.report = {**run.report, "message": message[:_LONGEST]}
        run.started_at = occasion.at if state == "gravando" else run.started_at
        run.finished_at = occasion.at if state in ("recusado", "falhou") else None
        record(session, occasion, f"import.{_ACTIONS[state]}", "import", run.id, before, {"state": state})


def _refuse_unless_open(run: ImportRun) -> None:
    if run.state not in _OPEN:
        raise Refused(message=f"Esta importação não pode mais mudar: {STATES[run.state].lower()}.")


def _is_stopped(desk: Desk, run: ImportRun) -> bool:
    return run.state == "gravando" and import_alive.progress(desk.settings.var, run.id) is None


def _mark_stopped(occasion: Occasion, desk: Desk, run_id: int) -> None:
    """Marks a run as failed, unless its writer has finished since."""
    with desk.store.writing() as session:
        run = run_row(session, occasion, run_id)
        if _is_stopped(desk, run):
            run.state, run.finished_at = "falhou", occasion.at
            run.report = {**run.report, "message": _STOPPED}
            after = {"state": "falhou", "stopped": True}
            record(session, occasion, "import.failed", "import", run.id, {"state": "gravando"}, after)


def _states(session: Session, desk: Desk, found: Sequence[ImportRun]) -> tuple[RunState, ...]:
    names = names_of(session, found[0].authority, _actors(found)) if found else {}
    return tuple(_state(desk, run, names) for run in found)


def _actors(found: Sequence[ImportRun]) -> set[str]:
    return {actor for run in found for actor in (run.created_by, run.undone_by) if actor}


def _state(desk: Desk, run: ImportRun, names: Mapping[str, str]) -> RunState:
    done, total = run.lines_done, run.lines_total
    if run.state == "gravando":
        told = import_alive.progress(desk.settings.var, run.id) or (0, 0)
        done = told[0]
    written = run.state in ("gravado", "desfeito")
    return RunState(
        id=run.id,
        kind=run.kind,
        kind_label=KINDS[run.kind].label if run.kind in KINDS else run.kind,
        regime=run.regime,
        file_name=run.file_name,
        choices=_choices(run.choices),
        state=run.state,
        state_label=STATES.get(run.state, run.state),
        lines_done=done,
        lines_total=total,
        counts=written_of(run).counts if written else {},
        message=str(run.report.get("message", "")),
        created_by=names[run.created_by],
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        undone_by=names[run.undone_by] if run.undone_by else "",
        undone_at=run.undone_at,
        undone_reason=run.undone_reason,
    )


def _choices(kept: Mapping[str, Any]) -> Choices:
    """Choices as the run's JSON holds them."""
    return Choices(
        profile=kept.get("profile", ""),
        skip=tuple(kept.get("skip", ())),
        maps=tuple((each[0], each[1], each[2]) for each in kept.get("maps", ())),
        existing=kept.get("existing", "ask"),
        confirm=tuple(kept.get("confirm", ())),
        sheet=kept.get("sheet", ""),
    )


def _media_type(head: bytes) -> str:
    workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    return workbook if head.startswith(b"PK\x03\x04") else "text/csv"
