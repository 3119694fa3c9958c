"""Users: log-in with a lock kept in the database, roles, and the offices that a user holds by appointment."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, or_, select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.text import fold, format_date, format_hour
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused, ServiceError
from registry.store.access import Appointment, UnknownLogIn, User, UserRole
from registry.store.audit import record
from registry.store.once import first_result, remember

FAULT = "Usuário ou senha não conferem."
PASSWORD_LENGTH = 12
PASSWORD_RULE = f"Use {PASSWORD_LENGTH} letras, números ou sinais, ou mais."
_USERNAME = re.compile(r"[a-z0-9][a-z0-9._-]{1,39}")
_LONGEST_PASSWORD = 1_000
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
class Held:
    """An office that a user holds. ``until`` is the last day, None = until the act is revoked."""

    appointment_id: int
    regime: str
    office: str
    since: date
    until: date | None
    substitute: bool
    act: str


@dataclass(frozen=True)
class UserLine:
    """A user as the administration sees one."""

    id: int
    username: str
    name: str
    active: bool
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
    nobodys = _nobodys_hash()
    right = _matches(user.password_hash if user else nobodys, password)
    if user is None or not right or not user.active:
        zone = next(iter(desk.settings.authorities.values())).zone
        raise LogInRefused(_lock_text(locked_until.astimezone(zone)) if locked_until else FAULT, locked_until)
    with desk.store.writing() as session:
        row = session.get_one(User, user.id)
        row.failures, row.locked_until = 0, None
        if _hasher.check_needs_rehash(row.password_hash):
            row.password_hash = _hasher.hash(password)
        record(session, _own_occasion(desk, row, at, trace_id), "user.logged_in", "user", row.id)
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
    faults = _faults(desk, username, name, wanted)
    if demo and not desk.settings.demo:
        faults["demo"] = "Usuários de demonstração só existem na demonstração."
    faults |= {} if demo and password else _password_fault(password, username)
    if faults:
        raise Refused(faults)
    hashed = _hasher.hash(password)
    with desk.store.writing() as session:
        if earlier := first_result(session, occasion, "user.created"):
            return int(earlier.result)
        if session.scalar(select(User.id).where(User.username == username)):
            raise Refused({"username": f"Já existe o usuário {username}. Escolha outro nome."})
        user = User(
            authority=occasion.authority,
            username=username,
            name=name.strip(),
            password_hash=hashed,
            demo=demo,
            created_at=occasion.at,
        )
        session.add(user)
        session.flush()
        session.add_all(UserRole(user_id=user.id, role=role) for role in wanted)
        after = {"username": username, "name": user.name, "roles": wanted, "demo": demo}
        record(session, occasion, "user.created", "user", user.id, None, after)
        remember(session, occasion, "user.created", user.id)
        return user.id


def set_password(occasion: Occasion, desk: Desk, user_id: int, password: str) -> None:
    """Gives a user a new password, opens the lock and ends every older session.

    Raises Refused for a weak password, NotFound for a user of another authority.
    """
    with desk.store.reading() as session:
        known = _user(session, occasion.authority, user_id)
    if faults := _password_fault(password, known.username):
        raise Refused(faults)
    hashed = _hasher.hash(password)
    with desk.store.writing() as session:
        user = _user(session, occasion.authority, user_id)
        user.password_hash, user.failures, user.locked_until = hashed, 0, None
        user.session_epoch += 1
        record(session, occasion, "user.password_set", "user", user.id)


def set_roles(occasion: Occasion, desk: Desk, user_id: int, roles: Iterable[str]) -> None:
    """Replaces a user's roles. Raises Refused for an unknown role, NotFound for a user of another authority."""
    wanted = tuple(dict.fromkeys(roles))
    if faults := _role_fault(desk, wanted):
        raise Refused(faults)
    with desk.store.writing() as session:
        user = _user(session, occasion.authority, user_id)
        before = list(session.scalars(select(UserRole.role).where(UserRole.user_id == user.id)))
        session.execute(delete(UserRole).where(UserRole.user_id == user.id))
        session.add_all(UserRole(user_id=user.id, role=role) for role in wanted)
        record(session, occasion, "user.roles_set", "user", user.id, {"roles": sorted(before)}, {"roles": wanted})


def set_active(occasion: Occasion, desk: Desk, user_id: int, active: bool) -> None:
    """Closes or opens a user's access; closing ends the sessions. Raises NotFound."""
    with desk.store.writing() as session:
        user = _user(session, occasion.authority, user_id)
        if user.active == active:
            return
        user.active = active
        user.session_epoch += 1
        record(session, occasion, "user.active_set", "user", user.id, {"active": not active}, {"active": active})


