"""Yearly series of numbers without gaps: requests, permits, receipts, seals."""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from registry.store.permits import Sequence


def take(session: Session, authority: str, name: str, year: int) -> int:
    """The next number of a series, beginning with 1.

    The series stays locked until the transaction ends; when it rolls back the number was never given, so that no gap
    and no duplicate can arise.

    Args:
        session: of a writing transaction.
        authority: code of the authority that numbers.
        name: the series, such as ``request``.
        year: civil year of the series; 0 for a series that never begins anew.
    """
    insert: Any = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    statement = insert(Sequence).values(authority=authority, name=name, year=year, last=1)
    statement = statement.on_conflict_do_update(
        index_elements=[Sequence.authority, Sequence.name, Sequence.year], set_={"last": Sequence.last + 1}
    )
    return int(session.execute(statement.returning(Sequence.last)).scalar_one())
