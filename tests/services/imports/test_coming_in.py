"""A municipal file comes in whole or not at all, and says every time what it would change."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import select

from registry.services import imports, status
from registry.services.desk import Desk
from registry.services.errors import Refused, RuleDown
from registry.store import audit
from registry.store.audit import AuditEntry
from registry.store.engine import Store
from tests import regime
from tests.factories import NOON, Clerk
from tests.services.imports.fleet import FLEET, HEADER, TODAY, Bring, Preview, Quays, counts, permit

# coming in


def test_each_row_becomes_a_vehicle_and_a_permit_whose_holder_is_not_known(store: Store, bring: Bring) -> None:
    written = bring()
    assert (written.vehicles, written.permits, written.plugin_rows, written.known) == (3, 3, 2, 0)
    row, vehicle, under = permit(store, "0007")
    assert (row.holder_id, row.category, row.regime, row.ended_on) == (None, "comum", regime.CODE, None)
    assert (row.granted_on, row.granted_on_known, row.version) == (date(2026, 11, 20), False, 1)
    assert (vehicle.plate, vehicle.plate_key, vehicle.make, vehicle.year_made) == ("RZA1B23", "RZA1123", "NAVAL", 2022)
    assert (vehicle.colour, vehicle.seats, vehicle.fuel, vehicle.version) == ("AZUL", None, "", 1)
    assert (under.since, under.until, under.role) == (date(2026, 11, 20), None, "regular")


def test_a_file_without_its_day_speaks_of_the_day_of_the_import(store: Store, bring: Bring) -> None:
    bring("prefixo;placa;modelo\n7;RZA1B23;MARÉ\n")
    assert permit(store, "0007")[0].granted_on == TODAY


def test_plugins_get_every_row_with_the_ids_and_their_own_column(store: Store, bring: Bring, quays: Quays) -> None:
    bring()
    row, vehicle, _ = permit(store, "0007")
    first = quays.rows[0]
    assert (first["permit_id"], first["vehicle_id"], first["ponto"]) == (row.id, vehicle.id, "CAIS A")
    assert (first["line"], first["since"]) == (2, date(2026, 11, 20))
    assert [each["ponto"] for each in quays.rows] == ["CAIS A", None, "CAIS B"]


def test_the_plates_answer_at_once_in_both_forms(store: Store, desk: Desk, bring: Bring) -> None:
    bring()
    with store.reading() as session:
        for plate in ("RZA1B23", "RZA1123"):
            answer = status.answers(session, desk, plate, NOON)[0]
            assert (answer.card.number, answer.card.plate) == ("0007", "RZA1B23")
        assert status.answers(session, desk, "RZA1B23", NOON.replace(day=19)) == ()


def test_every_record_and_the_file_are_in_the_audit_and_the_chain_holds(
    store: Store, bring: Bring, jonas: Clerk
) -> None:
    before = counts(store)["audit_entry"]
    written = bring()
    with store.reading() as session:
        assert audit.verify(session).intact
        entries = session.scalars(select(AuditEntry).where(AuditEntry.seq > before).order_by(AuditEntry.seq)).all()
    assert [entry.action for entry in entries] == ["vehicles.imported", *(["vehicle.imported", "permit.imported"] * 3)]
    file, first, its_permit = entries[:3]
    assert (file.actor, file.subject_id, file.after["file"]) == (jonas.name, written.number, "frota.csv")
    assert (file.after["vehicles"], file.after["rows"], len(file.after["sha256"])) == (3, 3, 64)
    assert (first.before, first.after["plate"], first.after["line"]) == (None, "RZA1B23", 2)
    assert (its_permit.after["number"], its_permit.after["ponto"]) == ("0007", "CAIS A")


def test_a_second_import_of_the_same_file_changes_nothing(store: Store, bring: Bring, preview: Preview) -> None:
    bring()
    before = counts(store)
    report = preview()
    assert (report.plan.known, report.plan.new_vehicles, report.blocked) == (3, 0, False)
    again = bring()
    assert again.nothing_changed and again.known == 3 and again.number == 0
    assert counts(store) == before


def test_a_preview_writes_nothing(store: Store, preview: Preview) -> None:
    before = counts(store)
    report = preview()
    assert (report.plan.new_vehicles, report.plan.new_permits, report.blocked) == (3, 3, False)
    assert counts(store) == before


def test_progress_is_told_up_to_the_last_line(desk: Desk, jonas: Clerk, preview: Preview) -> None:
    told: list[tuple[int, int]] = []
    imports.write(jonas.occasion(), desk, preview(), lambda done, total: told.append((done, total)))
    assert told[-1] == (3, 3)


def test_many_lines_come_in(store: Store, bring: Bring) -> None:
    lines = (
        f"2026-11-20;{n:04d};RZA{n % 10}{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[n // 100]}{n % 100:02d};NAVAL;X;2022;;C\n"
        for n in range(1, 1_200)
    )
    unique = {line.split(";")[2]: line for line in lines}
    written = bring(HEADER + "".join(unique.values()))
    assert written.vehicles == len(unique) > 1_000
    assert counts(store)["public_row"] == len(unique)
    with store.reading() as session:
        assert audit.verify(session).intact


# all or nothing


def test_an_error_in_the_last_row_keeps_everything_out(store: Store, bring: Bring, preview: Preview) -> None:
    before = counts(store)
    text = FLEET + "2026-11-20;0010;PEXIB23;NAVAL;MARÉ;2022;;\n"
    assert [(each.kind, each.cell) for each in preview(text).remarks] == [("erro", "C5")]
    with pytest.raises(Refused, match=r"linha 5, célula C5 \(placa\) «PEXIB23»"):
        bring(text)
    assert counts(store) == before


def test_a_plugin_that_fails_at_the_last_row_keeps_everything_out(store: Store, bring: Bring, quays: Quays) -> None:
    before = counts(store)
    quays.broken_at = 4
    with pytest.raises(RuleDown):
        bring()
    assert counts(store) == before
    quays.broken_at = None
    assert bring().permits == 3


def test_what_changed_since_the_preview_is_seen_when_writing(
    store: Store, desk: Desk, jonas: Clerk, preview: Preview, bring: Bring
) -> None:
    report = preview()
    bring(HEADER + "2026-11-20;0099;RZC1234;NAVAL;MARÉ;2024;;\n")
    before = counts(store)
    with pytest.raises(Refused, match="está com permissão 0099"):
        imports.write(jonas.occasion(), desk, report)
    assert counts(store) == before
