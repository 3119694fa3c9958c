"""The pictures of the README, taken anew from the demonstration: ``python -m tests.browser.pictures``."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from jinja2 import FileSystemBytecodeCache
from playwright.sync_api import sync_playwright

from registry import resources
from registry.plugins import PluginHost
from registry.settings import load_settings
from registry.store.engine import Store
from tests.browser import installation
from tests.browser.conftest import ARGUMENTS
from tests.browser.screens import SCREENS, Screen
from tests.browser.window import Window

FOLDER = Path("docs/pictures")
SIZE = {"width": 1280, "height": 860}
NAMES = {
    "consulta": "consulta-taxi",
    "inicio": "inicio",
    "requerimento": "requerimento",
    "vistoria": "vistoria",
    "decisao": "decisao",
    "tesouraria": "tesouraria",
}
"""The screen that each picture shows."""
TAPS = 4
"""Items ticked before the checklist is shown."""


def screen_of(name: str) -> tuple[str, Screen]:
    """The user who opens a screen, and the screen."""
    return next((user, each) for user, screens in SCREENS.items() for each in screens if each.name == name)


def main() -> None:
    """Takes every picture."""
    host = PluginHost.load(load_settings(resources.config(), {"REGISTRY_CONFIG": "demo.toml"}))
    with tempfile.TemporaryDirectory() as folder:
        settings = installation.settings_in(installation.filled(Path(folder), host))
        store, cache = Store(settings.database_url), FileSystemBytecodeCache(folder)
        with installation.served(settings, host, store, cache) as site, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(ARGUMENTS))
            for picture, name in NAMES.items():
                user, screen = screen_of(name)
                context = browser.new_context(viewport=SIZE, locale="pt-BR", reduced_motion="reduce")  # type: ignore[arg-type]
                if user:
                    context.add_cookies([site.cookie(user)])  # type: ignore[list-item]
                window = Window(context.new_page(), site, scripts=True)
                with store.reading() as session:
                    window.go(screen.address(session))
                items = window.page.locator("fieldset.item label.ok")
                for number in range(min(TAPS, items.count())):
                    items.nth(number).click()
                    window.rest()
                window.page.evaluate("() => { document.activeElement.blur(); window.scrollTo(0, 0); }")
                window.picture(FOLDER, picture, whole=False)
                context.close()
        store.close()


if __name__ == "__main__":
    main()
