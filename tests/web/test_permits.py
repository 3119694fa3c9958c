"""The screens of permits: register, page with state and reasons, bars, end by act, a regime whose plugin is gone."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from flask import Flask

from registry.store.permits import Licence, Permit
from tests.web.conftest import MOST_QUERIES
from tests.web.records import IVO, Records, configured, form_sent, hx, led_to, logged_in


@pytest.fixture
def records(app: Flask) -> Records:
    return Records(app)


@pytest.fixture
def permit(records: Records) -> int:
    return records.permit(records.company(), records.vehicle())


@pytest.fixture
def director(client_as):
    return client_as("diretor")


def test_the_page_shows_number_holder_vehicle_and_licence(client_as, page, permit):
    shown = page(client_as("atendente").get(f"/outorgas/{permit}"))
    assert "nº 0391" in shown.h1
    for text in ("Rota Viva Ltda.", "RZT6B18", "0391/2026", "09/01/2027", "10/01/2026", "Por quê?"):
        assert text in shown.text, text


def test_the_state_is_what_the_public_reads(client_as, page, permit, records, visitor):
    shown = page(client_as("atendente").get(f"/outorgas/{permit}"))
    told = visitor.get("/api/v1/vehicles/RZT6B18").json["authorizations"][0]
    assert ("Não autorizado" in shown.text) is not told["authorized"]
    for reason in told["reasons"]:
        assert " ".join(reason["text"].split()) in shown.text


def test_a_permit_is_ended_by_act(director, page, permit, records, visitor):
    here = f"/outorgas/{permit}/encerrar"
    form = page(director.get(here))
    assert form.form(here)["on"] == "30/11/2026"
    again = page(director.post(here, data=form_sent(form, here, reason="  ")), 422)
    assert again.error_of("reason") == "Escreva o motivo. Ele vai para o processo."
    early = page(director.post(here, data=form_sent(form, here, on="09/01/2026", reason="Renúncia")), 422)
    assert early.error_of("on") == "O fim não pode ser antes da concessão (10/01/2026)."
    sent = form_sent(early, here, on="30/11/2026", reason="Renúncia", act="Portaria 112/2026")
    shown = page(director.get(led_to(director.post(here, data=sent))))
    assert "Encerrada em 30/11/2026" in shown.text and "Motivo do fim: Renúncia." in shown.text
    assert "Encerrar a outorga" not in shown.text
    assert not visitor.get("/api/v1/vehicles/RZT6B18").json["authorizations"][0]["authorized"]
    assert records.count(Licence, Licence.ended_on == date(2026, 11, 30)) == 1
    assert "Já foi feito" in page(director.post(here, data=sent)).text
    assert records.actions("permit", permit) == ["permit.ended"]


def test_a_vehicle_is_taken_off_by_act(director, page, permit, records, visitor):
    car = records.vehicle("KGA1234")
    here = next(
        href for text, href in page(director.get(f"/outorgas/{permit}")).links().items() if text.startswith("Dar baixa")
    )
    assert here in page(director.get(f"/veiculos/{records.vehicle_of('RZT6B18')}")).links().values()
    form = page(director.get(here))
    assert "A outorga fica sem veículo." in form.text
    late = page(director.post(here, data=form_sent(form, here, on="01/12/2026", reason="Venda")), 422)
    assert late.error_of("on") == "A data não pode ser depois de hoje (30/11/2026)."
    assert late.form(here)["reason"] == "Venda"
    sent = form_sent(late, here, on="30/11/2026", act="Portaria 9/2026")
    shown = page(director.get(led_to(director.post(here, data=sent))))
    assert "Venda · Portaria 9/2026" in shown.text and "29/11/2026" in shown.text and "Dar baixa" not in shown.text
    assert visitor.get("/api/v1/vehicles/RZT6B18").status_code == 404
    led_to(director.post(here, data=sent))
    assert records.actions("permit", permit) == ["permit.vehicle_removed"]
    assert "Já foi feito" in page(director.post(here, data={**sent, "once_key": "another"})).text
    page(director.get(f"/outorgas/{permit}/veiculos/{car}/baixa"), 404)


def test_a_stale_baixa_is_refused_and_who_may_not_is_told_who_can(director, client_as, page, permit, records):
    here = f"/outorgas/{permit}/veiculos/{records.vehicle_of('RZT6B18')}/baixa"
    form = page(director.get(here))
    with records.desk.store.writing() as session:
        session.get(Permit, permit).version += 1
    page(director.post(here, data=form_sent(form, here, reason="Venda")), 409)
    clerk = client_as("atendente")
    assert "Só quem tem o perfil Diretor" in page(clerk.get(here), 403).text
    assert "Dar baixa" not in page(clerk.get(f"/outorgas/{permit}")).text
    page(client_as("diretor", authority="recife").get(here), 404)


def test_a_long_reason_is_shown_whole(director, page, permit):
    here = f"/outorgas/{permit}/encerrar"
    reason = "O titular pediu e explicou em três folhas por que já não fará o serviço, e a diretoria aceitou"
    shown = page(
        director.get(led_to(director.post(here, data=form_sent(page(director.get(here)), here, reason=reason))))
    )
    assert f"Motivo do fim: {reason}." in shown.text


def test_an_end_to_come_is_said(director, page, permit, records):
    here = f"/outorgas/{permit}/encerrar"
    led_to(director.post(here, data=form_sent(page(director.get(here)), here, on="01/12/2026", reason="Renúncia")))
    shown = page(director.get(f"/outorgas/{permit}"))
    assert "Termina em 01/12/2026." in shown.text and "Encerrada em" not in shown.h1


def test_a_stale_end_is_refused(director, page, permit, records):
    here = f"/outorgas/{permit}/encerrar"
    form = page(director.get(here))
    with records.desk.store.writing() as session:
        session.get(Permit, permit).version += 1
    page(director.post(here, data=form_sent(form, here, reason="Renúncia")), 409)
    assert records.count(Permit, Permit.ended_on.is_not(None)) == 0


def test_who_may_not_end_a_permit_is_told_who_can(client_as, page, permit):
    clerk = client_as("atendente")
    shown = page(clerk.get(f"/outorgas/{permit}"))
    assert "Quem encerra uma outorga: Diretor." in shown.text
    assert "Só quem tem o perfil Diretor" in page(clerk.get(f"/outorgas/{permit}/encerrar"), 403).text


def test_a_permit_is_barred_with_all_its_vehicles(director, page, permit, visitor):
    here = f"/outorgas/{permit}/restringir"
    form = page(director.get(here))
    assert "regime" not in form.form(here)
    led_to(director.post(here, data=form_sent(form, here, kind="suspension", reason="Débitos", act="Portaria 9/2026")))
    shown = page(director.get(f"/outorgas/{permit}"))
    assert "Suspensão sem data de fim." in shown.text and "Portaria 9/2026" in shown.text
    assert not visitor.get("/api/v1/vehicles/RZT6B18").json["authorizations"][0]["authorized"]
    lift = next(href for text, href in shown.links().items() if text.startswith("Encerrar Suspensão"))
    led_to(director.post(lift, data=form_sent(page(director.get(lift)), lift, reason="Pagou")))
    assert "Suspensão até 30/11/2026." in page(director.get(f"/outorgas/{permit}")).text


def test_the_bar_of_a_vehicle_is_ended_on_the_vehicle(director, page, records):
    car = records.vehicle()
    permit = records.permit(records.company(), car)
    bar = records.suspend(car, date(2026, 11, 1))
    shown = page(director.get(f"/outorgas/{permit}"))
    assert "Suspensão sem data de fim: veículo RZT6B18." in shown.text
    page(director.get(f"/outorgas/{permit}/restricoes/{bar}/encerrar"), 404)


def test_an_unknown_holder_is_said(client_as, page, records):
    permit = records.permit(None, records.vehicle())
    assert "Titular ainda não conhecido" in page(client_as("atendente").get(f"/outorgas/{permit}")).text


def test_the_page_takes_few_queries(client_as, page, permit, queries):
    client = client_as("analista")
    page(client.get(f"/outorgas/{permit}"))
    queries()
    page(client.get(f"/outorgas/{permit}"))
    assert len(seen := queries()) <= MOST_QUERIES, "\n".join(seen)


def test_another_authority_has_no_such_permit(client_as, page, token, permit):
    stranger = client_as("diretor", authority="recife")
    for address in ("", "/encerrar", "/restringir"):
        page(stranger.get(f"/outorgas/{permit}{address}"), 404)
    sent = {"csrf_token": token(stranger), "on": "30/11/2026", "reason": "x", "version": "1"}
    page(stranger.post(f"/outorgas/{permit}/encerrar", data=sent), 404)
    assert "0391" not in page(stranger.get("/outorgas?q=0391")).text.partition("1 encontrada")[2]


# the register


@pytest.mark.parametrize("typed", ["0391", "391", "rota viva", "RZT6118", "12.ABC.345/01DE-35"])
def test_a_permit_is_found_by_number_name_document_or_plate(client_as, page, permit, records, typed):
    records.permit(records.person(IVO, "Ivo Tavares"), records.vehicle("KGA1234"), "0402")
    shown = page(client_as("atendente").get("/outorgas", query_string={"q": typed}))
    assert f"/outorgas/{permit}" in shown.links().values() and "0402" not in shown.text


def test_the_register_is_filtered_by_the_address(client_as, page, permit, records):
    clerk = client_as("atendente")
    ended = records.permit(records.person(IVO, "Ivo Tavares"), records.vehicle("KGA1234"), "0402")
    with records.desk.store.writing() as session:
        session.get(Permit, ended).ended_on = date(2026, 11, 30)
    live = page(clerk.get("/outorgas?situacao=em_vigor"))
    assert f"/outorgas/{permit}" in live.links().values() and f"/outorgas/{ended}" not in live.links().values()
    over = page(clerk.get("/outorgas?situacao=encerrada", headers=hx("resultado")))
    assert over.is_fragment and f"/outorgas/{ended}" in over.links().values() and "1 encontrada" in over.text
    for bad in ("situacao=x", "servico=taxi_recife", "page=0", "page=x"):
        page(clerk.get(f"/outorgas?{bad}"), 404)
    assert "Ir para a primeira" in page(clerk.get("/outorgas?page=999")).links()


# a regime whose plugin is gone


@pytest.fixture
def without_plugin(app: Flask, settings, clock, permit) -> Flask:
    """The application after the charter's plugin was taken out of the configuration."""
    emtu = replace(settings.authorities["emtu"], regimes=())
    left = tuple(name for name in settings.plugins if name != "fretamento_rmr")
    return configured(app, clock, replace(settings, plugins=left, authorities={**settings.authorities, "emtu": emtu}))


def test_without_its_plugin_the_history_stays_open(without_plugin: Flask, someone, page, clock, permit, records):
    records.fee(1, date(2026, 11, 29))
    client = logged_in(without_plugin, clock, someone("diretor", "analista"))
    shown = page(client.get(f"/outorgas/{permit}"))
    assert "Regime indisponível. O histórico continua aberto." in shown.text
    assert "Situação indisponível" in shown.text and "Rota Viva Ltda." in shown.text and "0391/2026" in shown.text
    assert "Encerrar a outorga" not in shown.text and "Restringir" not in shown.text
    for address in ("/encerrar", "/restringir"):
        page(client.get(f"/outorgas/{permit}{address}"), 404)
    for address in ("/outorgas", "/veiculos", "/veiculos/1", "/pessoas", "/pessoas/1"):
        page(client.get(address))
    page(client.get("/veiculos/1/restringir"), 404)
    assert "O regime desta taxa não está instalado." in page(client.get("/pessoas/1")).text
