"""Every list alike: filters that are on, headings that sort, twenty a page, the table to take home, and who took it."""

from __future__ import annotations

import csv
import io
from datetime import date
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from registry.store.audit import AuditEntry
from registry.web import spreadsheet
from tests.web.conftest import MOST_QUERIES
from tests.web.records import ANA, IVO, RITA, Records

LISTS = ("/pessoas", "/veiculos", "/outorgas", "/requerimentos")


@pytest.fixture
def records(app: Flask) -> Records:
    return Records(app)


@pytest.fixture
def few(records: Records) -> None:
    """Two people with a permit and a bus each, a third without."""
    ana, ivo = records.person(ANA, "Ana Lima"), records.person(IVO, "Ivo Tavares")
    records.person(RITA, "Rita Melo")
    records.permit(ana, records.vehicle("RZT6B18", make="Volvo", colour="Azul"), "0391", date(2026, 1, 10))
    records.permit(ivo, records.vehicle("KGA1234", make="Agrale", colour=""), "0402", date(2025, 3, 1))


def first_cells(shown: Any) -> list[str]:
    return [" ".join("".join(cell.itertext()).split()) for cell in shown.all(".//tbody/tr/td[1]")]


def table(sent: Any) -> list[list[str]]:
    assert sent.status_code == 200 and sent.mimetype == "text/csv", sent.text[:500]
    return list(csv.reader(io.StringIO(sent.text.removeprefix("\ufeff")), delimiter=";"))


def exported(app: Flask) -> list[dict[str, Any]]:
    with Records(app).desk.store.reading() as session:
        found = select(AuditEntry.after).where(AuditEntry.action == "list.exported").order_by(AuditEntry.seq)
        return [dict(each) for each in session.scalars(found) if each]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("address", "order", "first"),
    [
        ("/pessoas", "", "Ana Lima"),
        ("/pessoas", "-nome", "Rita Melo"),
        ("/pessoas", "documento", "Ana Lima"),
        ("/pessoas", "-documento", "Ivo Tavares"),
        ("/veiculos", "", "KGA"),
        ("/veiculos", "-placa", "RZT6B18"),
        ("/veiculos", "veiculo", "KGA"),
        ("/veiculos", "-veiculo", "RZT6B18"),
        ("/outorgas", "", "0391"),
        ("/outorgas", "-numero", "0402"),
        ("/outorgas", "desde", "0402"),
        ("/outorgas", "-titular", "0402"),
    ],
)
def test_a_list_in_the_order_asked_for(client_as, page, address, order, first):
    shown = page(client_as("analista").get(address, query_string={"ordem": order}))
    assert first in first_cells(shown)[0]


@pytest.mark.usefixtures("few")
def test_a_heading_sorts_the_other_way_when_pressed_again_and_says_so(client_as, page):
    client = client_as("analista")
    shown = page(client.get("/pessoas?tipo=natural"))
    assert shown.one(".//th[@aria-sort]").get("aria-sort") == "ascending"
    assert "Pessoas e empresas, por nome" in shown.text
    back = page(client.get(shown.links()["Nome: pôr do último ao primeiro"]))
    assert back.one(".//th[@aria-sort]").get("aria-sort") == "descending"
    assert first_cells(back) == ["Rita Melo", "Ivo Tavares", "Ana Lima"]
    assert "Pessoa física: tirar" in back.links()
    assert back.one(".//input[@name='ordem']").get("value") == "-nome", "a filter keeps the order"
    assert back.links()["Nome: pôr em ordem"] == "/pessoas?tipo=natural"


@pytest.mark.parametrize("address", LISTS)
def test_an_order_that_there_is_not_is_no_page(client_as, page, address):
    client = client_as("analista")
    for order in ("sorte", "--nome", "-", "id desc"):
        page(client.get(address, query_string={"ordem": order}), 404)
        assert client.get(f"{address}/planilha.csv", query_string={"ordem": order}).status_code == 404


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("address", LISTS)
def test_nothing_of_the_address_but_its_filters_is_carried_along(client_as, page, address):
    shown = page(client_as("analista").get(f"{address}?_external=1&_scheme=ftp&_anchor=x&person_id=9&ordem="))
    assert not [href for href in shown.links().values() if "ftp" in href or "person_id=9" in href]


