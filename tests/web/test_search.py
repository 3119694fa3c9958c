"""The search: how it reads the text, what it finds, what it opens; the box with and without JavaScript."""

from __future__ import annotations

import pytest

from registry.store.permits import Permit, PermitVehicle
from registry.web.edge import EXTENSION
from tests.web.conftest import MOST_QUERIES, NOON, TODAY

HX = {"HX-Request": "true"}


def test_search_finds_by_name_without_accents(client_as, page, person, queries) -> None:
    person("José Ávila Conceição")
    person("Maria")
    client = client_as("atendente")
    queries()
    shown = page(client.get("/busca?q=avila+CONCEICAO"))
    assert len(queries()) <= MOST_QUERIES
    assert "José Ávila Conceição" in shown.text
    assert "Maria" not in shown.text


@pytest.mark.parametrize("typed", ["KGA1234", "kga-1234", "KGA1C34", "kga 1c34"])
def test_one_exact_plate_opens_in_either_form(client_as, vehicle, typed: str) -> None:
    id = vehicle("KGA1234")
    answer = client_as("atendente").get("/busca", query_string={"q": typed})
    assert answer.status_code == 303
    assert str(id) in answer.location


def test_an_exact_document_opens(client_as, person) -> None:
    id = person(document="52998224725")
    answer = client_as("atendente").get("/busca?q=529.982.247-25")
    assert answer.status_code == 303
    assert str(id) in answer.location


def test_it_says_how_it_read_the_text(client_as, page) -> None:
    client = client_as("atendente")
    assert "Procuramos PGT4H87 e PGT-4787." in page(client.get("/busca?q=pgt4h87")).text
    assert "Procuramos o CPF 529.982.247-25." in page(client.get("/busca?q=52998224725")).text
    assert "Procuramos o número 2026/4512." in page(client.get("/busca?q=2026/4512")).text


def test_permits_and_requests_of_who_was_found_are_found(client_as, page, add, work, person, vehicle, app) -> None:
    regime = app.extensions[EXTENSION].settings.authorities["emtu"].regimes[0]
    ana, car = person(), vehicle()
    permit = add(
        Permit, authority="emtu", regime=regime, number="0387", category="x", holder_id=ana,
        granted_on=TODAY, facts={}, created_at=NOON,
    )  # fmt: skip
    add(PermitVehicle, permit_id=permit, vehicle_id=car, since=TODAY)
    work(applicant_id=ana)
    if not app.view_functions.get("permits.page") or not app.view_functions.get("requests.page"):
        pytest.skip("the pages of permits and requests are not there")
    shown = page(client_as("atendente").get("/busca?q=ana"))
    assert "nº 0387" in shown.text
    assert "2026/000001" in shown.text


def test_more_hits_than_shown_lead_to_all_of_them(client_as, page, person) -> None:
    for number in range(60):
        person(f"Ana Lima {number:02d}")
    client = client_as("atendente")
    shown = page(client.get("/busca?q=ana"))
    whole = page(client.get(shown.links()["Ver 60"]))
    rest = page(client.get(whole.links()["Próximas 50"]))
    names = [text for text in (*whole.links(), *rest.links()) if text.startswith("Ana Lima")]
    assert len(names) == 60


def test_another_authoritys_people_are_not_found(client_as, page, person, vehicle) -> None:
    person("Segredo Guardado", document="52998224725", authority="recife")
    vehicle("KGA1234", authority="recife")
    client = client_as("atendente")
    for typed in ("segredo", "52998224725", "KGA1234"):
        shown = page(client.get("/busca", query_string={"q": typed}))
        assert "Segredo Guardado" not in shown.text
        assert "Nada encontrado" in shown.text


def test_nothing_found_offers_similar_names(client_as, page, person) -> None:
    person("Josefina Albuquerque")
    shown = page(client_as("atendente").get("/busca?q=Josefa+Albuquerqui"))
    assert "Nada encontrado" in shown.text
    assert "Josefina Albuquerque" in shown.text


@pytest.mark.parametrize("typed", ["", "   ", "%", "'", '"', "_", "\\", "a" * 5000, "🚕", "<b>x</b>"])
def test_odd_texts_are_searched_like_any_other(client_as, page, person, typed: str) -> None:
    person("Ana Lima")
    shown = page(client_as("atendente").get("/busca", query_string={"q": typed}))
    assert "Ana Lima" not in shown.text


def test_suggestions_are_options_of_a_list(client_as, page, person) -> None:
    person("Ana Lima")
    shown = page(client_as("atendente").get("/busca/sugestoes?q=ana", headers=HX))
    options = [a for a in shown.all(".//a") if a.get("role") == "option"]
    assert len(options) == 1
    assert options[0].get("href").startswith("/pessoas/")
