"""Vendored assets are what the manifest says, whole, licensed and without another host."""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from registry import resources
from tests.architecture.source import PLUGINS, ROOT

VENDOR = resources.static() / "vendor"
PACKAGES: list[dict[str, Any]] = tomllib.loads((VENDOR / "manifest.toml").read_text(encoding="utf-8"))["package"]
FILES = [
    (VENDOR / package["folder"] / entry["file"], entry["sha256"]) for package in PACKAGES for entry in package["file"]
]
FREE = {"0BSD", "MIT", "OFL-1.1", "BSD-2-Clause"}
REMOTE = re.compile(r"""(url\(\s*["']?|@import\s+["']?)(https?:)?//""", re.IGNORECASE)
TARGET = re.compile(r"""url\(\s*["']?([^"')#]+)""")


@pytest.mark.parametrize(("path", "digest"), FILES, ids=[str(path.relative_to(VENDOR)) for path, _ in FILES])
def test_a_vendored_file_is_as_the_manifest_says(path: Path, digest: str) -> None:
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest


def test_no_file_is_vendored_beside_the_manifest() -> None:
    on_disk = {path for path in VENDOR.rglob("*") if path.is_file()} - {VENDOR / "manifest.toml"}
    assert on_disk == {path for path, _ in FILES}


@pytest.mark.parametrize("package", PACKAGES, ids=[package["name"] for package in PACKAGES])
def test_each_package_has_a_version_and_a_free_licence_with_its_text(package: dict[str, Any]) -> None:
    assert package["licence"] in FREE
    assert package["folder"].endswith(f"-{package['version']}")
    licence = (VENDOR / package["folder"] / "LICENSE").read_text(encoding="utf-8")
    assert len(licence) > 500


def style_sheets() -> list[Path]:
    """Every style sheet of the core and of the plugins."""
    return sorted([*(ROOT / "registry").rglob("*.css"), *PLUGINS.rglob("*.css")])


@pytest.mark.parametrize("path", style_sheets(), ids=lambda path: path.name)
def test_a_style_sheet_asks_no_other_host_and_no_missing_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not REMOTE.search(text)
    assert "sourceMappingURL" not in text
    missing = [
        name for name in TARGET.findall(text) if not name.startswith("data:") and not (path.parent / name).is_file()
    ]
    assert not missing


@pytest.mark.parametrize(
    "text",
    ["url(https://example.org/a.woff2)", "url('//example.org/a')", '@import "https://example.org/a.css"'],
)
def test_the_pattern_knows_another_host(text: str) -> None:
    assert REMOTE.search(text)


CLASS = re.compile(r"\.([a-zA-Z][\w-]*)")
BY_OTHERS = {"htmx-indicator", "htmx-request"}
"""What the library of the screens puts on elements."""


def test_no_style_is_kept_for_what_no_screen_has() -> None:
    kinds = {".html", ".py", ".js"}
    own = [ROOT / "templates", ROOT / "registry", PLUGINS]
    screens = [
        path for folder in own for path in folder.rglob("*") if path.suffix in kinds and "vendor" not in path.parts
    ]
    words = set(re.findall(r"[\w-]+", "\n".join(path.read_text(encoding="utf-8") for path in screens)))
    dead = []
    for path in style_sheets():
        if "vendor" not in path.parts:
            rules = re.sub(r"/\*.*?\*/|url\([^)]*\)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            names = {name for name in CLASS.findall(rules) if not name.startswith("w-")} - BY_OTHERS
            dead += [f"{path.name}: .{name}" for name in sorted(names - words)]
    assert not dead
