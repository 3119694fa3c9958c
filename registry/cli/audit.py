"""``registry audit``: verifies the chain of audit entries and exports its head."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import click

from registry.cli.console import Console, pass_console
from registry.store import audit as chain
from registry.store import migrate
from registry.store.audit_head import HeadError, append_head, read_heads
from registry.store.engine import Store


def register(cli: click.Group) -> None:
    """Adds the group to the command line."""
    cli.add_command(audit)


@click.group()
def audit() -> None:
    """A cadeia de auditoria."""


@audit.command()
@click.option(
    "--head",
    "kept",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Arquivo que `registry audit head` escreveu; só com ele se vê que o fim foi cortado ou tudo foi reescrito.",
)
@pass_console
def verify(console: Console, kept: Path | None) -> None:
    """Percorre a cadeia e aponta o que foi alterado, removido ou trocado de lugar; termina com 1 se achar algo."""
    try:
        heads = read_heads(kept) if kept else []
    except HeadError as error:
        raise click.ClickException(str(error)) from error
    with _store(console).reading() as session:
        report = chain.verify(session, heads)
    for fault in report.faults:
        click.echo(fault.message_pt)
    click.echo(f"{report.head.count} entradas, última {report.head.hash}")
    if not report.intact:
        raise click.exceptions.Exit(1)
    click.echo("A cadeia está íntegra." if heads else "A cadeia está íntegra; sem --head não se sabe se falta o fim.")


@audit.command()
@click.option(
    "--append",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Acrescenta a linha a este arquivo, guardado fora do servidor.",
)
@pass_console
def head(console: Console, path: Path | None) -> None:
    """Mostra a última entrada da cadeia: instante, quantas entradas e o resumo da última."""
    at = console.clock().astimezone(UTC)
    with _store(console).reading() as session:
        now = chain.head(session)
    if path:
        append_head(path, at, now)
    click.echo(f"{at:%Y-%m-%dT%H:%M:%SZ} {now.count} {now.hash}")


def _store(console: Console) -> Store:
    """The core's tables are all that it needs: a plugin that is gone or ahead hinders no verification."""
    try:
        migrate.check(console.store)
    except migrate.MigrationError as error:
        raise click.ClickException(str(error)) from error
    return console.store
