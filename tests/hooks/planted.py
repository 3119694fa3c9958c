"""Plugins planted for tests: modules made in memory, loaded by the real host."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

from registry.domain.law import Ground, Law, Question, Verdict, question
from registry.domain.lawbook import Lawbook, build_lawbook
from registry.hookspecs import hookimpl
from registry.plugins import PluginHost
from registry.settings import Settings, load_settings

CONFIG = Path(__file__).parents[2] / "config"
DAY = date(2026, 11, 30)


@dataclass(frozen=True)
class Seats:
    """Facts of the planted question."""

    seats: int


@dataclass(frozen=True)
class Answer:
    """Answer of the planted question."""

    decision: str
    articles: tuple[str, ...]


@question("seats", cites=["art-1"])
def seats(given: Seats, law: Law) -> Verdict[Answer]:
    """Are there seats enough?"""
    limit = law.value("seats.min", DAY)
    enough = given.seats >= limit.integer
    ground = Ground("art-1", law.say("seats", seats=given.seats), holds=enough, values=(limit,))
    articles = () if enough else ("art-1",)
    return Verdict("allow" if enough else "deny", Answer("allow" if enough else "deny", articles), (ground,))


def files() -> dict[str, dict[str, Any]]:
    """A small law, as its parsed TOML files."""
    return {
        "provisions.toml": {
            "provision": [
                {"id": "art-1", "label": "Lugares", "cite": "Art. 1º", "kind": "limit", "question": "seats"},
                {"id": "art-2", "label": "Cor", "cite": "Art. 2º", "kind": "duty", "declaratory": "Só anuncia."},
            ]
        },
        "parameters.toml": {
            "parameter": {
                "seats.min": {
                    "unit": "lugares",
                    "provision": "art-1",
                    "values": [{"from": date(2000, 1, 1), "value": 4}],
                }
            }
        },
        "readings.toml": {
            "reading": [
                {
                    "id": "R-1",
                    "key": "age.mode",
                    "provisions": ["art-1"],
                    "problem": "p",
                    "choice": "c",
                    "reason": "r",
                    "since": date(2026, 1, 1),
                    "default": "year",
                    "options": ["year", "day"],
                },
                {
                    "id": "R-2",
                    "key": "fixed.one",
                    "problem": "p",
                    "choice": "c",
                    "reason": "r",
                    "since": date(2026, 1, 1),
                    "default": "a",
                },
            ]
        },
        "sentences.toml": {"sentence": {"seats": "O veículo tem {seats} lugares."}},
    }


def book(name: str = "city", content: Mapping[str, Any] | None = None) -> Lawbook:
    """The lawbook of a small law."""
    return build_lawbook(name, "1.2", content or files())


def plugin(name: str = "city", **members: Any) -> ModuleType:
    """A plugin module ``registry_<name>.plugin`` with these members besides REGISTRY_API; None leaves one out."""
    module = ModuleType(f"registry_{name}.plugin")
    for key, value in {"REGISTRY_API": 1, **members}.items():
        if value is not None:
            setattr(module, key, value)
    return module


def city(name: str = "city", *, content: Mapping[str, Any] | None = None, **members: Any) -> ModuleType:
    """A whole plugin: law, one question; ``members`` override or add."""
    return plugin(
        name,
        **{
            "registry_lawbook": hook("registry_lawbook", lambda: book(name, content)),
            "registry_questions": hook("registry_questions", lambda: (seats,)),
            **members,
        },
    )


def hook(name: str, function: Callable[..., Any]) -> Any:
    """A function as a decorated hook of that name."""
    function.__name__ = name
    return hookimpl(function)


def settings(*plugins: str, **changed: Any) -> Settings:
    """The shipped defaults with these plugins."""
    return replace(load_settings(CONFIG, {"REGISTRY_CONFIG": ""}), plugins=plugins, **changed)


def load(*modules: ModuleType, **changed: Any) -> PluginHost:
    """The host of these planted modules, in order."""
    named = {module.__name__.removeprefix("registry_").removesuffix(".plugin"): module for module in modules}
    return PluginHost.load(settings(*named, **changed), named)


def renamed(asked: Question[Any, Any], name: str) -> Question[Any, Any]:
    """The same question under another name."""
    return replace(asked, name=name)
