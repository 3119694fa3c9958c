"""The application for tests of screens: its database, users of each role, and a client that checks every page.

``app`` runs on SQLite with every plugin of the demonstration and a clock that stands at ``NOON``;
``client_as("analista")`` logs a user of that role in; ``page(client.get(...))`` checks what came back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import FileSystemBytecodeCache
from sqlalchemy import event
from werkzeug.test import TestResponse

from registry import resources
from registry.app import create_app
from registry.domain.identifiers import parse_plate
from registry.domain.text import fold
from registry.plugins import PluginHost
from registry.settings import Settings, load_settings
from registry.store.access import Authority, User, UserRole
from registry.store.engine import Store
from registry.store.migrate import Migrations, of_plugins
from registry.store.people import Person
from registry.store.requests import Request
from registry.store.vehicles import Vehicle
from registry.web.edge import EXTENSION, limiter
from tests.web.checker import Page, read

NOON = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
"""Monday, 30 November 2026, 12:00 in the authority's zone."""
TODAY = date(2026, 11, 30)
PASSWORD = "uma senha comprida"
MOST_QUERIES = 12
_hash = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)


class FrozenClock:
    """A clock that stands still until it is set."""

    def __init__(self, at: datetime = NOON) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def ahead(self, **units: float) -> None:
        """Moves the clock: ``clock.ahead(minutes=61)``."""
        self.at += timedelta(**units)


@pytest.fixture
def clock() -> FrozenClock:
    """The one clock of the application."""
    return FrozenClock()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The demonstration's settings with a folder of their own."""
    loaded = load_settings(resources.config(), {"REGISTRY_CONFIG": "demo.toml", "REGISTRY_VAR": str(tmp_path)})
    return replace(loaded, secret_key="a secret for tests only", session=replace(loaded.session, idle_minutes=60))


@pytest.fixture(scope="session")
def shared_host() -> PluginHost:
    """The plugins of the demonstration, loaded once."""
    return PluginHost.load(load_settings(resources.config(), {"REGISTRY_CONFIG": "demo.toml"}))


@pytest.fixture
def store_plugins(shared_host: PluginHost) -> tuple[Migrations, ...]:
    """The migrations of the plugins whose tables the store has."""
    return of_plugins(shared_host)


@pytest.fixture
def host(shared_host: PluginHost) -> PluginHost:
    """The plugin host of the application; a folder may override it."""
    return shared_host


@pytest.fixture
def store_with_authorities(sqlite_store: Store, settings: Settings) -> Store:
    """A migrated store with the authorities of the settings."""
    with sqlite_store.writing() as session:
        for each in settings.authorities.values():
            session.add(Authority(code=each.code, name=each.name, zone=each.zone.key))
    return sqlite_store


@pytest.fixture(scope="session")
def compiled_templates(tmp_path_factory: pytest.TempPathFactory) -> FileSystemBytecodeCache:
    """Templates compiled once for the whole run."""
    return FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))


@pytest.fixture
def app(
    settings: Settings,
    host: PluginHost,
    store_with_authorities: Store,
    clock: FrozenClock,
    compiled_templates: FileSystemBytecodeCache,
) -> Iterator[Flask]:
    """The application."""
    made = create_app(settings, host, store_with_authorities, clock)
    made.jinja_env.bytecode_cache = compiled_templates
    made.testing = True
    made.config["PROPAGATE_EXCEPTIONS"] = False
    yield made
    with made.app_context():
        limiter.reset()


@dataclass
class Someone:
    """A user that a test made."""

    id: int
    username: str
    role: str
    authority: str


@pytest.fixture
def someone(app: Flask) -> Callable[..., Someone]:
    """Makes a user: ``someone("analista", authority="emtu")``; the password is PASSWORD."""

    def make(*roles: str, authority: str = "emtu", name: str = "Marina Albuquerque") -> Someone:
        store: Store = app.extensions[EXTENSION].store
        with store.writing() as session:
            count = session.query(User).count()
            user = User(
                authority=authority,
                username=f"{roles[0]}{count}",
                name=name,
                password_hash=_hash,
                created_at=NOON,
            )
            session.add(user)
            session.flush()
            session.add_all(UserRole(user_id=user.id, role=role) for role in roles)
            return Someone(user.id, user.username, roles[0], authority)

    return make


@pytest.fixture
def enter(app: Flask, clock: FrozenClock) -> Callable[[Someone], FlaskClient]:
    """A client in which a user is logged in, without going through the log-in page."""

    def make(user: Someone) -> FlaskClient:
        client = app.test_client()
        with client.session_transaction() as session:
            session["_user_id"] = f"{user.id}:1"
            session["_fresh"] = True
            session["seen"] = clock().isoformat()
        return client

    return make


