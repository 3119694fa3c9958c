"""``registry doctor``: examines the installation and says what to mend."""

from __future__ import annotations

from pathlib import Path

import click

from registry import resources
from registry.cli.console import Console, pass_console

_MARKS = {"ok": "em ordem", "attention": "ATENÇÃO ", "fault": "FALHA   "}


def register(cli: click.Group) -> None:
    """Adds the command."""
    cli.add_command(doctor)


@click.command()
@click.option("--whole", is_flag=True, help="Percorre também a auditoria inteira e procura cada arquivo.")
@click.option(
    "--heads",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Arquivo das cabeças da auditoria (padrão: audit/heads.txt na pasta de dados).",
)
@pass_console
def doctor(console: Console, whole: bool, heads: Path | None) -> None:
    """Examina configuração, banco, migrações, plugins, letras, relógio, disco, arquivos e auditoria.

    Termina com 1 quando há falha.
    """
    from registry.jobs import heads_file
    from registry.services.doctor import examine

    kept = heads or heads_file(console.settings.var)
    parts = (console.settings, console.host, console.store, resources.static(), console.clock(), kept)
    findings = examine(*parts, whole=whole)
    for each in findings:
        click.echo(f"{_MARKS[each.state]}  {each.part}: {each.text}{f' {each.mend}' if each.mend else ''}")
    faults = sum(each.state == "fault" for each in findings)
    if faults:
        click.echo("1 falha a resolver." if faults == 1 else f"{faults} falhas a resolver.")
        raise click.exceptions.Exit(1)
    click.echo("Pode trabalhar.")
