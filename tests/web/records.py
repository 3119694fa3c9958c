"""Records for tests of screens, entered through the use cases of the application under test."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from registry.app import create_app
from registry.domain.occasion import Occasion
from registry.plugins import PluginHost
from registry.services import people, restrictions, vehicles
from registry.services.desk import Desk
from registry.services.status import refresh_public_rows
from registry.settings import Settings
from registry.store.acts import IndexValue
from registry.store.audit import AuditEntry
from registry.store.charges import Charge
from registry.store.inspections import Inspection
from registry.store.permits import Licence, Permit, PermitVehicle
from registry.store.vehicles import Vehicle
from registry.web.edge import EXTENSION
from tests.web.conftest import NOON, FrozenClock, Someone

CHARTER, TAXI = "fretamento_rmr", "taxi_recife"
ANA, IVO, RITA = "02345678135", "52998224725", "11144477735"
ROTA, COOP = "12ABC34501DE35", "11222333000181"
BAD_CNH, GOOD_CNH = "12345678901", "12345678900"


@dataclass(frozen=True)
class Records:
    """Makes records of one authority as a clerk called Jonas."""

    app: Flask
    authority: str = "emtu"

    @property
    def desk(self) -> Desk:
        """The services' desk."""
        made: Desk = self.app.extensions[EXTENSION].desk
        return made

    @property
    def occasion(self) -> Occasion:
        """Now, as Jonas."""
        return Occasion("jonas", self.authority, NOON, self.desk.authority(self.authority).zone)

    def person(self, document: str = ANA, name: str = "Ana Lima", kind: str = "natural", **more: Any) -> int:
        """A person, company or cooperative."""
        return people.create_person(self.occasion, self.desk, people.PersonInput(kind, document, name, **more))

    def company(self, document: str = ROTA, name: str = "Rota Viva Ltda.") -> int:
        """A company."""
        return self.person(document, name, "company")

    def cooperative(self, document: str = COOP, name: str = "Coop. Caminho do Sol") -> int:
        """A cooperative."""
        return self.person(document, name, "cooperative")

    def vehicle(self, plate: str = "RZT6B18", **more: Any) -> int:
        """A bus, or a taxi's car where the authority is the city."""
        kind = "automovel" if self.authority == "recife" else "onibus"
        facts = {"type": kind, "make": "Volvo", "model": "B8R", "year_made": 2024, "doors": 4, "seats": 24, **more}
        return vehicles.create_vehicle(self.occasion, self.desk, vehicles.VehicleInput(plate, **facts))

    def permit(
        self,
        holder_id: int | None,
        vehicle_id: int,
        number: str = "0391",
        granted_on: date = date(2026, 1, 10),
        until: date | None = None,
        cooperative_id: int | None = None,
    ) -> int:
        """A permit with its vehicle, licence and seal in force; the public rows with it."""
        regime = TAXI if self.authority == "recife" else CHARTER
        with self.desk.store.writing() as session:
            permit = Permit(
                authority=self.authority,
                regime=regime,
                number=number,
                category="comum" if regime == TAXI else "onibus",
                holder_id=holder_id,
                cooperative_id=cooperative_id,
                granted_on=granted_on,
                created_at=NOON,
            )
            session.add(permit)
            session.flush()
            under = PermitVehicle(permit_id=permit.id, vehicle_id=vehicle_id, since=granted_on, until=until)
            licence = Licence(
                authority=self.authority,
                regime=regime,
                permit_id=permit.id,
                vehicle_id=vehicle_id,
                number=f"{number}/2026",
                issued_on=granted_on,
                valid_until=date(2027, 1, 9),
            )
            inspection = Inspection(
                authority=self.authority,
                regime=regime,
                kind="novo",
                vehicle_id=vehicle_id,
                state="aprovada",
                done_on=date(2026, 11, 24),
                done_at=NOON,
                seal=number,
                valid_until=date(2027, 5, 24),
                created_at=NOON,
            )
            session.add_all([under, licence, inspection])
            session.flush()
            refresh_public_rows(session, self.desk, permit.id, self.occasion)
            return permit.id

    def fee(self, debtor_id: int, due_on: date) -> int:
        """The charter's fee for a bus, 500 times the custo/km of R$ 5,1374, that fell due on a day."""
        with self.desk.store.writing() as session:
            if not session.scalars(select(IndexValue.id)).first():
                session.add(
                    IndexValue(
                        authority=self.authority,
                        key="custo_km",
                        since=date(2026, 7, 1),
                        scaled=51374,
                        scale=4,
                        unit="reais",
                        act="Portaria 112/2026",
                        recorded_at=NOON,
                        recorded_by="jonas",
                    )
                )
            kind = self.desk.regime(CHARTER).request_kinds[0]
            charge = Charge(
                authority=self.authority,
                regime=CHARTER,
                kind="fee",
                plan=kind.charges[0].code,
                label=kind.charges[0].label,
                debtor_id=debtor_id,
                request_kind=kind.code,
                number=f"L{due_on:%Y%m%d}",
                plugin=CHARTER,
                question="service_fee",
                given={"vehicle_type": "onibus", "item": None, "quantity": None, "payment_date": None},
                day_fields=["payment_date"],
                due_on=due_on,
                opened_at=NOON,
            )
            session.add(charge)
            session.flush()
            return charge.id

    def suspend(self, vehicle_id: int, since: date, until: date | None = None) -> int:
        """A suspension of a vehicle."""
        regime = TAXI if self.authority == "recife" else CHARTER
        return restrictions.restrict_vehicle(
            self.occasion,
            self.desk,
            vehicle_id,
            regime=regime,
            kind="suspension",
            since=since,
            until=until,
            reason="Fuga da fiscalização",
        )

    def vehicle_of(self, plate: str) -> int:
        """The id of the vehicle with this plate."""
        with self.desk.store.reading() as session:
            return session.scalars(select(Vehicle.id).where(Vehicle.plate == plate)).one()

    def count(self, table: Any, *conditions: Any) -> int:
        """How many rows of a table meet the conditions."""
        with self.desk.store.reading() as session:
            return len(session.execute(select(table.id).where(*conditions)).all())

    def actions(self, subject: str, subject_id: int) -> list[str]:
        """What the audit says was done to a record, in order."""
        with self.desk.store.reading() as session:
            found = select(AuditEntry.action).where(AuditEntry.subject == subject, AuditEntry.subject_id == subject_id)
            return list(session.scalars(found.order_by(AuditEntry.seq)))


def form_sent(page: Any, action: str, **typed: Any) -> dict[str, Any]:
    """What a browser sends of the form to an address with these fields typed."""
    return {**page.form(action), **typed}


HX = {"HX-Request": "true"}


def hx(target: str) -> dict[str, str]:
    """The headers with which htmx asks for the content of an element."""
    return {**HX, "HX-Target": target}


def led_to(response: TestResponse) -> str:
    """The address that an act leads to: 303 without htmx."""
    assert response.status_code == 303, f"{response.status_code}: {response.text[:3000]}"
    return str(response.headers["Location"])


def configured(app: Flask, clock: FrozenClock, settings: Settings) -> Flask:
    """Another application on the same store, with other settings."""
    made = create_app(settings, PluginHost.load(settings), app.extensions[EXTENSION].store, clock)
    made.testing = True
    made.config["PROPAGATE_EXCEPTIONS"] = False
    return made


def logged_in(app: Flask, clock: FrozenClock, user: Someone) -> FlaskClient:
    """A client of an application in which a user is logged in."""
    client = app.test_client()
    with client.session_transaction() as session:
        session.update({"_user_id": f"{user.id}:1", "_fresh": True, "seen": clock().isoformat()})
    return client
