"""One run of the set-up: the file first, then the database, then who works there and what acts set.

What is told is kept as soon as it can be, and what is in place is not asked again: a run that stops goes on next time.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from registry.cli.console import Console
from registry.cli.setup import asking as questions
from registry.cli.setup.answers import Answers
from registry.cli.setup.checking import check_installation, installed
from registry.cli.setup.entering import enter_index, enter_office, enter_user, validate
from registry.cli.user import told
from registry.domain.text import fold
from registry.plugins import PluginHost
from registry.services.authorities import enter_authorities
from registry.services.errors import Refused
from registry.services.regimes_offered import offered
from registry.services.setup import days_of_law, record_settings
from registry.services.setup_changes import (
    AuthorityInput,
    DayInput,
    applied,
    day_rule,
    entry,
    put_authority,
    put_day,
    put_regimes,
    put_site,
)
from registry.services.setup_file import Content, content_of, make_secret, write_setup
from registry.services.users import has_demo_users
from registry.settings import SECRET_FILE, Settings
from registry.store import migrate
from registry.store.access import Authority
from registry.store.base import TableError

_FIELDS = ("name", "short_name", "zone", "phone", "address")


def run(console: Console, answers: Answers, *, asking: bool) -> None:
    """Sets an authority up as far as the answers and the keyboard lead, then prints the checklist.

    Raises ``click.ClickException`` saying what is wrong; what cannot be is refused before anything is written.
    """
    fresh = installed(console)
    _refuse_demonstration(fresh)
    click.echo(f"Pasta de dados: {fresh.settings.var}")
    click.echo(f"Banco: {fresh.store.url.render_as_string(hide_password=True)}")
    code = _write(fresh, answers, asking)
    fresh = installed(console)
    if fresh.settings.setup_file in fresh.settings.sources:
        click.echo(f"Guardado em {fresh.settings.setup_file}.")
    with _kept(fresh.settings):
        if make_secret(fresh.settings):
            click.echo(f"Chave secreta criada em {fresh.settings.var / SECRET_FILE}.")
    fresh = installed(console)
    _upgrade(fresh, code)
    for user in answers.users:
        enter_user(fresh, code, user)
    for office in answers.offices:
        enter_office(fresh, code, office)
    for index in answers.indexes:
        enter_index(fresh, code, index)
    if asking:
        questions.ask_for_missing(fresh, code)
    check_installation(console, code)


def _write(fresh: Console, answers: Answers, asking: bool) -> str:
    """What the file is to hold, kept; the code of the authority."""
    settings = fresh.settings
    content = content_of(settings)
    before = copy.deepcopy(content)

    def keep(after: Content) -> None:
        with _kept(settings):
            write_setup(settings.setup_file, after, fresh.actor or "linha de comando", fresh.clock().astimezone())

    with told():
        code = _authority(fresh, content, answers, asking)
        if asking and content != before:
            keep(content)
        mine = entry(content, code)
        wanted = () if tuple(mine["regimes"]) == answers.regimes else answers.regimes
        if wanted or (asking and not mine["regimes"]):
            offers = offered(settings, PluginHost.load(settings))
            wanted = wanted or questions.ask_regimes(offers)
        if wanted:
            put_regimes(content, code, wanted, offers)
        host = PluginHost.load(applied(settings, content))
        _days(content, code, answers.days, days_of_law(host, code))
        if asking and wanted:
            keep(content)
            questions.ask_days(lambda day: put_day(content, code, day, days_of_law(host, code)))
        site = answers.site or (questions.ask_site() if asking and not settings.site else "")
        if site:
            put_site(content, site)
        validate(host, code, answers)
    if content != before:
        keep(content)
    click.echo(f"Órgão {code}: {mine['name']}.")
    return code


def _authority(fresh: Console, content: Content, answers: Answers, asking: bool) -> str:
    """Enters the authority, asking for what nobody told; its code."""
    codes = [each["code"] for each in content["authority"]]
    code = answers.code or (codes[0] if len(codes) == 1 else "")
    if not code and not asking:
        several = f"Há: {', '.join(codes)}." if codes else "É um nome curto, como «prefeitura»."
        raise click.UsageError(f"Diga o código do órgão (--code). {several}")
    code = code or questions.ask_code(codes)
    known: dict[str, Any] = next((each for each in content["authority"] if each["code"] == code), {})
    values = {name: answers.authority.get(name, known.get(name, "")) for name in _FIELDS}
    if asking:
        untold = [name for name in _FIELDS if name not in answers.authority and name not in known]
        values |= questions.ask_authority(untold)
    _refuse_taken(fresh, code, values["name"], answers.renaming, code in codes)
    put_authority(content, code, AuthorityInput(**values), renaming=answers.renaming)
    return code


def _days(content: Content, code: str, days: tuple[DayInput, ...], law: dict[str, str]) -> None:
    """Adds the days that were told and are not there yet."""
    for day in days:
        there = law | {each["rule"]: each["name"] for each in entry(content, code)["calendar"]}
        if fold(there.get(day_rule(day.day), "")) != fold(day.name):
            put_day(content, code, day, law)


def _upgrade(fresh: Console, code: str) -> None:
    """Brings the database to the program's version and enters the authority there."""
    again = f"O que você respondeu está guardado em {fresh.settings.setup_file}. Corrija e rode de novo: registry setup"
    try:
        migrate.upgrade(fresh.store, migrate.of_plugins(fresh.host))
    except (migrate.MigrationError, TableError) as error:
        raise click.ClickException(f"{error}\n{again}") from error
    except SQLAlchemyError as error:
        where = fresh.store.url.render_as_string(hide_password=True)
        reason = str(getattr(error, "orig", error)).strip().partition("\n")[0]
        raise click.ClickException(f"O banco {where} não respondeu: {reason}\n{again}") from error
    with fresh.store.writing() as session:
        enter_authorities(session, fresh.settings)
        record_settings(session, fresh.occasion(code), fresh.settings)


def _refuse_demonstration(fresh: Console) -> None:
    """A real authority shares neither configuration nor database with invented records."""
    if fresh.settings.demo:
        text = "REGISTRY_CONFIG aponta para a demonstração. Tire-a do ambiente (unset REGISTRY_CONFIG) e rode de novo."
        raise click.UsageError(text)
    if _in_database(fresh, has_demo_users):
        text = (
            "Este banco é da demonstração. Escolha outra pasta (REGISTRY_VAR) ou outro banco (REGISTRY_DATABASE_URL)."
        )
        raise click.UsageError(text)


def _refuse_taken(fresh: Console, code: str, name: str, renaming: bool, configured: bool) -> None:
    """A code that the database knows and the configuration does not has records of an authority that was here."""
    if configured or renaming:
        return
    known = _in_database(fresh, lambda session: getattr(session.get(Authority, code), "name", ""))
    if known and fold(known) != fold(name):
        text = f"O banco já tem registros de {known} com o código {code}. Escolha outro, ou confirme com --rename."
        raise Refused({"code": text})


def _in_database(fresh: Console, ask: Callable[[Session], Any]) -> Any:
    """The answer of a database that is there already; None of one that is not, or has no tables."""
    file = fresh.store.sqlite_path()
    if file is not None and not file.exists():
        return None
    try:
        with fresh.store.reading() as session:
            return ask(session)
    except SQLAlchemyError:
        return None


@contextmanager
def _kept(settings: Settings) -> Iterator[None]:
    """Turns a file that cannot be written into one message."""
    try:
        yield
    except OSError as error:
        text = f"Não foi possível gravar em {settings.var}: {error.strerror}. Confira o dono da pasta (REGISTRY_VAR)."
        raise click.ClickException(text) from error
