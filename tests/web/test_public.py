"""The public look-up with the demonstration's two regimes: page, past day, JSON, bad plates, a regime that fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from registry.domain.identifiers import plate_key
from registry.domain.occasion import Occasion
from registry.plugins import PluginHost
from registry.services.status import refresh_public_rows
from registry.store.inspections import Inspection
from registry.store.people import Person
from registry.store.permits import Licence, Permit, PermitVehicle
from registry.store.vehicles import Restriction, Vehicle
from registry.web.edge import EXTENSION
from tests.web.conftest import MOST_QUERIES, NOON, FrozenClock

Grant = Callable[..., str]
TAXI, CHARTER = "taxi_recife", "fretamento_rmr"


@pytest.fixture
def granted(app: Flask) -> Grant:
    """A permit in force with its vehicle: ``granted("PGT4H87", regime=TAXI, seal_until=date(2026, 11, 12))``."""
    edge = app.extensions[EXTENSION]

    def make(
        plate: str,
        regime: str = TAXI,
        since: date = date(2024, 3, 14),
        licence_until: date = date(2027, 5, 14),
        seal_until: date | None = date(2027, 5, 12),
        year_made: int = 2023,
        suspended: tuple[date, date] | None = None,
        number: str = "2148",
        holder: bool = True,
    ) -> str:
        authority = "recife" if regime == TAXI else "emtu"
        with edge.store.writing() as session:
            person = Person(
                authority=authority, kind="natural", name="Ana Lima", name_folded="ana lima", created_at=NOON
            )
            car = Vehicle(
                authority=authority,
                plate=plate,
                plate_key=plate_key(plate),
                type="automovel" if regime == TAXI else "onibus",
                make="Chevrolet",
                model="Spin",
                colour="laranja",
                year_made=year_made,
                doors=4,
                seats=5 if regime == TAXI else 40,
                created_at=NOON,
            )
            session.add_all([person, car])
            session.flush()
            permit = Permit(
                authority=authority,
                regime=regime,
                number=number,
                category="comum" if regime == TAXI else "onibus",
                holder_id=person.id if holder else None,
                granted_on=since,
                created_at=NOON,
            )
            session.add(permit)
            session.flush()
            session.add(PermitVehicle(permit_id=permit.id, vehicle_id=car.id, since=since))
            session.add(
                Licence(
                    authority=authority,
                    regime=regime,
                    permit_id=permit.id,
                    vehicle_id=car.id,
                    number=number,
                    issued_on=date(2026, 5, 14),
                    valid_until=licence_until,
                )
            )
            if seal_until:
                session.add(
                    Inspection(
                        authority=authority,
                        regime=regime,
                        kind="annual",
                        vehicle_id=car.id,
                        state="aprovada",
                        done_on=seal_until.replace(year=seal_until.year - 1),
                        done_at=NOON,
                        seal=number,
                        valid_until=seal_until,
                        created_at=NOON,
                    )
                )
            if suspended:
                session.add(
                    Restriction(
                        authority=authority,
                        regime=regime,
                        kind="suspension",
                        permit_id=permit.id,
                        since=suspended[0],
                        until=suspended[1],
                        recorded_at=NOON,
                    )
                )
            zone = edge.settings.authorities[authority].zone
            refresh_public_rows(session, edge.desk, permit.id, Occasion("teste", authority, NOON, zone))
        return plate

    return make


def test_the_root_leads_to_the_look_up(visitor: FlaskClient, page: Any) -> None:
    assert visitor.get("/").headers["Location"] == "/consulta"
    asked = page(visitor.get("/consulta"))
    assert asked.h1 == "Este veículo pode levar passageiros?"


@pytest.mark.parametrize("typed", ["PGT4H87", "pgt-4787", " pgt 4h87 ", "PGT–4H87"])
def test_an_authorised_taxi_is_found_by_either_form(
    granted: Grant, visitor: FlaskClient, page: Any, typed: str
) -> None:
    granted("PGT4H87")
    answer = page(visitor.get("/consulta", query_string={"placa": typed}))
    assert "Autorizado" in answer.h1
    assert "Este táxi pode levar passageiros." in answer.text
    assert "Bandeira 1" in answer.text and "Rendição agora Não" in answer.text
    assert "Hoje: 13h às 14h e 19h às 20h." in answer.text
    assert "Ana Lima" not in answer.html


def test_the_moment_follows_the_clock(granted: Grant, visitor: FlaskClient, page: Any, clock: FrozenClock) -> None:
    granted("PGT4H87")
    clock.ahead(hours=1, minutes=30)
    inside = page(visitor.get("/consulta?placa=PGT4H87"))
    assert "Em rendição até as 14h" in inside.text
    clock.ahead(hours=9)
    assert "Bandeira 2" in page(visitor.get("/consulta?placa=PGT4H87")).text


@pytest.mark.parametrize(
    ("seal_until", "authorised"), [(date(2026, 11, 29), False), (date(2026, 11, 30), True), (date(2026, 12, 1), True)]
)
@pytest.mark.parametrize("regime", [TAXI, CHARTER])
def test_the_inspection_counts_to_its_last_day(
    granted: Grant, visitor: FlaskClient, page: Any, regime: str, seal_until: date, authorised: bool
) -> None:
    granted("PGT4H87", regime=regime, seal_until=seal_until)
    answer = page(visitor.get("/consulta?placa=PGT4H87"))
    assert ("Não autorizado" in answer.h1) is not authorised
    if not authorised:
        assert "29/11/2026" in answer.text and "vistoria" in answer.text.lower()


def test_a_permit_due_today_holds_until_midnight_of_the_place(
    granted: Grant, visitor: FlaskClient, page: Any, clock: FrozenClock
) -> None:
    granted("PGT4H87", licence_until=date(2026, 11, 30))
    clock.ahead(hours=11, minutes=30)  # 23h30 in Recife, 02:30 UTC of the next day
    assert "Não autorizado" not in page(visitor.get("/consulta?placa=PGT4H87")).h1
    clock.ahead(hours=1)
    assert "Não autorizado" in page(visitor.get("/consulta?placa=PGT4H87")).h1


def test_every_reason_is_told(granted: Grant, visitor: FlaskClient, page: Any) -> None:
    granted("PGT4H87", year_made=2021, seal_until=date(2026, 11, 12), licence_until=date(2026, 5, 14))
    text = page(visitor.get("/consulta?placa=PGT4H87")).text
    assert "Motivo 1" in text and "Motivo 3" in text
    assert "12/11/2026" in text and "14/05/2026" in text and "2026 − 2021 = 5 anos" in text


def test_a_past_day_answers_as_it_was(granted: Grant, visitor: FlaskClient, page: Any, app: Flask) -> None:
    granted("PGT4H87", suspended=(date(2026, 12, 1), date(2026, 12, 10)))
    before = page(visitor.get("/consulta?placa=PGT4H87&em=30/11/2026"))
    assert "Não autorizado" not in before.h1
    old = page(visitor.get("/consulta?placa=PGT4H87&em=01/01/2020"))
    assert "Não consta" in old.h1 and "01/01/2020" in old.text


def test_a_suspension_begins_and_ends_without_a_job(
    granted: Grant, visitor: FlaskClient, page: Any, clock: FrozenClock
) -> None:
    granted("PGT4H87", suspended=(date(2026, 12, 1), date(2026, 12, 2)))
    seen = []
    for _ in range(4):
        seen.append("Não autorizado" in page(visitor.get("/consulta?placa=PGT4H87")).h1)
        clock.ahead(days=1)
    assert seen == [False, True, True, False]


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("placa=", "Digite a placa."),
        ("placa=%20%20", "Digite a placa."),
        ("placa=PGT4HB7", "a 6ª posição é um número, e você digitou a letra B"),
        ("placa=PGT4H8", "A placa tem 7 letras e números. Você digitou 6."),
        ("placa=PGT4H87&em=31/02/2026", "O dia 31/02 não existe."),
        ("placa=PGT4H87&em=01/12/2026", "A data não pode ser depois de hoje (30/11/2026)."),
        ("placa=PGT4H87&em=1/1/26", "Use o ano com 4 números."),
        ("placa=PGT4H87&em=amanha", "Escreva a data como 30/11/2026."),
    ],
)
def test_bad_input_keeps_what_was_typed(visitor: FlaskClient, page: Any, query: str, fault: str) -> None:
    answer = page(visitor.get(f"/consulta?{query}"), 422)
    assert fault in answer.text
    assert answer.one(".//input[@name='placa']").get("value") is not None


def test_only_an_impossible_plate_is_corrected(visitor: FlaskClient, page: Any) -> None:
    wrong = page(visitor.get("/consulta?placa=PEXIB23"), 422)
    assert wrong.links()["Consultar PEX1B23"] == "/consulta?placa=PEX1B23"
    assert "Não consta" in page(visitor.get("/consulta?placa=PEZ0O00")).h1


def test_the_json_says_the_same(granted: Grant, visitor: FlaskClient, page: Any) -> None:
    granted("PGT4H87")
    answer = visitor.get("/api/v1/vehicles/pgt4787")
    assert answer.status_code == 200
    body = answer.get_json()
    assert body["plate"] == "PGT4787" and body["as_of"] == "2026-11-30T12:00:00-03:00"
    (block,) = body["authorizations"]
    assert block["regime"] == TAXI and block["authorized"] is True and block["number"] == "2148"
    assert block["category"] == "comum" and block["since"] == "2024-03-14"
    assert block["now"]["bandeira"]["bandeira"] == 1
    assert block["now"]["rendicao"]["in_window"] is False
    assert block["reasons"] == [] and block["grounds"]
    shown = page(visitor.get("/consulta?placa=PGT4787")).text
    assert block["details"]
    for line in block["details"]:
        assert line["label"] in shown and all(part in shown for part in line["text"].splitlines())


def test_json_of_an_unknown_or_impossible_plate(visitor: FlaskClient) -> None:
    unknown = visitor.get("/api/v1/vehicles/PGT4H88")
    assert unknown.status_code == 404
    assert unknown.get_json()["authorizations"] == [] and unknown.get_json()["plate"] == "PGT4H88"
    wrong = visitor.get("/api/v1/vehicles/PEXIB23")
    assert wrong.status_code == 422 and wrong.mimetype == "application/problem+json"
    assert wrong.get_json()["suggestion"] == "PEX1B23"
    assert visitor.get("/api/v1/vehicles/PGT4H88?em=2999-01-01").status_code == 422


def test_two_regimes_give_two_blocks(granted: Grant, visitor: FlaskClient, page: Any) -> None:
    granted("PGT4H87", regime=CHARTER, seal_until=date(2026, 11, 12), number="0387")
    granted("PGT4H87", regime=TAXI)
    answer = page(visitor.get("/consulta?placa=PGT4H87"))
    assert "Autorizado" in answer.h1 and "Não autorizado" not in answer.h1
    assert "Não autorizado" in answer.text
    body = visitor.get("/api/v1/vehicles/PGT4H87").get_json()
    assert [block["authorized"] for block in body["authorizations"]] == [True, False]


class TestARegimeThatFails:
    @pytest.fixture
    def host(self, shared_host: PluginHost) -> PluginHost:
        """The charter regime's status rule raises."""
        from copy import copy

        broken = copy(shared_host)
        regime = shared_host.regimes[CHARTER]

        def card_now(*_: Any) -> Any:
            raise RuntimeError("boom")

        rule = regime.status[0].rule
        question = replace(rule.question, function=card_now)
        failing = replace(regime, status=(replace(regime.status[0], rule=replace(rule, question=question)),))
        broken.regimes = {**shared_host.regimes, CHARTER: failing}
        owner = shared_host.owner
        broken.owner = lambda asked: owner(rule.question) if asked is question else owner(asked)
        return broken

    def test_only_its_block_is_unavailable(self, granted: Grant, visitor: FlaskClient, page: Any) -> None:
        granted("PGT4H87", regime=CHARTER, number="0387")
        granted("PGT4H87", regime=TAXI)
        answer = page(visitor.get("/consulta?placa=PGT4H87"))
        assert "Autorizado" in answer.h1 and "Situação indisponível" in answer.text
        assert "Traceback" not in answer.html and "boom" not in answer.html
        blocks = {
            block["regime"]: block for block in visitor.get("/api/v1/vehicles/PGT4H87").get_json()["authorizations"]
        }
        assert blocks[CHARTER]["authorized"] is None and blocks[CHARTER]["available"] is False
        assert blocks[TAXI]["authorized"] is True


