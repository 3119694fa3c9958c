"""Photos of what failed: kept before or after the reason, once each, only while the inspection is open."""

from __future__ import annotations

from io import BytesIO

import pytest

from registry.services import inspection_photos, inspections
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotFound, Refused, TooBig
from registry.services.vault import path_of
from registry.store.audit import AuditEntry
from registry.store.inspections import Inspection
from registry.store.requests import StoredFile
from tests import factories
from tests.factories import NOON, Clerk
from tests.services import steps

JPEG, PNG = b"\xff\xd8\xff\xe0 a photo", b"\x89PNG\r\n\x1a\n another"


@pytest.fixture
def inspection_id(desk: Desk, jonas: Clerk) -> int:
    request_id = factories.filed(desk, jonas)
    steps.pay(desk, jonas, request_id)
    return steps.book(desk, jonas, request_id)


def _add(desk: Desk, by: Clerk, inspection_id: int, content: bytes = JPEG, code: str = "casco") -> int:
    return inspection_photos.add_photo(by.occasion(), desk, inspection_id, code, BytesIO(content), "IMG_1.jpg")


def _items(desk: Desk, inspection_id: int) -> dict[str, object]:
    with desk.store.reading() as session:
        return dict(session.get_one(Inspection, inspection_id).items)


def test_a_photo_comes_before_or_after_the_reason_and_stays_with_the_item(
    desk: Desk, jonas: Clerk, inspection_id: int
) -> None:
    first = _add(desk, jonas, inspection_id)
    assert _add(desk, jonas, inspection_id) == first, "the same photo is the first one"
    inspections.save_item(jonas.occasion(), desk, inspection_id, 1, "casco", "falha", "Trinca")
    second = _add(desk, jonas, inspection_id, PNG)
    assert _items(desk, inspection_id)["casco"] == {
        "result": "falha", "reason": "Trinca", "version": 2, "photos": [first, second],
    }  # fmt: skip
    inspections.save_item(jonas.occasion(), desk, inspection_id, 2, "casco", "ok")
    with desk.store.reading() as session:
        page = inspections.inspection_page(session, desk, jonas.authority, inspection_id, NOON)
        assert page.items[0].photos == (first, second) and page.items[0].result == "ok"
        opened = inspection_photos.open_photo(session, desk, jonas.authority, inspection_id, second)
        assert opened.media_type == "image/png" and opened.path.read_bytes() == PNG
        kept = session.get_one(StoredFile, first)
        assert path_of(desk.files, kept.sha256).is_file() and not kept.restricted
        actions = [each.action for each in session.query(AuditEntry).filter_by(subject="inspection")]
        assert actions.count("inspection.photo_added") == 2


def test_an_item_with_a_photo_alone_is_not_marked(desk: Desk, jonas: Clerk, inspection_id: int) -> None:
    _add(desk, jonas, inspection_id)
    inspections.save_item(jonas.occasion(), desk, inspection_id, 1, "coletes", "ok")
    with desk.store.reading() as session:
        page = inspections.inspection_page(session, desk, jonas.authority, inspection_id, NOON)
        assert page.marked == 1 and page.outlook is None
    with pytest.raises(Refused) as refused:
        inspections.conclude_inspection(jonas.occasion(), desk, inspection_id, 2)
    assert set(refused.value.fields) == {"casco"}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (factories.PDF, "Este arquivo não é foto em JPEG nem em PNG."),
        (b"RIFF0000WEBP", "Este arquivo não é foto em JPEG nem em PNG."),
        (b"GIF89a", "Este arquivo não é foto em JPEG nem em PNG."),
        (b"", "O arquivo está vazio."),
    ],
)
def test_what_is_no_photo_is_refused_beside_its_item(
    desk: Desk, jonas: Clerk, inspection_id: int, content: bytes, text: str
) -> None:
    with pytest.raises(Refused) as refused:
        _add(desk, jonas, inspection_id, content)
    assert refused.value.fields == {"casco": text} and _items(desk, inspection_id) == {}


def test_a_photo_above_the_limit_and_the_eleventh(desk: Desk, jonas: Clerk, inspection_id: int) -> None:
    limit = desk.settings.upload_limit
    with pytest.raises(TooBig):
        _add(desk, jonas, inspection_id, JPEG + bytes(limit - len(JPEG) + 1))
    for number in range(inspection_photos.MOST_PHOTOS):
        _add(desk, jonas, inspection_id, JPEG + bytes([number]))
    with pytest.raises(Refused, match="já tem 10 fotos"):
        _add(desk, jonas, inspection_id, JPEG + b"one more")


def test_a_photo_is_taken_off_with_its_reason_and_stays_in_the_vault(
    desk: Desk, jonas: Clerk, inspection_id: int
) -> None:
    photo = _add(desk, jonas, inspection_id)
    with pytest.raises(Refused, match="Escreva o motivo"):
        inspection_photos.remove_photo(jonas.occasion(), desk, inspection_id, photo, " ")
    with pytest.raises(Refused, match="tem 401 letras"):
        inspection_photos.remove_photo(jonas.occasion(), desk, inspection_id, photo, "x" * 401)
    inspection_photos.remove_photo(jonas.occasion(), desk, inspection_id, photo, "Outra barca")
    with pytest.raises(NotFound):
        inspection_photos.remove_photo(jonas.occasion(), desk, inspection_id, photo, "Outra barca")
    with desk.store.reading() as session:
        with pytest.raises(NotFound):
            inspection_photos.open_photo(session, desk, jonas.authority, inspection_id, photo)
        assert path_of(desk.files, session.get_one(StoredFile, photo).sha256).is_file()


def test_no_photo_of_another_authority_inspection_item_or_after_the_end(
    desk: Desk, jonas: Clerk, stranger: Clerk, inspection_id: int
) -> None:
    photo = _add(desk, jonas, inspection_id)
    with pytest.raises(NotFound):
        _add(desk, stranger, inspection_id)
    with pytest.raises(NotFound):
        _add(desk, jonas, inspection_id, code="motor")
    with desk.store.reading() as session:
        for authority, of in ((stranger.authority, inspection_id), (jonas.authority, inspection_id + 1)):
            with pytest.raises(NotFound):
                inspection_photos.open_photo(session, desk, authority, of, photo)
    for version, code in enumerate(("casco", "coletes"), 1):
        inspections.save_item(jonas.occasion(), desk, inspection_id, version, code, "ok")
    inspections.conclude_inspection(jonas.occasion(), desk, inspection_id, 3)
    with pytest.raises(AlreadyDone):
        _add(desk, jonas, inspection_id, PNG)
    with pytest.raises(AlreadyDone):
        inspection_photos.remove_photo(jonas.occasion(), desk, inspection_id, photo, "Outra barca")
