"""Records put right; each part in its own module."""

from __future__ import annotations

from registry.web.corrections import merges, plates, rows
from registry.web.corrections.blueprint import blueprint
from registry.web.shell import MenuEntry

__all__ = ["MENU", "blueprint", "merges", "plates", "rows"]
MENU = (MenuEntry("cadastros", "Duplicados", "corrections.duplicates", order=90),)
