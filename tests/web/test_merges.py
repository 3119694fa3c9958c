"""The screens of duplicates: pairs found, both side by side, confirmed, made one, parted again."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from flask import Flask

from registry.services.duplicates import slip
from registry.services.plates import PlateChange, change_plate
from registry.store.corrections import Merge
from registry.store.people import Person
from tests.web.conftest import MOST_QUERIES
from tests.web.records import ANA, IVO, Records, form_sent, led_to

PAIRS = "/cadastros/duplicados"
BORN = date(1980, 5, 1)


@pytest.fixture
def records(app: Flask) -> Records:
    return Records(app)


@pytest.fixture
def analyst(client_as: Any) -> Any:
    return client_as("analista")


@pytest.fixture
def pair(records: Records) -> tuple[int, int]:
    """Ana Lima twice, the second with a telephone and a permit."""
    first = records.person(born_on=BORN)
    second = records.person(IVO, "ANA LÍMA", born_on=BORN, phone="81 99999")
    records.permit(second, records.vehicle())
    return first, second


def typed(**more: str) -> dict[str, str]:
    return {"reason": "Digitada duas vezes", "office": "diretor_presidente", **more}


def checked(client: Any, page: Any, here: str, **more: str) -> Any:
    """The page that says what will happen."""
    form = page(client.get(here))
    offices = [option.get("value") for option in form.all(".//select[@name='office']/option") if option.get("value")]
    return page(client.post(here, data=form_sent(form, here, **typed(office=offices[0], **more))))


def test_pairs_are_found_compared_joined_and_parted(analyst, page, records, pair, queries) -> None:
    first, second = pair
    queries()
    shown = page(analyst.get(PAIRS))
    assert len(queries()) <= MOST_QUERIES
    assert "1 par" in shown.text and "O mesmo nome e nascimento, 01/05/1980." in shown.text
    here = shown.links()["Comparar Ana Lima e ANA LÍMA"]
    assert here == f"/cadastros/pessoas/{first}/juntar/{second}"
    queries()
    form = page(analyst.get(here))
    assert len(queries()) <= MOST_QUERIES
    assert form.h1 == "Duas descrições. Qual é a certa?"
    assert form.form(here)["campo_phone"] == "vai" and form.form(here)["campo_document"] == "fica"
    check = checked(analyst, page, here)
    assert "ANA LÍMA (529.982.247-25) deixa de ser um cadastro próprio e passa a ser Ana Lima" in check.text
    assert "Passam para ele: 1 outorga." in check.text and records.count(Merge) == 0
    kept = page(analyst.get(led_to(analyst.post(here, data=check.form(here)))))
    assert "81 99999" in kept.text and "0391" in kept.text
    assert "Reúne o cadastro duplicado ANA LÍMA" in kept.text
    assert "Juntado o cadastro duplicado ANA LÍMA" in kept.text
    old = analyst.get(f"/pessoas/{second}")
    assert led_to(old) == f"/pessoas/{first}"
    assert "você está no que ficou" in page(analyst.get(f"/pessoas/{first}")).text
    assert "Nenhum par parecido" in page(analyst.get(PAIRS)).text
    undo = kept.links()["Desfazer"]
    asked = page(analyst.get(undo))
    assert "com o que era dele: 1 outorga" in asked.text
    again = page(analyst.post(undo, data=form_sent(asked, undo, reason=" ")), 422)
    assert again.error_of("reason") == "Escreva o motivo. Ele vai para o processo."
    back = page(analyst.get(led_to(analyst.post(undo, data=form_sent(asked, undo, reason="Eram duas")))))
    assert back.h1 == "ANA LÍMA" and "0391" in back.text
    assert "81 99999" not in page(analyst.get(f"/pessoas/{first}")).text
    assert "Já foi desfeita" in page(analyst.get(undo)).text


def test_the_other_may_be_the_one_that_stays(analyst, page, pair) -> None:
    first, second = pair
    link = page(analyst.get(f"/cadastros/pessoas/{first}/juntar/{second}")).links()["Ficar com o outro"]
    assert link == f"/cadastros/pessoas/{second}/juntar/{first}"
    assert page(analyst.get(link)).form(link)["campo_phone"] == "fica"


def test_a_duplicate_that_nobody_proposed_is_looked_for(analyst, page, records) -> None:
    ana, other = records.person(), records.person(IVO, "A. Lima da Silva")
    link = page(analyst.get(f"/pessoas/{ana}")).links()["Juntar com outro cadastro"]
    found = page(analyst.get(f"{link}?q=529.982.247-25"))
    assert found.links()["Comparar com A. Lima da Silva"] == f"{link}/{other}"
    assert "Nenhum outro cadastro" in page(analyst.get(f"{link}?q={ANA}")).text


@pytest.mark.parametrize("field", ["reason", "office"])
def test_what_is_missing_stands_beside_its_field(analyst, page, pair, field) -> None:
    here = "/cadastros/pessoas/{}/juntar/{}".format(*pair)
    form = page(analyst.get(here))
    offices = [each.get("value") for each in form.all(".//select[@name='office']/option") if each.get("value")]
    sent = form_sent(form, here, **{**typed(office=offices[0], campo_name="vai"), field: ""})
    again = page(analyst.post(here, data=sent), 422)
    assert again.error_of(field)
    assert again.form(here)["campo_name"] == "vai"


def test_a_conflict_is_said_before_anything_is_confirmed(analyst, page, records, pair) -> None:
    first, second = pair
    records.permit(first, records.vehicle("KKX2E41"), number="0400")
    here = f"/cadastros/pessoas/{first}/juntar/{second}"
    form = page(analyst.get(here))
    offices = [each.get("value") for each in form.all(".//select[@name='office']/option") if each.get("value")]
    again = page(analyst.post(here, data=form_sent(form, here, **typed(office=offices[0]))), 422)
    assert "nº 0400 e nº 0391. Encerre uma delas e junte depois." in again.text


def test_stale_forbidden_and_elsewhere(analyst, client_as, page, records, pair) -> None:
    first, second = pair
    here = f"/cadastros/pessoas/{first}/juntar/{second}"
    check = checked(analyst, page, here)
    part = f"/pessoas/{second}/alterar/contato"
    led_to(analyst.post(part, data=form_sent(page(analyst.get(part)), part, phone="81 1")))
    page(analyst.post(here, data=check.form(here)), 409)
    assert records.count(Merge) == 0
    clerk = client_as("atendente")
    for address in (PAIRS, here):
        assert "Analista" in page(clerk.get(address), 403).text
    page(client_as("analista", authority="recife").get(here), 404)
    page(analyst.get(f"/cadastros/pessoas/{first}/juntar/{first}"), 404)
    page(analyst.get(f"/cadastros/barcos/{first}/juntar/{second}"), 404)
    page(analyst.get("/juncoes/99/desfazer"), 404)
    page(analyst.get(f"{PAIRS}?de=barcos"), 404)


def test_a_double_click_joins_once(analyst, page, records, pair) -> None:
    here = "/cadastros/pessoas/{}/juntar/{}".format(*pair)
    sent = checked(analyst, page, here).form(here)
    led_to(analyst.post(here, data=sent))
    assert records.count(Merge) == 1
    assert led_to(analyst.post(here, data=sent)) == f"/pessoas/{pair[0]}"
    assert records.count(Merge) == 1 and records.count(Person, Person.ended_at.is_(None)) == 1


def test_vehicles_of_one_renavam_or_of_a_former_plate_are_found_and_joined(
    analyst, client_as, page, records, visitor
) -> None:
    wrong = records.vehicle("RZT6B13", renavam="639884962")
    right = records.vehicle("RZT6B18", renavam="00639884962", colour="azul")
    records.permit(records.company(), wrong)
    moved = records.vehicle("KKX2E41")
    change = PlateChange("OYV4B22", date(2026, 11, 1), "Clonagem")
    change_plate(records.occasion, records.desk, moved, 1, change)
    records.vehicle("KKX2E41")
    shown = page(analyst.get(f"{PAIRS}?de=veiculos"))
    assert "O mesmo RENAVAM, 00639884962." in shown.text
    assert "A placa KKX2E41 foi do primeiro e é do segundo." in shown.text
    here = f"/cadastros/veiculos/{right}/juntar/{wrong}"
    assert shown.links()["Comparar RZT6B13 e RZT6B18"] == f"/cadastros/veiculos/{wrong}/juntar/{right}"
    led_to(analyst.post(here, data=checked(analyst, page, here).form(here)))
    assert led_to(analyst.get(f"/veiculos/{wrong}")) == f"/veiculos/{right}"
    assert "Autorizado" in page(visitor.get("/consulta?placa=RZT6B18")).text
    assert "Não consta" in page(visitor.get("/consulta?placa=RZT6B13")).text


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("02345678135", "02345678135", False),
        ("02345678135", "02345678136", True),
        ("02345678135", "02345678153", True),
        ("02345678135", "02345687153", False),
        ("02345678135", "02345678531", False),
        ("02345678135", "0234567813", False),
    ],
)
def test_a_slip_of_typing(one: str, other: str, alike: bool) -> None:
    assert slip(one, other) is alike
