"""Who may open a view. Every view, a plugin's too, carries a mark; :func:`refuse_unmarked` stops start-up without it.

    @blueprint.get("/requerimentos/<int:id>")
    @access("requests.view")
    def request_page(id): ...

The mark is a permission of the settings (which gives its roles), ``@access.staff`` (whoever is logged in) or
``@access.public``. The check runs before the view, in one place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from flask import Flask, current_app, request
from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.sentences import join_words
from registry.plugins import StartError
from registry.services.errors import NotAllowed
from registry.settings import Settings
from registry.store.access import User, UserRole
from registry.web.edge import Staff, is_staff, settings, staff

View = TypeVar("View", bound=Callable[..., Any])
PUBLIC = "*public"
STAFF = "*staff"
_MARK = "registry_access"


class UnguardedView(StartError):
    """A view says nothing about who may open it, or names a permission that the settings lack."""


class LogInFirst(Exception):
    """Nobody is logged in, or the session ended."""


class Access:
    """The mark of a view; use the one instance :data:`access`."""

    def __call__(self, permission: str) -> Callable[[View], View]:
        """Marks a view with the permission that opens it."""

        def mark(view: View) -> View:
            setattr(view, _MARK, permission)
            return view

        return mark

    def public(self, view: View) -> View:
        """Marks a view that anyone may open."""
        return self(PUBLIC)(view)

    def staff(self, view: View) -> View:
        """Marks a view that everyone who is logged in may open."""
        return self(STAFF)(view)


access = Access()


def mark_of(view: Any) -> str:
    """The mark of a view function; "" when it has none."""
    return str(getattr(view, _MARK, ""))


def marks(app: Flask) -> dict[str, str]:
    """Every endpoint that an address leads to, with its mark."""
    return {rule.endpoint: mark_of(app.view_functions[rule.endpoint]) for rule in app.url_map.iter_rules()}


def refuse_unmarked(app: Flask, permissions: Iterable[str]) -> None:
    """Raises :class:`UnguardedView` naming each view that is unmarked or marked with an unknown permission."""
    known = {PUBLIC, STAFF, *permissions}
    faults = []
    for endpoint, mark in sorted(marks(app).items()):
        if mark not in known:
            fault = f"usa a permissão desconhecida {mark!r}" if mark else "não diz quem pode abri-la"
            faults.append(f"A página {endpoint} ({_place(app.view_functions[endpoint])}) {fault}.")
    if faults:
        mend = "Marque com @access(<uma permissão de [permissions] da configuração>), @access.staff ou @access.public."
        raise UnguardedView(f"{' '.join(faults)} {mend}")


def _place(view: Any) -> str:
    try:
        code = inspect.unwrap(view).__code__
    except AttributeError:
        return getattr(view, "__module__", "?")
    return f"{code.co_filename}:{code.co_firstlineno}"


def guard() -> None:
    """Before each request: lets it pass, or raises LogInFirst or NotAllowed."""
    if request.endpoint is None:
        return
    mark = mark_of(current_app.view_functions[request.endpoint])
    if mark == PUBLIC:
        return
    if not is_staff():
        raise LogInFirst
    if mark != STAFF and not staff().may(mark):
        raise NotAllowed(who_can(mark))


def who_can(permission: str) -> str:
    """The sentence of a refusal: who may open it and as whom the user is here (pt-BR)."""
    labels = settings().roles
    able = [labels.get(role, role) for role in settings().permissions.get(permission, ())]
    mine = [labels.get(role, role) for role in staff().roles]
    here = f" Você entrou como {join_words(mine)}." if mine else ""
    if not able:
        return f"Nenhum perfil abre esta página. Fale com a administração do sistema.{here}"
    return f"Só quem tem o perfil {' ou '.join(able)} pode abrir esta página.{here}"


def permissions_of(roles: Iterable[str], config: Settings) -> frozenset[str]:
    """The permissions that a set of roles opens."""
    mine = set(roles)
    return frozenset(name for name, opened in config.permissions.items() if mine & set(opened))


def load_staff(session: Session, cookie_id: str, config: Settings) -> Staff | None:
    """The user of a session cookie; None when inactive, unknown, or when a new password ended the session."""
    number, _, epoch = cookie_id.partition(":")
    if not (number.isdecimal() and epoch.isdecimal()):
        return None
    rows = session.execute(
        select(User.id, User.authority, User.username, User.name, User.session_epoch, UserRole.role)
        .join(UserRole, UserRole.user_id == User.id, isouter=True)
        .where(User.id == int(number), User.active, User.session_epoch == int(epoch))
    ).all()
    if not rows or rows[0].authority not in config.authorities:
        return None
    first = rows[0]
    roles = tuple(role for role in config.roles if role in {row.role for row in rows})
    return Staff(
        id=first.id,
        authority=first.authority,
        username=first.username,
        name=first.name,
        roles=roles,
        permissions=permissions_of(roles, config),
        epoch=first.session_epoch,
    )
