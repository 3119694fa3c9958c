from __future__ import annotations

from datetime import date, timedelta

import pytest

from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused, Stale
from registry.services.restrictions import lift_restriction, restrict_permit, restrict_vehicle, void_restriction
from registry.services.vehicles import (
    VehicleInput,
    create_vehicle,
    find_by_plate,
    live_permits,
    plate_taken,
    update_vehicle,
    vehicle_of,
)
from registry.store.vehicles import Restriction, Vehicle
from tests import factories
from tests.factories import CPFS, PORT, Clerk
from tests.regime import CODE

TODAY = date(2026, 11, 30)


def test_both_forms_of_a_plate_find_the_one_vehicle(desk: Desk, jonas: Clerk) -> None:
    made = factories.vehicle(desk, jonas, "pgt-4787")
    with desk.store.reading() as session:
        for typed in ("PGT4787", "pgt 4h87", "PGT-4787"):
            found = find_by_plate(session, PORT, typed)
            assert found is not None and found.id == made


def test_the_twin_of_a_plate_is_no_second_vehicle(desk: Desk, jonas: Clerk) -> None:
    made = factories.vehicle(desk, jonas, "PGT4787")
    with pytest.raises(Refused) as refused:
        factories.vehicle(desk, jonas, "PGT4H87")
    text = refused.value.fields["plate"]
    assert text == "PGT4H87 e PGT-4787 são a mesma placa. Já existe: PGT-4787, barca, 20 lugares. Abrir"
    assert refused.value.existing["plate"].id == made


@pytest.mark.parametrize("plate", ["", " ", "\u00a0"])
def test_an_empty_plate_is_refused(desk: Desk, jonas: Clerk, plate: str) -> None:
    with pytest.raises(Refused) as refused:
        factories.vehicle(desk, jonas, plate)
    assert refused.value.fields["plate"] == "Digite a placa."


def test_a_plate_that_cannot_exist_comes_with_the_likely_one(desk: Desk, jonas: Clerk) -> None:
    with pytest.raises(Refused) as refused:
        factories.vehicle(desk, jonas, "PEXIB23")
    assert refused.value.suggestions == {"plate": "PEX1B23"}
    assert factories.vehicle(desk, jonas, "PEZ0O00")


@pytest.mark.parametrize(("year", "text"), [(2027, "O ano de fabricação não pode ser maior que 2026."), (2026, "")])
def test_a_year_made_in_the_future_is_refused(desk: Desk, jonas: Clerk, year: int, text: str) -> None:
    if text:
        with pytest.raises(Refused) as refused:
            factories.vehicle(desk, jonas, year_made=year)
        assert refused.value.fields == {"year_made": text}
    else:
        assert factories.vehicle(desk, jonas, year_made=year)


def test_new_year_comes_at_the_authoritys_midnight(desk: Desk, jonas: Clerk) -> None:
    before = jonas.occasion(at=factories.NOON.replace(month=12, day=31) + timedelta(hours=11))  # 23:00 there
    with pytest.raises(Refused):
        create_vehicle(before, desk, VehicleInput("RZT6B18", year_made=2027))
    after = jonas.occasion(at=factories.NOON.replace(month=12, day=31) + timedelta(hours=12))
    assert create_vehicle(after, desk, VehicleInput("RZT6B18", year_made=2027))


def test_wrong_numbers_are_told_together(desk: Desk, jonas: Clerk) -> None:
    with pytest.raises(Refused) as refused:
        factories.vehicle(
            desk,
            jonas,
            renavam="12345678901",
            doors=0,
            seats=900,
            type="avião",
            first_registered_on=TODAY + timedelta(days=1),
        )
    assert refused.value.fields.keys() == {"renavam", "doors", "seats", "type", "first_registered_on"}


def test_a_renavam_of_nine_digits_gets_its_zeros(desk: Desk, jonas: Clerk) -> None:
    made = factories.vehicle(desk, jonas, renavam="639884962")
    with desk.store.reading() as session:
        assert session.get_one(Vehicle, made).renavam == "00639884962"


def test_the_plate_of_a_record_can_be_corrected_and_its_key_follows(desk: Desk, jonas: Clerk) -> None:
    made = factories.vehicle(desk, jonas, "PGT4787")
    assert update_vehicle(jonas.occasion(), desk, made, 1, {"plate": "PGT4H88"})
    with desk.store.reading() as session:
        row = session.get_one(Vehicle, made)
    assert (row.plate, row.plate_key, row.version) == ("PGT4H88", "PGT4788", 2)


