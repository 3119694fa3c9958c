"""Index values on screen: what is in force and by which act, a new one repeated with what it moves, never edited."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.services import decisions, indexes
from registry.store.acts import Closure, IndexValue
from tests import factories
from tests.factories import OTHER, PORT
from tests.services import steps
from tests.web import boats
from tests.web.boats import HX
from tests.web.conftest import MOST_QUERIES

settings, host, desk, jonas = boats.settings, boats.host, boats.desk, boats.jonas
ONE = "/indices/valor/custo"
GOOD = {"value": "5,2012", "since": "01/12/2026", "act": "Portaria 130/2026"}


@pytest.fixture
def rita(client_as: Any) -> Any:
    return client_as("diretor", authority=PORT, name="Rita Moura")


def count(desk: Any, table: Any) -> int:
    with desk.store.reading() as session:
        return int(session.scalar(select(func.count()).select_from(table)) or 0)


def form(page: Any, client: Any, **typed: str) -> dict[str, str]:
    return page(client.get(ONE)).form(f"{ONE}/confira") | GOOD | typed


def confirm(page: Any, client: Any, **typed: str) -> Any:
    """The page «Confira», which has an address of its own."""
    answer = client.post(f"{ONE}/confira", data=form(page, client, **typed))
    assert answer.status_code == 303
    return page(client.get(answer.location))


def enter(page: Any, client: Any, **typed: str) -> Any:
    return client.post(ONE, data=confirm(page, client, **typed).form(ONE))


def test_the_list_says_value_since_act_and_who(rita, page, desk, queries) -> None:
    assert enter(page, rita, since="30/11/2026").status_code == 303
    enter(page, rita, since="15/12/2026", value="6,00")
    queries()
    shown = page(rita.get("/indices"))
    assert len(queries()) <= MOST_QUERIES
    assert "R$ 5,2012" in shown.text and "30/11/2026" in shown.text and "Portaria 130/2026" in shown.text
    assert "diretor" in shown.text
    assert "R$ 6,00 a partir de 15/12/2026" in shown.text


def test_confira_says_what_it_moves_before_it_is_saved(rita, page, desk, jonas) -> None:
    factories.filed(desk, jonas)
    shown = confirm(page, rita)
    assert "R$ 5,2012 a partir de 01/12/2026 (Portaria 130/2026)." in shown.text
    assert "Muda 1 taxa em aberto." in shown.text
    assert count(desk, IndexValue) == 0
    assert "since_confirmed" not in shown.html
    answer = rita.post(ONE, data=shown.form(ONE))
    assert answer.status_code == 303
    assert "novo valor a partir de 01/12/2026" in page(rita.get(answer.location)).text
    assert count(desk, IndexValue) == 1


def test_the_effect_is_told_while_it_is_typed(rita, page, desk, jonas) -> None:
    factories.filed(desk, jonas)
    shown = page(rita.post(f"{ONE}/efeito", data=form(page, rita, act=""), headers=HX | {"HX-Target": "efeito"}))
    assert shown.is_fragment and "Muda 1 taxa em aberto." in shown.text
    half = page(rita.post(f"{ONE}/efeito", data=form(page, rita, value="5,"), headers=HX))
    assert half.text == ""


@pytest.mark.parametrize(("since", "asks"), [("29/11/2026", True), ("30/11/2026", False), ("01/12/2026", False)])
def test_a_past_start_is_warned_of_and_confirmed(rita, page, desk, jonas, since: str, asks: bool) -> None:
    shown = confirm(page, rita, since=since)
    assert ("O início está no passado." in shown.text) is asks
    sent = shown.form(ONE)
    if asks:
        refused = page(rita.post(ONE, data=sent), 422)
        assert "Marque «Confirmo» para gravar." in refused.text
        assert count(desk, IndexValue) == 0
        sent = refused.form(ONE) | {"since_confirmed": "y"}
    assert rita.post(ONE, data=sent).status_code == 303
    assert count(desk, IndexValue) == 1


def test_a_past_start_names_the_decisions_that_used_the_value(rita, page, desk, jonas, monkeypatch) -> None:
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    decisions.decide(jonas.occasion(hours=2), desk, request_id, steps.version_of(desk, request_id), "deferido")
    found = indexes._decisions_using
    monkeypatch.setattr(
        indexes, "_decisions_using", lambda s, a, plugin, _key, since: found(s, a, plugin, "seats.min", since)
    )
    shown = confirm(page, rita, since="29/11/2026")
    assert "1 decisão já tomada usou o valor anterior desde esse dia." in shown.text
    assert "2026/000001" in shown.text


def test_a_day_that_has_a_value_gets_a_new_one_and_keeps_the_old(rita, page, desk, clock) -> None:
    enter(page, rita)
    clock.ahead(minutes=1)
    shown = confirm(page, rita, value="5,3000")
    assert "Já há R$ 5,2012 a partir de 01/12/2026 (Portaria 130/2026)." in shown.text
    assert rita.post(ONE, data=shown.form(ONE) | {"since_confirmed": "y"}).status_code == 303
    history = page(rita.get(ONE))
    assert "Substituído" in history.text and "R$ 5,3000" not in history.text and "R$ 5,30" in history.text
    assert count(desk, IndexValue) == 2


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"value": ""}, "value"),
        ({"value": "5.2"}, "value"),
        ({"value": "5,20123"}, "value"),
        ({"value": "NaN"}, "value"),
        ({"since": "31/11/2026"}, "since"),
        ({"since": ""}, "since"),
        ({"act": " "}, "act"),
    ],
)
def test_a_wrong_field_keeps_what_was_typed(rita, page, desk, typed, field: str) -> None:
    for address in (f"{ONE}/confira", ONE):
        shown = page(rita.post(address, data=form(page, rita, **typed)), 422)
        assert shown.error_of(field)
        kept = shown.form(f"{ONE}/confira")
        assert kept | GOOD | typed == kept
    assert count(desk, IndexValue) == 0


@pytest.mark.parametrize("value", ["0", "0,0000"])
def test_a_value_of_nothing_is_refused_beside_its_field(rita, page, desk, value: str) -> None:
    asked = confirm(page, rita, value=value)
    shown = page(rita.post(ONE, data=asked.form(ONE)), 422)
    assert shown.error_of("value") == "O valor deve ser maior que zero."


def test_a_repeated_click_enters_once(rita, page, desk) -> None:
    sent = confirm(page, rita).form(ONE)
    first, second = (rita.post(ONE, data=sent) for _ in range(2))
    assert first.location == second.location
    assert count(desk, IndexValue) == 1


def test_the_way_back_keeps_what_was_typed(rita, page) -> None:
    kept = page(rita.get(confirm(page, rita).links()["Voltar e mudar"])).form(f"{ONE}/confira")
    assert kept | GOOD == kept


@pytest.mark.parametrize("query", ["", "?value=5,2&since=01/12/2026", "?value=x&since=01/12/2026&act=Portaria+1"])
def test_the_address_of_confira_without_a_value_in_order_is_the_form(rita, page, desk, query: str) -> None:
    shown = page(rita.get(f"{ONE}/confira{query}"), 422)
    assert shown.form(f"{ONE}/confira")
    assert count(desk, IndexValue) == 0


def test_an_unknown_index_is_404(rita, page) -> None:
    page(rita.get("/indices/valor/outro"), 404)
    page(rita.post("/indices/valor/outro", data=form(page, rita)), 404)


@pytest.mark.parametrize("role", ["atendente", "tesouraria", "analista", "auditor"])
def test_others_see_and_do_not_enter(client_as, page, token, desk, role: str) -> None:
    client = client_as(role, authority=PORT)
    shown = page(client.get(ONE))
    assert "Quem lança valores" in shown.text
    page(client.post(ONE, data=GOOD | {"csrf_token": token(client)}), 403)
    page(client.post("/indices/dias", data={"csrf_token": token(client)}), 403)
    assert count(desk, IndexValue) == 0


def test_an_inspector_does_not_open_the_indexes(client_as, page) -> None:
    page(client_as("vistoriador", authority=PORT).get("/indices"), 403)


def test_another_authority_s_values_are_its_own(client_as, rita, page, desk) -> None:
    enter(page, rita, since="30/11/2026")
    other = client_as("diretor", authority=OTHER)
    for address in ("/indices", ONE):
        assert "Portaria 130/2026" not in page(other.get(address)).text


def test_a_day_is_closed_by_act_and_shown(rita, page, desk, queries) -> None:
    queries()
    shown = page(rita.get("/indices/dias"))
    assert len(queries()) <= MOST_QUERIES
    assert "08/12/2026" in shown.text and "Padroeira" in shown.text
    typed = {"day": "24/12/2026", "name": "Recesso", "act": "Portaria 38/2026"}
    sent = shown.form("/indices/dias") | typed
    assert rita.post("/indices/dias", data=sent).status_code == 303
    assert rita.post("/indices/dias", data=sent).status_code == 303
    assert count(desk, Closure) == 1
    again = page(rita.post("/indices/dias", data=sent | {"once_key": "outra"}), 422)
    assert again.error_of("day") == "24/12/2026 já está fechado: Recesso."
    with desk.store.reading() as session:
        assert not desk.calendar(session, PORT).is_business_day(date(2026, 12, 24))
        assert desk.calendar(session, OTHER).is_business_day(date(2026, 12, 24))


@pytest.mark.parametrize(
    ("typed", "field"), [({"day": "32/12/2026"}, "day"), ({"name": ""}, "name"), ({"act": ""}, "act")]
)
def test_a_wrong_closed_day_keeps_what_was_typed(rita, page, desk, typed, field: str) -> None:
    good = {"day": "24/12/2026", "name": "Recesso", "act": "Portaria 38/2026"}
    sent = page(rita.get("/indices/dias")).form("/indices/dias") | good | typed
    shown = page(rita.post("/indices/dias", data=sent), 422)
    assert shown.error_of(field)
    assert shown.form("/indices/dias") | good | typed == shown.form("/indices/dias")
    assert count(desk, Closure) == 0


def test_a_new_value_changes_what_is_owed_from_its_day(rita, page, desk, jonas, client_as, clock) -> None:
    request_id = factories.filed(desk, jonas)
    enter(page, rita)
    caixa = client_as("tesouraria", authority=PORT)
    assert "R$ 200,00" in page(caixa.get(f"/tesouraria/requerimento/{request_id}")).text
    with desk.store.reading() as session:
        (line,) = steps.charges.charges_of_request(session, desk, PORT, request_id, date(2026, 12, 1))
    assert line.amount.amount == Decimal("208.05")
