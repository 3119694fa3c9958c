"""A town with one of every kind of record, and sweeps over every address that takes a record's number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from io import BytesIO

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select
from werkzeug.routing import Rule

from registry.services import import_runs
from registry.services.vault import path_of
from registry.store.access import Appointment
from registry.store.acts import Act
from registry.store.audit import AuditEntry
from registry.store.charges import Posting, Receipt
from registry.store.corrections import Merge
from registry.store.inspections import Inspection
from registry.store.people import Membership
from registry.store.permits import Licence, PermitVehicle
from registry.store.requests import Request, RequestDocument, StoredFile, Wait
from registry.web.edge import EXTENSION
from registry_taxi_bandeiras.models import Period
from registry_taxi_pontos.models import Ponto
from tests.web.conftest import NOON, TODAY
from tests.web.records import CHARTER, IVO, TAXI, Records

FIRST = date(2026, 1, 10)
WORDS = {
    "section": "contato",
    "act": "encerrar",
    "code": "fotos",
    "key": "custo_km",
    "nouns": "pessoas",
    "rows": "inclusoes",
}
"""What stands in an address in the place of a word."""
OTHER_WORDS = {"nouns": ("veiculos",), "rows": ("licencas", "restricoes", "vinculos")}
"""What else may stand there, of which a town has a record too."""


@dataclass
class Town:
    """The ids of an authority's records by the names that addresses have for them."""

    ids: dict[str, int] = field(default_factory=dict)

    def address(self, rule: Rule) -> str:
        """The address of these records under a rule."""
        return self._built(rule, {})

    def addresses(self, rule: Rule) -> list[str]:
        """Those of every word that the rule takes."""
        others = [{name: word} for name in OTHER_WORDS if name in rule.arguments for word in OTHER_WORDS[name]]
        return [self.address(rule), *(self._built(rule, each) for each in others)]

    def _built(self, rule: Rule, words: dict[str, str]) -> str:
        """With some words given; an id that is known under its name and that word is taken, as ``row_id:licencas``."""
        told = WORDS | words
        ids = self.ids | {
            name.partition(":")[0]: id for name, id in self.ids.items() if name.partition(":")[2] in words.values()
        }
        values = {name: ids.get(name, told.get(name, "x")) for name in rule.arguments}
        built = rule.build(values, append_unknown=False)
        assert built is not None, f"{rule}: give {sorted(rule.arguments)} in Town or WORDS"
        return built[1]


def about_records(app: Flask) -> Iterator[tuple[Rule, str]]:
    """Each rule that takes a record's number, with each of its methods."""
    for rule in sorted(app.url_map.iter_rules(), key=str):
        if "<int" in rule.rule:
            for method in sorted(rule.methods & {"GET", "POST"}):
                yield rule, method


def _run(records: Records) -> int:
    """The import of a closed day that stands in its preview."""
    listed = b"data;nome;ato\n24/12/2026;V\xc3\xa9spera;Portaria 1/2026\n"
    return import_runs.start(records.occasion, records.desk, "closures", BytesIO(listed), "dias.csv")


