"""What every test run of the checkout shares, the plugins' tests included."""

import os
from importlib.util import find_spec

from hypothesis import settings

# the pytest plugin that plugin authors get as well; only the conftest of the root may name one
pytest_plugins = ["registry.testing"] if find_spec("registry.testing") else []

# a busy machine must not fail a property; the gate draws the same examples each time
settings.register_profile("registry", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("registry")
