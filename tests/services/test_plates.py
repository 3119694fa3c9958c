"""Another plate on the same car: one record, found by both, told to the public from the day of the change."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused, Stale
from registry.services.permit_pages import permit_page
from registry.services.plates import PlateChange, change_plate, former_plates, gone_plate
from registry.services.public_rows import rebuild_public, refresh_public_rows
from registry.services.search import find
from registry.services.status import answers
from registry.services.vehicles import find_by_plate, vehicle_of
from registry.store.permits import PublicRow
from registry.store.search import search_plates
from registry.store.vehicles import FormerPlate, Vehicle
from tests import factories
from tests.factories import NOON, OTHER, PORT, ZONE, Clerk

TODAY = NOON.date()
OLD, NEW = "RZT6B18", "PGT4H88"
CHANGE = PlateChange(NEW, TODAY, "Clonagem, boletim 77/2026", "Portaria 9/2026")


@pytest.fixture
def boat(desk: Desk, jonas: Clerk) -> int:
    """A boat with a permit since 10 January, told of at noon of 20 November."""
    made = factories.vehicle(desk, jonas, OLD)
    permit = factories.permit(desk.store, factories.person(desk, jonas), made)
    with desk.store.writing() as session:
        refresh_public_rows(session, desk, permit, jonas.occasion(days=-10))
    return made


def _told(desk: Desk, plate: str, at: datetime) -> str:
    """authorized, denied, the day since which the plate is gone, or "" for an unknown plate."""
    with desk.store.reading() as session:
        found = answers(session, desk, plate, at)
        if found:
            assert found[0].card.plate == plate, "the card never tells another plate"
            return found[0].state
        gone = gone_plate(session, desk, plate, at)
        return gone.since.isoformat() if gone else ""


def _at(day: date, hour: int = 12) -> datetime:
    return datetime.combine(day, time(hour), tzinfo=ZONE)


def test_the_record_stays_one_and_both_plates_find_it(desk: Desk, jonas: Clerk, boat: int) -> None:
    assert change_plate(jonas.occasion(), desk, boat, 1, CHANGE) == boat
    with desk.store.reading() as session:
        row = vehicle_of(session, PORT, boat)
        (former,) = former_plates(session, boat)
        assert (row.plate, row.plate_key, row.version) == (NEW, "PGT4788", 2)
        assert (former.plate, former.plate_key, former.until) == (OLD, "RZT6118", TODAY - timedelta(days=1))
        for typed in (NEW, OLD, "rzt-6118", "pgt4", "rzt6"):
            (hit,) = search_plates(session, PORT, typed).hits
            assert (hit.id, hit.plate) == (boat, NEW)
        found = find(session, desk, PORT, OLD)
        assert found.exact is not None and found.exact.id == boat
        assert found.exact.note.startswith("Antes RZT6B18")
        assert find(session, desk, OTHER, OLD).nothing
        by_old = find_by_plate(session, PORT, "rzt-6118")
        assert by_old is not None and (by_old.id, by_old.plate) == (boat, NEW)
        assert find_by_plate(session, PORT, OLD, former=False) is find_by_plate(session, OTHER, OLD) is None


def test_the_public_is_told_from_the_change_on_and_as_it_was_before(desk: Desk, jonas: Clerk, boat: int) -> None:
    change_plate(jonas.occasion(), desk, boat, 1, CHANGE)
    yesterday, tomorrow = TODAY - timedelta(days=1), TODAY + timedelta(days=1)
    assert _told(desk, OLD, _at(yesterday, 23)) == "authorized"
    assert _told(desk, OLD, NOON) == TODAY.isoformat()
    assert _told(desk, OLD, _at(tomorrow)) == TODAY.isoformat()
    assert _told(desk, "RZT6118", NOON) == TODAY.isoformat(), "either form"
    assert _told(desk, NEW, _at(yesterday, 23)) == ""
    assert _told(desk, NEW, NOON) == "authorized"


def test_a_change_of_last_week_is_told_from_its_day_and_nothing_is_lost(desk: Desk, jonas: Clerk, boat: int) -> None:
    day = TODAY - timedelta(days=7)
    change_plate(jonas.occasion(), desk, boat, 1, replace(CHANGE, changed_on=day))
    before = day - timedelta(days=1)
    assert _told(desk, OLD, _at(before, 23)) == "authorized"
    assert _told(desk, OLD, _at(day, 0)) == day.isoformat()
    assert (_told(desk, NEW, _at(before, 23)), _told(desk, NEW, _at(day, 0))) == ("", "authorized")
    with desk.store.reading() as session:
        withdrawn = session.scalars(select(PublicRow).where(PublicRow.withdrawn_at.is_not(None))).all()
        assert {row.plate for row in withdrawn} == {OLD}, "what was told since that day is kept as withdrawn"


def test_made_anew_the_rows_say_the_same(desk: Desk, jonas: Clerk, boat: int) -> None:
    change_plate(jonas.occasion(), desk, boat, 1, replace(CHANGE, changed_on=TODAY - timedelta(days=7)))
    days = [date(2026, 1, 9), date(2026, 1, 10), *(TODAY + timedelta(days=n) for n in (-8, -7, 0, 41))]
    asked = [(plate, _at(day)) for plate in (OLD, NEW) for day in days]
    before = [_told(desk, *each) for each in asked]
    assert rebuild_public(desk, jonas.occasion(hours=1)) == (1, 0)
    assert [_told(desk, *each) for each in asked] == before


def test_a_licence_is_shown_with_the_plate_that_it_was_issued_with(desk: Desk, jonas: Clerk, boat: int) -> None:
    change_plate(jonas.occasion(), desk, boat, 1, CHANGE)
    with desk.store.reading() as session:
        page = permit_page(session, desk, PORT, 1, NOON)
    assert [line.plate for line in page.licences] == [OLD] and [line.plate for line in page.vehicles] == [NEW]


def test_two_changes_on_one_day_and_back_again(desk: Desk, jonas: Clerk, boat: int) -> None:
    change_plate(jonas.occasion(), desk, boat, 1, CHANGE)
    change_plate(jonas.occasion(hours=1), desk, boat, 2, replace(CHANGE, plate="OYV4B22"))
    change_plate(jonas.occasion(hours=2), desk, boat, 3, replace(CHANGE, plate=OLD))
    assert _told(desk, OLD, NOON + timedelta(hours=2)) == "authorized"
    assert _told(desk, OLD, NOON + timedelta(minutes=90)) == TODAY.isoformat()
    assert _told(desk, "OYV4B22", NOON + timedelta(minutes=90)) == "authorized"
    assert _told(desk, NEW, NOON + timedelta(hours=3)) == TODAY.isoformat()


def test_the_other_form_of_the_plate_is_no_other_plate(desk: Desk, jonas: Clerk, boat: int) -> None:
    change_plate(jonas.occasion(), desk, boat, 1, replace(CHANGE, plate="RZT-6118"))
    with desk.store.reading() as session:
        assert session.get_one(Vehicle, boat).plate == "RZT6118"
        assert session.scalars(select(FormerPlate)).all() == []
    assert _told(desk, "RZT6118", NOON) == "authorized"


def test_a_plate_that_no_public_row_ever_told_of_is_simply_unknown(desk: Desk, jonas: Clerk) -> None:
    idle = factories.vehicle(desk, jonas, "KKX2E41")
    change_plate(jonas.occasion(), desk, idle, 1, CHANGE)
    assert _told(desk, "KKX2E41", NOON) == ""


def test_the_old_plate_on_another_authorised_car_answers_for_that_car(desk: Desk, jonas: Clerk, boat: int) -> None:
    change_plate(jonas.occasion(), desk, boat, 1, CHANGE)
    other = factories.vehicle(desk, jonas, OLD)
    permit = factories.permit(desk.store, None, other, number="0400", granted_on=TODAY)
    with desk.store.writing() as session:
        refresh_public_rows(session, desk, permit, jonas.occasion(hours=1))
    assert _told(desk, OLD, NOON + timedelta(hours=1)) == "authorized"


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        ({"plate": ""}, "plate", "Digite a placa."),
        ({"plate": OLD}, "plate", "O veículo já tem a placa RZT6B18."),
        ({"plate": "KKX2E41"}, "plate", "A placa KKX2E41 já é de outro veículo. Abrir"),
        ({"plate": "KKX2441"}, "plate", "A placa KKX-2441 já é de outro veículo. Abrir"),
        ({"reason": " "}, "reason", "Escreva o motivo. Ele vai para o processo."),
        ({"changed_on": TODAY + timedelta(days=1)}, "changed_on", "A data não pode ser depois de hoje (30/11/2026)."),
        ({"act": "x" * 401}, "act", "Use no máximo 400 letras."),
    ],
)
def test_what_is_wrong_is_said(
    desk: Desk, jonas: Clerk, boat: int, changed: dict[str, Any], field: str, said: str
) -> None:
    other = factories.vehicle(desk, jonas, "KKX2E41")
    with pytest.raises(Refused) as refused:
        change_plate(jonas.occasion(), desk, boat, 1, replace(CHANGE, **changed))
    assert refused.value.fields == {field: said}
    assert refused.value.existing == {} or refused.value.existing["plate"].id == other


def test_a_change_before_the_last_one_is_refused(desk: Desk, jonas: Clerk, boat: int) -> None:
    change_plate(jonas.occasion(), desk, boat, 1, CHANGE)
    with pytest.raises(Refused) as refused:
        early = replace(CHANGE, plate="OYV4B22", changed_on=TODAY - timedelta(days=1))
        change_plate(jonas.occasion(), desk, boat, 2, early)
    assert refused.value.fields == {"changed_on": "A última troca foi em 30/11/2026. Use esse dia ou depois."}


def test_stale_twice_and_of_another_authority(desk: Desk, jonas: Clerk, stranger: Clerk, boat: int) -> None:
    with pytest.raises(NotFound):
        change_plate(stranger.occasion(), desk, boat, 1, CHANGE)
    twice = jonas.occasion(once_key="k")
    assert change_plate(twice, desk, boat, 1, CHANGE) == change_plate(twice, desk, boat, 1, CHANGE)
    with pytest.raises(Stale):
        change_plate(jonas.occasion(), desk, boat, 1, replace(CHANGE, plate="OYV4B22"))
