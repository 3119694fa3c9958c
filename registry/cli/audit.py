"""``registry audit``: verifies the chain of audit entries and exports its head."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import click

from registry.cli.console import Console, pass_console
from registry.services.backup import Restore, last_restore
from registry.store import audit as chain
from registry.store import migrate
from registry.store.audit_head import HeadError, append_head, read_heads
from registry.store.engine import Store


def register(cli: click.Group) -> None:
    """Adds the group to the command line."""
    cli.add_command(audit)


@click.group()
def audit() -> None:
    """A cadeia de auditoria."""


@audit.command()
@click.option(
    "--head",
    "kept",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Arquivo que `registry audit head` escreveu; só com ele se vê que o fim foi cortado ou tudo foi reescrito.",
)
@pass_console
def verify(console: Console, kept: Path | None) -> None:
    """Percorre a cadeia e aponta o que foi alterado, removido ou trocado de lugar; termina com 1 se achar algo."""
    try:
        heads = read_heads(kept) if kept else []
    except HeadError as error:
        raise click.ClickException(str(error)) from error
    with _store(console).reading() as session:
        report = chain.verify(session, heads)
        restored = last_restore(session)
    for fault in report.faults:
        click.echo(fault.message_pt)
    click.echo(f"{report.head.count} entradas, última {report.head.hash}")
    if report.redacted:
        click.echo(f"{report.redacted} entradas estão sem conteúdo, como a própria cadeia diz (dados anonimizados).")
    if not report.intact:
        if heads:
            click.echo(_what_to_do(restored))
        raise click.exceptions.Exit(1)
    click.echo("A cadeia está íntegra." if heads else "A cadeia está íntegra; sem --head não se sabe se falta o fim.")


def _what_to_do(restored: Restore | None) -> str:
    """What may lie behind a chain that does not reach its exported heads, and what to do then."""
    if restored is None:
        return (
            "Se uma cópia antiga do banco foi posta no lugar, o fim que falta se perdeu com ela: procure uma cópia "
            "mais nova. Se não foi, alguém mexeu no banco: guarde-o como está e apure."
        )
    return (
        f"A entrada {restored.seq} diz que em {restored.at:%d/%m/%Y %H:%M} UTC foi restaurada a cópia de "
        f"{restored.made_at}, que ia até a entrada {restored.count}: o que veio depois dela se perdeu. Se foi isso, "
        "guarde este arquivo de cabeças com o registro da restauração e comece outro: "
        "registry audit head --append NOVO."
    )


@audit.command()
@click.option(
    "--append",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Acrescenta a linha a este arquivo, guardado fora do servidor.",
)
@pass_console
def head(console: Console, path: Path | None) -> None:
    """Mostra a última entrada da cadeia: instante, quantas entradas e o resumo da última."""
    at = console.clock().astimezone(UTC)
    with _store(console).reading() as session:
        now = chain.head(session)
    if path:
        append_head(path, at, now)
    click.echo(f"{at:%Y-%m-%dT%H:%M:%SZ} {now.count} {now.hash}")


def _store(console: Console) -> Store:
    """The core's tables are all that it needs: a plugin that is gone or ahead hinders no verification."""
    try:
        migrate.check(console.store)
    except migrate.MigrationError as error:
        raise click.ClickException(str(error)) from error
    return console.store
