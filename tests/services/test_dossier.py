from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from registry.domain.dossier import Dossier
from registry.services.charges import receive_payment
from registry.services.desk import Desk
from registry.services.dossier import findings, load_dossier, load_dossiers
from registry.services.errors import NotFound, RuleDown
from registry.services.request_page import request_page
from registry.services.requests import open_request
from registry.services.restrictions import restrict_permit, restrict_vehicle, void_restriction
from registry.services.waits import open_exigencia
from registry.services.worklist import worklist
from registry.store.acts import IndexValue
from registry.store.engine import Store
from registry.store.permits import PermitVehicle
from tests import factories, regime
from tests.factories import CPFS, NOON, PORT, Clerk
from tests.regime import CODE

TODAY = date(2026, 11, 30)


@contextmanager
def counting(session: Session) -> Iterator[list[str]]:
    """The statements that the session sends."""
    sent: list[str] = []

    def listen(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if not statement.startswith("BEGIN"):
            sent.append(statement)

    engine = session.get_bind().engine
    event.listen(engine, "before_cursor_execute", listen)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", listen)


def loaded(desk: Desk, days: int = 0, **subject: int) -> Dossier:
    with desk.store.reading() as session:
        return load_dossier(session, desk, PORT, CODE, NOON + timedelta(days=days), **subject)


def test_a_permits_dossier_stands_as_of_its_day(desk: Desk, jonas: Clerk) -> None:
    ana, boat = factories.person(desk, jonas), factories.vehicle(desk, jonas)
    permit = factories.permit(desk.store, ana, boat, ended_on=date(2026, 12, 1))
    factories.inspection(desk.store, boat, done_on=date(2026, 11, 30))
    dossier = loaded(desk, permit_id=permit)
    assert dossier.holder is not None and dossier.holder.name == "Ana Lima"
    assert dossier.vehicle is not None and dossier.vehicle.plate == "RZT6B18"
    assert dossier.permit is not None
    assert [dossier.permit.live(day) for day in (TODAY, date(2026, 12, 1))] == [True, False]
    assert dossier.permit.vehicle_plates == ("RZT6B18",)
    assert dossier.licence is not None and dossier.licence.valid_until == date(2027, 1, 9)
    assert dossier.inspection is not None and dossier.inspection.on == TODAY
    assert loaded(desk, days=-1, permit_id=permit).inspection is None


def test_the_day_is_the_authoritys(desk: Desk, jonas: Clerk) -> None:
    permit = factories.permit(desk.store, factories.person(desk, jonas), factories.vehicle(desk, jonas))
    with desk.store.reading() as session:
        late = load_dossier(session, desk, PORT, CODE, NOON + timedelta(hours=11, minutes=30), permit_id=permit)
    assert late.on == TODAY  # 02:30 in UTC on 1 December


def test_counts_are_of_live_permits_of_this_authority(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    ana = factories.person(desk, jonas)
    for number, plate, category, ended_on in (
        ("1", "KGA1231", "comum", None),
        ("2", "KGA1232", "turismo", None),
        ("3", "KGA1233", "comum", TODAY),
        ("4", "KGA1234", "comum", TODAY + timedelta(days=1)),
    ):
        boat = factories.vehicle(desk, jonas, plate)
        last = factories.permit(desk.store, ana, boat, number=number, category=category, ended_on=ended_on)
    theirs = factories.vehicle(desk, stranger)
    factories.permit(desk.store, factories.person(desk, stranger), theirs, authority=factories.OTHER, number="1")
    dossier = loaded(desk, permit_id=last)
    assert dossier.counts == {"live_permits": 3, "live_permits:comum": 2, "live_permits:turismo": 1}
    assert [each.number for each in dossier.permits] == ["1", "2", "3", "4"]
    assert [each.plate for each in dossier.fleet] == ["KGA1231", "KGA1232"]


def test_drivers_and_copies_do_not_multiply_rows(desk: Desk, jonas: Clerk) -> None:
    ana = factories.person(desk, jonas)
    boats = [factories.vehicle(desk, jonas, plate) for plate in ("KGA1231", "KGA1232")]
    permit = factories.permit(desk.store, ana, boats[0])
    with desk.store.writing() as session:
        session.add(PermitVehicle(permit_id=permit, vehicle_id=boats[1], since=date(2026, 2, 1)))
    for _ in range(3):
        factories.inspection(desk.store, boats[0])
    dossier = loaded(desk, permit_id=permit, vehicle_id=boats[0])
    assert (len(dossier.permits), len(dossier.inspections), len(dossier.fleet)) == (1, 3, 1)
    assert dossier.counts["live_permits"] == 1


def test_a_vehicle_finds_the_permit_that_has_it_now_else_the_last(desk: Desk, jonas: Clerk) -> None:
    ana, ivo = factories.person(desk, jonas), factories.person(desk, jonas, CPFS[1], "Ivo")
    boat = factories.vehicle(desk, jonas)
    old = factories.permit(desk.store, ana, boat, number="1", ended_on=date(2026, 3, 1))
    assert loaded(desk, vehicle_id=boat).permit == loaded(desk, permit_id=old).permit
    new = factories.permit(desk.store, ivo, boat, number="2", granted_on=date(2026, 3, 1))
    permit = loaded(desk, vehicle_id=boat).permit
    assert permit is not None and permit.id == new


def test_bars_count_in_their_days_and_voided_ones_never(desk: Desk, jonas: Clerk) -> None:
    boat = factories.vehicle(desk, jonas)
    permit = factories.permit(desk.store, factories.person(desk, jonas), boat)
    restrict_vehicle(
        jonas.occasion(),
        desk,
        boat,
        regime=CODE,
        kind="suspension",
        since=TODAY,
        until=TODAY + timedelta(days=1),
        reason="x",
    )
    seen = [loaded(desk, days=days, permit_id=permit).restricted("suspension") for days in (-1, 0, 1, 2)]
    assert [each is not None for each in seen] == [False, True, True, False]
    bar = restrict_permit(jonas.occasion(), desk, permit, kind="off_road", since=TODAY, reason="y")
    assert loaded(desk, days=30, permit_id=permit).restricted("off_road") is not None
    void_restriction(jonas.occasion(minutes=1), desk, bar, "engano")
    assert loaded(desk, days=30, permit_id=permit).restricted("off_road") is None


def test_a_debt_is_overdue_the_day_after_and_paid_with_its_day(desk: Desk, jonas: Clerk) -> None:
    made = factories.filed(desk, jonas)
    debtor = loaded(desk, request_id=made).holder
    assert debtor is not None
    fine = factories.debt(desk.store, debtor.id, TODAY)
    states = [
        next(each.state for each in loaded(desk, days=days, request_id=made).debts if each.charge_id == fine)
        for days in (0, 1)
    ]
    assert states == ["open", "overdue"]
    factories.settle(desk.store, made, on_day=date(2026, 11, 29))
    fee = next(each for each in loaded(desk, request_id=made).debts if each.charge_id != fine)
    assert (fee.state, fee.amount, fee.paid_on) == ("paid", Decimal("200.00"), date(2026, 11, 29))


def owed(desk: Desk, debt_id: int, days: int = 0, **subject: int) -> Decimal | None:
    return next(each.amount for each in loaded(desk, days=days, **subject).debts if each.charge_id == debt_id)


def test_an_open_debt_has_the_amount_of_the_dossiers_day(desk: Desk, jonas: Clerk) -> None:
    ana = factories.person(desk, jonas)
    permit = factories.permit(desk.store, ana, factories.vehicle(desk, jonas))
    debt = factories.debt(desk.store, ana, TODAY, **factories.LISTED)
    with desk.store.writing() as session:
        session.add(
            IndexValue(
                authority=PORT,
                key="custo",
                since=date(2026, 12, 1),
                scaled=51374,
                scale=4,
                unit="reais",
                act="Portaria 1",
                recorded_at=NOON,
                recorded_by="Rita",
            )
        )
    amounts = [owed(desk, debt, days, permit_id=permit) for days in (-1, 0, 1)]
    assert amounts == [Decimal("500.00"), Decimal("500.00"), Decimal("513.74")]


def test_what_was_paid_is_no_longer_owed(desk: Desk, jonas: Clerk) -> None:
    ana = factories.person(desk, jonas)
    permit = factories.permit(desk.store, ana, factories.vehicle(desk, jonas))
    debt = factories.debt(desk.store, ana, TODAY, **factories.LISTED)
    receive_payment(jonas.occasion(), desk, [debt], TODAY, "pix", Decimal("150.00"))
    assert owed(desk, debt, permit_id=permit) == Decimal("350.00")
    assert owed(desk, debt, -1, permit_id=permit) == Decimal("500.00")


@pytest.mark.parametrize(
    "fault",
    [
        {"plan": "multa"},
        {"question": "gone"},
        {"plugin": "gone"},
        {"given": {"quantity": "a dozen", "on": "2026-11-30"}},
        {"given": {"quantity": 100, "on": "1999-12-31"}, "day_fields": []},
    ],
    ids=("no such fee", "no such question", "no such plugin", "rule fails", "no value in force"),
)
def test_a_debt_stands_without_an_amount_that_cannot_be_asked(desk: Desk, jonas: Clerk, fault: dict[str, Any]) -> None:
    ana = factories.person(desk, jonas)
    permit = factories.permit(desk.store, ana, factories.vehicle(desk, jonas))
    known = factories.debt(desk.store, ana, TODAY, **factories.LISTED)
    debt = factories.debt(desk.store, ana, TODAY, **{**factories.LISTED, **fault})
    states = {each.charge_id: (each.state, each.amount) for each in loaded(desk, days=1, permit_id=permit).debts}
    assert states == {known: ("overdue", Decimal("500.00")), debt: ("overdue", None)}


def test_more_debts_take_no_more_queries(desk: Desk, jonas: Clerk) -> None:
    ana = factories.person(desk, jonas)
    permit = factories.permit(desk.store, ana, factories.vehicle(desk, jonas))
    counts = []
    for debts in (1, 4):
        for _ in range(debts):
            factories.debt(desk.store, ana, TODAY, **factories.LISTED)
        with desk.store.reading() as session:
            desk.law(session, PORT, regime.NAME)
            with counting(session) as sent:
                load_dossiers(session, desk, PORT, CODE, NOON, [(permit, None)])
        counts.append(len(sent))
    assert counts[0] == counts[1], counts


def test_the_inspection_that_is_judged_is_the_one_named(desk: Desk, jonas: Clerk) -> None:
    boat = factories.vehicle(desk, jonas)
    permit = factories.permit(desk.store, factories.person(desk, jonas), boat)
    factories.inspection(desk.store, boat)
    judged = factories.inspection(
        desk.store,
        boat,
        state="marcada",
        done_on=None,
        items={"casco": {"result": "falha"}, "coletes": {"result": "na"}, "luz": {"result": "ok"}},
    )
    dossier = loaded(desk, permit_id=permit, inspection_id=judged)
    assert dossier.inspection is not None
    assert (dossier.inspection.failed, dossier.inspection.not_applicable, dossier.inspection.passed) == (
        ("casco",),
        ("coletes",),
        None,
    )
    with pytest.raises(NotFound):
        loaded(desk, permit_id=permit, inspection_id=judged + 99)


def test_what_another_authority_has_does_not_exist(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    boat = factories.vehicle(desk, jonas)
    permit = factories.permit(desk.store, factories.person(desk, jonas), boat)
    made = open_request(jonas.occasion(), desk, CODE, "novo")
    theirs = stranger.occasion()
    with desk.store.reading() as session:
        for subject in ({"permit_id": permit}, {"vehicle_id": boat}, {"request_id": made}):
            with pytest.raises(NotFound):
                load_dossier(session, desk, factories.OTHER, CODE, NOON, **subject)
        with pytest.raises(NotFound):
            request_page(session, desk, theirs, made)


def test_many_dossiers_cost_as_many_queries_as_one(desk: Desk, jonas: Clerk) -> None:
    ana = factories.person(desk, jonas)
    pairs: list[tuple[int | None, int | None]] = []
    for number in range(6):
        boat = factories.vehicle(desk, jonas, f"KGA123{number}")
        pairs.append((factories.permit(desk.store, ana, boat, number=str(number)), boat))
    with desk.store.reading() as session:
        with counting(session) as one:
            load_dossiers(session, desk, PORT, CODE, NOON, pairs[:1])
        with counting(session) as many:
            dossiers = load_dossiers(session, desk, PORT, CODE, NOON, pairs)
    assert [each.vehicle.plate for each in dossiers if each.vehicle] == [f"KGA123{number}" for number in range(6)]
    assert len(many) <= len(one)


def test_pages_leave_room_under_the_limit_of_twelve_queries(desk: Desk, jonas: Clerk) -> None:
    made = factories.filed(desk, jonas)
    factories.attach(desk, jonas, made, "antecedentes")
    open_exigencia(jonas.occasion(), desk, made, "x")
    with desk.store.reading() as session, counting(session) as request:
        page = request_page(session, desk, jonas.occasion(), made)
    assert page.applicant is not None and page.vehicle is not None
    with desk.store.reading() as session, counting(session) as home:
        worklist(session, desk, jonas.occasion(), "comigo")
    counts = {"request": len(request), "home": len(home)}
    assert max(counts.values()) <= 9, (counts, request)  # the user, the plugins' facts and appointments come on top


def test_a_plugins_own_facts_are_in_the_dossier_and_its_rules_among_the_findings(store: Store, tmp_path: Path) -> None:
    def supplied(session: Any, dossier: Dossier) -> dict[str, Any]:
        return {"berth": dossier.vehicle.plate if dossier.vehicle else ""}

    def strict(regime: str, request_kind: str) -> list[Any]:
        from dataclasses import replace

        from tests.regime import REGIME

        return [replace(REGIME.request_kind("novo").rules[0], title="Lotação da cidade")]

    desk = factories.desk(store, tmp_path, regime.module(registry_dossier_facts=supplied, registry_rules=strict))
    jonas = factories.clerk(store)
    made = factories.draft(desk, jonas)
    dossier = loaded(desk, request_id=made)
    assert dossier.plugin_facts == {"ensaio": {"berth": "RZT6B18"}}
    with desk.store.reading() as session:
        found = findings(dossier, desk, session, PORT, "novo")
    assert [each.rule for each in found] == ["Débitos", "Lotação", "Documentos", "Vistoria", "Lotação da cidade"]


def test_a_plugin_that_fails_to_supply_makes_the_dossier_impossible(store: Store, tmp_path: Path) -> None:
    def broken(session: Any, dossier: Dossier) -> dict[str, Any]:
        raise KeyError("berth")

    desk = factories.desk(store, tmp_path, regime.module(registry_dossier_facts=broken))
    boat = factories.vehicle(desk, factories.clerk(store))
    permit = factories.permit(store, None, boat)
    with pytest.raises(RuleDown):
        loaded(desk, permit_id=permit)


def test_the_law_takes_the_index_values_of_its_authority_and_the_later_entry_of_a_day(desk: Desk) -> None:
    def value(scaled: int, since: date, minutes: int, authority: str = PORT) -> IndexValue:
        return IndexValue(
            authority=authority,
            key="custo",
            since=since,
            scaled=scaled,
            scale=4,
            unit="reais",
            act=f"Portaria {minutes}",
            recorded_at=NOON + timedelta(minutes=minutes),
            recorded_by="Rita",
        )

    with desk.store.writing() as session:
        session.add_all(
            [
                value(51374, date(2026, 7, 1), 0),
                value(52012, date(2026, 12, 1), 1),
                value(52013, date(2026, 12, 1), 2),
                value(99999, date(2026, 1, 1), 3, factories.OTHER),
            ]
        )
    with desk.store.reading() as session:
        law = desk.law(session, PORT, regime.NAME)
    days = (date(2026, 6, 30), date(2026, 7, 1), date(2026, 11, 30), date(2026, 12, 1))
    assert [law.index("custo", day).decimal for day in days] == [
        Decimal("5.00"),
        Decimal("5.1374"),
        Decimal("5.1374"),
        Decimal("5.2013"),
    ]
    assert law.index("custo", days[-1]).act == "Portaria 2"


def test_a_law_read_once_is_read_anew_after_a_change(desk: Desk) -> None:
    with desk.store.writing() as session:
        assert desk.law(session, PORT, regime.NAME) is desk.law(session, PORT, regime.NAME)
        session.add(
            IndexValue(
                authority=PORT,
                key="custo",
                since=TODAY,
                scaled=7,
                scale=0,
                unit="reais",
                act="Portaria",
                recorded_at=NOON,
                recorded_by="Rita",
            )
        )
        session.flush()
        desk.forget_law(session)
        assert desk.law(session, PORT, regime.NAME).index("custo", TODAY).decimal == 7
