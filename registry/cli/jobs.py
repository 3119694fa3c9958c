"""``registry jobs``: what runs once a night, and the worker of the queue."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import click

from registry.cli.console import Console, pass_console
from registry.cli.serve import stamp_of

LOOK_EVERY = 5.0
"""Seconds between two looks of the worker at the file of the set-up."""


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
    Thread(target=restart_when_changed, args=(console.settings.setup_file,), daemon=True).start()
    Jobs(console.desk, console.clock).work()


def restart_when_changed(
    watched: Path, wait: Callable[[float], object] = time.sleep, restart: Callable[[], object] | None = None
) -> None:
    """Waits until the file of the set-up is another one; then the worker ends what it does and begins anew with it."""
    before = stamp_of(watched)
    while stamp_of(watched) == before:
        wait(LOOK_EVERY)
    (restart or (lambda: os.kill(os.getpid(), signal.SIGHUP)))()
