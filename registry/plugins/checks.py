"""What start-up checks of every plugin. Each fault is a :class:`PluginError` with plugin, file and mend."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pluggy

from registry.domain.law import Question
from registry.domain.regime import Regime, Rule
from registry.hookspecs import API_VERSION
from registry.plugins.errors import PluginError

if TYPE_CHECKING:
    from registry.plugins.host import LoadedPlugin, PluginHost

PREFIX = "registry_"


def file_of(module: ModuleType) -> str:
    """The file of a module, as messages name it: its dotted name and ``.py``, the same on every machine."""
    return module.__name__.replace(".", "/") + ".py"


def nearest(name: str, known: Iterable[str]) -> str:
    """The question whether a near name was meant; "" where none is near."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"Você quis escrever «{near[0]}»?" if near else ""


def api_version(plugin: str, module: ModuleType) -> None:
    """The plugin was written for this version of the hooks."""
    declared = getattr(module, "REGISTRY_API", None)
    if declared is None:
        raise PluginError(
            plugin,
            file_of(module),
            "não diz para qual versão do contrato foi escrito.",
            f"Escreva REGISTRY_API = {API_VERSION}.",
        )
    if declared != API_VERSION:
        raise PluginError(
            plugin,
            file_of(module),
            f"foi escrito para a versão {declared} do contrato; esta instalação tem a {API_VERSION}.",
            "Instale a versão do plugin que serve a esta, ou adapte-o e mude REGISTRY_API.",
        )


def hook_names(plugin: str, module: ModuleType, manager: pluggy.PluginManager) -> None:
    """Every hook in the module exists and is decorated; names beginning ``registry_`` count, decorated or not."""
    known = _spec_names(manager)
    for name, member in vars(module).items():
        if not inspect.isroutine(member) or getattr(member, "registry_spec", None):
            continue
        decorated = hasattr(member, "registry_impl")
        if name in known:
            if not decorated:
                raise PluginError(
                    plugin, file_of(module), f"{name} não está decorado.", "Escreva @hookimpl na linha acima."
                )
        elif decorated or name.startswith(PREFIX):
            mend = nearest(name, known) or "Veja os nomes em registry/hookspecs.py."
            raise PluginError(plugin, file_of(module), f"não existe o gancho {name}.", mend)


def question(
    plugin: str, module: ModuleType, question: Question[Any, Any], before: Mapping[str, Question[Any, Any]]
) -> None:
    """The question's name is free, its facts are a frozen dataclass without defaults, its answer a frozen one."""
    place = question.function.__module__.replace(".", "/") + ".py"
    if question.name in before:
        raise PluginError(plugin, place, f"a pergunta {question.name} está declarada duas vezes.", "Renomeie uma.")
    for kind, role in ((question.given_type, "os fatos"), (question.answer_type, "a resposta")):
        if not dataclasses.is_dataclass(kind) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            raise PluginError(
                plugin,
                place,
                f"{role} de {question.name} ({kind.__name__}) não é uma dataclass congelada.",
                "Escreva @dataclass(frozen=True).",
            )
    for fact in dataclasses.fields(question.given_type):
        if fact.default is not dataclasses.MISSING or fact.default_factory is not dataclasses.MISSING:
            raise PluginError(
                plugin,
                place,
                f"o fato {fact.name} de {question.name} tem valor padrão, e um fato ausente passaria por ele.",
                "Tire o padrão.",
            )


def everything(host: PluginHost) -> None:
    """The checks that need all plugins loaded: provisions, questions, regimes, readings, settings.

    Tables are checked where the database is opened (``registry.store.migrate``).
    """
    seen: dict[str, str] = {}
    for plugin in host.plugins.values():
        _provisions(plugin)
        for regime in plugin.regimes:
            _regime(host, plugin, regime, seen)
        _readings(host, plugin)
        _settings(host, plugin)
    _authorities(host)


def _provisions(plugin: LoadedPlugin) -> None:
    book = plugin.lawbook
    for asked in plugin.questions.values():
        place = asked.function.__module__.replace(".", "/") + ".py"
        for cited in asked.cites:
            _known_provision(plugin, cited, place, f"a pergunta {asked.name}")
    for provision in book.provisions.values():
        if provision.question and provision.question not in plugin.questions:
            raise PluginError(
                plugin.name,
                "law/provisions.toml",
                f"{provision.id} diz que a pergunta {provision.question} o aplica, e ela não existe.",
                nearest(provision.question, plugin.questions) or "Escreva a pergunta ou tire a linha.",
            )
    for key, values in book.parameters.items():
        for value in values:
            if value.provision:
                _known_provision(plugin, value.provision, "law/*.toml", f"o valor {key}")
    for reading in book.readings.values():
        for provision_id in reading.provisions:
            _known_provision(plugin, provision_id, "law/readings.toml", f"a leitura {reading.id}")


def _known_provision(plugin: LoadedPlugin, provision: str, file: str, who: str) -> None:
    known = plugin.lawbook.provisions
    if provision not in known:
        mend = nearest(provision, known) or "Acrescente-o a law/provisions.toml."
        raise PluginError(plugin.name, file, f"{who} cita o dispositivo {provision}, que não existe.", mend)


