"""``registry privacy``: one person's data for that person, and the end of data that need not be kept (LGPD)."""

from __future__ import annotations

import os
from pathlib import Path

import click

from registry.cli.console import Console, pass_console
from registry.cli.user import told
from registry.domain.identifiers import IdentifierError, parse_cpf
from registry.services import anonymisation, privacy


def register(cli: click.Group) -> None:
    """Adds the group."""
    cli.add_command(group)


@click.group("privacy")
def group() -> None:
    """Dados pessoais (LGPD): entrega à própria pessoa, anonimização, limpeza."""


@group.command()
@click.argument("cpf")
@click.argument("path", metavar="ARQUIVO", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--authority", "-a", metavar="ÓRGÃO", help="Órgão, quando o CPF está em mais de um.")
@pass_console
def export(console: Console, cpf: str, path: Path, authority: str | None) -> None:
    """Grava tudo o que o registro tem sobre a pessoa: ARQUIVO.json, e ARQUIVO.html para ler. Fica na auditoria."""
    person_id, code = _find(console, cpf, authority)
    with told():
        found = privacy.export_person(console.occasion(code), console.desk, person_id)
    for ending, content in ((".json", found.as_json()), (".html", found.as_page())):
        target = path.with_name(path.name.removesuffix(".json").removesuffix(".html") + ending)
        try:
            with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                file.write(content)
        except OSError as error:
            raise click.ClickException(f"{target}: não foi possível gravar: {error.strerror or error}.") from error
        click.echo(f"Gravado: {target}")


@group.command()
@click.argument("cpf")
@click.option("--reason", required=True, help="O motivo, sem o nome da pessoa; fica na auditoria.")
@click.option("--authority", "-a", metavar="ÓRGÃO", help="Órgão, quando o CPF está em mais de um.")
@click.option("--yes", is_flag=True, help="Não pergunta.")
@pass_console
def anonymise(console: Console, cpf: str, reason: str, authority: str | None, yes: bool) -> None:
    """Apaga o que identifica a pessoa, quando nada mais precisa dos dados. Não tem volta."""
    person_id, code = _find(console, cpf, authority)
    if not yes:
        click.confirm("O nome, os documentos, os arquivos e o histórico desta pessoa se apagam. Continuar?", abort=True)
    with told():
        done = anonymisation.anonymise(console.occasion(code), console.desk, person_id, reason)
    click.echo(f"Dados anonimizados: {done.files} arquivos e o conteúdo de {done.entries} entradas da auditoria.")


@group.command()
@click.option("--authority", "-a", metavar="ÓRGÃO", help="Só deste órgão.")
@pass_console
def due(console: Console, authority: str | None) -> None:
    """Lista as pessoas cujos dados já não precisam ser guardados."""
    if authority:
        console.known("órgão", authority, console.settings.authorities)
    console.migrated()
    for code in [authority] if authority else console.settings.authorities:
        on = console.occasion(code).on
        with console.store.reading() as session:
            found = anonymisation.due(session, code, on, console.settings.retention)
        for each in found:
            click.echo(f"{code} · {each.id} · {each.name}")
        click.echo(f"{code}: {len(found)} pessoas.")


@group.command()
@pass_console
def sweep(console: Console) -> None:
    """Apaga vestígios técnicos mais velhos que [retention] traces_days, e arquivos que nenhum registro cita."""
    console.migrated()
    code = next(iter(console.settings.authorities), None)
    if code is None:
        raise click.UsageError("A configuração não tem nenhum órgão.")
    done = privacy.sweep(console.occasion(code), console.desk)
    click.echo(
        f"Apagados: {done.clicks} cliques repetidos, {done.log_ins} entradas sem usuário, "
        f"{done.invitations} convites gastos, {done.files} arquivos sem registro."
    )


def _find(console: Console, cpf: str, authority: str | None) -> tuple[int, str]:
    try:
        document = parse_cpf(cpf)
    except IdentifierError as error:
        raise click.UsageError(error.message_pt) from error
    if authority:
        console.known("órgão", authority, console.settings.authorities)
    with console.migrated().reading() as session:
        found = [each for each in privacy.people_of(session, document) if authority in (None, each[1])]
    if not found:
        raise click.UsageError("Ninguém cadastrado com este CPF.")
    if len(found) > 1:
        codes = ", ".join(code for _, code in found)
        raise click.UsageError(f"Este CPF está em mais de um órgão ({codes}): escolha com --authority.")
    return found[0]
