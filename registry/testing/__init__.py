"""What plugin authors get for their tests, as a pytest plugin; each topic is a module that this one names.

Name it in the ``conftest.py`` beside ``pyproject.toml``: ``pytest_plugins = ["registry.testing"]``.
"""

from __future__ import annotations

pytest_plugins = ["registry.testing.databases", "registry.testing.plugins"]
