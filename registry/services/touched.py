"""Live requests that a change elsewhere touches: of a person who now owes, of records that became one."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.workflow import ENDED
from registry.services.desk import Desk
from registry.services.progress import refresh_request
from registry.store.requests import Request


def refresh_requests_of(
    session: Session, desk: Desk, occasion: Occasion, *, people: Iterable[int] = (), vehicles: Iterable[int] = ()
) -> None:
    """Derives anew every live request of these persons and vehicles, of loaded regimes alone. Raises RuleDown."""
    persons, cars = sorted(set(people)), sorted(set(vehicles))
    if not persons and not cars:
        return
    session.flush()
    ids = session.scalars(
        select(Request.id)
        .where(
            Request.authority == occasion.authority,
            Request.state.not_in(ENDED),
            Request.regime.in_([regime.code for regime in desk.regimes_of(occasion.authority)]),
            or_(Request.applicant_id.in_(persons), Request.cooperative_id.in_(persons), Request.vehicle_id.in_(cars)),
        )
        .order_by(Request.id)
    ).all()
    for request_id in ids:
        refresh_request(session, desk, occasion, request_id)
