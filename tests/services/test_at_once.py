"""Several clerks at the same instant, with real threads: one wins, the others see it; numbers have no gaps."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

from sqlalchemy import func, select

from registry.domain.identifiers import plate_key
from registry.services import charges, decisions, inspections
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, Refused
from registry.store.audit import verify
from registry.store.charges import Posting, Receipt
from registry.store.inspections import Inspection
from registry.store.permits import Permit, PublicRow
from registry.store.requests import Decision
from tests import factories
from tests.factories import NOON, Clerk
from tests.services import steps

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
