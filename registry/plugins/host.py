"""The host: loads the configured plugins and calls them one at a time, in the configuration's order.

pluggy holds the hook specifications and checks signatures; the host loops itself, because pluggy is anonymous, calls
in reverse order and stops at the first exception.
"""

from __future__ import annotations

import importlib
import inspect
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType, ModuleType
from typing import Any, cast
from zoneinfo import ZoneInfo

import pluggy

from registry import hookspecs
from registry.domain.calendar import ActDay, Calendar
from registry.domain.dossier import Dossier
from registry.domain.effects import PluginCommand
from registry.domain.law import Law, Question, Verdict
from registry.domain.lawbook import Lawbook
from registry.domain.occasion import Occasion
from registry.domain.regime import Finding, Regime, Rule, ask
from registry.domain.values import DatedValue
from registry.plugins import checks
from registry.plugins.errors import PluginError, RuleFailed
from registry.settings import Settings

ENTRY_POINTS = "registry.plugins"
_LOGGED = frozenset({"registry_menu"})  # besides the notify kind: a page opens without it

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class LoadedPlugin:
    """A plugin in use: its module, distribution version, law data, questions by name and regimes."""

    name: str
    module: ModuleType
    version: str
    lawbook: Lawbook
    questions: Mapping[str, Question[Any, Any]] = field(default_factory=dict)
    regimes: tuple[Regime, ...] = ()

    @property
    def file(self) -> str:
        """The file of its plugin module, as messages name it."""
        return checks.file_of(self.module)


@dataclass(frozen=True)
class Supplied:
    """What one plugin answered to a hook."""

    plugin: str
    value: Any


def installed_plugins() -> dict[str, EntryPoint]:
    """The plugins installed in this environment, by name, whether or not the configuration loads them."""
    return {point.name: point for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)}


