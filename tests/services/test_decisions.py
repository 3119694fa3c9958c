"""Decisions: by the appointed office, granted when nothing impedes, carried out at once."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.domain.effects import Command, PluginCommand
from registry.services import assignment, decisions, requests, returns, waits
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotAllowed, NotFound, Refused, RuleDown, Stale
from registry.services.status import answers
from registry.store.audit import verify
from registry.store.charges import Charge
from registry.store.permits import Licence, Permit, PublicRow
from registry.store.requests import Decision, Request, StoredVerdict, Wait
from tests import factories, regime
from tests.factories import Clerk
from tests.services import steps


def test_a_grant_gives_permit_licence_and_public_answer(desk: Desk, jonas: Clerk) -> None:
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)

    made = decisions.decide(jonas.occasion(hours=2), desk, request_id, steps.version_of(desk, request_id), "deferido")

    assert (made.permit_number, made.licence_number, made.valid_until) == ("0001", "0001/2026", date(2027, 11, 28))
    with desk.store.reading() as session:
        assert session.get_one(Request, request_id).shown == "deferido"
        (answer,) = answers(session, desk, "RZT-6118", jonas.occasion(hours=3).at)
        assert answer.authorized and answer.card.number == "0001"
        assert answers(session, desk, "RZT6B18", jonas.occasion(hours=1.5).at) == ()
        assert verify(session).intact


def test_the_verdicts_of_a_grant_are_stored_with_their_facts(desk: Desk, jonas: Clerk) -> None:
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    made = decisions.decide(jonas.occasion(hours=2), desk, request_id, steps.version_of(desk, request_id), "deferido")

    with desk.store.reading() as session:
        stored = session.scalars(
            select(StoredVerdict).where(StoredVerdict.subject == "decision", StoredVerdict.subject_id == made.id)
        ).all()
    by_question = {each.question: each for each in stored}
    assert set(by_question) == {"seats", "papers", "checked", "debts"}
    assert by_question["seats"].given == {"seats": 20, "on": "2026-11-30"}
    assert by_question["seats"].plugin_version == "1.0"
    assert by_question["seats"].grounds[0]["values"][0]["value"] == 12


def test_a_grant_is_refused_with_everything_that_impedes(desk: Desk, jonas: Clerk) -> None:
    steps.appoint(desk, jonas)
    request_id = factories.filed(desk, jonas)

    with pytest.raises(decisions.Impeded) as refused:
        decisions.decide(jonas.occasion(hours=2), desk, request_id, steps.version_of(desk, request_id), "deferido")

    sections = {each.section for each in refused.value.obstacles}
    assert {"documents", "inspection", "charges"} <= sections
    assert steps.outlook_of(desk, jonas, request_id).shown != "deferido"


def test_the_fee_of_the_decision_is_opened_and_waited_for(desk: Desk, jonas: Clerk) -> None:
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas, pay_all=False)
    assert steps.outlook_of(desk, jonas, request_id, jonas.occasion(hours=2).at).shown == "aguarda_pagamento"

    with pytest.raises(decisions.Impeded, match="Registro"):
        decisions.decide(jonas.occasion(hours=2), desk, request_id, steps.version_of(desk, request_id), "deferido")

    steps.pay(desk, jonas, request_id, hours=2)
    made = decisions.decide(jonas.occasion(hours=2), desk, request_id, steps.version_of(desk, request_id), "deferido")
    assert made.permit_number == "0001"


def test_a_refusal_needs_a_text_and_annuls_the_unpaid_fee_of_the_decision(desk: Desk, jonas: Clerk) -> None:
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas, pay_all=False)
    version = steps.version_of(desk, request_id)

    with pytest.raises(Refused) as refused:
        decisions.decide(jonas.occasion(hours=2), desk, request_id, version, "indeferido", "  ")
    assert refused.value.fields["text"].startswith("Escreva o motivo")

    made = decisions.decide(jonas.occasion(hours=2), desk, request_id, version, "indeferido", "Falta o que a lei pede.")
    assert made.result == "indeferido" and made.permit_id is None
    with desk.store.reading() as session:
        plans = {row.plan: row for row in session.scalars(select(Charge).where(Charge.request_id == request_id))}
        assert plans["registro"].cancelled_at is not None and plans["vistoria"].cancelled_at is None
        assert session.scalar(select(func.count()).select_from(Permit)) == 0
        assert answers(session, desk, "RZT6B18", jonas.occasion(hours=3).at) == ()


@pytest.mark.parametrize(
    ("since", "until", "allowed"),
    [
        (date(2026, 12, 1), None, False),
        (date(2026, 11, 30), None, True),
        (date(2026, 1, 1), date(2026, 11, 29), False),
        (date(2026, 1, 1), date(2026, 11, 30), True),
    ],
)
def test_only_who_holds_the_office_on_the_day_decides(
    desk: Desk, jonas: Clerk, rita: Clerk, since: date, until: date | None, allowed: bool
) -> None:
    steps.appoint(desk, rita, since=date(2026, 11, 30), until=date(2026, 11, 30), substitute=True)
    steps.appoint(desk, jonas, since=since, until=until)
    steps.appoint(desk, jonas, office="conselho")
    request_id = steps.ready(desk, jonas)
    version = steps.version_of(desk, request_id)
    if allowed:
        assert decisions.decide(jonas.occasion(hours=2), desk, request_id, version, "deferido").permit_number
        return
    with pytest.raises(NotAllowed, match="Capitão do Porto decide este requerimento: Rita"):
        decisions.decide(jonas.occasion(hours=2), desk, request_id, version, "deferido")
    assert decisions.decide(rita.occasion(hours=2), desk, request_id, version, "deferido").permit_number


def test_a_second_decision_shows_the_first(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    for each in (jonas, rita):
        steps.appoint(desk, each)
    request_id = steps.ready(desk, jonas)
    version = steps.version_of(desk, request_id)
    first = decisions.decide(jonas.occasion(once_key="k", hours=2), desk, request_id, version, "deferido")

    again = decisions.decide(jonas.occasion(once_key="k", hours=2), desk, request_id, version, "deferido")
    assert again == first or again.permit_number == first.permit_number
    with pytest.raises(AlreadyDone) as done:
        decisions.decide(rita.occasion(hours=2), desk, request_id, version, "indeferido", "não")
    assert done.value.result.permit_number == first.permit_number
    assert done.value.by == "Jonas"
    with desk.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(Decision)) == 1
        assert session.scalar(select(func.count()).select_from(Licence)) == 1


def test_a_change_after_the_page_was_opened_is_stale(desk: Desk, jonas: Clerk) -> None:
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    version = steps.version_of(desk, request_id)
    requests.save_request(jonas.occasion(), desk, request_id, version, facts={"crew": "3"})

    with pytest.raises(Stale) as stale:
        decisions.decide(jonas.occasion(hours=2), desk, request_id, version, "deferido")
    assert stale.value.by == "Jonas" and stale.value.version == version + 1


def test_another_authority_finds_nothing(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    request_id = steps.ready(desk, jonas)
    steps.appoint(desk, stranger)
    with pytest.raises(NotFound):
        decisions.decide(stranger.occasion(), desk, request_id, 1, "deferido")


def test_a_rule_that_raises_leaves_nothing_behind(desk: Desk, jonas: Clerk, monkeypatch: pytest.MonkeyPatch) -> None:
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    version = steps.version_of(desk, request_id)

    def broken(given: Any, law: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(type(regime.seats), "__call__", lambda self, given, law: broken(given, law))
    with pytest.raises(RuleDown, match="não respondeu"):
        decisions.decide(jonas.occasion(hours=2), desk, request_id, version, "deferido")
    monkeypatch.undo()
    with desk.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(Permit)) == 0
        assert session.get_one(Request, request_id).state == "protocolado"


def test_a_plugins_command_that_fails_undoes_the_grant(tmp_path: Any, store: Any) -> None:
    def fail(session: Any, command: PluginCommand, dossier: Any, occasion: Any) -> None:
        raise RuntimeError(command.name)

    desk = factories.desk(store, tmp_path, regime.module(registry_apply=fail))
    jonas = factories.clerk(store)
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    kind = desk.regime(regime.CODE).request_kind("novo")
    effect = kind.effect

    def more(dossier: Any, occasion: Any, law: Any) -> tuple[Command, ...]:
        return (*effect(dossier, occasion, law), PluginCommand(regime.NAME, "boom", {}))

    object.__setattr__(kind, "effect", more)
    try:
        with pytest.raises(RuleDown):
            decisions.decide(jonas.occasion(hours=2), desk, request_id, steps.version_of(desk, request_id), "deferido")
    finally:
        object.__setattr__(kind, "effect", effect)
    with store.reading() as session:
        assert session.scalar(select(func.count()).select_from(Permit)) == 0
        assert session.scalar(select(func.count()).select_from(PublicRow)) == 0
    made = decisions.decide(jonas.occasion(hours=2), desk, request_id, steps.version_of(desk, request_id), "deferido")
    assert made.permit_number == "0001"


def test_the_preview_says_what_a_grant_would_do_and_who_decides(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    steps.appoint(desk, rita)
    request_id = steps.ready(desk, jonas)
    with desk.store.reading() as session:
        preview = decisions.decision_preview(session, desk, jonas.occasion(hours=2), request_id)
    assert preview.grantable and not preview.allowed
    assert preview.who_can.startswith("Só quem é Capitão do Porto decide este requerimento: Rita")
    assert "Emite passe nº 0001/2026 para RZT6B18, até 28/11/2027." in preview.effect
    assert "A barca tem 20 lugares; o mínimo é 12 (Art. 1º)." in preview.grant_text


def test_the_office_gives_a_request_back_and_gets_an_answer(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    steps.appoint(desk, rita)
    request_id = steps.ready(desk, jonas)
    assignment.take_request(jonas.occasion(hours=2), desk, request_id)
    assignment.pass_request(jonas.occasion(hours=2), desk, request_id, rita.id)
    version = steps.version_of(desk, request_id)

    wait_id = returns.return_request(rita.occasion(hours=2), desk, request_id, version, "Confirmar os lugares")

    outlook = steps.outlook_of(desk, rita, request_id, rita.occasion(hours=2).at)
    assert (outlook.shown, outlook.grantable) == ("em_analise", False)
    assert outlook.next_step is not None and outlook.next_step.act == "answer_return"
    with desk.store.reading() as session:
        assert session.get_one(Request, request_id).assigned_to == jonas.id
    with pytest.raises(Refused, match="já foi devolvido"):
        returns.return_request(rita.occasion(hours=2), desk, request_id, version, "De novo")

    waits.close_wait(jonas.occasion(hours=2), desk, wait_id, "respondida")
    assert steps.outlook_of(desk, rita, request_id, rita.occasion(hours=2).at).shown == "pronto"


def test_a_return_closes_the_proposal_to_refuse(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    steps.appoint(desk, rita)
    request_id = factories.filed(desk, jonas)
    waits.propose_refusal(jonas.occasion(), desk, request_id, "Faltam papéis")
    version = steps.version_of(desk, request_id)
    returns.return_request(rita.occasion(), desk, request_id, version, "Peça os papéis antes")
    with desk.store.reading() as session:
        kinds = {wait.kind: wait.outcome for wait in session.scalars(select(Wait)) if wait.closed_at}
    assert kinds == {"proposal": "devolvida"}


@pytest.mark.parametrize("text", ["", "  ", "x" * 4001])
def test_only_the_office_gives_back_and_says_why(desk: Desk, jonas: Clerk, rita: Clerk, text: str) -> None:
    request_id = factories.filed(desk, jonas)
    version = steps.version_of(desk, request_id)
    with pytest.raises(NotAllowed, match="Só quem é Capitão do Porto decide"):
        returns.return_request(rita.occasion(), desk, request_id, version, "Por quê?")
    steps.appoint(desk, rita)
    with pytest.raises(Refused) as refused:
        returns.return_request(rita.occasion(), desk, request_id, version, text)
    assert "text" in refused.value.fields
