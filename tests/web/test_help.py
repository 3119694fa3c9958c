"""The help: a page a screen, linked from the screen, readable before log-in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from registry import resources
from registry.web.access import PUBLIC, marks
from registry.web.help.pages import INDEX, page_of, read_pages

CODES = sorted(path.stem for path in resources.help_pages().glob("*.md") if path.stem != INDEX)
WITHOUT_SCREENS = {"help", "health", ""}


@pytest.mark.parametrize("code", CODES)
def test_every_page_opens_for_staff_and_visitors_and_its_links_lead_somewhere(client_as, visitor, page, code) -> None:
    shown = page(visitor.get(f"/ajuda/{code}"))
    assert shown.h1 == read_pages(resources.help_pages())[code].title
    client = client_as("atendente")
    inside = page(client.get(f"/ajuda/{code}"))
    assert inside.h1 == shown.h1
    for address in {a.split("#")[0] for a in inside.links().values() if a.startswith("/ajuda")}:
        assert client.get(address).status_code == 200, address


def test_the_index_lists_every_page(visitor, page) -> None:
    shown = page(visitor.get("/ajuda"))
    assert {f"/ajuda/{code}" for code in CODES} <= set(shown.links().values())


def test_no_page_but_those_there_are(visitor) -> None:
    for code in ("README", "nada", "..%2F..%2Fetc", "pessoas.md"):
        assert visitor.get(f"/ajuda/{code}").status_code == 404


def test_each_screen_leads_to_its_own_page(client_as, page) -> None:
    assert page(client_as("atendente").get("/pessoas")).links()["Ajuda"] == "/ajuda/pessoas"
    assert page(client_as("tesouraria").get("/tesouraria")).links()["Ajuda"] == "/ajuda/tesouraria"
    assert page(client_as("administrador").get("/administracao/usuarios")).links()["Ajuda"] == "/ajuda/administracao"


def test_the_look_up_leads_to_its_help(visitor, page) -> None:
    assert page(visitor.get("/consulta")).links()["Ajuda"] == "/ajuda/consulta"


def test_every_blueprint_with_staff_screens_has_a_page(app) -> None:
    """A screen of the core without a page of help, or a page for a screen that is gone, is a fault."""
    ours = {name for name, each in app.blueprints.items() if each.import_name.startswith("registry.")}
    staffed = {endpoint.rpartition(".")[0] for endpoint, mark in marks(app).items() if mark != PUBLIC}
    folder = resources.help_pages()
    missing = {name for name in ours & staffed - WITHOUT_SCREENS if page_of(folder, name) is None}
    assert missing == set()
    told = {name for each in read_pages(folder).values() for name in each.screens}
    assert told <= set(app.blueprints)


def test_html_in_a_page_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text(
        "<!-- screens: a b -->\n# Tudo\n<script>alert(1)</script> [y](y.md#z) [i](README.md)\n"
    )
    found = read_pages(tmp_path)["x"]
    assert (found.title, found.screens) == ("Tudo", ("a", "b"))
    assert "<script>" not in found.html
    assert re.findall(r'href="([^"]+)"', found.html) == ["/ajuda/y#z", "/ajuda"]
