"""Links by which people choose their password: shown once, work once, and tell nobody else anything."""

from __future__ import annotations

import re
from typing import Any

import pytest

from registry.app import configure_logs
from tests.factories import PORT
from tests.web import boats
from tests.web.conftest import MOST_QUERIES

settings, host, desk, jonas = boats.settings, boats.host, boats.desk, boats.jonas
NEW = "/administracao/usuarios/novo"
TYPED = {"name": "Edson Lira", "username": "edson.lira", "roles": ["vistoriador"]}
PASSWORD = "uma senha comprida"
CHOSEN = {"password": PASSWORD, "again": PASSWORD}
UNUSABLE = "Este link não vale mais"


@pytest.fixture
def boss(client_as: Any) -> Any:
    return client_as("administrador", authority=PORT, name="Olga Reis")


def link_in(shown: Any) -> str:
    found = re.search(r"/convite/[A-Za-z0-9_-]+", shown.html)
    return found.group() if found else ""


@pytest.fixture
def invited(boss: Any, page: Any) -> tuple[str, str]:
    """The page of an invited user and the link."""
    sent = boss.post(NEW, data=page(boss.get(NEW)).form(NEW) | TYPED)
    return sent.location.removesuffix("/link"), link_in(page(boss.get(sent.location)))


def choose(page: Any, client: Any, link: str, **typed: str) -> Any:
    return client.post(link, data=page(client.get(link)).form(link) | CHOSEN | typed)


def renew(page: Any, boss: Any, user: str) -> str:
    sent = boss.post(f"{user}/link", data=page(boss.get(user)).form(f"{user}/link"))
    return link_in(page(boss.get(sent.location)))


def log_in(page: Any, client: Any, password: str = PASSWORD) -> int:
    form = page(client.get("/entrar")).form("/entrar")
    return int(client.post("/entrar", data=form | {"username": "edson.lira", "password": password}).status_code)


def test_the_invited_choose_a_password_and_get_in(invited, page, visitor) -> None:
    _, link = invited
    shown = page(visitor.get(link))
    assert "Edson Lira" in shown.text and "edson.lira" in shown.text and "03/12/2026, 12h" in shown.text
    done = choose(page, visitor, link)
    assert done.status_code == 303 and "convite" not in done.location
    assert "Senha gravada." in page(visitor.get(done.location)).text
    assert log_in(page, visitor) == 303


def test_the_link_is_shown_once(boss, page, invited) -> None:
    user, link = invited
    again = page(boss.get(f"{user}/link"))
    assert link and not link_in(again) and "aparece uma vez só" in again.text
    assert not link_in(page(boss.get(user)))


def test_a_second_click_on_invite_makes_no_second_link(boss, page, visitor) -> None:
    sent = page(boss.get(NEW)).form(NEW) | TYPED
    first = boss.post(NEW, data=sent)
    link = link_in(page(boss.get(first.location)))
    second = boss.post(NEW, data=sent)
    assert first.location == second.location and not link_in(page(boss.get(second.location)))
    page(visitor.get(link))


def test_opening_the_link_uses_nothing_up_and_using_it_does(invited, page, visitor, app) -> None:
    _, link = invited
    for _ in range(3):
        page(app.test_client().get(link))
    choose(page, visitor, link)
    assert UNUSABLE in page(visitor.get(link), 404).text


@pytest.mark.parametrize("why", ["used", "expired", "cancelled", "replaced", "closed", "unknown"])
def test_a_link_that_no_longer_holds_gives_one_calm_sentence(invited, page, visitor, boss, clock, why: str) -> None:
    user, link = invited
    token = page(visitor.get(link)).form(link)
    if why == "used":
        choose(page, visitor, link)
    elif why == "expired":
        clock.ahead(hours=72)
    elif why == "cancelled":
        boss.post(f"{user}/link/cancelar", data=page(boss.get(user)).form(f"{user}/link/cancelar"))
    elif why == "replaced":
        page(visitor.get(renew(page, boss, user)))
    elif why == "closed":
        boss.post(f"{user}/acesso", data=page(boss.get(user)).form(f"{user}/acesso"))
    else:
        link = "/convite/" + "x" * 43
    for answer in (visitor.get(link), visitor.post(link, data=token | CHOSEN)):
        shown = page(answer, 404)
        assert shown.h1 == UNUSABLE and "Peça outro a quem administra o sistema no seu órgão." in shown.text
        assert "Edson" not in shown.text


