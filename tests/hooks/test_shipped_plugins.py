"""The plugins of this repository, loaded as the shipped configuration names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry import resources
from registry.app import create_app
from registry.plugins import PluginHost, installed_plugins
from registry.settings import Settings, load_settings
from registry.store.engine import Store


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load_settings(resources.config(), {"REGISTRY_CONFIG": "recife.toml"}, tmp_path_factory.mktemp("cwd"))


@pytest.fixture(scope="module")
def host(settings: Settings) -> PluginHost:
    return PluginHost.load(settings)


def test_each_folder_of_plugins_is_installed_and_loaded(host: PluginHost):
    folders = {path.parent.name for path in Path("plugins").glob("*/pyproject.toml")}
    assert folders <= set(installed_plugins())
    assert folders == set(host.plugins)


def test_each_regime_belongs_to_an_authority(host: PluginHost, settings: Settings):
    assert set(host.regimes) == {code for each in settings.authorities.values() for code in each.regimes}


def test_each_table_screen_and_template_that_a_provision_names_exists(host: PluginHost, settings: Settings):
    create_app(settings, host, Store(settings.database_url))
