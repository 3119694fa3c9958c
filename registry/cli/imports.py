"""``registry import``: brings municipal files in, whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import click
from sqlalchemy import select

from registry.cli.console import Console, pass_console
from registry.cli.import_report import report_lines, run_lines, undone_text, written_lines
from registry.domain.occasion import Occasion
from registry.services import import_runs, import_undo, imports
from registry.services.authorities import enter_authorities
from registry.services.errors import AlreadyDone, NotFound, Refused, RuleDown
from registry.services.import_calendar import CalendarPlan, add_yearly
from registry.services.import_errors import errors_csv
from registry.services.imports import Choices
from registry.store.access import User


def register(cli: click.Group) -> None:
    """Adds the group to the command line."""
    cli.add_command(group)


@click.group("import")
def group() -> None:
    """Importa arquivos do órgão: ou entra tudo, ou nada."""


_OF_ANY = (
    click.argument("file", metavar="ARQUIVO", type=click.Path(exists=True, dir_okay=False, path_type=Path)),
    click.option("--profile", default="", metavar="NOME", help="O perfil de importação; sem isto, pelo cabeçalho."),
    click.option("--sheet", default="", metavar="ABA", help="A aba da planilha XLSX; sem isto, a primeira."),
    click.option("--dry-run", is_flag=True, help="Mostra o que seria gravado e não grava."),
    click.option(
        "--errors",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="CSV",
        help="Grava neste arquivo o que está errado: linha, célula, valor e o que fazer.",
    ),
    click.option(
        "--skip", multiple=True, type=int, metavar="LINHA", help="Deixa esta linha (e as que a repetem) de fora."
    ),
    click.option("--map", "maps", multiple=True, metavar="COLUNA:TEXTO=SENTIDO", help="Lê um texto como outro."),
    click.option(
        "--confirm",
        multiple=True,
        metavar="CÉLULA",
        help="Aceita o valor duvidoso desta célula, como I5; pode vir mais de uma vez.",
    ),
    click.option("--all", "everything", is_flag=True, help="Mostra todas as observações, e não só as primeiras."),
    click.option("--as", "actor", metavar="USUÁRIO", default="", help="Quem importa, na auditoria."),
)
_OF_PERMITS = (
    click.option("--regime", required=True, metavar="REGIME", help="O regime cujas outorgas o arquivo numera."),
    click.option(
        "--existing",
        type=click.Choice(["ask", "keep", "replace"]),
        default="ask",
        help="Onde o cadastro difere do arquivo: pergunta (para), mantém o cadastro ou usa o arquivo.",
    ),
)
_AUTHORITY = click.option("--authority", default="", metavar="ÓRGÃO", help="O órgão; só se a instalação tem vários.")
_YEARLY = click.option(
    "--yearly", is_flag=True, help="Põe no calendário do órgão os dias que voltam todo ano (08/12, sem o ano)."
)
_Options = Callable[[Any], Any]


def _with(*groups: tuple[_Options, ...]) -> _Options:
    """Gives a command every option of the groups, in their order."""

    def decorated(command: Any) -> Any:
        for option in reversed([each for options in groups for each in options]):
            command = option(command)
        return command

    return decorated


@group.command()
@_with(_OF_ANY, _OF_PERMITS)
@pass_console
def vehicles(console: Console, /, regime: str, actor: str, **given: Any) -> None:
    """Importa uma lista de veículos com o número da outorga de cada um.

    \b
    registry import vehicles frota.csv --regime REGIME --dry-run
    """
    _bring(console, "vehicles", regime, _occasion(console, _authority_of(console, regime), actor), **given)


@group.command()
@_with(_OF_ANY, _OF_PERMITS)
@pass_console
def permits(console: Console, /, regime: str, actor: str, **given: Any) -> None:
    """Importa uma lista de outorgas com o titular e o veículo de cada uma.

    \b
    registry import permits permissionarios.csv --regime REGIME --dry-run
    registry import permits permissionarios.csv --regime REGIME --confirm I5
    """
    _bring(console, "permits", regime, _occasion(console, _authority_of(console, regime), actor), **given)


@group.command()
@_with(_OF_ANY, (_AUTHORITY, _YEARLY))
@pass_console
def holidays(console: Console, /, authority: str, actor: str, **given: Any) -> None:
    """Importa feriados: os de um ano só fecham o dia; com --yearly, os de todo ano vão para o calendário do órgão.

    \b
    registry import holidays feriados.csv --yearly --dry-run
    """
    _bring(console, "holidays", "", _occasion(console, _authority(console, authority), actor), **given)


@group.command()
@_with(_OF_ANY, (_AUTHORITY,))
@pass_console
def closures(console: Console, /, authority: str, actor: str, **given: Any) -> None:
    """Importa os dias em que o órgão não abre, cada um com o seu ato."""
    _bring(console, "closures", "", _occasion(console, _authority(console, authority), actor), **given)


@group.command("list")
@_with((_AUTHORITY, click.option("--limit", default=20, type=click.IntRange(1), help="Quantas, da mais nova.")))
@pass_console
def list_runs(console: Console, authority: str, limit: int) -> None:
    """Mostra as importações do órgão, da mais nova à mais antiga."""
    occasion = _occasion(console, _authority(console, authority), "")
    for line in run_lines(import_runs.runs(occasion, console.desk, limit), occasion.zone):
        click.echo(line)


@group.command("undo")
@click.argument("run", type=int, metavar="IMPORTAÇÃO")
@click.option("--reason", required=True, metavar="MOTIVO", help="Por que a importação é desfeita, para a auditoria.")
@click.option("--as", "actor", metavar="USUÁRIO", default="", help="Quem desfaz, na auditoria.")
@_with((_AUTHORITY,))
@pass_console
def undo_run(console: Console, run: int, reason: str, actor: str, authority: str) -> None:
    """Desfaz uma importação inteira, se nada posterior depende dela."""
    occasion = _occasion(console, _authority(console, authority), actor)
    try:
        undone = import_undo.undo(occasion, console.desk, run, reason)
    except NotFound:
        raise click.ClickException(f"Não há importação {run} neste órgão. Veja registry import list.") from None
    except AlreadyDone as error:
        click.echo(f"A importação {run} já tinha sido desfeita por {error.by}. Nada mudou.")
    except (Refused, RuleDown) as error:
        raise click.ClickException(str(error)) from error
    else:
        click.echo(f"Importação {run} desfeita: {undone_text(undone)}.")


def _bring(
    console: Console,
    kind: str,
    regime: str,
    occasion: Occasion,
    *,
    file: Path,
    profile: str,
    sheet: str,
    dry_run: bool,
    errors: Path | None,
    skip: tuple[int, ...],
    maps: tuple[str, ...],
    confirm: tuple[str, ...],
    everything: bool,
    existing: imports.Existing = "ask",
    yearly: bool = False,
) -> None:
    """Previews a file, prints its report and writes it, unless something stands against it."""
    choices = Choices(profile, skip, tuple(_mapping(text) for text in maps), existing, confirm, sheet)
    data = file.read_bytes()
    try:
        report = imports.preview(occasion, console.desk, regime, BytesIO(data), file.name, choices, kind)
        for line in report_lines(report, everything):
            click.echo(line)
        if errors is not None:
            errors.write_text(errors_csv(report), encoding="utf-8", newline="")
            click.echo(f"As observações estão em {errors}.")
        if report.blocked:
            click.echo("Nada foi gravado. Corrija o arquivo ou responda aos conflitos e tente de novo.")
            raise click.exceptions.Exit(1)
        if dry_run:
            click.echo("Simulação: nada foi gravado.")
            return
        with console.store.writing() as session:
            enter_authorities(session, console.settings)
        if (
            yearly
            and isinstance(report.plan, CalendarPlan)
            and (added := add_yearly(occasion, console.desk, report.plan))
        ):
            days = "1 dia de todo ano" if added == 1 else f"{added} dias de todo ano"
            click.echo(f"No calendário do órgão: {days}.")
        with _progress() as told:
            written = import_runs.bring_in(occasion, console.desk, report, data, told)
    except (Refused, RuleDown) as error:
        raise click.ClickException(str(error)) from error
    for line in written_lines(written):
        click.echo(line)


def _authority_of(console: Console, regime: str) -> str:
    """The authority that administers a regime. Raises ``click.UsageError``."""
    authority = console.settings.authority_of(regime)
    if authority is None:
        known = {code: each for each in console.settings.authorities.values() for code in each.regimes}
        console.known("regime", regime, known)
        raise AssertionError("unreachable: an authority administers every known regime")
    return authority.code


def _authority(console: Console, code: str) -> str:
    """The authority of this code; without one the only one of the installation. Raises ``click.UsageError``."""
    every = console.settings.authorities
    if code:
        console.known("órgão", code, every)
        return code
    if len(every) != 1:
        raise click.UsageError(f"Diga o órgão com --authority. Há: {', '.join(every) or 'nenhum'}.")
    return next(iter(every))


def _occasion(console: Console, code: str, actor: str) -> Occasion:
    """The occasion in the name of an authority; a user named with ``--as`` must be one of it."""
    authority = console.settings.authority(code)
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
