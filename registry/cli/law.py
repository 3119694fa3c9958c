"""``registry law coverage``: every provision of a law, what treats it and which cases cite it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import click

from registry.cli.cases import load_case_file
from registry.cli.console import Console, pass_console
from registry.domain.cases import cited
from registry.domain.lawbook import Provision
from registry.plugins import LoadedPlugin

_PLACES = {"table": "tabela", "route": "tela", "template": "modelo"}
_ASKED = frozenset({"enforce", "compute", "block"})


def register(cli: click.Group) -> None:
    """Adds the group ``law``."""
    cli.add_command(law)


@click.group()
def law() -> None:
    """Lei: o que o registro trata e como."""


@law.command("coverage")
@click.argument("plugin")
@click.option("--untreated", is_flag=True, help="Só o que falta: sem tratamento, ou pergunta sem caso.")
@click.option(
    "--cases",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Arquivos de casos; sem eles, os de tests/cases do plugin.",
)
@pass_console
def coverage(console: Console, plugin: str, untreated: bool, files: tuple[Path, ...]) -> None:
    """Mostra cada dispositivo do PLUGIN: tratamento e casos."""
    loaded = console.plugin(plugin)
    cases = _cases_by_provision(loaded, files or tuple(own_case_files(loaded)))
    totals: Counter[str] = Counter()
    for provision in loaded.lawbook.provisions.values():
        ids = cases[provision.id]
        lacks_case = not ids and bool(_ASKED & set(provision.verbs))
        totals["treated"] += provision.treated
        totals["cases"] += bool(ids)
        totals["declaratory"] += bool(provision.declaratory)
        totals["lacks case"] += lacks_case
        if not untreated or not provision.treated or lacks_case:
            click.echo(f"{provision.id}\t{provision.label}\t{treatment(provision)}\t{_listed(ids, lacks_case)}")
    of = len(loaded.lawbook.provisions)
    click.echo(
        f"{totals['treated']} of {of} provisions treated ({totals['declaratory']} declaratory), "
        f"{totals['cases']} with a case, {totals['lacks case']} still need one"
    )


def treatment(provision: Provision) -> str:
    """How the software treats a provision, in pt-BR."""
    via = f", via {provision.via}" if provision.via else ""
    if provision.question:
        return f"pergunta {provision.question}{via}"
    if provision.place:
        return f"{_PLACES[provision.place_kind]} {provision.place}{via}"
    if provision.declaratory:
        return f"declaratório: {provision.declaratory}"
    return "sem tratamento"


def own_case_files(plugin: LoadedPlugin) -> list[Path]:
    """The case files of a plugin in a checkout: ``tests/cases/*.yaml`` beside its package; none when installed."""
    file = getattr(plugin.module, "__file__", None)
    return sorted((Path(file).parents[1] / "tests" / "cases").glob("*.yaml")) if file else []


def _cases_by_provision(plugin: LoadedPlugin, files: Iterable[Path]) -> defaultdict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in files:
        for case in load_case_file(path).cases:
            if case.ask in plugin.questions:
                for provision in cited(case, plugin.lawbook):
                    found[provision].append(case.id)
    return found


def _listed(ids: list[str], lacks_case: bool) -> str:
    if not ids:
        return "falta caso" if lacks_case else ""
    return ", ".join(ids[:5]) + (f" e mais {len(ids) - 5}" if len(ids) > 5 else "")
