from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from registry.api.law import Dossier, Inspection, Law, Licence, Permit, PublicCard, Restriction, Vehicle, Verdict
from registry_taxi_recife.regime import TAXI_RECIFE

Make = Callable[..., Dossier]
ZONE = ZoneInfo("America/Recife")


def status(dossier: Dossier, law: Law) -> Verdict[Any]:
    rule = TAXI_RECIFE.status[0].rule
    verdict: Verdict[Any] = rule.question(rule.given(dossier), law)
    return verdict


def reasons(dossier: Dossier, law: Law) -> dict[str, str]:
    return {ground.code: ground.text for ground in status(dossier, law).against}


def test_a_taxi_in_order_may_carry_passengers_and_says_why(taxi: Make, law: Law) -> None:
    verdict = status(taxi(), law)
    assert verdict.outcome == "allow"
    texts = [ground.text for ground in verdict.grounds]
    assert texts == [
        "Permissão ativa. Termo de permissão nº 2148, de 14/03/2019.",
        "Alvará em dia. Emitido em 14/05/2026; vale um ano: até 14/05/2027.",
        "Vistoria em dia. Feita em 12/05/2026; vale um ano: até 12/05/2027.",
        "Sem suspensão e sem ordem de retirada do tráfego.",
        "Idade do carro. Fabricado em 2023: 2026 − 2023 = 3 anos. O limite é menos de 5.",
    ]


@pytest.mark.parametrize(
    ("on", "codes"),
    [
        (date(2027, 5, 12), set()),
        (date(2027, 5, 13), {"inspection_expired"}),
        (date(2027, 5, 14), {"inspection_expired"}),
        (date(2027, 5, 15), {"inspection_expired", "alvara_expired"}),
        (date(2028, 1, 1), {"inspection_expired", "alvara_expired", "too_old"}),
    ],
)
def test_the_last_day_still_counts(taxi: Make, law: Law, on: date, codes: set[str]) -> None:
    assert set(reasons(taxi(on), law)) == codes


@pytest.mark.parametrize(
    ("on", "barred"),
    [(date(2026, 11, 1), False), (date(2026, 11, 2), True), (date(2027, 2, 28), True), (date(2027, 3, 1), False)],
)
def test_a_suspension_bars_from_its_first_to_its_last_day(taxi: Make, law: Law, on: date, barred: bool) -> None:
    bar = Restriction("suspension", date(2026, 11, 2), date(2027, 2, 28))
    found = reasons(taxi(on, restrictions=(bar,)), law)
    assert ("suspended_until" in found) is barred
    if barred:
        assert found["suspended_until"] == "O serviço está suspenso até 28/02/2027. Volta em 01/03/2027, sem novo ato."


@pytest.mark.parametrize("kind", ["off_road", "seizure", "accident_block"])
def test_an_order_off_the_road_bars_until_lifted(taxi: Make, law: Law, kind: Any) -> None:
    found = reasons(taxi(restrictions=(Restriction(kind, date(2026, 11, 20)),)), law)
    assert set(found) == {"off_road_since"}


def test_an_ended_permit_says_when(taxi: Make, law: Law) -> None:
    ended = Permit(1, "2148", "comum", date(2019, 3, 14), 1, ended_on=date(2026, 11, 30))
    assert reasons(taxi(permit=ended), law) == {"permit_ended_on": "A permissão terminou em 30/11/2026."}
    assert reasons(taxi(date(2026, 11, 29), permit=ended), law) == {}


def test_an_alvara_ended_before_its_day_no_longer_counts(taxi: Make, law: Law) -> None:
    cut = Licence("2026/0001", date(2026, 5, 14), date(2027, 5, 14), ended_on=date(2026, 11, 30))
    assert set(reasons(taxi(licence=cut), law)) == {"alvara_expired"}
    assert reasons(taxi(date(2026, 11, 29), licence=cut), law) == {}


def test_an_imported_permit_is_under_review(taxi: Make, law: Law) -> None:
    verdict = status(taxi(holder=None, licence=None, inspection=None), law)
    assert (verdict.outcome, verdict.answer.authorised) == ("pending", False)
    (review,) = verdict.against
    assert review.code == "under_review"
    assert review.text == "Dados em conferência. Falta confirmar: o permissionário, o alvará e a vistoria."


def test_a_known_reason_is_told_even_while_the_rest_is_under_review(taxi: Make, law: Law) -> None:
    old = Vehicle(1, "QZB1C91", "QZB1291", make="GM", model="Spin", year_made=2021)
    verdict = status(taxi(holder=None, licence=None, inspection=None, vehicle=old), law)
    assert verdict.outcome == "deny"
    assert [ground.text for ground in verdict.against] == [
        "O carro foi fabricado em 2021: 2026 − 2021 = 5 anos. O limite é menos de 5."
    ]


def test_a_holder_not_known_is_enough_for_review(taxi: Make, law: Law) -> None:
    assert status(taxi(holder=None), law).outcome == "pending"


