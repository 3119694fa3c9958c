from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from registry.services.assignment import pass_request, since, take_request
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotFound, Refused, RuleDown, Stale, Taken
from registry.services.people import add_member
from registry.services.requests import file_request, live_outlook, open_request, save_request, withdraw_request
from registry.store.audit import verify
from registry.store.charges import Charge
from registry.store.engine import Store
from registry.store.requests import Request
from tests import factories, regime
from tests.factories import CNPJS, CPFS, NOON, Clerk
from tests.regime import CODE

TODAY = date(2026, 11, 30)


def row_of(desk: Desk, request_id: int) -> Request:
    with desk.store.reading() as session:
        return session.get_one(Request, request_id)


def test_a_draft_may_lack_everything_but_its_kind(desk: Desk, jonas: Clerk) -> None:
    made = open_request(jonas.occasion(), desk, CODE, "novo")
    row = row_of(desk, made)
    assert (row.state, row.number, row.shown, row.assigned_to) == ("rascunho", None, "rascunho", jonas.id)
    assert row.next_step == "Informar: tipo de requerente"
    with pytest.raises(Refused) as refused:
        file_request(jonas.occasion(), desk, made)
    assert refused.value.message == (
        "Antes de protocolar, informe: tipo de requerente, requerente, categoria, veículo."
    )


def test_filing_gives_yearly_numbers_without_gaps(desk: Desk, jonas: Clerk) -> None:
    first = factories.draft(desk, jonas)
    with pytest.raises(Refused):
        file_request(jonas.occasion(), desk, open_request(jonas.occasion(), desk, CODE, "novo"))
    second = open_request(
        jonas.occasion(),
        desk,
        CODE,
        "renovacao",
        links={
            "holder_kind": "PF",
            "category": "comum",
            "applicant_id": row_of(desk, first).applicant_id,
            "vehicle_id": row_of(desk, first).vehicle_id,
        },
    )
    assert file_request(jonas.occasion(), desk, first) == "2026/000001"
    assert file_request(jonas.occasion(), desk, second) == "2026/000002"
    later = factories.draft(
        desk, jonas, applicant_id=row_of(desk, first).applicant_id, vehicle_id=factories.vehicle(desk, jonas, "KGA1234")
    )
    assert file_request(jonas.occasion(days=40), desk, later) == "2027/000001"


def test_filing_twice_shows_the_first_number(desk: Desk, jonas: Clerk) -> None:
    made = factories.filed(desk, jonas)
    with pytest.raises(AlreadyDone) as done:
        file_request(jonas.occasion(), desk, made)
    assert done.value.result == "2026/000001"