@pytest.fixture
def town(app: Flask, someone: Callable[..., object], add: Callable[..., int]) -> Callable[[str], Town]:
    """Fills an authority: ``town("emtu")``."""

    def fill(authority: str) -> Town:
        records = Records(app, authority)
        regime = TAXI if authority == "recife" else CHARTER
        kind = app.extensions[EXTENSION].host.regimes[regime].request_kinds[0]
        user = someone("analista", authority=authority, name="Jonas Melo").id
        ana, company, cooperative = records.person(), records.company(), records.cooperative()
        vehicle = records.vehicle()
        permit = records.permit(ana, vehicle)
        with records.desk.store.reading() as session:
            under = session.scalars(select(PermitVehicle.id).where(PermitVehicle.permit_id == permit)).one()
            licence = session.scalars(select(Licence.id).where(Licence.permit_id == permit)).one()
        twin, namesake = records.vehicle("RZT6B19"), records.person(IVO, "Ana Lima")
        made = {"authority": authority, "regime": regime}
        request = add(
            Request,
            **made,
            kind=kind.code,
            holder_kind="PF" if regime == CHARTER else "autonomo",
            applicant_id=ana,
            vehicle_id=vehicle,
            number="2026/000001",
            state="em_analise",
            shown="pronto",
            facts={},
            opened_at=NOON,
            filed_at=NOON,
            due_on=TODAY,
        )
        file = add(
            StoredFile,
            authority=authority,
            sha256="0" * 64,
            size=5,
            media_type="application/pdf",
            name="fotos.pdf",
            uploaded_at=NOON,
        )
        member = add(Membership, cooperative_id=cooperative, member_id=ana, since=FIRST, recorded_at=NOON)
        suspension = records.suspend(vehicle, TODAY)
        path = path_of(records.desk.files, "0" * 64)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%PDF-")
        charge = records.fee(company, TODAY)
        receipt = add(
            Receipt,
            authority=authority,
            number="2026/000900",
            on_day=TODAY,
            method="pix",
            total=Decimal("10.00"),
            received_at=NOON,
        )
        paid = {"amount": Decimal("10.00"), "due_amount": Decimal("10.00"), "on_day": TODAY, "posted_at": NOON}
        return Town(
            {
                "user_id": user,
                "appointment_id": add(
                    Appointment, **made, office="diretor", user_id=user, since=FIRST, act="Portaria 1/2026"
                ),
                "person_id": cooperative,
                "membership_id": member,
                "row_id": under,
                "row_id:licencas": licence,
                "row_id:restricoes": suspension,
                "row_id:vinculos": member,
                "record_id": namesake,
                "record_id:veiculos": twin,
                "kept_id": ana,
                "kept_id:veiculos": vehicle,
                "gone_id": namesake,
                "gone_id:veiculos": twin,
                "merge_id": add(
                    Merge,
                    authority=authority,
                    noun="person",
                    kept_id=ana,
                    gone_id=namesake,
                    reason="A mesma",
                    office="diretor",
                    moved={"rows": [], "fields": {}},
                    merged_by="jonas",
                    merged_at=NOON,
                    undone_by="jonas",
                    undone_at=NOON,
                ),
                "run_id": _run(records),
                "vehicle_id": vehicle,
                "permit_id": permit,
                "bar_id": suspension,
                "request_id": request,
                "id": request,
                "document_id": add(
                    RequestDocument, request_id=request, code="fotos", file_id=file, status="enviado", created_at=NOON
                ),
                "wait_id": add(
                    Wait, request_id=request, kind="exigencia", text="Falta", opened_by="jonas", opened_at=NOON
                ),
                "inspection_id": add(
                    Inspection,
                    **made,
                    kind=kind.code,
                    request_id=request,
                    vehicle_id=vehicle,
                    state="marcada",
                    scheduled_at=NOON,
                    place="Pátio",
                    items={"lugares": {"result": "falha", "reason": "Faltam", "photos": [file]}},
                    created_at=NOON,
                ),
                "file_id": file,
                "charge_id": charge,
                "receipt_id": receipt,
                "posting_id": add(Posting, charge_id=charge, kind="pagamento", receipt_id=receipt, **paid),
                "act_id": add(
                    Act,
                    authority=authority,
                    kind="portaria",
                    number="1/2026",
                    day=TODAY,
                    file_id=file,
                    recorded_at=NOON,
                    recorded_by="jonas",
                ),
                "period_id": add(
                    Period,
                    **made,
                    band=2,
                    start=NOON,
                    end=NOON + timedelta(days=1),
                    act="Portaria 1/2026",
                    recorded_at=NOON,
                    recorded_by="jonas",
                ),
                "ponto_id": add(Ponto, authority=authority, name="Praça", name_folded="praca", created_at=NOON),
            }
        )

    return fill


@pytest.fixture
def deeds(app: Flask) -> Callable[[], int]:
    """How many acts the audit holds, log-ins apart."""

    def count() -> int:
        with app.extensions[EXTENSION].store.reading() as session:
            return session.scalar(select(func.count()).select_from(AuditEntry)) or 0

    return count


@pytest.fixture
def everyone(app: Flask, client_as: Callable[..., FlaskClient]) -> Callable[[str], FlaskClient]:
    """A user who has every role of an authority."""
    return lambda authority: client_as(*app.extensions[EXTENSION].settings.roles, authority=authority)