def test_the_card_shows_the_permit_and_no_persons_name(taxi: Make, law: Law) -> None:
    dossier = taxi(plugin_facts={"taxi_pontos": {"ponto": "12 – Praça do Derby"}})
    card = TAXI_RECIFE.card(dossier, law)
    lines = {label: text.replace("\u00a0", " ") for label, text in card.lines}
    assert lines == {
        "Permissão": "Nº 2148 · táxi comum\nAtiva desde 14/03/2019",
        "Alvará": "Válido até 14/05/2027",
        "Vistoria": "Válida até 12/05/2027",
        "Ponto": "12 – Praça do Derby",
        "Carro": "Chevrolet Spin laranja",
    }
    assert card.valid_until == date(2027, 5, 12)
    assert "Lima" not in repr(card)
    assert not [word for word in ("porta", "passageiro") if word in repr(card)]


def test_an_imported_permit_has_a_card_without_what_is_not_known(taxi: Make, law: Law) -> None:
    car = Vehicle(1, "QZB1C91", "QZB1291")
    card = TAXI_RECIFE.card(taxi(holder=None, licence=None, inspection=None, vehicle=car), law)
    assert [label for label, _ in card.lines] == ["Permissão"]
    assert card.valid_until is None


def facts_at(card: PublicCard, at: str, law: Law) -> dict[str, tuple[str, str]]:
    moment = datetime.fromisoformat(at).replace(tzinfo=ZONE)
    assert TAXI_RECIFE.now is not None
    return {fact.code: (fact.headline, fact.detail) for fact in TAXI_RECIFE.now(card, moment, law)}


@pytest.mark.parametrize(
    ("at", "bandeira", "rendicao"),
    [
        (
            "2026-11-30T10:42",
            ("Bandeira 1", "Até as 22h. Depois, bandeira 2."),
            ("Não", "Hoje: 13h às 14h e 19h às 20h."),
        ),
        (
            "2026-11-30T13:00",
            ("Bandeira 1", "Até as 22h. Depois, bandeira 2."),
            (
                "Em rendição até as 14h",
                "O motorista está sendo trocado e o táxi pode não atender. Hoje: 13h às 14h e 19h às 20h.",
            ),
        ),
        (
            "2026-11-30T14:00",
            ("Bandeira 1", "Até as 22h. Depois, bandeira 2."),
            ("Não", "Hoje: 13h às 14h e 19h às 20h."),
        ),
        ("2026-11-30T22:00", ("Bandeira 2", "Vale até as 6h."), ("Não", "Hoje: 13h às 14h e 19h às 20h.")),
        (
            "2026-11-29T12:00",
            ("Bandeira 2", "Hoje é domingo: vale o dia todo."),
            ("Não", "Hoje: 13h às 14h e 19h às 20h."),
        ),
        (
            "2026-12-08T12:00",
            ("Bandeira 2", "Hoje é feriado (Nossa Senhora da Conceição): vale o dia todo."),
            ("Não", "Hoje: 13h às 14h e 19h às 20h."),
        ),
        (
            "2026-11-28T23:00",
            ("Bandeira 2", "Até 30/11/2026, 6h. Depois, bandeira 1."),
            ("Não", "Hoje: 13h às 14h e 19h às 20h."),
        ),
    ],
)
def test_the_facts_of_the_moment(
    taxi: Make, law: Law, at: str, bandeira: tuple[str, str], rendicao: tuple[str, str]
) -> None:
    card = TAXI_RECIFE.card(taxi(), law)
    assert facts_at(card, at, law) == {"bandeira": bandeira, "rendicao": rendicao}


def test_the_facts_of_the_moment_carry_data_and_grounds(taxi: Make, law: Law) -> None:
    card = TAXI_RECIFE.card(taxi(), law)
    assert TAXI_RECIFE.now is not None
    band, hand_over = TAXI_RECIFE.now(card, datetime(2026, 11, 30, 13, 30, tzinfo=ZONE), law)
    assert band.data == {"bandeira": 1, "basis": "art-4-a-1", "until": "2026-11-30T22:00:00-03:00", "then": 2}
    assert hand_over.data["windows"] == ["13:00-14:00", "19:00-20:00"]
    assert hand_over.data["until"] == "2026-11-30T14:00:00-03:00"
    assert hand_over.highlight
    assert band.grounds[0].provision == "art-4-a-1"
    assert hand_over.grounds[0].provision == "art-29-par-1-c"


def test_a_seal_that_failed_inspection_does_not_count(taxi: Make, law: Law) -> None:
    failed = Inspection(2, "annual", date(2026, 5, 12), False, valid_until=None)
    assert status(taxi(inspection=failed), law).outcome == "pending"


def test_the_status_given_is_the_same_whatever_the_day_but_for_the_day(taxi: Make) -> None:
    given = TAXI_RECIFE.status[0].rule.given
    one, other = given(taxi(date(2026, 11, 30))), given(taxi(date(2027, 8, 1)))
    assert replace(one, on=other.on) == other
