"""Offices: who decides is held by appointment, from a day until a day, by act; substitutes decide like the titular."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.text import format_date
from registry.services.acts import resolve
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused
from registry.services.lengths import long_faults
from registry.store.access import Appointment, User
from registry.store.audit import record
from registry.store.once import first_result, remember


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
        Refused: the regime has no such office, the last day is before the first, no act is named, or the user holds
            the office so on one of these days already.
        NotFound: the user or the regime is another authority's.
    """
    declared = {each.code: each.label for each in desk.regime_of(occasion.authority, regime).offices}
    faults = long_faults(act=act)
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
        user = user_of(session, occasion.authority, user_id)
        _alone(session, user, (regime, office, substitute), since, until)
        row = Appointment(
            authority=occasion.authority,
            regime=regime,
            office=office,
            user_id=user.id,
            since=since,
            until=until,
            substitute=substitute,
            act=act.strip(),
            act_id=resolve(session, desk, occasion.authority, act),
        )
        session.add(row)
        session.flush()
        record(session, occasion, "office.appointed", "appointment", row.id, None, _shown(row))
        remember(session, occasion, "office.appointed", row.id)
        return row.id


def _alone(session: Session, user: User, as_what: tuple[str, str, bool], since: date, until: date | None) -> None:
    """Raises Refused where the user holds the office in the same way on one of the days: one line says it once."""
    regime, office, substitute = as_what
    there = select(Appointment.since).where(
        Appointment.user_id == user.id,
        Appointment.regime == regime,
        Appointment.office == office,
        Appointment.substitute == substitute,
        or_(Appointment.until.is_(None), Appointment.until >= since),
    )
    if until is not None:
        there = there.where(Appointment.since <= until)
    if first := session.scalar(there.order_by(Appointment.since).limit(1)):
        text = f"Já há esta nomeação, desde {format_date(first)}. Para mudar os dias ou o ato, encerre aquela antes."
        raise Refused({"since": text})


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
    return tuple(held(row) for row in rows)


def may_decide(session: Session, authority: str, user_id: int | None, regime: str, office: str, day: date) -> bool:
    """Whether the user holds that office on that day."""
    return any(each.office == office for each in offices_of(session, authority, user_id, regime, day))


def names_in_office(session: Session, authority: str, regime: str, office: str, day: date) -> tuple[str, ...]:
    """The names of the active users who hold an office on a day, the titular before the substitutes."""
    return tuple(holders_of(session, authority, regime, office, day).values())


def holders_of(session: Session, authority: str, regime: str, office: str, day: date) -> dict[int, str]:
    """The active users who hold an office on a day, id to name, the titular before the substitutes."""
    rows = session.execute(
        select(User.id, User.name)
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
    return {row.id: row.name for row in rows}


def holders(session: Session, authority: str, regime: str, office: str, day: date) -> tuple[tuple[int, str], ...]:
    """The active users who hold an office on a day, id and name, the titular before the substitutes."""
    rows = session.execute(
        select(User.id, User.name)
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
    return tuple(dict.fromkeys((row.id, row.name) for row in rows))


def user_of(session: Session, authority: str, user_id: int) -> User:
    """The user of this id in an authority. Raises NotFound."""
    user = session.get(User, user_id)
    if user is None or user.authority != authority:
        raise NotFound
    return user


def _on(day: date) -> tuple[Any, ...]:
    return (Appointment.since <= day, or_(Appointment.until.is_(None), Appointment.until >= day))


def held(row: Appointment) -> Held:
    """An appointment as plain data."""
    return Held(row.id, row.regime, row.office, row.since, row.until, row.substitute, row.act)


def _shown(row: Appointment) -> dict[str, Any]:
    names = ("regime", "office", "user_id", "since", "until", "substitute", "act")
    return {name: getattr(row, name) for name in names}
