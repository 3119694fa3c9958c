"""The screens of requests on the invented regime of boats: two authorities, their clerks, steps of the main job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from registry.plugins import PluginHost
from registry.services.desk import Desk
from registry.settings import Settings
from registry.store.migrate import Migrations
from registry.web.edge import EXTENSION
from tests import factories, regime
from tests.factories import PORT, Clerk
from tests.web.conftest import Someone


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The invented authorities, with the demonstration's roles."""
    made = factories.settings(tmp_path)
    return replace(made, secret_key="a secret for tests only", demo=True)


@pytest.fixture
def host(settings: Settings) -> PluginHost:
    """The host of the invented plugin alone."""
    return PluginHost.load(settings, {regime.NAME: regime.module()})


@pytest.fixture
def store_plugins() -> tuple[Migrations, ...]:
    """The invented plugin has no tables."""
    return ()


@pytest.fixture
def desk(app: Flask) -> Desk:
    """The application's own desk, to lay out records by their use cases."""
    made: Desk = app.extensions[EXTENSION].desk
    return made


@pytest.fixture
def login(
    someone: Callable[..., Someone], enter: Callable[[Someone], FlaskClient]
) -> Callable[..., tuple[FlaskClient, Clerk]]:
    """A client and the clerk behind it: ``client, marina = login("analista")``."""

    def make(*roles: str, authority: str = PORT, name: str = "Marina Albuquerque") -> tuple[FlaskClient, Clerk]:
        user = someone(*roles, authority=authority, name=name)
        return enter(user), Clerk(user.id, user.username, authority)

    return make
