"""Several clerks at the same instant, with real threads: one wins, the others see it; numbers have no gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from io import BytesIO
from threading import Barrier, Thread
from typing import Any

from sqlalchemy import func, select

from registry.domain.identifiers import plate_key
from registry.services import (
    charges,
    corrections,
    credits,
    decisions,
    import_runs,
    import_undo,
    inspections,
    restrictions,
)
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, Refused, Stale
from registry.services.import_write import Written
from registry.services.legacy_debts import DebtInput, enter_debt
from registry.services.merging import kept_instead, undo
from registry.services.plates import PlateChange, change_plate
from registry.store.audit import verify
from registry.store.charges import Posting, Receipt
from registry.store.corrections import Merge
from registry.store.inspections import Inspection
from registry.store.people import Person
from registry.store.permits import Permit, PublicRow
from registry.store.requests import Decision
from registry.store.vehicles import Restriction, Vehicle
from tests import factories, regime
from tests.factories import NOON, Clerk
from tests.services import steps
from tests.services.imports.fleet import FLEET
from tests.services.merges import merged

PLATES = ("RZT6B18", "KKX2E41", "PGT4H87", "OYV4B22", "QYL5D81")


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Runs the acts in threads that start together; gives each one's result or error."""
    start = Barrier(len(acts))
    results: list[Any] = [None] * len(acts)

    def run(place: int) -> None:
        start.wait()
        try:
            results[place] = acts[place]()
        except Exception as error:
            results[place] = error

    threads = [Thread(target=run, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def _requests(desk: Desk, clerk: Clerk, make: Callable[..., int]) -> list[int]:
    return [
        make(
            desk,
            clerk,
            applicant_id=factories.person(desk, clerk, document),
            vehicle_id=factories.vehicle(desk, clerk, plate),
        )
        for document, plate in zip(factories.CPFS, PLATES, strict=True)
    ]


def test_permit_numbers_have_no_gap_and_no_twin(desk: Desk, jonas: Clerk) -> None:
    steps.appoint(desk, jonas)
    ids = _requests(desk, jonas, steps.ready)
    versions = {each: steps.version_of(desk, each) for each in ids}

    def grant(request_id: int) -> Callable[[], Any]:
        return lambda: decisions.decide(jonas.occasion(hours=2), desk, request_id, versions[request_id], "deferido")

    made = at_once(*(grant(each) for each in ids))
    assert sorted(each.permit_number for each in made) == ["0001", "0002", "0003", "0004", "0005"]
    assert sorted(each.licence_number for each in made) == [f"{number:04d}/2026" for number in range(1, 6)]
    with desk.store.reading() as session:
        keys = set(session.scalars(select(PublicRow.plate_key)))
        assert keys == {plate_key(plate) for plate in PLATES}
        assert verify(session).intact


def test_of_two_directors_one_decides_and_the_other_sees_it(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    for each in (jonas, rita):
        steps.appoint(desk, each)
    request_id = steps.ready(desk, jonas)
    version = steps.version_of(desk, request_id)
    results = at_once(
        lambda: decisions.decide(jonas.occasion(hours=2), desk, request_id, version, "deferido"),
        lambda: decisions.decide(rita.occasion(hours=2), desk, request_id, version, "indeferido", "Não."),
    )
    (won,) = [each for each in results if isinstance(each, decisions.DecisionMade)]
    (lost,) = [each for each in results if isinstance(each, AlreadyDone)]
    assert lost.result.id == won.id and lost.result.result == won.result
    with desk.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(Decision)) == 1
        assert session.scalar(select(func.count()).select_from(Permit)) == (1 if won.result == "deferido" else 0)


def test_a_charge_is_paid_once(desk: Desk, jonas: Clerk) -> None:
    request_id = factories.filed(desk, jonas)
    (charge_id,) = steps.open_charges(desk, request_id)
    pay = [lambda: charges.receive_payment(jonas.occasion(), desk, [charge_id], NOON.date(), "pix") for _ in range(5)]
    results = at_once(*pay)
    assert sum(isinstance(each, int) for each in results) == 1
    assert sum(isinstance(each, Refused) and "já foi paga" in each.message for each in results) == 4
    with desk.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(Posting)) == 1
        assert list(session.scalars(select(Receipt.number))) == ["2026/000001"]


def test_a_double_click_is_one_payment(desk: Desk, jonas: Clerk) -> None:
    request_id = factories.filed(desk, jonas)
    (charge_id,) = steps.open_charges(desk, request_id)
    click = [
        lambda: charges.receive_payment(jonas.occasion(once_key="k"), desk, [charge_id], NOON.date(), "pix")
        for _ in range(4)
    ]
    assert len(set(at_once(*click))) == 1


def test_seals_have_no_gap_and_a_repeated_end_gives_the_first(desk: Desk, jonas: Clerk) -> None:
    booked = []
    for request_id in _requests(desk, jonas, factories.filed):
        steps.pay(desk, jonas, request_id)
        inspection_id = steps.book(desk, jonas, request_id)
        booked.append((inspection_id, steps.mark_all(desk, jonas, inspection_id)))

    def conclude(inspection_id: int, version: int) -> Callable[[], Any]:
        return lambda: inspections.conclude_inspection(jonas.occasion(), desk, inspection_id, version)

    results = at_once(*(conclude(*each) for each in booked for _ in range(2)))
    seals = [each.seal if isinstance(each, inspections.Concluded) else each.result.seal for each in results]
    assert sorted(set(seals)) == [f"{number:06d}" for number in range(1, 6)]
    with desk.store.reading() as session:
        assert sorted(session.scalars(select(Inspection.seal))) == [f"{number:06d}" for number in range(1, 6)]


def test_one_vehicle_comes_under_one_permit(desk: Desk, jonas: Clerk) -> None:
    steps.appoint(desk, jonas)
    vehicle_id = factories.vehicle(desk, jonas)
    ids = []
    for document in factories.CPFS[:2]:
        ids.append(
            steps.ready(desk, jonas, applicant_id=factories.person(desk, jonas, document), vehicle_id=vehicle_id)
        )
    versions = {each: steps.version_of(desk, each) for each in ids}
    results = at_once(
        *(
            lambda each=each: decisions.decide(jonas.occasion(hours=2), desk, each, versions[each], "deferido")
            for each in ids
        )
    )
    assert sum(isinstance(each, decisions.DecisionMade) for each in results) == 1
    (refused,) = [each for each in results if isinstance(each, Refused)]
    assert "já está na permissão nº 0001" in refused.message


def test_of_merges_of_the_same_people_one_is_made(desk: Desk, jonas: Clerk) -> None:
    """Each into the other, and both into a third: nobody ends up in a circle or twice elsewhere."""
    ana, bia, eva = (factories.person(desk, jonas, factories.CPFS[place], "ABC"[place]) for place in range(3))
    pairs = [(ana, bia), (bia, ana), (eva, ana), (eva, bia), (ana, eva)]
    made = at_once(*(lambda pair=pair: merged(desk, jonas, "person", *pair) for pair in pairs))
    assert all(isinstance(each, int | Refused | Stale) for each in made), made
    with desk.store.reading() as session:
        gone = list(session.scalars(select(Merge.gone_id)))
        living = set(session.scalars(select(Person.id).where(Person.ended_at.is_(None))))
        assert len(set(gone)) == len(gone) >= 1
        assert living == {ana, bia, eva} - set(gone)
        assert {kept_instead(session, factories.PORT, "person", each) for each in gone} <= living
        assert verify(session).intact


def test_a_merge_is_undone_once(desk: Desk, jonas: Clerk) -> None:
    ana, bia = factories.person(desk, jonas), factories.person(desk, jonas, factories.CPFS[1], "Ana Limma")
    made = merged(desk, jonas, "person", ana, bia)
    results = at_once(*[lambda: undo(jonas.occasion(), desk, made, "Eram duas")] * 3)
    assert sorted(type(each).__name__ for each in results) == ["AlreadyDone", "AlreadyDone", "int"]


def test_one_car_gets_a_plate(desk: Desk, jonas: Clerk) -> None:
    cars = [factories.vehicle(desk, jonas, plate) for plate in PLATES[:3]]
    change = PlateChange("QYM1A23", NOON.date(), "Clonagem")
    made = at_once(*(lambda car=car: change_plate(jonas.occasion(), desk, car, 1, change) for car in cars))
    assert sorted(type(each).__name__ for each in made) == ["Refused", "Refused", "int"]


def test_a_run_is_written_once(desk: Desk, jonas: Clerk) -> None:
    now = jonas.occasion()
    run = import_runs.start(now, desk, "vehicles", BytesIO(FLEET.encode()), "frota.csv", regime.CODE)
    made = at_once(*[lambda: import_runs.perform(now, desk, run)] * 3)
    assert [isinstance(each, Written) for each in made].count(True) == 1, made
    assert all(isinstance(each, Written | AlreadyDone | Refused) for each in made), made
    assert import_runs.run_state(now, desk, run).state == "gravado"
    results = at_once(*[lambda: import_undo.undo(now, desk, run, "Frota de outro ano")] * 3)
    assert [isinstance(each, AlreadyDone | Refused) for each in results].count(True) == 2, results
    with desk.store.reading() as session:
        assert not session.scalars(select(Vehicle.id).where(Vehicle.ended_at.is_(None))).all()
        assert verify(session).intact


def test_two_files_of_the_same_cars_bring_each_in_once(desk: Desk, jonas: Clerk) -> None:
    now = jonas.occasion()
    runs = [
        import_runs.start(now, desk, "vehicles", BytesIO(data), f"{place}.csv", regime.CODE)
        for place, data in enumerate((FLEET.encode(), FLEET.encode() + b"\n"))
    ]
    made = at_once(*(lambda run=run: import_runs.perform(now, desk, run) for run in runs))
    assert any(isinstance(each, Written) for each in made), made
    assert all(isinstance(each, Written | Refused) for each in made), made
    with desk.store.reading() as session:
        plates = list(session.scalars(select(Vehicle.plate_key).where(Vehicle.ended_at.is_(None))))
        assert len(plates) == len(set(plates)) > 0


def test_a_wrong_row_is_corrected_once(desk: Desk, jonas: Clerk) -> None:
    boat = factories.vehicle(desk, jonas)
    order = replace(jonas.occasion(), office=steps.OFFICE)
    bar = restrictions.restrict_vehicle(
        order, desk, boat, regime=regime.CODE, kind="seizure", since=NOON.date(), reason="Auto 12"
    )
    with desk.store.reading() as session:
        wrong = corrections.wrong_row(session, desk, factories.PORT, "restriction", bar)
    right = {**wrong.values, "bar_reason": "Auto 21"}

    def fix() -> int:
        return corrections.correct(order, desk, "restriction", bar, wrong.stamp, right, reason="Número trocado")

    made = at_once(fix, fix, fix)
    assert sorted(type(each).__name__ for each in made) == ["AlreadyDone", "AlreadyDone", "int"]
    with desk.store.reading() as session:
        assert session.scalar(select(func.count()).where(Restriction.voided_at.is_(None))) == 1


def test_what_was_paid_too_much_pays_once(desk: Desk, jonas: Clerk) -> None:
    ana = factories.person(desk, jonas)
    debts = [
        enter_debt(
            jonas.occasion(), desk, ana, DebtInput(regime.CODE, "fine", Decimal(10), NOON.date(), "Antigo", f"Auto {n}")
        )
        for n in range(4)
    ]
    paid = charges.receive_payment(jonas.occasion(), desk, debts[:1], NOON.date(), "pix", Decimal(20))
    made = at_once(*(lambda debt=debt: credits.use_credit(jonas.occasion(), desk, debt) for debt in debts[1:]))
    assert sorted(type(each).__name__ for each in made) == ["Refused", "Refused", "int"], (paid, made)
