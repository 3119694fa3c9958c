from __future__ import annotations

from datetime import date, timedelta
from io import BytesIO
from pathlib import Path

import pytest
from sqlalchemy import select

from registry.services.desk import Desk
from registry.services.documents import attach_document, open_document, review_document, waive_document
from registry.services.errors import AlreadyDone, NotAllowed, NotFound, Refused, Stale, TooBig
from registry.services.request_page import request_page
from registry.services.request_view import DocumentLine
from registry.services.requests import open_request, withdraw_request
from registry.services.vault import media_type_of, safe_name
from registry.store.audit import AuditEntry
from registry.store.requests import RequestDocument, StoredFile
from tests import factories
from tests.factories import PDF, Clerk
from tests.regime import CODE

TODAY = date(2026, 11, 30)
MIB = 1024 * 1024


def lines(desk: Desk, by: Clerk, request_id: int) -> dict[str, DocumentLine]:
    with desk.store.reading() as session:
        page = request_page(session, desk, by.occasion(), request_id)
    return {line.code: line for line in page.documents}


def test_what_an_applicant_owes_comes_by_article_with_its_status(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    shown = lines(desk, jonas, made)
    assert {code: line.status for code, line in shown.items()} == {
        "registro": "falta",
        "fotos": "falta",
        "antecedentes": "falta",
        "contrato": "dispensado",
        "laudo": "falta",
    }
    assert shown["contrato"].waived == "Só para empresa"
    factories.attach(desk, jonas, made, "antecedentes")
    assert lines(desk, jonas, made)["antecedentes"].status == "enviado"


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (PDF, "application/pdf"),
        (b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        (b"\x89PNG\r\n\x1a\nrest", "image/png"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"II*\x00rest", "image/tiff"),
        (b"MM\x00*rest", "image/tiff"),
        (b"RIFF\x10\x00\x00\x00WAVEfmt ", None),
        (b"<html>%PDF-1.4</html>", None),
        (b"PK\x03\x04", None),
        (b"MZ\x90", None),
        (b"GIF89a", None),
    ],
)
def test_a_file_is_known_by_its_content(head: bytes, media_type: str | None) -> None:
    assert media_type_of(head) == media_type


