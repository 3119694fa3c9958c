"""Index values and closed days: by act, from a day, with what they move shown before."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from registry.services import decisions, indexes
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused
from tests import factories, regime
from tests.factories import Clerk
from tests.services import steps

TODAY = date(2026, 11, 30)


def _enter(desk: Desk, by: Clerk, since: date, value: str, **more: object) -> int:
    return indexes.enter_index_value(
        by.occasion(), desk, "custo", since, Decimal(value), "Portaria 112/2026", **more  # type: ignore[arg-type]
    )  # fmt: skip


def _line(desk: Desk, on: date = TODAY) -> indexes.IndexLine:
    with desk.store.reading() as session:
        (line,) = indexes.index_page(session, desk, "porto", on)
        return line


@pytest.mark.parametrize(
    ("on", "value", "act"),
    [
        (date(2026, 11, 30), "5.00", ""),
        (date(2026, 12, 1), "5.1374", "Portaria 112/2026"),
        (date(2027, 1, 1), "5.1374", "Portaria 112/2026"),
    ],
)
def test_a_value_holds_from_its_first_day(desk: Desk, jonas: Clerk, on: date, value: str, act: str) -> None:
    _enter(desk, jonas, date(2026, 12, 1), "5.1374")
    line = _line(desk, on)
    assert line.in_force is not None
    assert (line.in_force.value, line.in_force.act, line.cite) == (value, act, "Art. 4º")
    assert (line.next is not None) is (on < date(2026, 12, 1))
    assert [(each.value, each.by, each.in_force) for each in line.entries] == [(Decimal("5.1374"), "Jonas", bool(act))]


@pytest.mark.parametrize("statement", ["update index_value set scaled = 1", "delete from index_value"])
def test_the_database_refuses_to_change_a_value(desk: Desk, jonas: Clerk, statement: str) -> None:
    _enter(desk, jonas, date(2026, 12, 1), "5.1374")
    with pytest.raises(IntegrityError, match="never changed or removed"), desk.store.writing() as session:
        session.execute(text(statement))


def test_a_value_moves_only_the_open_charges_of_its_days(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    request_id = factories.filed(desk, jonas)
    with desk.store.reading() as session:
        told = indexes.touched(session, desk, "porto", "custo", date(2026, 12, 1), Decimal("5.2"), TODAY)
        same = indexes.touched(session, desk, "porto", "custo", date(2026, 12, 1), Decimal("5.00"), TODAY)
        other = indexes.touched(session, desk, "outro", "custo", date(2026, 12, 1), Decimal("5.2"), TODAY)
    assert (told.charges, told.charges_pt, told.decisions) == (1, "Muda 1 taxa em aberto.", ())
    assert same.charges == other.charges == 0
    _enter(desk, jonas, date(2026, 12, 1), "5.2")
    with desk.store.reading() as session:
        amounts = [
            charges_line.amount.amount
            for day in (TODAY, date(2026, 12, 1))
            for charges_line in steps.charges.charges_of_request(session, desk, "porto", request_id, day)
            if charges_line.amount
        ]
    assert amounts == [Decimal("200.00"), Decimal("208.00")]


def test_a_past_first_day_is_confirmed_with_what_it_moves(desk: Desk, jonas: Clerk) -> None:
    factories.filed(desk, jonas)
    with pytest.raises(Refused) as refused:
        _enter(desk, jonas, date(2026, 11, 29), "5.5")
    assert refused.value.confirm == {"since"}
    assert refused.value.fields["since"] == (
        "O início está no passado (29/11/2026). Muda 1 taxa em aberto. Confirme para gravar."
    )
    assert _enter(desk, jonas, date(2026, 11, 29), "5.5", confirmed=True)
    assert _enter(desk, jonas, TODAY, "5.6")


def test_decisions_that_used_the_value_are_named(desk: Desk, jonas: Clerk) -> None:
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    decisions.decide(jonas.occasion(hours=2), desk, request_id, steps.version_of(desk, request_id), "deferido")
    with desk.store.reading() as session:
        assert indexes._decisions_using(session, "porto", regime.NAME, "seats.min", TODAY) == (
            (request_id, "2026/000001"),
        )
        assert indexes._decisions_using(session, "porto", regime.NAME, "seats.min", date(2026, 12, 1)) == ()
        assert indexes._decisions_using(session, "porto", regime.NAME, "custo", TODAY) == ()


def test_a_second_value_for_one_day_is_confirmed_and_replaces(desk: Desk, jonas: Clerk) -> None:
    _enter(desk, jonas, date(2026, 12, 1), "5.1")
    with pytest.raises(Refused) as refused:
        indexes.enter_index_value(
            jonas.occasion(hours=1), desk, "custo", date(2026, 12, 1), Decimal("5.2"), "Portaria 113/2026"
        )
    assert refused.value.fields["since"].startswith("Já há 5,1 a partir deste dia (Portaria 112/2026).")
    indexes.enter_index_value(
        jonas.occasion(hours=1), desk, "custo", date(2026, 12, 1), Decimal("5.2"), "Portaria 113/2026", confirmed=True
    )
    line = _line(desk, date(2026, 12, 1))
    assert line.in_force is not None and line.in_force.value == "5.2"
    assert [(each.value, each.in_force, each.replaced) for each in line.entries] == [
        (Decimal("5.2"), True, False),
        (Decimal("5.1"), False, True),
    ]


@pytest.mark.parametrize("later", [0, -1])
def test_two_values_at_one_instant_or_with_the_clock_set_back_stand_in_their_order(
    desk: Desk, jonas: Clerk, later: int
) -> None:
    day = date(2026, 12, 1)
    for hours, value in ((0, "5.1"), (later, "5.2"), (later, "5.3")):
        occasion = jonas.occasion(hours=hours)
        indexes.enter_index_value(occasion, desk, "custo", day, Decimal(value), "Portaria 1/2026", confirmed=True)
    line = _line(desk, day)
    assert line.in_force is not None and line.in_force.value == "5.3"
    assert [each.value for each in line.entries] == [Decimal("5.3"), Decimal("5.2"), Decimal("5.1")]


@pytest.mark.parametrize(
    ("value", "act", "field"),
    [
        (Decimal(0), "Portaria 1", "value"),
        (Decimal(-1), "Portaria 1", "value"),
        (Decimal("NaN"), "Portaria 1", "value"),
        (Decimal("5.12345"), "Portaria 1", "value"),
        (Decimal("1e12"), "Portaria 1", "value"),
        (Decimal("5.1"), "  ", "act"),
    ],
)
def test_a_value_that_cannot_be_is_refused(desk: Desk, jonas: Clerk, value: Decimal, act: str, field: str) -> None:
    with pytest.raises(Refused) as refused:
        indexes.enter_index_value(jonas.occasion(), desk, "custo", TODAY, value, act)
    assert set(refused.value.fields) == {field}
    with pytest.raises(NotFound):
        indexes.enter_index_value(jonas.occasion(), desk, "ufr", TODAY, Decimal(1), "Portaria 1")


def test_a_closed_day_enters_the_calendar_of_its_authority(desk: Desk, jonas: Clerk) -> None:
    day = date(2026, 12, 1)
    indexes.close_day(jonas.occasion(), desk, day, "Luto oficial", "Decreto 1/2026")
    with pytest.raises(Refused, match="já está fechado: Luto oficial"):
        indexes.close_day(jonas.occasion(), desk, day, "Outra", "Decreto 2/2026")
    with pytest.raises(Refused) as refused:
        indexes.close_day(jonas.occasion(), desk, day, "", "")
    assert set(refused.value.fields) == {"name", "act"}
    with desk.store.reading() as session:
        assert not desk.calendar(session, "porto").is_business_day(day)
        assert desk.calendar(session, "outro").is_business_day(day)
        assert [line.name for line in indexes.closures(session, "porto")] == ["Luto oficial"]
