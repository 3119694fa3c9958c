"""A scratch installation for the measurements: the demonstration's plugins on a migrated SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog
from flask import Flask

from registry import resources
from registry.app import create_app
from registry.domain.identifiers import plate_key
from registry.domain.occasion import Occasion
from registry.plugins import PluginHost
from registry.services.desk import Desk
from registry.services.status import refresh_public_rows
from registry.settings import load_settings
from registry.store.access import Authority
from registry.store.engine import Store
from registry.store.inspections import Inspection
from registry.store.migrate import of_plugins, upgrade
from registry.store.people import Person
from registry.store.permits import Licence, Permit, PermitVehicle
from registry.store.vehicles import Vehicle
from registry.web.edge import limiter

AT = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)


@contextmanager
def installation() -> Iterator[Desk]:
    """A desk on an empty, migrated database that is thrown away afterwards."""
    with TemporaryDirectory() as folder:
        var = Path(folder)
        settings = load_settings(resources.config(), {"REGISTRY_CONFIG": "demo.toml", "REGISTRY_VAR": folder})
        host = PluginHost.load(settings)
        store = Store(settings.database_url)
        upgrade(store, of_plugins(host))
        with store.writing() as session:
            for each in settings.authorities.values():
                session.add(Authority(code=each.code, name=each.name, zone=each.zone.key))
        yield Desk(store, host, replace(settings, secret_key="a secret for measurements"), var / "files")


def application(desk: Desk) -> Flask:
    """The application on a desk's store, its clock standing still, without logs and limits."""
    structlog.configure(processors=[], logger_factory=structlog.ReturnLoggerFactory(), cache_logger_on_first_use=False)
    app = create_app(desk.settings, desk.host, desk.store, lambda: AT)
    limiter.enabled = False
    return app


def one_taxi(desk: Desk, plate: str = "QZA1A00") -> int:
    """A taxi with permit, alvará and seal in force, and its public rows; gives the permit's id."""
    authority = "recife"
    with desk.store.writing() as session:
        person = Person(authority=authority, kind="natural", name="Ana", name_folded="ana", created_at=AT)
        car = Vehicle(
            authority=authority,
            plate=plate,
            plate_key=plate_key(plate),
            make="Chevrolet",
            model="Spin",
            colour="laranja",
            year_made=2024,
            doors=4,
            seats=5,
            created_at=AT,
        )
        session.add_all([person, car])
        session.flush()
        permit = Permit(
            authority=authority,
            regime="taxi_recife",
            number="0001",
            category="comum",
            holder_id=person.id,
            granted_on=date(2024, 3, 14),
            created_at=AT,
        )
        session.add(permit)
        session.flush()
        session.add(PermitVehicle(permit_id=permit.id, vehicle_id=car.id, since=permit.granted_on))
        session.add(
            Licence(
                authority=authority,
                regime="taxi_recife",
                permit_id=permit.id,
                vehicle_id=car.id,
                number="0001",
                issued_on=date(2026, 5, 14),
                valid_until=date(2027, 5, 14),
            )
        )
        session.add(
            Inspection(
                authority=authority,
                regime="taxi_recife",
                kind="annual",
                vehicle_id=car.id,
                state="aprovada",
                done_on=date(2026, 5, 12),
                done_at=AT,
                seal="0001",
                valid_until=date(2027, 5, 12),
                created_at=AT,
            )
        )
        zone = desk.settings.authorities[authority].zone
        refresh_public_rows(session, desk, permit.id, Occasion("measurement", authority, AT, zone))
        return permit.id