def test_what_is_no_document_is_refused_whatever_its_name(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    with pytest.raises(Refused) as refused:
        attach_document(jonas.occasion(), desk, made, "registro", BytesIO(b"MZ\x90\x00"), "registro.pdf")
    assert refused.value.fields == {"file": "Este arquivo não é PDF nem imagem."}
    with pytest.raises(Refused, match="vazio"):
        attach_document(jonas.occasion(), desk, made, "registro", BytesIO(b""), "registro.pdf")
    assert [path for path in Path(desk.files).rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(("extra", "fits"), [(-1, True), (0, True), (1, False)])
def test_twenty_mebibytes_are_the_limit(desk: Desk, jonas: Clerk, extra: int, fits: bool) -> None:
    made = factories.draft(desk, jonas)
    content = PDF.ljust(20 * MIB + extra, b" ")
    if fits:
        assert factories.attach(desk, jonas, made, "registro", content)
        return
    with pytest.raises(TooBig) as big:
        factories.attach(desk, jonas, made, "registro", content)
    assert big.value.fields["file"] == (
        "O arquivo tem 21 MB. O limite é 20 MB. Envie em partes ou com menos qualidade."
    )
    assert [path for path in Path(desk.files).rglob("*") if path.is_file()] == []


def test_the_same_content_lies_once_in_the_vault(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    factories.attach(desk, jonas, made, "registro")
    factories.attach(desk, jonas, made, "fotos")
    assert len([path for path in Path(desk.files).rglob("*") if path.is_file()]) == 1
    with desk.store.reading() as session:
        assert len(session.scalars(select(StoredFile)).all()) == 2


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("C:\\Users\\ana\\laudo.pdf", "laudo.pdf"),
        ("../../etc/passwd", "passwd"),
        ("a\r\nSet-Cookie: x.pdf", "aSet-Cookie: x.pdf"),
        ("", "documento.pdf"),
        ("...", "documento.pdf"),
        ("ção " + "x" * 300 + ".pdf", ("ção " + "x" * 300 + ".pdf")[-200:]),
    ],
)
def test_a_name_is_made_harmless(name: str, kept: str) -> None:
    assert safe_name(name, "application/pdf") == kept


def test_a_newer_paper_replaces_the_older_and_copies_add_up(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    first = factories.attach(desk, jonas, made, "registro")
    second = factories.attach(desk, jonas, made, "registro")
    photos = [factories.attach(desk, jonas, made, "fotos") for _ in range(3)]
    shown = lines(desk, jonas, made)
    assert [paper.id for paper in shown["registro"].papers] == [second] != [first]
    assert [paper.id for paper in shown["fotos"].papers] == photos[1:]
    with pytest.raises(NotFound):
        review_document(jonas.occasion(), desk, first, 1, "aceito", expires_on=TODAY)


def test_one_of_two_accepted_copies_is_still_missing_one(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    factories.accept(desk, jonas, made, "fotos")
    assert lines(desk, jonas, made)["fotos"].status == "falta"
    factories.accept(desk, jonas, made, "fotos")
    assert lines(desk, jonas, made)["fotos"].status == "aceito"


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        (None, "Informe até quando vale."),
        (TODAY - timedelta(days=1), "Venceu em 29/11/2026. Peça outro ou confira a data."),
        (TODAY, ""),
    ],
)
def test_a_paper_with_a_term_is_accepted_until_its_last_day(
    desk: Desk, jonas: Clerk, ends: date | None, text: str
) -> None:
    made = factories.draft(desk, jonas)
    document = factories.attach(desk, jonas, made, "registro")
    if text:
        with pytest.raises(Refused) as refused:
            review_document(jonas.occasion(), desk, document, 1, "aceito", expires_on=ends)
        assert refused.value.fields == {"expires_on": text}
        return
    assert review_document(jonas.occasion(), desk, document, 1, "aceito", expires_on=ends)
    with desk.store.reading() as session:
        today = request_page(session, desk, jonas.occasion(), made)
        tomorrow = request_page(session, desk, jonas.occasion(days=1), made)
    assert [page.documents[0].status for page in (today, tomorrow)] == ["aceito", "vencido"]


@pytest.mark.parametrize("status", ["com_ressalva", "recusado", "dispensado"])
def test_a_remark_a_refusal_and_a_waiver_need_their_reason(desk: Desk, jonas: Clerk, status: str) -> None:
    made = factories.draft(desk, jonas)
    document = factories.attach(desk, jonas, made, "antecedentes")
    with pytest.raises(Refused) as refused:
        review_document(jonas.occasion(), desk, document, 1, status)
    assert refused.value.fields == {"reason": "Escreva o motivo. Ele vai para o processo."}
    review_document(jonas.occasion(), desk, document, 1, status, "Nome abreviado")
    line = lines(desk, jonas, made)["antecedentes"]
    assert (line.status, line.papers[0].reason) == (status, "Nome abreviado")


def test_an_unknown_status_is_refused(desk: Desk, jonas: Clerk) -> None:
    document = factories.attach(desk, jonas, factories.draft(desk, jonas), "antecedentes")
    with pytest.raises(Refused):
        review_document(jonas.occasion(), desk, document, 1, "falta", "x")


def test_a_refused_paper_makes_room_for_the_next(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    bad = factories.attach(desk, jonas, made, "antecedentes")
    review_document(jonas.occasion(), desk, bad, 1, "recusado", "Ilegível")
    good = factories.attach(desk, jonas, made, "antecedentes")
    line = lines(desk, jonas, made)["antecedentes"]
    assert (line.status, [paper.id for paper in line.papers]) == ("enviado", [good])


def test_two_reviews_of_one_paper_show_each_other(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    document = factories.attach(desk, jonas, factories.draft(desk, jonas), "antecedentes")
    review_document(rita.occasion(), desk, document, 1, "aceito")
    with pytest.raises(Stale) as stale:
        review_document(jonas.occasion(), desk, document, 1, "recusado", "Ilegível")
    entry = next(each for each in stale.value.entries if each.field == "status")
    assert (entry.before, entry.mine, entry.theirs, stale.value.by) == ("enviado", "recusado", "aceito", "Rita")


def test_a_paper_can_be_waived_with_a_reason(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    with pytest.raises(Refused):
        waive_document(jonas.occasion(), desk, made, "antecedentes", " ")
    waive_document(jonas.occasion(), desk, made, "antecedentes", "Servidor do porto")
    assert lines(desk, jonas, made)["antecedentes"].status == "dispensado"


def test_only_what_is_owed_by_upload_is_taken(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    for code in ("laudo", "nada"):
        with pytest.raises(Refused):
            factories.attach(desk, jonas, made, code)
    empty = open_request(jonas.occasion(), desk, CODE, "novo")
    with pytest.raises(Refused, match="tipo de requerente"):
        factories.attach(desk, jonas, empty, "registro")
    withdraw_request(jonas.occasion(), desk, made, "Desistiu")
    with pytest.raises(AlreadyDone):
        factories.attach(desk, jonas, made, "registro")


def test_reading_a_restricted_paper_leaves_a_trace(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    secret = factories.attach(desk, jonas, made, "antecedentes")
    plain = factories.attach(desk, jonas, made, "registro")
    with pytest.raises(NotAllowed):
        open_document(jonas.occasion(), desk, secret, may_read_restricted=False)
    opened = open_document(jonas.occasion(), desk, secret, may_read_restricted=True)
    assert opened.restricted and opened.path.read_bytes() == PDF
    assert not open_document(jonas.occasion(), desk, plain, may_read_restricted=False).restricted
    with desk.store.reading() as session:
        reads = session.scalars(select(AuditEntry).where(AuditEntry.action == "document.read")).all()
    assert [(entry.actor, (entry.after or {})["document_id"]) for entry in reads] == [("Jonas", secret)]


def test_documents_of_another_authority_do_not_exist(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    made = factories.draft(desk, jonas)
    document = factories.attach(desk, jonas, made, "antecedentes")
    with pytest.raises(NotFound):
        factories.attach(desk, stranger, made, "registro")
    with pytest.raises(NotFound):
        review_document(stranger.occasion(), desk, document, 1, "aceito")
    with pytest.raises(NotFound):
        waive_document(stranger.occasion(), desk, made, "registro", "x")
    with pytest.raises(NotFound):
        open_document(stranger.occasion(), desk, document, may_read_restricted=True)


def test_a_repeated_click_sends_one_paper(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    ids = {
        attach_document(jonas.occasion(once_key="k"), desk, made, "fotos", BytesIO(PDF), "foto.pdf") for _ in range(2)
    }
    assert len(ids) == 1
    with desk.store.reading() as session:
        assert len(session.scalars(select(RequestDocument)).all()) == 1
