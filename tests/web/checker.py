"""Checks every page that a test fetches: title, one h1, valid HTML, unique ids, forms, labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

import html5lib

X = "{http://www.w3.org/1999/xhtml}"
# html5lib knows no custom element, and takes a foreign element's self-closing slash and camel case as they come
HARMLESS = {"non-void-element-with-trailing-slash"}
# elements that the style sheets put on lines of their own
APART = {"div", "p", "li", "ul", "ol", "dl", "dt", "dd", "h1", "h2", "h3", "table", "tr", "td", "th", "caption"}
APART |= {"section", "header", "main", "nav", "form", "small", "option", "summary", "details", "label", "legend"}
APART |= {"fieldset", "time", "strong"}
# the page's icons in one drawing, the same on every page: it is read once, and left out where it stands again
DRAWING = re.compile(r"<svg[^>]*>\s*<symbol.*?</svg>", re.DOTALL)
_read_before: set[str] = set()
UNLABELLED = {"hidden", "submit", "button", "image", "reset"}


class PageFault(AssertionError):
    """The page is not in order."""


@dataclass
class Page:
    """A page or fragment that was fetched: its text, and questions about it."""

    html: str
    status: int
    headers: Any
    tree: Element
    is_fragment: bool = False
    queries: int = 0
    faults: list[str] = field(default_factory=list)

    def all(self, path: str) -> list[Element]:
        """The elements of a path such as ``.//h1`` or ``.//input[@name='q']``, without namespaces."""
        return self.tree.findall(re.sub(r"(^|/)([a-z][a-z0-9]*)", rf"\1{X}\2", path))

    def one(self, path: str) -> Element:
        """The one element of a path."""
        found = self.all(path)
        assert len(found) == 1, f"{len(found)} elements match {path}\n{self.text}"
        return found[0]

    @property
    def text(self) -> str:
        """What one reads, blanks squeezed (no-break ones too)."""
        return words(self.tree)

    @property
    def title(self) -> str:
        """The text of ``<title>``."""
        return words(self.one(".//title"))

    @property
    def h1(self) -> str:
        """The text of the one ``<h1>``."""
        return words(self.one(".//h1"))

    def links(self) -> dict[str, str]:
        """Address by text of every link."""
        return {words(link): link.get("href", "") for link in self.all(".//a")}

    def form(self, action: str = "") -> dict[str, str]:
        """The values that the form to an address would send (the first form when no address is given)."""
        for form in self.all(".//form"):
            if form.get("method", "get") == "post" and (not action or form.get("action") == action):
                return values_of(form)
        raise AssertionError(f"no form to {action or 'any address'}: {[f.get('action') for f in self.all('.//form')]}")

    def error_of(self, name: str) -> str:
        """The error beside a field."""
        return next((words(p) for p in self.all(".//p") if p.get("id") == f"{name}-erro"), "")


def words(element: Element) -> str:
    """The text inside an element that a screen reader says, blanks squeezed."""
    return " ".join("".join(_said(element)).split())


def _said(element: Element) -> Iterator[str]:
    apart = " " if str(element.tag).removeprefix(X) in APART else ""
    yield apart
    if element.get("aria-hidden") != "true":
        yield element.text or ""
        for child in element:
            yield from _said(child)
            yield child.tail or ""
    yield apart


def values_of(form: Element) -> dict[str, str]:
    """What a browser would send of a form."""
    sent: dict[str, str] = {}
    for element in form.iter():
        name, tag = element.get("name"), str(element.tag).removeprefix(X)
        if not name:
            continue
        if tag == "input":
            kind = element.get("type", "text")
            if kind in {"radio", "checkbox"} and element.get("checked") is None:
                continue
            if kind not in {"file", "submit"}:
                sent[name] = element.get("value", "on" if kind == "checkbox" else "")
        elif tag == "textarea":
            sent[name] = (element.text or "").removeprefix("\n")
        elif tag == "select":
            options = list(element.iter(f"{X}option"))
            chosen = [option for option in options if option.get("selected") is not None] or options[:1]
            sent.update({name: chosen[0].get("value", "")} if chosen else {})
    return sent


