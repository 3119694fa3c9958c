"""The vistoria on screen: agenda, booking, a tap at a time with htmx, one form without, and the seal."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from registry.services import inspections
from registry.store.inspections import Inspection
from registry.web import htmx
from tests import factories
from tests.factories import NOON, OTHER, PORT
from tests.services import steps
from tests.web import boats
from tests.web.boats import HX
from tests.web.conftest import MOST_QUERIES

settings, host, desk, jonas = boats.settings, boats.host, boats.desk, boats.jonas
TAP = HX | {"HX-Target": "item-1"}


@pytest.fixture
def request_id(desk: Any, jonas: Any) -> int:
    return boats.paid(desk, jonas)


@pytest.fixture
def inspection_id(desk: Any, jonas: Any, request_id: int) -> int:
    return steps.book(desk, jonas, request_id)


@pytest.fixture
def edson(client_as: Any) -> Any:
    return client_as("vistoriador", authority=PORT, name="Edson Lira")


def row(desk: Any, inspection_id: int) -> Inspection:
    with desk.store.reading() as session:
        found = session.get_one(Inspection, inspection_id)
        session.expunge(found)
        return found


def checklist(page: Any, client: Any, inspection_id: int, **ticked: str) -> dict[str, str]:
    return page(client.get(f"/vistorias/{inspection_id}")).form(f"/vistorias/{inspection_id}") | ticked


ALL = {"r-casco": "ok", "r-coletes": "ok"}


def test_the_agenda_shows_the_day_by_hour_and_place(edson, page, desk, jonas, inspection_id, queries) -> None:
    queries()
    shown = page(edson.get("/vistorias"))
    assert len(queries()) <= MOST_QUERIES
    assert "Segunda-feira, 30 de novembro de 2026" in shown.text
    assert "13h" in shown.text and "RZT6B18" in shown.text and "Pátio" in shown.text
    assert shown.links()["Dia seguinte"].endswith("dia=01/12/2026")


def test_an_empty_day_says_why_and_leads_on(edson, page) -> None:
    shown = page(edson.get("/vistorias"))
    assert "Nenhuma vistoria marcada para hoje." in shown.text
    assert shown.links()["Ver amanhã"].endswith("dia=01/12/2026")


@pytest.mark.parametrize(("typed", "sentence"), [("31/02/2026", "não existe"), ("ontem", "Escreva a data como")])
def test_a_day_that_cannot_be_read_keeps_what_was_typed(edson, page, typed: str, sentence: str) -> None:
    shown = page(edson.get("/vistorias", query_string={"dia": typed}), 422)
    assert "0 vistorias" not in shown.text
    assert sentence in shown.error_of("dia")
    assert shown.one(".//input[@name='dia']").get("value") == typed


@pytest.mark.parametrize("number", ["0", "x", "2", "999"])
def test_a_page_that_is_none_is_404(edson, page, number: str) -> None:
    page(edson.get("/vistorias", query_string={"page": number}), 404)


def test_the_filter_by_place_stays_in_the_address(edson, page, inspection_id) -> None:
    shown = page(edson.get("/vistorias", query_string={"local": "Garagem"}))
    assert "Nenhuma vistoria neste local" in shown.text
    assert "RZT6B18" in page(edson.get("/vistorias", query_string={"local": "Pátio"})).text


def test_htmx_gets_the_day_alone(edson, page) -> None:
    shown = page(edson.get("/vistorias?dia=01/12/2026", headers=HX))
    assert shown.is_fragment
    assert shown.one(".//section").get("id") == "agenda"


def test_booking_from_a_request(client_as, page, desk, request_id) -> None:
    client = client_as("atendente", authority=PORT)
    address = f"/vistorias/marcar/{request_id}"
    form = page(client.get(address)).form(address)
    answer = client.post(address, data=form | {"day": "01/12/2026", "hour": "9:30", "place": "Pátio da capitania"})
    assert answer.status_code == 303
    shown = page(client.get(answer.location))
    assert "Vistoria marcada para 01/12/2026, 9h30." in shown.text
    again = page(client.get(address))
    assert "A vistoria já está marcada" in again.text
    assert again.links()["Abrir a vistoria marcada"] == answer.location


def test_a_repeated_click_books_once(client_as, page, desk, request_id) -> None:
    client = client_as("atendente", authority=PORT)
    address = f"/vistorias/marcar/{request_id}"
    form = page(client.get(address)).form(address) | {"day": "01/12/2026", "hour": "9:30", "place": "Pátio"}
    first, second = (client.post(address, data=form) for _ in range(2))
    assert first.location == second.location


@pytest.mark.parametrize(
    ("typed", "field", "sentence"),
    [
        ({"day": "31/11/2026"}, "day", "O dia 31/11 não existe."),
        ({"day": ""}, "day", "Escolha o dia."),
        ({"day": "29/11/2026"}, "day", "Escolha uma hora depois de agora"),
        ({"hour": "25:00"}, "hour", ""),
        ({"place": " "}, "place", "Escreva o local."),
    ],
)
def test_a_wrong_booking_keeps_what_was_typed(client_as, page, request_id, typed, field, sentence) -> None:
    client = client_as("atendente", authority=PORT)
    address = f"/vistorias/marcar/{request_id}"
    good = {"day": "01/12/2026", "hour": "9:30", "place": "Pátio"}
    form = page(client.get(address)).form(address)
    shown = page(client.post(address, data=form | good | typed), 422)
    assert sentence in shown.error_of(field)
    assert shown.error_of(field)
    kept = shown.form(address)
    assert {name: kept[name] for name in good} == good | typed


def test_an_unpaid_fee_is_a_sentence_and_no_button(client_as, page, desk, jonas) -> None:
    request_id = factories.filed(desk, jonas)
    client = client_as("atendente", authority=PORT)
    shown = page(client.get(f"/vistorias/marcar/{request_id}"))
    assert "Antes de marcar a vistoria, receba: Vistoria." in shown.text
    assert not [form for form in shown.all(".//form") if "marcar" in form.get("action", "")]


def test_the_day_being_typed_shows_what_is_booked(client_as, page, desk, jonas, inspection_id) -> None:
    client = client_as("atendente", authority=PORT)
    address = f"/vistorias/{inspection_id}/remarcar?day=30/11/2026"
    shown = page(client.get(address, headers=HX | {"HX-Target": "agenda-do-dia"}))
    assert shown.is_fragment
    assert "RZT6B18" in shown.text


def test_nothing_is_preset_and_the_count_stands(edson, page, inspection_id, queries) -> None:
    queries()
    shown = page(edson.get(f"/vistorias/{inspection_id}"))
    assert len(queries()) <= MOST_QUERIES
    assert not [radio for radio in shown.all(".//input[@type='radio']") if radio.get("checked") is not None]
    assert "0 de 2" in shown.text
    assert "Concluir" not in shown.text
    values = [radio.get("value") for radio in shown.all(".//input[@name='r-casco']")]
    assert values == ["ok", "falha"]


def test_a_tap_saves_one_item_and_counts(edson, page, desk, inspection_id) -> None:
    form = checklist(page, edson, inspection_id, **{"r-casco": "ok"})
    shown = page(edson.post(f"/vistorias/{inspection_id}/itens/casco", data=form, headers=TAP))
    assert shown.is_fragment
    assert "1 de 2" in shown.text
    assert row(desk, inspection_id).items["casco"]["result"] == "ok"
    again = page(edson.get(f"/vistorias/{inspection_id}"))
    assert again.form(f"/vistorias/{inspection_id}")["r-casco"] == "ok"


def test_a_failure_opens_its_reason_before_it_is_saved(edson, page, desk, inspection_id) -> None:
    form = checklist(page, edson, inspection_id, **{"r-casco": "falha"})
    address = f"/vistorias/{inspection_id}/itens/casco"
    shown = page(edson.post(address, data=form, headers=TAP))
    assert "Escreva o que falhou" in shown.text
    assert "0 de 2" in shown.text
    assert row(desk, inspection_id).items == {}
    shown = page(edson.post(address, data=form | {"m-casco": "Trinca na proa"}, headers=TAP))
    assert "1 de 2" in shown.text
    assert row(desk, inspection_id).items["casco"]["reason"] == "Trinca na proa"


def test_without_javascript_one_form_then_the_seal(edson, page, desk, inspection_id) -> None:
    address = f"/vistorias/{inspection_id}"
    answer = edson.post(address, data=checklist(page, edson, inspection_id, **ALL))
    assert answer.status_code == 303
    shown = page(edson.get(address))
    assert "2 de 2" in shown.text
    assert "O selo vale até 28/11/2027" in shown.text or "O selo vale até" in shown.text
    answer = edson.post(f"{address}/concluir", data=shown.form(address))
    assert answer.status_code == 303
    done = page(edson.get(address))
    saved = row(desk, inspection_id)
    assert saved.state == "aprovada"
    assert f"Selo {saved.seal} emitido." in done.text
    assert f"{saved.valid_until:%d/%m/%Y}" in done.text
    assert not [form for form in done.all(".//form") if "vistorias" in form.get("action", "")]


def test_a_failed_inspection_says_why(edson, page, desk, inspection_id) -> None:
    address = f"/vistorias/{inspection_id}"
    failing = ALL | {"r-casco": "falha", "m-casco": "Trinca"}
    edson.post(address, data=checklist(page, edson, inspection_id, **failing))
    shown = page(edson.get(address))
    assert "1 itens falharam." in shown.text
    assert "Concluir como reprovada" in shown.text
    edson.post(f"{address}/concluir", data=shown.form(address))
    done = page(edson.get(address))
    assert row(desk, inspection_id).state == "reprovada"
    assert "1 itens falharam." in done.text and "Trinca" in done.text
    assert row(desk, inspection_id).seal is None


def test_an_unmarked_item_keeps_the_inspection_open(edson, page, desk, inspection_id) -> None:
    address = f"/vistorias/{inspection_id}"
    form = checklist(page, edson, inspection_id, **{"r-casco": "ok"})
    shown = page(edson.post(f"{address}/concluir", data=form), 422)
    assert "1 de 2 itens marcados" in shown.text
    assert row(desk, inspection_id).state == "marcada"


def test_a_failure_without_reason_stays_on_the_page(edson, page, desk, inspection_id) -> None:
    address = f"/vistorias/{inspection_id}"
    form = checklist(page, edson, inspection_id, **(ALL | {"r-coletes": "falha"}))
    shown = page(edson.post(address, data=form), 422)
    assert "escreva o que falhou" in shown.text
    assert shown.form(address)["r-coletes"] == "falha"
    assert set(row(desk, inspection_id).items) == {"casco"}


def test_a_result_that_changed_is_shown_again_before_it_counts(edson, page, desk, inspection_id) -> None:
    address = f"/vistorias/{inspection_id}"
    edson.post(address, data=checklist(page, edson, inspection_id, **ALL))
    form = page(edson.get(address)).form(address) | {"r-casco": "falha", "m-casco": "Trinca"}
    assert form["expected"] == "aprovada"
    shown = page(edson.post(f"{address}/concluir", data=form), 409)
    assert "O resultado mudou" in shown.text
    assert row(desk, inspection_id).state == "marcada"


def test_two_inspectors_on_one_item(edson, client_as, page, desk, jonas, inspection_id) -> None:
    form = checklist(page, edson, inspection_id, **{"r-casco": "ok"})
    inspections.save_item(jonas.occasion(), desk, inspection_id, 1, "casco", "falha", "Trinca")
    shown = page(edson.post(f"/vistorias/{inspection_id}/itens/casco", data=form, headers=TAP), 409)
    assert "Jonas marcou Falha às 12h; você marcou Em ordem. Marque o que fica." in shown.text
    again = {element.get("name"): element.get("value") for element in shown.all(".//input[@name='version']")}
    page(edson.post(f"/vistorias/{inspection_id}/itens/casco", data=form | again, headers=TAP))
    assert row(desk, inspection_id).items["casco"]["result"] == "ok"


def test_concluding_twice_gives_one_seal(edson, page, desk, inspection_id) -> None:
    address = f"/vistorias/{inspection_id}"
    edson.post(address, data=checklist(page, edson, inspection_id, **ALL))
    form = page(edson.get(address)).form(address)
    edson.post(f"{address}/concluir", data=form)
    seal = row(desk, inspection_id).seal
    assert edson.post(f"{address}/concluir", data=form).status_code == 303
    assert "Já foi feito por Edson Lira às 12h. Nada se repetiu." in page(edson.get(address)).text
    assert row(desk, inspection_id).seal == seal


def test_no_show_only_after_its_hour(edson, page, desk, clock, inspection_id) -> None:
    address = f"/vistorias/{inspection_id}"
    assert "Registrar falta" not in page(edson.get(address)).text
    clock.ahead(hours=1)
    form = page(edson.get(address)).form(f"{address}/falta")
    assert edson.post(f"{address}/falta", data=form).status_code == 303
    shown = page(edson.get(address))
    assert "O requerente não compareceu" in shown.text
    assert shown.links()["Marcar nova vistoria"] == f"/vistorias/marcar/{row(desk, inspection_id).request_id}"


def test_moving_and_cancelling(edson, page, desk, inspection_id) -> None:
    address = f"/vistorias/{inspection_id}/remarcar"
    form = page(edson.get(address)).form(address)
    assert form["day"] == "30/11/2026" and form["hour"] == "13:00"
    assert edson.post(address, data=form | {"day": "02/12/2026"}).status_code == 303
    assert row(desk, inspection_id).scheduled_at == NOON + timedelta(days=2, hours=1)
    shown = page(edson.get(address))
    cancel = f"/vistorias/{inspection_id}/cancelar"
    refused = page(edson.post(cancel, data=shown.form(cancel)), 422)
    assert "Escreva o motivo" in refused.error_of("reason")
    assert edson.post(cancel, data=shown.form(cancel) | {"reason": "Chuva"}).status_code == 303
    assert "foi cancelada" in page(edson.get(f"/vistorias/{inspection_id}")).text


def test_a_stale_move_shows_who_was_faster(edson, page, desk, jonas, inspection_id) -> None:
    address = f"/vistorias/{inspection_id}/remarcar"
    form = page(edson.get(address)).form(address)
    inspections.move_inspection(jonas.occasion(), desk, inspection_id, 1, NOON + timedelta(days=3), "Pátio")
    shown = page(edson.post(address, data=form | {"day": "02/12/2026"}), 409)
    assert "Jonas" in shown.text
    assert row(desk, inspection_id).scheduled_at == NOON + timedelta(days=3)


@pytest.mark.parametrize("role", ["atendente", "analista", "diretor", "auditor"])
def test_only_inspectors_record(client_as, page, desk, token, inspection_id, role: str) -> None:
    client = client_as(role, authority=PORT)
    shown = page(client.get(f"/vistorias/{inspection_id}"))
    assert not shown.all(".//input[@type='radio']")
    data = {"csrf_token": token(client), "r-casco": "ok", "version": "1"}
    shown = page(client.post(f"/vistorias/{inspection_id}", data=data), 403)
    assert "Vistoriador" in shown.text
    assert row(desk, inspection_id).items == {}


def test_another_authority_finds_nothing(client_as, page, token, desk, request_id, inspection_id) -> None:
    client = client_as("vistoriador", authority=OTHER)
    assert "RZT6B18" not in page(client.get("/vistorias")).text
    for address in (f"/vistorias/{inspection_id}", f"/vistorias/marcar/{request_id}"):
        page(client.get(address), 404)
    data = {"csrf_token": token(client), "r-casco": "ok", "version": "1"}
    page(client.post(f"/vistorias/{inspection_id}", data=data), 404)
    page(client.post(f"/vistorias/{inspection_id}/concluir", data=data), 404)


def test_the_checklist_asks_htmx_for_what_it_names(edson, page, inspection_id) -> None:
    shown = page(edson.get(f"/vistorias/{inspection_id}"))
    taps = [each.get("hx-post") for each in shown.all(".//fieldset") if each.get("hx-post")]
    assert taps == [f"/vistorias/{inspection_id}/itens/{code}" for code in ("casco", "coletes")]
    assert htmx.VARY[0] in edson.get(f"/vistorias/{inspection_id}").headers["Vary"]
