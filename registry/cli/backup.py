"""``registry backup``: the whole installation in one file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from registry.cli.console import Console, pass_console
from registry.domain.occasion import Occasion


def register(cli: click.Group) -> None:
    """Adds the command."""
    cli.add_command(backup)


@click.command()
@click.argument("path", metavar="ARQUIVO", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--quiet", is_flag=True, help="Não conta os passos; avisos continuam.")
@pass_console
def backup(console: Console, path: Path, quiet: bool) -> None:
    """Copia o banco e os arquivos para ARQUIVO, com o registro em uso ou não."""
    from registry.services.backup import back_up

    files = console.settings.var / "files"
    with told():
        made = back_up(occasion_of(console), console.store, files, path, tell_steps(quiet), console.settings.setup_file)
    for name in made.missing:
        click.echo(f"AVISO: o arquivo {name} está no banco e não está em {files}.", err=True)
    for name in made.damaged:
        click.echo(f"AVISO: o conteúdo do arquivo {name} mudou no disco; foi copiado como está.", err=True)
    if made.faults:
        click.echo("AVISO: a cadeia de auditoria não está íntegra. Veja: registry audit verify", err=True)
    click.echo(f"Cópia gravada em {path}: {made.rows} linhas, {made.files} arquivos.")
    click.echo(f"Auditoria: {made.head.count} entradas, última {made.head.hash}")


@contextmanager
def told() -> Iterator[None]:
    """Turns whatever keeps a backup or restore from being made into one message."""
    from sqlalchemy.exc import DBAPIError

    from registry.store.archive import ArchiveError
    from registry.store.backup import RestoreError

    try:
        yield
    except (ArchiveError, RestoreError) as error:
        raise click.ClickException(str(error)) from error
    except DBAPIError as error:
        raise click.ClickException(f"O banco não respondeu: {str(error.orig).strip()}. Nada foi mudado.") from error
    except OSError as error:
        raise click.ClickException(f"{error.filename or ''}: {error.strerror or error}. Nada foi mudado.") from error


def occasion_of(console: Console) -> Occasion:
    """The occasion of the whole installation: in the name of its first authority, at the clock's instant."""
    from registry.settings import Authority

    first: Authority | None = next(iter(console.settings.authorities.values()), None)
    if first is not None:
        return console.occasion(first.code)
    from zoneinfo import ZoneInfo

    zone = ZoneInfo("UTC")
    return Occasion(actor=console.actor or "linha de comando", authority="", at=console.now(zone), zone=zone)


def tell_steps(quiet: bool) -> Callable[[str], None]:
    """What tells each step on standard error; nothing when quiet."""
    return (lambda _step: None) if quiet else (lambda step: click.echo(f"… {step}", err=True))
