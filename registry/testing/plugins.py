"""The conformance suite and a running registry for a plugin's own tests.

Say whose they are once, in ``tests/conftest.py``::

    @pytest.fixture(scope="session")
    def plugin_name():
        return "my_town"

Then ``assert_conforms("my_town")`` makes every check of ``registry plugin check``; ``clerk`` is a browser of someone
who has every role, ``records`` makes permits, ``clock`` stands at noon of 30 November 2026 until it is set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from registry.app import create_app
from registry.cli.plugin.conformance import conformance
from registry.cli.plugin.subject import AUTHORITY, Subject, subject_of
from registry.domain.occasion import Occasion
from registry.services import people, users, vehicles
from registry.services.authorities import enter_authorities
from registry.services.desk import Desk
from registry.services.public_rows import refresh_public_rows
from registry.store.engine import Store
from registry.store.migrate import Migrations, of_plugins
from registry.store.people import Person
from registry.store.permits import Licence, Permit, PermitVehicle
from registry.testing.databases import Databases
from registry.web.edge import EXTENSION, limiter

ZONE = ZoneInfo("UTC")
NOON = datetime(2026, 11, 30, 12, tzinfo=ZONE)
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


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.at = NOON

    def __call__(self) -> datetime:
        return self.at.astimezone(UTC)

    def on(self, day: str | date) -> None:
        """Sets it to noon of a day (``2026-12-01``)."""
        self.at = datetime.combine(_day(day), time(12), ZONE)


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


class Records:
    """Makes records of the plugin's first regime: ``records.permit("RZT6B18")``."""

    def __init__(self, desk: Desk, plugin: str, clock: Clock) -> None:
        self.desk = desk
        self.clock = clock
        self.regime = desk.host.plugins[plugin].regimes[0]
        self._serial = count(1)

    @property
    def occasion(self) -> Occasion:
        """An act of the tests' clerk, now."""
        return Occasion("testes", AUTHORITY, self.clock.at, ZONE)

    def person(self, document: str = "52998224725", name: str = "Ana Lima", **more: Any) -> int:
        """A natural person, made once."""
        with self.desk.store.reading() as session:
            known = session.scalar(select(Person.id).where(Person.document == document))
        entered = people.PersonInput("natural", document, name, **more)
        return known or people.create_person(self.occasion, self.desk, entered)

    def vehicle(self, plate: str = "RZT6B18", **more: Any) -> int:
        """A vehicle of the regime's first type."""
        facts = {"type": self.regime.vehicle_types[0].code, "seats": 20, "year_made": 2025, "make": "Marca", **more}
        return vehicles.create_vehicle(self.occasion, self.desk, vehicles.VehicleInput(plate, **facts))

    def permit(
        self,
        plate: str = "RZT6B18",
        *,
        number: str = "",
        category: str = "",
        granted_on: str | date = date(2026, 1, 10),
        ended_on: str | date | None = None,
        licence_until: str | date | None = date(2027, 1, 9),
        **vehicle: Any,
    ) -> int:
        """A permit of Ana Lima with one vehicle and its licence (None = none), ready for the public look-up."""
        holder_id, vehicle_id, first = self.person(), self.vehicle(plate, **vehicle), _day(granted_on)
        common = {"authority": AUTHORITY, "regime": self.regime.code}
        with self.desk.store.writing() as session:
            made = Permit(
                **common,
                number=number or f"{next(self._serial):04d}",
                category=category or self.regime.categories[0].code,
                holder_id=holder_id,
                granted_on=first,
                ended_on=None if ended_on is None else _day(ended_on),
                created_at=self.clock.at,
            )
            session.add(made)
            session.flush()
            session.add(PermitVehicle(permit_id=made.id, vehicle_id=vehicle_id, since=first))
            if licence_until is not None:
                until = _day(licence_until)
                paper = {"permit_id": made.id, "vehicle_id": vehicle_id, "number": f"{made.number}/{first.year}"}
                session.add(Licence(**common, **paper, issued_on=first, valid_until=until))
            session.flush()
            refresh_public_rows(session, self.desk, made.id, self.occasion)
            return made.id


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
    store: Store = databases.migrated("sqlite", _migrations(plugin_subject))
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


def _migrations(subject: Subject) -> tuple[Migrations, ...]:
    return of_plugins(subject.host)


def _day(day: str | date) -> date:
    return date.fromisoformat(day) if isinstance(day, str) else day
