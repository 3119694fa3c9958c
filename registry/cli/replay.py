"""``registry replay``: would what was decided come out the same today?"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from registry.cli.console import Console, pass_console
from registry.domain.text import format_date
from registry.services.replay import NOTHING_ASKED, Change, Replayed, named, replay
from registry.store.engine import Store
from registry.store.migrate import MigrationError, check

_HEAD = ("órgão", "o que", "regra", "pergunta", "plugin", "versão de então", "versão de agora", "dia")
_CHANGE = ("mudou", "antes", "agora")
_DAY = click.DateTime(["%Y-%m-%d", "%d/%m/%Y"])


def register(cli: click.Group) -> None:
    """Adds the command ``replay``."""
    cli.add_command(replay_command)


@click.command("replay")
@click.option("--plugin", metavar="NOME", default="", help="Só as perguntas deste plugin.")
@click.option(
    "--since", "day", type=click.DateTime(["%Y-%m-%d", "%d/%m/%Y"]), metavar="DIA", help="Só deste dia em diante."
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Escreve as diferenças neste CSV.")
@pass_console
def replay_command(console: Console, plugin: str, day: datetime | None, out: Path | None) -> None:
    """Refaz as perguntas das decisões, vistorias e pagamentos guardados e mostra as que hoje responderiam outra coisa.

    Não grava nada no banco. Termina com 1 se alguma mudou.
    """
    if plugin:
        console.plugin(plugin)
    store = _store(console)
    asked, changed = 0, 0
    left_out: Counter[tuple[str, str]] = Counter()
    since: Counter[tuple[str, str, str]] = Counter()
    with _writer(out) as write, store.reading() as session:
        for found in replay(session, console.desk, plugin, day.date() if day else None):
            if found.left_out:
                left_out[found.plugin, found.left_out] += 1
                continue
            asked += 1
            if found.since:
                since[found.plugin, found.question, ", ".join(found.since)] += 1
            if found.changes:
                changed += 1
                subject = named(session, found)
                click.echo("\n".join(_told(found, subject)))
                for change in found.changes:
                    write((*_cells(found, subject), change.what, _text(change.before), _text(change.now)))
    for (name, why), count in sorted(left_out.items()):
        loud = "" if why == NOTHING_ASKED else "ATENÇÃO: "
        click.echo(f"{loud}{count} do plugin {name} não refeitas: {why}.")
    for (name, question, what), count in sorted(since.items()):
        click.echo(f"{count} de {name} {question} foram refeitas com o que então não havia: {what}.")
    click.echo(f"{asked} respostas refeitas, {changed} {'diferente' if changed == 1 else 'diferentes'}.")
    if changed:
        sys.exit(1)


def _store(console: Console) -> Store:
    """The database, the core's part up to date: a plugin's own tables may wait for the upgrade that this precedes."""
    try:
        check(console.store)
    except MigrationError as error:
        raise click.ClickException(str(error)) from error
    return console.store


@contextmanager
def _writer(out: Path | None) -> Iterator[Any]:
    """Writes rows to the CSV as they come; without one they go nowhere."""
    if out is None:
        yield lambda row: None
        return
    from registry.domain.spreadsheet import safe

    try:
        stream = out.open("w", encoding="utf-8-sig", newline="")
    except OSError as error:
        raise click.ClickException(f"Não consegui escrever {out}: {error.strerror}.") from error
    with stream:
        writer = csv.writer(stream, delimiter=";")
        writer.writerow((*_HEAD, *_CHANGE))
        yield lambda row: writer.writerow([safe(cell) for cell in row])


def _told(found: Replayed, subject: str) -> Iterable[str]:
    version = f"{found.version_then} -> {found.version_now}" if found.version_then != found.version_now else ""
    versions = f", versão {version}" if version else ""
    asked = f"{found.rule} ({found.plugin} {found.question}{versions})"
    yield f"{found.authority}: {subject}, {format_date(found.on)}: {asked}"
    for change in found.changes:
        yield f"    {_line(change)}"
    if found.since:
        yield f"    então não havia: {', '.join(found.since)}"


def _line(change: Change) -> str:
    return f"{change.what}: era {_text(change.before)}, seria {_text(change.now)}"


def _cells(found: Replayed, subject: str) -> tuple[str, ...]:
    versions = (found.version_then, found.version_now)
    return (found.authority, subject, found.rule, found.question, found.plugin, *versions, found.on.isoformat())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
