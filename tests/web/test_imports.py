"""The importer on screen: what a file would do, everything or nothing, how far it is, and taking it back."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from registry.jobs import Jobs
from registry.store.imports import ImportRun
from registry.store.vehicles import Vehicle
from registry.web.edge import EXTENSION
from tests.web.conftest import MOST_QUERIES

HX = {"HX-Request": "true"}
GOOD = "prefixo;placa;marca;modelo;ano\n0101;RZT6B18;CHEVROLET;SPIN;2024\n0102;PGT4H87;FIAT;CRONOS;2023\n"
BAD = GOOD + "0103;PEXIB23;FIAT;CRONOS;2023\n"


@pytest.fixture
def clerk(client_as: Callable[..., FlaskClient]) -> FlaskClient:
    """The administrator of the city."""
    return client_as("administrador", authority="recife")


@pytest.fixture
def send(clerk: FlaskClient, page: Callable[..., Any]) -> Callable[..., str]:
    """Sends a file; answers the address of its import."""

    def make(text: str = GOOD, what: str = "vehicles:taxi_recife", name: str = "frota.csv") -> str:
        given = page(clerk.get("/importar")).form("/importar")
        file = (io.BytesIO(text.encode()), name)
        answer = clerk.post("/importar", data={**given, "what": what, "file": file})
        assert answer.status_code == 303, answer.text
        return str(answer.headers["Location"]).partition("#")[0]

    return make


@pytest.fixture
def vehicles(app: Flask) -> Callable[[], int]:
    """How many live vehicles there are."""

    def count() -> int:
        with app.extensions[EXTENSION].store.reading() as session:
            query = select(func.count()).select_from(Vehicle).where(Vehicle.ended_at.is_(None))
            return int(session.scalar(query) or 0)

    return count


@pytest.fixture
def work(app: Flask) -> Callable[[], int]:
    """What the worker does."""
    made = Jobs(app.extensions[EXTENSION].desk, app.extensions[EXTENSION].clock)
    return made.work_off


def post(clerk: FlaskClient, page: Callable[..., Any], address: str, act: str, **changes: Any) -> Any:
    """Sends one of the forms of an import's page."""
    given = page(clerk.get(address)).form(f"{address}/{act}")
    return clerk.post(f"{address}/{act}", data={**given, **changes})


def test_a_file_is_seen_written_and_taken_back(clerk, page, send, vehicles, work) -> None:
    address = send()
    shown = page(clerk.get(address))
    assert "Para gravar: 2 veículos novos, 2 outorgas novas" in shown.text
    assert vehicles() == 0

    assert post(clerk, page, address, "gravar").status_code == 303
    waiting = clerk.get(address).text
    assert "Na fila" in waiting
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in waiting
    assert vehicles() == 0

    assert work() == 1
    done = page(clerk.get(address))
    assert "Gravada" in done.text
    assert "2 veículos novos" in done.text
    assert vehicles() == 2

    form = page(clerk.get(f"{address}/desfazer")).form(f"{address}/desfazer")
    assert clerk.post(f"{address}/desfazer", data={**form, "reason": ""}).status_code == 422
    assert vehicles() == 2
    assert clerk.post(f"{address}/desfazer", data={**form, "reason": "Arquivo errado"}).status_code == 303
    assert vehicles() == 0
    assert "Arquivo errado" in page(clerk.get(address)).text
    assert clerk.post(f"{address}/desfazer", data={**form, "reason": "De novo"}).status_code == 303


def test_the_first_rows_are_shown_with_days_as_one_reads_them(clerk, page, send) -> None:
    head = "numero_permissao;nome_permissionario;cpf_permissionario;data_criacao"
    text = f"{head}\n0101;Ana Lima;023.456.781-35;05/06/2010\n"
    shown = page(clerk.get(send(text, "permits:taxi_recife", "permissionarios.csv"))).text
    assert "05/06/2010" in shown and "2010-06-05" not in shown


def test_the_same_file_again_changes_nothing(clerk, page, send, work) -> None:
    post(clerk, page, send(), "gravar")
    work()
    again = page(clerk.get(send()))
    assert "Nada mudaria" in again.text
    assert "Gravar tudo" not in again.text


