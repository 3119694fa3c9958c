"""The public answer at any instant: rows written with each change, never overwritten, one select a look-up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, func, select

from registry.domain.identifiers import IdentifierError
from registry.domain.regime import NowFact
from registry.plugins import PluginHost
from registry.services import permits, restrictions, vehicles
from registry.services.desk import Desk
from registry.services.public_rows import rebuild_public, refresh_public_rows
from registry.services.status import RegimeAnswer, answers
from registry.store.acts import IndexValue
from registry.store.engine import Store
from registry.store.permits import Permit, PublicRow
from tests import factories, regime
from tests.factories import NOON, ZONE, Clerk

GRANTED = date(2026, 1, 10)
LAST = date(2027, 1, 9)


@pytest.fixture
def permit_id(desk: Desk, jonas: Clerk) -> int:
    """A permit of Ana Lima with the boat RZT6B18, its licence good until 9 January 2027, told of at noon."""
    made = factories.permit(desk.store, factories.person(desk, jonas), factories.vehicle(desk, jonas))
    with desk.store.writing() as session:
        refresh_public_rows(session, desk, made, jonas.occasion())
    return made


def _at(day: date, hour: int = 12) -> datetime:
    return datetime.combine(day, time(hour), tzinfo=ZONE)


def _ask(desk: Desk, at: datetime, plate: str = "RZT6B18") -> tuple[RegimeAnswer, ...]:
    with desk.store.reading() as session:
        return answers(session, desk, plate, at)


def _told(desk: Desk, at: datetime) -> tuple[str, str]:
    """State and reason code at an instant."""
    (answer,) = _ask(desk, at)
    return answer.state, answer.reasons[0].code if answer.reasons else ""


def _rows(desk: Desk) -> list[tuple[datetime, datetime | None, datetime | None]]:
    with desk.store.reading() as session:
        rows = session.scalars(select(PublicRow).order_by(PublicRow.id))
        return [(row.since, row.until, row.withdrawn_at) for row in rows]


@pytest.mark.parametrize("plate", ["RZT6B18", "rzt-6b18", "RZT6118", " rzt 6118 "])
def test_both_forms_of_a_plate_find_it(desk: Desk, permit_id: int, plate: str) -> None:
    (answer,) = _ask(desk, NOON, plate)
    assert answer.authorized and answer.sentence == "Esta barca pode levar passageiros."
    assert (answer.card.number, answer.card.valid_until) == ("0391", LAST)
    assert [ground.text for ground in answer.in_order] == ["Tudo em ordem."]


def test_unknown_and_impossible_plates(desk: Desk, permit_id: int) -> None:
    assert _ask(desk, NOON, "PGT4H88") == ()
    with pytest.raises(IdentifierError):
        _ask(desk, NOON, "RZT6")


@pytest.mark.parametrize(
    ("at", "state", "reason"),
    [
        (_at(GRANTED - timedelta(days=1), 23), None, ""),
        (_at(GRANTED, 0), "authorized", ""),
        (_at(LAST, 23), "authorized", ""),
        (_at(LAST + timedelta(days=1), 0), "denied", "late"),
        (datetime(2027, 1, 10, 2, 30, tzinfo=UTC), "authorized", ""),
        (datetime(2027, 1, 10, 3, 0, tzinfo=UTC), "denied", "late"),
    ],
)
def test_the_day_turns_at_midnight_of_the_authority(
    desk: Desk, permit_id: int, at: datetime, state: str | None, reason: str
) -> None:
    assert (_told(desk, at) if state else _ask(desk, at)) == ((state, reason) if state else ())


def test_a_suspension_begins_and_ends_by_itself(desk: Desk, jonas: Clerk, permit_id: int) -> None:
    first, last = date(2026, 12, 10), date(2026, 12, 20)
    restrictions.restrict_permit(
        jonas.occasion(), desk, permit_id, kind="suspension", since=first, until=last, reason="Auto 12"
    )
    for day, state in [
        (first - timedelta(days=1), "authorized"),
        (first, "denied"),
        (last, "denied"),
        (last + timedelta(days=1), "authorized"),
    ]:
        assert _told(desk, _at(day, 0))[0] == state
        assert _told(desk, _at(day, 23))[0] == state


def test_a_change_keeps_what_was_told_before(desk: Desk, jonas: Clerk, permit_id: int) -> None:
    restrictions.restrict_permit(
        jonas.occasion(hours=1), desk, permit_id, kind="suspension", since=NOON.date(), reason="Auto 12"
    )
    assert _told(desk, NOON + timedelta(minutes=59)) == ("authorized", "")
    assert _told(desk, NOON + timedelta(hours=1)) == ("denied", "suspended")
    restrictions.restrict_permit(
        jonas.occasion(hours=2), desk, permit_id, kind="suspension", since=date(2027, 3, 1), reason="Auto 13"
    )
    with desk.store.reading() as session:
        bars = [each.id for each in session.scalars(select(restrictions.Restriction))]
    restrictions.void_restriction(jonas.occasion(hours=3), desk, bars[0], "Auto de outra barca")
    assert _told(desk, NOON + timedelta(hours=2)) == ("denied", "suspended")
    assert _told(desk, NOON + timedelta(hours=3)) == ("authorized", "")
    live = [row for row in _rows(desk) if row[2] is None]
    assert all(now[1] == after[0] for now, after in pairwise(live)), "the rows meet end to end"


def test_an_end_and_its_reason(desk: Desk, jonas: Clerk, permit_id: int) -> None:
    end = date(2026, 12, 15)
    permits.end_permit(jonas.occasion(), desk, permit_id, 1, end, "renuncia")
    assert _told(desk, _at(end - timedelta(days=1), 23)) == ("authorized", "")
    assert _told(desk, _at(end, 0)) == ("denied", "ended")


def test_nothing_new_writes_nothing(desk: Desk, jonas: Clerk, permit_id: int) -> None:
    before = _rows(desk)
    for hours in (0, 1, 5):
        with desk.store.writing() as session:
            assert refresh_public_rows(session, desk, permit_id, jonas.occasion(hours=hours)) == 0
    assert _rows(desk) == before


def test_a_corrected_plate_answers_from_then_on(desk: Desk, jonas: Clerk, permit_id: int) -> None:
    with desk.store.reading() as session:
        vehicle = session.scalars(select(vehicles.Vehicle)).one()
    vehicles.update_vehicle(jonas.occasion(hours=1), desk, vehicle.id, vehicle.version, {"plate": "RZT6B19"})
    assert _ask(desk, NOON, "RZT6B18")[0].authorized
    assert _ask(desk, NOON + timedelta(hours=1), "RZT6B18") == ()
    assert _ask(desk, NOON + timedelta(hours=1), "RZT6B19")[0].authorized


def test_a_later_permit_of_the_same_regime_speaks(desk: Desk, jonas: Clerk, permit_id: int) -> None:
    permits.end_permit(jonas.occasion(), desk, permit_id, 1, NOON.date(), "renuncia")
    with desk.store.reading() as session:
        vehicle_id = session.scalars(select(vehicles.Vehicle.id)).one()
    newer = factories.permit(
        desk.store, None, vehicle_id, number="0392", granted_on=date(2026, 12, 1), licence_until=date(2026, 12, 31)
    )
    with desk.store.writing() as session:
        refresh_public_rows(session, desk, newer, jonas.occasion(days=1))
    assert [each.card.number for each in _ask(desk, _at(date(2026, 12, 1)))] == ["0392"]
    assert [each.card.number for each in _ask(desk, _at(date(2027, 1, 5)))] == ["0392"], "both deny: the newest"
    assert [each.card.number for each in _ask(desk, NOON)] == ["0391"]


def test_one_block_for_each_authority(desk: Desk, jonas: Clerk, stranger: Clerk, permit_id: int) -> None:
    vehicle_id = factories.vehicle(desk, stranger)
    other = factories.permit(desk.store, None, vehicle_id, authority="outro", number="7", licence_until=None)
    with desk.store.writing() as session:
        refresh_public_rows(session, desk, other, stranger.occasion())
    found = {each.authority: each for each in _ask(desk, NOON)}
    assert {name: each.authorized for name, each in found.items()} == {"porto": True, "outro": False}


def test_the_look_up_is_one_select_until_an_act_changes_the_law(desk: Desk, permit_id: int) -> None:
    _ask(desk, NOON)
    said: list[str] = []

    def tell(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if statement.startswith("SELECT"):
            said.append(statement)

    event.listen(desk.store.read_engine, "before_cursor_execute", tell)
    _ask(desk, NOON)
    assert len(said) == 1
    with desk.store.writing() as session:
        session.add(
            IndexValue(
                authority="porto", key="custo", since=GRANTED, scaled=6, scale=0, unit="reais", act="Portaria 1",
                recorded_at=NOON, recorded_by="teste",
            )
        )  # fmt: skip
    _ask(desk, NOON)
    assert len(said) == 3
    _ask(desk, NOON)
    assert len(said) == 4


def test_a_rule_that_raises_makes_its_block_unavailable(
    desk: Desk, permit_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(given: Any, law: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(type(regime.status), "__call__", lambda self, given, law: broken(given, law))
    (answer,) = _ask(desk, NOON)
    assert (answer.state, answer.authorized, answer.card.number) == ("unavailable", None, "0391")


def test_a_regime_without_its_plugin_is_unavailable(desk: Desk, permit_id: int, store: Store, tmp_path: Path) -> None:
    config = factories.settings(tmp_path)
    bare_authorities = {code: replace(each, regimes=()) for code, each in config.authorities.items()}
    bare_config = replace(config, plugins=(), authorities=bare_authorities)
    bare = Desk(store, PluginHost.load(bare_config), bare_config, tmp_path)
    (answer,) = _ask(bare, NOON)
    assert (answer.state, answer.card.number, answer.label) == ("unavailable", "0391", regime.CODE)
    jonas = factories.clerk(store)
    with store.reading() as session:
        page = permits.permit_page(session, bare, "porto", permit_id, NOON)
        vehicle = session.scalars(select(vehicles.Vehicle)).one()
    assert (page.regime_loaded, page.number, page.vehicles[0].plate) == (False, "0391", "RZT6B18")
    vehicles.update_vehicle(jonas.occasion(), bare, vehicle.id, vehicle.version, {"colour": "Azul"})
    assert _ask(desk, NOON)[0].authorized


def _with_now(now: Callable[..., Any]) -> Any:
    return regime.module(registry_regimes=lambda: (replace(regime.REGIME, now=now),))


def test_the_facts_of_the_moment_and_their_failure(store: Store, tmp_path: Path) -> None:
    def now(card: Any, at: datetime, law: Any) -> tuple[NowFact, ...]:
        return (NowFact("mare", "Maré", f"às {at:%H:%M}", card.number),)

    def broken(card: Any, at: datetime, law: Any) -> tuple[NowFact, ...]:
        raise KeyError(card.plate)

    desk = factories.desk(store, tmp_path, _with_now(now))
    jonas = factories.clerk(store)
    made = factories.permit(store, factories.person(desk, jonas), factories.vehicle(desk, jonas))
    with store.writing() as session:
        refresh_public_rows(session, desk, made, jonas.occasion())
    (answer,) = _ask(desk, NOON)
    assert [(each.headline, each.detail) for each in answer.now] == [("às 12:00", "0391")]
    (failed,) = _ask(factories.desk(store, tmp_path, _with_now(broken)), NOON)
    assert failed.authorized and failed.now == () and failed.now_failed
    assert _ask(desk, _at(date(2027, 2, 1)))[0].now == ()


def test_rebuilding_answers_as_before_and_a_second_time_changes_nothing(
    desk: Desk, jonas: Clerk, permit_id: int
) -> None:
    restrictions.restrict_permit(
        jonas.occasion(), desk, permit_id, kind="suspension", since=date(2026, 12, 10), until=date(2026, 12, 20),
        reason="Auto 12",
    )  # fmt: skip
    days = [date(2026, 1, 9) + timedelta(days=step) for step in range(0, 420, 3)]
    before = [[(each.state, each.reasons) for each in _ask(desk, _at(day, 23))] for day in days]
    with desk.store.writing() as session:
        for row in session.scalars(select(PublicRow)):
            row.withdrawn_at = NOON
    assert _ask(desk, NOON) == ()
    read, moved = rebuild_public(desk, jonas.occasion(days=2))
    assert read == 1 and moved > 0
    assert [[(each.state, each.reasons) for each in _ask(desk, _at(day, 23))] for day in days] == before
    assert rebuild_public(desk, jonas.occasion(days=3)) == (1, 0)
    with desk.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(Permit)) == 1
