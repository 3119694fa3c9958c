"""Two new permits, one of each regime, and the people of an authority who bring them from desk to decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import BytesIO
from typing import Any

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
from registry.services.desk import Desk
from registry.services.inspection_pages import inspection_page
from registry.services.progress import Progress, progress_of
from registry.services.status import RegimeAnswer, answers
from registry.settings import load_settings
from registry.store.requests import RequestDocument
from tests.factories import PDF

START = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
PASSWORD = "uma senha comprida"
SETTINGS = load_settings(resources.config(), {"REGISTRY_CONFIG": "recife.toml"})
HOST = PluginHost.load(SETTINGS)


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


class Office:
    """The people of one authority at work on one request, following the next step that it shows."""

    def __init__(self, desk: Desk, job: Job, values_from: date = date(2026, 7, 1)) -> None:
        self.desk, self.job = desk, job
        self.zone = desk.authority(job.authority).zone
        self.at = START
        self.acts: list[str] = []
        first = Occasion("instalação", job.authority, START, self.zone)
        self.user_id = users.create_user(first, desk, job.authority, "Rita Diretora", PASSWORD, ["diretor"])
        for key, value in job.indexes.items():
            indexes.enter_index_value(
                first, desk, key, values_from, Decimal(value), "Portaria 112/2026", confirmed=True
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