def test_an_error_stops_everything_and_leaves_as_a_table(clerk, page, send, vehicles, work) -> None:
    address = send(BAD)
    shown = page(clerk.get(address))
    assert "Ainda não dá para gravar" in shown.text
    assert "PEXIB23" in shown.text
    assert "B4" in shown.text
    assert not [form for form in shown.all(".//form") if form.get("action") == f"{address}/gravar"]
    table = clerk.get(f"{address}/erros.csv")
    assert table.mimetype == "text/csv"
    assert "PEXIB23" in table.text
    # by hand, past the page
    given = shown.form(f"{address}/escolhas")
    assert clerk.post(f"{address}/gravar", data=given).status_code == 303
    assert work() == 0
    assert vehicles() == 0


def test_what_the_clerk_decides_is_kept_and_changes_the_effect(clerk, page, send) -> None:
    address = send(BAD)
    assert post(clerk, page, address, "escolhas", skip="4").status_code == 303
    shown = page(clerk.get(address))
    assert "Para gravar: 2 veículos novos" in shown.text
    assert shown.form(f"{address}/escolhas")["skip"] == "4"


def test_a_line_number_that_is_none_is_said_beside_the_field(clerk, page, send) -> None:
    address = send()
    shown = page(post(clerk, page, address, "escolhas", skip="quatro"), 422)
    assert shown.error_of("skip") == "Digite só números de linha, como 9 12."
    assert shown.form(f"{address}/escolhas")["skip"] == "quatro"


def test_a_doubtful_value_waits_for_the_clerks_word(clerk, page, send) -> None:
    header = "permissão;nome;cpf;cnh;placa\n"
    address = send(header + "0005;Francisca Leite;02345678135;90000003321;PEZ0O00\n", "permits:taxi_recife")
    shown = page(clerk.get(address))
    assert "Ainda não dá para gravar" in shown.text
    (cell,) = [box.get("value") for box in shown.all(".//input") if box.get("name") == "confirm"]
    assert post(clerk, page, address, "escolhas", confirm=cell).status_code == 303
    assert "Para gravar" in page(clerk.get(address)).text


@pytest.mark.parametrize(
    ("text", "what", "says"),
    [
        ("", "vehicles:taxi_recife", ""),
        ("nada\n1\n", "vehicles:taxi_recife", ""),
        (GOOD, "vehicles:fretamento_rmr", "Escolha uma das opções da lista."),
        (GOOD, "", "Escolha o que o arquivo traz."),
        ("PK\x03\x04 no workbook", "vehicles:taxi_recife", ""),
    ],
)
def test_a_file_that_cannot_be_read_opens_no_import(app, clerk, page, text: str, what: str, says: str) -> None:
    given = page(clerk.get("/importar")).form("/importar")
    answer = clerk.post("/importar", data={**given, "what": what, "file": (io.BytesIO(text.encode()), "x.csv")})
    shown = page(answer, 422)
    assert says in shown.text
    assert "Traceback" not in shown.text
    with app.extensions[EXTENSION].store.reading() as session:
        assert session.scalar(select(func.count()).select_from(ImportRun)) == 0


def test_a_fragment_tells_how_far_it_is_and_leads_on_when_done(clerk, page, send, work) -> None:
    address = send()
    post(clerk, page, address, "gravar")
    moving = clerk.get(address, headers=HX)
    assert moving.status_code == 200
    assert "<html" not in moving.text
    assert 'hx-trigger="every 2s"' in moving.text
    work()
    done = clerk.get(address, headers=HX)
    assert done.headers["HX-Refresh"] == "true"


def test_pressing_twice_writes_once(clerk, page, send, vehicles, work) -> None:
    address = send()
    form = page(clerk.get(address)).form(f"{address}/gravar")
    for _ in range(2):
        assert clerk.post(f"{address}/gravar", data=form).status_code == 303
    work()
    assert vehicles() == 2


def test_who_may_and_who_may_not(client_as, clerk, page, send) -> None:
    address = send()
    assert client_as("administrador").get(address).status_code == 404
    for role in ("atendente", "diretor", "auditor"):
        assert client_as(role, authority="recife").get("/importar").status_code == 403
        assert client_as(role, authority="recife").get(address).status_code == 403


def test_the_list_goes_back_page_by_page(clerk, page, send, queries) -> None:
    for _ in range(21):
        last = send()
    queries()
    first = page(clerk.get("/importar"))
    assert len(queries()) <= MOST_QUERIES
    older = first.links()["Mais antigas"]
    assert last in first.links().values()
    assert len([a for a in page(clerk.get(older)).links().values() if a.startswith("/importar/")]) == 1
    assert clerk.get("/importar?antes=x").status_code == 200
