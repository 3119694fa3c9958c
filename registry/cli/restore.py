"""``registry restore``: the whole installation back from one file."""

from __future__ import annotations

from pathlib import Path

import click

from registry.cli.backup import occasion_of, tell_steps, told
from registry.cli.console import Console, pass_console


def register(cli: click.Group) -> None:
    """Adds the command."""
    cli.add_command(restore)


@click.command()
@click.argument("path", metavar="ARQUIVO", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Substitui um banco que tem dados ou está em uso, e os arquivos que há.")
@click.option("--accept-faults", is_flag=True, help="Aceita uma cópia cuja auditoria já estava quebrada ao ser feita.")
@click.option("--quiet", is_flag=True, help="Não conta os passos.")
@pass_console
def restore(console: Console, path: Path, force: bool, accept_faults: bool, quiet: bool) -> None:
    """Confere ARQUIVO e o põe no lugar do banco e dos arquivos, tudo ou nada; vale entre SQLite e PostgreSQL."""
    from registry.services.backup import restore as put_back
    from registry.store.migrate import of_plugins

    files = console.settings.var / "files"
    with told():
        done = put_back(
            occasion_of(console),
            console.store,
            of_plugins(console.host),
            files,
            path,
            tell_steps(quiet),
            force=force,
            accept_faults=accept_faults,
            setup=console.settings.setup_file,
        )
    for name in done.missing:
        click.echo(f"AVISO: o arquivo {name} já faltava quando a cópia foi feita.", err=True)
    removed = f" {done.removed} arquivos que a cópia não tem foram retirados." if done.removed else ""
    click.echo(f"Restaurada a cópia de {done.made_at}: {done.rows} linhas, {done.files} arquivos.{removed}")
    click.echo(f"Auditoria: {done.head.count} entradas, última {done.head.hash}")
    if done.setup == "written":
        click.echo(f"A configuração da cópia está em {console.settings.setup_file}.")
    elif done.setup == "kept":
        click.echo(f"AVISO: {console.settings.setup_file} difere do da cópia e ficou como estava.", err=True)
    click.echo("Agora: registry db upgrade, e registry audit verify --head ARQUIVO_DAS_CABEÇAS")
