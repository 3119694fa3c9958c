"""``registry setup``: from nothing to a registry that can grant its first permit, asked or scripted, and resumable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from registry.cli.console import Console, pass_console


def register(cli: click.Group) -> None:
    """Adds the command."""
    cli.add_command(setup)


@click.command()
@click.option("--check", is_flag=True, help="Só mostra o que falta; termina com 1 enquanto faltar algo.")
@click.option(
    "--answers",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Respostas em TOML; com elas não pergunta nada.",
)
@click.option("--no-input", is_flag=True, help="Não pergunta nada: usa só as opções.")
@click.option("--code", help="Código do órgão, como «prefeitura».")
@click.option("--name", help="Nome do órgão, como nos papéis.")
@click.option("--short-name", help="Nome curto; sem isto, o nome.")
@click.option("--zone", help="Fuso horário, como «America/Sao_Paulo».")
@click.option("--phone", help="Telefone que o público lê.")
@click.option("--address", help="Endereço que o público lê.")
@click.option("--rename", is_flag=True, help="O código é do mesmo órgão, com nome novo.")
@click.option("--regime", "regimes", multiple=True, metavar="REGIME", help="O que o órgão administra; repita.")
@click.option("--day", "days", nargs=2, multiple=True, metavar="DIA NOME", help="Feriado do lugar, como 24/06; repita.")
@click.option("--site", help="Endereço público, como https://registro.exemplo.gov.br.")
@click.option("--admin", metavar="USUÁRIO", help="Primeiro administrador.")
@click.option("--admin-name", metavar="NOME", help="Nome completo dele.")
@click.option("--admin-password", metavar="SENHA", help="Senha dele; sem isto, mostra um link de convite.")
@click.option("--user", "users", nargs=3, multiple=True, metavar="USUÁRIO NOME PERFIS", help="Outro usuário; repita.")
@click.option(
    "--office",
    "offices",
    nargs=5,
    multiple=True,
    metavar="USUÁRIO REGIME CARGO ATO DESDE",
    help="Nomeação para um cargo; repita.",
)
@click.option(
    "--index", "indexes", nargs=4, multiple=True, metavar="CHAVE VALOR DESDE ATO", help="Valor fixado por ato; repita."
)
@pass_console
def setup(console: Console, /, check: bool, file: Path | None, no_input: bool, **given: Any) -> None:
    """Implanta o órgão: quem é, dias, regimes, banco, usuários, nomeações, valores. Pode parar e continuar depois."""
    from registry.cli.setup.answers import from_options, read_answers
    from registry.cli.setup.checking import check_installation
    from registry.cli.setup.running import run

    if check:
        raise click.exceptions.Exit(0 if check_installation(console, given["code"]) else 1)
    answers = from_options(given)
    if file is not None:
        answers = read_answers(file).under(answers)
    run(console, answers, asking=file is None and not no_input)
