"""The end of a permit and the baixa of a vehicle, on both engines."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from registry.services import permits
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotFound, Refused, Stale
from registry.services.public_rows import refresh_public_rows
from registry.services.status import answers
from registry.store.audit import AuditEntry
from registry.store.permits import Licence, Permit, PermitVehicle
from tests import factories
from tests.factories import NOON, Clerk

TODAY, GRANTED = NOON.date(), date(2026, 1, 10)
LONG = "Renúncia do titular, que vendeu a barca e mudou de cidade, como diz o requerimento de folhas 12 e seguintes."


@pytest.fixture
def vehicle_id(desk: Desk, jonas: Clerk) -> int:
    return factories.vehicle(desk, jonas)


@pytest.fixture
def permit_id(desk: Desk, jonas: Clerk, vehicle_id: int) -> int:
    made = factories.permit(desk.store, factories.person(desk, jonas), vehicle_id)
    with desk.store.writing() as session:
        refresh_public_rows(session, desk, made, jonas.occasion(hours=-2))
    return made


def _states(desk: Desk, **ahead: float) -> list[str]:
    with desk.store.reading() as session:
        return [each.state for each in answers(session, desk, "RZT6B18", NOON + timedelta(**ahead))]


def test_the_whole_reason_of_an_end_is_kept_and_no_code_is_made_of_it(desk: Desk, jonas: Clerk, permit_id: int) -> None:
    assert len(LONG) > 64
    permits.end_permit(jonas.occasion(), desk, permit_id, 1, TODAY, f"  {LONG} ")
    with desk.store.reading() as session:
        assert permits.permit_page(session, desk, jonas.authority, permit_id, NOON).end_reason == LONG
        assert session.get_one(Permit, permit_id).end_reason == ""


def test_a_code_of_a_regime_is_still_shown(desk: Desk, jonas: Clerk, permit_id: int) -> None:
    with desk.store.writing() as session:
        row = session.get_one(Permit, permit_id)
        row.ended_on, row.end_reason = TODAY, "renuncia"
    with desk.store.reading() as session:
        assert permits.permit_page(session, desk, jonas.authority, permit_id, NOON).end_reason == "renuncia"


def test_a_vehicle_leaves_with_its_licence_and_the_public_learns_it_at_once(
    desk: Desk, jonas: Clerk, permit_id: int, vehicle_id: int
) -> None:
    other = factories.vehicle(desk, jonas, "KGA1234")
    with desk.store.writing() as session:
        session.add(PermitVehicle(permit_id=permit_id, vehicle_id=other, since=GRANTED))
    assert _states(desk, hours=-1) == ["authorized"]
    permits.remove_vehicle(jonas.occasion(), desk, permit_id, vehicle_id, 1, TODAY, LONG, "Portaria 9/2026")
    assert _states(desk) == [] and _states(desk, hours=-1) == ["authorized"]
    with desk.store.reading() as session:
        page = permits.permit_page(session, desk, jonas.authority, permit_id, NOON)
        assert [(each.plate, each.until, each.reason) for each in page.vehicles] == [
            ("KGA1234", None, ""),
            ("RZT6B18", TODAY - timedelta(days=1), f"{LONG} · Portaria 9/2026"),
        ]
        assert [(each.ended_on, each.end_reason) for each in page.licences] == [(TODAY, "Baixa do veículo")]
        assert page.state == "ativa" and page.version == 2
        told = {each.text: each.detail for each in page.history}
        assert told["Baixa do veículo RZT6B18"] == LONG
        actions = [entry.action for entry in session.query(AuditEntry).order_by(AuditEntry.seq)][-2:]
        assert actions == ["permit.vehicle_removed", "licence.ended"]


def test_a_repeated_click_and_a_second_act_change_nothing(
    desk: Desk, jonas: Clerk, rita: Clerk, permit_id: int, vehicle_id: int
) -> None:
    first = permits.remove_vehicle(jonas.occasion(once_key="k"), desk, permit_id, vehicle_id, 1, TODAY, "Venda")
    assert permits.remove_vehicle(jonas.occasion(once_key="k"), desk, permit_id, vehicle_id, 1, TODAY, "Venda") == first
    with pytest.raises(AlreadyDone) as done:
        permits.remove_vehicle(rita.occasion(), desk, permit_id, vehicle_id, 2, TODAY, "Venda")
    assert done.value.by == "Jonas"
    with desk.store.reading() as session:
        assert session.get_one(Permit, permit_id).version == 2
        assert session.query(AuditEntry).filter_by(action="permit.vehicle_removed").count() == 1


@pytest.mark.parametrize(
    ("on", "reason", "field", "text"),
    [
        (TODAY + timedelta(days=1), "Venda", "on", "A data não pode ser depois de hoje (30/11/2026)."),
        (GRANTED - timedelta(days=1), "Venda", "on", "A baixa não pode ser antes da entrada na outorga (10/01/2026)."),
        (TODAY, " ", "reason", "Escreva o motivo. Ele vai para o processo."),
    ],
)
def test_what_cannot_be_is_said_beside_its_field(
    desk: Desk, jonas: Clerk, permit_id: int, vehicle_id: int, on: date, reason: str, field: str, text: str
) -> None:
    with pytest.raises(Refused) as refused:
        permits.remove_vehicle(jonas.occasion(), desk, permit_id, vehicle_id, 1, on, reason)
    assert refused.value.fields == {field: text}
    with desk.store.reading() as session:
        assert session.query(PermitVehicle).filter(PermitVehicle.until.is_not(None)).count() == 0


@pytest.mark.parametrize("on", [GRANTED, GRANTED + timedelta(days=1), TODAY - timedelta(days=1), TODAY])
def test_any_day_from_its_first_to_today(desk: Desk, jonas: Clerk, permit_id: int, vehicle_id: int, on: date) -> None:
    permits.remove_vehicle(jonas.occasion(), desk, permit_id, vehicle_id, 1, on, "Venda")
    with desk.store.reading() as session:
        assert session.query(PermitVehicle).one().until == on - timedelta(days=1)
        assert session.query(Licence).one().ended_on == on


def test_a_stale_act_one_of_another_authority_and_one_on_an_ended_permit(
    desk: Desk, jonas: Clerk, stranger: Clerk, permit_id: int, vehicle_id: int
) -> None:
    with pytest.raises(Stale):
        permits.remove_vehicle(jonas.occasion(), desk, permit_id, vehicle_id, 7, TODAY, "Venda")
    with pytest.raises(NotFound):
        permits.remove_vehicle(stranger.occasion(), desk, permit_id, vehicle_id, 1, TODAY, "Venda")
    with pytest.raises(NotFound):
        permits.remove_vehicle(
            jonas.occasion(), desk, permit_id, factories.vehicle(desk, jonas, "KGA1234"), 1, TODAY, "x"
        )
    permits.end_permit(jonas.occasion(), desk, permit_id, 1, TODAY, "Renúncia")
    with pytest.raises(Refused, match="A outorga terminou em 30/11/2026, e o veículo saiu com ela"):
        permits.remove_vehicle(jonas.occasion(), desk, permit_id, vehicle_id, 2, TODAY, "Venda")
    with desk.store.reading() as session:
        assert session.query(PermitVehicle).filter(PermitVehicle.until.is_not(None)).count() == 0
