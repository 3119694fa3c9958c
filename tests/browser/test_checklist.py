"""The checklist in a yard without a signal, and the other acts' pages as a browser shows them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import select

from registry.store.inspections import Inspection
from registry.store.requests import Request
from tests.browser.installation import Installation
from tests.browser.window import Window

Visit = Callable[..., Window]


def booked(site: Installation) -> int:
    """An inspection that is booked and not begun."""
    with site.store.reading() as session:
        query = select(Inspection.id).where(Inspection.authority == "emtu", Inspection.state == "marcada")
        return session.scalars(query.order_by(Inspection.id)).first() or 0


def items(site: Installation, inspection_id: int) -> dict[str, str]:
    """What is marked, by item."""
    with site.store.reading() as session:
        return {code: item["result"] for code, item in session.get_one(Inspection, inspection_id).items.items()}


def test_taps_without_a_signal_are_kept_and_sent_later(site: Installation, visit: Visit) -> None:
    inspection_id = booked(site)
    window = visit(site, "vistoriador.emtu", width=820, height=1180)
    window.go(f"/vistorias/{inspection_id}")
    tap = window.page.locator
    tap("label[for=i-1-ok]").click()
    window.shows("1 de 12", "#contagem")
    window.page.context.set_offline(True)
    tap("label[for=i-2-ok]").click()
    window.shows("1 item guardado neste aparelho", "#guardados")
    tap("label[for=i-3-falha]").click()
    window.put(tap("#i-3-m"), "Logotipo apagado")
    window.shows("Sem sinal. 2 itens guardados neste aparelho. Enviamos quando a conexão voltar.", "#guardados")
    assert set(items(site, inspection_id).values()) == {"ok"}
    window.faults[:] = [fault for fault in window.faults if "htmx:" not in fault]
    window.page.context.set_offline(False)
    window.shows("3 de 12", "#contagem")
    window.look()
    assert sorted(items(site, inspection_id).values()) == ["falha", "ok", "ok"]
    assert tap("#i-3-m").input_value() == "Logotipo apagado"
    assert tap("#guardados").is_hidden()


def test_a_failure_opens_its_reason_where_the_finger_is(site: Installation, visit: Visit) -> None:
    inspection_id = booked(site)
    window = visit(site, "vistoriador.emtu", width=390, height=800)
    window.go(f"/vistorias/{inspection_id}")
    reason = window.page.locator("#i-1-m")
    assert reason.is_hidden()
    window.page.locator("label[for=i-1-falha]").click()
    reason.wait_for(state="visible")
    window.look()
    assert items(site, inspection_id) == {}
    box = window.page.locator("label[for=i-1-ok]").bounding_box()
    assert box is not None and box["height"] >= 48


@pytest.mark.parametrize("width", [390, 1280])
def test_the_pages_of_acts_are_in_order(site: Installation, visit: Visit, width: int) -> None:
    with site.store.reading() as session:
        ready = session.scalars(
            select(Request.id).where(Request.authority == "emtu", Request.shown == "pronto")
        ).first()
        owing = session.scalars(
            select(Request.id).where(Request.authority == "emtu", Request.shown == "aguarda_pagamento")
        ).first()
    pages = {
        "vistoriador.emtu": ["/vistorias", f"/vistorias/{booked(site)}"],
        "atendente.emtu": [f"/vistorias/marcar/{owing}", f"/vistorias/{booked(site)}/remarcar"],
        "diretor.emtu": [
            "/decisoes",
            f"/requerimentos/{ready}/decisao",
            "/indices",
            "/indices/valor/custo_km",
            "/indices/dias",
        ],
        "tesouraria.emtu": [
            "/tesouraria",
            f"/tesouraria/requerimento/{owing}",
            "/tesouraria/recibos/1",
            "/tesouraria/caixa",
        ],
        "administrador.emtu": ["/administracao/usuarios", "/administracao/usuarios/1", "/administracao/modulos"],
    }
    for user, addresses in pages.items():
        window = visit(site, user, width=width)
        for address in addresses:
            window.go(address)
            wide = window.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{address} is {wide} wide"
