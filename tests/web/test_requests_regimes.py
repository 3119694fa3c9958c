"""Both shipped regimes through the screens of a request: opened, filled in, filed, with the law's own findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from flask import Flask

from registry.domain.occasion import Occasion
from registry.services import documents, indexes, people, vehicles
from registry.services.desk import Desk
from registry.web.edge import EXTENSION
from tests.web.checker import words
from tests.web.conftest import MOST_QUERIES, NOON

HTMX = {"HX-Request": "true"}


@dataclass(frozen=True)
class Case:
    """One regime: its authority, what is chosen, the vehicle, the facts typed, and what the page then says."""

    authority: str
    what: str
    holder_kind: str
    category: str
    vehicle: dict[str, Any]
    facts: dict[str, str]
    finding: str
    document: str
    code: str
    indexes: dict[str, str] = field(default_factory=dict)


CASES = {
    "fretamento": Case(
        "emtu",
        "fretamento_rmr:novo_termo",
        "PF",
        "",
        {"type": "van", "seats": 16, "year_made": 2024, "doors": 3},
        {
            "emergency_windows": "1",
            "policy_number": "8841-22",
            "policy_valid_through": "26/09/2027",
            "cover_per_person": "51.374,00",
            "cover_material": "100.000,00",
            "had_cassation": "nao",
        },
        "A cobertura de danos materiais é de R$ 100.000,00, abaixo do mínimo",
        "CRLV com seguro quitado",
        "D-IV-a",
        {"custo_km": "5.1374"},
    ),
    "taxi": Case(
        "recife",
        "taxi_recife:nova_permissao",
        "",
        "comum",
        {"type": "automovel", "seats": 5, "year_made": 2015, "doors": 4, "colour": "branca"},
        {
            "zero_km": "nao",
            "passengers": "4",
            "co_owner_of_taxi": "nao",
            "other_income": "nao",
            "convicted": "nao",
            "military": "nao",
        },
        "2026 − 2015 = 11 anos",
        "Carteira nacional de habilitação (CNH)",
        "cnh",
    ),
}


@pytest.fixture
def desk(app: Flask) -> Desk:
    made: Desk = app.extensions[EXTENSION].desk
    return made


@pytest.mark.parametrize("name", CASES)
def test_a_request_goes_from_draft_to_number_on_the_screens(
    app: Flask,
    desk: Desk,
    client_as: Callable[..., Any],
    page: Callable[..., Any],
    queries: Callable[[], list[str]],
    name: str,
) -> None:
    case = CASES[name]
    client = client_as("atendente", authority=case.authority)
    zone = desk.authority(case.authority).zone
    occasion = Occasion(actor="x", authority=case.authority, at=NOON, zone=zone)
    people.create_person(occasion, desk, people.PersonInput("natural", "02345678135", "Ana Lima", cnh="02650306461"))
    for key, value in case.indexes.items():
        indexes.enter_index_value(
            occasion, desk, key, NOON.date() - timedelta(days=60), Decimal(value), "Portaria 112/2026", confirmed=True
        )
    entered = vehicles.VehicleInput("RZT6B18", make="Fiat", model="Doblò", **case.vehicle)
    vehicles.create_vehicle(occasion, desk, entered)

    form = page(client.get("/requerimentos/novo")).form("/requerimentos/novo")
    address = client.post("/requerimentos/novo", data=form | {"what": case.what}).headers["Location"]
    regime, _, kind = case.what.partition(":")
    holders = desk.regime(regime).request_kind(kind).holder_kinds
    chosen = {"holder_kind": case.holder_kind or holders[0], "document": "023.456.781-35", "plate": "RZT6B18"}
    chosen |= {"category": case.category} if case.category else {}
    client.post(f"{address}/dados", data=page(client.get(address)).form(f"{address}/dados") | chosen)
    draft = page(client.get(address))
    assert case.document in draft.text
    typed = {f"fact_{field}": value for field, value in case.facts.items()}
    sent = draft.form(f"{address}/dados") | typed
    part = page(client.post(f"{address}/_findings", data=sent, headers=HTMX))
    assert case.finding in part.text
    assert "impede" in words(part.one(".//span[@role='status']"))

    answer = client.post(f"{address}/dados", data=sent | {"then": "protocolar"})
    assert answer.status_code == 303, page(answer, 422).text
    queries()
    filed = page(client.get(answer.headers["Location"]))
    assert len(queries()) <= MOST_QUERIES
    assert "Protocolado com o número 2026/000001." in filed.text
    assert case.finding in filed.text

    request_id = int(address.rpartition("/")[2])
    analyst, ask = client_as("analista", authority=case.authority), f"{address}/exigencia"
    assert case.document in page(analyst.get(ask)).form(ask)["text"]
    documents.attach_document(occasion, desk, request_id, case.code, BytesIO(b"%PDF-1.7"), "papel.pdf")
    found = words(page(analyst.get(address)).one(".//section[@id='apontamentos']"))
    assert f"Confira o documento enviado: {case.document}." in found
    assert f"Falta o documento: {case.document}" not in found and f"Falta: {case.document}" not in found
    asked = page(analyst.get(ask)).form(ask)["text"]
    assert "Falta" in asked and case.document not in asked
