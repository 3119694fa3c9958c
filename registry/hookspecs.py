"""Every hook of the registry, on one page. Five kinds: register, supply, decide, apply, notify.

A plugin implements any of them in its ``plugin`` module, decorated with ``registry.api.plugin.hookimpl``. Hooks take
and return frozen dataclasses; an implementation may leave out arguments that it does not need. The host calls the
plugins itself, in the order of the configuration, one at a time. What a failing plugin does depends on the kind:
register stops start-up; supply, decide and apply stop the act (``RuleFailed``); notify and the menu are logged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeVar

import pluggy

from registry.domain.acts import RestsOnAct
from registry.domain.dossier import Dossier
from registry.domain.effects import PluginCommand
from registry.domain.imports.remarks import RowRemark
from registry.domain.law import DatedValue, Law, Question
from registry.domain.lawbook import Lawbook
from registry.domain.occasion import Occasion
from registry.domain.regime import Regime, Rule

API_VERSION = 1

HookKind = Literal["register", "supply", "decide", "apply", "notify"]
F = TypeVar("F", bound=Callable[..., Any])

hookspec = pluggy.HookspecMarker("registry")
hookimpl = pluggy.HookimplMarker("registry")


def kind_of(specification: Any) -> HookKind:
    """The kind of a hook, from its specification; a mechanism's own hooks supply."""
    kind: HookKind = getattr(specification, "registry_kind", "supply")
    return kind


def _kind(kind: HookKind) -> Callable[[F], F]:
    def mark(function: F) -> F:
        vars(function)["registry_kind"] = kind
        return hookspec(function)

    return mark


# register: once, at start-up


@_kind("register")
def registry_lawbook() -> Lawbook:
    """The plugin's law data (``registry.api.law.load_lawbook(package)``). Since 1."""
    raise NotImplementedError


@_kind("register")
def registry_questions() -> Iterable[Question[Any, Any]]:
    """The questions that the plugin answers (``registry.api.law.questions_in(modules)``). Since 1."""
    raise NotImplementedError


@_kind("register")
def registry_regimes() -> Iterable[Regime]:
    """The regimes that the plugin declares. Since 1."""
    raise NotImplementedError


@_kind("register")
def registry_blueprints() -> Iterable[Any]:
    """Flask blueprints with the plugin's screens; every view carries ``@access``. Since 1."""
    raise NotImplementedError


@_kind("register")
def registry_menu() -> Iterable[Any]:
    """Menu entries (``registry.api.screens.MenuEntry``) inside the core's sections, never a new section. Since 1."""
    raise NotImplementedError


@_kind("register")
def registry_settings() -> Mapping[str, Any]:
    """The plugin's settings keys with their defaults, read from ``[plugin.<name>]`` of the configuration. Since 1."""
    raise NotImplementedError


@_kind("register")
def registry_tables() -> Iterable[Any]:
    """The plugin's mapped classes, all made from ``registry.api.data.plugin_base(name)``. Since 1."""
    raise NotImplementedError


@_kind("register")
def registry_commands() -> Iterable[Any]:
    """Click commands added to ``registry <plugin> ...``. Since 1."""
    raise NotImplementedError


@_kind("register")
def registry_hookspecs() -> Iterable[Any]:
    """Modules with further hook specifications that a mechanism demands of the city's plugin. Since 1."""
    raise NotImplementedError


# supply: facts of the plugin's own, inside a request


@_kind("supply")
def registry_dossier_facts(session: Any, dossier: Dossier) -> Mapping[str, Any]:
    """The plugin's own facts for a dossier, stored under ``dossier.plugin_facts[<plugin>]``. Since 1.

    ``session`` is a read-only SQLAlchemy session; ``dossier`` is otherwise complete.
    """
    raise NotImplementedError


@_kind("supply")
def registry_import_remarks(
    session: Any, occasion: Occasion, regime: str, rows: Sequence[Mapping[str, Any]]
) -> Iterable[RowRemark]:
    """What the plugin objects to in rows about to be imported, before anything is written. Since 1.

    Each row has the profile's target names, its ``line``, and ``permit_id``, ``vehicle_id`` and ``holder_id`` (None =
    new, or not in the row).
    """
    raise NotImplementedError


@_kind("apply")
def registry_import_row(session: Any, occasion: Occasion, regime: str, row: Mapping[str, Any]) -> bool:
    """Writes the plugin's own rows for one imported row, inside the import's transaction; answers whether anything
    changed. Since 1.

    ``row`` has the profile's target names, the ids of the core's rows as ``permit_id``, ``vehicle_id`` and
    ``holder_id`` (the latter two None where the row names none), and ``since``, the day from which the file says so.
    """
    raise NotImplementedError


@_kind("apply")
def registry_import_undo(
    session: Any, occasion: Occasion, regime: str, at: datetime, permit_ids: Sequence[int]
) -> Iterable[str]:
    """Takes back what the plugin wrote in ``registry_import_row`` at the instant ``at`` for these permits, inside the
    transaction that undoes the import: its rows are ended or restored. Since 1.

    A sentence (pt-BR) for each thing that stands in the way; then nothing at all is undone.
    """
    raise NotImplementedError


@_kind("supply")
def registry_law_values(session: Any, authority: str, regimes: Sequence[str], law: Law) -> Iterable[DatedValue]:
    """Dated values that the plugin's own tables hold for an authority, beside the index values it entered. Since 1.

    Rules find them by ``law.indexes`` and ``law.index``. ``law`` is the law without them, of the plugin that declares
    ``regimes``; a value's key is one of its parameters or indexes. After a change call ``desk.law_changed``.
    """
    raise NotImplementedError


@_kind("supply")
def registry_act_rests(
    session: Any, authority: str, act_ids: Sequence[int], names: Callable[[str], bool]
) -> Iterable[RestsOnAct]:
    """The plugin's own rows that rest on an act of the authority, for the act's page. Since 1.

    A row rests on it when its act is one of ``act_ids``, or when it has none and ``names`` answers True for its text.
    """
    raise NotImplementedError


@_kind("supply")
def registry_demo_rows() -> Iterable[Mapping[str, Any]]:
    """Invented records for ``registry demo`` (shape: docs/plugins). Since 1."""
    raise NotImplementedError


# decide: every objection, none hides another; a plugin that raises makes the decision impossible


@_kind("decide")
def registry_rules(regime: str, request_kind: str) -> Iterable[Rule]:
    """Rules that the plugin adds to a request kind of any regime (a city may tighten state law). Since 1."""
    raise NotImplementedError


# apply: inside the core's transaction


@_kind("apply")
def registry_apply(session: Any, command: PluginCommand, dossier: Dossier, occasion: Occasion) -> None:
    """Executes a command that the plugin's own effect returned. Called for commands naming this plugin. Since 1."""
    raise NotImplementedError


@_kind("apply")
def registry_anonymise(session: Any, person_ids: Iterable[int], occasion: Occasion) -> None:
    """Blanks what the plugin's own rows say of a natural person whose data end; ids and days may stay. Since 1.

    ``person_ids`` are the person's and those of duplicates that were made one with it. The core has found that no
    permit, request, charge or membership needs the data any more, and blanks its own rows itself.
    """
    raise NotImplementedError


# notify: after commit; a failure is logged and changes nothing


@_kind("notify")
def registry_decided(request_id: int, result: str, occasion: Occasion) -> None:
    """Tells that a request was granted (``deferido``) or refused (``indeferido``). Since 1."""
    raise NotImplementedError
