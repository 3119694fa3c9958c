from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from decimal import Decimal

from registry.domain.occasion import Occasion
from registry.services.assignment import take_request
from registry.services.desk import Desk
from registry.services.errors import Taken
from registry.services.progress import refresh_all
from registry.services.request_page import request_page
from registry.services.request_view import RequestPage
from registry.services.requests import file_request, withdraw_request
from registry.services.waits import open_exigencia
from registry.store.requests import Request
from tests import factories
from tests.factories import CPFS, Clerk


def shown(desk: Desk, by: Clerk, request_id: int, **ahead: float) -> RequestPage:
    with desk.store.reading() as session:
        return request_page(session, desk, by.occasion(**ahead), request_id)


def test_the_strip_says_who_what_and_with_whom(desk: Desk, jonas: Clerk) -> None:
    made = factories.filed(desk, jonas)
    take_request(jonas.occasion(), desk, made)
    page = shown(desk, jonas, made)
    assert (page.number, page.kind_label, page.regime_label) == (
        "2026/000001",
        "Permissão nova",
        "Barcas de passageiros",
    )
    assert page.applicant is not None and page.vehicle is not None
    assert (page.applicant.name, page.applicant.document) == ("Ana Lima", "023.456.781-35")
    assert (page.vehicle.plate, page.vehicle.description) == ("RZT6B18", "barca, 20 lugares")
    assert (page.holder_kind_label, page.category_label) == ("Pessoa física", "Comum")
    assert (page.assigned_name, page.office_label) == ("Jonas", "Capitão do Porto")
    assert (page.movable, page.editable) == (False, True)


def test_fees_carry_their_amount_of_the_day_and_then_what_was_paid(desk: Desk, jonas: Clerk) -> None:
    made = factories.filed(desk, jonas)
    (fee,) = shown(desk, jonas, made).fees
    assert fee.amount is not None
    assert (fee.label, fee.amount.amount, fee.paid_on) == ("Vistoria", Decimal("200.00"), None)
    factories.settle(desk.store, made)
    (fee,) = shown(desk, jonas, made).fees
    assert (fee.paid, fee.paid_on) == (Decimal("200.00"), date(2026, 11, 30))


def test_findings_come_by_weight(desk: Desk, jonas: Clerk) -> None:
    found = shown(desk, jonas, factories.filed(desk, jonas)).findings
    assert [each.rule for each in found.impeding] == ["Documentos", "Vistoria"]
    assert found.warning == ()
    assert [each.rule for each in found.in_order] == ["Débitos", "Lotação"]


def test_fields_stand_as_they_are_typed_and_empty_ones_stay_empty(desk: Desk, jonas: Clerk) -> None:
    typed = {"crew": "3", "rate": "2,47", "insured_until": "06/05/2026", "has_pier": "sim"}
    made = factories.draft(desk, jonas, facts=typed)
    fields = {line.field.name: line.text for line in shown(desk, jonas, made).fields}
    assert fields == {
        "crew": "3",
        "rate": "2,47",
        "insured_until": "06/05/2026",
        "has_pier": "sim",
        "route": "",
    }


def test_the_day_tells_how_it_was_counted(desk: Desk, jonas: Clerk) -> None:
    made = factories.filed(desk, jonas)
    due = shown(desk, jonas, made, days=1).due
    assert due is not None
    assert (due.on, due.label, due.late) == (date(2026, 12, 22), "em 14 dias úteis", False)
    assert any("08/12 (Padroeira)" in step for step in due.steps)
    open_exigencia(jonas.occasion(), desk, made, "x")
    due = shown(desk, jonas, made, days=16).due
    assert due is not None
    assert (due.on, due.label, due.late) == (date(2026, 12, 15), "atrasado 1 dia útil", True)


def test_the_history_is_newest_first_in_words(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    made = factories.filed(desk, jonas)
    take_request(rita.occasion(minutes=1), desk, made)
    factories.attach(desk, jonas, made, "antecedentes")
    open_exigencia(rita.occasion(minutes=5), desk, made, "Traga o registro.")
    withdraw_request(rita.occasion(minutes=9), desk, made, "Vendeu a barca")
    history = shown(desk, jonas, made, minutes=10).history
    assert {each.text for each in history} >= {
        "Rascunho aberto",
        "Requerimento 2026/000001 protocolado",
        "Rita pegou o requerimento",
        "Documento enviado: Antecedentes",
        "Exigência registrada",
        "Desistência registrada",
    }
    assert (history[0].text, history[0].by, history[0].detail) == ("Desistência registrada", "Rita", "Vendeu a barca")
    assert [each.at for each in history] == sorted((each.at for each in history), reverse=True)


def test_the_sweep_sees_a_paper_expire_overnight(desk: Desk, jonas: Clerk) -> None:
    made = factories.filed(desk, jonas)
    take_request(jonas.occasion(), desk, made)
    factories.settle(desk.store, made)
    with desk.store.reading() as session:
        boat = session.get_one(Request, made).vehicle_id
    assert boat is not None
    factories.inspection(desk.store, boat, request_id=made)
    factories.accept_all(desk, jonas, made)
    factories.settle(desk.store, made)
    assert refresh_all(desk, jonas.occasion()) == (1, 0)
    assert refresh_all(desk, jonas.occasion()) == (0, 0)
    with desk.store.writing() as session:
        row = session.get_one(Request, made)
        assert (row.shown, row.next_step) == ("pronto", "Decidir")
    much_later = jonas.occasion(days=397)  # the record holds until 31/12/2027; this is 01/01/2028
    assert refresh_all(desk, much_later) == (1, 0)
    with desk.store.reading() as session:
        assert session.get_one(Request, made).shown == "aguarda_vistoria"


def test_two_who_take_at_once_do_not_both_get_it(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    made = factories.filed(desk, jonas)

    def take(by: Occasion) -> str:
        try:
            take_request(by, desk, made)
        except Taken as taken:
            return taken.by
        return "mine"

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(take, [jonas.occasion(), rita.occasion()]))
    assert sorted(results) in (["Jonas", "mine"], ["Rita", "mine"])


def test_two_who_file_at_once_get_two_numbers(desk: Desk, jonas: Clerk) -> None:
    ana = factories.person(desk, jonas)
    ivo = factories.person(desk, jonas, CPFS[1], "Ivo Tavares")
    drafts = [
        factories.draft(desk, jonas, applicant_id=who, vehicle_id=factories.vehicle(desk, jonas, plate))
        for who, plate in ((ana, "KGA1231"), (ivo, "KGA1232"))
    ]
    with ThreadPoolExecutor(2) as pool:
        numbers = list(pool.map(lambda each: file_request(jonas.occasion(), desk, each), drafts))
    assert sorted(numbers) == ["2026/000001", "2026/000002"]
