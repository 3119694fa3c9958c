"""Repeated acts: a second click with the same once_key shows the first result instead of acting again."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.store.engine import StoreError, take_turn
from registry.store.permits import Onceness


class KeyTaken(StoreError):
    """A once_key came again for another act: keys are made for one form each."""


def first_result(session: Session, occasion: Occasion, act: str) -> Onceness | None:
    """What the act gave when this once_key came first; None when it comes now, or when the occasion has no key.

    Takes the writers' turn, so that of two clicks at once the second waits and then finds the first one's result.

    Raises:
        KeyTaken: the key was used by another act.
    """
    if not occasion.once_key:
        return None
    take_turn(session)
    found = session.scalars(
        select(Onceness).where(Onceness.authority == occasion.authority, Onceness.key == occasion.once_key)
    ).one_or_none()
    if found is not None and found.act != act:
        raise KeyTaken(f"the once_key of {found.act!r} came again for {act!r}")
    return found


def remember(session: Session, occasion: Occasion, act: str, result: str | int) -> None:
    """Keeps the result of the act under the occasion's once_key; nothing without a key.

    ``result`` is what shows the outcome again, as a rule the id of the row that was made.
    """
    if occasion.once_key:
        session.add(
            Onceness(authority=occasion.authority, key=occasion.once_key, act=act, result=str(result), at=occasion.at)
        )
        session.flush()
