"""Users: log-in with a lock kept in the database, passwords and roles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.text import fold, format_hour
from registry.services.desk import Desk
from registry.services.errors import Refused, ServiceError
from registry.services.offices import (
    Held,
    appoint,
    end_appointment,
    held,
    may_decide,
    names_in_office,
    offices_of,
    user_of,
)
from registry.store.access import Appointment, Invitation, UnknownLogIn, User, UserRole
from registry.store.audit import record
from registry.store.once import first_result, remember

__all__ = [
    "FAULT",
    "NO_PASSWORD",
    "PASSWORD_LENGTH",
    "PASSWORD_RULE",
    "Held",
    "LogInRefused",
    "LoggedIn",
    "UserLine",
    "add_user",
    "appoint",
    "authenticate",
    "cancel_links",
    "create_user",
    "end_appointment",
    "find_user",
    "has_demo_users",
    "hash_password",
    "may_decide",
    "names_in_office",
    "offices_of",
    "own_occasion",
    "password_fault",
    "set_active",
    "set_password",
    "set_roles",
    "store_password",
    "user_faults",
    "users_of",
]

FAULT = "Usuário ou senha não conferem."
NO_PASSWORD = "!"
"""In the place of the hash of a user who has been invited and has not chosen a password: nothing matches it."""
PASSWORD_LENGTH = 12
PASSWORD_RULE = f"Use {PASSWORD_LENGTH} letras, números ou sinais, ou mais."
_USERNAME = re.compile(r"[a-z0-9][a-z0-9._-]{1,39}")
_LONGEST_PASSWORD = 1_000
_TELLING = 4
_KEEP_UNKNOWN = timedelta(days=1)
_hasher = PasswordHasher()


class LogInRefused(ServiceError):
    """Nobody was let in: one text for an unknown user and a wrong password. ``locked_until``: the lock."""

    def __init__(self, message_pt: str, locked_until: datetime | None = None) -> None:
        super().__init__(message_pt)
        self.message_pt = message_pt
        self.locked_until = locked_until


@dataclass(frozen=True)
class LoggedIn:
    """Who logged in; ``epoch`` goes into the session's cookie, so that a new password ends older sessions."""

    id: int
    authority: str
    username: str
    name: str
    epoch: int


@dataclass(frozen=True)
class UserLine:
    """A user as the administration sees one. ``waiting``: invited, no password chosen yet."""

    id: int
    username: str
    name: str
    active: bool
    waiting: bool
    locked_until: datetime | None
    roles: tuple[str, ...]
    offices: tuple[Held, ...]


def authenticate(desk: Desk, username: str, password: str, at: datetime, trace_id: str = "") -> LoggedIn:
    """The user of this name and password.

    The attempt is counted before the password is checked, so that guesses made at once cannot outrun the lock; a
    right password sets the count back. Unknown names are checked and counted in the same way.

    Raises:
        LogInRefused: the name is unknown or inactive, the password wrong, or too many attempts were made.
    """
    name = fold(username).strip()[:64]
    user, locked_until = _count_attempt(desk, name, at)
    known = user if user is not None and user.password_hash != NO_PASSWORD else None
    right = _matches(known.password_hash if known else _nobodys_hash(), password)
    if user is None or known is None or not right or not user.active:
        zone = next(iter(desk.settings.authorities.values())).zone
        raise LogInRefused(_lock_text(locked_until.astimezone(zone)) if locked_until else FAULT, locked_until)
    with desk.store.writing() as session:
        row = session.get_one(User, user.id)
        row.failures, row.locked_until = 0, None
        if _hasher.check_needs_rehash(row.password_hash):
            row.password_hash = _hasher.hash(password)
        record(session, own_occasion(desk, row, at, trace_id), "user.logged_in", "user", row.id)
        return LoggedIn(row.id, row.authority, row.username, row.name, row.session_epoch)


def create_user(
    occasion: Occasion,
    desk: Desk,
    username: str,
    name: str,
    password: str,
    roles: Iterable[str],
    *,
    demo: bool = False,
) -> int:
    """A new user of the occasion's authority; returns the id.

    Raises:
        Refused: a field is empty, unknown or too weak, or the name is taken (by whichever authority). Only a
            demonstration may hold demonstration users, whose password may be short.
    """
    wanted = tuple(dict.fromkeys(roles))
    faults = user_faults(desk, username, name, wanted)
    if demo and not desk.settings.demo:
        faults["demo"] = "Usuários de demonstração só existem na demonstração."
    faults |= {} if demo and password else password_fault(password, username)
    if faults:
        raise Refused(faults)
    hashed = hash_password(password)
    with desk.store.writing() as session:
        if earlier := first_result(session, occasion, "user.created"):
            return int(earlier.result)
        user_id = add_user(session, occasion, username, name, wanted, hashed, demo=demo)
        remember(session, occasion, "user.created", user_id)
        return user_id


