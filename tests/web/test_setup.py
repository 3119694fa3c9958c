"""The set-up on screen: what is missing before the first permit, and what the authority is, its days and regimes."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from registry.settings import authorities_from
from registry.store.access import Appointment, Authority
from registry.store.audit import AuditEntry
from registry.web.edge import EXTENSION
from tests import regime
from tests.factories import NOON, OTHER, PORT
from tests.services import steps
from tests.web import boats
from tests.web.conftest import MOST_QUERIES

settings, host, desk, jonas = boats.settings, boats.host, boats.desk, boats.jonas
BASE = "/administracao/implantacao"
TYPED = {"name": "Capitania do Recôncavo", "short_name": "Capitania", "phone": "(71) 3333-0000", "address": "Cais, 1"}


@pytest.fixture
def boss(client_as: Any) -> Any:
    return client_as("administrador", authority=PORT, name="Olga Reis")


def kept(desk: Any, code: str = PORT) -> dict[str, Any]:
    """The authority's entry in the file."""
    content = tomllib.loads(desk.settings.setup_file.read_text(encoding="utf-8"))
    return next(each for each in content["authority"] if each["code"] == code)


def follow(app: Any) -> None:
    """Takes what was written, as the server does when the file changes."""
    made = app.extensions[EXTENSION]
    content = tomllib.loads(made.settings.setup_file.read_text(encoding="utf-8"))
    chosen = replace(made.settings, authorities=authorities_from(content["authority"], "x"))
    host = type(made.host)(chosen, made.host.plugins.values(), made.host._manager)
    desk = replace(made.desk, settings=chosen, host=host)
    app.extensions[EXTENSION] = replace(made, settings=chosen, desk=desk, host=host)


def post(page: Any, client: Any, path: str, **typed: Any) -> Any:
    return client.post(path, data=page(client.get(path)).form(path) | typed)


def items(shown: Any, heading: str) -> dict[str, str]:
    """Label and note of each item under a heading."""
    card = next(card for card in shown.all(".//section") if card.get("aria-labelledby") == heading)
    rows = [["".join(cell.itertext()) for cell in row] for row in card.iter("{http://www.w3.org/1999/xhtml}tr")]
    return {" ".join(row[0].split()): " ".join(row[1].split()) for row in rows[1:]}


def test_the_checklist_tells_what_is_missing_with_a_link_to_where_it_is_done(boss, page, queries) -> None:
    queries()
    shown = page(boss.get(BASE))
    assert len(queries()) <= MOST_QUERIES
    lacking = items(shown, "h-missing")
    assert "Ninguém está nomeado hoje" in lacking["Capitão do Porto (Barcas)"]
    assert "Vistoriador" in lacking["Quem vai registrar vistorias"]
    assert "administrar usuários" in items(shown, "h-done")["Usuários"]
    links = shown.links()
    assert links["Resolver Capitão do Porto (Barcas)"] == "/administracao/usuarios"


def test_each_thing_done_leaves_the_list(boss, page, desk, jonas, client_as) -> None:
    everyone = ("atendente", "analista", "vistoriador", "tesouraria", "diretor")
    client_as(*everyone, authority=PORT, name="Rita Moura")
    steps.appoint(desk, jonas)
    shown = page(boss.get(BASE))
    lacking = items(shown, "h-missing")
    assert not [label for label in lacking if label.startswith("Quem vai")]
    assert "não abre as decisões: dê-lhe o perfil Diretor" in lacking["Capitão do Porto (Barcas)"]


def test_a_holder_of_yesterday_or_tomorrow_holds_no_office_today(boss, page, desk, add, jonas) -> None:
    place = {"authority": PORT, "regime": regime.CODE, "office": steps.OFFICE, "user_id": jonas.id, "act": "Portaria 1"}
    add(Appointment, **place, since=NOON.date() - timedelta(9), until=NOON.date() - timedelta(1))
    add(Appointment, **place, since=NOON.date() + timedelta(1), until=None)
    said = items(page(boss.get(BASE)), "h-missing")["Capitão do Porto (Barcas)"]
    assert "Ninguém está nomeado hoje" in said and f"{jonas.name} começa em 01/12/2026." in said


def test_the_authoritys_data_are_kept_audited_and_entered(boss, page, desk, app) -> None:
    sent = post(page, boss, f"{BASE}/orgao", **TYPED, zone="America/Bahia")
    assert sent.status_code == 303
    assert {name: kept(desk)[name] for name in (*TYPED, "zone")} == TYPED | {"zone": "America/Bahia"}
    assert kept(desk, OTHER)["name"] == "Capitania do outro"
    with desk.store.reading() as session:
        row = session.get_one(Authority, PORT)
        entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "setup.changed")).one()
    assert (row.name, row.zone) == (TYPED["name"], "America/Bahia")
    assert entry.before["name"] == "Capitania do porto" and entry.after["zone"] == "America/Bahia"
    follow(app)
    assert page(boss.get(f"{BASE}/orgao")).form(f"{BASE}/orgao")["name"] == TYPED["name"]


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"name": " "}, "name"),
        ({"zone": ""}, "zone"),
        ({"zone": "America/Recifi"}, "zone"),
        ({"address": "x" * 201}, "address"),
    ],
)
def test_a_wrong_field_changes_nothing_and_loses_nothing(boss, page, desk, typed, field: str) -> None:
    path = f"{BASE}/orgao"
    shown = page(post(page, boss, path, **TYPED | typed), 422)
    assert shown.error_of(field)
    assert shown.form(path)["phone"] == TYPED["phone"]
    assert not desk.settings.setup_file.exists()


