"""``registry public``: the rows of the public look-up, made anew, and the answer for a plate."""

from __future__ import annotations

from datetime import datetime, time

import click

from registry.cli.console import Console, pass_console
from registry.domain.identifiers import IdentifierError
from registry.domain.law import Step
from registry.domain.text import format_date, format_money
from registry.services.errors import RuleDown
from registry.services.public_rows import rebuild_public
from registry.services.status import RegimeAnswer, answers

STATES = {"authorized": "Autorizado", "denied": "Não autorizado", "unavailable": "Situação indisponível agora"}


def register(cli: click.Group) -> None:
    """Adds the group ``public``."""
    cli.add_command(public)


@click.group()
def public() -> None:
    """A consulta pública: o que ela responde e as linhas que ela lê."""


@public.command()
@click.option("--authority", "-a", metavar="ÓRGÃO", help="Só deste órgão.")
@pass_console
def rebuild(console: Console, authority: str | None) -> None:
    """Faz de novo, dos fatos datados, as linhas que a consulta pública lê; nada se apaga."""
    if authority:
        console.known("órgão", authority, console.settings.authorities)
    console.migrated()
    for code in [authority] if authority else console.settings.authorities:
        try:
            read, moved = rebuild_public(console.desk, console.occasion(code))
        except RuleDown as down:
            raise click.ClickException(str(down)) from down
        click.echo(f"{code}: {read} outorgas lidas, {moved} linhas mudadas.")


@public.command()
@click.argument("plate")
@click.option("--on", "on", type=click.DateTime(["%Y-%m-%d", "%d/%m/%Y"]), help="Como estava no fim deste dia.")
@pass_console
def show(console: Console, plate: str, on: datetime | None) -> None:
    """Responde por uma placa como a consulta pública responde."""
    zone = next(iter(console.settings.authorities.values())).zone
    at = datetime.combine(on.date(), time.max, tzinfo=zone) if on else console.now(zone)
    try:
        with console.migrated().reading() as session:
            found = answers(session, console.desk, plate, at)
    except IdentifierError as error:
        raise click.UsageError(error.message_pt) from error
    if not found:
        click.echo("Não consta.")
    for answer in found:
        _show(answer)


def _show(answer: RegimeAnswer) -> None:
    click.echo(f"{answer.card.plate} · {answer.label} ({answer.authority_name})")
    click.echo(f"{STATES[answer.state]}. {answer.sentence}".rstrip())
    if answer.card.valid_until:
        click.echo(f"nº {answer.card.number}, até {format_date(answer.card.valid_until)}")
    for label, text in answer.card.lines:
        click.echo(f"  {label}: {' · '.join(text.splitlines())}")
    for reason in answer.reasons:
        click.echo(f"  [impede] {reason.text} {reason.cite} {reason.todo}".rstrip())
    for ground in answer.in_order:
        click.echo(f"  [em ordem] {ground.text}")
    for part in answer.parts:
        for step in part.steps:
            click.echo(f"    {_step(step)}")
    for fact in answer.now:
        click.echo(f"  {fact.label}: {fact.headline} {fact.detail}".rstrip())


def _step(step: Step) -> str:
    return step.text if step.amount is None else f"{step.text} {format_money(step.amount)}"
