"""Every list alike: filters that are on, headings that sort, twenty a page, the table to take home, and who took it."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta
from itertools import product
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from registry.store.audit import AuditEntry
from registry.store.charges import Charge
from registry.store.inspections import Inspection
from registry.store.vehicles import Vehicle
from registry.web import spreadsheet
from tests.web.conftest import MOST_QUERIES, NOON
from tests.web.records import ANA, CHARTER, IVO, RITA, Records

LISTS = (
    "/pessoas",
    "/veiculos",
    "/outorgas",
    "/requerimentos",
    "/tesouraria/cobrancas",
    "/tesouraria/caixa",
    "/vistorias",
)


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


ORDERED = (
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
)


@pytest.mark.usefixtures("few")
def test_a_list_in_the_order_asked_for(client_as, page):
    client = client_as("analista")
    for address, order, first in ORDERED:
        shown = page(client.get(address, query_string={"ordem": order}))
        assert first in first_cells(shown)[0], (address, order)


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


def test_an_order_that_there_is_not_is_no_page(client_as, page):
    client = client_as("analista")
    for address, order in product(LISTS, ("sorte", "--nome", "-", "id desc")):
        page(client.get(address, query_string={"ordem": order}), 404)
        assert client.get(f"{address}/planilha.csv", query_string={"ordem": order}).status_code == 404, address


@pytest.mark.usefixtures("few")
def test_nothing_of_the_address_but_its_filters_is_carried_along(client_as, page):
    client = client_as("analista")
    for address in LISTS:
        shown = page(client.get(f"{address}?_external=1&_scheme=ftp&_anchor=x&person_id=9&ordem="))
        assert not [href for href in shown.links().values() if "ftp" in href or "person_id=9" in href], address


@pytest.mark.usefixtures("few")
def test_what_is_unknown_comes_last_either_way(client_as, page):
    client = client_as("analista")
    for order in ("cor", "-cor"):
        shown = page(client.get("/veiculos", query_string={"ordem": order}))
        assert len(first_cells(shown)) == 2


TABLES: tuple[tuple[str, int, list[str]], ...] = (
    ("/pessoas/planilha.csv", 3, ["Ana Lima", "023.456.781-35", "Pessoa física", "Autorização nº 0391"]),
    ("/pessoas/planilha.csv?q=tavares", 1, ["Ivo Tavares"]),
    ("/pessoas/planilha.csv?ordem=-nome", 3, ["Rita Melo"]),
    ("/veiculos/planilha.csv?q=rzt", 1, ["RZT6B18", "Volvo B8R 2024", "Ônibus", "24", "Azul"]),
    ("/veiculos/planilha.csv?outorga=sem", 0, []),
    ("/outorgas/planilha.csv?ordem=desde", 2, ["Autorização nº 0402", "Ivo Tavares"]),
    ("/outorgas/planilha.csv?situacao=encerrada", 0, []),
)


@pytest.mark.usefixtures("few")
def test_the_table_has_what_the_list_shows(client_as, app):
    client = client_as("analista")
    for address, lines, cells in TABLES:
        found = table(client.get(address))
        assert len(found) == lines + 1, address
        shown = [cell.replace("\xa0", " ") for cell in found[1][: len(cells)]] if lines else []
        assert shown == cells, address
        entry = exported(app)[-1]
        assert entry["lines"] == lines and entry["list"] in address


@pytest.mark.usefixtures("few")
def test_who_takes_people_home_is_recorded_and_what_was_typed_is_not(client_as, app):
    client_as("analista").get("/pessoas/planilha.csv?q=tavares&tipo=natural")
    assert exported(app) == [{"list": "pessoas", "lines": 1, "filters": {"q": "…", "tipo": "natural"}}]


@pytest.mark.usefixtures("few")
def test_a_table_is_for_whom_the_list_is_for(client_as, app):
    outsider, stranger = client_as("administrador"), client_as("analista", authority="recife")
    for address in LISTS:
        assert outsider.get(f"{address}/planilha.csv").status_code == 403, address
        assert app.test_client().get(f"{address}/planilha.csv").status_code in (302, 303, 401), address
        assert len(table(stranger.get(f"{address}/planilha.csv"))) == 1, address
    assert {entry["lines"] for entry in exported(app)} == {0}


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


OTHERS = ("-nome", "-veiculo", "titular", "-prazo", "quem", "-valor", "local")


def test_a_list_and_its_table_take_few_queries(client_as, page, records, queries):
    for number in range(1, 23):
        records.permit(None, records.vehicle(f"KGA10{number:02d}"), f"{number:04d}")
    client = client_as("analista")
    for address, order in zip(LISTS, OTHERS, strict=True):
        for asked in (address, f"{address}?q=kga&ordem={order}", f"{address}/planilha.csv?ordem={order}"):
            client.get(asked)
            queries()
            assert client.get(asked).status_code == 200, asked
            assert len(seen := queries()) <= MOST_QUERIES, "\n".join([asked, *seen])
    for address in ("/veiculos", "/outorgas"):
        shown = page(client.get(address))
        assert len(first_cells(shown)) == 20 and "1 a 20 de 22" in shown.text


# charges, till, agenda


@pytest.fixture
def owed(records: Records) -> int:
    """Twenty-one fees of two debtors: three overdue, one annulled, the rest to come; the first one's id."""
    rota, ana = records.company(), records.person(ANA, "Ana Lima")
    made = [records.fee(ana if day == 28 else rota, date(2026, 11, day)) for day in (27, 28, 29)]
    made += [records.fee(rota, date(2026, 12, day)) for day in range(1, 19)]
    with records.desk.store.writing() as session:
        session.get_one(Charge, made[-1]).cancelled_at = NOON
    return made[0]


