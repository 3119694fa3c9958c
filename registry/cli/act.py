"""``registry act``: acts of the authority from the command line."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from registry.cli.console import Console, pass_console
from registry.domain.acts import ACT_KINDS
from registry.domain.text import format_date
from registry.services import acts
from registry.services.acts import ActFile, ActInput
from registry.services.authorities import enter_authorities
from registry.services.errors import Refused

DAY = click.DateTime(["%d/%m/%Y", "%Y-%m-%d"])


def register(cli: click.Group) -> None:
    """Adds the group ``act``."""
    cli.add_command(act)


@click.group()
def act() -> None:
    """Atos do órgão: portarias, despachos, editais, decretos."""


@act.command()
@click.argument("kind", metavar="TIPO")
@click.argument("number", metavar="NÚMERO")
@click.option("--day", type=DAY, required=True, help="Data do ato, como 27/11/2026.")
@click.option("--authority", "-a", metavar="ÓRGÃO", help="Código do órgão; sem isto, o único que há.")
@click.option("--gazette", default="", metavar="TEXTO", help="Onde foi publicado.")
@click.option("--summary", default="", metavar="TEXTO", help="O que o ato faz, em uma frase.")
@click.option("--file", "path", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="O ato em PDF.")
@pass_console
def add(
    console: Console,
    kind: str,
    number: str,
    day: datetime,
    authority: str | None,
    gazette: str,
    summary: str,
    path: Path | None,
) -> None:
    """Cadastra um ato.

    \b
    registry act add portaria 112/2026 --day 27/11/2026 --summary "Fixa o custo por quilômetro"
    """
    code = _authority(console, authority)
    console.known("tipo de ato", kind, ACT_KINDS)
    with console.migrated().writing() as session:
        enter_authorities(session, console.settings)
    given = ActInput(kind, number, day.date(), gazette, summary)
    try:
        if path is None:
            made = acts.enter_act(console.occasion(code), console.desk, given)
        else:
            with path.open("rb") as stream:
                made = acts.enter_act(console.occasion(code), console.desk, given, ActFile(stream, path.name))
    except Refused as refused:
        raise click.ClickException(" ".join([*refused.fields.values(), refused.message]).strip()) from refused
    with console.store.reading() as session:
        line = acts.act_line(acts.act_of(session, code, made))
    click.echo(f"{line.name}, de {format_date(line.day)}: cadastrado.")


@act.command("list")
@click.argument("words", nargs=-1, metavar="[PALAVRAS]...")
@click.option("--authority", "-a", metavar="ÓRGÃO", help="Só deste órgão.")
@click.option("--ended", is_flag=True, help="Os encerrados, em vez dos que estão em vigor.")
@pass_console
def list_acts(console: Console, words: tuple[str, ...], authority: str | None, ended: bool) -> None:
    """Mostra os atos, do mais novo; com PALAVRAS, só os que as têm no nome, na publicação ou no resumo."""
    if authority:
        console.known("órgão", authority, console.settings.authorities)
    with console.migrated().reading() as session:
        for code in [authority] if authority else console.settings.authorities:
            for line in acts.find_acts(session, code, " ".join(words), state="encerrados" if ended else ""):
                parts = [line.name, format_date(line.day), code, line.gazette, line.summary]
                click.echo(" · ".join(part for part in [*parts, "PDF" if line.file_id else ""] if part))


def _authority(console: Console, given: str | None) -> str:
    """The authority named, else the only one. Raises ``click.UsageError``."""
    known = console.settings.authorities
    if given is None and len(known) == 1:
        return next(iter(known))
    if given is None:
        raise click.UsageError(f"Diga de que órgão é o ato, com -a. Há: {', '.join(known) or 'nenhum'}.")
    console.known("órgão", given, known)
    return given
