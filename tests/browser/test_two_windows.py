"""Two people, or one who clicks twice: both values of a stale edit, one result of a repeated act."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.store.charges import Receipt
from registry.store.permits import Permit
from registry.store.requests import Decision
from tests.browser.installation import Installation
from tests.browser.screens import person, request
from tests.browser.window import Window

Visit = Callable[..., Window]
BOTH = pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])


def count(site: Installation, table: Any) -> int:
    with site.store.reading() as session:
        return int(session.scalar(select(func.count()).select_from(table)) or 0)


@BOTH
def test_a_stale_edit_shows_both_values_and_keeps_what_is_chosen(
    site: Installation, visit: Visit, scripts: bool
) -> None:
    with site.store.reading() as session:
        path = f"/pessoas/{person('natural')(session)}"
    mine, theirs = (visit(site, user, scripts=scripts) for user in ("atendente.emtu", "analista.emtu"))
    for window in (mine, theirs):
        window.go(path)
        window.page.locator("#parte-contato").get_by_role("link").click()
        window.look()
    theirs.write("Telefone", "(81) 3000-0001")
    theirs.write("E-mail", "deles@exemplo.com.br")
    theirs.press("Gravar contato")
    mine.write("Telefone", "(81) 3000-0002")
    mine.write("E-mail", "meu@exemplo.com.br")
    mine.press("Gravar contato", None, 409)
    said = mine.text()
    assert all(each in said for each in ("(81) 3000-0001", "(81) 3000-0002", "Marina", "10h42")), said
    rows = mine.page.locator("table.choose tbody tr")
    assert rows.count() == 2
    rows.filter(has_text="Telefone").get_by_text("(81) 3000-0002").click()
    rows.filter(has_text="E-mail").get_by_text("deles@exemplo.com.br").click()
    mine.press("Gravar escolhas")
    kept = mine.go(path).text("#ficha")
    assert "(81) 3000-0002" in kept and "deles@exemplo.com.br" in kept


@BOTH
def test_a_double_click_on_receive_gives_one_receipt(site: Installation, visit: Visit, scripts: bool) -> None:
    with site.store.reading() as session:
        path = f"/tesouraria/requerimento/{request('aguarda_pagamento')(session)}"
    before = count(site, Receipt)
    window = visit(site, "tesouraria.emtu", scripts=scripts).go(path)
    window.write("Forma de pagamento", "Pix")
    window.button("Receber e emitir recibo").dblclick()
    window.page.wait_for_url("**/recibos/*")
    window.look().shows("Recibo nº")
    assert count(site, Receipt) == before + 1
    assert window.go(path).page.locator("[name=charge]").count() == 0


@BOTH
def test_a_double_click_on_grant_gives_one_permit(site: Installation, visit: Visit, scripts: bool) -> None:
    with site.store.reading() as session:
        path = f"/requerimentos/{request('pronto')(session)}/decisao"
    before = (count(site, Decision), count(site, Permit))
    rita, late = (visit(site, "diretor.emtu", scripts=scripts) for _ in range(2))
    for window in (rita, late):
        window.go(path).page.get_by_label("Deferir", exact=True).check()
        window.press("Conferir antes de decidir")
    rita.button("Deferir").dblclick()
    rita.shows("Decidido por")
    rita.look()
    late.press("Deferir")
    late.shows("Nada se repetiu")
    after = (count(site, Decision), count(site, Permit))
    assert after[0] == before[0] + 1 and after[1] <= before[1] + 1
    assert "Decidido por" in late.go(path).text()