def test_an_unknown_holder_is_under_review(granted: Grant, visitor: FlaskClient, page: Any) -> None:
    granted("PGT4H87", holder=False)
    assert "dados em conferência" in page(visitor.get("/consulta?placa=PGT4H87")).text.lower()


def test_few_queries_and_a_tag(granted: Grant, visitor: FlaskClient, queries: Callable[[], list[str]]) -> None:
    granted("PGT4H87")
    queries()
    first = visitor.get("/consulta?placa=PGT4H87")
    assert len(queries()) <= min(3, MOST_QUERIES)
    again = visitor.get("/consulta?placa=PGT4H87", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("address", ["/api/v1/vehicles/pgt4787", "/consulta?placa=PGT4H87", "/static/css/registro.css"])
def test_the_server_alone_tells_the_time_of_an_answer(granted: Grant, visitor: FlaskClient, address: str) -> None:
    granted("PGT4H87")
    answer = visitor.get(address)
    assert answer.status_code == 200 and "ETag" in answer.headers
    assert "Date" not in answer.headers


def test_too_many_look_ups(app: Flask, visitor: FlaskClient, page: Any) -> None:
    limit = int(app.extensions[EXTENSION].settings.rates.public.split()[0].split("/")[0])
    for _ in range(limit):
        visitor.get("/consulta?placa=PGT4H88")
    refused = visitor.get("/consulta?placa=PGT4H88")
    assert "Muitas consultas em pouco tempo" in page(refused, 429).text
    assert refused.headers["Retry-After"] == "30"
    assert "Retry-After" not in visitor.get("/leituras").headers


def test_the_adopted_readings_are_public(visitor: FlaskClient, page: Any) -> None:
    told = page(visitor.get("/leituras"))
    assert told.h1 == "Leituras adotadas da lei"
    assert len(told.all(".//details")) > 50
