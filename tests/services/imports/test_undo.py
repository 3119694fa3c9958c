"""An import is undone as one act: everything it made ends, what it changed is as before, and nothing later is lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from registry.services import import_undo, permits, status, vehicles
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.services.permit_pages import permit_page
from registry.store import audit
from registry.store.audit import AuditEntry
from registry.store.engine import Store
from registry.store.imports import ImportedRow, ImportRun
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.vehicles import Restriction, Vehicle
from tests import factories
from tests.factories import NOON, PORT, Clerk
from tests.services.imports.fleet import FLEET, HOLDERS, PERMITS, Bring, Quays, Undo, counts, one_engine, permit

AFTER = NOON + timedelta(days=1, minutes=1)


def live(store: Store) -> dict[str, list[Any]]:
    """What stands: the plates, documents and open belongings, and the permits in effect."""
    with store.reading() as session:
        return {
            "plates": list(session.scalars(select(Vehicle.plate).where(Vehicle.ended_at.is_(None)))),
            "documents": list(session.scalars(select(Person.document).where(Person.ended_at.is_(None)))),
            "under": list(session.scalars(select(PermitVehicle.id).where(PermitVehicle.until.is_(None)))),
            "permits": list(session.scalars(select(Permit.number).where(Permit.ended_on.is_(None)))),
            "bars": list(session.scalars(select(Restriction.id).where(Restriction.voided_at.is_(None)))),
        }


def facts(store: Store) -> list[dict[str, Any]]:
    """Every field of vehicles, persons and permits, but their versions."""
    found = []
    with store.reading() as session:
        for model in (Vehicle, Person, Permit):
            for row in session.scalars(select(model).order_by(model.id)):
                columns = {column.key for column in model.__table__.columns} - {"version"}
                found.append({name: getattr(row, name) for name in sorted(columns)})
    return found


def test_what_an_import_made_is_ended_and_the_plates_answer_no_more(
    store: Store, desk: Desk, bring: Bring, undo: Undo, quays: Quays
) -> None:
    written = bring(PERMITS, kind="permits")
    undone = undo(written.number)
    assert (undone.ended, undone.restored) == (13, 0)
    assert live(store) == {"plates": [], "documents": [], "under": [], "permits": [], "bars": []}
    with store.reading() as session:
        assert status.answers(session, desk, "RZA1B23", AFTER) == ()
        assert status.answers(session, desk, "RZA1B23", NOON + timedelta(hours=1)) != ()
        page = permit_page(session, desk, PORT, permit(store, "0007")[0].id, AFTER)
        assert page.end_reason == f"Importação {written.number} desfeita: Arquivo errado"
        assert audit.verify(session).intact
    assert quays.undone == [(NOON, sorted(permit(store, number)[0].id for number in ("0007", "0008", "0009")))]


def test_it_is_one_audited_act_that_names_who_and_why(store: Store, bring: Bring, undo: Undo, rita: Clerk) -> None:
    written = bring()
    undo(written.number)
    with store.reading() as session:
        entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "import.undone")).one()
        run = session.get_one(ImportRun, written.number)
    assert (entry.actor, entry.after["reason"], entry.after["ended"]) == (rita.name, "Arquivo errado", 9)
    assert (run.state, run.undone_by, run.undone_reason) == ("desfeito", rita.name, "Arquivo errado")


def test_what_an_import_changed_gets_its_former_values_back(store: Store, bring: Bring, undo: Undo) -> None:
    bring()
    before = facts(store)
    changed = PERMITS.replace("RZA1B23;Rua A", "RZA1B23;Rua A").replace("suspenso", "ativo")
    written = bring(changed, kind="permits")
    assert facts(store) != before
    undo(written.number)
    after = facts(store)
    gone = [each for each in after if "document" in each]
    assert [each for each in after if "document" not in each] == before
    assert len(gone) == 3 and all(each["ended_at"] is not None for each in gone)


def test_a_plate_and_a_name_come_back_with_their_keys(
    store: Store, desk: Desk, jonas: Clerk, bring: Bring, undo: Undo
) -> None:
    bring(PERMITS, kind="permits")
    before = facts(store)
    other = PERMITS.replace("RZA1B23", "RZA1123").replace("Ana Lima", "Ana Reis").replace("Rua A", "Rua B")
    written = bring(other, kind="permits", existing="replace")
    assert facts(store) != before
    undo(written.number)
    assert facts(store) == before


def test_the_right_file_comes_in_after_the_wrong_one_was_undone(
    store: Store, desk: Desk, bring: Bring, undo: Undo
) -> None:
    first = bring(PERMITS, kind="permits")
    undo(first.number)
    again = bring(PERMITS.replace("05/06/2010", "07/06/2010"), kind="permits", days=2)
    assert (again.permits, again.vehicles, again.holders) == (3, 3, 3)
    row = permit(store, "0007")[0]
    assert (row.granted_on, row.ended_on, row.facts, row.version) == (date(2010, 6, 7), None, {"note": "Cais novo"}, 3)
    with store.reading() as session:
        assert status.answers(session, desk, "RZA1B23", NOON + timedelta(days=3))[0].card.number == "0007"
        assert len(session.scalars(select(Permit)).all()) == 3
    undo(again.number, days=3)
    assert live(store)["permits"] == live(store)["plates"] == []
    third = bring(days=4)
    assert (third.permits, third.vehicles) == (3, 3)


def test_imports_are_undone_from_the_newest_back(store: Store, bring: Bring, undo: Undo) -> None:
    first = bring()
    second = bring(FLEET.replace("AZUL", "BRANCA"), existing="replace")
    with pytest.raises(Refused, match="Veículo RZA1B23: mudou depois da importação"):
        undo(first.number)
    undo(second.number)
    undo(first.number)
    assert live(store)["plates"] == []


def test_a_permit_whose_own_import_was_undone_rests_on_nothing(store: Store, bring: Bring, undo: Undo) -> None:
    first = bring(HOLDERS + "7;Ana Lima;02345678135;;;RZA1B23;;;;\n", kind="permits")
    second = bring(HOLDERS + "8;Ana Lima;02345678135;;;RZB1234;;;;\n", kind="permits")
    with pytest.raises(Refused, match="Ana Lima: tem outorga"):
        undo(first.number)
    undo(second.number)
    third = bring(HOLDERS + "8;Ana Lima;02345678135;;;RZB1234;;;;\n", kind="permits", days=2)
    with pytest.raises(Refused, match="Ana Lima: tem outorga"):
        undo(first.number, days=3)
    undo(third.number, days=3)
    undo(first.number, days=4)
    assert live(store)["documents"] == []


LATER = {
    "Veículo RZA1B23: mudou depois": lambda desk, clerk, rows: vehicles.update_vehicle(
        clerk.occasion(hours=1), desk, rows[1].id, 1, {"seats": 30}
    ),
    "Outorga 0007: mudou depois": lambda desk, clerk, rows: permits.end_permit(
        clerk.occasion(hours=1), desk, rows[0].id, 1, date(2026, 12, 1), "A pedido"
    ),
    "Veículo RZA1B23: tem vistoria": lambda desk, clerk, rows: factories.inspection(desk.store, rows[1].id),
    "Veículo RZA1B23: tem requerimento": lambda desk, clerk, rows: factories.draft(
        desk, clerk, vehicle_id=rows[1].id, applicant_id=rows[0].holder_id
    ),
    "Ana Lima: tem requerimento": lambda desk, clerk, rows: factories.draft(
        desk, clerk, applicant_id=rows[0].holder_id
    ),
    "Ana Lima: tem cobrança": lambda desk, clerk, rows: factories.debt(
        desk.store, rows[0].holder_id, date(2026, 12, 1)
    ),
}


@pytest.mark.parametrize("says", LATER)
@one_engine
def test_it_is_refused_with_a_list_when_later_work_rests_on_it(
    store: Store, desk: Desk, jonas: Clerk, bring: Bring, undo: Undo, says: str
) -> None:
    written = bring(PERMITS, kind="permits")
    LATER[says](desk, jonas, permit(store, "0007"))
    before = (counts(store), live(store))
    with pytest.raises(Refused, match=says) as refused:
        undo(written.number)
    assert "não pode ser desfeita. Nada mudou.\n- " in refused.value.message
    assert any(each.startswith(says) for each in import_undo.obstacles(jonas.occasion(), desk, written.number))
    assert (counts(store), live(store)) == before


def test_what_was_blanked_since_is_not_taken_for_something_made(store: Store, bring: Bring, undo: Undo) -> None:
    bring(PERMITS, kind="permits")
    second = bring(PERMITS.replace("Rua A", "Rua B"), kind="permits", existing="replace")
    with store.writing() as session:
        session.execute(update(ImportedRow).values(before=None, after=None))
    before = (counts(store), live(store))
    with pytest.raises(Refused, match="Ana Lima: mudou depois da importação"):
        undo(second.number)
    assert (counts(store), live(store)) == before


@one_engine
def test_what_a_plugin_objects_to_stops_it(store: Store, bring: Bring, undo: Undo, quays: Quays) -> None:
    written = bring()
    quays.objects = ["O cais da permissão 0007 mudou."]
    before = counts(store)
    with pytest.raises(Refused, match="O cais da permissão 0007 mudou"):
        undo(written.number)
    assert counts(store) == before


def test_a_line_in_which_only_a_plugin_wrote_is_handed_back_to_it(
    store: Store, bring: Bring, undo: Undo, quays: Quays
) -> None:
    bring()
    moved = bring(FLEET.replace("CAIS A", "CAIS Z"), existing="replace")
    undo(moved.number)
    assert quays.undone[0][1] == [permit(store, "0007")[0].id]
    assert len(live(store)["permits"]) == 3


def test_a_second_time_a_wrong_number_and_no_reason_change_nothing(
    store: Store, desk: Desk, bring: Bring, undo: Undo, stranger: Clerk, jonas: Clerk
) -> None:
    written = bring()
    before = counts(store)
    for reason, says in ((" ", "por que"), ("x" * 401, "O limite é 400")):
        with pytest.raises(Refused, match=says):
            import_undo.undo(jonas.occasion(), desk, written.number, reason)
    for run_id, clerk in ((written.number, stranger), (999, jonas)):
        with pytest.raises(NotFound):
            import_undo.undo(clerk.occasion(), desk, run_id, "x")
    assert counts(store) == before
    undo(written.number)
    after = counts(store)
    with pytest.raises(AlreadyDone):
        undo(written.number)
    assert counts(store) == after


@one_engine
def test_a_run_that_was_never_written_cannot_be_undone(
    desk: Desk, jonas: Clerk, begin: Callable[..., int], undo: Undo
) -> None:
    run_id = begin()
    assert import_undo.obstacles(jonas.occasion(), desk, run_id) == (
        f"A importação {run_id} não está gravada: conferindo.",
    )
    with pytest.raises(Refused, match="não está gravada"):
        undo(run_id)


@one_engine
def test_the_permit_of_an_undone_import_is_told_in_its_history(
    store: Store, desk: Desk, bring: Bring, undo: Undo
) -> None:
    undo(bring().number)
    with store.reading() as session:
        page = permit_page(session, desk, PORT, permit(store, "0007")[0].id, AFTER)
    assert [each.text.partition(" ")[0] for each in page.history] == ["Importação", "Outorga"]
