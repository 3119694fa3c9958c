"""The command line: ``registry <group> <command>``.

Each module of this package is one topic with a function ``register(cli)`` that adds its commands; a module is imported
only when its command (or the list of all) is asked for. Write a new group as ``registry/cli/<command>.py``.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from datetime import datetime

import click

from registry.cli.console import Console
from registry.domain.lawbook import LawbookError
from registry.plugins import RuleFailed, StartError
from registry.settings import SettingsError

_NO_TOPIC = frozenset({"console", "import_report", "output", "wanted"})
_LONGEST_ACTOR = 64
_UNREACHABLE = frozenset({"OperationalError", "DatabaseError"})  # by name: no command waits for the database's library


class TopicGroup(click.Group):
    """A group whose commands come from the modules of a package, imported when asked for.

    A command is looked for in the module of its own name (``imports`` for ``import``, which no module may be called),
    then in all of them.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command of every topic."""
        for topic in _topics():
            _add(self, topic)
        return sorted(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; None when no topic has it."""
        topic = next((each for each in _topics() if each in (cmd_name, f"{cmd_name}s")), None)
        if topic:
            _add(self, topic)
        if cmd_name not in self.commands:
            self.list_commands(ctx)
        return self.commands.get(cmd_name) or _commands_of_plugin(ctx, cmd_name)


def _commands_of_plugin(ctx: click.Context, name: str) -> click.Group | None:
    """The commands that a loaded plugin adds, under its own name."""
    console = ctx.ensure_object(Console)
    if name not in console.settings.plugins:
        return None
    group = click.Group(name, help=f"Comandos do plugin {name}.")
    for answer in console.host.collect("registry_commands", only=name):
        for command in answer.value:
            group.add_command(command)
    return group


def _topics() -> list[str]:
    return [name for _, name, _ in pkgutil.iter_modules(__path__) if name not in _NO_TOPIC]


def _add(group: click.Group, topic: str) -> None:
    register: Callable[[click.Group], None] = importlib.import_module(f"{__name__}.{topic}").register
    register(group)


@click.command(cls=TopicGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--as", "actor", metavar="USUÁRIO", default="", help="Quem faz, na auditoria.")
@click.option("--on", "on", type=click.DateTime(["%Y-%m-%d"]), metavar="AAAA-MM-DD", help="Faz como se fosse este dia.")
@click.version_option(package_name="outorga-registry", prog_name="registry")
@click.pass_context
def cli(ctx: click.Context, actor: str, on: datetime | None) -> None:
    """Registro de outorgas do transporte de passageiros."""
    if len(actor) > _LONGEST_ACTOR or not actor.isprintable():
        raise click.UsageError(f"--as: use até {_LONGEST_ACTOR} letras, em uma linha.")
    console = ctx.ensure_object(Console)
    console.actor, console.on = actor, on.date() if on else None


def main() -> None:
    """The entry point: a fault of configuration or of a plugin, and a database that cannot be reached, is one message
    on stderr and exit code 2.
    """
    try:
        cli.main(prog_name="registry", standalone_mode=True)
    except (SettingsError, StartError, LawbookError, RuleFailed) as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    except UnicodeEncodeError as error:
        around = error.object[max(0, error.start - 10) : error.end]
        click.echo(
            f"O texto tem letras que não estão em UTF-8, em {around!a}. "
            "Isto não foi gravado: acerte o idioma do terminal (LANG=C.UTF-8) e digite de novo.",
            err=True,
        )
        sys.exit(2)
    except Exception as error:
        cause = getattr(error, "orig", None)
        unreachable = type(error).__name__ in _UNREACHABLE or getattr(error, "statement", "") is None
        if cause is None or not unreachable:
            raise
        click.echo(
            f"O banco não respondeu: {str(cause).strip()}. Confira REGISTRY_DATABASE_URL e o servidor.", err=True
        )
        sys.exit(2)
