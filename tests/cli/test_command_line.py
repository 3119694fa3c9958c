"""Topics, the plugins' own commands, the clock, and faults as one message without a traceback."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import click
import pytest
from click.testing import CliRunner

from registry.cli import cli, main
from registry.cli.console import Console
from registry.plugins import installed_plugins
from tests.hooks.planted import city, hook, settings

from .conftest import AUTHORITY, Run

RECIFE = ZoneInfo("America/Recife")


def test_every_topic_is_listed_and_registers(run: Run):
    result = run("--help")
    assert result.exit_code == 0
    for command in ("ask", "cases", "law", "plugin"):
        assert f"\n  {command} " in result.output


def test_a_topic_alone_is_imported_when_it_is_asked_for():
    code = "import sys, registry.cli; print({'registry.cli.law', 'flask', 'sqlalchemy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_plugins_are_listed_in_the_order_of_the_configuration_then_those_out_of_it(run: Run):
    output = run("plugin", "list", modules=(city("town"), city())).output.splitlines()
    named = [line.partition(":")[0].split()[0] for line in output]
    assert named == ["town", "city", *sorted(named[2:])]
    assert set(installed_plugins()) == set(named[2:])
    assert all("não instalado" in line for line in output[:2])
    assert all("fora da configuração" in line for line in output[2:])


def test_commands_of_a_plugin_stand_under_its_name(run: Run):
    command = click.Command("hello", callback=lambda: click.echo("olá"))
    modules = (city(registry_commands=hook("registry_commands", lambda: [command])),)
    assert run("city", "hello", modules=modules).output == "olá\n"
    unknown = run("town", "hello", modules=modules)
    assert unknown.exit_code == 2


@pytest.mark.parametrize(
    ("config", "words"),
    [("nowhere.toml", "nowhere.toml"), ("wrong.toml", "«plugins»"), ("absent.toml", "boats")],
)
def test_a_fault_is_one_message_and_exit_2(
    config: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "wrong.toml").write_text("plugin = []\nplugns = []", encoding="utf-8")
    (tmp_path / "absent.toml").write_text('plugins = ["boats"]', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REGISTRY_CONFIG", config)
    monkeypatch.setattr(sys, "argv", ["registry", "law", "coverage", "boats"])
    with pytest.raises(SystemExit) as left:
        main()
    captured = capsys.readouterr()
    assert left.value.code == 2
    assert words in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_the_clock_and_the_day_of_the_invocation():
    instant = datetime(2026, 12, 1, 2, 30, tzinfo=UTC)
    console = Console(clock=lambda: instant)
    console.settings = settings(authorities={"recife": AUTHORITY})
    occasion = console.occasion("recife", once_key="k")
    assert (occasion.on, occasion.at, occasion.once_key) == (date(2026, 11, 30), instant, "k")
    console.on, console.actor = date(2020, 1, 2), "maria"
    assert console.now(RECIFE) == datetime(2020, 1, 2, 12, tzinfo=RECIFE)
    assert (console.occasion("recife").on, console.occasion("recife").actor) == (date(2020, 1, 2), "maria")


def test_options_reach_the_console(run: Run):
    @click.command()
    @click.pass_obj
    def tell(console: Console) -> None:
        click.echo(f"{console.actor} {console.on}")

    modules = (city(registry_commands=hook("registry_commands", lambda: [tell])),)
    assert run("--as", "maria", "--on", "2026-11-30", "city", "tell", modules=modules).output == "maria 2026-11-30\n"
    assert run("--on", "30/11/2026", "city", "tell", modules=modules).exit_code == 2


@pytest.mark.parametrize("actor", ["a" * 65, "a\x01b", "a\nb", "a\udcffb"])
def test_a_name_that_the_audit_cannot_keep_is_refused(run: Run, actor: str):
    refused = run("--as", actor, "plugin", "list")
    assert refused.exit_code == 2 and "--as: use até 64 letras" in refused.output


def test_what_is_no_utf_8_is_one_message(tmp_path: Path):
    """A terminal of another language gives such text; no file and no database keeps it."""
    options = ["--code", "porto", "--zone", "America/Bahia", "--name", b"Capit\xe3o"]
    command: list[str | bytes] = [str(Path(sys.executable).with_name("registry")), "setup", "--no-input", *options]
    told = subprocess.run(command, env={"REGISTRY_VAR": str(tmp_path), "LANG": "C.UTF-8"}, capture_output=True)
    assert told.returncode == 2 and "UTF-8" in told.stderr.decode() and "Traceback" not in told.stderr.decode()
    assert not (tmp_path / "setup.toml").exists()


@pytest.mark.parametrize("command", [("db", "current"), ("audit", "verify"), ("public", "show", "ABC1234")])
@pytest.mark.parametrize(
    ("address", "told"),
    [("mysql://somewhere/registry", "«mysql»"), ("::", "não é um endereço"), ("sqlite://:x", "não é um endereço")],
)
def test_a_database_address_that_cannot_be_used_is_one_message(
    command: tuple[str, ...], address: str, told: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("REGISTRY_DATABASE_URL", address)
    refused = CliRunner().invoke(cli, command)
    assert refused.exit_code == 1
    assert told in refused.output


def _settings():
    from tests.hooks.planted import settings

    return settings(authorities={"recife": AUTHORITY})
