"""The documents of a request: sent, reviewed in place with the focus on the next, waived, opened."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from io import BytesIO
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from registry.services.desk import Desk
from registry.services.documents import review_document
from registry.services.requests import withdraw_request
from registry.store.audit import AuditEntry
from registry.store.requests import RequestDocument
from tests import factories
from tests.factories import CPFS, OTHER, PDF
from tests.web.checker import words
from tests.web.conftest import MOST_QUERIES, FrozenClock

HTMX = {"HX-Request": "true", "HX-Target": "documentos"}
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 64


def here(request_id: int) -> str:
    return f"/requerimentos/{request_id}"


def pdf(name: str = "papel.pdf", content: bytes = PDF) -> tuple[BytesIO, str]:
    return BytesIO(content), name


def statuses(desk: Desk, request_id: int) -> list[tuple[str, str]]:
    with desk.store.reading() as session:
        query = select(RequestDocument.code, RequestDocument.status).where(
            RequestDocument.request_id == request_id, RequestDocument.replaced_at.is_(None)
        )
        return [(row.code, row.status) for row in session.execute(query.order_by(RequestDocument.id))]


def row_form(client: FlaskClient, page: Callable[..., Any], request_id: int, code: str, how: str) -> tuple[str, Any]:
    """The form that stands open in a document's row: its address and what it would send."""
    shown = page(client.get(here(request_id), query_string={"documento": code, "como": how}))
    form = shown.one(".//form[@class='in-row']")
    return form.get("action"), shown.form(form.get("action"))


