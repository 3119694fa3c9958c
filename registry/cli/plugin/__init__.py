"""``registry plugin``: what is installed and loaded, a new plugin's skeleton, and the check of one."""

from __future__ import annotations

import pkgutil
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import click

from registry.cli.console import Console, pass_console


def register(cli: click.Group) -> None:
    """Adds the group ``plugin``."""
    cli.add_command(plugin)


@click.group()
def plugin() -> None:
    """Plugins: as leis e os mecanismos que esta instalação usa."""


@plugin.command("list")
@pass_console
def list_plugins(console: Console) -> None:
    """Mostra cada plugin: versão, regimes, outorgas no banco e em que pé está."""
    from registry.cli.plugin.listing import Line, lines

    def told(line: Line) -> str:
        version = f" {line.version} (contrato {line.api})" if line.version else ""
        parts = [", ".join(line.regimes) or "nenhum regime", f"{line.questions} perguntas"] if line.version else []
        if line.permits:
            parts += [f"{count} outorgas de {code}" for code, count in line.permits.items()]
        return f"{line.name}{version}: {'; '.join([*parts, line.state])}"

    for line in lines(console.settings.plugins, console.store):
        click.echo(told(line))
    console.host  # noqa: B018  what start-up refuses is told here too


@plugin.command()
@click.argument("name", metavar="NOME")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    help="Pasta em que a pasta do plugin nasce (padrão: a atual).",
)
@pass_console
def new(console: Console, name: str, into: Path) -> None:
    """Escreve um plugin que já funciona: um regime, uma regra com casos, uma tabela, uma tela, testes."""
    from registry.cli.plugin.skeleton import SkeletonError, write

    try:
        folder = write(name, into, _zone(console).key, _taken())
    except SkeletonError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{folder} está pronto. Agora:")
    click.echo(f"  cd {folder}\n  pip install --no-deps --no-build-isolation -e .\n  registry plugin check {name}")
    click.echo("Depois ponha a sua lei no lugar do exemplo: README.md diz em que arquivo fica cada coisa.")


@plugin.command()
@click.argument("name", metavar="NOME")
@click.option(
    "--source",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Pasta do pyproject.toml do plugin, com tests/cases (padrão: ao lado do pacote, ou a atual).",
)
@pass_console
def check(console: Console, name: str, source: Path | None) -> None:
    """Confere se o plugin NOME está inteiro: importações, valores, casos, tabelas, telas. Termina com 1 se não."""
    import logging

    from registry.app import configure_logs
    from registry.cli.plugin.conformance import conformance
    from registry.cli.plugin.subject import NotInstalled, subject_of

    try:
        subject = subject_of(name, _zone(console), source)
    except NotInstalled as error:
        raise click.ClickException(str(error)) from error
    configure_logs(logging.CRITICAL)  # the screens that it opens are no visits
    click.echo(f"Plugin {name}, em {subject.package}")
    made, failed, skipped = 0, 0, []
    for outcome in conformance(subject):
        made += 1
        failed += bool(outcome.faults)
        mark = "FALHA" if outcome.faults else "PULADA" if outcome.skipped else "ok"
        click.echo(f"  {mark:<7}{outcome.title}")
        for fault in outcome.faults:
            click.echo(f"           Plugin {name}, {fault}")
        if outcome.skipped:
            skipped.append(f"{outcome.title}: {outcome.skipped}")
    for told in skipped:
        click.echo(f"!!! NÃO CONFERIDO !!! {told}", err=True)
    if failed or any(not told.partition(": ")[2].startswith("não há PostgreSQL") for told in skipped):
        click.echo(f"{failed} de {made} conferências com falha.")
        sys.exit(1)
    click.echo(f"{made - len(skipped)} conferências, nenhuma falha.")


def _zone(console: Console) -> ZoneInfo:
    """The civil time of the configuration's first authority, which the cases are asked under."""
    return next((each.zone for each in console.settings.authorities.values()), ZoneInfo("UTC"))


def _taken() -> frozenset[str]:
    """The names of the core's commands and of its packages of screens."""
    import registry.cli
    import registry.web

    return frozenset(
        found.name for package in (registry.cli, registry.web) for found in pkgutil.iter_modules(package.__path__)
    )