def appoint(
    occasion: Occasion,
    desk: Desk,
    user_id: int,
    regime: str,
    office: str,
    since: date,
    until: date | None = None,
    *,
    substitute: bool = False,
    act: str = "",
) -> int:
    """Gives a user an office of a regime from a day until a day (both included), by act; returns the appointment.

    An office may have several holders at once: substitutes decide like the titular.

    Raises:
        Refused: the regime has no such office, the last day is before the first, or no act is named.
        NotFound: the user or the regime is another authority's.
    """
    declared = {each.code: each.label for each in desk.regime_of(occasion.authority, regime).offices}
    faults = {}
    if office not in declared:
        faults["office"] = "Escolha um cargo deste regime."
    if until is not None and until < since:
        faults["until"] = f"O último dia não pode ser antes de {format_date(since)}."
    if not act.strip():
        faults["act"] = "Escreva o ato que nomeia, como «Portaria 12/2026»."
    if faults:
        raise Refused(faults)
    with desk.store.writing() as session:
        if earlier := first_result(session, occasion, "office.appointed"):
            return int(earlier.result)
        user = _user(session, occasion.authority, user_id)
        row = Appointment(
            authority=occasion.authority,
            regime=regime,
            office=office,
            user_id=user.id,
            since=since,
            until=until,
            substitute=substitute,
            act=act.strip(),
        )
        session.add(row)
        session.flush()
        record(session, occasion, "office.appointed", "appointment", row.id, None, _shown(row))
        remember(session, occasion, "office.appointed", row.id)
        return row.id


def end_appointment(occasion: Occasion, desk: Desk, appointment_id: int, until: date) -> None:
    """Sets the last day of an appointment. Raises Refused when it precedes the first, NotFound."""
    with desk.store.writing() as session:
        row = session.get(Appointment, appointment_id)
        if row is None or row.authority != occasion.authority:
            raise NotFound
        if until < row.since:
            raise Refused({"until": f"O último dia não pode ser antes de {format_date(row.since)}."})
        before = {"until": row.until}
        row.until = until
        record(session, occasion, "office.ended", "appointment", row.id, before, {"until": until})


def offices_of(session: Session, authority: str, user_id: int | None, regime: str, day: date) -> tuple[Held, ...]:
    """The offices of a regime that a user holds on a day, substitutes too; titular appointments first."""
    if user_id is None:
        return ()
    rows = session.scalars(
        select(Appointment)
        .where(
            Appointment.authority == authority,
            Appointment.user_id == user_id,
            Appointment.regime == regime,
            *_on(day),
        )
        .order_by(Appointment.substitute, Appointment.id)
    )
    return tuple(_held(row) for row in rows)


def may_decide(session: Session, authority: str, user_id: int | None, regime: str, office: str, day: date) -> bool:
    """Whether the user holds that office on that day."""
    return any(held.office == office for held in offices_of(session, authority, user_id, regime, day))


def names_in_office(session: Session, authority: str, regime: str, office: str, day: date) -> tuple[str, ...]:
    """The names of the active users who hold an office on a day, the titular before the substitutes."""
    rows = session.execute(
        select(User.name)
        .join(Appointment, Appointment.user_id == User.id)
        .where(
            Appointment.authority == authority,
            Appointment.regime == regime,
            Appointment.office == office,
            User.active,
            *_on(day),
        )
        .order_by(Appointment.substitute, Appointment.id)
    )
    return tuple(dict.fromkeys(row.name for row in rows))


def users_of(session: Session, authority: str) -> tuple[UserLine, ...]:
    """Every user of an authority with roles and appointments (ended ones too), by name."""
    roles: dict[int, list[str]] = {}
    for row in session.execute(select(UserRole.user_id, UserRole.role).order_by(UserRole.role)):
        roles.setdefault(row.user_id, []).append(row.role)
    offices: dict[int, list[Held]] = {}
    for each in session.scalars(select(Appointment).where(Appointment.authority == authority).order_by(Appointment.id)):
        offices.setdefault(each.user_id, []).append(_held(each))
    users = session.scalars(select(User).where(User.authority == authority).order_by(User.name, User.id))
    return tuple(
        UserLine(
            id=user.id,
            username=user.username,
            name=user.name,
            active=user.active,
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
            record(session, _own_occasion(desk, user, at, ""), "user.locked", "user", user.id)
        return user, row.locked_until


def _lock_text(until: datetime) -> str:
    return f"Muitas tentativas com este usuário. Espere até as {format_hour(until)} e tente de novo."


def _own_occasion(desk: Desk, user: User, at: datetime, trace_id: str) -> Occasion:
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


def _user(session: Session, authority: str, user_id: int) -> User:
    user = session.get(User, user_id)
    if user is None or user.authority != authority:
        raise NotFound
    return user


def _faults(desk: Desk, username: str, name: str, roles: tuple[str, ...]) -> dict[str, str]:
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


def _password_fault(password: str, username: str) -> dict[str, str]:
    if len(password) < PASSWORD_LENGTH:
        return {"password": f"A senha tem {len(password)} letras. {PASSWORD_RULE}"}
    if len(password) > _LONGEST_PASSWORD:
        return {"password": f"A senha tem mais de {_LONGEST_PASSWORD} letras. Encurte."}
    if fold(username) and fold(username) in fold(password):
        return {"password": "A senha não pode conter o nome do usuário."}
    return {}


def _on(day: date) -> tuple[Any, ...]:
    return (Appointment.since <= day, or_(Appointment.until.is_(None), Appointment.until >= day))


def _held(row: Appointment) -> Held:
    return Held(row.id, row.regime, row.office, row.since, row.until, row.substitute, row.act)


def _shown(row: Appointment) -> dict[str, Any]:
    names = ("regime", "office", "user_id", "since", "until", "substitute", "act")
    return {name: getattr(row, name) for name in names}
