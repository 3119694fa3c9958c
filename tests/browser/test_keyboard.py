"""By keyboard alone: log-in, search, the order of the task, the first bad field, a focus that is always seen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.installation import PASSWORD, Installation
from tests.browser.screens import inspection, request
from tests.browser.window import Window

Visit = Callable[..., Window]
_FOCUS = """() => {
  const it = document.activeElement, box = it.getBoundingClientRect();
  const label = it.labels?.[0];
  const at = (share) => document.elementFromPoint(box.left + box.width * share, box.top + box.height / 2);
  const shows = (top) => [[it, top], [top, it], [label, top]].some(([a, b]) => a?.contains(b));
  return {
    tag: it.tagName, id: it.id, text: (it.getAttribute('aria-label') ?? it.innerText ?? '').trim(),
    inside: it.closest('section')?.id ?? '',
    seen: it.matches('body, .skip') || [0.1, 0.5, 0.9].some((share) => at(share) && shows(at(share))),
  };
}"""


def tab(window: Window, times: int) -> list[dict[str, str]]:
    """Where the focus goes at each press of Tab."""
    passed = []
    for _ in range(times):
        window.page.keyboard.press("Tab")
        passed.append(window.page.evaluate(_FOCUS))
    return passed


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_log_in(site: Installation, visit: Visit, scripts: bool) -> None:
    window = visit(site, scripts=scripts).go("/entrar")
    keys = window.page.keyboard
    assert tab(window, 1)[0]["text"] == "Ir para o conteúdo"
    keys.press("Enter")
    assert tab(window, 1)[0]["id"] == "username"
    keys.type("analista.emtu")
    assert tab(window, 1)[0]["id"] == "password"
    keys.type("errada")
    with window.expecting(422):
        keys.press("Enter")
        window.shows("senha")
    window.look()
    assert window.page.title().startswith("Erro: ")
    assert window.box("Usuário").input_value() == "analista.emtu"
    window.box("Senha").focus()
    keys.type(PASSWORD)
    keys.press("Enter")
    window.page.wait_for_url("**/inicio")
    assert "Marina" in window.look().heading


def test_a_slash_searches_and_the_arrows_choose(site: Installation, visit: Visit) -> None:
    window = visit(site, "analista.emtu").go("/requerimentos/novo")
    keys = window.page.keyboard
    keys.press("/")
    assert window.page.evaluate(_FOCUS)["id"] == "busca"
    keys.type("RZT6B18")
    options = window.page.locator("#busca-lista [role=option]")
    expect(options.first).to_be_visible()
    assert window.box("Buscar placa, CPF, CNPJ, nome ou número").get_attribute("aria-expanded") == "true"
    keys.press("Escape")
    expect(options.first).to_be_hidden()
    keys.press("Backspace")
    expect(options.first).to_be_visible()
    keys.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    window.look()
    keys.press("Enter")
    window.page.wait_for_url(lambda url: "/novo" not in url)
    assert "RZT6B18" in window.look().text()


def test_a_slash_in_a_field_is_a_slash_and_the_shortcut_can_be_switched_off(site: Installation, visit: Visit) -> None:
    window = visit(site, "analista.emtu").go("/pessoas")
    field = window.page.locator("#q")
    field.focus()
    window.page.keyboard.type("30/11")
    assert field.input_value() == "30/11"
    window.go("/requerimentos/novo")
    window.page.locator("details.who summary").click()
    window.press("Desligar o atalho /")
    window.page.keyboard.press("Escape")
    window.page.locator("h1").click()
    window.page.keyboard.press("/")
    assert window.page.evaluate(_FOCUS)["id"] != "busca"


def test_the_next_step_comes_before_what_lies_below(site: Installation, visit: Visit) -> None:
    window = visit(site, "analista.emtu")
    with site.store.reading() as session:
        window.go(f"/requerimentos/{request('em_analise')(session)}")
    window.page.locator("main").focus()
    passed = tab(window, 30)
    places = [each["inside"] for each in passed]
    assert "Registrar exigência" in [each["text"] for each in passed]
    assert places.index("proximo") < places.index("apontamentos") < places.index("documentos")


@pytest.mark.parametrize(
    ("user", "path", "find"),
    [
        ("analista.emtu", "/requerimentos/{}", request("em_analise")),
        ("vistoriador.emtu", "/vistorias/{}", inspection("marcada")),
        ("atendente.emtu", "/requerimentos/{}", request("rascunho")),
        ("tesouraria.emtu", "/tesouraria", lambda _: ""),
    ],
    ids=["request", "checklist", "draft", "treasury"],
)
@pytest.mark.parametrize("width", [390, 1024])
def test_the_focus_is_always_seen(
    site: Installation, visit: Visit, user: str, path: str, find: Callable[..., object], width: int
) -> None:
    window = visit(site, user, width=width, height=600)
    with site.store.reading() as session:
        window.go(path.format(find(session)))
    hidden = [each for each in tab(window, 45) if not each["seen"]]
    assert not hidden, hidden


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_the_focus_goes_to_the_first_bad_field(site: Installation, visit: Visit, scripts: bool) -> None:
    window = visit(site, "atendente.emtu", scripts=scripts).go("/veiculos/novo")
    window.write("Placa", "ABC")
    window.write("Portas", "0")
    window.write("Marca", "Volare")
    window.press("Cadastrar", None, 422)
    assert window.page.evaluate(_FOCUS)["id"] == "plate"
    window.shows("Corrija 2 campos")
    assert window.box("Marca").input_value() == "Volare"
    window.page.get_by_role("link", name="Portas").first.click()
    assert window.page.evaluate(_FOCUS)["id"] == "doors"
