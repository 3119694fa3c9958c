from __future__ import annotations

from datetime import date, timedelta

import pytest
from sqlalchemy import select

from registry.services.assignment import take_request
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.services.progress import progress_of
from registry.services.request_page import request_page
from registry.services.requests import withdraw_request
from registry.services.waits import (
    answer_exigencia,
    close_wait,
    draft_exigencia,
    open_exigencia,
    propose_refusal,
    refer_request,
)
from registry.store.acts import Closure
from registry.store.charges import Charge
from registry.store.requests import Request, Wait
from tests import factories
from tests.factories import NOON, PORT, Clerk


def row_of(desk: Desk, request_id: int) -> Request:
    with desk.store.reading() as session:
        return session.get_one(Request, request_id)


def paid_and_inspected(desk: Desk, by: Clerk) -> int:
    """A filed request whose fee is paid and whose boat passed."""
    made = factories.filed(desk, by)
    boat = row_of(desk, made).vehicle_id
    assert boat is not None
    factories.settle(desk.store, made)
    factories.inspection(desk.store, boat, request_id=made)
    take_request(by.occasion(), desk, made)
    return made


def test_an_exigencia_is_born_from_what_impedes_and_counts_its_term(desk: Desk, jonas: Clerk) -> None:
    made = paid_and_inspected(desk, jonas)
    with desk.store.reading() as session:
        progress = progress_of(session, desk, PORT, made, NOON)
        draft = draft_exigencia(session, desk, jonas.occasion(), progress)
    assert draft.text == (
        "Para continuar o pedido, apresente ou corrija:\n1. Falta aceitar: registro, fotos e antecedentes."
    )
    assert draft.count == 1
    # ten business days after Monday 30/11: two weekends and 08/12 do not count
    assert draft.due_on == date(2026, 12, 15)
    assert draft.steps[0] == "O prazo não vem de lei: é o da configuração do órgão."
    assert any("08/12 (Padroeira)" in step for step in draft.steps)


def test_a_closure_moves_the_term_by_a_day(desk: Desk, jonas: Clerk) -> None:
    made = paid_and_inspected(desk, jonas)
    with desk.store.writing() as session:
        session.add(Closure(authority=PORT, day=date(2026, 12, 10), name="Luto", act="Portaria 7", recorded_at=NOON))
    wait = open_exigencia(jonas.occasion(), desk, made, "Traga o registro.")
    with desk.store.reading() as session:
        row = session.get_one(Wait, wait)
    assert row.due_on == date(2026, 12, 16)
    assert any("10/12 (Luto (Portaria 7))" in step for step in row.steps)


def test_an_open_exigencia_is_what_the_request_shows_until_answered(desk: Desk, jonas: Clerk) -> None:
    made = paid_and_inspected(desk, jonas)
    wait = open_exigencia(jonas.occasion(), desk, made, "Traga o registro.")
    row = row_of(desk, made)
    assert (row.shown, row.due_on, row.next_step) == (
        "em_exigencia",
        date(2026, 12, 15),
        "Conferir resposta à exigência",
    )
    with pytest.raises(Refused, match="já há uma em aberto"):
        open_exigencia(jonas.occasion(), desk, made, "Outra")
    answer_exigencia(jonas.occasion(days=2), desk, wait, answered=True, note="Trouxe tudo")
    row = row_of(desk, made)
    # the analysis has its fifteen business days anew, from Wednesday 02/12
    assert (row.shown, row.due_on) == ("em_analise", date(2026, 12, 24))
    with pytest.raises(AlreadyDone) as done:
        answer_exigencia(jonas.occasion(days=3), desk, wait, answered=False)
    assert done.value.result == "respondida: Trouxe tudo"


@pytest.mark.parametrize(("day", "act"), [(14, "answer_exigencia"), (15, "answer_exigencia"), (16, "close_exigencia")])
def test_the_last_day_of_an_exigencia_is_in_time(desk: Desk, jonas: Clerk, day: int, act: str) -> None:
    made = paid_and_inspected(desk, jonas)
    open_exigencia(jonas.occasion(), desk, made, "Traga o registro.")
    late_evening = NOON.replace(month=12, day=day) + timedelta(hours=11, minutes=30)
    with desk.store.reading() as session:
        page = request_page(session, desk, jonas.occasion(late_evening), made)
    assert page.outlook.next_step is not None
    assert page.outlook.next_step.act == act


