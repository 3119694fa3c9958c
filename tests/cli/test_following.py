"""The server takes what the set-up writes without a restart, and keeps serving where the new settings are wrong."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
import structlog
from click.testing import CliRunner
from werkzeug.test import Client

from registry.cli import cli
from registry.cli.console import Console
from registry.cli.jobs import restart_when_changed
from registry.cli.serve import AGAIN_AFTER, Following, follow
from registry.settings import Settings, SettingsError
from registry.web.edge import EXTENSION


class Made:
    """An application that answers its number; the third cannot be made as long as it is ``broken``."""

    def __init__(self) -> None:
        self.count = 0
        self.broken = False

    def __call__(self) -> Any:
        if self.broken:
            raise SettingsError("«zone» está errado")
        self.count += 1
        number = self.count

        def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            start_response("200 OK", [])
            return [str(number).encode()]

        return app


def ask(following: Following) -> str:
    return b"".join(following({}, lambda status, headers: None)).decode()


def put(path: Path, text: str) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def test_the_application_is_made_anew_when_the_file_is_another_one(tmp_path: Path) -> None:
    path, made = tmp_path / "setup.toml", Made()
    following = Following(made, path)
    assert [ask(following) for _ in range(2)] == ["1", "1"]
    put(path, "a = 1")
    assert [ask(following) for _ in range(2)] == ["2", "2"]
    put(path, "a = 2")
    assert ask(following) == "3"
    path.unlink()
    assert ask(following) == "4"


def test_wrong_settings_leave_the_old_application_and_are_tried_again(tmp_path: Path) -> None:
    path, made, now = tmp_path / "setup.toml", Made(), [100.0]
    following = Following(made, path, lambda: now[0])
    made.broken = True
    put(path, "a = 1")
    with structlog.testing.capture_logs() as logs:
        assert [ask(following) for _ in range(3)] == ["1", "1", "1"]
    assert [(each["error"], each["told"]) for each in logs] == [("SettingsError", "«zone» está errado")]
    made.broken = False
    now[0] += AGAIN_AFTER - 1
    assert ask(following) == "1"
    now[0] += 1
    assert ask(following) == "2"


def test_of_many_requests_at_once_one_makes_it_and_all_get_it(tmp_path: Path) -> None:
    path, made = tmp_path / "setup.toml", Made()
    following, start, told = Following(made, path), Barrier(8), []
    put(path, "a = 1")

    def request() -> None:
        start.wait()
        told.append(ask(following))

    threads = [Thread(target=request) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == ["2"] * 8 and made.count == 2


def test_the_worker_begins_anew_when_the_file_is_another_one(tmp_path: Path) -> None:
    path, looks, restarted = tmp_path / "setup.toml", [0], []

    def wait(seconds: float) -> None:
        looks[0] += 1
        if looks[0] == 3:
            put(path, "a = 1")

    restart_when_changed(path, wait, lambda: restarted.append(looks[0]))
    assert restarted == [3]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A small installation that was set up by command."""
    monkeypatch.setenv("REGISTRY_VAR", str(tmp_path / "data"))
    for name in ("REGISTRY_DATABASE_URL", "REGISTRY_CONFIG", "REGISTRY_SECRET_KEY"):
        monkeypatch.delenv(name, raising=False)
    args = ("setup", "--no-input", "--code", "porto", "--name", "Prefeitura do Porto", "--zone", "America/Bahia")
    assert CliRunner().invoke(cli, [*args, "--regime", "fretamento_rmr"], obj=Console()).exit_code == 0
    return Console().settings


def test_a_real_server_shows_the_new_name_and_a_session_goes_on(installed: Settings) -> None:
    following = follow(Console())
    client = Client(following)
    assert "Prefeitura do Porto" in client.get("/consulta").text
    first = following._app
    text = installed.setup_file.read_text(encoding="utf-8")
    put(installed.setup_file, text.replace("Prefeitura do Porto", "Prefeitura da Ilha"))
    assert "Prefeitura da Ilha" in client.get("/consulta").text
    assert following._app.secret_key == first.secret_key
    edge = following._app.extensions[EXTENSION]
    assert edge.store is first.extensions[EXTENSION].store, "one pool of connections"
    put(installed.setup_file, text.replace("America/Bahia", "America/Baia"))
    with structlog.testing.capture_logs() as logs:
        assert "Prefeitura da Ilha" in client.get("/consulta").text
    assert "America/Baia" in next(each["told"] for each in logs if each["event"] == "settings")
    put(installed.setup_file, text.replace("demo = false", "demo = true"))
    following._not_before = 0.0
    with structlog.testing.capture_logs():
        answer = client.get("/consulta").text
    assert "Prefeitura da Ilha" in answer and "Demonstração" not in answer
