"""Every main screen, desktop and phone: axe, no sideways scroll, room for a finger, whole words; its picture.

The pictures go to ``var/screens``.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import PICTURES
from tests.browser.installation import Installation
from tests.browser.screens import SCREENS
from tests.browser.window import Window

PHONE, DESKTOP = 390, 1280
WIDTHS = (320, PHONE, 600, 768, 1024, 1160, DESKTOP)
LEAST = 24
ROOM = r"""(least) => {
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  const seen = (each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest('.vh');
  const acts = 'button, input:not([type=hidden]), select, textarea, summary, a.br-button';
  const small = [...document.querySelectorAll(acts)]
    .filter(seen)
    .map((each) => [each, (each.closest('label') ?? each).getBoundingClientRect()])
    .filter(([, box]) => box.width > 0 && (box.width < least || box.height < least))
    .map(([each, box]) => `${each.outerHTML.slice(0, 120)} ${Math.round(box.width)} x ${Math.round(box.height)}`);
  const out = wide <= 0 ? [] : [...document.querySelectorAll('main *, header *, nav *, footer *')]
    .filter((each) => each.getBoundingClientRect().right > window.innerWidth + 1)
    .slice(-3).map((each) => each.outerHTML.slice(0, 160));
  const boxes = 'button, a.br-button, label, legend, summary, .st, th, td, dt, dd, h1, h2, h3, p';
  const burst = [...document.querySelectorAll(boxes)].filter(seen)
    .filter((each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1)
    .filter((each) => getComputedStyle(each).overflowX === 'visible')
    .map((each) => `${each.outerHTML.slice(0, 160)} ${each.scrollWidth} > ${each.clientWidth}`);
  const broken = [];
  const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (!seen(node.parentElement)) continue;
    for (const word of node.data.matchAll(/(?<!\S)[^\s@/.–-]{2,16}(?=[,.:;]*(\s|$))/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].map((each) => Math.round(each.top)));
      if (tops.size > 1) broken.push(word[0]);
    }
  }
  return { wide, small, out, burst, broken };
}"""


@pytest.mark.parametrize("user", SCREENS, ids=lambda user: user or "public")
def test_every_main_screen_fits_and_can_be_used(site: Installation, visit: Callable[..., Window], user: str) -> None:
    window = visit(site, user, width=DESKTOP)
    faults = []
    for screen in SCREENS[user]:
        with site.store.reading() as session:
            address = screen.address(session)
        window.page.set_viewport_size({"width": DESKTOP, "height": 900})
        window.go(address, screen.status)
        window.picture(PICTURES, f"{screen.name}-{DESKTOP}")
        for width in WIDTHS:
            window.page.set_viewport_size({"width": width, "height": 844})
            found = window.page.evaluate(ROOM, LEAST)
            if found["wide"] > 0 or any(found[each] for each in ("small", "burst", "broken")):
                faults.append(f"{screen.name} at {width}: {found}")
            if width == PHONE:
                window.look()
                window.picture(PICTURES, f"{screen.name}-{PHONE}")
    assert not faults, "\n".join(faults)
