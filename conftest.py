"""What every test run of the checkout shares, the plugins' tests included."""

import gc
import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from argon2 import PasswordHasher
from hypothesis import settings
from werkzeug.routing import Rule

from registry.services import users

# the pytest plugin that plugin authors get as well; only the conftest of the root may name one
pytest_plugins = ["registry.testing"] if find_spec("registry.testing") else []

# a busy machine must not fail a property; the gate draws the same examples each time
settings.register_profile("registry", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("registry")


def pytest_collection_finish() -> None:
    """What was imported and collected stays until the end: the search for garbage need not go through it each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


@pytest.fixture(scope="session", autouse=True)
def cheap_hashes() -> Iterator[None]:
    """Passwords are hashed by the same algorithm with the least work: no test asks how long a guess takes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(users, "_hasher", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        yield


@pytest.fixture(scope="session", autouse=True)
def addresses_compiled_once() -> Iterator[None]:
    """What builds an address is compiled once a run: tests of screens make the application anew, with them all."""
    compile_builder, known = Rule._compile_builder, dict[Any, Callable[..., tuple[str, str]]]()

    def once(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        key = (rule.rule, tuple(rule._trace), repr(rule.defaults), append_unknown)
        if key not in known:
            known[key] = compile_builder(rule, append_unknown)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", once)
        yield
