"""Log-in: who gets in, where they land, how a session ends, and that nothing typed is lost by it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.conftest import PASSWORD


def sent(page: Any, client: Any, **typed: str) -> dict[str, str]:
    return page(client.get("/entrar", query_string=typed.pop("query", None))).form("/entrar") | typed


def test_the_form_leads_in_and_home(app, someone, visitor, page) -> None:
    user = someone("analista")
    answer = visitor.post("/entrar", data=sent(page, visitor, username=user.username, password=PASSWORD))
    assert answer.status_code == 303
    assert answer.location == "/inicio"
    assert "Marina" in page(visitor.get("/inicio")).h1


@pytest.mark.parametrize("volta", ["/busca?q=ana+lima&em=pessoas", "/inicio"])
def test_it_leads_back_where_one_was_going(someone, visitor, page, volta: str) -> None:
    user = someone("analista")
    asked = visitor.get(volta)
    assert asked.status_code == 303
    form = page(visitor.get(asked.location)).form("/entrar")
    answer = visitor.post("/entrar", data=form | {"username": user.username, "password": PASSWORD})
    assert answer.location == volta


@pytest.mark.parametrize(
    "elsewhere",
    ["https://mau.example/x", "//mau.example/x", "/\\mau.example", "javascript:alert(1)", "\\\\mau.example"],
)
def test_it_never_leads_out_of_the_registry(someone, visitor, page, elsewhere: str) -> None:
    user = someone("analista")
    form = sent(page, visitor, username=user.username, password=PASSWORD, back=elsewhere)
    assert visitor.post("/entrar", data=form).location == "/inicio"


def test_unknown_user_and_wrong_password_read_alike(someone, visitor, page) -> None:
    user = someone("analista")
    texts = set()
    for username, password in ((user.username, "errada"), ("ninguem", PASSWORD)):
        shown = page(visitor.post("/entrar", data=sent(page, visitor, username=username, password=password)), 422)
        texts.add(words_of_fault(shown))
        assert shown.form("/entrar")["username"] == username
        assert shown.form("/entrar")["password"] == ""
    assert len(texts) == 1
    assert "não conferem" in texts.pop()


def words_of_fault(shown: Any) -> str:
    return next(" ".join(p.itertext()) for p in shown.all(".//p[@class='msg-t']"))


def test_empty_fields_each_get_their_sentence(visitor, page) -> None:
    shown = page(visitor.post("/entrar", data=sent(page, visitor)), 422)
    assert shown.error_of("username") == "Digite seu usuário."
    assert shown.error_of("password") == "Digite sua senha."
    assert "Corrija 2 campos" in shown.text
    assert shown.title.startswith("Erro: ")


def test_the_lock_says_until_when_and_ends_then(app, settings, someone, visitor, page, clock) -> None:
    user = someone("analista")
    for _ in range(settings.session.lock_after):
        shown = page(visitor.post("/entrar", data=sent(page, visitor, username=user.username, password="x")), 422)
    assert "12h15" in shown.text
    right = {"username": user.username, "password": PASSWORD}
    assert "12h15" in page(visitor.post("/entrar", data=sent(page, visitor, **right)), 422).text
    clock.ahead(minutes=settings.session.lock_minutes)
    assert visitor.post("/entrar", data=sent(page, visitor, **right)).status_code == 303


def test_without_the_token_nobody_gets_in(someone, visitor) -> None:
    user = someone("analista")
    assert visitor.post("/entrar", data={"username": user.username, "password": PASSWORD}).status_code == 400
    assert visitor.get("/inicio").status_code == 303


def test_leaving_ends_the_session_and_needs_a_post(client_as, page) -> None:
    client = client_as("analista")
    form = page(client.get("/inicio")).form("/sair")
    assert client.get("/sair").status_code == 405
    answer = client.post("/sair", data=form)
    assert answer.status_code == 303
    assert client.get("/inicio").status_code == 303


def test_leaving_ends_a_copied_cookie_too(someone, enter, page) -> None:
    user = someone("analista")
    client, copied = enter(user), enter(user)
    assert copied.get("/inicio").status_code == 200
    client.post("/sair", data=page(client.get("/inicio")).form("/sair"))
    assert copied.get("/inicio").status_code == 303


@pytest.mark.parametrize(("minutes", "status"), [(59, 200), (60, 200), (61, 303)])
def test_an_idle_session_ends_after_its_minutes(client_as, clock, minutes: int, status: int) -> None:
    client = client_as("analista")
    clock.ahead(minutes=minutes)
    assert client.get("/inicio").status_code == status


def test_each_click_begins_the_idle_time_anew(client_as, clock) -> None:
    client = client_as("analista")
    for _ in range(4):
        clock.ahead(minutes=45)
        assert client.get("/inicio").status_code == 200


def test_a_new_password_ends_older_sessions(app, someone, enter) -> None:
    user = someone("analista")
    client = enter(user)
    assert client.get("/inicio").status_code == 200
    from registry.store.access import User
    from registry.web.edge import EXTENSION

    with app.extensions[EXTENSION].store.writing() as session:
        session.get(User, user.id).session_epoch += 1
    assert client.get("/inicio").status_code == 303


def test_what_was_typed_survives_the_end_of_a_session(planted_app, seen, someone, enter, page, clock) -> None:
    user = someone("analista")
    client = enter(user)
    form = page(client.get("/plantado/form")).form("/plantado/form")
    clock.ahead(minutes=61)
    asked = page(client.post("/plantado/form", data=form | {"name": "José «d'Ávila»\nFilho", "plate": "abc1d23"}), 401)
    assert "o que você digitou está guardado" in asked.text
    login = asked.form("/entrar") | {"username": user.username, "password": PASSWORD}
    resumed = page(client.post("/entrar", data=login))
    kept = resumed.form("/plantado/form")
    assert kept["name"].split() == ["José", "«d'Ávila»", "Filho"]
    assert "data" not in seen
    assert client.post("/plantado/form", data=kept).status_code == 303
    assert seen["data"]["plate"] == "ABC1D23"


def test_another_user_does_not_get_the_draft(planted_app, someone, enter, page, clock) -> None:
    first, second = someone("analista"), someone("analista", name="Jonas Prado")
    client = enter(first)
    form = page(client.get("/plantado/form")).form("/plantado/form")
    clock.ahead(minutes=61)
    asked = page(client.post("/plantado/form", data=form | {"name": "Segredo", "plate": "ABC1D23"}), 401)
    answer = client.post("/entrar", data=asked.form("/entrar") | {"username": second.username, "password": PASSWORD})
    assert answer.status_code == 303
    assert "Segredo" not in answer.text


def test_a_draft_that_was_tampered_with_is_dropped(planted_app, someone, enter, page, clock) -> None:
    user = someone("analista")
    client = enter(user)
    form = page(client.get("/plantado/form")).form("/plantado/form")
    clock.ahead(minutes=61)
    login = page(client.post("/plantado/form", data=form | {"name": "x"}), 401).form("/entrar")
    login["draft"] = login["draft"][:-2] + "AA"
    answer = client.post("/entrar", data=login | {"username": user.username, "password": PASSWORD})
    assert answer.status_code == 303


def test_htmx_leaves_the_page_as_it_is_when_the_session_ended(client_as, clock, page) -> None:
    client = client_as("analista")
    clock.ahead(minutes=61)
    answer = client.get("/busca/sugestoes?q=ana", headers={"HX-Request": "true"})
    shown = page(answer, 401)
    assert shown.is_fragment
    assert answer.headers["HX-Retarget"] == "#aviso"
    assert "Sua sessão terminou" in shown.text


def test_the_cookie_has_its_flags(app, settings, someone, visitor, page) -> None:
    user = someone("analista")
    answer = visitor.post("/entrar", data=sent(page, visitor, username=user.username, password=PASSWORD))
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


@pytest.mark.parametrize("token", ["", "x.y.z", None])
def test_a_form_without_the_sessions_token_leaves_no_draft(client_as, page, clock, token) -> None:
    client = client_as("analista")
    clock.ahead(minutes=61)
    sent = {"name": "Forjado"} | ({} if token is None else {"csrf_token": token})
    asked = page(client.post("/requerimentos/1/pegar", data=sent), 401)
    assert "draft" not in asked.form("/entrar")
    assert "está guardado" not in asked.text
