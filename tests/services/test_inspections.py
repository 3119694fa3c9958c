"""Inspections: booked once the fee is paid, marked item by item, concluded once with a seal or its reasons."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from sqlalchemy import func, select

from registry.services import inspections
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotFound, Refused, Stale
from registry.store.inspections import Inspection
from registry.store.requests import StoredVerdict
from tests import factories
from tests.factories import NOON, Clerk
from tests.services import steps


@pytest.fixture
def paid(desk: Desk, jonas: Clerk) -> int:
    """A filed request whose inspection is paid."""
    request_id = factories.filed(desk, jonas)
    steps.pay(desk, jonas, request_id)
    return request_id


def test_booking_waits_for_the_fee_where_the_regime_wants_it(desk: Desk, jonas: Clerk) -> None:
    request_id = factories.filed(desk, jonas)
    with pytest.raises(Refused, match="Antes de marcar a vistoria, receba: Vistoria"):
        steps.book(desk, jonas, request_id)
    steps.pay(desk, jonas, request_id)
    assert steps.book(desk, jonas, request_id)


@pytest.mark.parametrize(("minutes", "allowed"), [(-1, False), (0, True), (1, True)])
def test_the_past_is_not_booked(desk: Desk, jonas: Clerk, paid: int, minutes: int, allowed: bool) -> None:
    when = NOON + timedelta(minutes=minutes)
    if allowed:
        assert steps.book(desk, jonas, paid, when)
        return
    with pytest.raises(Refused) as refused:
        steps.book(desk, jonas, paid, when)
    assert refused.value.fields["when"] == "Escolha uma hora depois de agora (30/11/2026, 12h)."


def test_a_draft_and_a_second_booking_are_refused(desk: Desk, jonas: Clerk, paid: int) -> None:
    draft = factories.draft(
        desk,
        jonas,
        applicant_id=factories.person(desk, jonas, factories.CPFS[1]),
        vehicle_id=factories.vehicle(desk, jonas, "KKX2E41"),
    )
    with pytest.raises(Refused, match="Protocole"):
        steps.book(desk, jonas, draft)
    steps.book(desk, jonas, paid)
    with pytest.raises(Refused, match="já está marcada"):
        steps.book(desk, jonas, paid)


def test_the_agenda_of_a_day_by_hour(desk: Desk, jonas: Clerk, stranger: Clerk, paid: int) -> None:
    inspection_id = steps.book(desk, jonas, paid, NOON + timedelta(hours=11, minutes=59))
    with desk.store.reading() as session:
        (line,) = inspections.agenda(session, desk, "porto", date(2026, 11, 30))
        assert inspections.agenda(session, desk, "porto", date(2026, 12, 1)) == ()
        assert inspections.agenda(session, desk, "outro", date(2026, 11, 30)) == ()
    assert (line.id, line.plate, line.holder, line.state_label) == (inspection_id, "RZT6B18", "Ana Lima", "Marcada")
    inspections.move_inspection(jonas.occasion(), desk, inspection_id, 1, NOON + timedelta(hours=12))
    with desk.store.reading() as session:
        assert inspections.agenda(session, desk, "porto", date(2026, 11, 30)) == ()
        assert len(inspections.agenda(session, desk, "porto", date(2026, 12, 1))) == 1
    with pytest.raises(NotFound):
        inspections.move_inspection(stranger.occasion(), desk, inspection_id, 2, NOON)


def test_a_pass_gives_a_numbered_seal_with_its_validity_once(desk: Desk, jonas: Clerk, rita: Clerk, paid: int) -> None:
    inspection_id = steps.book(desk, jonas, paid)
    version = steps.mark_all(desk, jonas, inspection_id)
    first = inspections.conclude_inspection(jonas.occasion(), desk, inspection_id, version)
    assert first == inspections.Concluded(inspection_id, True, "000001", date(2027, 11, 28), ())
    with pytest.raises(AlreadyDone) as done:
        inspections.conclude_inspection(rita.occasion(), desk, inspection_id, version)
    assert done.value.result == first and done.value.by == "Jonas"
    with desk.store.reading() as session:
        page = inspections.inspection_page(session, desk, "porto", inspection_id, NOON)
        stored = session.scalars(select(StoredVerdict).where(StoredVerdict.subject == "inspection")).all()
    assert (page.seal, page.marked, page.can_record) == ("000001", 2, False)
    assert [(each.question, each.outcome) for each in stored] == [("checked", "allow")]


def test_a_failure_gives_its_reasons_and_no_seal(desk: Desk, jonas: Clerk, paid: int) -> None:
    result = steps.inspect(desk, jonas, paid, coletes="Faltam cinco")
    assert not result.passed and result.seal == "" and result.reasons == ("1 itens falharam.",)
    assert steps.outlook_of(desk, jonas, paid, NOON + timedelta(hours=1)).shown == "aguarda_vistoria"
    with desk.store.reading() as session:
        page = inspections.inspection_page(session, desk, "porto", result.id, NOON)
        assert session.scalar(select(func.count(Inspection.seal))) == 0
    assert page.reasons == result.reasons and [line.reason for line in page.failed] == ["Faltam cinco"]
    again = steps.book(desk, jonas, paid, NOON + timedelta(days=1))
    assert again != result.id


def test_every_item_is_marked_before_the_end(desk: Desk, jonas: Clerk, paid: int) -> None:
    inspection_id = steps.book(desk, jonas, paid)
    version = inspections.save_item(jonas.occasion(), desk, inspection_id, 1, "casco", "ok")
    with pytest.raises(Refused) as refused:
        inspections.conclude_inspection(jonas.occasion(), desk, inspection_id, version)
    assert refused.value.fields == {"coletes": "Marque: Coletes."} and "1 de 2 itens" in refused.value.message


@pytest.mark.parametrize(
    ("code", "result", "reason", "text"),
    [
        ("casco", "na", "", "a lei pede este item"),
        ("coletes", "falha", " ", "escreva o que falhou"),
        ("coletes", "talvez", "", "escolha"),
        ("motor", "ok", "", "não está na lista"),
        ("coletes", "falha", "x" * 401, "O limite é 400"),
    ],
)
def test_a_mark_that_cannot_be_is_refused_at_its_item(
    desk: Desk, jonas: Clerk, paid: int, code: str, result: str, reason: str, text: str
) -> None:
    inspection_id = steps.book(desk, jonas, paid)
    with pytest.raises(Refused, match=text) as refused:
        inspections.save_item(jonas.occasion(), desk, inspection_id, 1, code, result, reason)
    assert set(refused.value.fields) == {code}


def test_two_tablets_collide_only_on_one_item(desk: Desk, jonas: Clerk, rita: Clerk, paid: int) -> None:
    inspection_id = steps.book(desk, jonas, paid)
    inspections.save_item(jonas.occasion(), desk, inspection_id, 1, "casco", "ok")
    assert inspections.save_item(rita.occasion(), desk, inspection_id, 1, "coletes", "ok") == 3
    assert inspections.save_item(rita.occasion(), desk, inspection_id, 1, "casco", "ok") == 3
    with pytest.raises(Stale) as stale:
        inspections.save_item(rita.occasion(), desk, inspection_id, 1, "casco", "falha", "trinca")
    (entry,) = stale.value.entries
    assert (entry.label, entry.mine, entry.theirs) == ("Casco", "Falha", "Em ordem")
    assert inspections.save_item(rita.occasion(), desk, inspection_id, 3, "casco", "falha", "trinca") == 4
    with pytest.raises(Stale):
        inspections.conclude_inspection(jonas.occasion(), desk, inspection_id, 3)


def test_nobody_came_and_taken_off_the_agenda(desk: Desk, jonas: Clerk, paid: int) -> None:
    inspection_id = steps.book(desk, jonas, paid)
    with pytest.raises(Refused, match="ainda não chegou"):
        inspections.record_no_show(jonas.occasion(), desk, inspection_id, 1)
    inspections.record_no_show(jonas.occasion(hours=2), desk, inspection_id, 1)
    with pytest.raises(AlreadyDone):
        inspections.save_item(jonas.occasion(hours=2), desk, inspection_id, 2, "casco", "ok")
    other = steps.book(desk, jonas, paid, NOON + timedelta(days=1))
    with pytest.raises(Refused):
        inspections.cancel_inspection(jonas.occasion(), desk, other, 1, "")
    inspections.cancel_inspection(jonas.occasion(), desk, other, 1, "Remarcada por telefone")
    assert steps.outlook_of(desk, jonas, paid).shown == "aguarda_vistoria"
