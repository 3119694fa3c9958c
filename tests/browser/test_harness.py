"""What these tests lean on would notice: each planted fault is found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Response

from registry.web.access import access
from tests.browser.installation import Installation
from tests.browser.test_screens import LEAST, ROOM
from tests.browser.window import Window

FAULTY = """<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><title>Planted – here</title></head><body>
<header class="top"></header><main><h1>One</h1><h1>Two</h1><p id="a"></p><p id="a"></p>
<img src="http://127.0.0.2:9/far.png"><button style="width:5px;height:5px;padding:0"></button>
<script>window.planted = true;</script><b><p></b>
</main></body></html>"""


@pytest.fixture
def planted(new_site: Installation) -> Installation:
    """An installation with a page full of faults and one that breaks."""

    @access.public
    def faulty() -> Response:
        return Response(FAULTY, mimetype="text/html")

    @access.public
    def broken() -> Response:
        raise ZeroDivisionError

    new_site.app.add_url_rule("/planted", view_func=faulty)
    new_site.app.add_url_rule("/broken", view_func=broken)
    return new_site


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_every_planted_fault_is_found(planted: Installation, visit: Callable[..., Window], scripts: bool) -> None:
    window = visit(planted, scripts=scripts, width=320)
    window.go("/planted")
    window.go("/broken")
    found = "\n".join(window.faults)
    window.faults.clear()
    wanted = ["'h1': 2", "'a'", "image-alt", "button-name", "leaves this computer", "500 GET", "HTML line"]
    wanted += ["console: Executing inline script violates"] if scripts else []
    assert [each for each in wanted if each not in found] == [], found


def test_a_page_too_wide_a_button_too_small_and_words_outside_their_box_are_found(
    planted: Installation, visit: Callable[..., Window]
) -> None:
    window = visit(planted, width=320, checked=False)
    window.page.goto(planted.address + "/consulta")
    assert window.page.evaluate(ROOM, LEAST) == {"wide": 0, "small": [], "out": [], "burst": [], "broken": []}
    small = "{ const it = document.querySelector('button'); it.style.width = '10px'; it.style.padding = 0; }"
    window.page.evaluate(f"() => {small}")
    window.page.evaluate("() => { document.querySelector('main').style.width = '900px' }")
    burst = "{ const it = document.querySelector('p.lead'); it.style.width = '20px'; it.style.whiteSpace = 'nowrap'; }"
    window.page.evaluate(f"() => {burst}")
    broken = "{ const it = document.querySelector('h1'); it.style.width = '40px'; it.style.overflowWrap = 'anywhere'; }"
    window.page.evaluate(f"() => {broken}")
    found = window.page.evaluate(ROOM, LEAST)
    assert "passageiros" in found["broken"] or "veículo" in found["broken"], found
    assert found["wide"] > 0 and len(found["small"]) == 1 and len(found["burst"]) == 1, found
