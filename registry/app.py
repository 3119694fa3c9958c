"""The Flask application: extensions, security headers, logs, the core's screens and the plugins'."""

from __future__ import annotations

import logging
import pkgutil
import sys
import time
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from uuid import uuid4

import structlog
from flask import Flask, Response, g, request
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import IntegerConverter, Map

import registry.web
from registry import resources
from registry.plugins import Places, PluginHost, missing_places
from registry.services.desk import Desk
from registry.settings import Settings
from registry.store.base import Base
from registry.store.engine import Store
from registry.store.migrate import tables_of_plugins
from registry.web import access, errors, formats, htmx, shell
from registry.web.edge import EXTENSION, Clock, Edge, babel, csrf, db, limiter, login_manager
from registry.web.login import session as sessions

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "frame-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), geolocation=(self), microphone=(), payment=()",
}
_FORM_ROOM = 1024 * 1024
_LARGEST_ID = 2**31 - 1


class RowId(IntegerConverter):
    """``<int:...>`` in an address: no number that the database's ids cannot hold, so that a larger one is a 404."""

    def __init__(self, map: Map, *args: Any, **named: Any) -> None:
        named["max"] = min(named.get("max") or _LARGEST_ID, _LARGEST_ID)
        super().__init__(map, *args, **named)


def system_clock() -> datetime:
    """The instant now, in UTC: the one clock of a running registry."""
    return datetime.now(UTC)


def create_app(settings: Settings, host: PluginHost, store: Store, clock: Clock = system_clock) -> Flask:
    """The application of one installation.

    Args:
        settings: the installation's settings.
        host: the plugin host, with its plugins loaded.
        store: the database, migrated.
        clock: gives the instant of each request (aware); a test or ``--on`` freezes it.

    Raises:
        UnguardedView, UnknownSection: a view or menu entry, the plugins' too, is not in order (StartErrors both).
        PluginError: a plugin's table breaks the rules for tables, or a provision names a table, route or template
            that does not exist.
    """
    app = Flask("registry", template_folder=str(resources.templates()), static_folder=str(resources.static()))
    app.extensions[EXTENSION] = Edge(settings, host, store, Desk(store, host, settings, settings.var / "files"), clock)
    _configure(app, settings)
    _prepare(app)
    _mount(app, host)
    access.refuse_unmarked(app, settings.permissions)
    _refuse_wrong_tables_and_places(app, host)
    if settings.proxies:  # else anyone could give himself an address
        app.wsgi_app = ProxyFix(app.wsgi_app, settings.proxies, settings.proxies)  # type: ignore[method-assign]
    return app


def _configure(app: Flask, settings: Settings) -> None:
    app.config.update(
        SECRET_KEY=settings.secret_key,
        SESSION_COOKIE_NAME="registry",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.session.secure_cookie,
        WTF_CSRF_TIME_LIMIT=None,
        SQLALCHEMY_DATABASE_URI="sqlite://",
        BABEL_DEFAULT_LOCALE="pt_BR",
        RATELIMIT_HEADERS_ENABLED=False,
        REGISTRY_UPLOAD_LIMIT=settings.upload_limit,
        MAX_CONTENT_LENGTH=settings.upload_limit + _FORM_ROOM,
        MAX_FORM_MEMORY_SIZE=_FORM_ROOM,
        SEND_FILE_MAX_AGE_DEFAULT=0,
    )
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.url_map.strict_slashes = False
    app.url_map.converters["int"] = RowId


def _prepare(app: Flask) -> None:
    """Extensions and hooks, in the order in which a request meets them."""
    app.before_request(_begin)
    app.before_request(_refuse_nul)
    htmx.init_app(app)
    for extension in (db, csrf, limiter, login_manager):
        extension.init_app(app)
    babel.init_app(app, locale_selector=lambda: "pt_BR")
    sessions.init_app()
    app.before_request(access.guard)
    app.after_request(sessions.touch_after)
    shell.init_app(app)
    formats.init_app(app)
    errors.init_app(app)
    access.access.public(app.view_functions["static"])
    app.after_request(_finish)


def _mount(app: Flask, host: PluginHost) -> None:
    """Registers the packages of ``registry.web`` (``views.blueprint``, ``views.MENU``), then the plugins' screens."""
    entries: list[shell.MenuEntry] = []
    for found in sorted(pkgutil.iter_modules(registry.web.__path__), key=lambda module: module.name):
        if found.ispkg and find_spec(f"registry.web.{found.name}.views"):
            views = import_module(f"registry.web.{found.name}.views")
            app.register_blueprint(views.blueprint)
            entries += getattr(views, "MENU", ())
    for answer in host.collect("registry_blueprints"):
        for blueprint in answer.value:
            app.register_blueprint(blueprint)
    for answer in host.collect("registry_menu"):
        entries += answer.value
    shell.keep_menu(app, entries)


def _refuse_wrong_tables_and_places(app: Flask, host: PluginHost) -> None:
    """Only here are the tables, routes and templates that provisions may name all known."""
    tables_of_plugins(host)
    places = Places(
        tables=set(Base.metadata.tables),
        routes={rule.endpoint for rule in app.url_map.iter_rules()},
        templates=set(app.jinja_env.list_templates()),
    )
    for fault in missing_places(host, places):
        raise fault


def _begin() -> None:
    g.trace_id = uuid4().hex[:16]
    g.began = time.perf_counter()
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(trace_id=g.trace_id)


def _refuse_nul() -> Response | None:
    """No keyboard types the character NUL, PostgreSQL keeps none: refused here, before a search or a form meets it."""
    told = [*request.args.items(multi=True), *request.form.items(multi=True)]
    names = ((name, file.filename or "") for name, file in request.files.items(multi=True))
    return errors.unkeepable() if any("\0" in text for pair in (*told, *names) for text in pair) else None


def _finish(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.is_secure:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    response.headers["X-Request-ID"] = g.get("trace_id", "")
    response.headers.pop("Date", None)  # the server writes it, and the development server would write both
    if request.endpoint != "static":
        spent = (time.perf_counter() - g.get("began", time.perf_counter())) * 1000
        shell.log.info(
            "request",
            method=request.method,
            endpoint=request.endpoint or "",
            status=response.status_code,
            ms=round(spent, 1),
            fragment=htmx.wants_fragment(),
        )
    return response


def configure_logs(level: int = logging.INFO) -> None:
    """One JSON object a line on standard error; nothing in it tells whose request it was or what was typed."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )
