"""The plugins of an installation: found, checked, ordered, and isolated when one fails."""

from __future__ import annotations

from registry.plugins.checks import Places, missing_places
from registry.plugins.errors import PluginError, RuleFailed, StartError
from registry.plugins.host import LoadedPlugin, PluginHost, Supplied, installed_plugins

__all__ = [
    "LoadedPlugin",
    "Places",
    "PluginError",
    "PluginHost",
    "RuleFailed",
    "StartError",
    "Supplied",
    "installed_plugins",
    "missing_places",
]
