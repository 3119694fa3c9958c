"""The main job of both regimes, from the person to the public answer, in each regime's own order, on both engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from registry import resources
from registry.domain.occasion import Occasion
from registry.plugins import PluginHost
from registry.services import (
    assignment,
    charges,
    decisions,
    documents,
    indexes,
    inspections,
    offices,
    people,
    requests,
    users,
    vehicles,
)
from registry.services.authorities import enter_authorities
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, Refused
from registry.services.inspection_pages import inspection_page
from registry.services.progress import Progress, progress_of
from registry.services.public_rows import rebuild_public
from registry.services.status import RegimeAnswer, answers
from registry.settings import load_settings
from registry.store.audit import verify
from registry.store.charges import Charge
from registry.store.engine import Store
from registry.store.migrate import Migrations, of_plugins
from registry.store.requests import RequestDocument, StoredVerdict
from tests.factories import PDF
from tests.services.test_at_once import at_once

START = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
PASSWORD = "uma senha comprida"
_SETTINGS = load_settings(resources.config(), {"REGISTRY_CONFIG": "recife.toml"})
_HOST = PluginHost.load(_SETTINGS)


@dataclass(frozen=True)
class Job:
    """One regime's new permit: who asks for which vehicle, what the form says, and what must come out."""

    authority: str
    regime: str
    kind: str
    holder_kind: str
    category: str
    person: people.PersonInput
    vehicle: vehicles.VehicleInput
    facts: Mapping[str, str]
    indexes: Mapping[str, str]
    order: tuple[str, ...]
    fees: tuple[str, ...]
    booking_first: bool
    now: tuple[str, ...] = ()
    breaking: Mapping[str, str] = field(default_factory=dict)


FRETAMENTO = Job(
    authority="emtu",
    regime="fretamento_rmr",
    kind="novo_termo",
    holder_kind="PJ",
    category="fretamento",
    person=people.PersonInput("company", "12.ABC.345/01DE-35", "Rota Viva Transportes Ltda."),
    vehicle=vehicles.VehicleInput(
        "RZT6B18", type="microonibus", make="Volare", model="W9", year_made=2022, doors=2, seats=24, colour="Branca"
    ),
    facts={
        "emergency_windows": "2",
        "policy_number": "8841-22",
        "policy_valid_through": "30/06/2027",
        "cover_per_person": "30.000,00",
        "cover_material": "130.000,00",
        "fleet_size": "1",
        "fleet_value": "238.000,00",
        "paid_in_capital": "80.000,00",
        "own_staff": "nao",
        "parts_stock": "nao",
        "had_cassation": "nao",
    },
    indexes={"custo_km": "5.1374"},
    order=("protocolo", "pagamento", "vistoria", "analise", "decisao"),
    fees=("205.50", "1798.09"),
    booking_first=True,
    breaking={"cover_material": "100.000,00"},
)
TAXI = Job(
    authority="recife",
    regime="taxi_recife",
    kind="nova_permissao",
    holder_kind="autonomous_driver",
    category="comum",
    person=people.PersonInput(
        "natural", "023.456.781-35", "Ana Lima", nationality="brasileira", sex="F", born_on=date(1985, 3, 2)
    ),
    vehicle=vehicles.VehicleInput(
        "PGT4H87", type="automovel", make="Chevrolet", model="Spin", year_made=2026, doors=5, seats=5, colour="Branca"
    ),
    facts={
        "zero_km": "sim",
        "passengers": "4",
        "co_owner_of_taxi": "nao",
        "other_income": "nao",
        "convicted": "nao",
    },
    indexes={"ufr": "138.4936", "population": "1653461"},
    order=("protocolo", "vistoria", "pagamento", "analise", "decisao"),
    fees=(),
    booking_first=False,
    now=("bandeira", "rendicao"),
    breaking={"other_income": "sim"},
)
JOBS = pytest.mark.parametrize("job", [FRETAMENTO, TAXI], ids=lambda job: job.regime)


@pytest.fixture
def store_plugins() -> tuple[Migrations, ...]:
    return of_plugins(_HOST)


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> Desk:
    settings = replace(_SETTINGS, var=tmp_path)
    with store.writing() as session:
        enter_authorities(session, settings)
    return Desk(store, _HOST, settings, tmp_path / "files")


