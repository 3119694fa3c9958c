"""The regimes that the installed plugins have, whether or not the configuration loads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from registry.plugins import PluginError, PluginHost
from registry.plugins.host import installed_plugins
from registry.settings import Settings

_NAME = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True)
class Offer:
    """A regime that an authority may administer: code, pt-BR label, and the plugin that declares it."""

    code: str
    label: str
    plugin: str


def offered(settings: Settings, host: PluginHost) -> dict[str, Offer]:
    """Every regime of a loaded or installed plugin, by code. A plugin that does not load offers none."""
    found = {code: Offer(code, regime.label, regime.plugin) for code, regime in host.regimes.items()}
    for name in installed_plugins():
        if name in host.plugins:
            continue
        alone = replace(settings, plugins=with_needed(name), authorities={}, readings={}, plugin={})
        try:
            regimes = PluginHost.load(alone).plugins[name].regimes
        except PluginError:
            continue
        found |= {each.code: Offer(each.code, each.label, name) for each in regimes}
    return found


def with_needed(plugin: str) -> tuple[str, ...]:
    """The plugin after those that its distribution depends on, in the order in which they are to be loaded."""
    packages = {name: point.dist for name, point in installed_plugins().items() if point.dist}
    plugins = {_plain(package.name): name for name, package in packages.items()}
    wanted = {
        name: [plugins.get(_plain(_NAME.split(line)[0]), "") for line in package.requires or ()]
        for name, package in packages.items()
    }
    return _ordered(plugin, wanted, ())


def _ordered(plugin: str, wanted: Mapping[str, list[str]], above: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for name in wanted.get(plugin, ()):
        if name and name != plugin and name not in above:
            found += [each for each in _ordered(name, wanted, (*above, plugin)) if each not in found]
    return (*found, plugin)


def _plain(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()
