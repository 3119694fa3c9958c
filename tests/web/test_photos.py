"""Photos of what failed on screen: a tap at a time with htmx, one form without; seen by whom inspections are for."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest

from registry.services import inspection_photos
from registry.store.inspections import Inspection
from tests.factories import OTHER, PORT
from tests.services import steps
from tests.web import boats
from tests.web.boats import HX
from tests.web.conftest import MOST_QUERIES

settings, host, desk, jonas = boats.settings, boats.host, boats.desk, boats.jonas
TAP = HX | {"HX-Target": "item-1"}
JPEG, PNG = b"\xff\xd8\xff\xe0 a photo", b"\x89PNG\r\n\x1a\n another"


@pytest.fixture
def inspection_id(desk: Any, jonas: Any) -> int:
    return steps.book(desk, jonas, boats.paid(desk, jonas))


@pytest.fixture
def edson(client_as: Any) -> Any:
    return client_as("vistoriador", authority=PORT, name="Edson Lira")


def items(desk: Any, inspection_id: int) -> dict[str, Any]:
    with desk.store.reading() as session:
        return dict(session.get_one(Inspection, inspection_id).items)


def sent(page: Any, client: Any, inspection_id: int, **typed: Any) -> dict[str, Any]:
    form = page(client.get(f"/vistorias/{inspection_id}")).form(f"/vistorias/{inspection_id}")
    return {name: value for name, value in form.items() if not name.startswith("f-")} | typed


def test_without_javascript_the_form_takes_ticks_and_photos_at_once(edson, page, desk, inspection_id, queries) -> None:
    here = f"/vistorias/{inspection_id}"
    box = page(edson.get(here)).one(".//input[@name='f-casco']")
    assert (box.get("accept"), box.get("capture"), box.get("multiple") is not None) == ("image/*", "environment", True)
    photos = [(BytesIO(JPEG), "a.jpg"), (BytesIO(PNG), "b.png")]
    ticked = {"r-casco": "falha", "m-casco": "Trinca", "r-coletes": "ok", "f-coletes": (BytesIO(JPEG), "c.jpg")}
    answer = edson.post(here, data=sent(page, edson, inspection_id, **ticked, **{"f-casco": photos}))
    assert answer.status_code == 303, answer.text[:2000]
    first, second = items(desk, inspection_id)["casco"]["photos"]
    assert "photos" not in items(desk, inspection_id)["coletes"], "a photo counts only beside a failure"
    queries()
    shown = page(edson.get(here))
    assert len(queries()) <= MOST_QUERIES
    assert [img.get("src") for img in shown.all(".//img")] == [f"{here}/fotos/{first}", f"{here}/fotos/{second}"]
    seen = edson.get(f"{here}/fotos/{second}")
    assert seen.data == PNG and seen.mimetype == "image/png" and "private" in seen.headers["Cache-Control"]
    edson.post(f"{here}/concluir", data=shown.form(here))
    done = page(edson.get(here))
    assert "Tirar" not in done.text and len(done.all(".//img")) == 2


def test_a_tap_keeps_the_photo_before_its_reason_is_written(edson, page, desk, inspection_id) -> None:
    tap = f"/vistorias/{inspection_id}/itens/casco"
    data = sent(page, edson, inspection_id, **{"r-casco": "falha", "f-casco": (BytesIO(JPEG), "a.jpg")})
    shown = page(edson.post(tap, data=data, headers=TAP))
    assert shown.is_fragment and "Escreva o que falhou" in shown.text and "0 de 2" in shown.text
    assert len(shown.all(".//img")) == 1 and items(desk, inspection_id)["casco"]["result"] == ""
    field = shown.one(".//fieldset")
    assert field.get("hx-encoding") == "multipart/form-data" and "f-casco" in field.get("hx-params").split(",")
    data = sent(page, edson, inspection_id, **{"r-casco": "falha", "m-casco": "Trinca"})
    shown = page(edson.post(tap, data=data, headers=TAP))
    assert "1 de 2" in shown.text and len(shown.all(".//img")) == 1


def test_what_is_no_photo_is_told_beside_the_item_and_the_ticks_stay(edson, page, desk, inspection_id) -> None:
    here = f"/vistorias/{inspection_id}"
    ticked = {"r-casco": "falha", "m-casco": "Trinca", "r-coletes": "ok", "f-casco": (BytesIO(b"%PDF-1.7"), "a.jpg")}
    shown = page(edson.post(here, data=sent(page, edson, inspection_id, **ticked)), 422)
    assert "não é foto em JPEG nem em PNG" in shown.text
    assert items(desk, inspection_id)["casco"]["reason"] == "Trinca"
    again = shown.form(here)
    assert again["r-casco"] == "falha" and again["m-casco"] == "Trinca"


def test_a_photo_above_the_limit_is_413(edson, page, desk, inspection_id) -> None:
    big = (BytesIO(JPEG + bytes(desk.settings.upload_limit)), "a.jpg")
    tap = f"/vistorias/{inspection_id}/itens/casco"
    data = sent(page, edson, inspection_id, **{"r-casco": "falha", "m-casco": "Trinca", "f-casco": big})
    shown = page(edson.post(tap, data=data, headers=TAP), 413)
    assert "O limite é 20 MB" in shown.text


def test_a_wrong_photo_is_taken_off_with_the_reason(edson, page, desk, jonas, inspection_id) -> None:
    here = f"/vistorias/{inspection_id}"
    inspection_photos.add_photo(jonas.occasion(), desk, inspection_id, "casco", BytesIO(JPEG), "a.jpg")
    leave = next(href for text, href in page(edson.get(here)).links().items() if text.startswith("Tirar"))
    form = page(edson.get(leave))
    assert "Escreva o motivo" in page(edson.post(leave, data=form.form(leave)), 422).error_of("reason")
    answer = edson.post(leave, data=form.form(leave) | {"reason": "Outra barca"})
    assert answer.status_code == 303 and answer.location.endswith("#item-1")
    assert items(desk, inspection_id)["casco"]["photos"] == []
    page(edson.get(leave), 404)


def test_who_may_see_the_inspection_sees_its_photos_and_no_one_else(
    client_as, visitor, page, desk, jonas, inspection_id
) -> None:
    photo = inspection_photos.add_photo(jonas.occasion(), desk, inspection_id, "casco", BytesIO(JPEG), "a.jpg")
    here = f"/vistorias/{inspection_id}/fotos/{photo}"
    for role, status in (("analista", 200), ("auditor", 200), ("tesouraria", 403)):
        assert client_as(role, authority=PORT).get(here).status_code == status, role
    assert client_as("vistoriador", authority=OTHER).get(here).status_code == 404
    assert client_as("analista", authority=PORT).get(f"/vistorias/{inspection_id}/fotos/99").status_code == 404
    assert visitor.get(here).status_code in (302, 303, 401)
    page(client_as("analista", authority=PORT).get(f"{here}/tirar"), 403)


def test_request_and_vehicle_lead_to_the_photos(client_as, page, desk, jonas, inspection_id) -> None:
    inspection_photos.add_photo(jonas.occasion(), desk, inspection_id, "casco", BytesIO(JPEG), "a.jpg")
    with desk.store.reading() as session:
        row = session.get_one(Inspection, inspection_id)
        request_id, vehicle_id = row.request_id, row.vehicle_id
    client = client_as("analista", authority=PORT)
    for address in (f"/requerimentos/{request_id}", f"/veiculos/{vehicle_id}"):
        shown = page(client.get(address))
        assert shown.links()["1 foto do que falhou"] == f"/vistorias/{inspection_id}", address
    assert "Foto de falha juntada: Casco" in page(client.get(f"/requerimentos/{request_id}")).text