def read(html: str, status: int = 200, headers: Any = None, queries: int = 0) -> Page:
    """The page of this text. Raises PageFault naming everything that is wrong with it."""
    fragment = "<!doctype" not in html[:200].lower()
    parser = html5lib.HTMLParser(strict=False, namespaceHTMLElements=True)
    shown = DRAWING.sub(_once, html)
    tree = parser.parseFragment(shown, container="div") if fragment else parser.parse(shown)
    page = Page(html, status, headers, tree, fragment, queries)
    page.faults += [
        f"HTML line {place[0]}: {code} {data}" for place, code, data in parser.errors if code not in HARMLESS
    ]
    page.faults += list(_structure(page))
    if page.faults:
        raise PageFault("\n".join(page.faults) + "\n" + html)
    return page


def _once(drawing: re.Match[str]) -> str:
    if drawing[0] in _read_before:
        return ""
    _read_before.add(drawing[0])
    return drawing[0]


def _structure(page: Page) -> Iterator[str]:
    if not page.is_fragment:
        yield from _whole(page)
    elif page.all(".//title") or page.all(".//header[@class='bar']"):
        yield "a second page frame inside a fragment"
    ids = Counter(element.get("id") for element in page.tree.iter() if element.get("id") is not None)
    yield from (f"id {name!r} occurs {count} times" for name, count in ids.items() if count > 1)
    for element in page.tree.iter():
        for attribute in ("aria-describedby", "aria-labelledby", "aria-controls", "for"):
            missing = [name for name in (element.get(attribute) or "").split() if name not in ids]
            if missing and not (page.is_fragment and attribute != "for"):
                yield f"{attribute} names no element: {missing}"
        if any(name.startswith("on") or name == "style" for name in element.attrib):
            yield f"inline script or style on {element.tag}: {dict(element.attrib)}"
    yield from (f"inline script: {words(s)[:60]}" for s in page.all(".//script") if not s.get("src"))
    yield from _forms(page)
    yield from _labels(page)
    yield from (f"a link without address: {words(a)}" for a in page.all(".//a") if a.get("href") in (None, "", "#"))
    yield from (
        f"an unnamed link to {a.get('href')}" for a in page.all(".//a") if not (words(a) or a.get("aria-label"))
    )
    if "Traceback" in page.html or "Undefined" in page.html:
        yield "a traceback or an undefined value"
    if re.search(r"\bNone\b", words(page.tree)) or "None" in values_of(page.tree).values():
        yield "an absent value shown as «None»"


def _whole(page: Page) -> Iterator[str]:
    titles = [words(title) for title in page.all(".//title")]
    if len(titles) != 1 or not titles[0] or titles[0].startswith("–"):
        yield f"title: {titles}"
    elif page.status >= 400 and not titles[0].startswith("Erro: ") and page.status != 401:
        yield f"the title of a page with errors begins with «Erro: »: {titles}"
    if (count := len(page.all(".//h1"))) != 1:
        yield f"{count} h1"
    if page.all(".//main").__len__() != 1:
        yield "there must be one main"
    if (root := page.tree).get("lang") != "pt-BR":
        yield f"lang of {root.tag} is {root.get('lang')}"


def _forms(page: Page) -> Iterator[str]:
    for form in page.all(".//form"):
        if not form.get("action"):
            yield f"a form without address: {dict(form.attrib)}"
        sent = values_of(form)
        if form.get("method", "get").lower() == "post" and not sent.get("csrf_token"):
            yield f"the form to {form.get('action')} has no csrf_token"
        if form.get("method", "get").lower() == "get" and "csrf_token" in sent:
            yield f"the form to {form.get('action')} shows its csrf_token in the address"


def _labels(page: Page) -> Iterator[str]:
    labelled = {label.get("for") for label in page.all(".//label")}
    inside = {id(child) for label in page.all(".//label") for child in label.iter()}
    for tag in ("input", "select", "textarea"):
        for element in page.all(f".//{tag}"):
            if element.get("type") in UNLABELLED or element.get("hidden") is not None:
                continue
            named = element.get("aria-label") or element.get("aria-labelledby")
            if not named and element.get("id") not in labelled and id(element) not in inside:
                yield f"{tag} {element.get('name')!r} has no label"
    for button in page.all(".//button"):
        if not (words(button) or button.get("aria-label")):
            yield f"a button without a name: {dict(button.attrib)}"