def test_two_editors_choose_field_by_field(boss, page, desk, client_as, app) -> None:
    path = f"{BASE}/orgao"
    opened = page(boss.get(path)).form(path)
    other = client_as("administrador", authority=PORT, name="Jonas Melo")
    post(page, other, path, phone="1111")
    follow(app)
    shown = page(boss.post(path, data=opened | {"phone": "2222"}), 409)
    assert "1111" in shown.text and "2222" in shown.text and "Jonas" in shown.text
    assert kept(desk)["phone"] == "1111"
    assert boss.post(path, data=page(boss.get(path)).form(path) | {"phone": "2222"}).status_code == 303
    assert kept(desk)["phone"] == "2222"


def test_a_second_click_changes_once(boss, page, desk) -> None:
    path = f"{BASE}/orgao"
    sent = page(boss.get(path)).form(path) | TYPED
    for _ in range(2):
        assert boss.post(path, data=sent).status_code == 303
    with desk.store.reading() as session:
        assert len(session.scalars(select(AuditEntry).where(AuditEntry.action == "setup.changed")).all()) == 1


def test_a_day_of_the_place_comes_back_every_year_until_it_is_ended(boss, page, desk, app) -> None:
    path = f"{BASE}/dias"
    assert post(page, boss, path, day="11/03", name="Padroeira").status_code == 303
    assert kept(desk)["calendar"] == [{"rule": "03-11", "name": "Padroeira", "from_year": 2026}]
    follow(app)
    shown = page(boss.get(path))
    assert "11/03/2027 Padroeira" in shown.text
    again = page(post(page, boss, path, day="11/3", name="De novo"), 422)
    assert again.error_of("day") == "Este dia já está no calendário: Padroeira."
    end = shown.links()["Encerrar Padroeira"]
    refused = page(post(page, boss, end, until_year="2024"), 422)
    assert "não pode ser antes de 2025" in refused.error_of("until_year")
    assert post(page, boss, end, until_year="2026").status_code == 303
    follow(app)
    assert "11/03/2027" not in page(boss.get(path)).text
    assert desk.settings and kept(desk)["calendar"][0]["until_year"] == 2026


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"day": "31/02"}, "day"),
        ({"day": "todo domingo"}, "day"),
        ({"day": ""}, "day"),
        ({"name": ""}, "name"),
        ({"from_year": "26"}, "from_year"),
        ({"from_year": "1500"}, "from_year"),
    ],
)
def test_a_wrong_day_is_refused_beside_its_field(boss, page, desk, typed, field: str) -> None:
    path = f"{BASE}/dias"
    shown = page(post(page, boss, path, **{"day": "11/03", "name": "Padroeira"} | typed), 422)
    assert shown.error_of(field) and not desk.settings.setup_file.exists()


def test_regimes_come_from_installed_modules_and_a_new_one_asks_for_its_tables(boss, page, desk) -> None:
    path = f"{BASE}/regimes"
    shown = page(boss.get(path))
    offered = {box.get("value") for box in shown.all(".//input[@name='regimes']")}
    assert {regime.CODE, "taxi_recife", "fretamento_rmr"} <= offered
    refused = page(post(page, boss, path, regimes=["rodas"]), 422)
    assert "Nenhum módulo instalado tem o regime rodas." in refused.error_of("regimes")
    assert page(post(page, boss, path, regimes=[]), 422).error_of("regimes")
    asked = page(post(page, boss, path, regimes=[regime.CODE, "taxi_recife"]), 422)
    assert asked.error_of("regimes") and not desk.settings.setup_file.exists()


def test_a_regime_with_permits_or_requests_stays(boss, page, desk, jonas, app) -> None:
    from tests import factories

    ana, boat = factories.person(desk, jonas), factories.vehicle(desk, jonas)
    factories.draft(desk, jonas, applicant_id=ana, vehicle_id=boat)
    refused = page(post(page, boss, f"{BASE}/regimes", regimes=["fretamento_rmr"]), 422)
    assert "tem 1 requerimento neste órgão" in refused.error_of("regimes")
    factories.permit(desk.store, ana, boat)
    refused = page(post(page, boss, f"{BASE}/regimes", regimes=["fretamento_rmr"]), 422)
    assert "tem 1 outorga e 1 requerimento neste órgão" in refused.error_of("regimes")


def test_the_demonstration_is_not_set_up(app, boss, page, token, desk) -> None:
    made = app.extensions[EXTENSION]
    demo = replace(made.settings, demo=True)
    app.extensions[EXTENSION] = replace(made, settings=demo, desk=replace(made.desk, settings=demo))
    assert "Esta é a demonstração" in page(boss.get(f"{BASE}/orgao")).text
    sent = {"csrf_token": token(boss), **TYPED, "zone": "America/Bahia"}
    assert "Esta é a demonstração" in page(boss.post(f"{BASE}/orgao", data=sent), 422).text
    assert not desk.settings.setup_file.exists()


@pytest.mark.parametrize("role", ["atendente", "diretor", "auditor"])
def test_only_the_administration_sets_up(client_as, page, role: str) -> None:
    for path in ("", "/orgao", "/dias", "/regimes"):
        page(client_as(role, authority=PORT).get(f"{BASE}{path}"), 403)