def test_charges_of_every_state_are_listed_with_what_is_left_today(client_as, page, owed, queries):
    client = client_as("tesouraria")
    queries()
    shown = page(client.get("/tesouraria/cobrancas"))
    assert len(seen := queries()) <= MOST_QUERIES, "\n".join(seen)
    assert "1 a 20 de 21" in shown.text and len(first_cells(shown)) == 20
    assert "da mais nova à mais antiga" in shown.text and "2.568,70" in shown.text
    assert "/tesouraria/cobrancas" in page(client.get("/tesouraria")).links().values()
    late = page(client.get("/tesouraria/cobrancas?situacao=vencido&ordem=vencimento"))
    assert [line[-9:] for line in first_cells(late)] == ["L20261127", "L20261128", "L20261129"]
    assert f'href="/tesouraria/cobrancas/{owed}"' in late.html
    assert len(first_cells(late)) == 3 and "Vencidas: tirar" in late.links()
    for state, count in (("em_aberto", 17), ("anulado", 1), ("pago", 0)):
        found = page(client.get(f"/tesouraria/cobrancas?situacao={state}"))
        assert len(first_cells(found)) == count, state
    assert len(first_cells(page(client.get(f"/tesouraria/cobrancas?q={ANA}")))) == 1
    page(client.get("/tesouraria/cobrancas?situacao=perdida"), 404)
    found = table(client.get("/tesouraria/cobrancas/planilha.csv?situacao=vencido&ordem=quem"))
    assert len(found) == 4 and found[1][2] == "Ana Lima" and found[1][8] == "2.568,70"


def test_the_till_is_sorted_and_taken_home_with_its_day(client_as, page, app, owed):
    client = client_as("tesouraria")
    here = "/tesouraria/receber"
    for number, method in ((owed, "pix"), (owed + 1, "dinheiro")):
        form = page(client.get(f"/tesouraria/cobrancas/{number}"))
        sent = form.form(here) | {"charge": str(number), "method": method, "amount": f"{100 + number},00"}
        assert client.post(here, data=sent).status_code == 303
    shown = page(client.get("/tesouraria/caixa?dia=30/11/2026&ordem=-valor"))
    amounts = [" ".join("".join(cell.itertext()).split()) for cell in shown.all(".//tbody/tr/td[5]")]
    assert amounts == sorted(amounts, reverse=True) and len(amounts) == 2
    assert all("dia=30" in href for text, href in shown.links().items() if text.startswith("Hora"))
    found = table(client.get(shown.links()["Baixar planilha"]))
    assert [row[6] for row in found[1:]] == [f"{101 + owed},00", f"{100 + owed},00"] and found[1][0] == "30/11/2026"
    assert client.get("/tesouraria/caixa/planilha.csv?dia=31/02/2026").status_code == 404
    assert exported(app)[-1] == {"list": "caixa", "lines": 2, "filters": {"dia": "30/11/2026"}}


def test_the_agenda_is_sorted_and_taken_home_with_its_place(client_as, page, records, app):
    with records.desk.store.writing() as session:
        for number, place in enumerate(("Pátio 2", "Pátio 1", "Pátio 1")):
            session.add(
                Inspection(
                    authority="emtu",
                    regime=CHARTER,
                    kind="novo",
                    vehicle_id=records_vehicle(session, f"KGA100{number}"),
                    scheduled_at=NOON + timedelta(minutes=number),
                    place=place,
                    state="marcada",
                    items={},
                    created_at=NOON,
                )
            )
    client = client_as("vistoriador")
    shown = page(client.get("/vistorias?dia=30/11/2026&local=Pátio 1&ordem=-placa"))
    assert [line.split()[0] for line in first_cells(shown)] == ["12h02", "12h01"]
    assert "Pátio 1: tirar" in shown.links() and "2 vistorias" in shown.text
    assert "dia=30" in shown.links()["Pátio 1: tirar"]
    found = table(client.get(shown.links()["Baixar planilha"]))
    assert [row[2] for row in found[1:]] == ["KGA-1002", "KGA-1001"] and found[1][:2] == ["30/11/2026", "12h02"]
    assert client.get("/vistorias/planilha.csv?dia=ontem").status_code == 404
    assert exported(app) == [{"list": "vistorias", "lines": 2, "filters": {"dia": "30/11/2026", "local": "Pátio 1"}}]


def records_vehicle(session: Any, plate: str) -> int:
    made = Vehicle(authority="emtu", plate=plate, plate_key=plate, created_at=NOON)
    session.add(made)
    session.flush()
    return made.id
