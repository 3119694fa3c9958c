"""Links by which people choose their own password: the first one (convite), or a new one (senha).

Nobody types another's password. A link holds a secret, shown once; the database keeps its digest alone. It works once,
for the hours of the settings, and no longer when another is made, a password is set or the access is closed. No e-mail
is sent: who makes the link hands it over.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.services.desk import Desk
from registry.services.errors import Refused, ServiceError
from registry.services.offices import user_of
from registry.services.users import (
    NO_PASSWORD,
    add_user,
    cancel_links,
    hash_password,
    own_occasion,
    password_fault,
    store_password,
    user_faults,
)
from registry.store.access import Invitation, User
from registry.store.audit import record
from registry.store.once import first_result, remember

Kind = Literal["convite", "senha"]
UNUSABLE = "Peça outro a quem administra o sistema no seu órgão."
_SECRET_BYTES = 32


class LinkUnusable(ServiceError):
    """The link is unknown, used, expired or cancelled: one answer for all, which tells nothing about users."""

    def __init__(self) -> None:
        super().__init__(f"Este link não vale mais. {UNUSABLE}")


@dataclass(frozen=True)
class Issued:
    """A link that was made. ``secret`` is known here and nowhere else; "" when the same click came again."""

    user_id: int
    secret: str
    expires_at: datetime

    @property
    def path(self) -> str:
        """The link's address inside the registry."""
        return f"/convite/{self.secret}"


@dataclass(frozen=True)
class Invited:
    """Whom a link is for, as its page greets them."""

    user_id: int
    username: str
    name: str
    kind: Kind
    authority: str
    expires_at: datetime


@dataclass(frozen=True)
class Waiting:
    """A link that was made and still works."""

    kind: Kind
    by: str
    at: datetime
    expires_at: datetime


def invite(occasion: Occasion, desk: Desk, username: str, name: str, roles: Iterable[str]) -> Issued:
    """A new user of the occasion's authority, without a password, and the link to choose one.

    Raises Refused: a field is empty or unknown, or the name is taken (by whichever authority).
    """
    wanted = tuple(dict.fromkeys(roles))
    if faults := user_faults(desk, username, name, wanted):
        raise Refused(faults)
    with desk.store.writing() as session:
        if again := _again(session, occasion, "user.invited"):
            return again
        user_id = add_user(session, occasion, username, name, wanted)
        return _issue(session, occasion, desk, user_of(session, occasion.authority, user_id), "user.invited")


def make_link(occasion: Occasion, desk: Desk, user_id: int) -> Issued:
    """A link by which a user chooses a password, the first or a new one; earlier links no longer hold.

    Until it is used the old password and its sessions hold. Raises Refused for a user whose access is closed, NotFound.
    """
    with desk.store.writing() as session:
        if again := _again(session, occasion, "user.link_made"):
            return again
        user = user_of(session, occasion.authority, user_id)
        if not user.active:
            raise Refused(message="O acesso está fechado. Abra o acesso antes de criar o link.")
        return _issue(session, occasion, desk, user, "user.link_made")


def cancel(occasion: Occasion, desk: Desk, user_id: int) -> None:
    """Cancels a user's link; nothing when there is none. Raises NotFound."""
    with desk.store.writing() as session:
        user = user_of(session, occasion.authority, user_id)
        if cancel_links(session, user.id, occasion.at):
            record(session, occasion, "user.link_cancelled", "user", user.id)


def read(session: Session, desk: Desk, secret: str, at: datetime) -> Invited:
    """Whom a link is for. Raises :class:`LinkUnusable`."""
    row, user = _usable(session, desk, secret, at)
    return Invited(user.id, user.username, user.name, _kind(row), user.authority, row.expires_at)


def accept(desk: Desk, secret: str, password: str, at: datetime, trace_id: str = "") -> str:
    """Puts the chosen password in force, opens the lock and ends older sessions; the user name to log in with.

    Raises :class:`LinkUnusable`; Refused for a weak password, after which the link still works.
    """
    with desk.store.reading() as session:
        found = read(session, desk, secret, at)
    if faults := password_fault(password, found.username):
        raise Refused(faults)
    hashed = hash_password(password)
    with desk.store.writing() as session:
        row, user = _usable(session, desk, secret, at)
        row.used_at = at
        session.flush()
        occasion = own_occasion(desk, user, at, trace_id)
        store_password(session, occasion, user, hashed)
        record(session, occasion, "user.link_used", "user", user.id, None, {"kind": row.kind})
        return user.username


def waiting(session: Session, authority: str, at: datetime) -> dict[int, Waiting]:
    """The links of an authority's users that still work, by user."""
    rows = session.execute(
        select(Invitation, User.id)
        .join(User, User.id == Invitation.user_id)
        .where(
            User.authority == authority,
            Invitation.used_at.is_(None),
            Invitation.cancelled_at.is_(None),
            Invitation.expires_at > at,
        )
        .order_by(Invitation.id)
    )
    return {
        user_id: Waiting(
            "convite" if row.kind == "convite" else "senha", row.created_by, row.created_at, row.expires_at
        )
        for row, user_id in rows
    }


def _issue(session: Session, occasion: Occasion, desk: Desk, user: User, act: str) -> Issued:
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    expires_at = occasion.at + timedelta(hours=desk.settings.session.link_hours)
    kind: Kind = "convite" if user.password_hash == NO_PASSWORD else "senha"
    cancel_links(session, user.id, occasion.at)
    row = Invitation(
        user_id=user.id,
        kind=kind,
        digest=_digest(secret),
        created_by=occasion.actor,
        created_at=occasion.at,
        expires_at=expires_at,
    )
    session.add(row)
    session.flush()
    record(session, occasion, act, "user", user.id, None, {"kind": kind, "expires_at": expires_at})
    remember(session, occasion, act, row.id)
    return Issued(user.id, secret, expires_at)


def _again(session: Session, occasion: Occasion, act: str) -> Issued | None:
    """What the first of two clicks made, without its secret; None when the click comes now."""
    earlier = first_result(session, occasion, act)
    if earlier is None:
        return None
    row = session.get_one(Invitation, int(earlier.result))
    return Issued(row.user_id, "", row.expires_at)


def _usable(session: Session, desk: Desk, secret: str, at: datetime) -> tuple[Invitation, User]:
    found = session.execute(
        select(Invitation, User)
        .join(User, User.id == Invitation.user_id)
        .where(Invitation.digest == _digest(secret), User.active)
    ).one_or_none()
    if found is None or found[1].authority not in desk.settings.authorities:
        raise LinkUnusable
    row, user = found
    if row.used_at is not None or row.cancelled_at is not None or at >= row.expires_at:
        raise LinkUnusable
    return row, user


def _kind(row: Invitation) -> Kind:
    return "convite" if row.kind == "convite" else "senha"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
