"""``registry user``: accounts, passwords and appointments from the command line (the first user is made here)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime

import click

from registry.cli.console import Console, pass_console
from registry.services import invitations, offices, users
from registry.services.authorities import enter_authorities
from registry.services.errors import NotFound, Refused

DAY = click.DateTime(["%d/%m/%Y", "%Y-%m-%d"])


def register(cli: click.Group) -> None:
    """Adds the group ``user``."""
    cli.add_command(user)


@click.group()
def user() -> None:
    """Usuários: cadastro, senha, nomeação para cargos."""


@user.command()
@click.argument("username")
@click.option("--authority", "-a", required=True, metavar="ÓRGÃO", help="Código do órgão onde trabalha.")
@click.option("--name", required=True, help="Nome completo.")
@click.option("--role", "roles", multiple=True, required=True, metavar="PERFIL", help="Perfil; repita para outros.")
@click.option("--password", help="Senha; sem isto, pergunta.")
@pass_console
def add(console: Console, username: str, authority: str, name: str, roles: tuple[str, ...], password: str) -> None:
    """Cadastra um usuário com a senha digitada aqui; veja também «invite»."""
    _prepare(console, authority, roles)
    chosen = password or click.prompt("Senha", hide_input=True, confirmation_prompt=True)
    with told():
        users.create_user(console.occasion(authority), console.desk, username, name, chosen, roles)
    click.echo(f"Usuário {username} cadastrado: {', '.join(console.settings.roles[role] for role in roles)}.")


@user.command()
@click.argument("username")
@click.option("--authority", "-a", required=True, metavar="ÓRGÃO", help="Código do órgão onde trabalha.")
@click.option("--name", required=True, help="Nome completo.")
@click.option("--role", "roles", multiple=True, required=True, metavar="PERFIL", help="Perfil; repita para outros.")
@pass_console
def invite(console: Console, username: str, authority: str, name: str, roles: tuple[str, ...]) -> None:
    """Cadastra um usuário e mostra, uma vez, o link pelo qual ele escolhe a senha."""
    _prepare(console, authority, roles)
    with told():
        made = invitations.invite(console.occasion(authority), console.desk, username, name, roles)
    tell_link(console, username, made)


@user.command("password")
@click.argument("username")
@click.option("--password", help="Senha nova; sem isto, pergunta.")
@click.option("--link", is_flag=True, help="Mostra um link pelo qual o usuário escolhe a senha.")
@pass_console
def new_password(console: Console, username: str, password: str, link: bool) -> None:
    """Dá uma senha nova, abre o bloqueio e encerra as sessões abertas."""
    user_id, authority = _find(console, username)
    if link:
        with told():
            made = invitations.make_link(console.occasion(authority), console.desk, user_id)
        tell_link(console, username, made)
        return
    chosen = password or click.prompt("Senha nova", hide_input=True, confirmation_prompt=True)
    with told():
        users.set_password(console.occasion(authority), console.desk, user_id, chosen)
    click.echo(f"Senha de {username} trocada.")


@user.command()
@click.argument("username")
@click.argument("regime")
@click.argument("office")
@click.option("--since", type=DAY, help="Primeiro dia; sem isto, hoje.")
@click.option("--until", type=DAY, help="Último dia; sem isto, até outro ato.")
@click.option("--act", required=True, help="O ato que nomeia, como «Portaria 12/2026».")
@click.option("--substitute", is_flag=True, help="Nomeia como substituto.")
@pass_console
def appoint(
    console: Console,
    username: str,
    regime: str,
    office: str,
    since: datetime | None,
    until: datetime | None,
    act: str,
    substitute: bool,
) -> None:
    """Nomeia um usuário para um cargo de um regime."""
    user_id, authority = _find(console, username)
    chosen = console.known("regime", regime, {each.code: each for each in console.desk.regimes_of(authority)})
    held = console.known("cargo", office, {each.code: each for each in chosen.offices})
    occasion = console.occasion(authority)
    first, last = (since.date() if since else occasion.on), (until.date() if until else None)
    with told():
        offices.appoint(occasion, console.desk, user_id, regime, office, first, last, substitute=substitute, act=act)
    click.echo(f"{username}: nomeação gravada, {held.label}, {_span(first, last)}.")


@user.command("list")
@click.option("--authority", "-a", metavar="ÓRGÃO", help="Só deste órgão.")
@pass_console
def list_users(console: Console, authority: str | None) -> None:
    """Mostra os usuários com perfis e cargos."""
    if authority:
        console.known("órgão", authority, console.settings.authorities)
    with console.migrated().reading() as session:
        for code in [authority] if authority else console.settings.authorities:
            for line in users.users_of(session, code):
                held = [f"{each.office} ({_span(each.since, each.until)})" for each in line.offices]
                parts = [
                    ", ".join(line.roles),
                    *held,
                    *(["convidado"] if line.waiting else []),
                    *([] if line.active else ["inativo"]),
                ]
                click.echo(f"{line.username} · {line.name} · {code} · {'; '.join(parts)}")


def tell_link(console: Console, username: str, made: invitations.Issued) -> None:
    """Prints a link that was made; it is shown here and nowhere else."""
    first = next(iter(console.settings.authorities.values()))
    until = made.expires_at.astimezone(first.zone)
    click.echo(f"Entregue este link a {username}. Ele aparece só aqui e vale uma vez, até {until:%d/%m/%Y, %Hh%M}:")
    click.echo(f"  {console.address(made.path)}")


def _prepare(console: Console, authority: str, roles: tuple[str, ...]) -> None:
    """The authority and the roles exist, the authority in the database too."""
    console.known("órgão", authority, console.settings.authorities)
    for role in roles:
        console.known("perfil", role, console.settings.roles)
    with console.migrated().writing() as session:
        enter_authorities(session, console.settings)


def _find(console: Console, username: str) -> tuple[int, str]:
    with console.migrated().reading() as session:
        found = users.find_user(session, username)
    if found is None:
        raise click.UsageError(f"Não há usuário {username}.")
    return found.id, found.authority


def _span(first: date, last: date | None) -> str:
    return f"de {first:%d/%m/%Y} " + (f"a {last:%d/%m/%Y}" if last else "em diante")


@contextmanager
def told() -> Iterator[None]:
    """Turns a refusal into one message on the command line."""
    try:
        yield
    except Refused as refused:
        texts = [*refused.fields.values(), refused.message]
        raise click.ClickException(" ".join(text for text in texts if text)) from refused
    except NotFound as error:
        raise click.ClickException(str(error)) from error
