"""``registry jobs``: what runs once a night, and the worker of the queue."""

from __future__ import annotations

from pathlib import Path

import click

from registry.cli.console import Console, pass_console


def register(cli: click.Group) -> None:
    """Adds the group ``jobs``."""
    cli.add_command(jobs)


@click.group()
def jobs() -> None:
    """O trabalho que não espera por ninguém: o da noite e o da fila."""


@jobs.command()
@click.option(
    "--heads",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Arquivo das cabeças da auditoria (padrão: audit/heads.txt na pasta de dados).",
)
@pass_console
def run(console: Console, heads: Path | None) -> None:
    """Atualiza as filas para o dia e exporta a cabeça da auditoria; termina com 1 se uma regra não respondeu."""
    from registry.jobs import heads_file, nightly

    if not console.settings.authorities:
        raise click.UsageError("A configuração não tem nenhum órgão.")
    console.migrated()
    path = heads or heads_file(console.settings.var)
    night = nightly(console.desk, console.occasion, path)
    for each in night.swept:
        failed = f", {each.failed} sem resposta da regra" if each.failed else ""
        click.echo(f"{each.authority}: {each.changed} requerimentos atualizados{failed}.")
    click.echo(f"Auditoria: {night.head.count} entradas, em {path}.")
    if night.failed:
        raise click.exceptions.Exit(1)


@jobs.command()
@pass_console
def worker(console: Console) -> None:
    """Executa o que as telas põem na fila e, às 3h10, o trabalho da noite; fica no ar até ser parado."""
    from registry.app import configure_logs
    from registry.jobs import Jobs

    if not console.settings.authorities:
        raise click.UsageError("A configuração não tem nenhum órgão.")
    configure_logs()
    console.migrated()
    Jobs(console.desk, console.clock).work()
