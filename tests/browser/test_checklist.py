"""The checklist in a yard: gloved fingers, no signal."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable

from sqlalchemy import select

from registry.store.inspections import Inspection
from tests.browser.installation import Installation
from tests.browser.window import OFFLINE, Window

Visit = Callable[..., Window]
PHOTO = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
"""One pixel."""


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


def test_a_photo_goes_at_once_before_its_reason_and_waits_for_a_signal(site: Installation, visit: Visit) -> None:
    inspection_id = booked(site)
    window = visit(site, "vistoriador.emtu", width=390, height=800)
    window.go(f"/vistorias/{inspection_id}")
    page = window.page
    page.locator("label[for=i-1-falha]").click()
    window.rest()
    page.locator("#i-1-f").set_input_files({"name": "IMG_1.png", "mimeType": "image/png", "buffer": PHOTO})
    page.locator("#item-1 .photos img").wait_for()
    assert "Escreva o que falhou" in page.locator("#item-1").inner_text()
    window.put(page.locator("#i-1-m"), "Trinca")
    window.shows("1 de 12", "#contagem")
    assert page.locator("#item-1 .photos img").count() == 1
    window.look()
    page.locator("label[for=i-2-falha]").click()
    window.rest()
    with window.expecting(OFFLINE):
        page.context.set_offline(True)
        page.locator("#i-2-f").set_input_files({"name": "IMG_2.png", "mimeType": "image/png", "buffer": PHOTO + b"2"})
        window.shows("As fotos esperam nesta página: não a feche.", "#guardados")
    page.context.set_offline(False)
    page.locator("#item-2 .photos img").wait_for()
    assert page.locator("#i-2-f").input_value() == ""
