"""The pages of docs/clerk, read once: title, text as HTML, and the screens that each one is about.

A page may begin with ``<!-- screens: people -->``: the blueprints, blank between, whose screens lead to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from markdown_it import MarkdownIt

INDEX = "README"
_SCREENS = re.compile(r"\A<!-- screens: (?P<names>[a-z_ ]+) -->\n")
_TITLE = re.compile(r"\A# (?P<title>.+)\n")
_PAGE_LINK = re.compile(r'href="(?P<name>[A-Za-z_]+)\.md(?P<place>#[^"]*)?"')


@dataclass(frozen=True)
class HelpPage:
    """One page of the help. ``code`` is its name in the address; ``screens`` are names of blueprints."""

    code: str
    title: str
    html: str
    screens: tuple[str, ...] = ()


@lru_cache(maxsize=2)
def read_pages(folder: Path) -> Mapping[str, HelpPage]:
    """The pages of a folder by code, the index under ``README``. HTML in the text is shown, not obeyed."""
    renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
    return MappingProxyType({path.stem: _read(path, renderer) for path in sorted(folder.glob("*.md"))})


def page_of(folder: Path, blueprint: str) -> HelpPage | None:
    """The page about a blueprint's screens; None where none is."""
    return next((each for each in read_pages(folder).values() if blueprint in each.screens), None)


def _read(path: Path, renderer: MarkdownIt) -> HelpPage:
    source = path.read_text(encoding="utf-8")
    head = _SCREENS.match(source)
    body = source[head.end() :] if head else source
    title = _TITLE.match(body)
    html = str(renderer.render(body[title.end() :] if title else body))
    return HelpPage(
        code=path.stem,
        title=title["title"] if title else path.stem,
        html=_PAGE_LINK.sub(_to_screen, html),
        screens=tuple(head["names"].split()) if head else (),
    )


def _to_screen(link: re.Match[str]) -> str:
    name = "" if link["name"] == INDEX else f"/{link['name']}"
    return f'href="/ajuda{name}{link["place"] or ""}"'