def _regime(host: PluginHost, plugin: LoadedPlugin, regime: Regime, seen: dict[str, str]) -> None:
    place = file_of(plugin.module)
    if regime.code in seen:
        raise PluginError(
            plugin.name, place, f"o regime {regime.code} já é do plugin {seen[regime.code]}.", "Dê-lhe outro código."
        )
    seen[regime.code] = plugin.name
    if regime.plugin != plugin.name:
        raise PluginError(
            plugin.name,
            place,
            f"o regime {regime.code} diz ser do plugin {regime.plugin}.",
            f"Escreva plugin = «{plugin.name}».",
        )
    for rule in _rules(regime):
        try:
            host.owner(rule.question)
        except KeyError:
            raise PluginError(
                plugin.name,
                place,
                f"a regra «{rule.title}» do regime {regime.code} faz a pergunta {rule.question.name}, "
                "que nenhum plugin registrou.",
                "Acrescente-a a registry_questions.",
            ) from None
    for kind in regime.request_kinds:
        for fact in kind.fields:
            if fact.provision:
                _known_provision(plugin, fact.provision, place, f"o campo {fact.name}")
        if kind.office not in {office.code for office in regime.offices}:
            raise PluginError(
                plugin.name,
                place,
                f"o pedido {kind.code} é decidido por {kind.office}, que o regime {regime.code} não declara.",
                nearest(kind.office, [office.code for office in regime.offices]) or "Declare o órgão em offices.",
            )


def _rules(regime: Regime) -> Iterator[Rule]:
    for status in regime.status:
        yield status.rule
    yield from regime.inspection.rules
    if regime.debt_gate:
        yield regime.debt_gate
    for kind in regime.request_kinds:
        yield from kind.rules
        for charge in kind.charges:
            yield charge.rule


def _readings(host: PluginHost, plugin: LoadedPlugin) -> None:
    known = plugin.lawbook.readings
    for key, value in host.settings.readings.get(plugin.name, {}).items():
        place = "config, [readings]"
        if key not in known:
            raise PluginError(
                plugin.name,
                place,
                f"não existe a leitura {key}.",
                nearest(key, known) or "Veja as chaves em law/readings.toml.",
            )
        options = known[key].options
        if known[key].fixed:
            raise PluginError(plugin.name, place, f"a leitura {key} é fixa.", "Tire a linha.")
        if value not in options or not any(type(value) is type(option) for option in options):
            listed = ", ".join(repr(option) for option in options)
            raise PluginError(plugin.name, place, f"{value!r} não é opção da leitura {key}.", f"Escolha: {listed}.")


def _settings(host: PluginHost, plugin: LoadedPlugin) -> None:
    own = host.settings.plugin.get(plugin.name, {})
    known: set[str] = set()
    for answer in host.collect("registry_settings", only=plugin.name):
        known |= set(answer.value)
    for key in own:
        if key not in known:
            raise PluginError(
                plugin.name,
                f"config, [plugin.{plugin.name}]",
                f"não existe a chave {key}.",
                nearest(key, known) or "O plugin declara as suas em registry_settings.",
            )


def _authorities(host: PluginHost) -> None:
    for table in ("readings", "plugin"):
        for name in getattr(host.settings, table):
            if name not in host.plugins:
                raise PluginError(
                    name,
                    f"config, [{table}]",
                    "não está na lista «plugins».",
                    nearest(name, host.plugins) or "Acrescente-o ou tire a tabela.",
                )
    for authority in host.settings.authorities.values():
        for regime in authority.regimes:
            if regime not in host.regimes:
                raise PluginError(
                    regime,
                    f"config, [[authority]] {authority.code}",
                    f"nenhum plugin carregado declara o regime {regime}.",
                    nearest(regime, host.regimes) or "Acrescente o plugin a «plugins» ou tire o regime.",
                )


@dataclass(frozen=True)
class Places:
    """The tables, routes (endpoint names) and templates that exist, core and plugins together."""

    tables: Collection[str]
    routes: Collection[str]
    templates: Collection[str]


def missing_places(host: PluginHost, places: Places) -> list[PluginError]:
    """The provisions whose table, route or template does not exist; asked where all three are known."""
    exist = {"table": places.tables, "route": places.routes, "template": places.templates}
    faults = []
    for plugin in host.plugins.values():
        for provision in plugin.lawbook.provisions.values():
            if provision.place and provision.place not in exist[provision.place_kind]:
                faults.append(
                    PluginError(
                        plugin.name,
                        "law/provisions.toml",
                        f"{provision.id} aponta para {provision.place_kind} = «{provision.place}», que não existe.",
                        nearest(provision.place, exist[provision.place_kind]) or "Corrija o nome ou tire a linha.",
                    )
                )
    return faults


def _spec_names(manager: pluggy.PluginManager) -> list[str]:
    names = []
    for name, caller in vars(manager.hook).items():
        if getattr(caller, "spec", None):
            names.append(name)
    return names
