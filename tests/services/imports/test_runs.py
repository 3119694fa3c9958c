"""Runs of the importer: kept, chosen, written once, seen to have stopped, and told of."""

from __future__ import annotations

import csv
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from sqlalchemy import select

from registry.services import import_alive, import_runs
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotFound, Refused, RuleDown, TooBig
from registry.services.import_errors import COLUMNS, errors_csv
from registry.services.import_runs import RunState
from registry.services.imports import Choices
from registry.store.audit import AuditEntry, verify
from registry.store.engine import Store
from registry.store.imports import ImportRun
from registry.store.requests import StoredFile
from tests import regime
from tests.factories import Clerk
from tests.services.imports.fleet import FLEET, PERMITS, Bring, Preview, Quays, counts, one_engine

Begin = Callable[..., int]


@pytest.fixture
def state(desk: Desk, jonas: Clerk) -> Callable[[int], RunState]:
    return lambda run_id: import_runs.run_state(jonas.occasion(), desk, run_id)


def actions(store: Store) -> list[str]:
    with store.reading() as session:
        assert verify(session).intact
        found = select(AuditEntry.action).where(AuditEntry.subject == "import").order_by(AuditEntry.seq)
        return list(session.scalars(found))


# one run


def test_a_run_keeps_its_file_and_is_written_later(
    store: Store, desk: Desk, jonas: Clerk, begin: Begin, state: Callable[[int], RunState]
) -> None:
    run_id = begin()
    fresh = state(run_id)
    assert (fresh.state, fresh.state_label, fresh.lines_done, fresh.lines_total) == ("previa", "Conferindo", 0, 3)
    assert (fresh.kind_label, fresh.file_name, fresh.counts) == ("Veículos", "frota.csv", {})
    assert counts(store)["vehicle"] == 0
    with store.reading() as session:
        kept = session.scalars(select(StoredFile)).one()
        assert (kept.restricted, kept.media_type, kept.size) == (True, "text/csv", len(FLEET.encode()))
    assert import_runs.report_of(jonas.occasion(), desk, run_id).plan.counts()["veículo novo|veículos novos"] == 3
    written = import_runs.perform(jonas.occasion(hours=1), desk, run_id)
    assert (written.number, written.vehicles) == (run_id, 3)
    done = state(run_id)
    assert (done.state, done.lines_done, done.counts["vehicles"], done.message) == ("gravado", 3, 3, "")
    assert (done.started_at, done.finished_at) == (done.finished_at, jonas.occasion(hours=1).at)
    assert actions(store) == ["import.opened", "import.begun", "vehicles.imported"]


def test_a_written_run_is_not_written_again(store: Store, desk: Desk, jonas: Clerk, begin: Begin) -> None:
    run_id = begin()
    written = import_runs.perform(jonas.occasion(), desk, run_id)
    before = counts(store)
    with pytest.raises(AlreadyDone) as again:
        import_runs.perform(jonas.occasion(), desk, run_id)
    assert again.value.result == written
    with pytest.raises(Refused, match="não pode mais mudar: gravada"):
        import_runs.choose(jonas.occasion(), desk, run_id, Choices(existing="keep"))
    assert counts(store) == before


@one_engine
def test_a_name_with_folders_or_without_end_is_made_harmless(desk: Desk, jonas: Clerk) -> None:
    for name, kept in (("C:\\\\pasta\\\\frota.csv", "frota.csv"), ("x" * 500, "x" * 200)):
        run_id = import_runs.start(jonas.occasion(), desk, "vehicles", BytesIO(FLEET.encode()), name, regime.CODE)
        assert import_runs.run_state(jonas.occasion(), desk, run_id).file_name == kept


def test_a_repeated_click_opens_one_run(desk: Desk, jonas: Clerk) -> None:
    ids = {
        import_runs.start(
            jonas.occasion(once_key="k"), desk, "vehicles", BytesIO(FLEET.encode()), "frota.csv", regime.CODE
        )
        for _ in range(2)
    }
    assert len(ids) == 1