def test_a_text_is_needed_and_has_a_limit(desk: Desk, jonas: Clerk) -> None:
    made = paid_and_inspected(desk, jonas)
    with pytest.raises(Refused) as refused:
        open_exigencia(jonas.occasion(), desk, made, " ")
    assert refused.value.fields.keys() == {"text"}
    with pytest.raises(Refused, match="4001 letras"):
        open_exigencia(jonas.occasion(), desk, made, "x" * 4001)
    assert open_exigencia(jonas.occasion(), desk, made, "x" * 4000)


def test_a_draft_has_no_exigencia_and_an_ended_request_neither(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    with pytest.raises(Refused, match="rascunho"):
        open_exigencia(jonas.occasion(), desk, made, "x")
    withdraw_request(jonas.occasion(), desk, made, "Desistiu")
    with pytest.raises(AlreadyDone):
        open_exigencia(jonas.occasion(), desk, made, "x")


def test_when_only_the_decision_is_left_its_fee_opens_and_is_paid_first(desk: Desk, jonas: Clerk) -> None:
    made = paid_and_inspected(desk, jonas)
    factories.accept_all(desk, jonas, made)
    row = row_of(desk, made)
    assert (row.shown, row.next_step) == ("aguarda_pagamento", "Receber Registro")
    with desk.store.reading() as session:
        plans = session.scalars(select(Charge.plan).where(Charge.request_id == made).order_by(Charge.id)).all()
    assert plans == ["vistoria", "registro"]
    factories.settle(desk.store, made)
    with desk.store.reading() as session:
        page = request_page(session, desk, jonas.occasion(), made)
    assert (page.outlook.shown, page.outlook.grantable, page.outlook.obstacles) == ("pronto", True, ())


def test_a_proposed_refusal_goes_to_the_office_and_may_come_back(desk: Desk, jonas: Clerk) -> None:
    made = paid_and_inspected(desk, jonas)
    proposal = propose_refusal(jonas.occasion(), desk, made, "Sem registro não há barca.")
    row = row_of(desk, made)
    assert (row.shown, row.next_step) == ("pronto", "Decidir: há proposta de indeferimento")
    close_wait(jonas.occasion(), desk, proposal, "devolvida", "Peça de novo")
    assert row_of(desk, made).shown == "em_analise"


def test_a_referral_is_shown_as_such(desk: Desk, jonas: Clerk) -> None:
    made = paid_and_inspected(desk, jonas)
    refer_request(jonas.occasion(), desk, made, "Caso omisso")
    assert row_of(desk, made).shown == "encaminhado"


def test_a_withdrawal_closes_what_is_open(desk: Desk, jonas: Clerk) -> None:
    made = paid_and_inspected(desk, jonas)
    wait = open_exigencia(jonas.occasion(), desk, made, "Traga o registro.")
    withdraw_request(jonas.occasion(), desk, made, "Desistiu")
    with desk.store.reading() as session:
        assert session.get_one(Wait, wait).outcome == "desistência"


def test_waits_of_another_authority_do_not_exist(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    made = paid_and_inspected(desk, jonas)
    wait = open_exigencia(jonas.occasion(), desk, made, "x")
    with pytest.raises(NotFound):
        answer_exigencia(stranger.occasion(), desk, wait, answered=True)
    for act in (open_exigencia, refer_request, propose_refusal):
        with pytest.raises(NotFound):
            act(stranger.occasion(), desk, made, "x")


def test_a_repeated_click_asks_once(desk: Desk, jonas: Clerk) -> None:
    made = paid_and_inspected(desk, jonas)
    first = open_exigencia(jonas.occasion(once_key="k"), desk, made, "x")
    assert open_exigencia(jonas.occasion(once_key="k"), desk, made, "x") == first