def add_user(
    session: Session,
    occasion: Occasion,
    username: str,
    name: str,
    roles: tuple[str, ...],
    password_hash: str = NO_PASSWORD,
    *,
    demo: bool = False,
) -> int:
    """Enters a user whose fields were checked by :func:`user_faults`; the id. Raises Refused when the name is taken."""
    if session.scalar(select(User.id).where(User.username == username)):
        raise Refused({"username": f"Já existe o usuário {username}. Escolha outro nome."})
    user = User(
        authority=occasion.authority,
        username=username,
        name=name.strip(),
        password_hash=password_hash,
        demo=demo,
        created_at=occasion.at,
    )
    session.add(user)
    session.flush()
    session.add_all(UserRole(user_id=user.id, role=role) for role in roles)
    after = {"username": username, "name": user.name, "roles": roles, "demo": demo}
    record(session, occasion, "user.created", "user", user.id, None, after)
    return user.id


def set_password(occasion: Occasion, desk: Desk, user_id: int, password: str) -> None:
    """Gives a user a new password, opens the lock, ends every older session and what links were given.

    Raises Refused for a weak password, NotFound for a user of another authority.
    """
    with desk.store.reading() as session:
        known = user_of(session, occasion.authority, user_id)
    if faults := password_fault(password, known.username):
        raise Refused(faults)
    hashed = hash_password(password)
    with desk.store.writing() as session:
        store_password(session, occasion, user_of(session, occasion.authority, user_id), hashed)


def hash_password(password: str) -> str:
    """The password as it is stored; slow on purpose, so do it outside a transaction."""
    return _hasher.hash(password)


def store_password(session: Session, occasion: Occasion, user: User, hashed: str) -> None:
    """Puts a hashed password in force: the lock opens, older sessions end, links that were given no longer hold."""
    user.password_hash, user.failures, user.locked_until = hashed, 0, None
    user.session_epoch += 1
    cancel_links(session, user.id, occasion.at)
    record(session, occasion, "user.password_set", "user", user.id)


def cancel_links(session: Session, user_id: int, at: datetime) -> int:
    """Cancels the links by which a user could still choose a password; how many there were."""
    live = (Invitation.user_id == user_id, Invitation.used_at.is_(None), Invitation.cancelled_at.is_(None))
    return len(session.scalars(update(Invitation).where(*live).values(cancelled_at=at).returning(Invitation.id)).all())


def end_sessions(occasion: Occasion, desk: Desk) -> None:
    """Ends every session of the occasion's own user, a copied cookie's too."""
    with desk.store.writing() as session:
        user = user_of(session, occasion.authority, occasion.actor_id or 0)
        user.session_epoch += 1
        record(session, occasion, "user.left", "user", user.id)


def set_roles(occasion: Occasion, desk: Desk, user_id: int, roles: Iterable[str]) -> None:
    """Replaces a user's roles; nobody gives up the management of users for themselves, which might leave it to nobody.

    Raises Refused for an unknown role, NotFound for a user of another authority.
    """
    wanted = tuple(dict.fromkeys(roles))
    faults = _role_fault(desk, wanted)
    managers = desk.settings.permissions.get("users.manage", ())
    if not faults and user_id == occasion.actor_id and not set(wanted) & set(managers):
        faults = {"roles": "Você não pode tirar de si a administração de usuários. Peça a outra pessoa."}
    if faults:
        raise Refused(faults)
    with desk.store.writing() as session:
        user = user_of(session, occasion.authority, user_id)
        before = list(session.scalars(select(UserRole.role).where(UserRole.user_id == user.id)))
        session.execute(delete(UserRole).where(UserRole.user_id == user.id))
        session.add_all(UserRole(user_id=user.id, role=role) for role in wanted)
        record(session, occasion, "user.roles_set", "user", user.id, {"roles": sorted(before)}, {"roles": wanted})


def set_active(occasion: Occasion, desk: Desk, user_id: int, active: bool) -> None:
    """Closes or opens a user's access; closing ends the sessions. Raises Refused for one's own, NotFound."""
    if not active and user_id == occasion.actor_id:
        raise Refused(message="Você não pode desativar o próprio acesso. Peça a outra pessoa.")
    with desk.store.writing() as session:
        user = user_of(session, occasion.authority, user_id)
        if user.active == active:
            return
        user.active = active
        user.session_epoch += 1
        cancel_links(session, user.id, occasion.at)
        record(session, occasion, "user.active_set", "user", user.id, {"active": not active}, {"active": active})


