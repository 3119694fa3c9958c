"""``registry db``: brings the schema of core and plugins to where the program expects it, and says where it stands."""

from __future__ import annotations

from collections.abc import Iterable

import click

from registry.cli.console import Console, pass_console
from registry.store import migrate
from registry.store.engine import Store
from registry.store.migrate import MigrationError, Migrations, Revision


def register(cli: click.Group) -> None:
    """Adds the group to the command line."""
    cli.add_command(db)


@click.group()
def db() -> None:
    """O banco de dados: migrações do núcleo e dos plugins."""


@db.command()
@pass_console
def upgrade(console: Console) -> None:
    """Leva o núcleo e depois cada plugin à versão que o programa espera."""
    store, plugins = _open(console)
    try:
        _print(migrate.upgrade(store, plugins))
    except MigrationError as error:
        raise click.ClickException(str(error)) from error


@db.command()
@click.option("--plugin", metavar="NOME", default=migrate.CORE, help="O plugin; sem isto, o núcleo.")
@click.option("--yes", is_flag=True, help="Não pergunta.")
@click.argument("revision", default="base")
@pass_console
def downgrade(console: Console, plugin: str, yes: bool, revision: str) -> None:
    """Volta o núcleo ou um plugin a uma revisão; sem revisão, tira todas as suas tabelas."""
    store, plugins = _open(console)
    if not yes:
        label = f"do plugin {plugin}" if plugin else "do núcleo"
        click.confirm(f"Os dados {label} que a revisão {revision} não tem serão perdidos. Continuar?", abort=True)
    try:
        migrate.downgrade(store, plugins, plugin, revision)
    except MigrationError as error:
        raise click.ClickException(str(error)) from error
    _print(migrate.current(store, plugins))


@db.command()
@pass_console
def current(console: Console) -> None:
    """Mostra a revisão do núcleo e de cada plugin; termina com 1 quando há o que migrar."""
    store, plugins = _open(console)
    revisions = migrate.current(store, plugins)
    _print(revisions)
    if any(each.pending for each in revisions):
        raise click.exceptions.Exit(1)


@db.command(hidden=True)
@click.option("--plugin", metavar="NOME", default=migrate.CORE, help="O plugin; sem isto, o núcleo.")
@click.argument("message")
@pass_console
def revision(console: Console, plugin: str, message: str) -> None:
    """Escreve uma migração com a diferença entre o banco e os modelos, para o programador conferir."""
    try:
        store, plugins = _open(console)
        chosen = next((each for each in [migrate.core(), *plugins] if each.name == plugin), None)
        if chosen is None:
            console.plugin(plugin)
            raise click.UsageError(f"O plugin {plugin} não tem tabelas.")
        click.echo(migrate.revise(store, chosen, message))
    except MigrationError as error:
        raise click.ClickException(str(error)) from error


def _open(console: Console) -> tuple[Store, tuple[Migrations, ...]]:
    return console.store, migrate.of_plugins(console.host)


def _print(revisions: Iterable[Revision]) -> None:
    for each in revisions:
        state = "em dia" if not each.pending else f"falta levar a {each.head}: registry db upgrade"
        click.echo(f"{each.name or 'núcleo'}: {each.current or 'vazio'} ({state})")