class Office:
    """The people of one authority at work on one request, following the next step that it shows."""

    def __init__(self, desk: Desk, job: Job) -> None:
        self.desk, self.job = desk, job
        self.zone = desk.authority(job.authority).zone
        self.at = START
        self.acts: list[str] = []
        first = Occasion("instalação", job.authority, START, self.zone)
        self.user_id = users.create_user(first, desk, job.authority, "Rita Diretora", PASSWORD, ["diretor"])
        for key, value in job.indexes.items():
            indexes.enter_index_value(
                first, desk, key, date(2026, 7, 1), Decimal(value), "Portaria 112/2026", confirmed=True
            )

    def now(self, once_key: str = "") -> Occasion:
        """A minute later."""
        self.at += timedelta(minutes=1)
        return Occasion(
            "rita", self.job.authority, self.at, self.zone, actor_id=self.user_id, once_key=once_key
        )  # fmt: skip

    def appoint(self) -> None:
        kind = self.desk.regime(self.job.regime).request_kind(self.job.kind)
        offices.appoint(
            self.now(), self.desk, self.user_id, self.job.regime, kind.office, START.date(), act="Portaria 1/2026"
        )

    def open(self, **facts: str) -> int:
        """Person, vehicle and draft."""
        person_id = people.create_person(self.now(), self.desk, self.job.person)
        vehicle_id = vehicles.create_vehicle(self.now(), self.desk, self.job.vehicle)
        links = {
            "holder_kind": self.job.holder_kind,
            "category": self.job.category,
            "applicant_id": person_id,
            "vehicle_id": vehicle_id,
        }
        return requests.open_request(
            self.now(), self.desk, self.job.regime, self.job.kind, links=links, facts={**self.job.facts, **facts}
        )

    def progress(self, request_id: int) -> Progress:
        with self.desk.store.reading() as session:
            return progress_of(session, self.desk, self.job.authority, request_id, self.at)

    def go_on(self, request_id: int, until: str = "decide") -> Progress:
        """Does each next step until one is reached."""
        for _ in range(40):
            progress = self.progress(request_id)
            step = progress.outlook.next_step
            assert step is not None, progress.outlook
            self.acts.append(step.act)
            if step.act == until:
                return progress
            self._do(step.act, request_id, progress)
        raise AssertionError(self.acts)

    def _do(self, act: str, request_id: int, progress: Progress) -> None:
        match act:
            case "file":
                requests.file_request(self.now(), self.desk, request_id)
            case "pay":
                ids = [row.charge.id for row in progress.case.charges if row.charge.settled_at is None]
                charges.receive_payment(self.now(), self.desk, ids, self.now().on, "pix")
            case "book":
                inspections.book_inspection(self.now(), self.desk, request_id, self.at + timedelta(minutes=2), "Pátio")
            case "inspect":
                self.inspect(request_id)
            case "take":
                assignment.take_request(self.now(), self.desk, request_id)
            case "exigencia":
                self.send_papers(request_id, progress)
            case "review":
                self.accept_papers(request_id)
            case _:
                raise AssertionError(f"{act}: {progress.outlook.obstacles}")

    def send_papers(self, request_id: int, progress: Progress) -> None:
        have = {document.code for document, _ in progress.case.rows.documents}
        owed = [each for each in progress.wanted if each.source == "upload" and not each.waived]
        missing = [each for each in owed if each.code not in have]
        assert missing, [each.summary for each in progress.findings if each.impedes]
        for each in missing:
            for _ in range(each.copies):
                expires = date(2027, 12, 31) if each.expires else None
                name = f"{each.code}.pdf"
                documents.attach_document(
                    self.now(), self.desk, request_id, each.code, BytesIO(PDF), name, expires_on=expires
                )

    def accept_papers(self, request_id: int) -> None:
        with self.desk.store.reading() as session:
            sent = session.scalars(
                select(RequestDocument).where(
                    RequestDocument.request_id == request_id, RequestDocument.status == "enviado"
                )
            ).all()
        for each in sent:
            documents.review_document(
                self.now(), self.desk, each.id, each.version, "aceito", expires_on=each.expires_on
            )

    def inspect(self, request_id: int, **failed: str) -> inspections.Concluded:
        with self.desk.store.reading() as session:
            newest = [
                each for each in progress_of(
                    session, self.desk, self.job.authority, request_id, self.at
                ).case.inspections if each.state == "marcada"
            ][-1]  # fmt: skip
            page = inspection_page(session, self.desk, self.job.authority, newest.id, self.at)
        version = page.version
        for line in page.items:
            result = "falha" if line.item.code in failed else "ok"
            version = inspections.save_item(
                self.now(), self.desk, newest.id, version, line.item.code, result, failed.get(line.item.code, "")
            )
        return inspections.conclude_inspection(self.now(), self.desk, newest.id, version)

    def decide(self, request_id: int, result: Any, text: str = "") -> decisions.DecisionMade:
        version = self.progress(request_id).case.row.request.version
        return decisions.decide(self.now(), self.desk, request_id, version, result, text)

    def ask(self, at: datetime | None = None) -> tuple[RegimeAnswer, ...]:
        with self.desk.store.reading() as session:
            return answers(session, self.desk, self.job.vehicle.plate, at or self.at)


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
    assert all(ground.provision in _HOST.plugins[job.regime].lawbook.provisions for ground in answer.grounds)
    with office.desk.store.reading() as session:
        assert verify(session).intact
        kinds = {row.subject for row in session.scalars(select(StoredVerdict))}
    assert kinds == {"decision", "inspection", "posting"}


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
def test_without_its_index_nothing_is_received_and_the_value_is_named(office: Office, job: Job) -> None:
    request_id = office.open()
    requests.file_request(office.now(), office.desk, request_id)
    with office.desk.store.reading() as session:
        ids = list(session.scalars(select(Charge.id).where(Charge.request_id == request_id)))
    key = next(iter(job.indexes))
    label = _HOST.plugins[job.regime].lawbook.indexes[key].label
    with office.desk.store.writing() as session:
        for row in session.scalars(select(indexes.IndexValue).where(indexes.IndexValue.key == key)):
            row.since = date(2026, 12, 1)
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
    law_value = _HOST.plugins["taxi_recife"].lawbook.value("quota.inhabitants_per_taxi", START.date())
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
