"""The edge of a request: who asks, when, for which authority, and the extensions that every view shares.

The clock is read here and nowhere further in: a view hands :func:`occasion` to a service.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, TypeVar, cast
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from flask import Flask, current_app, g, request
from flask_babel import Babel
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_login import LoginManager, UserMixin, current_user
from flask_sqlalchemy import SQLAlchemy
from flask_wtf import CSRFProtect
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.settings import Authority, Settings
from registry.store.base import Base

Clock = Callable[[], datetime]
T = TypeVar("T")
EXTENSION = "registry"


class Database(SQLAlchemy):
    """Flask-SQLAlchemy on the store's own read engine: views read, services write."""

    def _make_engine(self, bind_key: str | None, options: dict[str, Any], app: Flask) -> sa.Engine:
        return cast(sa.Engine, app.extensions[EXTENSION].store.read_engine)


db = Database(metadata=Base.metadata, session_options={"autoflush": False})
csrf = CSRFProtect()
babel = Babel()
login_manager = LoginManager()
limiter = Limiter(get_remote_address, storage_uri="memory://", headers_enabled=False)


@dataclass(frozen=True)
class Edge:
    """What the application was made of: settings, plugin host, store, services' desk and the one clock."""

    settings: Settings
    host: Any
    store: Any
    desk: Any
    clock: Clock


class Staff(UserMixin):
    """The user who is logged in: roles, and the permissions that the configuration gives them."""

    def __init__(
        self,
        id: int,
        authority: str,
        username: str,
        name: str,
        roles: tuple[str, ...],
        permissions: frozenset[str],
        epoch: int,
    ) -> None:
        self.id = id
        self.authority = authority
        self.username = username
        self.name = name
        self.roles = roles
        self.permissions = permissions
        self.epoch = epoch

    def get_id(self) -> str:
        """The cookie's text: a new password ends older sessions."""
        return f"{self.id}:{self.epoch}"

    def may(self, permission: str) -> bool:
        """Whether one of the user's roles opens it."""
        return permission in self.permissions

    @property
    def first_name(self) -> str:
        """What the greeting says."""
        return self.name.split()[0] if self.name else self.username


def edge() -> Edge:
    """What the running application was made of."""
    return cast(Edge, current_app.extensions[EXTENSION])


def settings() -> Settings:
    """The installation's settings."""
    return edge().settings


def desk() -> Any:
    """The services' desk: second argument of every use case."""
    return edge().desk


def session() -> Session:
    """The request's read-only database session."""
    return cast(Session, db.session)


def staff() -> Staff:
    """The user who asks. Only for views that are not public."""
    return cast(Staff, current_user._get_current_object())


def is_staff() -> bool:
    """Whether the request comes from someone logged in; without a cookie nothing is read for it."""
    has_cookie = str(current_app.config["SESSION_COOKIE_NAME"]) in request.cookies
    return has_cookie and bool(current_user.is_authenticated)


def authority() -> Authority:
    """The authority of the user; on a public page, the first of the installation."""
    known = settings().authorities
    if is_staff() and staff().authority in known:
        return known[staff().authority]
    return next(iter(known.values()))


def zone() -> ZoneInfo:
    """The civil zone of :func:`authority`."""
    return authority().zone if settings().authorities else ZoneInfo("UTC")


def instant() -> datetime:
    """The instant of the request, read once from the clock, aware, in UTC."""
    if "instant" not in g:
        g.instant = edge().clock().astimezone(UTC)
    return cast(datetime, g.instant)


def now() -> datetime:
    """The instant of the request in the authority's zone."""
    return instant().astimezone(zone())


def today() -> date:
    """The civil day of :func:`now`."""
    return now().date()


def trace_id() -> str:
    """The request's code, which the log carries too."""
    return cast(str, g.get("trace_id", ""))


def occasion(office: str = "") -> Occasion:
    """Who changes something, when and for whom, from this request; the form's once_key makes a double click one act."""
    user = staff()
    return Occasion(
        actor=user.username,
        actor_id=user.id,
        authority=user.authority,
        office=office,
        at=now(),
        zone=zone(),
        trace_id=trace_id(),
        once_key=once_key(),
    )


def once_key() -> str:
    """The form's once_key, tied to its user, act and record, so that no one meets another's result; "" for none."""
    typed = request.form.get("once_key", "")
    return hashlib.sha256(f"{staff().id}:{request.path}:{typed}".encode()).hexdigest()[:40] if typed else ""


def perform(service: Callable[..., T], *args: Any, office: str = "", **named: Any) -> T:
    """Runs a use case with this request's occasion and desk; what is read afterwards sees its result."""
    db.session.remove()
    return service(occasion(office), desk(), *args, **named)


def rate(name: str) -> Callable[[], str]:
    """A limit of the settings by name (public, api, login), for ``@limiter.limit(rate("public"))``."""
    return lambda: str(getattr(settings().rates, name))
