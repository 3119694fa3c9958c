"""``registry plugin``: what is installed and what is loaded."""

from __future__ import annotations

import click

from registry.cli.console import Console, pass_console
from registry.plugins import installed_plugins


def register(cli: click.Group) -> None:
    """Adds the group ``plugin``."""
    cli.add_command(plugin)


@click.group()
def plugin() -> None:
    """Plugins: as leis e os mecanismos que esta instalação usa."""


@plugin.command("list")
@pass_console
def list_plugins(console: Console) -> None:
    """Mostra os plugins na ordem da configuração e os instalados que ela não usa."""
    loaded = console.host.plugins
    for each in loaded.values():
        regimes = ", ".join(regime.code for regime in each.regimes) or "nenhum regime"
        click.echo(f"{each.name} {each.version}: {regimes}, {len(each.questions)} perguntas")
    for name, point in installed_plugins().items():
        if name not in loaded:
            version = point.dist.version if point.dist else "?"
            click.echo(f"{name} {version}: instalado, fora da configuração")
