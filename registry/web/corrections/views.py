"""Records put right; each part in its own module."""

from __future__ import annotations

from registry.web.corrections import plates
from registry.web.corrections.blueprint import blueprint

__all__ = ["blueprint", "plates"]
