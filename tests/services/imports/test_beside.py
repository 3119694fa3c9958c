"""A file beside the records that stand here: completed, kept, replaced or in conflict."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import select

from registry.services.desk import Desk
from registry.services.errors import Refused
from registry.store.audit import AuditEntry
from registry.store.engine import Store
from registry.store.permits import Permit
from tests import factories, regime
from tests.factories import NOON, OTHER, PORT, Clerk
from tests.services.imports.fleet import FLEET, HEADER, TODAY, Bring, Preview, Quays, conflicts, counts, permit


def test_a_vehicle_here_is_taken_and_its_empty_fields_are_filled(
    store: Store, desk: Desk, jonas: Clerk, bring: Bring
) -> None:
    vehicle_id = factories.vehicle(desk, jonas, "RZA1123", make="NAVAL", year_made=2022)
    report_text = HEADER + "2026-11-20;0007;RZA1123;NAVAL;MARÉ;2022;AZUL;\n"
    written = bring(report_text)
    assert (written.vehicles, written.permits, written.changed) == (0, 1, 1)
    vehicle = permit(store, "0007")[1]
    assert (vehicle.id, vehicle.model, vehicle.colour, vehicle.version, vehicle.seats) == (
        vehicle_id,
        "MARÉ",
        "AZUL",
        2,
        20,
    )
    with store.reading() as session:
        entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "vehicle.updated")).one()
    assert (entry.before, entry.after["model"], entry.after["version"]) == ({"colour": "", "model": ""}, "MARÉ", 2)


OTHER_COLOUR = FLEET.replace("AZUL", "BRANCA")


def test_a_field_that_differs_is_a_conflict_until_the_clerk_chooses(
    store: Store, bring: Bring, preview: Preview
) -> None:
    bring()
    before = counts(store)
    assert conflicts(preview(OTHER_COLOUR)) == [(2, "No cadastro está «AZUL».")]
    assert preview(OTHER_COLOUR).remarks[0].choosable
    with pytest.raises(Refused):
        bring(OTHER_COLOUR)
    assert bring(OTHER_COLOUR, existing="keep").nothing_changed
    assert counts(store) == before
    assert permit(store, "0007")[1].colour == "AZUL"
    written = bring(OTHER_COLOUR, existing="replace")
    assert (written.changed, written.known) == (1, 2)
    assert (permit(store, "0007")[1].colour, permit(store, "0007")[1].version) == ("BRANCA", 2)


def test_a_blank_cell_never_empties_a_field(store: Store, bring: Bring) -> None:
    bring()
    assert bring(FLEET.replace("AZUL", ""), existing="replace").nothing_changed
    assert permit(store, "0007")[1].colour == "AZUL"


def test_the_other_form_of_a_plate_is_a_conflict_of_the_plate(store: Store, bring: Bring, preview: Preview) -> None:
    bring()
    older = FLEET.replace("RZA1B23", "RZA1123")
    assert conflicts(preview(older)) == [(2, "No cadastro está «RZA1B23».")]
    bring(older, existing="replace")
    assert permit(store, "0007")[1].plate == "RZA1123"


def test_a_vehicle_under_another_permit_and_a_permit_with_another_vehicle_are_conflicts(
    bring: Bring, preview: Preview
) -> None:
    bring()
    text = HEADER + "2026-11-20;0010;RZA1B23;NAVAL;MARÉ;2022;AZUL;\n2026-11-20;0008;RZD1234;NAVAL;MARÉ;2022;;\n"
    found = conflicts(preview(text))
    assert found == [
        (2, "No cadastro, a placa RZA1B23 está com permissão 0007."),
        (3, "No cadastro, permissão 0008 está com o veículo RZB1234."),
    ]
    assert not any(each.choosable for each in preview(text).remarks)
    for choice in ("keep", "replace"):
        assert conflicts(preview(text, existing=choice)) == found
    assert bring(text, skip=(2, 3)).nothing_changed


@pytest.mark.parametrize(("ended", "blocked"), [(-1, True), (0, True), (1, False)])
def test_an_ended_permit_is_a_conflict_from_its_first_day_without_effect(
    store: Store, bring: Bring, preview: Preview, ended: int, blocked: bool
) -> None:
    bring()
    with store.writing() as session:
        row = session.scalars(select(Permit).where(Permit.number == "0007")).one()
        row.ended_on = date.fromordinal(TODAY.toordinal() + ended)
    assert preview().blocked is blocked


def test_a_vehicle_of_an_ended_permit_may_come_under_another(store: Store, bring: Bring) -> None:
    bring()
    with store.writing() as session:
        session.scalars(select(Permit).where(Permit.number == "0007")).one().ended_on = TODAY
    written = bring(HEADER + "2026-11-20;0010;RZA1B23;NAVAL;MARÉ;2022;AZUL;\n")
    assert (written.vehicles, written.permits) == (0, 1)


def test_a_permit_without_a_vehicle_gets_it(store: Store, desk: Desk, bring: Bring) -> None:
    with store.writing() as session:
        session.add(
            Permit(
                authority=PORT,
                regime=regime.CODE,
                number="0007",
                category="turismo",
                granted_on=date(2026, 11, 25),
                created_at=NOON,
            )
        )
    written = bring()
    assert (written.permits, written.joined, written.vehicles) == (2, 1, 3)
    row, _, under = permit(store, "0007")
    assert (row.category, row.granted_on_known, under.since) == ("turismo", True, date(2026, 11, 25))


def test_what_a_plugin_holds_otherwise_is_a_conflict_until_the_clerk_chooses(
    bring: Bring, preview: Preview, quays: Quays, store: Store
) -> None:
    bring()
    elsewhere = FLEET.replace("CAIS A", "CAIS Z")
    assert [(each.cell, each.message) for each in preview(elsewhere).remarks] == [("H2", "Aqui o cais é CAIS A.")]
    with pytest.raises(Refused):
        bring(elsewhere)
    assert bring(elsewhere, existing="keep").nothing_changed
    written = bring(elsewhere, existing="replace")
    assert (written.plugin_rows, written.known) == (1, 2)
    assert quays.quays[permit(store, "0007")[0].id] == "CAIS Z"


def test_the_other_authority_is_another_world(store: Store, bring: Bring, stranger: Clerk) -> None:
    bring()
    mine = permit(store, "0007")[0].id
    written = bring(by=stranger)
    assert (written.vehicles, written.permits) == (3, 3)
    assert permit(store, "0007", OTHER)[0].id != mine
