"""What the page of a decision shows of what was asked when it was taken."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.store.requests import StoredVerdict


def stored_findings(session: Session, decision_id: int) -> tuple[StoredVerdict, ...]:
    """The verdicts on which a decision stands, in the order in which they were asked."""
    rows = session.scalars(
        select(StoredVerdict)
        .where(StoredVerdict.subject == "decision", StoredVerdict.subject_id == decision_id)
        .order_by(StoredVerdict.id)
    )
    return tuple(rows)