@pytest.mark.usefixtures("few")
def test_what_is_unknown_comes_last_either_way(client_as, page):
    client = client_as("analista")
    for order in ("cor", "-cor"):
        shown = page(client.get("/veiculos", query_string={"ordem": order}))
        assert len(first_cells(shown)) == 2


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("address", "lines", "cells"),
    [
        ("/pessoas/planilha.csv", 3, ["Ana Lima", "023.456.781-35", "Pessoa física", "Autorização nº 0391"]),
        ("/pessoas/planilha.csv?q=tavares", 1, ["Ivo Tavares"]),
        ("/pessoas/planilha.csv?ordem=-nome", 3, ["Rita Melo"]),
        ("/veiculos/planilha.csv?q=rzt", 1, ["RZT6B18", "Volvo B8R 2024", "Ônibus", "24", "Azul"]),
        ("/veiculos/planilha.csv?outorga=sem", 0, []),
        ("/outorgas/planilha.csv?ordem=desde", 2, ["Autorização nº 0402", "Ivo Tavares"]),
        ("/outorgas/planilha.csv?situacao=encerrada", 0, []),
    ],
)
def test_the_table_has_what_the_list_shows(client_as, app, address, lines, cells):
    found = table(client_as("analista").get(address))
    assert len(found) == lines + 1
    if cells:
        assert [cell.replace("\xa0", " ") for cell in found[1]][: len(cells)] == cells
    (entry,) = exported(app)
    assert entry["lines"] == lines and entry["list"] in address


@pytest.mark.usefixtures("few")
def test_who_takes_people_home_is_recorded_and_what_was_typed_is_not(client_as, app):
    client_as("analista").get("/pessoas/planilha.csv?q=tavares&tipo=natural")
    assert exported(app) == [{"list": "pessoas", "lines": 1, "filters": {"q": "…", "tipo": "natural"}}]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("address", ["/pessoas", "/veiculos", "/outorgas"])
def test_a_table_is_for_whom_the_list_is_for(client_as, app, address):
    assert client_as("administrador").get(f"{address}/planilha.csv").status_code == 403
    assert app.test_client().get(f"{address}/planilha.csv").status_code in (302, 303, 401)
    assert len(table(client_as("analista", authority="recife").get(f"{address}/planilha.csv"))) == 1
    assert [entry["lines"] for entry in exported(app)] == [0]


def test_a_table_goes_on_after_a_page_and_says_where_it_is_cut(client_as, records, monkeypatch):
    for number in range(1, 8):
        records.vehicle(f"KGA100{number}")
    monkeypatch.setattr(spreadsheet, "CHUNK", 3)
    monkeypatch.setattr("registry.web.vehicles.views.CHUNK", 3)
    client = client_as("analista")
    assert len(table(client.get("/veiculos/planilha.csv"))) == 8
    monkeypatch.setattr(spreadsheet, "MOST_LINES", 7)
    assert len(table(client.get("/veiculos/planilha.csv"))) == 8
    monkeypatch.setattr(spreadsheet, "MOST_LINES", 6)
    cut = table(client.get("/veiculos/planilha.csv"))
    assert len(cut) == 8 and cut[-1] == [spreadsheet.CUT]


@pytest.mark.parametrize(
    ("address", "order"),
    [("/pessoas", "-nome"), ("/veiculos", "-veiculo"), ("/outorgas", "titular"), ("/requerimentos", "-prazo")],
)
def test_a_list_and_its_table_take_few_queries(client_as, page, records, queries, address, order):
    for number in range(1, 23):
        records.permit(None, records.vehicle(f"KGA10{number:02d}"), f"{number:04d}")
    client = client_as("analista")
    for asked in (address, f"{address}?q=kga&ordem={order}", f"{address}/planilha.csv?ordem={order}"):
        client.get(asked)
        queries()
        client.get(asked)
        assert len(seen := queries()) <= MOST_QUERIES, "\n".join(seen)
    if address in ("/veiculos", "/outorgas"):
        shown = page(client.get(address))
        assert len(first_cells(shown)) == 20 and "1 a 20 de 22" in shown.text