class PluginHost:
    """The loaded plugins. Make one with :meth:`load`."""

    def __init__(self, settings: Settings, plugins: Iterable[LoadedPlugin], manager: pluggy.PluginManager) -> None:
        self.settings = settings
        self.plugins: Mapping[str, LoadedPlugin] = MappingProxyType({plugin.name: plugin for plugin in plugins})
        self.regimes: Mapping[str, Regime] = MappingProxyType(
            {regime.code: regime for plugin in self.plugins.values() for regime in plugin.regimes}
        )
        self._manager = manager
        self._owners = {
            id(question): plugin.name for plugin in self.plugins.values() for question in plugin.questions.values()
        }
        self._calendar = lru_cache(maxsize=None)(self._calendar_of)

    @classmethod
    def load(cls, settings: Settings, modules: Mapping[str, ModuleType] | None = None) -> PluginHost:
        """The host of the plugins that ``settings.plugins`` names, in that order.

        Args:
            settings: of this installation.
            modules: plugin modules by name, used before the installed ones (tests).

        Raises:
            PluginError: a plugin is not installed, does not import, or fails a check (see :mod:`.checks`).
        """
        given = modules or {}
        found = {name: (given[name], "") if name in given else _import(name) for name in settings.plugins}
        manager = pluggy.PluginManager("registry")
        manager.add_hookspecs(hookspecs)
        for name, (module, _) in found.items():
            checks.api_version(name, module)
            for more in _call_now(name, module, "registry_hookspecs", ()):
                manager.add_hookspecs(more)
        for name, (module, _) in found.items():
            checks.hook_names(name, module, manager)
            try:
                manager.register(module, name)
            except pluggy.PluginValidationError as error:
                raise PluginError(
                    name, checks.file_of(module), f"{error}.", "Use os nomes de argumentos de registry/hookspecs.py."
                ) from error
        host = cls(settings, [_loaded(name, *identity) for name, identity in found.items()], manager)
        checks.everything(host)
        return host

    # asking plugins

    def collect(self, hook: str, /, only: str | None = None, **arguments: Any) -> list[Supplied]:
        """Every plugin's answer to a hook, in order; None is no answer.

        Args:
            hook: name of the hook.
            only: ask this plugin alone.
            arguments: the hook's arguments; a plugin gets those that it names.

        Raises:
            RuleFailed: a plugin raised, except in the notify kind and the menu, where it is logged and left out.
        """
        caller: Any = getattr(self._manager.hook, hook)
        kind = hookspecs.kind_of(caller.spec.function)
        by_plugin = {implementation.plugin_name: implementation for implementation in caller.get_hookimpls()}
        answers = []
        for name in self.plugins:
            implementation = by_plugin.get(name)
            if implementation is None or only not in (None, name):
                continue
            passed = {argument: arguments[argument] for argument in implementation.argnames}
            try:
                with guarded(name, hook):
                    value = implementation.function(**passed)
                    value = list(value) if inspect.isgenerator(value) else value
            except RuleFailed:
                if kind != "notify" and hook not in _LOGGED:
                    raise
                logger.exception("plugin %s failed in %s; left out", name, hook)
                continue
            if value is not None:
                answers.append(Supplied(name, value))
        return answers

    def ask_one(self, hook: str, /, **arguments: Any) -> Any:
        """The one answer to a mechanism's hook, None when no plugin has one. Raises RuleFailed when several answer."""
        answers = self.collect(hook, **arguments)
        if len(answers) > 1:
            who = ", ".join(answer.plugin for answer in answers)
            raise RuleFailed(who, hook, LookupError(f"{len(answers)} answers where exactly one is needed"))
        return answers[0].value if answers else None

    def apply(self, session: Any, command: PluginCommand, dossier: Dossier, occasion: Occasion) -> None:
        """Lets the plugin that a command names execute it. Raises RuleFailed when it fails, or no such plugin does."""
        name = "registry_apply"
        implementations = getattr(self._manager.hook, name).get_hookimpls()
        if command.plugin not in {each.plugin_name for each in implementations}:
            raise RuleFailed(command.plugin, name, LookupError(f"nobody executes the command {command.name!r}"))
        self.collect(name, only=command.plugin, session=session, command=command, dossier=dossier, occasion=occasion)

    def rules(self, regime: Regime, request_kind: str) -> tuple[Rule, ...]:
        """The rules of a request kind: the regime's own, then those that other plugins add, in order.

        Raises RuleFailed when a plugin does not answer, or adds a rule whose question no loaded plugin registered.
        """
        rules = list(regime.request_kind(request_kind).rules)
        for answer in self.collect("registry_rules", regime=regime.code, request_kind=request_kind):
            with guarded(answer.plugin, "registry_rules"):
                for added in answer.value:
                    self.owner(added.question)
                    rules.append(added)
        return tuple(rules)

    def finding(self, rule: Rule, dossier: Dossier, law: Law) -> Finding | None:
        """One rule's finding on a dossier, asked of the plugin that owns the question. Raises RuleFailed."""
        owner = self.owner(rule.question)
        with guarded(owner, rule.question.name):
            return ask(rule, dossier, law, owner)

    def answer(self, plugin: str, question: str, given: Any, law: Law) -> Verdict[Any]:
        """A question's verdict. Raises KeyError for an unknown plugin or question, RuleFailed when it raises."""
        asked = self.question(plugin, question)
        with guarded(plugin, question):
            return asked(given, law)

    # what the plugins hold

    def question(self, plugin: str, name: str) -> Question[Any, Any]:
        """The question of this name. Raises KeyError."""
        return self.plugins[plugin].questions[name]

    def owner(self, question: Question[Any, Any]) -> str:
        """The name of the plugin that answers a question. Raises KeyError for one that no loaded plugin registered."""
        return self._owners[id(question)]

    def regimes_of(self, authority: str) -> tuple[Regime, ...]:
        """The regimes that an authority administers and that are loaded, in the configuration's order."""
        codes = self.settings.authority(authority).regimes
        return tuple(self.regimes[code] for code in codes if code in self.regimes)

    def plugin_of(self, regime: str) -> str | None:
        """The plugin that declares a regime; None when it is not loaded."""
        return self.regimes[regime].plugin if regime in self.regimes else None

    def settings_of(self, plugin: str) -> Mapping[str, Any]:
        """The plugin's own settings: its defaults, overridden by ``[plugin.<name>]``."""
        defaults: dict[str, Any] = {}
        for answer in self.collect("registry_settings", only=plugin):
            defaults |= answer.value
        return MappingProxyType(defaults | dict(self.settings.plugin.get(plugin, {})))

    def law_for(
        self,
        plugin: str,
        authority: str | None = None,
        *,
        indexes: Mapping[str, tuple[DatedValue, ...]] | None = None,
        closures: Iterable[ActDay | date] = (),
        openings: Iterable[ActDay] = (),
        readings: Mapping[str, Any] | None = None,
    ) -> Law:
        """The law that a plugin's questions are asked under.

        Args:
            plugin: whose law data it is.
            authority: whose zone and calendar days; None = see :meth:`authority_for`.
            indexes: the authority's index values by key.
            closures: days on which its office is closed, by act.
            openings: days that an act opens.
            readings: readings instead of the configuration's.
        """
        loaded = self.plugins[plugin]
        code = authority or self.authority_for(plugin)
        calendar = self._calendar(plugin, code)
        closed, opened = tuple(closures), tuple(openings)
        if closed:
            calendar = calendar.with_closures(closed)
        if opened:
            calendar = calendar.with_openings(opened)
        return Law(
            book=loaded.lawbook,
            calendar=calendar,
            zone=self.settings.authority(code).zone if code else ZoneInfo("UTC"),
            indexes=indexes or {},
            readings=self.settings.readings.get(plugin, {}) if readings is None else readings,
            rounding=self.settings.rounding,
        )

    def authority_for(self, plugin: str) -> str | None:
        """The first authority that administers a regime of the plugin, else the first of the configuration."""
        for regime in self.plugins[plugin].regimes:
            if found := self.settings.authority_of(regime.code):
                return found.code
        return next(iter(self.settings.authorities), None)

    def _calendar_of(self, plugin: str, authority: str | None) -> Calendar:
        calendar = self.plugins[plugin].lawbook.calendar
        own = self.settings.authority(authority).calendar if authority else ()
        return replace(calendar, rules=calendar.rules + Calendar.from_data({"day": own}).rules) if own else calendar


