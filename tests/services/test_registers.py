"""The registers and the pages of person, vehicle and permit, on each engine."""

from __future__ import annotations

from datetime import date

import pytest

from registry.services import people, restrictions
from registry.services.desk import Desk
from registry.services.errors import NotFound
from registry.services.permit_pages import permit_page
from registry.services.person_pages import person_page
from registry.services.registers import list_people, list_permits, list_vehicles
from registry.services.vehicle_pages import vehicle_page
from tests import factories
from tests.factories import CPFS, NOON, OTHER, PORT, Clerk

TODAY = date(2026, 11, 30)


def test_people_by_name_number_and_kind(desk: Desk, jonas: Clerk) -> None:
    ana = factories.person(desk, jonas, name="Ana Conceição")
    rota = factories.company(desk, jonas)
    boat = factories.vehicle(desk, jonas)
    permit = factories.permit(desk.store, ana, boat)
    with desk.store.reading() as session:
        whole = list_people(session, desk, PORT, TODAY)
        assert [line.id for line in whole.lines] == [ana, rota] and whole.total == 2
        assert [ref.id for ref in whole.lines[0].permits] == [permit]
        for typed in ("conceicao", "ÇÃO ana", CPFS[0], "023.456.781-35"):
            assert [line.id for line in list_people(session, desk, PORT, TODAY, typed=typed).lines] == [ana], typed
        assert [line.id for line in list_people(session, desk, PORT, TODAY, kind="company").lines] == [rota]
        assert list_people(session, desk, PORT, TODAY, typed="%").total == 0
        assert list_people(session, desk, OTHER, TODAY).total == 0


def test_a_page_after_the_last_still_tells_the_total(desk: Desk, jonas: Clerk) -> None:
    factories.person(desk, jonas)
    with desk.store.reading() as session:
        beyond = list_people(session, desk, PORT, TODAY, page=9)
    assert beyond.lines == () and beyond.total == 1


@pytest.mark.parametrize(("on", "held"), [(9, False), (10, True), (29, True), (30, False)])
def test_a_vehicle_has_a_permit_from_the_grant_until_the_day_before_its_end(
    desk: Desk, jonas: Clerk, on: int, held: bool
) -> None:
    boat = factories.vehicle(desk, jonas)
    granted, ended = date(2026, 11, 10), date(2026, 11, 30)
    factories.permit(desk.store, factories.person(desk, jonas), boat, granted_on=granted, ended_on=ended)
    day = date(2026, 11, on)
    with desk.store.reading() as session:
        assert (list_vehicles(session, desk, PORT, day, state="com").total == 1) is held
        assert (list_vehicles(session, desk, PORT, day, state="sem").total == 0) is held
        assert bool(list_vehicles(session, desk, PORT, day, typed="rzt-6118").lines[0].permits) is held


def test_permits_by_number_plate_and_name(desk: Desk, jonas: Clerk) -> None:
    ana, ivo = factories.person(desk, jonas), factories.person(desk, jonas, CPFS[1], "Ivo Tavares")
    first = factories.permit(desk.store, ana, factories.vehicle(desk, jonas))
    other = factories.permit(desk.store, ivo, factories.vehicle(desk, jonas, "KGA1234"), number="0402", ended_on=TODAY)
    with desk.store.reading() as session:
        for typed in ("391", "0391", "rzt6118", "lima", CPFS[0]):
            found = list_permits(session, desk, PORT, TODAY, typed=typed)
            assert [line.id for line in found.lines] == [first], typed
        assert [line.id for line in list_permits(session, desk, PORT, TODAY, state="encerrada").lines] == [other]
        assert [line.id for line in list_permits(session, desk, PORT, TODAY, state="em_vigor").lines] == [first]
        assert list_permits(session, desk, PORT, TODAY).lines[0].plates == ((1, "RZT6B18"),)
        assert list_permits(session, desk, OTHER, TODAY).total == 0


def test_the_page_of_a_person_gathers_what_it_has(desk: Desk, jonas: Clerk) -> None:
    ana, coop = factories.person(desk, jonas), factories.cooperative(desk, jonas)
    people.add_member(jonas.occasion(), desk, coop, ana, date(2026, 3, 1))
    boat = factories.vehicle(desk, jonas)
    permit = factories.permit(desk.store, ana, boat)
    restrictions.restrict_permit(
        jonas.occasion(), desk, permit, kind="suspension", since=TODAY, until=TODAY, reason="Débitos"
    )
    request = factories.draft(desk, jonas, "renovacao", applicant_id=ana, vehicle_id=boat)
    with desk.store.reading() as session:
        page = person_page(session, desk, PORT, ana, TODAY)
        assert [line.person for line in page.cooperatives] == ["Coop. Caminho do Sol"] and not page.members
        assert [(each.id, each.state) for each in page.permits] == [(permit, "em_vigor")]
        assert [(each.plate, each.current) for each in page.vehicles] == [("RZT6B18", True)]
        assert [(bar.label, of) for bar, of in page.bars] == [("Suspensão", "Permissão nº 0391")]
        assert [each.id for each in page.requests] == [request]
        assert "Restrição registrada" in {each.text for each in page.history}
        assert [line.person for line in person_page(session, desk, PORT, coop, TODAY).members] == ["Ana Lima"]
        assert person_page(session, desk, PORT, ana, date(2026, 12, 1)).bars == ()
        with pytest.raises(NotFound):
            person_page(session, desk, OTHER, ana, TODAY)


def test_the_pages_of_vehicle_and_permit_agree(desk: Desk, jonas: Clerk) -> None:
    boat = factories.vehicle(desk, jonas)
    permit = factories.permit(desk.store, factories.person(desk, jonas), boat)
    factories.inspection(desk.store, boat, valid_until=date(2026, 11, 29))
    restrictions.restrict_vehicle(
        jonas.occasion(), desk, boat, regime="barcas", kind="suspension", since=TODAY, reason="Auto 123"
    )
    with desk.store.reading() as session:
        of_boat = vehicle_page(session, desk, PORT, boat, NOON)
        of_permit = permit_page(session, desk, PORT, permit, NOON)
        assert [each.permit_id for each in of_boat.current] == [permit] and of_boat.type_label == "Barca"
        assert [each.expired for each in of_boat.inspections] == [True]
        assert [each.state for each in of_boat.answers] == ["denied"]
        assert [each.reasons for each in of_boat.answers] == [each.reasons for each in of_permit.vehicles[0].answers]
        assert [each.bar.id for each in of_boat.bars_in_force] == [each.bar.id for each in of_permit.bars]
        for page, key in ((vehicle_page, boat), (permit_page, permit)):
            with pytest.raises(NotFound):
                page(session, desk, OTHER, key, NOON)
