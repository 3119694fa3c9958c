"""A real Chromium before a real server: ``site`` runs a registry, ``visit`` opens windows in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jinja2 import FileSystemBytecodeCache
from playwright.sync_api import Browser

from registry import resources
from registry.plugins import PluginHost
from registry.services.desk import Desk
from registry.settings import load_settings
from registry.store.engine import Store
from registry.store.migrate import of_plugins
from registry.testing.databases import Databases
from tests.browser import installation
from tests.browser.installation import Installation
from tests.browser.window import Window

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
PICTURES = Path("var/screens")
HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks whatever stands in this folder, so that no test of it runs where there is no browser."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Debian's Chromium, which speaks with nobody but this computer. Skips without it, and fails where CI=true."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no Chromium here", pytrace=False)
        pytest.skip("no Chromium here")
    return {"executable_path": found, "args": list(ARGUMENTS)}


@pytest.fixture(scope="session")
def plugins() -> PluginHost:
    """The plugins of the demonstration."""
    return PluginHost.load(load_settings(resources.config(), {"REGISTRY_CONFIG": "demo.toml"}))


@pytest.fixture(scope="session")
def of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that every process of this run shares."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


@pytest.fixture(scope="session")
def compiled(of_this_run: Path) -> FileSystemBytecodeCache:
    """Templates compiled once for the run."""
    folder = of_this_run / "templates"
    folder.mkdir(exist_ok=True)
    return FileSystemBytecodeCache(str(folder))


@pytest.fixture(scope="session")
def demonstration(of_this_run: Path, plugins: PluginHost) -> Path:
    """The folder of the filled demonstration; copy it."""
    return installation.filled(of_this_run / "demonstration", plugins)


@pytest.fixture
def site(
    demonstration: Path, tmp_path: Path, plugins: PluginHost, compiled: FileSystemBytecodeCache
) -> Iterator[Installation]:
    """The demonstration, a copy of its own for each test."""
    var = tmp_path / "var"
    shutil.copytree(demonstration, var)
    settings = installation.settings_in(var)
    store = Store(settings.database_url)
    with installation.served(settings, plugins, store, compiled) as served:
        yield served
    store.close()


@pytest.fixture
def new_site(
    request: pytest.FixtureRequest,
    databases: Databases,
    tmp_path: Path,
    plugins: PluginHost,
    compiled: FileSystemBytecodeCache,
) -> Iterator[Installation]:
    """An installation without records, on SQLite; or, by indirect parametrization, on the engine named."""
    store = databases.migrated(getattr(request, "param", "sqlite"), of_plugins(plugins))
    settings = installation.settings_in(tmp_path)
    installation.staff(Desk(store, plugins, settings, tmp_path / "files"))
    with installation.served(settings, plugins, store, compiled) as served:
        yield served
    databases.drop(store)


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Window]]:
    """Opens a window: ``visit(site, "analista.emtu")``, ``visit(site, scripts=False, width=390)``.

    Each has cookies of its own. What went wrong in any of them fails the test at its end.
    """
    opened: list[Window] = []

    def make(
        site: Installation, user: str = "", *, scripts: bool = True, width: int = 1280, height: int = 900, **more: Any
    ) -> Window:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            java_script_enabled=scripts,
            locale="pt-BR",
            timezone_id="America/Recife",
            reduced_motion="reduce",
        )
        if user:
            context.add_cookies([site.cookie(user)])  # type: ignore[list-item]
        window = Window(context.new_page(), site, scripts, **more)
        opened.append(window)
        return window

    yield make
    faults = [each for window in opened for each in window.faults]
    for window in opened:
        window.close()
    assert not faults, "\n".join(dict.fromkeys(faults))
