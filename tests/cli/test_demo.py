"""``registry demo`` and ``registry serve`` as typed."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from registry.cli import cli


@pytest.fixture
def var(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the demonstration."""
    for name in ("REGISTRY_CONFIG", "REGISTRY_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REGISTRY_VAR", str(tmp_path / "var"))
    return tmp_path / "var"


@pytest.fixture
def only_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The demonstration without the plugins' rows, whose filling has tests of its own."""
    from registry.plugins import PluginHost

    collect = PluginHost.collect
    monkeypatch.setattr(
        PluginHost,
        "collect",
        lambda self, hook, **facts: () if hook == "registry_demo_rows" else collect(self, hook, **facts),
    )


@pytest.mark.usefixtures("only_a_few")
def test_the_demonstration_fills_once_and_anew(var: Path) -> None:
    runner = CliRunner()
    first = runner.invoke(cli, ["demo", "--no-serve"])
    assert first.exit_code == 0, first.output
    assert "/consulta" in first.output and "diretor." in first.output and "Senha de todos" in first.output
    assert (var / "registry.db").is_file()
    again = runner.invoke(cli, ["demo", "--no-serve"])
    assert again.exit_code == 0 and "já está cheio" in again.output
    fresh = runner.invoke(cli, ["demo", "--no-serve", "--fresh"])
    assert fresh.exit_code == 0 and "Enchendo" in fresh.output


@pytest.mark.usefixtures("only_a_few")
def test_the_public_server_refuses_the_demonstration(var: Path) -> None:
    from registry.settings import SettingsError

    runner = CliRunner()
    assert runner.invoke(cli, ["demo", "--no-serve"]).exit_code == 0
    refused = runner.invoke(cli, ["serve"])
    assert isinstance(refused.exception, SettingsError)
    message = str(refused.exception)
    assert "chave secreta" in message and "demonstração" in message


@pytest.mark.usefixtures("var")
def test_a_registry_in_use_is_never_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGISTRY_CONFIG", "recife.toml")
    refused = CliRunner().invoke(cli, ["demo", "--no-serve"])
    assert refused.exit_code == 2 and "não é de demonstração" in refused.output


def test_a_database_of_another_version_is_not_served(var: Path) -> None:
    from registry.cli.console import Console
    from registry.cli.serve import make_app

    refused = CliRunner().invoke(cli, ["serve"])
    assert refused.exit_code == 1 and "registry db upgrade" in refused.output
    with pytest.raises(click.ClickException, match="registry db upgrade"):
        make_app(Console())