def test_a_blocked_run_is_refused_until_other_choices_are_made(
    store: Store, desk: Desk, jonas: Clerk, begin: Begin, state: Callable[[int], RunState]
) -> None:
    run_id = begin(FLEET + "2026-11-20;0010;PEXIB23;NAVAL;MARÉ;2022;;\n")
    with pytest.raises(Refused, match="célula C5"):
        import_runs.enqueue(jonas.occasion(), desk, run_id)
    assert state(run_id).state == "previa"
    with pytest.raises(Refused, match="célula C5"):
        import_runs.perform(jonas.occasion(), desk, run_id)
    refused = state(run_id)
    assert (refused.state, refused.can_write, "célula C5" in refused.message) == ("recusado", True, True)
    assert counts(store)["vehicle"] == 0
    import_runs.choose(jonas.occasion(), desk, run_id, Choices(skip=(5,), maps=(("marca", "NAVAL", "ESTALEIRO"),)))
    assert state(run_id).choices == Choices(skip=(5,), maps=(("marca", "NAVAL", "ESTALEIRO"),))
    import_runs.enqueue(jonas.occasion(), desk, run_id)
    assert state(run_id).state == "na_fila"
    assert import_runs.perform(jonas.occasion(), desk, run_id).vehicles == 3
    assert state(run_id).message == ""


def test_a_rule_that_does_not_answer_leaves_the_run_to_be_written_again(
    store: Store, desk: Desk, jonas: Clerk, begin: Begin, quays: Quays, state: Callable[[int], RunState]
) -> None:
    run_id = begin()
    quays.broken_at = 4
    with pytest.raises(RuleDown):
        import_runs.perform(jonas.occasion(), desk, run_id)
    failed = state(run_id)
    assert (failed.state, failed.state_label, "não respondeu" in failed.message) == ("falhou", "Não terminou", True)
    assert counts(store)["vehicle"] == counts(store)["imported_row"] == 0
    quays.broken_at = None
    assert import_runs.perform(jonas.occasion(), desk, run_id).vehicles == 3


def test_progress_is_told_to_whoever_looks_while_it_is_written(
    desk: Desk, jonas: Clerk, begin: Begin, state: Callable[[int], RunState]
) -> None:
    run_id = begin()
    seen: list[RunState] = []
    import_runs.perform(jonas.occasion(), desk, run_id, lambda done, total: seen.append(state(run_id)))
    assert [(each.state, each.lines_done) for each in seen] == [("gravando", 3)]


@one_engine
def test_a_run_that_is_being_written_is_not_written_beside(desk: Desk, jonas: Clerk, begin: Begin) -> None:
    run_id = begin()
    with import_alive.holding(desk.settings.var, run_id), pytest.raises(Refused, match="já está sendo gravada"):
        import_runs.perform(jonas.occasion(), desk, run_id)


# what cannot be read, whose it is


@one_engine
def test_a_file_that_cannot_be_read_or_is_too_big_opens_no_run(store: Store, desk: Desk, jonas: Clerk) -> None:
    small = replace(desk, settings=replace(desk.settings, upload_limit=10))
    for on, data, error in ((desk, b"%PDF-1.7", Refused), (desk, b"", Refused), (small, b"x" * 11, TooBig)):
        with pytest.raises(error):
            import_runs.start(jonas.occasion(), on, "vehicles", BytesIO(data), "x", regime.CODE)
    assert counts(store)["import_run"] == 0


@one_engine
def test_the_runs_of_another_authority_are_not_seen(desk: Desk, jonas: Clerk, stranger: Clerk, begin: Begin) -> None:
    run_id = begin()
    assert import_runs.runs(stranger.occasion(), desk) == ()
    for act in (import_runs.run_state, import_runs.report_of, import_runs.perform, import_runs.enqueue):
        with pytest.raises(NotFound):
            act(stranger.occasion(), desk, run_id)


@one_engine
def test_runs_are_listed_from_the_newest_page_by_page(desk: Desk, jonas: Clerk, begin: Begin) -> None:
    ids = [begin() for _ in range(3)]
    first = import_runs.runs(jonas.occasion(), desk, limit=2)
    assert [each.id for each in first] == ids[:0:-1]
    assert [each.id for each in import_runs.runs(jonas.occasion(), desk, before=first[-1].id)] == ids[:1]


