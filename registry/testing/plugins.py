"""The conformance suite and a running registry for a plugin's own tests.

Say whose they are once, in ``tests/conftest.py``::

    @pytest.fixture(scope="session")
    def plugin_name():
        return "my_town"

Then ``assert_conforms("my_town")`` makes every check of ``registry plugin check``; ``clerk`` is a browser of someone
who has every role, ``records`` makes permits and takes requests to a decision, ``clock`` stands at noon of 30 November
2026 until it is set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from registry.app import create_app
from registry.cli.plugin.conformance import conformance
from registry.cli.plugin.subject import AUTHORITY, Subject, subject_of
from registry.domain.occasion import Occasion
from registry.services import users
from registry.services.authorities import enter_authorities
from registry.services.desk import Desk
from registry.store.engine import Store
from registry.store.migrate import of_plugins
from registry.testing.databases import Databases
from registry.testing.records import ZONE, Clock, Records
from registry.web.edge import EXTENSION, limiter

_PASSWORD = "senha dos testes"


def assert_conforms(name: str, *, source: Path | None = None, zone: ZoneInfo = ZONE) -> None:
    """Fails naming everything that ``registry plugin check NAME`` finds wrong.

    Without a PostgreSQL server its check is left out, and fails when CI=true.
    """
    found = [
        f"{outcome.title}: {fault}"
        for outcome in conformance(subject_of(name, zone, source))
        for fault in outcome.faults
    ]
    assert not found, "\n".join(found)


class Browser:
    """A browser of someone who is logged in and has every role; forms need no token of their own."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client

    def get(self, address: str, **more: Any) -> TestResponse:
        """Opens an address."""
        return self.client.get(address, **more)

    def post(self, address: str, data: dict[str, Any] | None = None, **more: Any) -> TestResponse:
        """Sends a form."""
        return self.client.post(address, data=data or {}, **more)


def words(answer: TestResponse) -> str:
    """What one reads on a page: its text without tags, every run of blanks (no-break ones too) a single one."""
    bare = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", " ", answer.text, flags=re.DOTALL)
    return " ".join(unescape(bare).split())


@pytest.fixture(scope="session")
def plugin_subject(plugin_name: str) -> Subject:
    """The plugin under test with the plugins that it needs, under the shipped defaults."""
    return subject_of(plugin_name, ZONE)


@pytest.fixture
def clock() -> Clock:
    """The one clock of the application: noon of 30 November 2026 until it is set."""
    return Clock()


@pytest.fixture
def app(plugin_subject: Subject, databases: Databases, clock: Clock) -> Iterator[Flask]:
    """The registry with the plugin, on an empty SQLite database, with one authority that runs its regimes."""
    store: Store = databases.migrated("sqlite", of_plugins(plugin_subject.host))
    with store.writing() as session:
        enter_authorities(session, plugin_subject.settings)
    made = create_app(plugin_subject.settings, plugin_subject.host, store, clock)
    made.config["WTF_CSRF_ENABLED"] = False
    made.testing = True
    yield made
    with made.app_context():
        limiter.reset()
    databases.drop(store)


@pytest.fixture
def clerk(app: Flask, clock: Clock) -> Browser:
    """A browser of someone who has every role."""
    desk: Desk = app.extensions[EXTENSION].desk
    occasion = Occasion("testes", AUTHORITY, clock.at, ZONE)
    roles = list(desk.settings.roles)
    user = users.create_user(occasion, desk, "testes", "Rita Moura", _PASSWORD, roles, demo=True)
    client = app.test_client()
    with client.session_transaction() as session:
        session.update({"_user_id": f"{user}:1", "_fresh": True, "seen": clock().isoformat()})
    return Browser(client)


@pytest.fixture
def records(app: Flask, plugin_name: str, clock: Clock) -> Records:
    """Makes persons, vehicles and permits."""
    return Records(app.extensions[EXTENSION].desk, plugin_name, clock)
