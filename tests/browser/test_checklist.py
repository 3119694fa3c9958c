"""The checklist in a yard: gloved fingers, no signal."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import select

from registry.store.inspections import Inspection
from tests.browser.installation import Installation
from tests.browser.window import OFFLINE, Window

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
    with window.expecting(OFFLINE):
        window.page.context.set_offline(True)
        tap("label[for=i-2-ok]").click()
        window.shows("1 item guardado neste aparelho", "#guardados")
        tap("label[for=i-3-falha]").click()
        window.put(tap("#i-3-m"), "Logotipo apagado")
        window.shows("Sem sinal. 2 itens guardados neste aparelho. Enviamos quando a conexão voltar.", "#guardados")
        assert set(items(site, inspection_id).values()) == {"ok"}
        window.look()
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
