"""The frame: headers, caches, pages and fragments, error pages, double clicks, stale edits."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest

from registry.web import htmx
from tests.web.checker import PageFault, read

HX = {"HX-Request": "true"}


def test_the_policy_lets_nothing_in_from_elsewhere(client_as) -> None:
    policy = client_as("analista").get("/inicio").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "frame-ancestors 'none'" in policy


def test_every_asset_of_a_page_is_local_and_there(client_as, page) -> None:
    client = client_as("analista")
    shown = page(client.get("/inicio"))
    found = [link.get("href") for link in shown.all(".//link")] + [
        script.get("src") for script in shown.all(".//script")
    ]
    assert len(found) >= 5
    for address in found:
        assert address.startswith("/static/")
        answer = client.get(address)
        assert answer.status_code == 200
        assert "max-age=31536000" in answer.headers["Cache-Control"]
        assert "immutable" in answer.headers["Cache-Control"]


def test_an_asset_without_its_digest_is_asked_for_again(visitor) -> None:
    answer = visitor.get("/static/css/registro.css")
    assert "31536000" not in answer.headers["Cache-Control"]
    assert "31536000" in visitor.get("/static/vendor/htmx-2.0.11/htmx.min.js").headers["Cache-Control"]


def test_style_sheets_ask_no_other_host(app) -> None:
    from pathlib import Path

    for path in (Path(app.static_folder) / "css").glob("*.css"):
        text = path.read_text(encoding="utf-8")
        for address in re.findall(r"url\(([^)]*)\)", text):
            assert (path.parent / address.strip("'\"")).resolve().is_file(), f"{path.name}: {address}"
        assert "@import" not in text


def test_htmx_may_not_evaluate_and_swaps_refusals(client_as, page) -> None:
    shown = page(client_as("analista").get("/inicio"))
    config = json.loads(next(m.get("content") for m in shown.all(".//meta") if m.get("name") == "htmx-config"))
    assert config["allowEval"] is False
    assert config["includeIndicatorStyles"] is False
    assert config["historyCacheSize"] == 0
    swaps = {each["code"]: each["swap"] for each in config["responseHandling"]}
    assert swaps["422"] and swaps["409"]


def test_staff_pages_are_kept_by_no_cache(client_as) -> None:
    assert client_as("analista").get("/inicio").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("headers", "fragment"),
    [
        ({}, False),
        (HX, True),
        (HX | {"HX-Boosted": "true"}, False),
        (HX | {"HX-History-Restore-Request": "true"}, False),
        ({"HX-Request": "false"}, False),
    ],
)
def test_one_place_decides_between_page_and_fragment(planted_app, client_as, page, headers, fragment: bool) -> None:
    answer = client_as("analista").get("/plantado/form", headers=headers)
    assert page(answer).is_fragment is fragment
    assert set(htmx.VARY) <= set(answer.vary)


def test_after_an_act_a_page_redirects_and_htmx_is_told(planted_app, client_as, page) -> None:
    client = client_as("analista")
    form = page(client.get("/plantado/form")).form("/plantado/form") | {"name": "x", "plate": "ABC1D23"}
    plain = client.post("/plantado/form", data=form)
    assert (plain.status_code, plain.location) == (303, "/plantado/form")
    told = client.post("/plantado/form", data=form, headers=HX)
    assert (told.status_code, told.headers["HX-Redirect"]) == (200, "/plantado/form")


def test_the_token_may_come_in_the_header(planted_app, client_as, page) -> None:
    client = client_as("analista")
    shown = page(client.get("/plantado/form"))
    token = json.loads(shown.one(".//body").get("hx-headers"))["X-CSRFToken"]
    typed = {"name": "x", "plate": "ABC1D23"}
    assert client.post("/plantado/form", data=typed).status_code == 400
    assert client.post("/plantado/form", data=typed, headers={"X-CSRFToken": token}).status_code == 303


def test_a_refused_form_keeps_what_was_typed(planted_app, client_as, page, seen) -> None:
    client = client_as("analista")
    form = page(client.get("/plantado/form")).form("/plantado/form")
    typed = {"name": "", "plate": "PEXIB23", "amount": "1467.35", "day": "31/02/2026", "seats": "0", "colour": "rosa"}
    for headers in ({}, HX):
        shown = page(client.post("/plantado/form", data=form | typed, headers=headers), 422)
        again = shown.form("/plantado/form")
        assert {name: again[name] for name in typed if name != "colour"} == {
            n: typed[n] for n in typed if n != "colour"
        }
        assert again["once_key"] == form["once_key"]
        assert shown.error_of("name") == "Digite o nome."
        assert "5ª" in shown.error_of("plate") or "4ª" in shown.error_of("plate")
        assert shown.error_of("amount").startswith("Você quis dizer 1.467,35?")
        assert shown.error_of("day") == "O dia 31/02 não existe."
        assert shown.error_of("seats") == "O número vai de 1 a 90."
        assert shown.error_of("colour") == "Escolha uma das opções da lista."
        assert "Corrija 6 campos" in shown.text
        focused = [e for e in shown.tree.iter() if e.get("autofocus") is not None]
        assert [e.get("id") for e in focused] == ["name"]
    assert "data" not in seen


def test_the_button_of_a_suggestion_takes_it(planted_app, client_as, page, seen) -> None:
    client = client_as("analista")
    form = page(client.get("/plantado/form")).form("/plantado/form") | {"name": "x", "plate": "PEXIB23"}
    shown = page(client.post("/plantado/form", data=form), 422)
    button = next(b for b in shown.all(".//button") if b.get("name") == "usar")
    assert client.post("/plantado/form", data=form | {"usar": button.get("value")}).status_code == 303
    assert seen["data"]["plate"] == "PEX1B23"


def test_the_once_key_belongs_to_its_user(planted_app, client_as, page, seen) -> None:
    keys = []
    for _ in range(2):
        client = client_as("analista")
        form = page(client.get("/plantado/form")).form("/plantado/form")
        client.post("/plantado/form", data=form | {"name": "x", "plate": "ABC1D23", "once_key": "a" * 32})
        keys.append(seen["occasion"].once_key)
    assert len(set(keys)) == 2
    assert all(0 < len(key) <= 64 for key in keys)


def test_the_occasion_says_who_when_and_for_whom(planted_app, someone, enter, page, seen, clock) -> None:
    user = someone("analista", authority="recife")
    client = enter(user)
    form = page(client.get("/plantado/form")).form("/plantado/form") | {"name": "x", "plate": "ABC1D23"}
    answer = client.post("/plantado/form", data=form)
    occasion = seen["occasion"]
    assert (occasion.actor, occasion.actor_id, occasion.authority) == (user.username, user.id, "recife")
    assert occasion.at == clock()
    assert occasion.trace_id == answer.headers["X-Request-ID"]


@pytest.mark.parametrize(
    ("kind", "status", "told"),
    [
        ("refused", 422, "O nome falta."),
        ("allowed", 403, "Só a Diretoria decide este requerimento."),
        ("missing", 404, "Talvez seja de outro órgão."),
        ("down", 503, "7F3A"),
        ("plugin", 503, "Nada foi gravado."),
        ("done", 200, "Já foi feito por Rita às 12h. Nada se repetiu."),
        ("taken", 409, "Jonas pegou este requerimento há 1 minuto."),
        ("crash", 500, "Nada foi gravado."),
        ("stale", 409, "Jonas Prado mudou este cadastro às 12h"),
    ],
)
def test_each_refusal_has_its_page_and_its_fragment(planted_app, client_as, page, token, kind, status, told) -> None:
    client = client_as("analista")
    data = {"csrf_token": token(client), "day": "03/01/2026", "amount": "2,00", "other": "fica"}
    whole = page(client.post(f"/plantado/recusa/{kind}", data=data), status)
    assert told in whole.text
    assert not whole.is_fragment
    part = client.post(f"/plantado/recusa/{kind}", data=data, headers=HX)
    assert page(part, status).is_fragment
    assert told in page(part, status).text
    assert part.headers["HX-Retarget"] == "#aviso"
    assert "segredo" not in whole.html + part.text
    assert "Traceback" not in whole.html + part.text


def test_a_crash_is_logged_without_what_was_typed(planted_app, client_as, token, capsys) -> None:
    from registry.app import configure_logs

    configure_logs()
    client = client_as("analista")
    client.post("/plantado/recusa/crash", data={"csrf_token": token(client), "name": "Ana Lima"})
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    crash = next(line for line in lines if line["event"] == "crashed")
    assert crash["error"] == "ZeroDivisionError"
    assert any("planted.py" in frame for frame in crash["frames"])
    written = json.dumps(lines)
    assert "segredo" not in written and "Ana Lima" not in written and "Marina" not in written


def test_a_stale_edit_shows_both_values_and_sends_the_choice(planted_app, client_as, page, token) -> None:
    client = client_as("analista")
    data = {"csrf_token": token(client), "day": "03/01/2026", "amount": "2,00", "other": "fica", "version": "6"}
    shown = page(client.post("/plantado/recusa/stale", data=data), 409)
    for value in ("02/01/2026", "03/01/2026", "04/01/2026", "Não informado", "Jonas às 12h"):
        assert value in shown.text
    again = shown.form("/plantado/recusa/stale")
    assert again["version"] == "7"
    assert again["other"] == "fica"
    mine = {e.get("value") for e in shown.all(".//input") if e.get("type") == "radio" and e.get("name") == "day"}
    assert mine == {"03/01/2026", "04/01/2026"}
    refused = page(client.post("/plantado/recusa/stale", data=again), 422)
    left = [field for field in ("day", "amount") if refused.error_of(field)]
    assert left and refused.form("/plantado/recusa/stale")["other"] == "fica"
    forged = again | {"conflito": "x.y"}
    page(client.post("/plantado/recusa/stale", data=forged), 409)


def test_a_stale_edit_that_differs_in_nothing_says_so_and_is_sent_again(planted_app, client_as, page, token) -> None:
    client = client_as("analista")
    data = {"csrf_token": token(client), "other": "fica", "version": "6"}
    shown = page(client.post("/plantado/recusa/same", data=data), 409)
    assert "Nenhum campo seu difere" in shown.text
    assert shown.all(".//table") == []
    again = shown.form("/plantado/recusa/same")
    assert (again["version"], again["other"]) == ("7", "fica")


def test_an_address_that_leads_nowhere_is_a_whole_page(visitor, client_as, page) -> None:
    assert "Não há nada neste endereço" in page(visitor.get("/nada/aqui"), 404).text
    staff = page(client_as("analista").get("/nada/aqui"), 404)
    assert staff.links()["Ir para o início"] == "/inicio"


def test_json_errors_are_problem_details(visitor) -> None:
    answer = visitor.get("/api/v1/nada")
    assert answer.status_code == 404
    assert answer.mimetype == "application/problem+json"
    assert answer.get_json()["status"] == 404


def test_a_body_that_is_too_big_is_413(planted_app, client_as, page, token, settings) -> None:
    client = client_as("analista")
    body = io.BytesIO(b"0" * (settings.upload_limit + 2 * 1024 * 1024))
    answer = client.post("/plantado/form", data={"csrf_token": token(client), "file": (body, "a.pdf")})
    assert "O limite é 20 MB" in page(answer, 413).text


def test_too_many_log_ins_wait(settings, shared_host, store_with_authorities, clock, page) -> None:
    from dataclasses import replace

    from registry.app import create_app

    strict = replace(settings, rates=replace(settings.rates, login="2 per minute"))
    client = create_app(strict, shared_host, store_with_authorities, clock).test_client()
    form = page(client.get("/entrar")).form("/entrar")
    codes = [client.post("/entrar", data=form).status_code for _ in range(3)]
    assert codes == [422, 422, 429]
    assert "Espere 30 segundos" in page(client.post("/entrar", data=form), 429).text


def test_the_shell_reads_little(planted_app, client_as, queries) -> None:
    client = client_as("analista")
    queries()
    assert client.get("/plantado/form").status_code == 200
    assert len(queries()) <= 2


@pytest.mark.parametrize(
    ("html", "told"),
    [
        ("<p id='a'></p><p id='a'></p>", "occurs 2 times"),
        ("<form method='post' action='/x'></form>", "csrf_token"),
        ("<form method='get'></form>", "without address"),
        ("<input name='a'>", "no label"),
        ("<p style='color:red'></p>", "inline"),
        ("<button onclick='x()'>a</button>", "inline"),
        ("<p><div></p>", "HTML"),
        ("<p>Ponto: None</p>", "«None»"),
        ("<label>Ponto <input name='a' value='None'></label>", "«None»"),
        ("<a href='/x'></a>", "unnamed link"),
        ("<label for='nada'>x</label>", "names no element"),
        ("<!doctype html><html lang='pt-BR'><title>x</title><main></main></html>", "0 h1"),
        ("<!doctype html><html lang='pt-BR'><title>x</title><main><h1>a</h1><h1>b</h1></main></html>", "2 h1"),
        ("<!doctype html><html lang='en'><title>x</title><main><h1>a</h1></main></html>", "lang"),
    ],
)
def test_the_checker_sees(html: str, told: str) -> None:
    with pytest.raises(PageFault, match=told):
        read(html)


def test_the_checker_passes_a_good_page() -> None:
    good: Any = read(
        "<!doctype html><html lang='pt-BR'><head><title>x</title></head><body><main><h1>a</h1></main></body></html>"
    )
    assert good.h1 == "a"
