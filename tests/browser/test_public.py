"""The public look-up, as a passenger with a phone sees it: with scripts and without it is the same page."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.installation import Installation
from tests.browser.screens import plate
from tests.browser.window import Window

Visit = Callable[..., Window]
BOTH = pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
PHONE = {"width": 390, "height": 844}
_PRINTED = "each => each.checkVisibility({ contentVisibilityAuto: true, contentVisibilityProperty: true })"


@BOTH
def test_a_plate_is_found_however_it_is_typed(site: Installation, visit: Visit, scripts: bool) -> None:
    with site.store.reading() as session:
        known = plate("recife")(session)
    window = visit(site, scripts=scripts, **PHONE).go("/consulta")
    window.write("Placa", f" {known[:3].lower()}–{known[3:]} ")
    window.press("Consultar")
    assert known in window.heading and "Autorizado" in window.heading
    assert "placa=" in window.path
    answered = window.text()
    twin = f"{known[:4]}{'ABCDEFGHIJ'.index(known[4])}{known[5:]}"
    assert window.go(f"/consulta?placa={twin}").text().partition("Autorizado")[2] == answered.partition("Autorizado")[2]


@BOTH
def test_a_plate_that_cannot_exist_is_told_beside_its_field(site: Installation, visit: Visit, scripts: bool) -> None:
    window = visit(site, scripts=scripts, **PHONE).go("/consulta")
    window.write("Placa", "PGT4HB7")
    window.press("Consultar", None, 422)
    assert window.page.title().startswith("Erro: ")
    window.shows("Confira a placa: a 6ª posição é um número, e você digitou a letra B.", "#placa-erro")
    assert window.page.evaluate("() => document.activeElement.id") == "placa"
    assert window.box("Placa").input_value() == "PGT4HB7"
    window.follow_first("Consultar PGT4H87")
    assert "PGT4H87" in window.heading


@BOTH
def test_a_plate_that_can_exist_is_never_mended(site: Installation, visit: Visit, scripts: bool) -> None:
    window = visit(site, scripts=scripts, **PHONE).go("/consulta?placa=PEZ0O00")
    assert "PEZ0O00" in window.heading and window.page.locator("#placa-erro, .fix").count() == 0


@BOTH
def test_who_may_not_carry_is_told_why_and_what_to_do(site: Installation, visit: Visit, scripts: bool) -> None:
    with site.store.reading() as session:
        window = visit(site, scripts=scripts, **PHONE).go(f"/consulta?placa={plate('emtu')(session)}")
    assert window.heading.endswith("Não autorizado")
    said = window.text()
    assert all(each in said for each in ("Motivo", "Art. 219", "O que você pode fazer", "12/11/2026")), said
    assert window.page.locator("details.why").get_attribute("open") is not None
    window.follow("Consultar outra placa")
    assert window.path == "/consulta"


@BOTH
def test_a_past_day_is_answered_as_it_was(site: Installation, visit: Visit, scripts: bool) -> None:
    with site.store.reading() as session:
        known = plate("emtu")(session)
    window = visit(site, scripts=scripts, **PHONE).go("/consulta")
    window.write("Placa", known)
    window.page.get_by_text("Ver como estava em outro dia").click()
    window.write("Dia (se não for hoje)", "12/11/2026")
    window.press("Consultar")
    assert window.heading.endswith("Autorizado") and not window.heading.endswith("Não autorizado")
    window.shows("Como estava em 12/11/2026")
    assert window.go(f"/consulta?placa={known}&em=13/11/2026").heading.endswith("Não autorizado")


def test_paper_shows_what_was_checked(site: Installation, visit: Visit) -> None:
    with site.store.reading() as session:
        window = visit(site, **PHONE).go(f"/consulta?placa={plate('recife')(session)}")
    body = window.page.locator("details.why .body").first
    assert not body.evaluate(_PRINTED)
    window.page.emulate_media(media="print")
    assert body.evaluate(_PRINTED)


def test_the_public_page_needs_no_script_and_little_else(site: Installation, visit: Visit) -> None:
    window = visit(site, **PHONE)
    fetched: list[str] = []
    window.page.on("request", lambda request: fetched.append(request.resource_type))
    window.go("/consulta")
    assert window.page.locator("script").count() == 0
    assert fetched.count("stylesheet") == 4 and "script" not in fetched
