"""Every hook is documented on its page with exactly the signature of its specification."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "plugins" / "hooks.md"
SPECIFICATIONS = [ROOT / "registry" / "hookspecs.py", *sorted(ROOT.glob("plugins/*/registry_*/hookspecs.py"))]
KINDS = {"register", "supply", "decide", "apply", "notify"}
_SECTION = re.compile(r"^### (\w+)\n+```python\n(.*?)```", re.MULTILINE | re.DOTALL)


def signature(function: ast.FunctionDef) -> str:
    """The function's own line, without decorators and body, as Python writes it."""
    bare = ast.FunctionDef(function.name, function.args, [ast.Pass()], [], function.returns)
    return ast.unparse(ast.fix_missing_locations(bare)).splitlines()[0]


def specified() -> dict[str, str]:
    """Name and signature of every hook that is specified in this repository."""
    found = {}
    for path in SPECIFICATIONS:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and any(
                "kind" in ast.unparse(each) or "hookspec" in ast.unparse(each) for each in node.decorator_list
            ):
                found[node.name] = signature(node)
    return found


def documented() -> dict[str, str]:
    """Name and signature of every hook that the page describes."""
    found = {}
    for name, code in _SECTION.findall(PAGE.read_text(encoding="utf-8")):
        (node,) = ast.parse(f"{code.strip()}:\n    pass").body
        assert isinstance(node, ast.FunctionDef)
        assert node.name == name, f"the section {name} shows the signature of {node.name}"
        found[name] = signature(node)
    return found


def kind_headings() -> dict[str, str]:
    """Under which heading of the page each hook stands."""
    found, kind = {}, ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line.removeprefix("## ").lower()
        elif line.startswith("### "):
            found[line.removeprefix("### ")] = kind
    return found


def kinds() -> dict[str, str]:
    """The kind that each core hook was declared with."""
    found = {}
    for node in ast.parse(SPECIFICATIONS[0].read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            for each in node.decorator_list:
                if isinstance(each, ast.Call) and ast.unparse(each.func) == "_kind":
                    found[node.name] = ast.literal_eval(each.args[0])
    return found


def test_hooks_are_found():
    assert {"registry_regimes", "registry_rules", "registry_decided"} <= set(specified())
    assert len(specified()) > len(kinds()) > 0
    assert set(kinds().values()) == KINDS


def test_every_hook_is_documented_and_no_other():
    assert set(documented()) == set(specified())


@pytest.mark.parametrize("name", sorted(specified()))
def test_the_documented_signature_is_the_one_of_the_specification(name: str):
    assert documented().get(name) == specified()[name]


@pytest.mark.parametrize(("name", "kind"), sorted(kinds().items()))
def test_a_hook_stands_under_the_heading_of_its_kind(name: str, kind: str):
    assert kind_headings().get(name) == kind
