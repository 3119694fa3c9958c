"""``registry cases run``: the worked examples of the law, asked of the plugins."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click
import yaml

from registry.cli.console import Console, pass_console
from registry.domain.cases import CaseError, CaseFile, CaseResult, read_case_file, run_cases
from registry.plugins import PluginHost

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def register(cli: click.Group) -> None:
    """Adds the group ``cases``."""
    cli.add_command(cases)


@click.group()
def cases() -> None:
    """Casos: exemplos resolvidos da lei."""


@cases.command("run")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@pass_console
def run(console: Console, files: tuple[Path, ...]) -> None:
    """Faz as perguntas dos ARQUIVOS e mostra as respostas que não conferem."""
    counts: Counter[str] = Counter()
    unanswered: Counter[str] = Counter()
    for path in files:
        for result in results_of(load_case_file(path), console.host):
            counts[result.status] += 1
            if result.status == "skipped":
                unanswered[result.case.ask] += 1
            if result.status == "failed":
                click.echo("\n".join(_told(path, result)))
    if unanswered:
        listed = ", ".join(f"{name} ({count})" for name, count in sorted(unanswered.items()))
        click.echo(f"Perguntas sem resposta: {listed}")
    click.echo(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    sys.exit(1 if counts["failed"] else 0)


def load_case_file(path: Path) -> CaseFile:
    """The cases of a YAML file, read without implicit types. Raises ``click.ClickException`` naming file and fault."""
    try:
        with path.open(encoding="utf-8") as stream:
            return read_case_file(yaml.load(stream, _LOADER))
    except (yaml.YAMLError, UnicodeDecodeError, CaseError) as error:
        raise click.ClickException(f"{path}: {error}") from error


def results_of(file: CaseFile, host: PluginHost) -> tuple[CaseResult, ...]:
    """The file's cases, asked of the plugin that its ``regime`` names under the plugin's own default readings.

    All are skipped when no loaded plugin has that name or regime.
    """
    plugin = file.regime if file.regime in host.plugins else host.plugin_of(file.regime)
    if plugin is None:
        return tuple(CaseResult(case, "skipped") for case in file.cases)
    return run_cases(file.cases, host.plugins[plugin].questions, host.law_for(plugin, readings={}))


def _told(path: Path, result: CaseResult) -> Iterable[str]:
    case = result.case
    yield f"{path.name}: {case.id} {case.ask} ({case.article}) não confere: {case.why}"
    if result.error:
        yield f"    {result.error}"
    for each in result.mismatches:
        yield f"    {each.field}: esperado {each.expected}, veio {each.got}"
