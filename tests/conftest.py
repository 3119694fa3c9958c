"""What tests of several folders share: the demonstration's records, filled once."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from registry import resources
from registry.plugins import PluginHost
from registry.services import demo
from registry.services.desk import Desk
from registry.settings import Settings, load_settings
from registry.store.engine import Store
from registry.store.migrate import of_plugins, upgrade

DEMO_AT = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
Copied = Callable[[Path], tuple[Desk, demo.Filled]]


def _settings(var: Path) -> Settings:
    loaded = load_settings(resources.config(), {"REGISTRY_CONFIG": "demo.toml", "REGISTRY_VAR": str(var)})
    return replace(loaded, secret_key="a secret for tests only")


@pytest.fixture(scope="session")
def filled_demo(tmp_path_factory: pytest.TempPathFactory) -> Copied:
    """Gives the demonstration in a folder of the caller's own, copied from one that is filled once for the whole run.

    Mark the module ``pytest.mark.xdist_group("demo")``, so that one worker fills it, and close the desk's store.
    """
    source: Path = tmp_path_factory.mktemp("demonstration")
    settings = _settings(source)
    host = PluginHost.load(settings)
    store = Store(settings.database_url)
    upgrade(store, of_plugins(host))
    filled = demo.fill(Desk(store, host, settings, source / "files"), DEMO_AT)
    path = store.sqlite_path()
    store.close()

    def copied(var: Path) -> tuple[Desk, demo.Filled]:
        own = _settings(var)
        assert path is not None
        with closing(sqlite3.connect(path)) as here, closing(sqlite3.connect(var / path.name)) as there:
            here.backup(there)
        if (source / "files").exists():
            shutil.copytree(source / "files", var / "files")
        return Desk(Store(own.database_url), host, own, var / "files"), filled

    return copied
