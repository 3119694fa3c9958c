"""What a page reads stays within its queries, however many rows it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from registry.services import charges, decisions, indexes, inspections, permits
from registry.services.desk import Desk
from tests import factories
from tests.factories import NOON, Clerk
from tests.services import steps

PAGE = 12
SHELL = 2
"""Queries that the shell of every page makes: the user of the session, and what the menu counts."""
TODAY = NOON.date()
Read = Callable[[Session, Desk, Clerk, dict[str, int]], Any]

READS: dict[str, Read] = {
    "permit": lambda s, d, c, ids: permits.permit_page(s, d, "porto", ids["permit"], NOON),
    "inspection": lambda s, d, c, ids: inspections.inspection_page(s, d, "porto", ids["inspection"], NOON),
    "agenda": lambda s, d, c, ids: inspections.agenda(s, d, "porto", TODAY),
    "receipt": lambda s, d, c, ids: charges.receipt_page(s, "porto", ids["receipt"]),
    "cash": lambda s, d, c, ids: charges.cash_of_day(s, "porto", TODAY),
    "charges": lambda s, d, c, ids: charges.find_charges(s, d, "porto", "", TODAY),
    "person": lambda s, d, c, ids: charges.charges_of_person(s, d, "porto", ids["person"], TODAY),
    "indexes": lambda s, d, c, ids: indexes.index_page(s, d, "porto", TODAY),
    "decision": lambda s, d, c, ids: decisions.decision_preview(s, d, c.occasion(hours=2), ids["ready"]),
}


@contextmanager
def counted(desk: Desk) -> Iterator[list[str]]:
    """The selects made through the reading engine."""
    said: list[str] = []

    def tell(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if statement.lstrip().upper().startswith(("SELECT", "WITH")):
            said.append(statement)

    event.listen(desk.store.read_engine, "before_cursor_execute", tell)
    try:
        yield said
    finally:
        event.remove(desk.store.read_engine, "before_cursor_execute", tell)


@pytest.fixture
def ids(desk: Desk, jonas: Clerk) -> dict[str, int]:
    """One ready request beside five that owe, a permit, a receipt."""
    steps.appoint(desk, jonas)
    person_id = factories.person(desk, jonas)
    ready = steps.ready(desk, jonas, applicant_id=person_id)
    for place, plate in enumerate(("KKX2E41", "PGT4H87", "OYV4B22", "QYL5D81")):
        applicant = factories.person(desk, jonas, factories.CPFS[place + 1])
        factories.filed(desk, jonas, applicant_id=applicant, vehicle_id=factories.vehicle(desk, jonas, plate))
    other = factories.vehicle(desk, jonas, "PCX3F52")
    made = factories.permit(desk.store, person_id, other)
    with desk.store.writing() as session:
        permits.refresh_public_rows(session, desk, made, jonas.occasion())
    return {"person": person_id, "ready": ready, "permit": made, "receipt": 1, "inspection": 1}


@pytest.mark.parametrize("name", READS)
def test_a_page_keeps_within_its_queries(desk: Desk, jonas: Clerk, ids: dict[str, int], name: str) -> None:
    with desk.store.reading() as session, counted(desk) as said:
        assert READS[name](session, desk, jonas, ids) is not None
    assert 0 < len(said) <= PAGE - SHELL, said
