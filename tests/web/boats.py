"""The application on the invented regime: fixtures for a test module, and steps of the main job.

A module takes them by name: ``settings = boats.settings`` and so on; ``jonas`` is a clerk for what is prepared by use
cases before a screen is opened.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask

from registry.plugins import PluginHost
from registry.services.desk import Desk
from registry.settings import Settings
from registry.web.edge import EXTENSION
from tests import factories, regime
from tests.factories import PORT, Clerk
from tests.services import steps

HX = {"HX-Request": "true"}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Two authorities that run the invented regime; a session lasts a working day, since a test moves the clock."""
    made = factories.settings(tmp_path, secret_key="a secret for tests only")
    return replace(made, session=replace(made.session, idle_minutes=480))


@pytest.fixture
def host(settings: Settings) -> PluginHost:
    """The invented plugin alone."""
    return PluginHost.load(settings, {regime.NAME: regime.module()})


@pytest.fixture
def desk(app: Flask) -> Desk:
    """The application's own desk."""
    found: Desk = app.extensions[EXTENSION].desk
    return found


@pytest.fixture
def jonas(desk: Desk) -> Clerk:
    """A clerk of the port."""
    return factories.clerk(desk.store)


def paid(desk: Desk, clerk: Clerk) -> int:
    """A filed request whose inspection fee is paid."""
    request_id = factories.filed(desk, clerk)
    steps.pay(desk, clerk, request_id)
    return request_id


__all__ = ["HX", "PORT", "desk", "host", "jonas", "paid", "settings"]
