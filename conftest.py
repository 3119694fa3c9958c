"""What every test run of the checkout shares, the plugins' tests included."""

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from argon2 import PasswordHasher
from hypothesis import settings

from registry.services import users

# the pytest plugin that plugin authors get as well; only the conftest of the root may name one
pytest_plugins = ["registry.testing"] if find_spec("registry.testing") else []

# a busy machine must not fail a property; the gate draws the same examples each time
settings.register_profile("registry", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("registry")


@pytest.fixture(scope="session", autouse=True)
def cheap_hashes() -> Iterator[None]:
    """Passwords are hashed by the same algorithm with the least work: no test asks how long a guess takes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(users, "_hasher", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        yield
