"""What the registry gives away: files, tables for spreadsheets, logs, headers, and what the public may not see."""

from __future__ import annotations

import csv
import io
from threading import Thread
from urllib.request import urlopen

import pytest
from werkzeug.serving import make_server

from registry.app import configure_logs
from registry.cli.serve import quiet_handler
from registry.domain.spreadsheet import safe
from registry.store.permits import Permit
from registry.web.edge import EXTENSION
from tests.web.conftest import NOON, PASSWORD, TODAY
from tests.web.records import ANA, CHARTER, Records

FORMULAS = [
    "=HYPERLINK(1)",
    "+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "＝1",
    "|calc",
    "-",
    "-30,00+1",
    "-30,00=1",
]


@pytest.mark.parametrize("cell", FORMULAS)
def test_no_cell_of_a_table_is_a_formula(cell):
    assert safe(cell).startswith("'")


@pytest.mark.parametrize(
    "cell", ["-30,00", "-1.234,56", "1.234,56", "30/11/2026", "Ana Lima", "KGA-1234", "", "Ana = Lima"]
)
def test_amounts_and_plain_cells_stay_as_they_are(cell):
    assert safe(cell) == cell


@pytest.mark.parametrize(
    "path", ["/inicio/planilha.csv?fila=todos", "/inicio/planilha.csv?fila=prontos", "/requerimentos/planilha.csv"]
)
def test_the_exported_names_open_as_text(app, add, client_as, work, path):
    evil = Records(app).person(name='=HYPERLINK("http://evil.example","x");DDE')
    work(applicant_id=evil, shown="pronto")
    sent = client_as("analista", "diretor").get(path)
    if sent.status_code == 404:
        pytest.skip("this list has no table")
    rows = list(csv.reader(io.StringIO(sent.text.removeprefix("\ufeff")), delimiter=";"))
    assert any("HYPERLINK" in cell for row in rows for cell in row)
    assert not [cell for row in rows for cell in row if cell[:1] in "=+@\t\r" and cell]
    assert sent.headers["Content-Disposition"].startswith("attachment")
    assert "no-store" in sent.headers["Cache-Control"]


def test_the_log_says_nothing_of_people(app, client_as, visitor, capsys, token, someone):
    configure_logs()
    Records(app).person()
    staff = client_as("analista")
    ana = someone("atendente", name="Zulmira Paiva")
    for path in (
        "/busca?q=Ana+Lima",
        f"/busca?q={ANA}",
        "/pessoas/1",
        f"/requerimentos/novo?document={ANA}",
        "/busca?q=%00",
    ):
        staff.get(path)
    staff.post("/pessoas/nova", data={"csrf_token": token(staff), "document": "52998224725", "name": "Ivo Melo"})
    visitor.get("/consulta?placa=KGA1234")
    visitor.post("/entrar", data={"username": ana.username, "password": PASSWORD, "csrf_token": token(visitor)})
    told = capsys.readouterr()
    log = told.out + told.err
    assert '"event": "request"' in log
    for personal in ("Ana", "Lima", ANA, "52998224725", "Ivo", "KGA1234", PASSWORD, ana.username, "Zulmira"):
        assert personal not in log, personal


def test_the_demonstrations_server_writes_no_addresses(app, capfd, caplog):
    server = make_server("127.0.0.1", 0, app, request_handler=quiet_handler())
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        urlopen(f"http://127.0.0.1:{server.server_port}/consulta?placa=ABC1D23").read()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    told = capfd.readouterr()
    assert "ABC1D23" not in told.out + told.err + caplog.text


SECRET = ("Ana Lima", "Ana", "023.456.781-35", ANA, "Jonas", "(81)", "@exemplo")


@pytest.mark.parametrize(
    "address", ["/consulta?placa=RZT6B18", "/api/v1/vehicles/RZT6B18", "/consulta?placa=RZT6B18&em=29/11/2026"]
)
@pytest.mark.parametrize("authority", ["emtu", "recife"])
def test_the_public_learns_nothing_of_a_natural_person(app, visitor, authority, address):
    records = Records(app, authority)
    records.permit(records.person(phone="(81) 99999-0000", email="ana@exemplo.com.br"), records.vehicle())
    shown = visitor.get(address)
    assert shown.status_code == 200
    for secret in SECRET:
        assert secret not in shown.text, secret


def test_staff_and_public_share_no_cached_answer(app, client_as, visitor):
    records = Records(app)
    records.permit(records.person(), records.vehicle())
    public, inside = visitor.get("/consulta?placa=RZT6B18"), client_as("analista").get("/consulta?placa=RZT6B18")
    assert "ETag" in public.headers and "ETag" not in inside.headers
    assert inside.headers["Cache-Control"] == "no-store"
    again = client_as("analista").get("/consulta?placa=RZT6B18", headers={"If-None-Match": public.headers["ETag"]})
    assert again.status_code == 200
    assert visitor.get("/consulta?placa=RZT6B18", headers={"If-None-Match": public.headers["ETag"]}).status_code == 304


def test_the_tag_changes_at_the_authoritys_midnight_and_when_the_answer_does(app, visitor, clock, add):
    records = Records(app)
    records.permit(records.person(), records.vehicle())
    clock.at = NOON.replace(hour=2, minute=30, day=30)  # 23:30 of the 29th in Recife
    late = visitor.get("/consulta?placa=RZT6B18").headers["ETag"]
    clock.ahead(minutes=29)
    assert visitor.get("/consulta?placa=RZT6B18").headers["ETag"] == late
    clock.ahead(minutes=1)
    assert visitor.get("/consulta?placa=RZT6B18").headers["ETag"] != late


@pytest.mark.parametrize(
    "path", ["/consulta", "/entrar", "/consulta?placa=RZT6B18", "/api/v1/vehicles/RZT6B18", "/nada", "/leituras"]
)
def test_every_answer_carries_the_headers_and_sets_no_cookie_for_the_public(visitor, path):
    got = visitor.get(path)
    assert got.headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in got.headers["Content-Security-Policy"]
    assert "unsafe" not in got.headers["Content-Security-Policy"]
    assert "Server" not in got.headers and "X-Powered-By" not in got.headers
    if path != "/entrar":
        assert "Set-Cookie" not in got.headers


def test_a_permit_of_a_regime_says_its_day_until_midnight_in_the_authoritys_zone(app, visitor, clock):
    records = Records(app)
    permit = records.permit(records.person(), records.vehicle())
    assert app.extensions[EXTENSION].host.regimes[CHARTER] and permit and Permit and TODAY
    clock.at = NOON.replace(year=2027, month=1, day=10, hour=2, minute=30)  # 23:30 of 9 January, the last day
    assert visitor.get("/api/v1/vehicles/RZT6B18").json["as_of"].startswith("2027-01-09T23:30")
    reasons = visitor.get("/api/v1/vehicles/RZT6B18").json["authorizations"][0]["reasons"]
    clock.ahead(minutes=30)
    after = visitor.get("/api/v1/vehicles/RZT6B18").json["authorizations"][0]
    assert after["authorized"] is False and after["reasons"] != reasons