def test_each_authority_numbers_its_own(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    assert row_of(desk, factories.filed(desk, jonas)).number == "2026/000001"
    assert row_of(desk, factories.filed(desk, stranger)).number == "2026/000001"


def test_filing_opens_the_booking_fee_and_sets_the_day_of_the_analysis(desk: Desk, jonas: Clerk) -> None:
    made = factories.filed(desk, jonas)
    row = row_of(desk, made)
    # fifteen business days after 30/11; 08/12 is closed
    assert row.due_on == date(2026, 12, 22)
    assert (row.state, row.shown, row.next_step) == ("protocolado", "aguarda_pagamento", "Receber Vistoria")
    assert row.assigned_to is None
    with desk.store.reading() as session:
        charges = session.scalars(select(Charge).where(Charge.request_id == made)).all()
    assert [(charge.plan, charge.given["quantity"]) for charge in charges] == [("vistoria", 40)]


def test_a_debt_that_is_overdue_blocks_the_filing(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    debtor = row_of(desk, made).applicant_id
    assert debtor is not None
    factories.debt(desk.store, debtor, TODAY)
    with desk.store.writing() as session:
        charge = session.scalars(select(Charge)).one()
        charge.due_on = TODAY - timedelta(days=1)
    with pytest.raises(Refused) as refused:
        file_request(jonas.occasion(), desk, made)
    assert refused.value.message == "Há 1 débito vencido."
    with desk.store.writing() as session:
        session.scalars(select(Charge)).one().due_on = TODAY
    assert file_request(jonas.occasion(), desk, made)


def test_a_plate_taken_meanwhile_stops_the_filing(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    ivo = factories.person(desk, jonas, CPFS[1], "Ivo Tavares")
    boat = row_of(desk, made).vehicle_id
    assert boat is not None
    permit = factories.permit(desk.store, ivo, boat)
    with pytest.raises(Refused) as refused:
        file_request(jonas.occasion(), desk, made)
    assert refused.value.existing["vehicle_id"].id == permit
    with pytest.raises(Refused):
        factories.draft(desk, jonas, applicant_id=row_of(desk, made).applicant_id, vehicle_id=boat)


def test_the_form_checks_whom_the_kind_of_holder_takes(desk: Desk, jonas: Clerk) -> None:
    firm = factories.company(desk, jonas)
    with pytest.raises(Refused) as refused:
        open_request(jonas.occasion(), desk, CODE, "novo", links={"holder_kind": "PF", "applicant_id": firm})
    assert refused.value.fields["applicant_id"] == "Rota Viva Ltda. é empresa; «Pessoa física» é pessoa física."
    with pytest.raises(Refused) as refused:
        open_request(jonas.occasion(), desk, CODE, "novo", links={"holder_kind": "XX", "category": "luxo"})
    assert refused.value.fields.keys() == {"holder_kind", "category"}


def test_a_cooperative_member_must_be_one(desk: Desk, jonas: Clerk) -> None:
    coop, ana = factories.cooperative(desk, jonas), factories.person(desk, jonas)
    links = {"holder_kind": "COOP_MEMBER", "applicant_id": ana, "cooperative_id": coop}
    with pytest.raises(Refused, match="não consta entre os cooperados"):
        open_request(jonas.occasion(), desk, CODE, "novo", links=links)
    add_member(jonas.occasion(), desk, coop, ana, TODAY)
    made = open_request(jonas.occasion(), desk, CODE, "novo", links=links)
    save_request(jonas.occasion(), desk, made, 1, links={"cooperative_id": None})
    with pytest.raises(Refused, match="cooperativa"):
        file_request(jonas.occasion(), desk, made)


def test_facts_are_read_as_brazilians_write_them(desk: Desk, jonas: Clerk) -> None:
    typed = {
        "capital": "1.234,56",
        "crew": "1.200",
        "rate": "2,4731",
        "insured_until": "06/05/2026",
        "has_pier": "nao",
        "route": "sul",
    }
    made = open_request(jonas.occasion(), desk, CODE, "novo", facts=typed)
    assert row_of(desk, made).facts == {
        "capital": "1234.56",
        "crew": 1200,
        "rate": "2.4731",
        "insured_until": "2026-05-06",
        "has_pier": False,
        "route": "sul",
    }
    save_request(jonas.occasion(), desk, made, 1, facts={"has_pier": "", "crew": " "})
    facts = row_of(desk, made).facts
    assert (facts["has_pier"], facts["crew"], facts["capital"]) == (None, None, "1234.56")


def test_unreadable_facts_are_told_together(desk: Desk, jonas: Clerk) -> None:
    typed = {"capital": "12,34,5", "crew": "doze", "insured_until": "31/02/2026", "has_pier": "talvez", "route": "x"}
    with pytest.raises(Refused) as refused:
        open_request(jonas.occasion(), desk, CODE, "novo", facts=typed)
    assert refused.value.fields == {
        "capital": "Escreva o valor como 1.234,56.",
        "crew": "Escreva um número inteiro, como 12.",
        "insured_until": "O dia 31/02 não existe.",
        "has_pier": "Escolha Sim ou Não.",
        "route": "Escolha uma das opções.",
    }


def test_a_stale_form_shows_the_fact_that_differs(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    made = open_request(jonas.occasion(), desk, CODE, "novo", facts={"crew": "3", "capital": "10,00"})
    save_request(rita.occasion(minutes=1), desk, made, 1, facts={"crew": "4"})
    with pytest.raises(Stale) as stale:
        save_request(jonas.occasion(minutes=2), desk, made, 1, facts={"crew": "5", "capital": "10,00"})
    (entry,) = stale.value.entries
    assert (entry.label, entry.before, entry.mine, entry.theirs) == ("Tripulantes", 3, 5, 4)
    assert stale.value.by == "Rita"


def test_once_filed_the_links_stay_and_facts_can_be_corrected(desk: Desk, jonas: Clerk) -> None:
    made = factories.filed(desk, jonas)
    version = row_of(desk, made).version
    with pytest.raises(Refused) as refused:
        save_request(jonas.occasion(), desk, made, version, links={"category": "turismo"})
    assert refused.value.fields.keys() == {"category"}
    assert save_request(jonas.occasion(), desk, made, version, links={"category": "comum"}, facts={"crew": "2"})


def test_typing_shows_findings_and_saves_nothing(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    with desk.store.reading() as session:
        progress, errors = live_outlook(
            session, desk, jonas.occasion(), made, links={"holder_kind": "PJ"}, facts={"crew": "x", "capital": "9,00"}
        )
    assert errors == {"crew": "Escreva um número inteiro, como 12."}
    assert progress.case.dossier.request is not None
    assert [each.waived for each in progress.wanted if each.code == "contrato"] == [""]
    assert {each.rule: each.outcome for each in progress.findings} == {
        "Débitos": "allow",
        "Lotação": "allow",
        "Documentos": "deny",
        "Vistoria": "pending",
    }
    assert row_of(desk, made).holder_kind == "PF"


def test_the_finding_moves_with_the_vehicle(desk: Desk, jonas: Clerk) -> None:
    small = factories.draft(desk, jonas, vehicle_id=factories.vehicle(desk, jonas, "KGA1234", seats=11))
    unknown = factories.draft(
        desk,
        jonas,
        applicant_id=row_of(desk, small).applicant_id,
        vehicle_id=factories.vehicle(desk, jonas, "KGA1235", seats=None),
    )
    with desk.store.reading() as session:
        first, _ = live_outlook(session, desk, jonas.occasion(), small)
        second, _ = live_outlook(session, desk, jonas.occasion(), unknown)
    seats = [next(each for each in progress.findings if each.rule == "Lotação") for progress in (first, second)]
    assert [each.outcome for each in seats] == ["deny", "pending"]
    assert seats[0].summary == "A barca tem 11 lugares; o mínimo é 12."
    assert seats[1].missing == ("lugares",)


def test_taking_a_request_tells_who_was_first(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    made = factories.filed(desk, jonas)
    take_request(jonas.occasion(minutes=1), desk, made)
    assert row_of(desk, made).state == "em_analise"
    take_request(jonas.occasion(minutes=2), desk, made)
    with pytest.raises(Taken) as taken:
        take_request(rita.occasion(minutes=2), desk, made)
    assert str(taken.value) == "Jonas pegou este requerimento há 1 minuto."
    pass_request(jonas.occasion(minutes=3), desk, made, rita.id)
    assert row_of(desk, made).assigned_to == rita.id
    pass_request(rita.occasion(minutes=4), desk, made, None)
    row = row_of(desk, made)
    assert (row.assigned_to, row.state) == (None, "em_analise")


def test_nothing_is_passed_to_another_authority(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    made = factories.filed(desk, jonas)
    with pytest.raises(Refused):
        pass_request(jonas.occasion(), desk, made, stranger.id)


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (0, "agora"),
        (1, "há 1 minuto"),
        (59, "há 59 minutos"),
        (60, "há 1 hora"),
        (1439, "há 23 horas"),
        (2880, "há 2 dias"),
    ],
)
def test_how_long_ago(minutes: int, words: str) -> None:
    assert since(NOON, NOON + timedelta(minutes=minutes)) == words


def test_a_withdrawn_request_is_over(desk: Desk, jonas: Clerk) -> None:
    made = factories.filed(desk, jonas)
    with pytest.raises(Refused):
        withdraw_request(jonas.occasion(), desk, made, " ")
    withdraw_request(jonas.occasion(), desk, made, "Vendeu a barca")
    row = row_of(desk, made)
    assert (row.state, row.shown, row.due_on, row.next_step) == ("desistencia", "desistencia", None, "")
    with pytest.raises(AlreadyDone):
        save_request(jonas.occasion(), desk, made, row.version, facts={"crew": "2"})
    with pytest.raises(AlreadyDone):
        take_request(jonas.occasion(), desk, made)


def test_requests_of_another_authority_do_not_exist(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    made = factories.draft(desk, jonas)
    theirs = stranger.occasion()
    with desk.store.reading() as session, pytest.raises(NotFound):
        live_outlook(session, desk, theirs, made)
    for act in (
        lambda: save_request(theirs, desk, made, 1, facts={"crew": "1"}),
        lambda: file_request(theirs, desk, made),
        lambda: take_request(theirs, desk, made),
        lambda: pass_request(theirs, desk, made, None),
        lambda: withdraw_request(theirs, desk, made, "x"),
    ):
        with pytest.raises(NotFound):
            act()
    ours = row_of(desk, made)
    for link in ("applicant_id", "vehicle_id"):
        with pytest.raises(NotFound):
            open_request(theirs, desk, CODE, "novo", links={link: getattr(ours, link)})


def test_a_permit_of_another_holder_is_not_renewed(desk: Desk, jonas: Clerk) -> None:
    ana, ivo = factories.person(desk, jonas), factories.person(desk, jonas, CPFS[1], "Ivo Tavares")
    permit = factories.permit(desk.store, ivo, factories.vehicle(desk, jonas))
    with pytest.raises(Refused, match="é de outro titular"):
        open_request(jonas.occasion(), desk, CODE, "renovacao", links={"applicant_id": ana, "permit_id": permit})


def test_a_regime_of_another_authority_and_an_unknown_kind_do_not_exist(desk: Desk, jonas: Clerk) -> None:
    with pytest.raises(NotFound):
        open_request(jonas.occasion(), desk, "trens", "novo")
    with pytest.raises(NotFound):
        open_request(jonas.occasion(), desk, CODE, "transferencia")


def test_a_repeated_click_opens_one_draft(desk: Desk, jonas: Clerk) -> None:
    first = open_request(jonas.occasion(once_key="a"), desk, CODE, "novo")
    assert open_request(jonas.occasion(once_key="a"), desk, CODE, "novo") == first


def test_a_rule_that_fails_stops_the_act_and_nothing_is_saved(store: Store, tmp_path: Path) -> None:
    def broken(regime: str, request_kind: str) -> list[object]:
        raise RuntimeError("boom")

    desk = factories.desk(store, tmp_path, regime.module(registry_rules=broken))
    jonas = factories.clerk(store)
    with pytest.raises(RuleDown) as down:
        open_request(jonas.occasion(), desk, CODE, "novo")
    assert (down.value.plugin, down.value.regime_label) == ("ensaio", "Barcas")
    assert len(down.value.code) == 4
    with store.reading() as session:
        assert session.scalars(select(Request)).all() == []


def test_every_change_is_in_the_chain(desk: Desk, jonas: Clerk) -> None:
    made = factories.filed(desk, jonas, facts={"capital": "1.000,00"})
    take_request(jonas.occasion(), desk, made)
    withdraw_request(jonas.occasion(), desk, made, "Vendeu a barca")
    with desk.store.reading() as session:
        report = verify(session)
    assert report.intact
    assert report.head.count > 5


def test_a_company_owes_its_own_facts(desk: Desk, jonas: Clerk) -> None:
    firm = factories.company(desk, jonas, CNPJS[0])
    made = factories.draft(desk, jonas, applicant_id=firm, holder_kind="PJ")
    with pytest.raises(Refused, match="capital"):
        file_request(jonas.occasion(), desk, made)
    save_request(jonas.occasion(), desk, made, 1, facts={"capital": "50.000,00"})
    assert file_request(jonas.occasion(), desk, made)
