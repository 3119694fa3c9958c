"""The screen of one person's data: who may open it, the download, the end of the data."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from registry.store.people import Person
from registry.web.edge import EXTENSION
from tests.web.checker import Page
from tests.web.conftest import MOST_QUERIES, FrozenClock

CPF = "52998224725"


@pytest.fixture
def old_ana(person: Callable[..., int], clock: FrozenClock) -> int:
    """A person with nothing, entered long ago."""
    made = person("Ana Lima", CPF)
    clock.at += timedelta(days=4_000)
    return made


def test_the_page_is_reached_from_the_person_by_whoever_may(
    client_as: Callable[..., FlaskClient], page: Callable[..., Page], person: Callable[..., int]
) -> None:
    ana = person("Ana Lima", CPF)
    assert f"/pessoas/{ana}/dados" in client_as("diretor").get(f"/pessoas/{ana}").text
    clerk = client_as("atendente")
    assert f"/pessoas/{ana}/dados" not in clerk.get(f"/pessoas/{ana}").text
    assert clerk.get(f"/pessoas/{ana}/dados").status_code == 403
    shown = page(client_as("diretor").get(f"/pessoas/{ana}/dados"))
    assert "O cadastro foi feito há menos de 1.825 dias." in shown.text
    assert "Anonimizar</button>" not in shown.html


def test_the_page_takes_few_queries(
    client_as: Callable[..., FlaskClient], person: Callable[..., int], queries: Callable[[], list[str]]
) -> None:
    ana = person("Ana Lima", CPF)
    client = client_as("diretor")
    queries()
    client.get(f"/pessoas/{ana}/dados")
    assert len(queries()) <= MOST_QUERIES


@pytest.mark.parametrize("kind", ["json", "html"])
def test_the_data_are_downloaded_and_never_kept_on_the_way(
    client_as: Callable[..., FlaskClient],
    person: Callable[..., int],
    token: Callable[[FlaskClient], str],
    kind: str,
) -> None:
    ana = person("Ana Lima", CPF)
    client = client_as("diretor")
    answer = client.post(f"/pessoas/{ana}/dados/baixar", data={"csrf_token": token(client), "formato": kind})
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="dados-{ana}-2026-11-30.{kind}"'
    assert "Ana Lima" in answer.text
    assert kind == "html" or json.loads(answer.text)["tables"]["person"][0]["document"] == CPF
    assert "Dados entregues à própria pessoa" in client.get(f"/pessoas/{ana}").text


def test_what_is_no_natural_person_of_the_authority_or_no_format_is_not_found(
    client_as: Callable[..., FlaskClient], person: Callable[..., int], token: Callable[[FlaskClient], str]
) -> None:
    client = client_as("diretor")
    company, foreign = person("Rota", "12ABC34501DE35", kind="company"), person("Bia", CPF, authority="recife")
    ana = person("Ana Lima", "11144477735")
    sent = {"csrf_token": token(client), "formato": "pdf"}
    assert client.get(f"/pessoas/{company}/dados").status_code == 404
    assert client.get(f"/pessoas/{foreign}/dados").status_code == 404
    assert client.post(f"/pessoas/{ana}/dados/baixar", data=sent).status_code == 404
    assert client.post(f"/pessoas/{foreign}/dados/baixar", data={**sent, "formato": "json"}).status_code == 404


def test_the_data_are_ended_and_the_record_says_so(
    client_as: Callable[..., FlaskClient],
    page: Callable[..., Page],
    token: Callable[[FlaskClient], str],
    old_ana: int,
    app: Flask,
) -> None:
    client = client_as("diretor")
    address = f"/pessoas/{old_ana}/dados"
    assert "Anonimizar" in page(client.get(address)).text
    sent = {"csrf_token": token(client), "once_key": "a", "reason": ""}
    refused = page(client.post(f"{address}/anonimizar", data=sent), 422)
    assert "Escreva o motivo." in refused.text
    assert "Marque que sabe" in refused.text
    done = client.post(f"{address}/anonimizar", data={**sent, "reason": "prazo vencido", "sure": "y"})
    assert done.status_code == 303
    shown = page(client.get(done.headers["Location"]))
    assert "Dados anonimizados" in shown.text
    assert "Ana Lima" not in shown.html
    assert "já foram anonimizados" not in page(client.get(address)).text
    with app.extensions[EXTENSION].store.reading() as session:
        assert session.get_one(Person, old_ana).document == ""
    again = client.post(f"{address}/anonimizar", data={**sent, "reason": "prazo vencido", "sure": "y"})
    assert again.status_code == 303


def test_what_hinders_is_told_when_it_came_after_the_page_was_opened(
    client_as: Callable[..., FlaskClient],
    page: Callable[..., Page],
    token: Callable[[FlaskClient], str],
    person: Callable[..., int],
) -> None:
    ana = person("Ana Lima", CPF)
    client = client_as("diretor")
    sent = {"csrf_token": token(client), "reason": "prazo", "sure": "y"}
    refused = page(client.post(f"/pessoas/{ana}/dados/anonimizar", data=sent), 422)
    assert "O cadastro foi feito há menos de" in refused.text
