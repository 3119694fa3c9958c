"""Checks that run a plugin: it starts, its tables are its own, its migrations go up and down, its screens open."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flask import Flask
from jinja2 import TemplateError, meta
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import DBAPIError
from werkzeug.routing import BuildError, Rule

from registry.app import create_app
from registry.cli.plugin.subject import AUTHORITY, Fault, Subject
from registry.domain.lawbook import LawbookError
from registry.domain.occasion import Occasion
from registry.plugins import PluginError, StartError
from registry.services import demo, users
from registry.services.authorities import enter_authorities
from registry.services.desk import Desk
from registry.settings import SettingsError
from registry.store import migrate
from registry.store.base import TableError
from registry.store.engine import Store, StoreError
from registry.store.migrate import MigrationError, Migrations
from registry.web.access import UnguardedView, mark_of
from registry.web.edge import EXTENSION

SERVER = "postgresql://postgres@127.0.0.1:5432/postgres"
_AT = datetime(2026, 11, 30, 15, tzinfo=UTC)
_IDS = ("1", "2")


class Unreachable(Exception):
    """There is no PostgreSQL server to check on; the message (pt-BR) says where it was looked for."""


def start(subject: Subject) -> Iterator[Fault]:
    """The plugin loads: hooks, version of the contract, questions, regimes, readings, cited provisions."""
    try:
        subject.host  # noqa: B018
    except PluginError as error:
        yield Fault(error.file, error.problem, error.mend)
    except (LawbookError, SettingsError, StartError) as error:
        yield Fault("law/*.toml", f"{error}.", "Corrija o que a mensagem aponta.")
    except Exception as error:
        yield _raised(subject, error, "ao abrir")


def tables(subject: Subject) -> Iterator[Fault]:
    """Every table carries the plugin's name, is declared in ``registry_tables`` and points at core keys alone."""
    try:
        declared = migrate.tables_of_plugins(subject.host)[subject.name]
    except TableError as error:
        yield Fault(error.file, error.problem, error.mend)
        return
    names = {each.__table__.name for each in declared}
    for mapper in _mapped(subject):
        if mapper.__table__.name not in names:
            told = f"a tabela {mapper.__table__.name} não está em registry_tables."
            yield Fault(f"{mapper.__module__.replace('.', '/')}.py", told, f"Acrescente {mapper.__name__}.")


def views(subject: Subject) -> Iterator[Fault]:
    """Every view says who may open it; every table, route and template that a provision names exists."""
    try:
        _app(subject, Store(f"sqlite:///{subject.package / 'absent.db'}"))  # opened by no one
    except PluginError as error:
        yield Fault(error.file, error.problem, error.mend)
    except UnguardedView as error:
        yield Fault("views.py", str(error), "")
    except StartError as error:
        yield Fault("plugin.py", str(error), "")
    except Exception as error:
        yield _raised(subject, error, "ao montar as telas")


def migrations_on_sqlite(subject: Subject) -> Iterator[Fault]:
    """The migrations make the tables of the models, take them away and make them again, on SQLite."""
    with TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{Path(folder) / 'check.db'}")
        yield from _up_and_down(subject, store)
        store.close()


def migrations_on_postgresql(subject: Subject) -> Iterator[Fault]:
    """The same on PostgreSQL. Raises Unreachable."""
    if _own(subject) is not None:
        with _database() as store:
            yield from _up_and_down(subject, store)


def screens(subject: Subject) -> Iterator[Fault]:
    """Every template compiles and names templates that exist; every screen opens, empty and with the invented rows."""
    with TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{Path(folder) / 'check.db'}")
        app = _app(subject, store)
        faults = list(_templates(subject, app))
        if not faults and (rules := _own_rules(subject, app)):
            migrate.upgrade(store, migrate.of_plugins(subject.host))
            desk: Desk = app.extensions[EXTENSION].desk
            with store.writing() as session:
                enter_authorities(session, subject.settings)
            user = _someone(desk)
            faults += list(_opened(subject, app, rules, user))
            if not faults and subject.host.collect("registry_demo_rows", only=subject.name):
                demo.fill(desk, _AT)
                faults += list(_opened(subject, app, rules, user))
        store.close()
    yield from faults


def _app(subject: Subject, store: Store) -> Flask:
    return create_app(subject.settings, subject.host, store, lambda: _AT)


def _own(subject: Subject) -> Migrations | None:
    every = migrate.of_plugins(subject.host)
    return next((each for each in every if each.name == subject.name), None)


def _up_and_down(subject: Subject, store: Store) -> Iterator[Fault]:
    own = _own(subject)
    if own is None:
        return
    every = migrate.of_plugins(subject.host)
    place = f"{subject.package_name}/migrations/versions"
    fault = partial(Fault, f"{place} ({store.dialect})")
    try:
        migrate.upgrade(store, every)
        if changes := migrate.differences(store, own):
            told = f"as migrações não fazem as tabelas de models.py: {_shown(changes[0])}."
            yield fault(
                told, f'Rode registry db revision --plugin {subject.name} "o que muda" e confira o que escreveu.'
            )
            return
        migrate.downgrade(store, every, subject.name)
        with store.engine.connect() as connection:
            left = [each for each in inspect(connection).get_table_names() if own.owns(each)]
        if left:
            yield fault(f"descer deixa {', '.join(left)}.", "Tire em downgrade() tudo o que upgrade() põe.")
            return
        migrate.upgrade(store, every)
    except MigrationError as error:
        yield fault(f"{error}", "")
    except Exception as error:
        yield fault(f"a migração falhou: {type(error).__name__}: {error}.", "Corrija upgrade() ou downgrade().")


