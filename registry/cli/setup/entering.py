"""Users, appointments and index values of a set-up: entered once, checked before anything is written."""

from __future__ import annotations

from dataclasses import replace

import click
from sqlalchemy import select

from registry.cli.console import Console
from registry.cli.setup.answers import Answers, IndexAnswer, OfficeAnswer, UserAnswer
from registry.cli.user import tell_link, told
from registry.plugins import PluginHost
from registry.services import indexes, invitations, offices, users
from registry.services.errors import Refused
from registry.store.access import Appointment, User
from registry.store.acts import IndexValue

_ACT = 400


def validate(host: PluginHost, code: str, answers: Answers) -> None:
    """Everything that can be told without a database. Raises Refused with every fault."""
    found = [
        *((f"user {each.username}", _user_fault(host, each)) for each in answers.users),
        *((f"office {each.regime} {each.office}", _office_fault(host, code, each)) for each in answers.offices),
        *((f"index {each.key}", _index_fault(host, code, each)) for each in answers.indexes),
    ]
    if faults := {place: f"{place}: {text}" for place, text in found if text}:
        raise Refused(faults)


def _user_fault(host: PluginHost, user: UserAnswer) -> str:
    unknown = [role for role in user.roles if role not in host.settings.roles]
    if unknown:
        return f"não existe o perfil «{unknown[0]}». Há: {', '.join(host.settings.roles)}."
    return users.password_fault(user.password, user.username).get("password", "") if user.password else ""


def _office_fault(host: PluginHost, code: str, office: OfficeAnswer) -> str:
    regimes = {each.code: each for each in host.regimes_of(code)}
    if office.regime not in regimes:
        return f"o órgão não administra o regime {office.regime}. Há: {', '.join(regimes) or 'nenhum'}."
    known = [each.code for each in regimes[office.regime].offices]
    if office.office not in known:
        return f"não existe este cargo. Há: {', '.join(known)}."
    return "" if office.act.strip() else "escreva o ato que nomeia, como «Portaria 12/2026»."


def _index_fault(host: PluginHost, code: str, index: IndexAnswer) -> str:
    books = [host.plugins[each.plugin].lawbook for each in host.regimes_of(code)]
    kinds = {key: kind for book in books for key, kind in book.indexes.items()}
    if index.key not in kinds:
        return f"não existe este valor. Há: {', '.join(kinds) or 'nenhum'}."
    places = kinds[index.key].places
    if index.value <= 0 or index.value != round(index.value, places):
        return f"deve ser maior que zero, com até {places} casas."
    return "" if index.act.strip() else "escreva o ato que fixa o valor, como «Portaria 112/2026»."


def enter_user(fresh: Console, code: str, answer: UserAnswer) -> int:
    """Enters a user, or finds the one who is there; prints a link where there is no password. Gives the id.

    Raises ``click.ClickException`` for a name of another authority's user, or a field that cannot be.
    """
    found, link_lost = _known(fresh, code, answer.username)
    occasion = fresh.occasion(code)
    if found is not None:
        if link_lost and answer.password:
            with told():
                users.set_password(occasion, fresh.desk, found, answer.password)
            click.echo(f"Usuário {answer.username}: senha gravada.")
        elif link_lost:
            with told():
                tell_link(fresh, answer.username, invitations.make_link(occasion, fresh.desk, found))
        else:
            click.echo(f"Usuário {answer.username}: já estava cadastrado.")
        return found
    roles = answer.roles or fresh.settings.permissions["users.manage"][:1]
    with told():
        if answer.password:
            args = (answer.username, answer.name, answer.password, roles)
            made = users.create_user(occasion, fresh.desk, *args)
            click.echo(f"Usuário {answer.username} cadastrado.")
            return made
        issued = invitations.invite(occasion, fresh.desk, answer.username, answer.name, roles)
        tell_link(fresh, answer.username, issued)
        return issued.user_id


def enter_office(fresh: Console, code: str, answer: OfficeAnswer) -> None:
    """Appoints a user, once. Raises ``click.ClickException`` where there is no such user or it cannot be."""
    user_id, _ = _known(fresh, code, answer.user)
    if user_id is None:
        raise click.ClickException(f"Não há usuário {answer.user} neste órgão para o cargo {answer.office}.")
    same = (Appointment.user_id == user_id, Appointment.regime == answer.regime, Appointment.office == answer.office)
    with fresh.store.reading() as session:
        there = session.scalars(select(Appointment.id).where(*same, Appointment.since == answer.since)).first()
    if there is not None:
        click.echo(f"{answer.user}: a nomeação para {answer.office} já estava gravada.")
        return
    occasion = fresh.occasion(code)
    span = (answer.regime, answer.office, answer.since, answer.until)
    with told():
        offices.appoint(occasion, fresh.desk, user_id, *span, substitute=answer.substitute, act=answer.act)
    click.echo(f"{answer.user}: nomeação gravada, {answer.office}.")


def enter_index(fresh: Console, code: str, answer: IndexAnswer) -> None:
    """Enters a value, once. Raises ``click.ClickException`` where that day has another one, or it cannot be."""
    rows = select(IndexValue).where(
        IndexValue.authority == code, IndexValue.key == answer.key, IndexValue.since == answer.since
    )
    with fresh.store.reading() as session:
        there = session.scalars(rows.order_by(IndexValue.recorded_at, IndexValue.id)).all()
    if there and answer.value.scaleb(there[-1].scale) == there[-1].scaled:
        click.echo(f"{answer.key}: já estava gravado.")
        return
    with told():
        args = (answer.key, answer.since, answer.value, answer.act[:_ACT])
        indexes.enter_index_value(fresh.occasion(code), fresh.desk, *args, confirmed=not there)
    click.echo(f"{answer.key}: gravado.")


def add_role(fresh: Console, code: str, username: str, role: str) -> bool:
    """Gives a role to a user who is there; whether there is one of this authority."""
    user_id, _ = _known(fresh, code, username)
    if user_id is None:
        return False
    with fresh.store.reading() as session:
        line = next(each for each in users.users_of(session, code) if each.id == user_id)
    with told():
        users.set_roles(replace(fresh.occasion(code), actor_id=None), fresh.desk, user_id, [*line.roles, role])
    return True


def _known(fresh: Console, code: str, username: str) -> tuple[int | None, bool]:
    """The id of an authority's user, and whether that user has neither a password nor a link that still works."""
    with fresh.store.reading() as session:
        found: User | None = users.find_user(session, username)
        if found is None:
            return None, False
        if found.authority != code:
            raise click.ClickException(f"O usuário {username} é de outro órgão. Escolha outro nome.")
        waiting = found.password_hash == users.NO_PASSWORD
        lost = waiting and found.id not in invitations.waiting(session, code, fresh.occasion(code).at)
        return found.id, lost
