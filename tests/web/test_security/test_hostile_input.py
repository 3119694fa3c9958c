"""Input that no form of ours sends: numbers too large, characters that no database keeps, addresses elsewhere."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from registry.store.permits import Onceness
from registry.store.vehicles import Restriction
from tests.web.conftest import NOON

HUGE = "9" * 30


def test_no_number_in_an_address_is_too_large_for_the_database(app, client_as, token):
    staff = client_as(*app.extensions["registry"].settings.roles)
    sent = {"csrf_token": token(staff), "version": "1"}
    tried = 0
    for rule in app.url_map.iter_rules():
        if not rule.arguments or rule.endpoint == "static":
            continue
        for number in (HUGE, "2147483648"):
            address = "/".join(number if part.startswith("<") else part for part in rule.rule.split("/"))
            for method in sorted(rule.methods & {"GET", "POST"}):
                response = staff.open(address, method=method, data=sent if method == "POST" else None)
                assert response.status_code in (404, 405, 422), f"{method} {address}: {response.status_code}"
                tried += 1
    assert tried > 60


@pytest.mark.parametrize("authority", ["emtu", "recife"])
def test_a_page_that_is_none_breaks_no_list(app, client_as, authority):
    """Whatever stands where a list has the number of its page: a page, or none (404), and never a fault."""
    staff = client_as(*app.extensions["registry"].settings.roles, authority=authority)
    lists = {rule.rule for rule in app.url_map.iter_rules() if "GET" in rule.methods and not rule.arguments}
    for path in sorted(lists - {"/sair"}):
        for typed in ("0", "x", HUGE):
            answer = staff.get(f"{path}?page={typed}&ordem={typed}&antes={typed}")
            assert answer.status_code in (200, 302, 303, 404), f"{path} {typed}: {answer.status_code}"


@pytest.mark.parametrize(
    "address",
    ["/consulta?placa=a%00b", "/entrar?volta=/%00", "/consulta?em=%00&placa=KGA1234", "/consulta?a%00=1"],
)
def test_a_character_that_no_database_keeps_is_refused_for_everyone(visitor, page, address):
    assert "caractere" in page(visitor.get(address), 400).text


@pytest.mark.parametrize("path", ["/busca", "/pessoas", "/veiculos", "/outorgas", "/requerimentos", "/pontos"])
def test_a_search_with_such_a_character_is_refused(client_as, page, path):
    assert "caractere" in page(client_as("analista").get(path, query_string={"q": "Ana\x00"}), 400).text


def test_a_form_with_such_a_character_saves_nothing(client_as, token, page, person):
    ana = person()
    staff = client_as("atendente")
    typed = {"csrf_token": token(staff), "version": "1", "name": "Ana\x00Lima"}
    page(staff.post(f"/pessoas/{ana}/alterar/identificacao", data=typed), 400)
    assert "Ana\x00" not in staff.get(f"/pessoas/{ana}").text


def test_the_log_in_takes_no_such_character(visitor, token, page):
    typed = {"csrf_token": token(visitor), "username": "ana\x00", "password": "uma senha comprida"}
    page(visitor.post("/entrar", data=typed), 400)


ELSEWHERE = [
    "//evil.example",
    "///evil.example",
    "////evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "https:evil.example",
    "https://evil.example/inicio",
    "http://localhost\\@evil.example/",
    "//localhost@evil.example/",
    "http://localhost//evil.example",
    "http://[",
    "http://[::1",
    "//[evil]/",
    "http://localhost:x/",
    "javascript:alert(1)",
    "data:text/html,x",
]


@pytest.mark.parametrize("address", ELSEWHERE)
def test_no_address_leads_elsewhere_after_log_in(client_as, address):
    response = client_as("atendente").get("/entrar", query_string={"volta": address})
    assert response.status_code == 303
    location = response.headers["Location"]
    assert location.startswith("/") and not location.startswith(("//", "/\\")), location


@pytest.mark.parametrize("address", ELSEWHERE)
@pytest.mark.parametrize("path", ["/pessoas/nova", "/veiculos/novo", "/indices/atos/novo"])
def test_no_form_keeps_an_address_elsewhere(client_as, page, settings, path, address):
    shown = page(client_as(*settings.roles).get(path, query_string={"volta": address}))
    assert "evil.example" not in shown.text.replace("/evil.example", "") and "javascript:alert" not in shown.text


@pytest.mark.parametrize("address", ELSEWHERE)
def test_no_form_leads_elsewhere_once_it_is_saved(client_as, token, settings, address):
    staff = client_as(*settings.roles)
    sent = {"csrf_token": token(staff), "kind": "portaria", "number": "1/2026", "day": "30/11/2026", "volta": address}
    answer = staff.post("/indices/atos/novo", data=sent)
    assert answer.status_code == 303
    assert answer.headers["Location"].startswith("/") and not answer.headers["Location"].startswith(("//", "/\\"))


def test_a_fragment_leads_to_an_address_that_a_header_can_hold(visitor, token, someone):
    from tests.web.conftest import PASSWORD

    ana = someone("atendente")
    typed = {
        "username": ana.username,
        "password": PASSWORD,
        "back": "/busca?q=João日本\x0b",
        "csrf_token": token(visitor),
    }
    response = visitor.post("/entrar", data=typed, headers={"HX-Request": "true"})
    assert response.headers["HX-Redirect"] == "/busca?q=Jo%C3%A3o%E6%97%A5%E6%9C%AC%0B"


@pytest.mark.parametrize("typed", ["01/01/0001", "31/12/9999", "31/12/1799", "01/01/3000", "٠١/٠١/٢٠٢٦", "31/02/2026"])
@pytest.mark.parametrize(
    ("path", "name"),
    [("/vistorias", "dia"), ("/tesouraria/caixa", "dia"), ("/consulta?placa=KGA1234", "em")],
)
def test_a_day_that_no_calendar_counts_is_no_crash(client_as, path, name, typed):
    staff = client_as("analista", "tesouraria")
    path, _, query = path.partition("?")
    shown = staff.get(path, query_string=f"{query}&{name}={typed}")
    assert shown.status_code in (200, 422), shown.status_code


@pytest.mark.parametrize("typed", ["01/01/0001", "31/12/9999"])
def test_no_inspection_is_booked_on_a_day_that_no_calendar_counts(client_as, token, page, typed, work):
    staff = client_as("analista")
    sent = {"csrf_token": token(staff), "day": typed, "hour": "09:00", "place": "Pátio"}
    page(staff.post(f"/vistorias/marcar/{work()}", data=sent), 422)


@pytest.mark.parametrize("typed", ["0001-01-01", "9999-12-31", "2026-W01-1", "20260101", "2026-02-31"])
def test_the_json_answer_reads_days_as_documented(visitor, typed):
    assert visitor.get("/api/v1/vehicles/KGA1234", query_string={"em": typed}).status_code == 422


def test_the_json_answer_reads_a_past_day(visitor):
    assert NOON.year == 2026
    assert visitor.get("/api/v1/vehicles/KGA1234", query_string={"em": "2026-11-29"}).status_code == 404


def test_a_key_that_comes_again_for_another_record_acts_there(app, client_as, token, vehicle):
    """Else the second act would be answered with the first one's result and not be done."""
    staff = client_as("diretor")
    sent = {
        "csrf_token": token(staff),
        "once_key": "a" * 32,
        "kind": "suspension",
        "since": "30/11/2026",
        "reason": "x",
    }
    first, second = vehicle("RZT6B18"), vehicle("KKX2E41")
    for each in (first, second, second):
        assert staff.post(f"/veiculos/{each}/restringir", data=sent).status_code == 303
    with app.extensions["registry"].store.reading() as session:
        assert sorted(session.scalars(select(Restriction.vehicle_id))) == [first, second]


def test_a_key_that_comes_again_for_another_act_is_told(app, client_as, token, page):
    """As one forges it: a form's own key serves its one act."""
    staff = client_as("diretor", "administrador", "analista")
    sent = {"csrf_token": token(staff), "once_key": "a" * 32, "kind": "portaria", "number": "1/2026"}
    assert staff.post("/indices/atos/novo", data=sent | {"day": "30/11/2026"}).status_code == 303
    with app.extensions["registry"].store.writing() as session:
        session.execute(update(Onceness).values(act="act.other"))
    told = page(staff.post("/indices/atos/novo", data=sent | {"day": "30/11/2026", "number": "2/2026"}), 409)
    assert "já foi usado" in told.text
