"""The screens of vehicles: register, entering, two descriptions of one plate, sections, holders, bars."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from flask import Flask

from registry.store.vehicles import Restriction, Vehicle
from tests.web.conftest import MOST_QUERIES
from tests.web.records import IVO, Records, configured, form_sent, hx, led_to, logged_in

NEW = "/veiculos/novo"
BUS = {
    "plate": "rzt-6b18",
    "renavam": "",
    "type": "onibus",
    "make": "Volvo",
    "model": "B8R",
    "year_made": "2024",
    "doors": "2",
    "seats": "46",
    "colour": "branca",
}


@pytest.fixture
def records(app: Flask) -> Records:
    return Records(app)


@pytest.fixture
def clerk(client_as):
    return client_as("atendente")


@pytest.fixture
def director(client_as):
    return client_as("diretor")


# entering


def test_a_vehicle_is_entered_without_javascript(clerk, page):
    shown = page(clerk.get(led_to(clerk.post(NEW, data=form_sent(page(clerk.get(NEW)), NEW, **BUS)))))
    assert shown.h1 == "Veículo RZT6B18" and "Sem outorga" in shown.text
    for text in ("Volvo", "B8R", "2024", "46", "branca", "Cadastro feito às 12h."):
        assert text in shown.text
    assert "«Não consta»" in shown.text


@pytest.mark.parametrize("plate", ["RZT6B18", "rzt 6b18", "RZT-6118", "RZT6118"])
def test_both_forms_of_a_plate_are_one_vehicle(clerk, page, records, plate):
    car = records.vehicle("RZT6B18")
    again = page(clerk.post(NEW, data=form_sent(page(clerk.get(NEW)), NEW, **{**BUS, "plate": plate})), 422)
    assert "Já existe: RZT6B18" in again.error_of("plate")
    assert f"/veiculos/{car}" in {link.get("href") for link in again.all(".//a")}
    assert again.form(NEW)["plate"] == plate and again.form(NEW)["seats"] == "46"
    assert records.count(Vehicle) == 1


def test_of_two_descriptions_the_clerk_chooses(clerk, page, records):
    car = records.vehicle("RZT6B18", seats=24, doors=4, colour="azul")
    again = page(clerk.post(NEW, data=form_sent(page(clerk.get(NEW)), NEW, **{**BUS, "plate": "RZT6118"})), 422)
    assert "Duas descrições. Qual é a certa?" in again.text
    choose = f"/veiculos/{car}/descricoes"
    sent = again.form(choose)
    assert (sent["plate"], sent["seats"], sent["doors"], sent["colour"]) == ("RZT6B18", "24", "4", "azul")
    assert "make" not in sent and "year_made" not in sent
    shown = page(clerk.get(led_to(clerk.post(choose, data={**sent, "seats": "46", "colour": "branca"}))))
    assert "branca" in shown.text and "46" in shown.text and "RZT6B18" in shown.h1
    with records.desk.store.reading() as session:
        row = session.get(Vehicle, car)
        assert (row.plate, row.seats, row.doors, row.colour, row.make) == ("RZT6B18", 46, 4, "branca", "Volvo")


def test_what_another_clerk_wrote_is_not_overwritten_by_a_choice(clerk, page, records, client_as):
    car = records.vehicle("RZT6B18", seats=24)
    again = page(clerk.post(NEW, data=form_sent(page(clerk.get(NEW)), NEW, **BUS)), 422)
    jonas, here = client_as("analista", name="Jonas Prado"), f"/veiculos/{car}/alterar/descricao"
    led_to(jonas.post(here, data=form_sent(page(jonas.get(here)), here, seats="30")))
    choose = f"/veiculos/{car}/descricoes"
    both = page(clerk.post(choose, data={**again.form(choose), "seats": "46"}), 409)
    assert "30" in both.text and "46" in both.text and "24" in both.text


def test_the_plate_is_looked_up_on_leaving_the_field(clerk, page, token, records):
    car = records.vehicle("RZT6B18")
    ask = {"X-CSRFToken": token(clerk), **hx("campo-placa")}
    known = page(clerk.post(f"{NEW}/conferir", data={"plate": "RZT-6118"}, headers=ask))
    assert known.is_fragment and known.links()["Abrir RZT6B18, ônibus, 24 lugares"] == f"/veiculos/{car}"
    wrong = page(clerk.post(f"{NEW}/conferir", data={"plate": "PEXIB23"}, headers=ask))
    assert "PEX1B23" in wrong.text and "autofocus" not in wrong.html
    free = page(clerk.post(f"{NEW}/conferir", data={"plate": "PEZ0O00"}, headers=ask))
    assert free.error_of("plate") == "" and free.one(".//input[@name='plate']").get("value") == "PEZ0O00"


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("plate", "", "Digite a placa."),
        ("plate", "   ", "Digite a placa."),
        ("plate", "RZT6B1", "A placa tem 7 letras e números. Você digitou 6."),
        ("plate", "RZT6B1B", "Confira a placa: a 7ª posição é um número, e você digitou a letra B."),
        ("year_made", "2027", "O ano de fabricação não pode ser maior que 2026."),
        ("year_made", "26", "Use o ano com 4 números."),
        ("seats", "0", "O número vai de 1 a 200."),
        ("seats", "201", "O número vai de 1 a 200."),
        ("doors", "duas", "Escreva só números, como 24."),
        ("renavam", "12345678901", "Confira o RENAVAM"),
        ("type", "foguete", "Escolha uma das opções da lista."),
        ("first_registered_on", "01/12/2026", "A data não pode ser depois de hoje (30/11/2026)."),
        ("first_registered_on", "31/12/2023", "O primeiro registro não pode ser antes do ano de fabricação (2024)."),
        ("colour", "a" * 65, "Use no máximo 64 letras."),
    ],
)
def test_what_is_wrong_stands_beside_its_field(clerk, page, records, field, typed, said):
    again = page(clerk.post(NEW, data=form_sent(page(clerk.get(NEW)), NEW, **{**BUS, field: typed})), 422)
    assert said in again.error_of(field)
    kept = again.form(NEW)
    assert kept["model"] == "B8R" and (field == "type" or kept[field] == typed)
    assert records.count(Vehicle) == 0


def test_the_year_of_today_is_taken(clerk, page):
    led_to(clerk.post(NEW, data=form_sent(page(clerk.get(NEW)), NEW, **{**BUS, "year_made": "2026"})))


def test_a_double_click_enters_one_vehicle(clerk, page, records):
    sent = form_sent(page(clerk.get(NEW)), NEW, **BUS)
    assert led_to(clerk.post(NEW, data=sent)) == led_to(clerk.post(NEW, data=sent))
    assert records.count(Vehicle) == 1


def test_htmx_gets_the_form_back_or_is_led_on(clerk, page):
    part = page(clerk.post(NEW, data=form_sent(page(clerk.get(NEW)), NEW), headers=hx("cadastro")), 422)
    assert part.is_fragment and part.error_of("plate") == "Digite a placa."
    done = clerk.post(NEW, data=form_sent(part, NEW, **BUS), headers=hx("cadastro"))
    assert done.headers["HX-Redirect"].startswith("/veiculos/")


# sections


def test_a_section_is_saved_alone(clerk, page, records):
    car = records.vehicle(colour="azul")
    here = f"/veiculos/{car}/alterar/descricao"
    part = page(clerk.get(here, headers=hx("ficha")))
    assert part.is_fragment and part.form(here)["seats"] == "24" and part.form(here)["type"] == "onibus"
    shown = page(clerk.get(led_to(clerk.post(here, data=form_sent(part, here, colour="verde", doors="")))))
    assert "verde" in shown.text and "Gravado às 12h." in shown.text and "Portas Não informado" in shown.text
    with records.desk.store.reading() as session:
        assert session.get(Vehicle, car).doors is None


def test_the_plate_of_another_vehicle_is_not_taken(clerk, page, records):
    car, other = records.vehicle("RZT6B18"), records.vehicle("PGT4H87")
    here = f"/veiculos/{car}/alterar/placa"
    again = page(clerk.post(here, data=form_sent(page(clerk.get(here)), here, plate="PGT-4787")), 422)
    assert "são a mesma placa" in again.error_of("plate") and f"/veiculos/{other}" in again.links().values()
    led_to(clerk.post(here, data=form_sent(page(clerk.get(here)), here, plate="RZT6118")))
    assert "RZT-6118" in page(clerk.get(f"/veiculos/{car}")).h1


def test_a_new_plate_is_what_the_public_sees(clerk, page, records, visitor):
    car = records.vehicle("RZT6B18")
    records.permit(records.company(), car)
    here = f"/veiculos/{car}/alterar/placa"
    led_to(clerk.post(here, data=form_sent(page(clerk.get(here)), here, plate="PGT4H87")))
    assert visitor.get("/api/v1/vehicles/PGT4H87").status_code == 200
    assert visitor.get("/api/v1/vehicles/RZT6B18").status_code == 404


# the page


def test_the_status_is_the_public_one(clerk, page, records, visitor):
    car = records.vehicle()
    permit = records.permit(records.company(), car)
    shown = page(clerk.get(f"/veiculos/{car}"))
    told = visitor.get("/api/v1/vehicles/RZT6B18").json["authorizations"][0]
    assert ("Não autorizado" not in shown.text) is told["authorized"]
    for reason in told["reasons"]:
        assert " ".join(reason["text"].split()) in shown.text
    assert "Por quê?" in shown.text and f"/outorgas/{permit}" in shown.links().values()


def test_a_taxi_of_the_city(app, client_as, page, visitor):
    city = Records(app, "recife")
    car = city.vehicle("PGT4H87", year_made=2024, colour="laranja", seats=5)
    permit = city.permit(city.person(), car, "2148")
    clerk = client_as("atendente", authority="recife")
    shown = page(clerk.get(f"/veiculos/{car}"))
    told = visitor.get("/api/v1/vehicles/PGT4H87").json["authorizations"][0]
    assert ("Não autorizado" in shown.text) is not told["authorized"]
    assert "Permissão nº 2148" in shown.text and "Por quê?" in shown.text
    assert "nº 2148" in page(clerk.get(f"/outorgas/{permit}")).h1
    assert "2148" in page(clerk.get("/outorgas?q=PGT-4787")).text


def test_holders_over_time(clerk, page, records):
    car = records.vehicle()
    records.permit(records.company(), car, "0391", date(2024, 1, 10), until=date(2025, 6, 30))
    records.permit(records.person(IVO, "Ivo Tavares"), car, "0402", date(2025, 7, 1))
    rows = [row for row in page(clerk.get(f"/veiculos/{car}")).all(".//tr") if "0391" in "".join(row.itertext())]
    text = "".join(rows[0].itertext())
    assert "Rota Viva" in text and "10/01/2024" in text and "30/06/2025" in text
    assert "Ivo Tavares" in page(clerk.get(f"/veiculos/{car}")).text.partition("Situação")[0]


def test_the_page_takes_few_queries(clerk, page, queries, records):
    car = records.vehicle()
    records.permit(records.company(), car)
    records.suspend(car, date(2026, 11, 1))
    page(clerk.get(f"/veiculos/{car}"))
    queries()
    page(clerk.get(f"/veiculos/{car}"))
    assert len(seen := queries()) <= MOST_QUERIES, "\n".join(seen)


# bars


def test_a_vehicle_is_suspended_and_freed(director, page, records, visitor):
    car = records.vehicle()
    records.permit(records.company(), car)
    here = f"/veiculos/{car}/restringir"
    form = page(director.get(here))
    assert form.form(here)["since"] == "30/11/2026" and "regime" not in form.form(here)
    sent = form_sent(form, here, kind="suspension", until="15/12/2026", reason="Auto 123", act="Portaria 112/2026")
    shown = page(director.get(led_to(director.post(here, data=sent))))
    assert "Suspensão até 15/12/2026." in shown.text and "Auto 123" in shown.text and "Portaria 112/2026" in shown.text
    codes = {reason["code"] for reason in visitor.get("/api/v1/vehicles/RZT6B18").json["authorizations"][0]["reasons"]}
    assert any("suspen" in code for code in codes), codes
    lift = next(href for text, href in shown.links().items() if text.startswith("Encerrar Suspensão"))
    early = page(director.post(lift, data=form_sent(page(director.get(lift)), lift, last_day="29/11/2026")), 422)
    assert "30/11/2026" in early.error_of("last_day") or early.error_of("reason")
    led_to(director.post(lift, data=form_sent(early, lift, last_day="30/11/2026", reason="Pagou")))
    assert "Suspensão até 30/11/2026." in page(director.get(f"/veiculos/{car}")).text
    assert records.actions("vehicle", car)[-2:] == ["restriction.begun", "restriction.lifted"]


@pytest.mark.parametrize(("today", "barred"), [(14, True), (15, True), (16, False)])
def test_a_bar_holds_until_the_end_of_its_last_day(director, page, records, clock, today, barred):
    car = records.vehicle()
    records.suspend(car, date(2026, 11, 1), date(2026, 12, 15))
    clock.ahead(days=today + 30 - 30)
    clock.at = clock.at.replace(month=12, day=today)
    with director.session_transaction() as session:
        session["seen"] = clock().isoformat()
    assert ("Suspensão até 15/12/2026." in page(director.get(f"/veiculos/{car}")).text) is barred


@pytest.mark.parametrize(
    ("typed", "field", "said"),
    [
        ({"kind": ""}, "kind", "Escolha o tipo da restrição."),
        ({"reason": " "}, "reason", "Escreva o motivo. Ele vai para o processo."),
        ({"until": "29/11/2026"}, "until", "O fim não pode ser antes do início (30/11/2026)."),
        ({"since": ""}, "since", "Digite a data."),
    ],
)
def test_a_bar_lacks_nothing(director, page, records, typed, field, said):
    car = records.vehicle()
    here = f"/veiculos/{car}/restringir"
    good = {"kind": "seizure", "reason": "Apreensão em blitz"}
    again = page(director.post(here, data=form_sent(page(director.get(here)), here, **{**good, **typed})), 422)
    assert again.error_of(field) == said and records.count(Restriction) == 0
    assert again.form(here)["reason"] == typed.get("reason", good["reason"])


def test_an_authority_of_two_services_asks_for_which(app, someone, page, records, settings, clock):
    both = replace(settings.authorities["emtu"], regimes=("fretamento_rmr", "taxi_recife"))
    wider = configured(app, clock, replace(settings, authorities={"emtu": both}))
    director = logged_in(wider, clock, someone("diretor"))
    here = f"/veiculos/{records.vehicle()}/restringir"
    good = {"kind": "seizure", "reason": "Apreensão em blitz"}
    again = page(director.post(here, data=form_sent(page(director.get(here)), here, **good)), 422)
    assert again.error_of("regime") == "Escolha o serviço."
    assert page(director.post(here, data=form_sent(again, here, regime="metro")), 422).error_of("regime")
    led_to(director.post(here, data=form_sent(again, here, regime="taxi_recife")))
    assert records.count(Restriction, Restriction.regime == "taxi_recife") == 1


def test_a_double_click_bars_once(director, page, records):
    here = f"/veiculos/{records.vehicle()}/restringir"
    sent = form_sent(page(director.get(here)), here, kind="off_road", reason="Ordem")
    led_to(director.post(here, data=sent))
    led_to(director.post(here, data=sent))
    assert records.count(Restriction) == 1


def test_a_mistaken_bar_is_annulled_and_never_counted(director, page, records):
    car = records.vehicle()
    bar = records.suspend(car, date(2026, 11, 1))
    here = f"/veiculos/{car}/restricoes/{bar}/anular"
    assert page(director.post(here, data=form_sent(page(director.get(here)), here)), 422).error_of("reason")
    led_to(director.post(here, data=form_sent(page(director.get(here)), here, reason="Placa trocada")))
    shown = page(director.get(f"/veiculos/{car}"))
    assert "Nenhuma restrição." in shown.text and "Restrição anulada" in shown.text
    page(director.get(here), 404)


@pytest.mark.parametrize("role", ["atendente", "analista", "vistoriador", "auditor"])
def test_who_may_not_bar_is_told_who_can(client_as, page, records, role):
    car = records.vehicle()
    client = client_as(role)
    assert "Restringir" not in page(client.get(f"/veiculos/{car}")).text
    assert "Só quem tem o perfil Agente fiscal ou Diretor" in page(client.get(f"/veiculos/{car}/restringir"), 403).text


def test_another_authority_has_no_such_vehicle(client_as, page, token, records):
    car = records.vehicle()
    bar = records.suspend(car, date(2026, 11, 1))
    stranger = client_as("diretor", "analista", authority="recife")
    for address in ("", "/alterar/placa", "/restringir", f"/restricoes/{bar}/encerrar"):
        page(stranger.get(f"/veiculos/{car}{address}"), 404)
    sent = {"csrf_token": token(stranger), "last_day": "30/11/2026", "reason": "x"}
    page(stranger.post(f"/veiculos/{car}/restricoes/{bar}/encerrar", data=sent), 404)
    page(stranger.post(f"/veiculos/{car}/descricoes", data={"csrf_token": token(stranger), "seats": "9"}), 404)
    assert "RZT6B18" not in page(stranger.get("/veiculos")).text


def test_a_bar_of_another_vehicle_is_404(director, page, records):
    bar = records.suspend(records.vehicle(), date(2026, 11, 1))
    other = records.vehicle("PGT4H87")
    for act in ("encerrar", "anular"):
        page(director.get(f"/veiculos/{other}/restricoes/{bar}/{act}"), 404)
    page(director.get(f"/veiculos/1/restricoes/{bar}/apagar"), 404)


# the register


@pytest.mark.parametrize("typed", ["KGA-1234", "kga 1234", "kga12", "KGA1C34"])
def test_plates_are_found_by_their_beginning_in_either_form(clerk, page, records, typed):
    records.vehicle("KGA1234")
    records.vehicle("PGT4H87")
    shown = page(clerk.get("/veiculos", query_string={"q": typed}))
    assert "KGA-1234" in shown.text and "PGT4H87" not in shown.text


def test_vehicles_with_and_without_a_permit(clerk, page, records):
    records.permit(records.company(), records.vehicle("KGA1234"))
    records.vehicle("PGT4H87")
    holding = page(clerk.get("/veiculos?outorga=com"))
    assert "KGA-1234" in holding.text and "PGT4H87" not in holding.text
    free = page(clerk.get("/veiculos?outorga=sem"))
    assert "KGA-1234" not in free.text and "PGT4H87" in free.text
    part = page(clerk.get("/veiculos?outorga=sem", headers=hx("resultado")))
    assert part.is_fragment and "1 encontrado" in part.text
    assert "Cadastrar veículo" in page(clerk.get("/veiculos?q=ZZZ")).links()
    page(clerk.get("/veiculos?outorga=talvez"), 404)


@pytest.mark.parametrize("bad", ["0", "x", "-1", "999999999"])
def test_a_page_that_cannot_be_is_404(clerk, page, bad):
    page(clerk.get(f"/veiculos?page={bad}"), 404)
    page(clerk.get("/veiculos?page=999"))


def test_who_came_from_a_request_goes_back_with_the_plate(clerk, page, records):
    came = {"plate": "RZT6B18", "volta": "/requerimentos/7?plate=RZT6B1#dados"}
    whole = page(clerk.get(NEW, query_string=came))
    sent = form_sent(whole, NEW, **BUS)
    assert led_to(clerk.post(NEW, data=sent)) == "/requerimentos/7?plate=RZT6B18#dados"
    known = page(clerk.get(NEW, query_string=came))
    assert known.links()["Usar RZT6B18, ônibus, 46 lugares e voltar"] == "/requerimentos/7?plate=RZT6B18#dados"
