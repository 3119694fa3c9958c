"""What htmx brings: faults beside their field, errors that never nest a page, Back, a session that ended."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Response
from playwright.sync_api import expect

from registry.web.access import access
from tests.browser.installation import PASSWORD, Installation
from tests.browser.screens import person
from tests.browser.window import Window

Visit = Callable[..., Window]
_SWAP = "([path]) => htmx.ajax('GET', path, { target: '#ficha', swap: 'outerHTML' })"


def test_a_bad_plate_is_told_beside_its_field_and_nothing_typed_is_lost(site: Installation, visit: Visit) -> None:
    window = visit(site, "atendente.emtu").go("/veiculos/novo")
    window.write("Marca", "Volare")
    window.write("Placa", "PGT4HB7")
    expect(window.page.locator("#plate-erro")).to_contain_text("a 6ª posição é um número, e você digitou a letra B")
    assert (window.box("Marca").input_value(), window.box("Placa").input_value()) == ("Volare", "PGT4HB7")
    window.look()
    window.press("Usar PGT4H87")
    assert window.page.evaluate("() => document.activeElement.id") == "plate"
    assert window.box("Placa").input_value() == "PGT4H87" and window.box("Marca").input_value() == "Volare"


@pytest.mark.parametrize(("path", "status", "said"), [("/nada", 404, "Não achamos"), ("/broken", 500, "Algo falhou")])
def test_an_error_inside_a_fragment_brings_no_second_page(
    site: Installation, visit: Visit, path: str, status: int, said: str
) -> None:
    @access.public
    def broken() -> Response:
        raise ZeroDivisionError

    site.app.add_url_rule("/broken", view_func=broken)
    window = visit(site, "atendente.emtu")
    with site.store.reading() as session:
        window.go(f"/pessoas/{person('natural')(session)}")
    before = window.text("#ficha")
    with window.expecting(status):
        window.page.evaluate(_SWAP, [path])
        expect(window.page.locator("#aviso")).to_contain_text(said)
    window.look()
    assert window.text("#ficha") == before
    assert window.page.locator("header.bar").count() == 1


def test_back_returns_to_the_filtered_list(site: Installation, visit: Visit) -> None:
    window = visit(site, "atendente.emtu").go("/pessoas")
    window.page.locator("#q").press_sequentially("silva")
    window.page.wait_for_url("**/pessoas?q=silva*")
    window.look()
    listed = window.text("#resultado")
    window.page.locator("#resultado tbody a").first.click()
    window.look()
    window.page.go_back()
    window.look()
    assert "q=silva" in window.path and window.text("#resultado") == listed
    assert window.page.locator("#q").input_value() == "silva"
    assert window.page.locator("header.bar").count() == 1


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_a_session_that_ended_keeps_what_was_typed(site: Installation, visit: Visit, scripts: bool) -> None:
    window = visit(site, "atendente.emtu", scripts=scripts)
    with site.store.reading() as session:
        path = f"/pessoas/{person('natural')(session)}"
    window.go(f"{path}/alterar/contato")
    window.write("Endereço", "Rua da Aurora, 325")
    site.clock.ahead(hours=9)
    window.press("Gravar contato", None, 401)
    if scripts:
        window.shows("Sua sessão terminou")
        assert window.box("Endereço").input_value() == "Rua da Aurora, 325"
        return
    window.shows("o que você digitou está guardado")
    window.write("Usuário", "atendente.emtu")
    window.write("Senha", PASSWORD)
    window.press("Entrar")
    window.press("Continuar de onde parei")
    assert "Rua da Aurora, 325" in window.go(path).text("#ficha")
