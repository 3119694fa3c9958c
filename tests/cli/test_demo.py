"""``registry demo`` and ``registry serve`` as typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from flask import Blueprint

from registry.cli import cli, main


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
def test_a_filling_that_was_interrupted_begins_anew(var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from registry.services import demo

    fill = demo.fill

    def halfway(*given: Any) -> None:
        fill(*given)
        raise KeyboardInterrupt

    runner = CliRunner()
    with monkeypatch.context() as patch:
        patch.setattr(demo, "fill", halfway)
        assert runner.invoke(cli, ["demo", "--no-serve"]).exit_code != 0
    again = runner.invoke(cli, ["demo", "--no-serve"])
    assert again.exit_code == 0 and "Enchendo" in again.output, again.output
    assert "já está cheio" in runner.invoke(cli, ["demo", "--no-serve"]).output


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


@pytest.mark.usefixtures("var")
@pytest.mark.parametrize(
    ("command", "menu", "told"),
    [
        ("serve", (), ("A página planted.bare (", "não diz quem pode abri-la. Marque com @access(")),
        ("demo", None, ("A entrada de menu 'Pontos' leva à página 'pontos.index', que não existe.",)),
    ],
)
def test_a_screen_that_is_not_in_order_stops_the_server_in_one_message(
    command: str,
    menu: tuple[()] | None,
    told: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from registry.cli import serve
    from registry.plugins import PluginHost
    from registry.plugins.host import Supplied

    bare = Blueprint("planted", __name__)
    bare.add_url_rule("/plantado", endpoint="bare", view_func=lambda: "x")
    given: dict[str, Any] = {"registry_blueprints": (Supplied("planted", [bare]),), "registry_demo_rows": ()}
    given |= {} if menu is None else {"registry_menu": menu}
    collect = PluginHost.collect
    monkeypatch.setattr(
        PluginHost,
        "collect",
        lambda self, hook, **facts: given[hook] if hook in given else collect(self, hook, **facts),
    )
    monkeypatch.setattr(serve, "_run_gunicorn", lambda options: pytest.fail("the server was started"))
    if command == "serve":
        monkeypatch.setenv("REGISTRY_CONFIG", "recife.toml")
        monkeypatch.setenv("REGISTRY_SECRET_KEY", "a secret of this test alone, long enough")
        assert CliRunner().invoke(cli, ["db", "upgrade"]).exit_code == 0
    monkeypatch.setattr("sys.argv", ["registry", command])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 2 and "Traceback" not in said
    assert all(each in said for each in told), said
