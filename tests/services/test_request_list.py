from __future__ import annotations

import pytest

from registry.services.desk import Desk
from registry.services.errors import NotFound
from registry.services.request_stub import request_stub
from registry.services.worklist import Filters, worklist
from tests import factories
from tests.factories import CPFS, PORT, Clerk


@pytest.mark.parametrize("typed", ["2026/000001", "rzt-6b18", "023.456.781-35", "lima ana", "%"])
def test_every_reading_of_a_sought_text_counts(desk: Desk, jonas: Clerk, typed: str) -> None:
    made = factories.filed(desk, jonas)
    ivo = factories.person(desk, jonas, CPFS[1], "Ivo Tavares")
    factories.draft(desk, jonas, applicant_id=ivo, vehicle_id=factories.vehicle(desk, jonas, "KGA1234"))
    with desk.store.reading() as session:
        found = worklist(session, desk, jonas.occasion(), "todos", Filters(text=typed))
    assert [line.id for line in found.lines] == ([] if typed == "%" else [made])
    assert found.filtered


def test_all_requests_newest_first_or_by_their_last_day(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    first = factories.filed(desk, jonas)
    ivo = factories.person(desk, jonas, CPFS[1], "Ivo Tavares")
    second = factories.draft(desk, jonas, applicant_id=ivo, vehicle_id=factories.vehicle(desk, jonas, "KGA1234"))
    with desk.store.reading() as session:
        newest = worklist(session, desk, jonas.occasion(), "todos")
        by_day = worklist(session, desk, jonas.occasion(), "todos", Filters(order="prazo"))
        theirs = worklist(session, desk, stranger.occasion(), "todos")
    assert [line.id for line in newest.lines] == [second, first]
    assert [line.id for line in by_day.lines] == [first, second]
    assert theirs.lines == ()
    assert not by_day.filtered


def test_a_request_whose_regime_is_loaded_has_no_stub(desk: Desk, jonas: Clerk) -> None:
    made = factories.filed(desk, jonas)
    with desk.store.reading() as session, pytest.raises(NotFound):
        request_stub(session, desk, PORT, made)
