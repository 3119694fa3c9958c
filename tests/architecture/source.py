"""What the architecture tests read: the tracked files of the checkout and the imports of its modules."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = ROOT / "plugins"
BINARY = {".png", ".woff2", ".pdf", ".ico", ".jpg", ".xlsx", ".ods", ".zip"}


def modules(*folders: Path) -> list[Path]:
    """The Python modules below the folders, in order."""
    return sorted(path for folder in folders for path in folder.rglob("*.py") if ".venv" not in path.parts)


def plugin_packages() -> list[Path]:
    """The package folder of each plugin of the checkout."""
    return sorted(path.parent for path in PLUGINS.glob("*/registry_*/__init__.py"))


@cache
def tracked() -> tuple[Path, ...]:
    """The tracked files; skips the test where the source came without its repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return tuple(ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file())


def tracked_text() -> Iterator[tuple[Path, str]]:
    """Each tracked text file with its content."""
    for path in tracked():
        if path.suffix not in BINARY:
            yield path, path.read_text(encoding="utf-8")


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Each imported name of a module, as `package.module.name`, with its line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                yield f"{base}.{alias.name}", node.lineno


def shared_law() -> list[Path]:
    """The texts of the decrees where they lie beside the checkout (REGISTRY_SHARED), else none."""
    shared = Path(os.environ.get("REGISTRY_SHARED", ROOT.parent / "shared"))
    return sorted(shared.glob("law/*/decree.txt"))


def where(path: Path, line: int) -> str:
    """`file:line`, relative to the checkout."""
    return f"{path.relative_to(ROOT)}:{line}"
