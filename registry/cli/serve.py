"""``registry serve``: the registry for real use, on gunicorn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from registry.cli.console import Console, pass_console

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.serving import WSGIRequestHandler


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
    from registry.services.authorities import enter_authorities
    from registry.services.users import has_demo_users
    from registry.settings import refuse_unsafe

    settings = console.settings
    with console.migrated().reading() as session:
        demo_users = has_demo_users(session)
    refuse_unsafe(settings, demo_users)
    with console.store.writing() as session:
        enter_authorities(session, settings)
    make_app(console)  # what is not in order stops here, in plain words, and not in each worker
    console.store.close()
    options = {
        "bind": f"{address or settings.host}:{port or settings.port}",
        "workers": workers or settings.workers,
        "worker_class": "gthread",
        "threads": 4,
        "accesslog": None,
        "preload_app": False,
    }
    _run_gunicorn(options)


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

    settings = console.settings
    handler = quiet_handler()
    run_simple(settings.host, port or settings.port, make_app(console), threaded=True, request_handler=handler)


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

        def load(self) -> Flask:
            return make_app()

    Server().run()
