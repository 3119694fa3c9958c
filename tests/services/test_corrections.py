"""Retificação: the wrong row counts on no day, the right one takes its place, both histories tell it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from registry.domain.occasion import Occasion
from registry.services import people
from registry.services.corrections import KINDS, correct, end_record, preview, wrong_row
from registry.services.desk import Desk
from registry.services.dossier import load_dossier
from registry.services.errors import AlreadyDone, NotFound, Refused, Stale
from registry.services.people import is_member
from registry.services.permit_pages import permit_page
from registry.services.person_pages import person_page
from registry.services.public_rows import refresh_public_rows
from registry.services.restrictions import lift_restriction, restrict_vehicle
from registry.services.status import answers
from registry.services.vehicle_pages import vehicle_page
from registry.store.audit import AuditEntry
from registry.store.corrections import Correction
from registry.store.people import Membership
from registry.store.permits import Licence, PermitVehicle
from registry.store.vehicles import Restriction, Vehicle
from tests import factories, regime
from tests.factories import CPFS, NOON, PORT, Clerk

TODAY = NOON.date()
GRANTED = date(2026, 1, 10)
REASON = "Digitado errado no balcão"


@pytest.fixture
def ana(desk: Desk, jonas: Clerk) -> int:
    return factories.person(desk, jonas)


@pytest.fixture
def boat(desk: Desk, jonas: Clerk) -> int:
    return factories.vehicle(desk, jonas)


@pytest.fixture
def permit(desk: Desk, jonas: Clerk, ana: int, boat: int) -> int:
    """A permit with the boat RZT6B18, told of ten days ago."""
    made = factories.permit(desk.store, ana, boat)
    with desk.store.writing() as session:
        refresh_public_rows(session, desk, made, jonas.occasion(days=-10))
    return made


def ordered(by: Clerk, office: str = "capitao", **more: Any) -> Occasion:
    return replace(by.occasion(**more), office=office)


def fix(desk: Desk, by: Clerk, noun: str, id: int, right: dict[str, Any] | None, **more: Any) -> int:
    """The correction of a row as it stands; ``right`` changes some of its fields."""
    with desk.store.reading() as session:
        row = wrong_row(session, desk, by.authority, noun, id)
    wanted = None if right is None else {**row.values, **right}
    return correct(ordered(by, **more), desk, noun, id, row.stamp, wanted, reason=REASON, act="Despacho 3/2026")


def only(desk: Desk, table: type, **having: Any) -> Any:
    with desk.store.reading() as session:
        return session.query(table).filter_by(**having).one().id


def state(desk: Desk, plate: str, ahead: timedelta = timedelta(hours=1)) -> str:
    with desk.store.reading() as session:
        found = answers(session, desk, plate, NOON + ahead)
    return found[0].state if found else ""


def effects(desk: Desk, subject: str, id: int) -> list[str]:
    with desk.store.reading() as session:
        rows = session.scalars(
            select(AuditEntry.after).where(
                AuditEntry.subject == subject, AuditEntry.subject_id == id, AuditEntry.action == "correction.made"
            )
        )
        return [row["effect"] for row in rows if row]


def test_a_wrong_vehicle_leaves_the_permit_as_if_it_never_was_there(
    desk: Desk, jonas: Clerk, permit: int, boat: int
) -> None:
    right = factories.vehicle(desk, jonas, "KKX2E41")
    under = only(desk, PermitVehicle)
    made = fix(desk, jonas, "permit_vehicle", under, {"plate": "kkx-2441"}, hours=1)
    assert (state(desk, "RZT6B18"), state(desk, "KKX2E41")) == ("", "denied"), "its licence is another car's"
    assert state(desk, "RZT6B18", timedelta(days=-1)) == "authorized", "what was told stays as it was told"
    assert state(desk, "KKX2E41", timedelta(days=-1)) == ""
    effect = (
        "Anula «veículo RZT6B18 na Permissão nº 0391, desde 10/01/2026» e registra no lugar: "
        "placa KKX-2441 e primeiro dia 10/01/2026."
    )
    for subject, id in (("permit", permit), ("vehicle", boat), ("vehicle", right)):
        assert effects(desk, subject, id) == [effect]
    with desk.store.reading() as session:
        entry = session.get_one(Correction, made)
        assert (entry.noun, entry.wrong_id, entry.office, entry.act) == (
            "permit_vehicle",
            under,
            "capitao",
            "Despacho 3/2026",
        )
        wrong, now = session.get_one(PermitVehicle, under), session.get_one(PermitVehicle, entry.right_id)
        assert (wrong.until, now.vehicle_id, now.since) == (GRANTED - timedelta(days=1), right, GRANTED)
        assert [line.vehicle_id for line in permit_page(session, desk, PORT, permit, NOON).vehicles] == [right]
        assert vehicle_page(session, desk, PORT, boat, NOON).holdings == ()


def test_a_vehicle_that_never_was_under_the_permit(desk: Desk, jonas: Clerk, permit: int) -> None:
    fix(desk, jonas, "permit_vehicle", only(desk, PermitVehicle), None)
    assert state(desk, "RZT6B18") == ""
    assert effects(desk, "permit", permit) == [
        "Anula «veículo RZT6B18 na Permissão nº 0391, desde 10/01/2026», que nunca valeu."
    ]


@pytest.mark.parametrize(
    ("right", "field", "said"),
    [
        ({"plate": "PGT4H87"}, "plate", "Nenhum veículo cadastrado com esta placa. Cadastre o veículo e volte aqui."),
        ({"plate": ""}, "plate", "Digite a placa."),
        ({"plate": "KKX2E41"}, "plate", "A placa KKX2E41 já está na Permissão nº 0400 nesses dias."),
        ({"since": None}, "since", "Digite a data."),
        ({"since": date(2026, 1, 9)}, "since", "A inclusão não pode ser antes da concessão (10/01/2026)."),
        ({"until": date(2026, 1, 9)}, "until", "O fim não pode ser antes do início (10/01/2026)."),
    ],
)
def test_a_right_inclusion_that_cannot_be(
    desk: Desk, jonas: Clerk, permit: int, right: dict[str, Any], field: str, said: str
) -> None:
    ivo = factories.person(desk, jonas, CPFS[1], "Ivo Tavares")
    factories.permit(desk.store, ivo, factories.vehicle(desk, jonas, "KKX2E41"), number="0400")
    with desk.store.reading() as session:
        (under,) = session.scalars(select(PermitVehicle.id).where(PermitVehicle.permit_id == permit))
    with pytest.raises(Refused) as refused:
        fix(desk, jonas, "permit_vehicle", under, right)
    assert refused.value.fields == {field: said}


def test_a_licence_with_a_wrong_day_gives_way_to_another_number(
    desk: Desk, jonas: Clerk, permit: int, boat: int
) -> None:
    wrong = only(desk, Licence)
    fix(desk, jonas, "licence", wrong, {"valid_until": TODAY - timedelta(days=1)}, hours=1)
    assert (state(desk, "RZT6B18"), state(desk, "RZT6B18", timedelta(0))) == ("denied", "authorized")
    with desk.store.reading() as session:
        old, new = session.scalars(select(Licence).order_by(Licence.id)).all()
        dossier = load_dossier(session, desk, PORT, regime.CODE, NOON, permit_id=permit)
        page = permit_page(session, desk, PORT, permit, NOON)
    assert (old.ended_on, old.end_reason, new.number) == (GRANTED, "retificada", "0001/2026")
    assert dossier.licence is not None and dossier.licence.number == "0001/2026"
    assert any("Retificação" in line.text for line in page.history)
    assert effects(desk, "licence", old.id) == effects(desk, "licence", new.id) == effects(desk, "vehicle", boat)


def test_a_licence_that_never_was_authorises_nobody(desk: Desk, jonas: Clerk, permit: int) -> None:
    fix(desk, jonas, "licence", only(desk, Licence), None)
    assert state(desk, "RZT6B18") == "denied"


def test_a_bar_of_other_days(desk: Desk, jonas: Clerk, permit: int, boat: int) -> None:
    wrong = restrict_vehicle(
        jonas.occasion(), desk, boat, regime=regime.CODE, kind="suspension", since=TODAY, reason="Auto 12"
    )
    assert state(desk, "RZT6B18") == "denied"
    fix(desk, jonas, "restriction", wrong, {"since": TODAY + timedelta(days=5)}, hours=1)
    assert state(desk, "RZT6B18") == "authorized" and state(desk, "RZT6B18", timedelta(days=5)) == "denied"
    with desk.store.reading() as session:
        old, new = session.scalars(select(Restriction).order_by(Restriction.id)).all()
    assert old.voided_at is not None and (new.reason, new.since) == ("Auto 12", TODAY + timedelta(days=5))


def test_a_membership_of_other_days(desk: Desk, jonas: Clerk, ana: int) -> None:
    coop = factories.cooperative(desk, jonas)
    wrong = people.add_member(jonas.occasion(), desk, coop, ana, date(2020, 5, 1))
    fix(desk, jonas, "membership", wrong, {"since": date(2025, 5, 1)})
    with desk.store.reading() as session:
        assert not is_member(session, coop, ana, date(2020, 5, 1))
        assert is_member(session, coop, ana, date(2025, 5, 1))
        page = person_page(session, desk, PORT, coop, TODAY)
    assert [line.since for line in page.members] == [date(2025, 5, 1)]
    assert len(effects(desk, "person", coop)) == len(effects(desk, "person", ana)) == 1


def test_a_double_membership_is_refused(desk: Desk, jonas: Clerk, ana: int) -> None:
    coop = factories.cooperative(desk, jonas)
    first = people.add_member(jonas.occasion(), desk, coop, ana, date(2020, 5, 1))
    people.end_membership(jonas.occasion(), desk, first, date(2021, 5, 1))
    second = people.add_member(jonas.occasion(), desk, coop, ana, date(2023, 5, 1))
    with pytest.raises(Refused) as refused:
        fix(desk, jonas, "membership", second, {"since": date(2021, 5, 1)})
    assert refused.value.fields == {"since": "Já há um vínculo de 01/05/2020 a 01/05/2021."}
    fix(desk, jonas, "membership", second, {"since": date(2021, 5, 2)})


def test_what_is_said_before_is_what_is_done(desk: Desk, jonas: Clerk, permit: int) -> None:
    under = only(desk, PermitVehicle)
    with desk.store.reading() as session:
        row = wrong_row(session, desk, PORT, "permit_vehicle", under)
        right = {**row.values, "until": TODAY}
        said = preview(session, desk, ordered(jonas), "permit_vehicle", under, right, reason=REASON, act="")
    fix(desk, jonas, "permit_vehicle", under, {"until": TODAY})
    assert effects(desk, "permit", permit) == [said]


@pytest.mark.parametrize("noun", sorted(KINDS))
def test_a_row_of_another_authority_is_not_there(desk: Desk, stranger: Clerk, noun: str, permit: int) -> None:
    with pytest.raises(NotFound):
        correct(ordered(stranger), desk, noun, 1, 0, None, reason=REASON)


def test_once_stale_unchanged_and_without_order(desk: Desk, jonas: Clerk, permit: int, boat: int) -> None:
    wrong = restrict_vehicle(
        jonas.occasion(), desk, boat, regime=regime.CODE, kind="suspension", since=TODAY, reason="Auto 12"
    )
    with desk.store.reading() as session:
        row = wrong_row(session, desk, PORT, "restriction", wrong)
    with pytest.raises(Refused) as refused:
        fix(desk, jonas, "restriction", wrong, {})
    assert refused.value.message.startswith("Nada difere")
    with pytest.raises(Refused):
        fix(desk, jonas, "permit_vehicle", only(desk, PermitVehicle), {"plate": "rzt-6118"})
    orders = (("rei", REASON, "office"), ("capitao", " ", "reason"), ("capitao", "x" * 401, "reason"))
    for office, reason, field in orders:
        with pytest.raises(Refused) as refused:
            correct(ordered(jonas, office), desk, "restriction", wrong, row.stamp, None, reason=reason)
        assert refused.value.fields.keys() == {field}
    lift_restriction(jonas.occasion(), desk, wrong, TODAY + timedelta(days=9), "Acordo")
    with pytest.raises(Stale):
        correct(ordered(jonas), desk, "restriction", wrong, row.stamp, None, reason=REASON)
    first, again = (fix(desk, jonas, "restriction", wrong, None, once_key="k") for _ in range(2))
    assert first == again
    with pytest.raises(AlreadyDone) as done:
        fix(desk, jonas, "restriction", wrong, None)
    assert done.value.result == first


def test_a_record_entered_by_mistake_is_ended_where_nothing_points_at_it(desk: Desk, jonas: Clerk, ana: int) -> None:
    boat = factories.vehicle(desk, jonas, "KKX2E41")
    people.add_member(jonas.occasion(), desk, factories.cooperative(desk, jonas), ana, TODAY)
    with pytest.raises(Refused) as refused:
        end_record(ordered(jonas), desk, "person", ana, 1, reason=REASON)
    assert refused.value.message.startswith("Há registros que apontam para Ana Lima.")
    with pytest.raises(Stale):
        end_record(ordered(jonas), desk, "vehicle", boat, 2, reason=REASON)
    end_record(ordered(jonas), desk, "vehicle", boat, 1, reason=REASON)
    assert factories.vehicle(desk, jonas, "KKX2E41") != boat, "its plate is free"
    with pytest.raises(AlreadyDone):
        end_record(ordered(jonas), desk, "vehicle", boat, 2, reason=REASON)
    with desk.store.reading() as session:
        assert session.get_one(Vehicle, boat).ended_at is not None
        assert session.scalars(select(Membership)).one().member_id == ana