@contextmanager
def guarded(plugin: str, what: str) -> Iterator[None]:
    """Turns whatever a plugin raises into :class:`RuleFailed`. Wrap every call into a plugin's own functions."""
    try:
        yield
    except RuleFailed:
        raise
    except Exception as error:
        raise RuleFailed(plugin, what, error) from error


def _import(name: str) -> tuple[ModuleType, str]:
    points = installed_plugins()
    if name not in points:
        known = checks.nearest(name, points)
        raise PluginError(
            name,
            "config, «plugins»",
            "não está instalado.",
            f"{known or f'Instale-o (pip install) ou tire «{name}» da lista.'}",
        )
    point = points[name]
    try:
        module = importlib.import_module(point.module)
    except Exception as error:
        raise PluginError(
            name, point.module, f"não abre: {type(error).__name__}: {error}.", "Corrija o módulo ou reinstale o plugin."
        ) from error
    return module, point.dist.version if point.dist else ""


def _call_now(name: str, module: ModuleType, hook: str, default: Any) -> Any:
    """A register hook called at start-up, before or beside pluggy's registration."""
    function = cast(Callable[[], Any] | None, getattr(module, hook, None))
    if function is None:
        return default
    try:
        value = function()
        return list(value) if inspect.isgenerator(value) else value
    except PluginError:
        raise
    except Exception as error:
        raise PluginError(
            name,
            checks.file_of(module),
            f"{hook} falhou: {type(error).__name__}: {error}.",
            "Corrija o que a mensagem aponta.",
        ) from error


def _loaded(name: str, module: ModuleType, version: str) -> LoadedPlugin:
    questions: dict[str, Question[Any, Any]] = {}
    for question in _call_now(name, module, "registry_questions", ()):
        checks.question(name, module, question, questions)
        questions[question.name] = question
    lawbook = _call_now(name, module, "registry_lawbook", Lawbook(name, version))
    regimes = tuple(_call_now(name, module, "registry_regimes", ()))
    return LoadedPlugin(name, module, version or lawbook.version, lawbook, MappingProxyType(questions), regimes)