def test_the_command_line_opens_no_run_for_a_file_that_says_nothing_new(
    store: Store, desk: Desk, jonas: Clerk, preview: Preview
) -> None:
    written = import_runs.bring_in(jonas.occasion(), desk, preview(), FLEET.encode())
    assert (written.vehicles, counts(store)["import_run"]) == (3, 1)
    before = counts(store)
    assert import_runs.bring_in(jonas.occasion(), desk, preview(), FLEET.encode()).nothing_changed
    assert counts(store) == before


# an end in the middle

WRITER = """
import sys
from pathlib import Path
from registry.services import import_runs
from registry.store.engine import Store
from tests import factories
from tests.services.imports.fleet import Quays

url, var, run_id, clerk_id = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])

class Stopping(Quays):
    def write(self, row):
        if row["line"] == 4:
            print("reached", flush=True)
            sys.stdin.read()
        return super().write(row)

desk = factories.desk(Store(url), var, Stopping().module())
import_runs.perform(factories.Clerk(clerk_id, "Jonas", factories.PORT).occasion(), desk, run_id)
"""


def test_a_writer_that_is_killed_leaves_nothing_but_a_run_marked_as_failed(
    store: Store,
    desk: Desk,
    jonas: Clerk,
    begin: Begin,
    tmp_path: Path,
    state: Callable[[int], RunState],
) -> None:
    run_id = begin()
    before = counts(store)
    url = store.url.render_as_string(hide_password=False)
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, url, str(tmp_path), str(run_id), str(jonas.id)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    try:
        assert writer.stdout is not None and writer.stdout.readline() == b"reached\n"
        assert state(run_id).state == "gravando"
    finally:
        os.kill(writer.pid, signal.SIGKILL)
        writer.communicate()
    stopped = state(run_id)
    assert (stopped.state, "parou no meio" in stopped.message) == ("falhou", True)
    after = counts(store)
    assert {name for name in after if after[name] != before[name]} == {"audit_entry"}
    assert actions(store) == ["import.opened", "import.begun", "import.failed"]
    assert import_runs.perform(jonas.occasion(), desk, run_id).vehicles == 3
    assert state(run_id).state == "gravado"


def test_a_list_of_runs_marks_those_that_stopped(store: Store, desk: Desk, jonas: Clerk, begin: Begin) -> None:
    run_id = begin()
    with store.writing() as session:
        session.get_one(ImportRun, run_id).state = "gravando"
    assert [each.state for each in import_runs.runs(jonas.occasion(), desk)] == ["falhou"]


# what is wrong, as a table


@one_engine
def test_what_is_wrong_leaves_as_a_table_with_formulas_quoted(preview: Preview) -> None:
    text = PERMITS.replace("RZA1B23", "=1+1").replace("05/06/2010", "44562").replace("ativo", "@soma")
    found = errors_csv(preview(text, kind="permits"))
    assert found.startswith("\ufeff")
    rows = list(csv.reader(io.StringIO(found[1:], newline=""), delimiter=";"))
    assert tuple(rows[0]) == COLUMNS
    assert [row[:5] for row in rows[1:]] == [
        ["2", "F2", "placa", "'=1+1", "Erro"],
        ["2", "H2", "concedida em", "44562", "Erro, a confirmar"],
        ["2", "I2", "situação", "'@soma", "Erro"],
    ]
    assert "no Excel seria 01/01/2022" in rows[2][5] and "formate a coluna" in rows[2][6]


@one_engine
def test_what_stops_the_import_comes_first(preview: Preview, bring: Bring) -> None:
    bring()
    text = FLEET.replace("AZUL", "ROSA") + "2026-11-20;0009;RZC1234;;;2024;VERDE;CAIS B\n"
    kinds = [line.split(";")[4] for line in errors_csv(preview(text)).splitlines()[1:]]
    assert kinds == ["Conflito", "Linha repetida"]
