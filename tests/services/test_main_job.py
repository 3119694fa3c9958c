"""The main job of both regimes, from the person to the public answer, in each regime's own order, on both engines."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import select

from registry.services import (
    charges,
    decisions,
    indexes,
    requests,
    vehicles,
)
from registry.services.authorities import enter_authorities
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, Refused
from registry.services.inspection_pages import inspection_page
from registry.services.public_rows import rebuild_public
from registry.services.replay import replay
from registry.store.audit import verify
from registry.store.charges import Charge
from registry.store.engine import Store
from registry.store.migrate import Migrations, of_plugins
from registry.store.requests import StoredVerdict
from tests.services.main_job import FRETAMENTO, HOST, SETTINGS, START, TAXI, Job, Office
from tests.services.test_at_once import at_once

JOBS = pytest.mark.parametrize("job", [FRETAMENTO, TAXI], ids=lambda job: job.regime)


@pytest.fixture
def store_plugins() -> tuple[Migrations, ...]:
    return of_plugins(HOST)


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> Desk:
    settings = replace(SETTINGS, var=tmp_path)
    with store.writing() as session:
        enter_authorities(session, settings)
    return Desk(store, HOST, settings, tmp_path / "files")


@pytest.fixture
def office(desk: Desk, job: Job) -> Office:
    return Office(desk, job)


@JOBS
def test_from_the_person_to_the_public_answer(office: Office, job: Job) -> None:
    office.appoint()
    request_id = office.open()
    progress = office.go_on(request_id)
    assert tuple(step.code for step in progress.outlook.steps) == job.order
    payments, bookings = office.acts.index("pay"), office.acts.index("book")
    assert (payments < bookings) is job.booking_first
    assert office.ask() == ()

    made = office.decide(request_id, "deferido")
    assert made.permit_number and made.licence_number and made.valid_until

    (answer,) = office.ask()
    assert answer.authorized, answer.reasons
    assert answer.card.number == made.permit_number and answer.card.valid_until
    assert tuple(fact.code for fact in answer.now) == job.now and not answer.now_failed
    assert all(ground.provision in HOST.plugins[job.regime].lawbook.provisions for ground in answer.grounds)
    with office.desk.store.reading() as session:
        assert verify(session).intact
        kinds = {row.subject for row in session.scalars(select(StoredVerdict))}
    assert kinds == {"decision", "inspection", "posting"}


VALIDITY = {
    "fretamento_rmr": {("inspection", "seal", "valid_through"), ("decision", "renewal", "valid_through")},
    "taxi_recife": {("inspection", "inspection_validity", "valid_until"), ("decision", "alvara", "valid_until")},
}


@JOBS
def test_every_question_that_was_asked_is_kept_and_answers_the_same_again(office: Office, job: Job) -> None:
    office.appoint()
    request_id = office.open()
    office.go_on(request_id)
    made = office.decide(request_id, "deferido")
    inspected = office.progress(request_id).case.inspections[-1]
    with office.desk.store.reading() as session:
        stored = session.scalars(select(StoredVerdict)).all()
        again = list(replay(session, office.desk))
    days = {"inspection": inspected.valid_until, "decision": made.valid_until}
    kept = {(each.subject, each.question): each for each in stored}
    for subject, question, field in VALIDITY[job.regime]:
        assert kept[subject, question].answer[field] == days[subject].isoformat()
        assert kept[subject, question].grounds
    assert {each.plugin_version for each in stored} == {HOST.plugins[job.regime].version}
    assert len(again) == len(stored)
    assert [each for each in again if each.changes or each.left_out] == []


@JOBS
def test_the_answer_turns_on_the_day_after_the_last(office: Office, job: Job) -> None:
    office.appoint()
    request_id = office.open()
    office.go_on(request_id)
    office.decide(request_id, "deferido")
    (answer,) = office.ask()
    last = answer.card.valid_until
    assert last is not None
    evening = datetime.combine(last, time(23, 59), tzinfo=office.zone)
    assert office.ask(evening)[0].authorized
    (after,) = office.ask(evening + timedelta(minutes=1))
    assert not after.authorized and after.reasons and all(reason.cite and reason.text for reason in after.reasons)
    before = [office.ask(evening + timedelta(days=day)) for day in (-30, 0, 1, 400)]
    read, _ = rebuild_public(office.desk, office.now())
    assert read == 1
    assert [office.ask(evening + timedelta(days=day)) for day in (-30, 0, 1, 400)] == before


@JOBS
def test_what_impedes_stops_the_grant_and_grounds_the_refusal(office: Office, job: Job) -> None:
    office.appoint()
    request_id = office.open(**job.breaking)
    requests.file_request(office.now(), office.desk, request_id)
    with pytest.raises(decisions.Impeded) as impeded:
        office.decide(request_id, "deferido")
    assert len(impeded.value.obstacles) > 1
    with office.desk.store.reading() as session:
        preview = decisions.decision_preview(session, office.desk, office.now(), request_id)
    assert preview.refusal_text.startswith("Indefiro, porque:") and "(Art" in preview.refusal_text
    made = office.decide(request_id, "indeferido", preview.refusal_text)
    assert made.permit_id is None and office.ask() == ()
    with pytest.raises(AlreadyDone):
        office.decide(request_id, "deferido")


@JOBS
def test_a_failed_inspection_gives_reasons_and_a_new_one_the_seal(office: Office, job: Job) -> None:
    office.appoint()
    request_id = office.open()
    progress = office.go_on(request_id, "inspect")
    with office.desk.store.reading() as session:
        items = inspection_page(session, office.desk, job.authority, progress.case.inspections[-1].id, office.at).items
    failed = office.inspect(request_id, **{items[0].item.code: "Quebrado"})
    assert not failed.passed and failed.reasons and failed.seal == ""
    assert office.progress(request_id).outlook.shown == "aguarda_vistoria"
    office.go_on(request_id)
    made = office.decide(request_id, "deferido")
    assert made.permit_number
    with office.desk.store.reading() as session:
        seals = [each.seal for each in office.progress(request_id).case.inspections if each.seal]
    assert seals == ["000001"]


@JOBS
def test_without_its_index_nothing_is_received_and_the_value_is_named(desk: Desk, job: Job) -> None:
    office = Office(desk, job, values_from=date(2026, 12, 1))
    request_id = office.open()
    requests.file_request(office.now(), office.desk, request_id)
    with office.desk.store.reading() as session:
        ids = list(session.scalars(select(Charge.id).where(Charge.request_id == request_id)))
    key = next(iter(job.indexes))
    label = HOST.plugins[job.regime].lawbook.indexes[key].label
    with pytest.raises(Refused, match="Não há") as refused:
        charges.receive_payment(office.now(), office.desk, ids, office.at.date(), "pix")
    assert f"«{label}» em vigor em 16/11/2026" in refused.value.message


def test_the_fees_of_the_charter_are_those_of_the_table(desk: Desk) -> None:
    office = Office(desk, FRETAMENTO)
    office.appoint()
    request_id = office.open()
    office.go_on(request_id)
    with desk.store.reading() as session:
        lines = charges.charges_of_request(session, desk, "emtu", request_id, office.at.date())
    assert sorted(str(line.paid) for line in lines) == sorted(FRETAMENTO.fees)


def test_a_holder_of_the_charter_has_one_number_and_a_term_for_each_vehicle(desk: Desk) -> None:
    office = Office(desk, FRETAMENTO)
    office.appoint()
    first_id = office.open()
    office.go_on(first_id)
    first = office.decide(first_id, "deferido")
    with desk.store.reading() as session:
        applicant = session.get_one(requests.Request, first_id).applicant_id
    second_vehicle = vehicles.create_vehicle(office.now(), desk, replace(FRETAMENTO.vehicle, plate="KKX2E41"))
    links = {"holder_kind": "PJ", "category": "fretamento", "applicant_id": applicant, "vehicle_id": second_vehicle}
    facts = {**FRETAMENTO.facts, "fleet_size": "2"}
    second_id = requests.open_request(office.now(), desk, "fretamento_rmr", "novo_termo", links=links, facts=facts)
    office.go_on(second_id)
    second = office.decide(second_id, "deferido")
    assert (second.permit_id, second.permit_number) == (first.permit_id, first.permit_number)
    assert (first.licence_number, second.licence_number) == ("0001/2026", "0002/2026")
    office.job = replace(FRETAMENTO, vehicle=replace(FRETAMENTO.vehicle, plate="KKX2E41"))
    (answer,) = office.ask()
    assert answer.authorized and answer.card.number == first.permit_number
    office.job = FRETAMENTO
    assert office.ask()[0].authorized


def test_the_last_place_goes_to_one(desk: Desk) -> None:
    """Art. 60: with room for one more taxi two grants at once give one permit."""
    office = Office(desk, TAXI)
    office.appoint()
    ids = [office.open()]
    office.go_on(ids[0])
    other = replace(
        TAXI,
        person=replace(TAXI.person, document="529.982.247-25", name="Bruno Melo"),
        vehicle=replace(TAXI.vehicle, plate="KKX2E41"),
    )
    office.job = other
    ids.append(office.open())
    office.go_on(ids[1])
    law_value = HOST.plugins["taxi_recife"].lawbook.value("quota.inhabitants_per_taxi", START.date())
    indexes.enter_index_value(
        office.now(), desk, "population", START.date(), Decimal(law_value.integer), "Censo", confirmed=True
    )
    versions = {each: office.progress(each).case.row.request.version for each in ids}
    moment = office.now()
    results = at_once(
        *(lambda each=each: decisions.decide(moment, desk, each, versions[each], "deferido") for each in ids)
    )
    assert sum(isinstance(each, decisions.DecisionMade) for each in results) == 1
    assert sum(isinstance(each, decisions.Impeded) for each in results) == 1
