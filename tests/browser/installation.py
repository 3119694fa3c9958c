"""An installation to be visited: a migrated store, the shipped plugins, a clock of its own, a server on a free port."""

from __future__ import annotations

import fcntl
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from argon2 import PasswordHasher
from flask import Flask
from jinja2 import BytecodeCache
from sqlalchemy import select
from werkzeug.serving import WSGIRequestHandler, make_server

from registry import resources
from registry.app import create_app
from registry.domain.occasion import Occasion
from registry.plugins import PluginHost
from registry.services import demo, indexes, offices
from registry.services.authorities import enter_authorities
from registry.services.demo import PASSWORD
from registry.services.desk import Desk
from registry.settings import Settings, load_settings
from registry.store.access import User, UserRole
from registry.store.engine import Store
from registry.store.migrate import of_plugins, upgrade

MORNING = datetime(2026, 11, 30, 13, 42, tzinfo=UTC)
"""Monday, 30 November 2026, 10h42 in the authority's zone."""
NAMES = {
    "atendente": "Jonas",
    "vistoriador": "Edson",
    "agente_fiscal": "Cláudia",
    "tesouraria": "Teresa",
    "analista": "Marina",
    "diretor": "Rita",
    "auditor": "Otávio",
    "administrador": "Aline",
}
INDEXES = {"emtu": {"custo_km": "5.1374"}, "recife": {"ufr": "138.4936", "population": "1653461"}}
"""The index values that the authority enters, by its code: without them the law gives no fee and no quota."""

_HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
"""Cheap to make and to check: what is tested here is not the strength of a hash."""


@dataclass
class Hands:
    """A clock that stands still until a test moves it."""

    at: datetime = MORNING

    def __call__(self) -> datetime:
        return self.at

    def ahead(self, **units: float) -> None:
        """Moves the clock: ``ahead(minutes=10)``."""
        self.at += timedelta(**units)


@dataclass
class Installation:
    """A running registry."""

    app: Flask
    store: Store
    clock: Hands
    address: str

    def cookie(self, username: str) -> dict[str, str]:
        """The cookie of a user who has logged in."""
        with self.store.reading() as session:
            user = session.scalars(select(User).where(User.username == username)).one()
            kept = {"_user_id": f"{user.id}:{user.session_epoch}", "_fresh": True, "seen": self.clock().isoformat()}
        serializer = self.app.session_interface.get_signing_serializer(self.app)  # type: ignore[attr-defined]
        return {
            "name": str(self.app.config["SESSION_COOKIE_NAME"]),
            "value": serializer.dumps(kept),
            "url": self.address,
        }


class _Quiet(WSGIRequestHandler):
    """Says nothing of each request, and keeps the connection."""

    protocol_version = "HTTP/1.1"

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Says nothing."""


def settings_in(folder: Path) -> Settings:
    """The demonstration's settings with a folder of their own."""
    loaded = load_settings(resources.config(), {"REGISTRY_CONFIG": "demo.toml", "REGISTRY_VAR": str(folder)})
    return replace(loaded, secret_key="a secret for tests only")


@contextmanager
def served(settings: Settings, host: PluginHost, store: Store, cache: BytecodeCache) -> Iterator[Installation]:
    """Serves the application from threads of this process until the block ends."""
    clock = Hands()
    app = create_app(settings, host, store, clock)
    app.jinja_env.bytecode_cache = cache
    app.config["PROPAGATE_EXCEPTIONS"] = False
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
    site = Installation(app, store, clock, f"http://127.0.0.1:{server.server_port}")

    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


def staff(desk: Desk) -> None:
    """Users of every role, appointed, and the index values of each authority; no other record."""
    first = MORNING - timedelta(days=30)
    with desk.store.writing() as session:
        enter_authorities(session, desk.settings)
    for authority in desk.settings.authorities.values():
        occasion = Occasion("instalação", authority.code, first, authority.zone)
        _hire(desk, occasion)
        for key, value in INDEXES[authority.code].items():
            since, act = date(2026, 7, 1), "Portaria 112/2026"
            indexes.enter_index_value(occasion, desk, key, since, Decimal(value), act, confirmed=True)


def _hire(desk: Desk, occasion: Occasion) -> None:
    for role, label in desk.settings.roles.items():
        with desk.store.writing() as session:
            user = User(
                authority=occasion.authority,
                username=f"{role}.{occasion.authority}",
                name=f"{NAMES[role]} {label}",
                password_hash=_HASH,
                demo=True,
                created_at=occasion.at,
            )
            session.add(user)
            session.flush()
            session.add(UserRole(user_id=user.id, role=role))
            user_id = user.id
        if role == "diretor":
            for regime in desk.regimes_of(occasion.authority):
                for office in regime.offices:
                    offices.appoint(
                        occasion, desk, user_id, regime.code, office.code, occasion.on, act="Portaria 1/2026"
                    )


def filled(folder: Path, host: PluginHost) -> Path:
    """A folder with the demonstration's database and files, filled once for every process of the run."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = folder / "made"
        if not made.exists():
            part = folder / "part"
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            settings = settings_in(part)
            store = Store(settings.database_url)
            upgrade(store, of_plugins(host))
            demo.fill(Desk(store, host, settings, part / "files"), MORNING)
            store.close()
            part.rename(made)
    return made