def test_a_document_is_sent_and_accepted_in_place_without_javascript(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    shown = page(client.get(here(made)))
    link = shown.links()["Enviar Registro da barca"]
    assert link == f"{here(made)}?documento=registro&como=send#documento-registro"
    address, sent = row_form(client, page, made, "registro", "send")
    answer = client.post(address, data=sent | {"file": pdf(), "expires_on": "31/12/2027"})
    assert answer.status_code == 303
    assert "«Registro da barca» enviado." in page(client.get(answer.headers["Location"])).text
    address, sent = row_form(client, page, made, "registro", "review")
    assert sent["expires_on"] == "31/12/2027"
    answer = client.post(address, data=sent | {"status": "aceito"})
    assert answer.status_code == 303
    assert statuses(desk, made) == [("registro", "aceito")]
    assert "1 de 5 aceito" in page(client.get(here(made))).text


def test_after_one_review_the_next_row_opens_with_the_focus(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    factories.attach(desk, marina, made, "registro", expires_on=date(2027, 1, 1))
    factories.attach(desk, marina, made, "antecedentes")
    address, sent = row_form(client, page, made, "registro", "review")
    part = page(client.post(address, data=sent | {"status": "aceito"}, headers=HTMX))
    assert part.is_fragment
    form = part.one(".//form[@class='in-row']")
    assert form.get("action") != address
    focused = [element for element in part.tree.iter() if element.get("autofocus") is not None]
    assert len(focused) == 1
    assert focused[0].get("value") == "aceito"
    changed = {each.get("id") for each in part.tree.iter() if each.get("hx-swap-oob")}
    assert {"apontamentos", "proximo", "passos", "andamento", "identidade", "taxas"} <= changed
    plain = client.post(address, data=sent | {"version": "2", "status": "com_ressalva", "reason": "Foto escura"})
    assert plain.headers["Location"] == f"{here(made)}?documento=antecedentes#documentos"


def test_a_refusal_wants_its_reason_and_an_acceptance_its_day(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    factories.attach(desk, marina, made, "registro")
    address, sent = row_form(client, page, made, "registro", "review")
    for status, field, sentence in (
        ("recusado", "reason", "Escreva o motivo. Ele vai para o processo."),
        ("com_ressalva", "reason", "Escreva o motivo. Ele vai para o processo."),
        ("aceito", "expires_on", "Informe até quando vale."),
    ):
        shown = page(client.post(address, data=sent | {"status": status}), 422)
        number = address.rsplit("/", 1)[1]
        assert shown.error_of(f"{field}-{number}") == sentence
        part = page(client.post(address, data=sent | {"status": status}, headers=HTMX), 422)
        assert part.is_fragment
    wrong = page(client.post(address, data=sent | {"status": "aceito", "expires_on": "31/02/2027"}), 422)
    assert "O dia 31/02 não existe." in wrong.text
    assert wrong.form(address)["expires_on"] == "31/02/2027"
    past = page(client.post(address, data=sent | {"status": "aceito", "expires_on": "29/11/2026"}), 422)
    assert "Venceu em 29/11/2026" in past.text
    assert statuses(desk, made) == [("registro", "enviado")]
    client.post(address, data=sent | {"status": "recusado", "reason": "Ilegível"})
    shown = page(client.get(here(made)))
    assert "Ilegível" in shown.text
    assert "Enviar novo Registro da barca" in shown.links()


def test_a_paper_expires_on_the_day_after_its_last(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], clock: FrozenClock
) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    factories.accept(desk, marina, made, "registro", date(2026, 12, 1))
    for days, word in ((0, "Aceito"), (1, "Aceito"), (1, "Vencido")):
        clock.ahead(days=days)
        client, _ = login("analista")
        row = page(client.get(here(made))).one(".//tr[@id='documento-registro']")
        assert word in words(row)
    assert "Venceu há 1 dia" in words(row)


def test_several_files_go_in_one_form(desk: Desk, login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, marina = login("atendente")
    made = factories.draft(desk, marina)
    address = f"{here(made)}/documentos"
    form = page(client.get(page(client.get(here(made))).links()["Enviar vários"]))
    assert [each.get("name") for each in form.all(".//input[@type='file']")] == [
        "file-registro",
        "file-fotos",
        "file-antecedentes",
    ]
    sent = form.form(address) | {
        "file-registro": pdf(),
        "expires_on-registro": "31/12/2027",
        "file-fotos": [pdf("a.png", PNG), pdf("b.png", PNG + b"1")],
    }
    assert client.post(address, data=sent).status_code == 303
    assert statuses(desk, made) == [("registro", "enviado"), ("fotos", "enviado"), ("fotos", "enviado")]
    unwanted = form.form(address) | {"file-registro": pdf()}
    again = page(client.post(address, data=unwanted), 422)
    assert "Escolha ao menos um arquivo." in again.text


def test_a_wrong_file_among_good_ones_is_told_and_the_good_ones_stay(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("atendente")
    made = factories.draft(desk, marina)
    address = f"{here(made)}/documentos"
    sent = page(client.get(address)).form(address)
    files = {"file-registro": pdf("a.pdf", b"MZ not a paper"), "file-antecedentes": pdf()}
    shown = page(client.post(address, data=sent | files), 422)
    assert shown.error_of("file-registro") == "Este arquivo não é PDF nem imagem."
    assert "1 documento foi guardado" in shown.text
    assert statuses(desk, made) == [("antecedentes", "enviado")]
    nothing = page(client.post(address, data=sent), 422)
    assert "Escolha ao menos um arquivo." in nothing.text
    wrong_day = page(
        client.post(address, data=sent | {"file-registro": pdf(), "expires_on-registro": "31/02/2027"}), 422
    )
    assert wrong_day.error_of("expires_on-registro") == "O dia 31/02 não existe."


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_file_too_big_is_413_with_its_size(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], app: Flask, headers: dict[str, str]
) -> None:
    client, marina = login("atendente")
    made = factories.draft(desk, marina)
    address, sent = row_form(client, page, made, "registro", "send")
    limit = app.config["REGISTRY_UPLOAD_LIMIT"]
    big = PDF + b"0" * (limit + 1 - len(PDF))
    shown = page(client.post(address, data=sent | {"file": pdf(content=big)}, headers=headers), 413)
    assert "O limite é 20 MB" in shown.text
    exact = PDF + b"0" * (limit - len(PDF))
    assert client.post(address, data=sent | {"file": pdf(content=exact)}).status_code == 303
    huge = PDF + b"0" * (limit + 2 * 1024 * 1024)
    page(client.post(address, data=sent | {"file": pdf(content=huge)}), 413)


def test_no_file_and_no_document(desk: Desk, login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, marina = login("atendente")
    made = factories.draft(desk, marina)
    address, sent = row_form(client, page, made, "registro", "send")
    assert "Escolha o arquivo." in page(client.post(address, data=sent), 422).text
    for code in ("contrato-x", "laudo"):
        page(client.post(f"{here(made)}/documentos/{code}/enviar", data=sent | {"file": pdf()}), 404)


def test_a_repeated_click_sends_one_paper(desk: Desk, login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, marina = login("atendente")
    made = factories.draft(desk, marina)
    address, sent = row_form(client, page, made, "fotos", "send")
    for _ in range(2):
        client.post(address, data=sent | {"file": [pdf("a.png", PNG), pdf("b.png", PNG + b"1")]})
    assert statuses(desk, made) == [("fotos", "enviado"), ("fotos", "enviado")]


def test_waiving_wants_the_reason(desk: Desk, login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    address, sent = row_form(client, page, made, "fotos", "waive")
    shown = page(client.post(address, data=sent), 422)
    assert shown.error_of("reason-fotos") == "Escreva o motivo. Ele vai para o processo."
    client.post(address, data=sent | {"reason": "Já fotografada na vistoria"})
    assert statuses(desk, made) == [("fotos", "dispensado")]
    assert "Já fotografada na vistoria" in page(client.get(here(made))).text


def test_a_stale_review_says_so_and_decides_nothing(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    _, rita = login("analista", name="Rita Prado")
    made = factories.filed(desk, marina)
    document = factories.attach(desk, marina, made, "antecedentes")
    address, sent = row_form(client, page, made, "antecedentes", "review")
    review_document(rita.occasion(), desk, document, 1, "recusado", "Ilegível")
    shown = page(client.post(address, data=sent | {"status": "aceito"}), 409)
    assert "Este documento foi conferido por Rita Prado" in shown.text
    assert statuses(desk, made) == [("antecedentes", "recusado")]


def test_the_file_opens_beside_its_review_and_alone(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], queries: Callable[[], list[str]]
) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    document = factories.attach(desk, marina, made, "fotos", PNG)
    queries()
    shown = page(client.get(f"{here(made)}/papeis/{document}"))
    assert len(queries()) <= MOST_QUERIES
    source = shown.one(".//img[@class='viewer']").get("src")
    answer = client.get(source)
    assert (answer.status_code, answer.mimetype, answer.data) == (200, "image/png", PNG)
    assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    answer = client.post(f"{here(made)}/papeis/{document}", data=shown.form(f"{here(made)}/papeis/{document}"))
    page(answer, 422)
    sent = shown.form(f"{here(made)}/papeis/{document}") | {"status": "recusado"}
    again = page(client.post(f"{here(made)}/papeis/{document}", data=sent), 422)
    assert again.error_of("reason") == "Escreva o motivo. Ele vai para o processo."


def test_a_restricted_paper_opens_to_few_and_each_reading_is_recorded(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    document = factories.attach(desk, marina, made, "antecedentes")
    address = f"{here(made)}/arquivos/{document}"
    clerk, _ = login("atendente")
    page(clerk.get(address), 403)
    page(clerk.get(f"{here(made)}/papeis/{document}"), 403)
    assert "Reservado" in page(clerk.get(here(made))).text
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    with desk.store.reading() as session:
        reads = session.scalars(select(AuditEntry).where(AuditEntry.action == "document.read")).all()
    assert [entry.actor for entry in reads] == [marina.name]
    assert "Documento reservado aberto" in page(client.get(here(made))).text


@pytest.mark.parametrize("role", ["atendente", "diretor"])
def test_only_an_analyst_reviews(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], token: Callable[..., str], role: str
) -> None:
    _, marina = login("analista")
    made = factories.filed(desk, marina)
    document = factories.attach(desk, marina, made, "registro", expires_on=date(2027, 1, 1))
    client, _ = login(role)
    shown = page(client.get(here(made), query_string={"documento": "registro"}))
    assert f"{here(made)}/papeis/{document}" not in [form.get("action") for form in shown.all(".//form")]
    data = {"csrf_token": token(client), "status": "aceito", "version": "1"}
    page(client.post(f"{here(made)}/papeis/{document}", data=data), 403)
    page(client.post(f"{here(made)}/documentos/fotos/dispensar", data=data), 403)
    assert statuses(desk, made) == [("registro", "enviado")]


def test_papers_of_another_request_or_authority_do_not_exist(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any]
) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    document = factories.attach(desk, marina, made, "registro")
    ivo = factories.person(desk, marina, CPFS[1], "Ivo Tavares")
    other = factories.draft(desk, marina, applicant_id=ivo, vehicle_id=factories.vehicle(desk, marina, "KGA1234"))
    page(client.get(f"{here(other)}/arquivos/{document}"), 404)
    stranger, _ = login("analista", authority=OTHER)
    for address in (f"/arquivos/{document}", f"/papeis/{document}", "/documentos"):
        page(stranger.get(here(made) + address), 404)


def test_an_ended_request_takes_no_papers(desk: Desk, login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    document = factories.attach(desk, marina, made, "registro")
    address, sent = row_form(client, page, made, "registro", "review")
    withdraw_request(marina.occasion(), desk, made, "Vendeu a barca")
    page(client.get(f"{here(made)}/documentos"), 404)
    assert client.post(address, data=sent | {"status": "recusado", "reason": "x"}).status_code == 303
    assert statuses(desk, made) == [("registro", "enviado")]
    assert client.get(f"{here(made)}/arquivos/{document}").status_code == 200


def test_one_file_may_hold_all_the_copies(desk: Desk, login: Callable[..., Any], page: Callable[..., Any]) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    factories.attach(desk, marina, made, "fotos")
    assert "1 de 2 vias enviadas" in words(page(client.get(here(made))).one(".//tr[@id='documento-fotos']"))
    address, sent = row_form(client, page, made, "fotos", "review")
    assert sent["copies"] == "2"
    wrong = page(client.post(address, data=sent | {"status": "aceito", "copies": "3"}), 422)
    assert wrong.error_of(f"copies-{address.rsplit('/', 1)[1]}") == "As vias vão de 1 a 2."
    client.post(address, data=sent | {"status": "aceito", "copies": "1"})
    assert "Falta" in words(page(client.get(here(made))).one(".//tr[@id='documento-fotos']"))
    beside = page(client.get(address)).form(address)
    client.post(address, data=beside | {"status": "aceito", "copies": "2"})
    assert "Aceito" in words(page(client.get(here(made))).one(".//tr[@id='documento-fotos']"))
