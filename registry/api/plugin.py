"""What a plugin's ``plugin`` module imports to register itself.

The module sets ``REGISTRY_API`` to the version it was written for and decorates its hooks with ``hookimpl``; every
hook is described in ``registry/hookspecs.py``.
"""

from __future__ import annotations

from registry.hookspecs import API_VERSION, hookimpl, hookspec

__all__ = ["API_VERSION", "hookimpl", "hookspec"]
