"""Administration on screen: users with roles and offices, and the plugins."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.services import offices, users
from registry.store.access import Appointment, User
from tests import regime
from tests.factories import OTHER, PORT
from tests.services import steps
from tests.web import boats
from tests.web.conftest import MOST_QUERIES

settings, host, desk, jonas = boats.settings, boats.host, boats.desk, boats.jonas
NEW = "/administracao/usuarios/novo"
GOOD = {"name": "Edson Lira", "username": "edson.lira", "roles": ["vistoriador"]}
PASSWORD = "uma senha comprida"


@pytest.fixture
def boss(client_as: Any) -> Any:
    return client_as("administrador", authority=PORT, name="Olga Reis")


def count(desk: Any, table: Any) -> int:
    with desk.store.reading() as session:
        return int(session.scalar(select(func.count()).select_from(table)) or 0)


def named(desk: Any, username: str) -> User:
    with desk.store.reading() as session:
        found = session.scalars(select(User).where(User.username == username)).one()
        session.expunge(found)
        return found


def create(page: Any, boss: Any, **typed: Any) -> Any:
    return boss.post(NEW, data=page(boss.get(NEW)).form(NEW) | GOOD | typed)


@pytest.fixture
def edson(boss: Any, page: Any) -> str:
    """The address of a user whom the administration invited."""
    address: str = create(page, boss).location
    return address.removesuffix("/link")


@pytest.fixture
def entered(edson: str, desk: Any, jonas: Any) -> str:
    """The same user, who has a password."""
    users.set_password(jonas.occasion(), desk, int(edson.rsplit("/", 1)[1]), PASSWORD)
    return edson


def test_the_list_shows_who_may_what(boss, page, edson, queries) -> None:
    queries()
    shown = page(boss.get("/administracao/usuarios"))
    assert len(queries()) <= MOST_QUERIES
    assert shown.links()["Edson Lira"] == edson
    assert "Vistoriador" in shown.text and "Administrador" in shown.text


def test_a_filter_that_finds_nobody_says_so(boss, page, edson) -> None:
    assert "Edson Lira" in page(boss.get("/administracao/usuarios?q=EDSÓN")).text
    assert "Nenhum usuário com «zzz»." in page(boss.get("/administracao/usuarios?q=zzz")).text
    assert "Nenhum usuário com «%»." in page(boss.get("/administracao/usuarios?q=%25")).text


@pytest.mark.parametrize("number", ["0", "x", "2", "999"])
def test_a_page_that_is_none_is_404(boss, page, number: str) -> None:
    page(boss.get(f"/administracao/usuarios?page={number}"), 404)


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"name": ""}, "name"),
        ({"username": "Édson Lira"}, "username"),
        ({"username": ""}, "username"),
        ({"roles": []}, "roles"),
        ({"roles": ["rei"]}, "roles"),
    ],
)
def test_a_wrong_field_keeps_what_was_typed(boss, page, desk, typed, field: str) -> None:
    before = count(desk, User)
    shown = page(create(page, boss, **typed), 422)
    assert shown.error_of(field)
    kept = shown.form(NEW)
    wanted = {name: value for name, value in (GOOD | typed).items() if name != "roles"}
    assert kept | wanted == kept
    assert count(desk, User) == before


def test_a_taken_name_is_refused_and_a_repeated_click_makes_one(boss, page, desk) -> None:
    sent = page(boss.get(NEW)).form(NEW) | GOOD
    first, second = (boss.post(NEW, data=sent) for _ in range(2))
    assert first.location == second.location
    refused = page(create(page, boss), 422)
    assert refused.error_of("username") == "Já existe o usuário edson.lira. Escolha outro nome."


def test_roles_are_replaced(boss, page, desk, edson) -> None:
    form = page(boss.get(edson)).form(f"{edson}/perfis")
    assert boss.post(f"{edson}/perfis", data=form | {"roles": ["analista", "auditor"]}).status_code == 303
    shown = page(boss.get(edson))
    ticked = {box.get("value") for box in shown.all(".//input[@name='roles']") if box.get("checked") is not None}
    assert ticked == {"analista", "auditor"}
    refused = page(boss.post(f"{edson}/perfis", data=form | {"roles": []}), 422)
    assert "Escolha ao menos um perfil." in refused.error_of("p-roles")


def test_a_closed_access_lets_nobody_in(boss, page, desk, visitor, entered) -> None:
    edson = entered
    sent = page(boss.get(edson)).form(f"{edson}/acesso")
    assert sent["active"] == "nao"
    assert boss.post(f"{edson}/acesso", data=sent).status_code == 303
    assert not named(desk, "edson.lira").active
    form = page(visitor.get("/entrar")).form("/entrar")
    typed = {"username": GOOD["username"], "password": PASSWORD}
    page(visitor.post("/entrar", data=form | typed), 422)
    again = page(boss.get(edson)).form(f"{edson}/acesso")
    boss.post(f"{edson}/acesso", data=again)
    assert named(desk, "edson.lira").active


def test_nobody_shuts_themselves_out(someone, enter, page, token, desk) -> None:
    user = someone("administrador", authority=PORT)
    client, address = enter(user), f"/administracao/usuarios/{user.id}"
    assert "Este é o seu usuário." in page(client.get(address)).text
    data = {"csrf_token": token(client), "active": "nao"}
    assert "Você não pode desativar o próprio acesso" in page(client.post(f"{address}/acesso", data=data), 422).text
    data = {"csrf_token": token(client), "roles": ["auditor"]}
    assert "Você não pode tirar de si" in page(client.post(f"{address}/perfis", data=data), 422).text
    assert named(desk, user.username).active


def test_an_office_is_given_by_act_and_ended(boss, page, desk, edson) -> None:
    form = page(boss.get(edson)).form(f"{edson}/nomear")
    typed = {"place": f"{regime.CODE}:{steps.OFFICE}", "since": "01/12/2026", "act": "Portaria 12/2026"}
    sent = form | typed | {"substitute": "y"}
    for _ in range(2):
        assert boss.post(f"{edson}/nomear", data=sent).status_code == 303
    assert count(desk, Appointment) == 1
    user_id = int(edson.rsplit("/", 1)[1])
    with desk.store.reading() as session:
        assert not offices.may_decide(session, PORT, user_id, regime.CODE, steps.OFFICE, date(2026, 11, 30))
        assert offices.may_decide(session, PORT, user_id, regime.CODE, steps.OFFICE, date(2026, 12, 1))
    shown = page(boss.get(edson))
    assert "Capitão do Porto" in shown.text and "Substituto" in shown.text and "Portaria 12/2026" in shown.text
    address = shown.links()["Encerrar Capitão do Porto (Barcas)"]
    end = page(boss.get(address)).form(address)
    assert page(boss.post(address, data=end | {"until": "30/11/2026"}), 422).error_of("until")
    assert boss.post(address, data=end | {"until": "05/12/2026"}).status_code == 303
    with desk.store.reading() as session:
        assert offices.may_decide(session, PORT, user_id, regime.CODE, steps.OFFICE, date(2026, 12, 5))
        assert not offices.may_decide(session, PORT, user_id, regime.CODE, steps.OFFICE, date(2026, 12, 6))


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"place": ""}, "place"),
        ({"place": "barcas:rei"}, "place"),
        ({"since": "31/11/2026"}, "since"),
        ({"until": "30/11/2026"}, "until"),
        ({"act": ""}, "act"),
    ],
)
def test_a_wrong_appointment_keeps_what_was_typed(boss, page, desk, edson, typed, field: str) -> None:
    good = {"place": f"{regime.CODE}:{steps.OFFICE}", "since": "01/12/2026", "until": "", "act": "Portaria 12/2026"}
    sent = page(boss.get(edson)).form(f"{edson}/nomear") | good | typed
    shown = page(boss.post(f"{edson}/nomear", data=sent), 422)
    assert shown.error_of(field)
    kept = shown.form(f"{edson}/nomear")
    assert kept["act"] == sent["act"] and kept["since"] == sent["since"]
    assert count(desk, Appointment) == 0


@pytest.mark.parametrize("role", ["atendente", "vistoriador", "tesouraria", "analista", "diretor", "auditor"])
def test_only_the_administration_opens_users(client_as, page, token, desk, edson, role: str) -> None:
    client = client_as(role, authority=PORT)
    for address in ("/administracao/usuarios", NEW, edson):
        page(client.get(address), 403)
    page(client.post(f"{edson}/acesso", data={"csrf_token": token(client), "active": "nao"}), 403)
    assert named(desk, "edson.lira").active


def test_another_authority_s_users_do_not_exist(client_as, page, token, desk, edson) -> None:
    client = client_as("administrador", authority=OTHER)
    assert "Edson Lira" not in page(client.get("/administracao/usuarios")).text
    page(client.get(edson), 404)
    page(client.get(f"{edson}/link"), 404)
    for act in ("perfis", "link", "link/cancelar", "acesso", "nomear"):
        page(client.post(f"{edson}/{act}", data={"csrf_token": token(client), "active": "nao"}), 404)
    assert named(desk, "edson.lira").active


def test_the_plugins_and_who_uses_them(client_as, page) -> None:
    shown = page(client_as("auditor", authority=PORT).get("/administracao/modulos"))
    assert "ensaio" in shown.text and "Barcas de passageiros" in shown.text and "Carregado" in shown.text
    page(client_as("analista", authority=PORT).get("/administracao/modulos"), 403)