def test_a_link_holds_until_its_last_minute(invited, page, visitor, clock) -> None:
    clock.ahead(hours=71, minutes=59)
    assert choose(page, visitor, invited[1]).status_code == 303


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"password": "curta", "again": "curta"}, "password"),
        ({"password": "", "again": ""}, "password"),
        ({"again": "uma senha comprido"}, "again"),
        ({"password": "edson.lira 2026!", "again": "edson.lira 2026!"}, "password"),
    ],
)
def test_a_password_that_will_not_do_leaves_the_link(invited, page, visitor, typed, field: str) -> None:
    _, link = invited
    shown = page(choose(page, visitor, link, **typed), 422)
    assert shown.error_of(field) and shown.form(link)["password"] == ""
    assert choose(page, visitor, link).status_code == 303


def test_a_new_password_by_link_ends_older_sessions_and_opens_the_lock(invited, page, visitor, boss, app, desk) -> None:
    user, link = invited
    choose(page, visitor, link)
    assert log_in(page, visitor) == 303
    other = app.test_client()
    for _ in range(desk.settings.session.lock_after):
        log_in(page, other, "errada")
    fresh = renew(page, boss, user)
    assert visitor.get("/inicio").status_code == 200, "the old password holds until the link is used"
    new = {"password": "outra senha comprida", "again": "outra senha comprida"}
    choose(page, other, fresh, **new)
    assert visitor.get("/inicio").status_code == 303
    assert log_in(page, other) == 422
    assert log_in(page, other, new["password"]) == 303


def test_whoever_has_chosen_no_password_cannot_log_in(invited, page, visitor) -> None:
    for guess in ("", "!", "ninguém", PASSWORD):
        assert log_in(page, visitor, guess) == 422


def test_the_list_and_the_page_say_who_has_been_invited(boss, page, invited, queries) -> None:
    user, _ = invited
    assert "Convidado" in page(boss.get("/administracao/usuarios")).text
    assert "Convidado" in page(boss.get(user)).text
    queries()
    boss.get(user)
    assert len(queries()) <= MOST_QUERIES


def test_the_link_is_neither_logged_cached_nor_told_to_others(invited, page, visitor, boss, capsys, app) -> None:
    user, link = invited
    configure_logs()
    fresh = renew(page, boss, user)
    for address in (link, fresh):
        answer = visitor.get(address)
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Referrer-Policy"] == "strict-origin"
        assert answer.headers["X-Robots-Tag"] == "noindex"
    without = visitor.post(fresh, data=CHOSEN)
    assert without.status_code == 400 and without.headers["Referrer-Policy"] == "strict-origin"
    choose(page, visitor, fresh)
    told = capsys.readouterr()
    assert '"endpoint": "login.choose"' in told.out + told.err
    for secret in (link, fresh):
        assert secret.removeprefix("/convite/") not in told.out + told.err


def test_over_https_the_form_is_taken_though_the_referrer_tells_the_host_alone(invited, page, visitor) -> None:
    _, link = invited
    sent = page(visitor.get(link, base_url="https://registro.example")).form(link) | CHOSEN
    host = {"Referer": "https://registro.example/"}
    elsewhere = visitor.post(
        link, data=sent, base_url="https://registro.example", headers={"Referer": "https://mau.example/"}
    )
    assert elsewhere.status_code == 400
    assert visitor.post(link, data=sent, base_url="https://registro.example", headers=host).status_code == 303


def test_guessing_is_limited(app, visitor, settings) -> None:
    most = int(settings.rates.login.split()[0])
    answers = [visitor.get(f"/convite/{number}").status_code for number in range(most + 1)]
    assert answers[-1] == 429 and set(answers[:-1]) == {404}


def test_the_link_begins_with_the_configured_address(app, invited, boss, page) -> None:
    from dataclasses import replace

    from registry.web.edge import EXTENSION

    made = app.extensions[EXTENSION]
    app.extensions[EXTENSION] = replace(made, settings=replace(made.settings, site="https://registro.example"))
    user, _ = invited
    sent = boss.post(f"{user}/link", data=page(boss.get(user)).form(f"{user}/link"))
    shown = page(boss.get(sent.location))
    assert shown.one(".//input[@id='endereco']").get("value", "").startswith("https://registro.example/convite/")