def users_of(session: Session, authority: str) -> tuple[UserLine, ...]:
    """Every user of an authority with roles and appointments (ended ones too), by name."""
    roles: dict[int, list[str]] = {}
    for row in session.execute(select(UserRole.user_id, UserRole.role).order_by(UserRole.role)):
        roles.setdefault(row.user_id, []).append(row.role)
    offices: dict[int, list[Held]] = {}
    for each in session.scalars(select(Appointment).where(Appointment.authority == authority).order_by(Appointment.id)):
        offices.setdefault(each.user_id, []).append(held(each))
    users = session.scalars(select(User).where(User.authority == authority).order_by(User.name, User.id))
    return tuple(
        UserLine(
            id=user.id,
            username=user.username,
            name=user.name,
            active=user.active,
            waiting=user.password_hash == NO_PASSWORD,
            locked_until=user.locked_until,
            roles=tuple(roles.get(user.id, ())),
            offices=tuple(offices.get(user.id, ())),
        )
        for user in users
    )


def find_user(session: Session, username: str) -> User | None:
    """The user of this name, of whichever authority; None when there is none."""
    return session.scalars(select(User).where(User.username == fold(username).strip())).one_or_none()


def has_demo_users(session: Session) -> bool:
    """Whether the database holds users of the demonstration, which real use must not have."""
    return session.scalar(select(User.id).where(User.demo).limit(1)) is not None


def _count_attempt(desk: Desk, name: str, at: datetime) -> tuple[User | None, datetime | None]:
    """Counts one attempt for a name; the user (None = unknown) and the end of the lock that this attempt brought.

    Raises LogInRefused while an earlier lock lasts.
    """
    rules = desk.settings.session
    with desk.store.writing() as session:
        user = session.scalars(select(User).where(User.username == name)).one_or_none()
        row = user or session.get(UnknownLogIn, name)
        if row is None:
            session.execute(delete(UnknownLogIn).where(UnknownLogIn.last_at < at - _KEEP_UNKNOWN))
            row = UnknownLogIn(username=name, failures=0, last_at=at)
            session.add(row)
        if row.locked_until and at < row.locked_until:
            zone = next(iter(desk.settings.authorities.values())).zone
            raise LogInRefused(_lock_text(row.locked_until.astimezone(zone)), row.locked_until)
        row.failures = 1 if row.locked_until else row.failures + 1
        row.locked_until = at + timedelta(minutes=rules.lock_minutes) if row.failures >= rules.lock_after else None
        if isinstance(row, UnknownLogIn):
            row.last_at = at
        if user is not None and row.locked_until:
            record(session, own_occasion(desk, user, at, ""), "user.locked", "user", user.id)
        return user, row.locked_until


def _lock_text(until: datetime) -> str:
    return f"Muitas tentativas com este usuário. Espere até as {format_hour(until)} e tente de novo."


def own_occasion(desk: Desk, user: User, at: datetime, trace_id: str) -> Occasion:
    """The occasion of an act of a user who is not logged in yet: a log-in, a lock, a password chosen by a link."""
    return Occasion(
        actor=user.username,
        actor_id=user.id,
        authority=user.authority,
        at=at,
        zone=desk.authority(user.authority).zone,
        trace_id=trace_id,
    )


def _matches(hashed: str, password: str) -> bool:
    try:
        return _hasher.verify(hashed, password[:_LONGEST_PASSWORD])
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobodys_hash() -> str:
    """What an unknown user's password is compared with, so that the answer takes as long as for a known one."""
    return _hasher.hash("ninguém")


def user_faults(desk: Desk, username: str, name: str, roles: tuple[str, ...]) -> dict[str, str]:
    """What is wrong with a new user's fields, by field."""
    faults = {}
    if not _USERNAME.fullmatch(username):
        faults["username"] = "Use de 2 a 40 letras minúsculas sem acento, números, ponto, traço ou sublinhado."
    if not name.strip():
        faults["name"] = "Escreva o nome."
    elif len(name.strip()) > 400:
        faults["name"] = "O nome tem mais de 400 letras. Encurte."
    return faults | _role_fault(desk, roles)


def _role_fault(desk: Desk, roles: tuple[str, ...]) -> dict[str, str]:
    unknown = [role for role in roles if role not in desk.settings.roles]
    if unknown:
        return {"roles": f"Não existe o perfil «{unknown[0]}»."}
    return {} if roles else {"roles": "Escolha ao menos um perfil."}


def password_fault(password: str, username: str) -> dict[str, str]:
    """What is wrong with a password that a user would get; empty when nothing is."""
    if len(password) < PASSWORD_LENGTH:
        return {"password": f"A senha tem {len(password)} letras. {PASSWORD_RULE}"}
    if len(password) > _LONGEST_PASSWORD:
        return {"password": f"A senha tem mais de {_LONGEST_PASSWORD} letras. Encurte."}
    if len(username) >= _TELLING and fold(username) in fold(password):
        return {"password": "A senha não pode conter o nome do usuário."}
    return {}
