"""The log-in session in the cookie: idle time by the registry's clock, and the draft of a form that met its end.

A form that is sent after its session ended is not lost: its fields travel, signed, through the log-in page and come
back as a form that one more click sends. That holds only for the same user, and only for a form that carried the
session's own CSRF token.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from flask import Response, current_app, make_response, redirect, request, session, url_for
from flask_login import login_user, logout_user
from flask_wtf.csrf import CSRFError
from itsdangerous import BadData, URLSafeSerializer

from registry.web import htmx
from registry.web.access import load_staff
from registry.web.edge import Staff, db, instant, is_staff, login_manager, settings

_SEEN = "seen"
_CSRF = "csrf_token"
_USER = "_user_id"
_ASKED_BY_ITSELF = frozenset({"home.news"})
_NOT_KEPT = frozenset({_CSRF, "password"})


@dataclass(frozen=True)
class Draft:
    """What a form held when its session was over: whose, for which address, its fields in order."""

    user: int
    path: str
    fields: tuple[tuple[str, str], ...]
    had_files: bool = False


def init_app() -> None:
    """Tells flask-login how to find a user."""

    @login_manager.user_loader
    def find(cookie_id: str) -> Staff | None:
        return None if _idle() else load_staff(db.session(), cookie_id, settings())


def _idle() -> bool:
    seen = session.get(_SEEN)
    return seen is None or instant() - datetime.fromisoformat(seen) > timedelta(minutes=settings().session.idle_minutes)


def touch_after(response: Response) -> Response:
    """After a request of a user: the idle time begins anew (written at most once a minute); what a page asks
    by itself does not count."""
    seen = session.get(_SEEN) if is_staff() and request.endpoint not in _ASKED_BY_ITSELF else None
    if seen is not None and instant() - datetime.fromisoformat(seen) >= timedelta(minutes=1):
        session[_SEEN] = instant().isoformat()
    return response


def begin(user: Staff) -> None:
    """Logs a user in with a new session; forms that the same user left open in another tab keep their token."""
    kept = session.get(_CSRF) if _user_of_cookie() == user.id else None
    session.clear()
    if kept:
        session[_CSRF] = kept
    login_user(user)
    session[_SEEN] = instant().isoformat()


def end() -> None:
    """Logs the user out and forgets the session."""
    logout_user()
    session.clear()


def _user_of_cookie() -> int | None:
    number = str(session.get(_USER, "")).partition(":")[0]
    return int(number) if number.isdecimal() else None


def ask_to_log_in(error: Exception) -> Response:
    """Nobody is logged in: the log-in page, which leads back; htmx gets a line that leaves the page as it is.

    What was sent without the session's own token is not kept: it may come from elsewhere.
    """
    from registry.web.errors import show

    if htmx.wants_fragment():
        return show(401, "Sua sessão terminou", "Entre de novo: o que você digitou está guardado.", log_in=True)
    if request.method == "GET":
        expired = 1 if _user_of_cookie() else None
        return make_response(
            redirect(url_for("login.form", volta=request.full_path.rstrip("?"), terminou=expired), 303)
        )
    from registry.web.login.views import show_form

    draft = "" if isinstance(error, CSRFError) else _seal()
    return show_form(401, draft=draft, back=back_to(request.referrer), ended=True)


def _seal() -> str:
    """The fields of the form that was sent, signed; "" when the session does not say whose they are."""
    user = _user_of_cookie()
    if user is None:
        return ""
    fields = [[name, value] for name, values in request.form.lists() if name not in _NOT_KEPT for value in values]
    files = any(file.filename for file in request.files.values())
    return _serializer().dumps([user, request.full_path.rstrip("?"), fields, files])


def unseal(sealed: str) -> Draft | None:
    """The draft that :func:`ask_to_log_in` sealed; None when there is none, or it was tampered with."""
    try:
        user, path, fields, files = _serializer().loads(sealed)
    except (BadData, ValueError, zlib.error):
        return None
    return Draft(user, path, tuple((name, value) for name, value in fields), bool(files))


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(str(current_app.secret_key), salt="registry.draft")


def back_to(address: str | None) -> str:
    """The address inside this registry to return to; "" for any other (no open redirect)."""
    if not address:
        return ""
    try:
        parts: Any = urlsplit(address.replace("\\", "/"))
    except ValueError:
        return ""
    if parts.netloc and parts.netloc != request.host:
        return ""
    path = parts.path or "/"
    if not path.startswith("/") or path.startswith("//") or any(ord(c) < 32 for c in path):
        return ""
    return path + (f"?{parts.query}" if parts.query else "")