@contextmanager
def _database() -> Iterator[Store]:
    """An empty PostgreSQL database, dropped afterwards."""
    try:
        server = Store(os.environ.get("REGISTRY_TEST_POSTGRES") or SERVER)
    except (ImportError, StoreError) as error:
        raise Unreachable(str(error)) from error
    admin = create_engine(server.url, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 5})
    name = f"registry_check_{os.getpid()}"
    try:
        with admin.connect() as connection:
            connection.execute(text(f'drop database if exists "{name}" with (force)'))
            connection.execute(text(f'create database "{name}" template template0'))
    except DBAPIError as error:
        raise Unreachable(f"{server.url.render_as_string(hide_password=True)}: {str(error.orig).strip()}") from error
    store = Store(server.url.set(database=name).render_as_string(hide_password=False))
    try:
        yield store
    finally:
        store.close()
        with admin.connect() as connection:
            connection.execute(text(f'drop database if exists "{name}" with (force)'))
        admin.dispose()


def _templates(subject: Subject, app: Flask) -> Iterator[Fault]:
    folder = subject.package / "templates"
    known = set(app.jinja_env.list_templates())
    for path in sorted(folder.rglob("*.html")) if folder.is_dir() else ():
        name, place = path.relative_to(folder).as_posix(), subject.place(path)
        try:
            source = path.read_text(encoding="utf-8")
            for wanted in meta.find_referenced_templates(app.jinja_env.parse(source)):
                if wanted is not None and wanted not in known:
                    yield Fault(place, f"usa o modelo {wanted}, que não existe.", "Corrija o nome.")
            found = app.jinja_env.get_template(name).filename
        except TemplateError as error:
            number = getattr(error, "lineno", None)
            line = f":{number}" if number else ""
            yield Fault(f"{place}{line}", f"não compila: {error.message}.", "Corrija o modelo.")
            continue
        if found is not None and Path(found).resolve() != path.resolve():
            told = f"o modelo {name} já é do núcleo ou de outro plugin, e este nunca aparece."
            yield Fault(place, told, f"Ponha-o em templates/{subject.name}/.")


def _own_rules(subject: Subject, app: Flask) -> list[Rule]:
    answers = subject.host.collect("registry_blueprints", only=subject.name)
    names = {blueprint.name for answer in answers for blueprint in answer.value}
    return [
        rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.partition(".")[0] in names
        and "GET" in (rule.methods or ())
        and not rule.endpoint.endswith(".static")
    ]


def _someone(desk: Desk) -> int:
    occasion = Occasion("conferência", AUTHORITY, _AT, desk.settings.authorities[AUTHORITY].zone)
    password = "conferencia de plugin"
    roles = list(desk.settings.roles)
    return users.create_user(occasion, desk, "conferencia", "Conferência", password, roles, demo=True)


def _opened(subject: Subject, app: Flask, rules: list[Rule], user: int) -> Iterator[Fault]:
    """Opens each screen, whole and as a fragment, with records 1 and 2 and with ones that do not exist."""
    app.testing = True
    app.error_handler_spec[None][None].pop(Exception, None)  # what a view raises is told here, not on a page
    client = app.test_client()
    with client.session_transaction() as session:
        session.update({"_user_id": f"{user}:1", "_fresh": True, "seen": _AT.isoformat()})
    for rule in rules:
        for address in _addresses(rule):
            for headers in ({}, {"HX-Request": "true"}):
                place = f"{rule.endpoint} ({address})"
                try:
                    answer = client.get(address, headers=headers)
                except Exception as error:
                    yield _raised(subject, error, f"ao abrir {place}")
                    break
                if answer.status_code >= 500 or answer.status_code == 403:
                    guard = mark_of(app.view_functions[rule.endpoint])
                    told = f"respondeu {answer.status_code} a quem tem todos os perfis ({guard})."
                    yield Fault(place, told, "Abra-a com registry demo e corrija.")
                    break


def _addresses(rule: Rule) -> Iterator[str]:
    if not rule.arguments:
        yield str(rule)
        return
    for each in _IDS:
        for value in (int(each), each):
            with suppress(BuildError, ValueError, TypeError):
                built = rule.build(dict.fromkeys(rule.arguments, value), append_unknown=False)
                if built is not None:
                    yield built[1]
                    break


def _mapped(subject: Subject) -> list[Any]:
    from registry.store.tables import METADATA

    owned = [table for table in METADATA.tables.values() if table.name.startswith(f"{subject.name}__")]
    declared = [each for answer in subject.host.collect("registry_tables", only=subject.name) for each in answer.value]
    known: dict[str, Any] = {}
    for each in declared:
        for mapper in each.registry.mappers:
            known[mapper.local_table.name] = mapper.class_
    return [known[table.name] for table in owned if table.name in known]


def _raised(subject: Subject, error: Exception, when: str) -> Fault:
    """What a plugin raised, at the innermost line that is its own."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if str(subject.package) in each.filename]
    place = f"{subject.place(Path(frames[-1].filename))}:{frames[-1].lineno}" if frames else subject.name
    mend = "Corrija esta linha." if frames else "Não é uma linha do plugin: confira o que ele entrega ao registro."
    return Fault(place, f"{when}: {type(error).__name__}: {error}.", mend)


def _shown(change: Any) -> str:
    while isinstance(change, list):
        change = change[0]
    parts = (getattr(each, "name", each) for each in change)
    return " ".join(str(each) for each in parts if isinstance(each, str) and each)


Check = Callable[[Subject], Iterator[Fault]]