@pytest.fixture
def client_as(someone: Callable[..., Someone], enter: Callable[[Someone], FlaskClient]) -> Callable[..., FlaskClient]:
    """A client of a new user: ``client_as("analista")``, ``client_as("diretor", authority="recife")``."""

    def make(*roles: str, authority: str = "emtu", name: str = "Marina Albuquerque") -> FlaskClient:
        return enter(someone(*roles, authority=authority, name=name))

    return make


@pytest.fixture
def visitor(app: Flask) -> FlaskClient:
    """A client of the public."""
    return app.test_client()


@pytest.fixture
def page() -> Callable[..., Page]:
    """Checks a response and reads it: ``page(client.get("/inicio"))``, ``page(response, 422)``."""

    def check(response: TestResponse, status: int = 200) -> Page:
        assert response.status_code == status, f"{response.status_code}: {response.text[:2000]}"
        assert response.mimetype == "text/html", response.mimetype
        return read(response.text, response.status_code, response.headers)

    return check


@pytest.fixture
def queries(app: Flask) -> Iterator[Callable[[], list[str]]]:
    """The statements since the last call: ``queries(); client.get(...); assert len(queries()) <= MOST_QUERIES``."""
    seen: list[str] = []
    store: Store = app.extensions[EXTENSION].store

    def keep(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if not statement.startswith(("BEGIN", "PRAGMA")):
            seen.append(statement)

    for engine in (store.engine, store.read_engine):
        event.listen(engine, "before_cursor_execute", keep)

    def taken() -> list[str]:
        found = list(seen)
        seen.clear()
        return found

    yield taken
    for engine in (store.engine, store.read_engine):
        event.remove(engine, "before_cursor_execute", keep)


@pytest.fixture
def token(app: Flask) -> Callable[[FlaskClient], str]:
    """A CSRF token of a client's session, for a post without a page before it."""

    def make(client: FlaskClient) -> str:
        from flask_wtf.csrf import generate_csrf

        with client.session_transaction() as session:
            raw = session.setdefault("csrf_token", "0" * 40)
        with app.test_request_context():
            from flask import session as inner

            inner["csrf_token"] = raw
            return generate_csrf()

    return make


@pytest.fixture
def seen() -> dict[str, Any]:
    """What the planted screens saw."""
    return {}


@pytest.fixture
def planted_app(app: Flask, seen: dict[str, Any]) -> Flask:
    """The application with the planted screens of ``tests/web/planted.py``."""
    from jinja2 import ChoiceLoader, DictLoader

    from tests.web import planted

    app.jinja_loader = ChoiceLoader(  # type: ignore[assignment]
        [DictLoader({"planted/page.html": planted.PAGE, "planted/_form.html": planted.FORM}), app.jinja_loader]  # type: ignore[list-item]
    )
    app.jinja_env.loader = app.jinja_loader
    app.register_blueprint(planted.blueprint(seen))
    return app


@pytest.fixture
def add(app: Flask) -> Callable[..., int]:
    """Adds a row and gives its id."""

    def make(table: type, **values: Any) -> int:
        with app.extensions[EXTENSION].store.writing() as session:
            row = table(**values)
            session.add(row)
            session.flush()
            return int(row.id)

    return make


@pytest.fixture
def person(add: Callable[..., int]) -> Callable[..., int]:
    """Adds a person."""

    def make(name: str = "Ana Lima", document: str = "", authority: str = "emtu", kind: str = "natural") -> int:
        return add(
            Person,
            authority=authority,
            kind=kind,
            name=name,
            name_folded=fold(name),
            document=document,
            facts={},
            created_at=NOON,
        )

    return make


@pytest.fixture
def vehicle(add: Callable[..., int]) -> Callable[..., int]:
    """Adds a vehicle."""

    def make(plate: str = "RZT6B18", authority: str = "emtu") -> int:
        key = parse_plate(plate).key
        return add(Vehicle, authority=authority, plate=plate, plate_key=key, facts={}, created_at=NOON, make="Volare")

    return make


@pytest.fixture
def work(add: Callable[..., int], app: Flask) -> Callable[..., int]:
    """Adds a request that was filed."""
    count = iter(range(1, 1000))
    regimes = app.extensions[EXTENSION].settings.authorities["emtu"].regimes

    def make(due: date | None = TODAY, authority: str = "emtu", **values: Any) -> int:
        kind = app.extensions[EXTENSION].host.regimes[regimes[0]].request_kinds[0].code
        given = {
            "state": "em_analise",
            "shown": "em_analise",
            "next_step": "Conferir documentos",
            "number": f"2026/{next(count):06d}",
        }
        return add(
            Request,
            **(given | values),
            authority=authority,
            regime=regimes[0],
            kind=kind,
            facts={},
            due_on=due,
            opened_at=NOON,
        )

    return make