def test_a_stale_vehicle_shows_both_values(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    made = factories.vehicle(desk, jonas, colour="azul")
    update_vehicle(rita.occasion(), desk, made, 1, {"colour": "verde"})
    with pytest.raises(Stale) as stale:
        update_vehicle(jonas.occasion(), desk, made, 1, {"colour": "preta"})
    (entry,) = stale.value.entries
    assert (entry.label, entry.before, entry.mine, entry.theirs) == ("Cor", "azul", "preta", "verde")


def test_vehicles_of_another_authority_do_not_exist(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    ours = factories.vehicle(desk, jonas)
    with pytest.raises(NotFound):
        update_vehicle(stranger.occasion(), desk, ours, 1, {"colour": "azul"})
    with desk.store.reading() as session:
        assert find_by_plate(session, factories.OTHER, "RZT6B18") is None
    assert factories.vehicle(desk, stranger) != ours
    with pytest.raises(NotFound):
        restrict_vehicle(stranger.occasion(), desk, ours, regime=CODE, kind="suspension", since=TODAY, reason="vencido")


@pytest.mark.parametrize(
    ("ended_on", "taken"),
    [(None, True), (TODAY, False), (TODAY + timedelta(days=1), True)],
)
def test_a_plate_on_a_live_permit_of_another_holder_is_taken(
    desk: Desk, jonas: Clerk, ended_on: date | None, taken: bool
) -> None:
    ana = factories.person(desk, jonas)
    ivo = factories.person(desk, jonas, CPFS[1], "Ivo Tavares")
    boat = factories.vehicle(desk, jonas)
    factories.permit(desk.store, ana, boat, ended_on=ended_on)
    with desk.store.reading() as session:
        refusal = plate_taken(session, desk, PORT, vehicle_of(session, PORT, boat), TODAY, ivo)
        own = plate_taken(session, desk, PORT, vehicle_of(session, PORT, boat), TODAY, ana)
    assert own is None
    assert (refusal is not None) is taken
    if refusal is not None:
        text = "A placa RZT6B18 já está na outorga nº 0391 (Permissão, Barcas). Abra a outorga ou confira a placa."
        assert refusal.fields["vehicle_id"] == text


def test_a_live_permit_of_an_unknown_holder_counts_too(desk: Desk, jonas: Clerk) -> None:
    boat = factories.vehicle(desk, jonas)
    permit = factories.permit(desk.store, None, boat)
    with desk.store.reading() as session:
        found = live_permits(session, desk, PORT, boat, TODAY, other_than=1)
    assert [each.id for each in found] == [permit]


def test_a_bar_is_ended_or_voided_never_deleted(desk: Desk, jonas: Clerk) -> None:
    boat = factories.vehicle(desk, jonas)
    bar = restrict_vehicle(
        jonas.occasion(), desk, boat, regime=CODE, kind="seizure", since=TODAY, reason="Sem coletes", act="Auto 9"
    )
    with pytest.raises(Refused):
        lift_restriction(jonas.occasion(), desk, bar, TODAY - timedelta(days=1), "engano")
    with pytest.raises(Refused):
        lift_restriction(jonas.occasion(), desk, bar, TODAY, " ")
    lift_restriction(jonas.occasion(days=3), desk, bar, TODAY + timedelta(days=3), "Coletes comprados")
    void_restriction(jonas.occasion(days=4), desk, bar, "Barca trocada")
    with pytest.raises(NotFound):
        void_restriction(jonas.occasion(days=4), desk, bar, "de novo")
    with desk.store.reading() as session:
        row = session.get_one(Restriction, bar)
    assert (row.since, row.until) == (TODAY, TODAY + timedelta(days=3))
    assert row.voided_at is not None


def test_a_bar_needs_a_reason_a_known_kind_and_an_end_after_its_start(desk: Desk, jonas: Clerk) -> None:
    boat = factories.vehicle(desk, jonas)
    with pytest.raises(Refused) as refused:
        restrict_vehicle(
            jonas.occasion(),
            desk,
            boat,
            regime=CODE,
            kind="fine",
            since=TODAY,
            until=TODAY - timedelta(days=1),
            reason="",
        )
    assert refused.value.fields.keys() == {"kind", "reason", "until"}


def test_bars_of_a_permit_stay_inside_the_authority(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    boat = factories.vehicle(desk, jonas)
    permit = factories.permit(desk.store, factories.person(desk, jonas), boat)
    with pytest.raises(NotFound):
        restrict_permit(stranger.occasion(), desk, permit, kind="suspension", since=TODAY, reason="x")
    bar = restrict_permit(jonas.occasion(), desk, permit, kind="suspension", since=TODAY, reason="x")
    with pytest.raises(NotFound):
        lift_restriction(stranger.occasion(), desk, bar, TODAY, "x")
