"""Duplicates made one and parted again: nothing lost, nothing doubled, the same as before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select, text

from registry.services import people, vehicles
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotFound, Refused, Stale
from registry.services.legacy_debts import DebtInput, enter_debt
from registry.services.merging import kept_instead, label_of, merge, record_of, undo, with_merges
from registry.services.public_rows import refresh_public_rows
from registry.services.restrictions import restrict_vehicle
from registry.services.status import answers
from registry.store.audit import AuditEntry, verify
from registry.store.charges import Charge
from registry.store.corrections import Merge
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.requests import Request
from registry.store.vehicles import Restriction, Vehicle
from tests import factories, regime
from tests.factories import CNPJS, CPFS, NOON, PORT, Clerk
from tests.services.merges import REASON, merged, ordered, snapshot

TODAY = NOON.date()


@pytest.fixture
def ana(desk: Desk, jonas: Clerk) -> int:
    return factories.person(desk, jonas, born_on=date(1980, 5, 1), phone="81 1111")


@pytest.fixture
def twin(desk: Desk, jonas: Clerk) -> int:
    return factories.person(desk, jonas, CPFS[1], "Ana Limma", born_on=date(1980, 5, 2), email="ana@exemplo.com.br")


@contextmanager
def plugin_table(desk: Desk, target: str) -> Iterator[None]:
    """A table of a plugin that is not loaded, whose rows point at a record and may do so once."""
    with desk.store.writing() as session:
        session.execute(
            text(f"create table sumido__nota (id integer primary key, dono integer unique references {target}(id))")
        )
    try:
        yield
    finally:
        with desk.store.writing() as session:
            session.execute(text("drop table sumido__nota"))


def notes(desk: Desk) -> list[tuple[int, int]]:
    with desk.store.reading() as session:
        return [(row.id, row.dono) for row in session.execute(text("select id, dono from sumido__nota order by id"))]


def note(desk: Desk, id: int, owner: int) -> None:
    with desk.store.writing() as session:
        session.execute(text("insert into sumido__nota values (:id, :owner)"), {"id": id, "owner": owner})


def test_what_pointed_at_the_one_points_at_the_other_and_back(desk: Desk, jonas: Clerk, ana: int, twin: int) -> None:
    boat = factories.vehicle(desk, jonas)
    permit = factories.permit(desk.store, twin, boat)
    request = factories.filed(desk, jonas, applicant_id=twin, vehicle_id=boat)
    debt = enter_debt(
        jonas.occasion(), desk, twin, DebtInput(regime.CODE, "fine", Decimal("9.90"), TODAY, "Antigo", "Auto 1")
    )
    with plugin_table(desk, "person"):
        note(desk, 1, twin)
        before = snapshot(desk)
        made = merged(desk, jonas, "person", ana, twin, ("email", "born_on"))
        with desk.store.reading() as session:
            assert session.get_one(Permit, permit).holder_id == ana
            assert session.get_one(Request, request).applicant_id == ana
            assert session.get_one(Charge, debt).debtor_id == ana
            kept, gone = session.get_one(Person, ana), session.get_one(Person, twin)
            assert (kept.email, kept.phone, kept.born_on) == ("ana@exemplo.com.br", "81 1111", date(1980, 5, 2))
            assert gone.ended_at is not None and kept.ended_at is None
            assert kept_instead(session, PORT, "person", twin) == ana
            assert [(line.gone_id, line.gone) for line in with_merges(session, PORT, "person", ana)[1]] == [
                (twin, "Ana Limma")
            ]
        assert notes(desk) == [(1, ana)]
        assert undo(jonas.occasion(hours=1), desk, made, "Eram duas pessoas") == twin
        assert snapshot(desk) == before
    with desk.store.reading() as session:
        assert kept_instead(session, PORT, "person", twin) is None and verify(session).intact
        told = [
            (row.action, row.subject_id)
            for row in session.scalars(select(AuditEntry).where(AuditEntry.action.like("person.%")))
        ]
    for entry in (
        ("person.merged", ana),
        ("person.merged_into", twin),
        ("person.parted", ana),
        ("person.parted", twin),
    ):
        assert entry in told


def test_what_was_made_after_stays_with_the_one_that_was_kept(desk: Desk, jonas: Clerk, ana: int, twin: int) -> None:
    made = merged(desk, jonas, "person", ana, twin, ("email",))
    request = factories.filed(desk, jonas, applicant_id=ana)
    people.update_person(jonas.occasion(), desk, ana, 2, {"email": "outra@exemplo.com.br"})
    undo(jonas.occasion(hours=1), desk, made, "Eram duas pessoas")
    with desk.store.reading() as session:
        assert session.get_one(Request, request).applicant_id == ana
        assert session.get_one(Person, ana).email == "outra@exemplo.com.br", "a later edit is nobody's to undo"


def test_merges_are_undone_the_newest_first(desk: Desk, jonas: Clerk, ana: int, twin: int) -> None:
    third = factories.person(desk, jonas, CPFS[2], "A. Lima")
    first = merged(desk, jonas, "person", ana, twin)
    second = merged(desk, jonas, "person", third, ana)
    with desk.store.reading() as session:
        assert kept_instead(session, PORT, "person", twin) == third
        assert {line.gone_id for line in with_merges(session, PORT, "person", third)[1]} == {ana, twin}
    with pytest.raises(Refused) as refused:
        undo(jonas.occasion(), desk, first, "Engano")
    assert refused.value.message == "Houve outra junção com este cadastro depois. Desfaça primeiro a mais nova."
    undo(jonas.occasion(), desk, second, "Engano")
    undo(jonas.occasion(), desk, first, "Engano")
    with pytest.raises(AlreadyDone) as done:
        undo(jonas.occasion(), desk, first, "Engano")
    assert done.value.result == twin


def test_what_was_anonymised_is_not_parted(desk: Desk, jonas: Clerk, ana: int, twin: int) -> None:
    made = merged(desk, jonas, "person", ana, twin)
    with desk.store.writing() as session:
        session.get_one(Merge, made).moved = {}
    with pytest.raises(Refused) as refused:
        undo(jonas.occasion(), desk, made, "Engano")
    assert "anonimizados" in refused.value.message


def test_a_number_that_another_took_meanwhile_stops_the_undoing(desk: Desk, jonas: Clerk, ana: int, twin: int) -> None:
    made = merged(desk, jonas, "person", ana, twin)
    factories.person(desk, jonas, CPFS[1], "Ivo Tavares")
    before = snapshot(desk)
    with pytest.raises(Refused) as refused:
        undo(jonas.occasion(), desk, made, "Eram duas pessoas")
    assert "já está em outro cadastro" in refused.value.message
    assert snapshot(desk) == before


def test_what_a_table_allows_once_stops_the_merge(desk: Desk, jonas: Clerk, ana: int, twin: int) -> None:
    with plugin_table(desk, "person"):
        note(desk, 1, ana)
        note(desk, 2, twin)
        before = snapshot(desk)
        with pytest.raises(Refused) as refused:
            merged(desk, jonas, "person", ana, twin)
        assert "Nada mudou" in refused.value.message and snapshot(desk) == before


@pytest.mark.parametrize("ended_on", [None, TODAY + timedelta(days=1), TODAY])
def test_two_live_permits_of_one_regime_stop_the_merge_of_people(
    desk: Desk, jonas: Clerk, ana: int, twin: int, ended_on: date | None
) -> None:
    factories.permit(desk.store, ana, factories.vehicle(desk, jonas))
    factories.permit(desk.store, twin, factories.vehicle(desk, jonas, "KKX2E41"), number="0400", ended_on=ended_on)
    if ended_on == TODAY:
        assert merged(desk, jonas, "person", ana, twin)
        return
    with pytest.raises(Refused) as refused:
        merged(desk, jonas, "person", ana, twin)
    text = "Cada cadastro tem uma outorga em Barcas: nº 0391 e nº 0400. Encerre uma delas e junte depois."
    assert refused.value.message == text


def test_a_company_may_come_to_hold_two(desk: Desk, jonas: Clerk) -> None:
    one, other = factories.company(desk, jonas), factories.company(desk, jonas, CNPJS[1], "Rota Viva")
    factories.permit(desk.store, one, factories.vehicle(desk, jonas))
    factories.permit(desk.store, other, factories.vehicle(desk, jonas, "KKX2E41"), number="0400")
    assert merged(desk, jonas, "person", one, other)


def test_a_double_membership_stops_the_merge(desk: Desk, jonas: Clerk, ana: int, twin: int) -> None:
    coop = factories.cooperative(desk, jonas)
    for each in (ana, twin):
        people.add_member(jonas.occasion(), desk, coop, each, TODAY)
    with pytest.raises(Refused) as refused:
        merged(desk, jonas, "person", ana, twin)
    assert refused.value.message.startswith("Os dois cadastros têm vínculo com Coop. Caminho do Sol.")


Told = Callable[[str], list[tuple[str, str]]]


@pytest.fixture
def told(desk: Desk) -> Told:
    def ask(plate: str) -> list[tuple[str, str]]:
        with desk.store.reading() as session:
            found = answers(session, desk, plate, NOON + timedelta(hours=5))
        return [(answer.card.plate, answer.state) for answer in found]

    return ask


def test_two_vehicles_become_one_for_the_public_too(desk: Desk, jonas: Clerk, ana: int, told: Told) -> None:
    typo, right = factories.vehicle(desk, jonas, "RZT6B13"), factories.vehicle(desk, jonas, "RZT6B18", colour="azul")
    permit = factories.permit(desk.store, ana, typo)
    with desk.store.writing() as session:
        refresh_public_rows(session, desk, permit, jonas.occasion())
    before = snapshot(desk)
    made = merged(desk, jonas, "vehicle", right, typo, hours=1)
    assert (told("RZT6B13"), told("RZT6B18")) == ([], [("RZT6B18", "authorized")])
    with desk.store.reading() as session:
        assert answers(session, desk, "RZT6B18", NOON - timedelta(days=1)) == (), "the past stays as it was told"
        assert [row.vehicle_id for row in session.scalars(select(PermitVehicle))] == [right]
    with pytest.raises(Refused):
        vehicles.update_vehicle(jonas.occasion(), desk, typo, 2, {"colour": "verde"})
    undo(jonas.occasion(hours=2), desk, made, "Eram duas barcas")
    assert (told("RZT6B13"), told("RZT6B18")) == ([("RZT6B13", "authorized")], [])
    assert snapshot(desk) == before


def test_the_plate_may_come_from_the_one_that_goes(desk: Desk, jonas: Clerk, told: Told, ana: int) -> None:
    typo, right = factories.vehicle(desk, jonas, "RZT6B13"), factories.vehicle(desk, jonas, "RZT6B18")
    factories.permit(desk.store, ana, typo)
    before = snapshot(desk)
    made = merged(desk, jonas, "vehicle", typo, right, ("plate",))
    with desk.store.reading() as session:
        row = session.get_one(Vehicle, typo)
        assert (row.plate, row.plate_key) == ("RZT6B18", "RZT6118")
    assert told("RZT6B18") == [("RZT6B18", "authorized")]
    undo(jonas.occasion(hours=1), desk, made, "Eram duas")
    assert snapshot(desk) == before


@pytest.mark.parametrize("same_permit", [True, False])
def test_two_vehicles_under_live_permits_are_refused(desk: Desk, jonas: Clerk, ana: int, same_permit: bool) -> None:
    one, other = factories.vehicle(desk, jonas, "RZT6B13"), factories.vehicle(desk, jonas, "RZT6B18")
    permit = factories.permit(desk.store, ana, one)
    if same_permit:
        with desk.store.writing() as session:
            session.add(PermitVehicle(permit_id=permit, vehicle_id=other, since=TODAY))
    else:
        factories.permit(desk.store, ana, other, number="0400")
    with pytest.raises(Refused) as refused:
        merged(desk, jonas, "vehicle", one, other)
    said = "Os dois veículos estão na Permissão nº 0391." if same_permit else "Um veículo não fica em duas outorgas"
    assert said in refused.value.message


def test_bars_follow_the_vehicle(desk: Desk, jonas: Clerk) -> None:
    one, other = factories.vehicle(desk, jonas, "RZT6B13"), factories.vehicle(desk, jonas, "RZT6B18")
    bar = restrict_vehicle(
        jonas.occasion(), desk, other, regime=regime.CODE, kind="seizure", since=TODAY, reason="Retida"
    )
    merged(desk, jonas, "vehicle", one, other)
    with desk.store.reading() as session:
        assert session.get_one(Restriction, bar).vehicle_id == one


def test_stale_strange_and_wrong(desk: Desk, jonas: Clerk, stranger: Clerk, ana: int, twin: int) -> None:
    coop = factories.cooperative(desk, jonas)
    for who, kept, gone, version, more, error in [
        (stranger, ana, twin, 2, {}, NotFound),
        (jonas, ana, 999, 2, {}, NotFound),
        (jonas, ana, ana, 2, {}, Refused),
        (jonas, ana, coop, 2, {}, Refused),
        (jonas, ana, twin, 1, {}, Stale),
        (jonas, ana, twin, 2, {"reason": " "}, Refused),
        (jonas, ana, twin, 2, {"office": "rei"}, Refused),
    ]:
        with pytest.raises(error):
            act = ordered(who, more.get("office", "capitao"))
            merge(act, desk, "person", kept, gone, version, taken=(), reason=more.get("reason", REASON))
    twice = ordered(jonas, once_key="k")
    first = merge(twice, desk, "person", ana, twin, 2, taken=(), reason=REASON)
    assert merge(twice, desk, "person", ana, twin, 2, taken=(), reason=REASON) == first
    with pytest.raises(Refused) as refused:
        merge(ordered(jonas), desk, "person", coop, twin, 3, taken=(), reason=REASON)
    with desk.store.reading() as session:
        name = label_of(record_of(session, PORT, "person", twin))
    assert refused.value.message.startswith(f"O cadastro de {name} já foi encerrado ou juntado a outro.")
    with pytest.raises(Refused):
        undo(jonas.occasion(), desk, first, "")
    with pytest.raises(NotFound):
        undo(stranger.occasion(), desk, first, "Engano")
