"""A browser window whose every page is checked: accessibility, one frame, unique ids, script errors, foreign hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import ConsoleMessage, Locator, Page, Request, Response, expect

from tests.browser.installation import PASSWORD, Installation
from tests.web import checker

_COUNTING = """
window.__sent = 0; window.__last = 0;
for (const [event, step] of [['beforeRequest', 1], ['afterRequest', -1], ['afterSettle', 0]])
  document.addEventListener('htmx:' + event, () => { window.__sent += step; window.__last = performance.now(); });
"""
_AT_REST = "() => !window.htmx || (window.__sent === 0 && performance.now() - window.__last > 60)"
_RULES = {
    "resultTypes": ["violations"],
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}
_SHAPE = """() => {
  const count = (selector) => document.querySelectorAll(selector).length;
  const ids = [...document.querySelectorAll('[id]')].map((each) => each.id);
  return {
    title: document.title, h1: count('h1'), main: count('main'), footers: count('header.bar, header.top'),
    twice: ids.filter((id, place) => id === '' || ids.indexOf(id) !== place),
  };
}"""
_SCRIPT = re.compile(r"<script\b[^>]*></script>|</?noscript>")
_MIRROR = "**/_mirror"
_TOLD_BY_STATUS = ("Failed to load resource", "Response Status Error Code")
_INSIDE = ("data:", "blob:", "about:", "chrome:", "chrome-extension:")
"""What never leaves the browser; the last two are its own viewer of PDF files."""
OFFLINE = 0
"""Stands among the expected statuses while there is no signal."""


@dataclass
class Window:
    """One window of a visitor or of someone who works here."""

    page: Page
    site: Installation
    scripts: bool
    checked: bool = True
    twin: Page | None = None
    faults: list[str] = field(default_factory=list)
    document: Response | None = None
    expected: set[int] = field(default_factory=set)
    seen: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(60_000)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.faults.append(f"script error: {error}"))
        self.page.on("request", self._watch)
        self.page.on("response", self._note)
        if self.scripts:
            self.page.add_init_script(_COUNTING)

    # what the browser tells

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type not in ("error", "warning") or message.text.startswith(_TOLD_BY_STATUS):
            return
        if not (OFFLINE in self.expected and message.text.startswith("htmx:")):
            self.faults.append(f"console: {message.text}")

    def _watch(self, request: Request) -> None:
        if not request.url.startswith((f"{self.site.address}/", *_INSIDE)):
            self.faults.append(f"a request leaves this computer: {request.url}")

    def _note(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.expected:
            self.faults.append(f"{response.status} {response.request.method} {response.url}")
        if response.request.resource_type == "document" and response.request.frame == self.page.main_frame:
            self.document = response

    @contextmanager
    def expecting(self, *statuses: int) -> Iterator[None]:
        """Takes answers with these statuses as meant until the block ends."""
        before = set(self.expected)
        self.expected |= set(statuses)
        yield
        self.rest()
        self.expected = before

    # moving about

    def go(self, path: str, *statuses: int) -> Window:
        """Opens an address."""
        with self.expecting(*statuses):
            self.page.goto(self.site.address + path)
        return self.look()

    def log_in(self, username: str) -> Window:
        """Goes through the log-in page."""
        self.go("/entrar")
        self.write("Usuário", username)
        self.write("Senha", PASSWORD)
        return self.press("Entrar")

    def press(self, name: str, within: Locator | None = None, *statuses: int) -> Window:
        """Presses a button by its name and waits for what follows."""
        with self.expecting(*statuses):
            self.button(name, within).click()
        return self.look()

    def follow(self, name: str, within: Locator | None = None) -> Window:
        """Follows a link by its name and waits for what follows."""
        self.link(name, within).click()
        return self.look()

    def button(self, name: str, within: Locator | None = None) -> Locator:
        """The button of this name."""
        return (within or self.page).get_by_role("button", name=name, exact=True).first

    def link(self, name: str, within: Locator | None = None) -> Locator:
        """The link of this name."""
        return (within or self.page).get_by_role("link", name=name, exact=True).first

    def follow_first(self, start: str, within: Locator | None = None) -> Window:
        """Follows the first link whose name begins so."""
        (within or self.page).get_by_role("link", name=re.compile(rf"^{re.escape(start)}")).first.click()
        return self.look()

    def box(self, label: str) -> Locator:
        """The field of this label; what stands after it in brackets is left out."""
        named = self.page.get_by_label(re.compile(rf"^{re.escape(label)}( \(se houver\))?$"))
        return named.and_(self.page.locator("input, select, textarea")).first

    def write(self, label: str, text: str) -> None:
        """Types into a field, or picks from a list, and leaves it."""
        self.put(self.box(label), text)

    def put(self, place: Locator, text: str) -> None:
        """Fills one field as a person does."""
        kind = place.evaluate("each => each.tagName + ':' + each.type")
        if kind.startswith("SELECT"):
            place.select_option(label=text)
        elif kind == "INPUT:radio":
            place.check()
        else:
            place.fill(text)
            place.blur()
        self.rest()

    def rest(self) -> None:
        """Waits until nothing is on its way."""
        self.page.wait_for_load_state()
        if self.scripts:
            self.page.wait_for_function(_AT_REST)

    # what stands there

    @property
    def path(self) -> str:
        """The address without the host."""
        return self.page.url.removeprefix(self.site.address)

    @property
    def heading(self) -> str:
        """The text of the h1."""
        return self.page.locator("h1").inner_text()

    def text(self, selector: str = "main") -> str:
        """What one reads there, blanks squeezed."""
        return " ".join(self.page.locator(selector).first.inner_text().split())

    def shows(self, text: str, selector: str = "main") -> None:
        """Waits until the text stands there."""
        expect(self.page.locator(selector).first).to_contain_text(text)

    def look(self) -> Window:
        """Checks the page as it stands; called after every step that changes it."""
        self.rest()
        self._read_markup()
        shape = self.page.evaluate(_SHAPE)
        where = f"{self.path} «{shape['title']}»"
        self.seen.append(where)
        if (shape["h1"], shape["main"], shape["footers"]) != (1, 1, 1) or shape["twice"]:
            self.faults.append(f"{where}: {shape}")
        if self.checked:
            self.faults += [f"{where}: {each}" for each in violations(self.page if self.scripts else self._twin())]
        return self

    def _twin(self) -> Page:
        """The page as it stands in a window that runs no script of its own: where scripts are off, axe cannot run."""
        markup = _SCRIPT.sub("", self.page.content())
        if self.twin is None:
            browser = self.page.context.browser
            assert browser is not None
            context = browser.new_context(viewport=self.page.viewport_size, reduced_motion="reduce")
            self.twin = context.new_page()
        self.twin.unroute_all()
        self.twin.route(_MIRROR, lambda route: route.fulfill(body=markup, content_type="text/html; charset=utf-8"))
        self.twin.goto(self.site.address + "/" + _MIRROR.removeprefix("**/"))
        return self.twin

    def close(self) -> None:
        """Closes the window."""
        for page in (self.page, self.twin):
            if page is not None:
                page.context.close()

    def _read_markup(self) -> None:
        """Checks the markup as it was sent, which the browser has already mended in its own tree."""
        sent, self.document = self.document, None
        if sent is None or 300 <= sent.status < 400 or "text/html" not in sent.headers.get("content-type", ""):
            return
        try:
            checker.read(sent.text(), sent.status, sent.headers)
        except checker.PageFault as fault:
            self.faults.append(f"{sent.url}: {str(fault).partition('<!doctype')[0]}")

    def picture(self, folder: Path, name: str, whole: bool = True) -> None:
        """Keeps a screenshot."""
        folder.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=folder / f"{name}.png", full_page=whole)


def violations(page: Page) -> list[str]:
    """What axe finds on the page as it stands."""
    if not page.evaluate("() => typeof window.axe === 'object'"):
        page.evaluate(AXE_SCRIPT)
    found: dict[str, Any] = page.evaluate("(rules) => window.axe.run(document, rules)", _RULES)
    return [
        f"{each['id']} ({each['impact']}): {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
