"""``registry import``: brings municipal files in, whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click
from sqlalchemy import select

from registry.cli.console import Console, pass_console
from registry.cli.import_report import report_lines, written_lines
from registry.domain.occasion import Occasion
from registry.services import imports
from registry.services.authorities import enter_authorities
from registry.services.errors import Refused, RuleDown
from registry.services.imports import Choices
from registry.store.access import User


def register(cli: click.Group) -> None:
    """Adds the group to the command line."""
    cli.add_command(group)


@click.group("import")
def group() -> None:
    """Importa arquivos do órgão: ou entra tudo, ou nada."""


@group.command()
@click.argument("file", metavar="ARQUIVO", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--regime", required=True, metavar="REGIME", help="O regime cujas outorgas o arquivo numera.")
@click.option("--profile", default="", metavar="NOME", help="O perfil de importação; sem isto, pelo cabeçalho.")
@click.option("--dry-run", is_flag=True, help="Mostra o que seria gravado e não grava.")
@click.option("--skip", multiple=True, type=int, metavar="LINHA", help="Deixa esta linha (e as que a repetem) de fora.")
@click.option("--map", "maps", multiple=True, metavar="COLUNA:TEXTO=SENTIDO", help="Lê um texto como outro.")
@click.option(
    "--existing",
    type=click.Choice(["ask", "keep", "replace"]),
    default="ask",
    help="Onde o cadastro difere do arquivo: pergunta (para), mantém o cadastro ou usa o arquivo.",
)
@click.option("--all", "everything", is_flag=True, help="Mostra todas as observações, e não só as primeiras.")
@click.option("--as", "actor", metavar="USUÁRIO", default="", help="Quem importa, na auditoria.")
@pass_console
def vehicles(
    console: Console,
    file: Path,
    regime: str,
    profile: str,
    dry_run: bool,
    skip: tuple[int, ...],
    maps: tuple[str, ...],
    existing: imports.Existing,
    everything: bool,
    actor: str,
) -> None:
    """Importa uma lista de veículos com o número da outorga de cada um.

    \b
    registry import vehicles frota.csv --regime taxi_recife --dry-run
    """
    choices = Choices(profile, skip, tuple(_mapping(text) for text in maps), existing)
    occasion = _occasion(console, regime, actor)
    try:
        with file.open("rb") as stream:
            report = imports.preview(occasion, console.desk, regime, stream, file.name, choices)
        for line in report_lines(report, everything):
            click.echo(line)
        if report.blocked:
            click.echo("Nada foi gravado. Corrija o arquivo ou responda aos conflitos e tente de novo.")
            raise click.exceptions.Exit(1)
        if dry_run:
            click.echo("Simulação: nada foi gravado.")
            return
        with console.store.writing() as session:
            enter_authorities(session, console.settings)
        with _progress() as told:
            written = imports.write(occasion, console.desk, report, told)
    except (Refused, RuleDown) as error:
        raise click.ClickException(str(error)) from error
    for line in written_lines(written):
        click.echo(line)


def _occasion(console: Console, regime: str, actor: str) -> Occasion:
    """The occasion in the name of the regime's authority; a user named with ``--as`` must be one of it."""
    authority = console.settings.authority_of(regime)
    if authority is None:
        known = {code: each for each in console.settings.authorities.values() for code in each.regimes}
        console.known("regime", regime, known)
        raise AssertionError("unreachable: an authority administers every known regime")
    console.migrated()
    occasion = console.occasion(authority.code)
    name = actor or console.actor
    if not name:
        return occasion
    with console.store.reading() as session:
        found = session.scalar(
            select(User.id).where(User.authority == authority.code, User.username == name, User.active)
        )
    if found is None:
        raise click.UsageError(f"Não há usuário ativo «{name}» em {authority.short_name}.")
    return replace(occasion, actor=name, actor_id=found)


def _mapping(text: str) -> tuple[str, str, str]:
    column, colon, rest = text.partition(":")
    read, equals, meant = rest.partition("=")
    if not (colon and equals and column.strip() and read.strip()):
        raise click.UsageError(f"«{text}» não é COLUNA:TEXTO=SENTIDO, como marca:GM=CHEVROLET.")
    return column.strip(), read.strip(), meant.strip()


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, moved to how many lines are done."""
    with click.progressbar(length=1, label="Gravando", file=sys.stderr) as bar:

        def told(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield told
        bar.update((bar.length or 1) - bar.pos)
