"""The documents tell the truth about names: links lead somewhere, commands and settings exist."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from registry import resources, settings
from registry.cli import cli
from tests.architecture.source import ROOT, tracked

PICTURES = ROOT / "docs" / "pictures"
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```[^\n]*\n.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```\n(.*?)^```|`([^`\n]+)`", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Every Markdown page of the project, new ones too."""
    found = {path for path in tracked() if path.suffix == ".md"} | set((ROOT / "docs").rglob("*.md"))
    return sorted(path for path in found if path.exists() and "vendor" not in path.parts)


PAGES = pytest.mark.parametrize("written", pages(), ids=lambda path: str(path.relative_to(ROOT)))


def slug(heading: str) -> str:
    """The anchor of a heading, as code hosts make it."""
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).strip().lower())
    return kept.replace(" ", "-")


def anchors(page: Path) -> set[str]:
    """Every anchor of a page."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@PAGES
def test_every_link_leads_somewhere(written: Path):
    broken = []
    for target in _LINK.findall(_FENCE.sub("", written.read_text(encoding="utf-8"))):
        if re.match(r"https?://|mailto:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (written.parent / name).resolve() if name else written
        if path.is_relative_to(PICTURES) and not PICTURES.exists():
            continue  # pictures are made from a run of the browser tests
        if not path.exists() or not path.is_relative_to(ROOT) or (anchor and anchor not in anchors(path)):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("folder", ["decisions", "clerk", "plugins"])
def test_every_page_of_a_folder_is_reached_from_its_index(folder: str):
    index = ROOT / "docs" / folder / "README.md"
    linked = set(_LINK.findall(index.read_text(encoding="utf-8")))
    there = {path.name for path in index.parent.glob("*.md")} - {index.name}
    assert there and there <= linked


def test_each_decision_has_a_number_of_its_own_and_the_index_is_in_their_order():
    index = ROOT / "docs" / "decisions" / "README.md"
    numbers = [name[:3] for name in _LINK.findall(index.read_text(encoding="utf-8")) if name[:3].isdigit()]
    assert numbers == sorted(set(numbers))
    assert numbers == re.findall(r"^- \[([0-9]{3}) ", index.read_text(encoding="utf-8"), re.MULTILINE)


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each ``registry ...`` and ``make ...`` that a page tells to type."""
    for block, inline in _CODE.findall(page.read_text(encoding="utf-8")):
        for line in re.sub(r"\\\n", " ", block).splitlines() if block else [inline]:
            typed = line.partition("   #")[0].strip().removeprefix("$ ").removeprefix(".venv/bin/")
            if re.match(r"(registry|make) [a-z<]", typed):
                yield shlex.split(typed.replace("...", "").replace("…", ""))


def documented() -> dict[str, list[str]]:
    """Each command line of the documents and the page that has it."""
    return {" ".join(words): words for page in pages() for words in commands(page) if "<" not in "".join(words[:2])}


def test_commands_are_found_in_the_documents():
    assert {"make demo", "make test", "registry db upgrade"} <= set(documented())


def not_built() -> set[str]:
    """The commands that the README says do not exist yet."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    said = text.partition("## What does not stand yet")[2].partition("\n## ")[0]
    return {" ".join(words) for words in re.findall(r"`(registry [^`]+)`", said) for words in [words.split()]}


@pytest.mark.parametrize("line", sorted(documented()))
def test_a_documented_command_exists_with_its_options(line: str):
    program, *words = documented()[line]
    if program == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        for target in words:
            assert "=" in target or re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE)
        return
    found, rest = resolved(words)
    if line in not_built():
        assert isinstance(found, click.Group) and rest, f"{line} exists now: take it off the README's list"
        return
    assert not isinstance(found, click.Group) or not rest, f"no such command: {line}"
    known = {name for each in [*found.params, *cli.params] for name in (*each.opts, *each.secondary_opts)} | {"--help"}
    for word in rest:
        assert not word.startswith("-") or word.partition("=")[0] in known, f"{line}: no option {word}"


def resolved(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words name, and the words left over."""
    found: click.Command = cli
    context = click.Context(cli)
    rest = list(words)
    while rest and isinstance(found, click.Group):
        inner = found.get_command(context, rest[0])
        if inner is None:
            break
        found = inner
        rest.pop(0)
    return found, rest


def test_the_settings_of_the_documents_exist():
    named = {name for page in pages() for name in re.findall(r"\bREGISTRY_[A-Z_]+\b", page.read_text(encoding="utf-8"))}
    elsewhere = {"REGISTRY_API", "REGISTRY_TEST_POSTGRES"}
    assert set(settings.ENVIRONMENT) <= named
    assert named <= {*settings.ENVIRONMENT, *elsewhere}


def test_the_tables_of_settings_in_the_administrators_page_exist():
    text = (ROOT / "docs" / "admin" / "README.md").read_text(encoding="utf-8")
    default = tomllib.loads(resources.config("default.toml").read_text(encoding="utf-8"))
    tables = {name.partition(".")[0] for name in re.findall(r"`\[+([\w.<>]+)\]+", text)}
    assert {"session", "rates"} <= tables <= set(default)


def test_the_users_of_the_demonstration_are_those_of_the_readme():
    from registry.services.demo import PASSWORD

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    demo = settings.load_settings(resources.config(), {"REGISTRY_CONFIG": "demo.toml"})
    users = {f"{role}.{authority}" for role in demo.roles for authority in demo.authorities}
    said = {name for name in re.findall(r"`([a-z_]+\.[a-z]+)`", text) if name.partition(".")[0] in demo.roles}
    assert said == users
    assert f"`{PASSWORD}`" in text
