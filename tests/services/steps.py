"""Steps of the main job on the invented regime, each by its use case."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from sqlalchemy import select

from registry.domain.workflow import Outlook
from registry.services import charges, inspections, offices
from registry.services.desk import Desk
from registry.services.progress import progress_of
from registry.store.charges import Charge
from registry.store.requests import Request
from tests import factories, regime
from tests.factories import NOON, Clerk

OFFICE = "capitao"
LATER = 1.5
"""Hours after noon at which a request is ready, the inspection being over."""


def appoint(desk: Desk, clerk: Clerk, *, office: str = OFFICE, since: date = date(2026, 1, 1), **more: object) -> int:
    """Puts a clerk in office."""
    return offices.appoint(
        clerk.occasion(),
        desk,
        clerk.id,
        regime.CODE,
        office,
        since,
        act="Portaria 1/2026",
        **more,  # type: ignore[arg-type]
    )


def open_charges(desk: Desk, request_id: int) -> list[int]:
    """The ids of the fees of a request that are not paid."""
    with desk.store.reading() as session:
        query = select(Charge.id).where(
            Charge.request_id == request_id, Charge.settled_at.is_(None), Charge.cancelled_at.is_(None)
        )
        return list(session.scalars(query.order_by(Charge.id)))


def pay(desk: Desk, clerk: Clerk, request_id: int, *, hours: float = 0, **more: object) -> int:
    """Pays everything that a request owes; gives the receipt."""
    return charges.receive_payment(
        clerk.occasion(hours=hours),
        desk,
        open_charges(desk, request_id),
        NOON.date(),
        "pix",
        **more,  # type: ignore[arg-type]
    )


def book(desk: Desk, clerk: Clerk, request_id: int, when: datetime | None = None) -> int:
    """Books the inspection for an hour later."""
    return inspections.book_inspection(clerk.occasion(), desk, request_id, when or NOON + timedelta(hours=1), "Pátio")


def mark_all(desk: Desk, clerk: Clerk, inspection_id: int, **failed: str) -> int:
    """Marks every item: in order, or failed with a reason; gives the version."""
    version = 1
    for code in ("casco", "coletes"):
        result = "falha" if code in failed else "ok"
        version = inspections.save_item(
            clerk.occasion(), desk, inspection_id, version, code, result, failed.get(code, "")
        )
    return version


def inspect(desk: Desk, clerk: Clerk, request_id: int, **failed: str) -> inspections.Concluded:
    """Books, marks and concludes the inspection of a request."""
    inspection_id = book(desk, clerk, request_id)
    version = mark_all(desk, clerk, inspection_id, **failed)
    return inspections.conclude_inspection(clerk.occasion(hours=1), desk, inspection_id, version)


def ready(desk: Desk, clerk: Clerk, *, pay_all: bool = True, **more: object) -> int:
    """A request on which only the decision is left."""
    request_id = factories.filed(desk, clerk, **more)  # type: ignore[arg-type]
    factories.accept_all(desk, clerk, request_id)
    pay(desk, clerk, request_id)
    inspect(desk, clerk, request_id)
    if pay_all:
        pay(desk, clerk, request_id, hours=LATER)
    return request_id


def version_of(desk: Desk, request_id: int) -> int:
    """The version of a request as it stands."""
    with desk.store.reading() as session:
        return session.get_one(Request, request_id).version


def outlook_of(desk: Desk, clerk: Clerk, request_id: int, at: datetime = NOON) -> Outlook:
    """Where a request stands."""
    with desk.store.reading() as session:
        return progress_of(session, desk, clerk.authority, request_id, at).outlook
