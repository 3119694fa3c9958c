"""The staff's list of stands and the page of one."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from sqlalchemy import text

from registry.store.engine import Store
from registry.store.permits import Permit, PermitVehicle
from registry.store.vehicles import Vehicle
from registry.web.edge import EXTENSION
from tests.web.conftest import MOST_QUERIES, NOON


@pytest.fixture
def stand(app: Any, store_with_authorities: Store) -> int:
    """A stand of the city with sixty permits, one with a plate."""
    with store_with_authorities.writing() as session:
        made = session.execute(
            text(
                "insert into taxi_pontos__ponto"
                " (authority, code, name, name_folded, category, access, created_at, version) values"
                " ('recife', '12', 'Praça do Derby', 'praca do derby', 'privado', '', '2026-11-30', 1) returning id"
            )
        ).scalar_one()
        vehicle = Vehicle(authority="recife", plate="PGT4H87", plate_key="PGT4787", created_at=NOON)
        session.add(vehicle)
        session.flush()
        for number in range(1, 61):
            row = Permit(
                authority="recife",
                regime="taxi_recife",
                number=f"{number:04d}",
                category="comum",
                granted_on=date(2026, 1, 1),
                created_at=NOON,
            )
            session.add(row)
            session.flush()
            session.execute(
                text(
                    "insert into taxi_pontos__designation (permit_id, ponto_id, since, created_at)"
                    " values (:permit, :ponto, '2026-02-03', '2026-11-30')"
                ),
                {"permit": row.id, "ponto": made},
            )
            if number == 1:
                session.add(PermitVehicle(permit_id=row.id, vehicle_id=vehicle.id, since=date(2026, 1, 1)))
        return int(made)


def test_the_list_finds_a_stand_and_counts_its_permits(client_as: Any, page: Any, stand: int, queries: Any) -> None:
    client = client_as("atendente", authority="recife")
    queries()
    shown = page(client.get("/pontos"))
    assert len(queries()) <= MOST_QUERIES
    assert "12 – Praça do Derby" in shown.text and "Privado" in shown.text and "60" in shown.text
    assert f"/pontos/{stand}" in shown.html
    assert "12 – Praça do Derby" in page(client.get("/pontos?q=DERBY")).text
    assert "Nenhum ponto com estes filtros." in page(client.get("/pontos?q=zzz")).text


def test_the_page_of_a_stand_lists_its_permits_a_page_at_a_time(
    client_as: Any, page: Any, stand: int, queries: Any
) -> None:
    client = client_as("atendente", authority="recife")
    queries()
    shown = page(client.get(f"/pontos/{stand}"))
    assert len(queries()) <= MOST_QUERIES
    assert "PGT4H87" in shown.text and "Ainda não conhecido" in shown.text and "03/02/2026" in shown.text
    assert "0020" in shown.text and "0021" not in shown.text
    second = page(client.get(f"/pontos/{stand}?page=2"))
    assert "0021" in second.text and "0020" not in second.text
    for wrong in ("0", "x", "-1"):
        page(client.get(f"/pontos/{stand}?page={wrong}"), 404)
    page(client.get(f"/pontos/{stand}?page=999"))


def test_the_list_is_filtered_sorted_and_taken_home(client_as: Any, page: Any, stand: int, app: Any) -> None:
    with app.extensions[EXTENSION].store.writing() as session:
        for number in range(21):
            session.execute(
                text(
                    "insert into taxi_pontos__ponto"
                    " (authority, code, name, name_folded, category, access, places, created_at, version)"
                    " values ('recife', '', :name, :name, 'livre', '', :places, '2026-11-30', 1)"
                ),
                {"name": f"ponto {number:02d}", "places": 30 - number if number else None},
            )
    client = client_as("atendente", authority="recife")
    shown = page(client.get("/pontos?categoria=livre&ordem=vagas"))
    assert "1 a 20 de 21" in shown.text and "Livre: tirar" in shown.links()
    cells = ["".join(cell.itertext()).strip() for cell in shown.all(".//tbody/tr/td[1]")]
    assert cells[:2] == ["ponto 20", "ponto 19"] and len(cells) == 20
    last = page(client.get(shown.links()["Próxima"]))
    assert ["".join(cell.itertext()).strip() for cell in last.all(".//tbody/tr/td[1]")] == ["ponto 00"]
    assert [link for link in shown.links().values() if "ordem=-vagas" in link]
    sent = client.get(shown.links()["Baixar planilha"])
    assert sent.mimetype == "text/csv" and len(sent.text.splitlines()) == 22
    assert "ponto 20;Livre;10;0" in sent.text
    page(client.get("/pontos?categoria=nada"), 404)
    page(client.get("/pontos?ordem=permissoes"), 404)
    assert client_as("administrador", authority="recife").get("/pontos/planilha.csv").status_code == 403


def test_the_menu_shows_stands_only_where_there_are_taxis(client_as: Any, page: Any, stand: int) -> None:
    assert "/pontos" in page(client_as("atendente", authority="recife").get("/outorgas")).html
    elsewhere = client_as("atendente", authority="emtu")
    assert "/pontos" not in page(elsewhere.get("/outorgas")).html
    page(elsewhere.get(f"/pontos/{stand}"), 404)
    assert "Nenhum ponto ainda" in page(elsewhere.get("/pontos")).text


def test_stands_are_for_staff(visitor: Any, client_as: Any, page: Any, stand: int) -> None:
    assert visitor.get("/pontos").status_code in (302, 303, 401)
    page(client_as("administrador", authority="recife").get("/pontos"), 403)
