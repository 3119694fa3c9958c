"""``registry serve``: the registry for real use, on gunicorn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import click
import structlog

from registry.cli.console import Console, pass_console
from registry.plugins.errors import StartError
from registry.settings import SettingsError

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.serving import WSGIRequestHandler

AGAIN_AFTER = 5.0
"""Seconds after which settings that were not in order are tried again."""


def register(cli: click.Group) -> None:
    """Adds the command."""
    cli.add_command(serve)


@click.command()
@click.option("--host", "address", help="Endereço em que escuta (padrão: o da configuração).")
@click.option("--port", type=click.IntRange(1, 65535), help="Porta (padrão: a da configuração).")
@click.option("--workers", type=click.IntRange(1, 64), help="Processos (padrão: o da configuração).")
@pass_console
def serve(console: Console, address: str | None, port: int | None, workers: int | None) -> None:
    """Abre o registro para uso real. Recusa chave de fábrica, usuários de demonstração e banco desatualizado."""
    settings = console.settings
    _refuse_or_enter(console)
    make_app(console)  # what is not in order stops here, in plain words, and not in each worker
    console.store.close()
    options = {
        "control_socket_disable": True,
        "bind": f"{address or settings.host}:{port or settings.port}",
        "workers": workers or settings.workers,
        "worker_class": "gthread",
        "threads": 4,
        "accesslog": None,
        "preload_app": False,
    }
    _run_gunicorn(options)


def _refuse_or_enter(console: Console) -> None:
    """Refuses what is not safe for real use; enters the configured authorities into the database."""
    from registry.services.authorities import enter_authorities
    from registry.services.users import has_demo_users
    from registry.settings import refuse_unsafe

    with console.migrated().reading() as session:
        demo_users = has_demo_users(session)
    refuse_unsafe(console.settings, demo_users)
    with console.store.writing() as session:
        enter_authorities(session, console.settings)


class Following:
    """The application, made anew in this process as soon as the watched file is another one.

    Each request looks at the file's age, which costs microseconds; requests that have begun end on the application that
    they began with. Where the new one cannot be made the old one goes on, the log says why, and it is tried again
    after some seconds.
    """

    def __init__(self, make: Callable[[], Flask], watched: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._make, self._watched, self._clock = make, watched, clock
        self._lock = Lock()
        self._stamp = stamp_of(watched)
        self._app = make()
        self._not_before = 0.0

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answers a request (WSGI)."""
        if stamp_of(self._watched) != self._stamp:
            self._renew()
        return self._app(environ, start_response)

    def _renew(self) -> None:
        with self._lock:
            stamp = stamp_of(self._watched)
            if stamp == self._stamp or self._clock() < self._not_before:
                return
            try:
                self._app = self._make()
            except Exception as error:  # whatever is wrong with the new settings, the old ones still serve
                self._not_before = self._clock() + AGAIN_AFTER
                told = str(error) if isinstance(error, (SettingsError, StartError, click.ClickException)) else ""
                structlog.get_logger("registry").error("settings", error=type(error).__name__, told=told)
            else:
                self._stamp = stamp


def stamp_of(path: Path) -> tuple[int, ...]:
    """What tells one state of a file from another without reading it; empty where there is none."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino


def follow(console: Console) -> Following:
    """The application of this installation, which takes what the set-up writes without a restart."""
    first = [console]

    def make() -> Flask:
        if first:
            return make_app(first.pop())
        fresh = Console(clock=console.clock)
        if fresh.settings.database_url == console.settings.database_url:
            fresh.store = console.store
        _refuse_or_enter(fresh)
        return make_app(fresh)

    return Following(make, console.settings.setup_file)


def make_app(console: Console | None = None) -> Flask:
    """The application of this installation; each worker makes its own, with its own connections.

    Raises ``click.ClickException`` when the database is not the program's, StartError for a plugin or a screen that is
    not in order.
    """
    from registry.app import configure_logs, create_app

    console = console or Console()
    configure_logs()
    return create_app(console.settings, console.host, console.migrated(), console.clock)


def run_development(console: Console, port: int | None) -> None:
    """Serves one process on this computer, for the demonstration."""
    from werkzeug.serving import run_simple

    from registry.jobs import Jobs

    settings = console.settings
    app = make_app(console)
    stop = Jobs(console.desk, console.clock).work_beside()
    try:
        handler = quiet_handler()
        run_simple(settings.host, port or settings.port, app, threaded=True, request_handler=handler)
    finally:
        stop()


def quiet_handler() -> type[WSGIRequestHandler]:
    """The development server's handler without its line for each request: addresses hold names and numbers."""
    from werkzeug.serving import WSGIRequestHandler

    class Quiet(WSGIRequestHandler):
        """Leaves the log to the application, which names no one."""

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Writes nothing."""

    return Quiet


def _run_gunicorn(options: dict[str, Any]) -> None:
    from gunicorn.app.base import BaseApplication

    class Server(BaseApplication):  # type: ignore[misc]
        """gunicorn with options of ours instead of a command line."""

        def load_config(self) -> None:
            for name, value in options.items():
                self.cfg.set(name, value)

        def load(self) -> Following:
            return follow(Console())

    Server().run()
