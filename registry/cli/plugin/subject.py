"""The plugin under check: its package, its sources, and a host that loads it with the plugins that it needs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from zoneinfo import ZoneInfo

from registry import resources
from registry.domain.law import Law
from registry.plugins import LoadedPlugin, PluginHost, installed_plugins
from registry.settings import Authority, Settings, load_settings

AUTHORITY = "conferencia"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class NotInstalled(LookupError):
    """No plugin of this name is installed; the message (pt-BR) says what to do."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong: where, what, and the mend (pt-BR)."""

    file: str
    problem: str
    mend: str

    def __str__(self) -> str:
        return f"{self.file}: {self.problem} {self.mend}".rstrip()


@dataclass(frozen=True)
class Subject:
    """A plugin as it is checked, whatever the configuration of this installation says.

    ``package`` is the folder of its package, ``source`` the one with its ``pyproject.toml`` and ``tests/`` (None =
    not found); ``zone`` the civil time of the invented authority that runs its regimes.
    """

    name: str
    module: str
    package: Path
    source: Path | None
    zone: ZoneInfo

    @property
    def package_name(self) -> str:
        """The import name of its package."""
        return self.module.partition(".")[0]

    @cached_property
    def settings(self) -> Settings:
        """The shipped defaults with this plugin, those that it needs, and one authority that runs all their regimes."""
        names = tuple(needed(self.name))
        plain = replace(load_settings(resources.config(), {"REGISTRY_CONFIG": ""}), plugins=names, demo=True)
        regimes = tuple(PluginHost.load(plain).regimes)
        authority = Authority(AUTHORITY, "Órgão da conferência", "Conferência", self.zone, regimes)
        return replace(plain, authorities={AUTHORITY: authority})

    @cached_property
    def host(self) -> PluginHost:
        """The host of :attr:`settings`. Raises StartError, LawbookError."""
        return PluginHost.load(self.settings)

    @property
    def loaded(self) -> LoadedPlugin:
        """The plugin in :attr:`host`."""
        return self.host.plugins[self.name]

    @cached_property
    def law(self) -> Law:
        """Its law under its own default readings, without index values."""
        return self.host.law_for(self.name, readings={})

    @cached_property
    def case_files(self) -> tuple[Path, ...]:
        """Its case files: ``tests/cases/*.yaml`` of its sources."""
        return tuple(sorted((self.source / "tests" / "cases").glob("*.yaml"))) if self.source else ()

    def modules(self, *folders: str) -> Iterator[Path]:
        """The Python modules of its package (or of folders inside it), in order; migrations apart."""
        for folder in folders or (".",):
            for path in sorted((self.package / folder).rglob("*.py")):
                if path.parent.name != "versions":
                    yield path

    def place(self, path: Path) -> str:
        """A file as messages name it: relative to the sources, else to the package's parent."""
        for root in (self.source, self.package.parent):
            if root is not None and path.is_relative_to(root):
                return path.relative_to(root).as_posix()
        return str(path)


def subject_of(name: str, zone: ZoneInfo, source: Path | None = None) -> Subject:
    """The installed plugin of this name.

    Args:
        zone: the civil time under which its cases are asked.
        source: the folder with its ``pyproject.toml``; None = beside its package, else the working directory.

    Raises:
        NotInstalled: no such plugin.
    """
    point = installed_plugins().get(name)
    if point is None:
        known = ", ".join(installed_plugins()) or "nenhum"
        raise NotInstalled(f"Não há plugin {name} instalado. Instale-o (pip install) e repita. Há: {known}.")
    spec = find_spec(point.module.partition(".")[0])
    if spec is None or spec.origin is None:
        raise NotInstalled(f"O pacote {point.module.partition('.')[0]} do plugin {name} sumiu. Instale-o de novo.")
    package = Path(spec.origin).resolve().parent
    places = [source] if source else [package.parent, Path.cwd()]
    found = next((place for place in places if _declares(place, name)), None)
    return Subject(name, point.module, package, found, zone)


def needed(name: str) -> Iterator[str]:
    """The plugins that must be loaded for this one, by its distribution's requirements: they first, itself last."""
    points = installed_plugins()
    by_distribution = {_plain(point.dist.name): each for each, point in points.items() if point.dist}
    seen: list[str] = []

    def add(each: str) -> None:
        if each in seen:
            return
        for wanted in _requirements(points[each]):
            if wanted in by_distribution and by_distribution[wanted] != each:
                add(by_distribution[wanted])
        seen.append(each)

    add(name)
    yield from seen


def _requirements(point: EntryPoint) -> Iterator[str]:
    for line in (point.dist.requires or ()) if point.dist else ():
        if found := _NAME.match(line):
            yield _plain(found[0])


def _plain(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _declares(folder: Path, name: str) -> bool:
    """Whether a folder's ``pyproject.toml`` is that of the plugin."""
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
    except (OSError, tomllib.TOMLDecodeError):
        return False
    return name in project.get("entry-points", {}).get("registry.plugins", {})
