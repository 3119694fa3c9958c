"""Every hook is documented and is called with exactly the arguments that its page names."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from registry import hookspecs
from registry.domain.lawbook import Lawbook

from .planted import hook, load, plugin

HOOKS = {name: member for name, member in vars(hookspecs).items() if hasattr(member, "registry_spec")}


def test_every_function_with_the_prefix_is_a_hook():
    assert HOOKS
    named = {name for name, member in vars(hookspecs).items() if name.startswith("registry_")}
    assert named == set(HOOKS)


@pytest.mark.parametrize("name", HOOKS)
def test_each_says_when_it_is_called_and_since(name: str):
    assert f"Since {hookspecs.API_VERSION}." in (inspect.getdoc(HOOKS[name]) or "")
    assert hookspecs.kind_of(HOOKS[name]) in ("register", "supply", "decide", "apply", "notify")
    assert inspect.signature(HOOKS[name]).return_annotation is not inspect.Parameter.empty


@pytest.mark.parametrize("name", HOOKS)
def test_each_reaches_a_plugin_with_its_arguments(name: str):
    names = list(inspect.signature(HOOKS[name]).parameters)
    got: dict[str, Any] = {}
    scope: dict[str, Any] = {"got": got, "book": Lawbook("town", "1")}
    answer = "book" if name == "registry_lawbook" else "()"
    pairs = "".join(f", {each}={each}" for each in names)
    source = f"def {name}({', '.join(names)}):\n    got.update(called=True{pairs})\n    return {answer}"
    exec(source, scope)
    host = load(plugin("town", **{name: hook(name, scope[name])}))
    got.clear()
    answered = host.collect(name, **{each: f"<{each}>" for each in names})
    assert got == {"called": True} | {each: f"<{each}>" for each in names}
    assert [each.plugin for each in answered] == ["town"]
