"""Every hook of the registry, on one page. Five kinds: register, supply, decide, apply, notify.

A plugin implements any of them in its ``plugin`` module with ``registry.api.hookimpl``. Hooks take and return frozen
dataclasses. The host calls the plugins itself, in the order of the configuration, one at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pluggy

from registry.domain.dossier import Dossier
from registry.domain.effects import PluginCommand
from registry.domain.law import Question
from registry.domain.lawbook import Lawbook
from registry.domain.occasion import Occasion
from registry.domain.regime import Regime, Rule

API_VERSION = 1

hookspec = pluggy.HookspecMarker("registry")
hookimpl = pluggy.HookimplMarker("registry")


# register: once, at start-up


@hookspec
def registry_lawbook() -> Lawbook:
    """The plugin's law data (``registry.api.law.load_lawbook(package)``). Since 1."""
    raise NotImplementedError


@hookspec
def registry_questions() -> Iterable[Question[Any, Any]]:
    """The questions that the plugin answers (``registry.api.law.questions_in(modules)``). Since 1."""
    raise NotImplementedError


@hookspec
def registry_regimes() -> Iterable[Regime]:
    """The regimes that the plugin declares. Since 1."""
    raise NotImplementedError


@hookspec
def registry_blueprints() -> Iterable[Any]:
    """Flask blueprints with the plugin's screens; every view carries ``@access``. Since 1."""
    raise NotImplementedError


@hookspec
def registry_menu() -> Iterable[Any]:
    """Menu entries (``registry.api.screens.MenuEntry``) inside the core's sections, never a new section. Since 1."""
    raise NotImplementedError


@hookspec
def registry_settings() -> Mapping[str, Any]:
    """The plugin's settings keys with their defaults, read from ``[plugin.<name>]`` of the configuration. Since 1."""
    raise NotImplementedError


@hookspec
def registry_tables() -> Iterable[Any]:
    """The plugin's mapped classes, all made from ``registry.api.data.plugin_base(name)``. Since 1."""
    raise NotImplementedError


@hookspec
def registry_commands() -> Iterable[Any]:
    """Click commands added to ``registry <plugin> ...``. Since 1."""
    raise NotImplementedError


@hookspec
def registry_hookspecs() -> Iterable[Any]:
    """Modules with further hook specifications that a mechanism demands of the city's plugin. Since 1."""
    raise NotImplementedError


# supply: facts of the plugin's own, inside a request


@hookspec
def registry_dossier_facts(session: Any, dossier: Dossier) -> Mapping[str, Any]:
    """The plugin's own facts for a dossier, stored under ``dossier.plugin_facts[<plugin>]``. Since 1.

    ``session`` is a read-only SQLAlchemy session; ``dossier`` is otherwise complete.
    """
    raise NotImplementedError


@hookspec
def registry_import_row(session: Any, occasion: Occasion, regime: str, row: Mapping[str, Any]) -> None:
    """Writes the plugin's own rows for one imported row (``row`` has the profile's target names, the ids of the
    core's rows as ``vehicle_id`` and ``permit_id``), inside the import's transaction. Since 1.
    """
    raise NotImplementedError


@hookspec
def registry_demo_rows() -> Iterable[Mapping[str, Any]]:
    """Invented records for ``registry demo`` (shape: docs/plugins). Since 1."""
    raise NotImplementedError


# decide: every objection, none hides another; a plugin that raises makes the decision impossible


@hookspec
def registry_rules(regime: str, request_kind: str) -> Iterable[Rule]:
    """Rules that the plugin adds to a request kind of any regime (a city may tighten state law). Since 1."""
    raise NotImplementedError


# apply: inside the core's transaction


@hookspec
def registry_apply(session: Any, command: PluginCommand, dossier: Dossier, occasion: Occasion) -> None:
    """Executes a command that the plugin's own effect returned. Called for commands naming this plugin. Since 1."""
    raise NotImplementedError


# notify: after commit; a failure is logged and changes nothing


@hookspec
def registry_decided(request_id: int, result: str, occasion: Occasion) -> None:
    """Tells that a request was granted (``deferido``) or refused (``indeferido``). Since 1."""
    raise NotImplementedError
