"""Rows and desks for tests of the core: two authorities, users, persons, vehicles, requests, permits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

from registry.domain.identifiers import plate_key
from registry.domain.occasion import Occasion
from registry.plugins import PluginHost
from registry.services import documents, people, requests, vehicles
from registry.services.desk import Desk
from registry.settings import Authority as AuthoritySettings
from registry.settings import Settings, load_settings
from registry.store.access import Authority, User, UserRole
from registry.store.charges import Charge
from registry.store.engine import Store
from registry.store.inspections import Inspection
from registry.store.permits import Licence, Permit, PermitVehicle
from tests import regime

CONFIG = Path(__file__).parents[1] / "config"
ZONE = ZoneInfo("America/Recife")
NOON = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
"""Monday, 30 November 2026, 12:00 in the authorities' zone."""
PORT, OTHER = "porto", "outro"
PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"
CPFS = ("02345678135", "52998224725", "11144477735", "39053344705", "15350946056")
CNPJS = ("12ABC34501DE35", "11222333000181", "11444777000161")
LISTED = {"kind": "fee", "plan": "registro", "request_kind": "novo", "label": "Registro"}
_serial = count(1)


def settings(var: Path, **changed: Any) -> Settings:
    """The shipped defaults with the invented plugin and two authorities that run its regime."""
    both = {
        code: AuthoritySettings(code, f"Capitania do {code}", code, ZONE, regimes=(regime.CODE,))
        for code in (PORT, OTHER)
    }
    chosen = load_settings(CONFIG, {"REGISTRY_CONFIG": ""})
    return replace(chosen, plugins=(regime.NAME,), authorities=both, var=var, **changed)


def desk(store: Store, var: Path, plugin: ModuleType | None = None, **changed: Any) -> Desk:
    """A desk on a store with the invented plugin (or ``plugin`` in its place), both authorities in the database."""
    chosen = settings(var, **changed)
    host = PluginHost.load(chosen, {regime.NAME: plugin or regime.module()})
    with store.writing() as session:
        for code in (PORT, OTHER):
            session.merge(Authority(code=code, name=f"Capitania do {code}", zone=str(ZONE)))
    return Desk(store, host, chosen, var / "files")


@dataclass(frozen=True)
class Clerk:
    """A user of one authority, who makes occasions."""

    id: int
    name: str
    authority: str

    def occasion(self, at: datetime = NOON, once_key: str = "", **ahead: float) -> Occasion:
        """An act of this user at an instant: ``clerk.occasion(days=1)``."""
        return Occasion(
            actor=self.name,
            authority=self.authority,
            at=at + timedelta(**ahead),
            zone=ZONE,
            actor_id=self.id,
            once_key=once_key,
        )


def clerk(store: Store, name: str = "Jonas", authority: str = PORT, roles: tuple[str, ...] = ("analista",)) -> Clerk:
    """A new user with these roles."""
    with store.writing() as session:
        user = User(
            authority=authority,
            username=f"{name.lower()}{next(_serial)}",
            name=name,
            password_hash="*",
            created_at=NOON,
        )
        session.add(user)
        session.flush()
        session.add_all([UserRole(user_id=user.id, role=role) for role in roles])
        return Clerk(user.id, name, authority)


def person(on: Desk, by: Clerk, document: str = CPFS[0], name: str = "Ana Lima", **more: Any) -> int:
    """A natural person."""
    return people.create_person(by.occasion(), on, people.PersonInput("natural", document, name, **more))


def company(on: Desk, by: Clerk, document: str = CNPJS[0], name: str = "Rota Viva Ltda.", **more: Any) -> int:
    """A company."""
    return people.create_person(by.occasion(), on, people.PersonInput("company", document, name, **more))


def cooperative(on: Desk, by: Clerk, document: str = CNPJS[1], name: str = "Coop. Caminho do Sol") -> int:
    """A cooperative."""
    return people.create_person(by.occasion(), on, people.PersonInput("cooperative", document, name))


def vehicle(on: Desk, by: Clerk, plate: str = "RZT6B18", **more: Any) -> int:
    """A boat with twenty seats."""
    facts = {"type": "barca", "seats": 20, "year_made": 2022, "make": "Naval", **more}
    return vehicles.create_vehicle(by.occasion(), on, vehicles.VehicleInput(plate, **facts))


def draft(
    on: Desk,
    by: Clerk,
    kind: str = "novo",
    *,
    applicant_id: int | None = None,
    vehicle_id: int | None = None,
    facts: Mapping[str, Any] | None = None,
    **links: Any,
) -> int:
    """A draft that can be filed: of Ana Lima with a boat, unless ids are given."""
    filled = {
        "holder_kind": "PF",
        "category": "comum",
        "applicant_id": applicant_id or person(on, by),
        "vehicle_id": vehicle_id or vehicle(on, by),
        **links,
    }
    return requests.open_request(by.occasion(), on, regime.CODE, kind, links=filled, facts=facts or {})


def filed(on: Desk, by: Clerk, kind: str = "novo", **more: Any) -> int:
    """A filed request."""
    request_id = draft(on, by, kind, **more)
    requests.file_request(by.occasion(), on, request_id)
    return request_id


def attach(on: Desk, by: Clerk, request_id: int, code: str, content: bytes = PDF, **more: Any) -> int:
    """A document sent to a request."""
    return documents.attach_document(by.occasion(), on, request_id, code, BytesIO(content), f"{code}.pdf", **more)


def accept(on: Desk, by: Clerk, request_id: int, code: str, expires_on: date | None = None) -> int:
    """A document sent and accepted."""
    document_id = attach(on, by, request_id, code, expires_on=expires_on)
    documents.review_document(by.occasion(), on, document_id, 1, "aceito")
    return document_id


def accept_all(on: Desk, by: Clerk, request_id: int) -> None:
    """Every paper that a natural person owes, accepted."""
    accept(on, by, request_id, "registro", date(2027, 12, 31))
    for code in ("fotos", "fotos", "antecedentes"):
        accept(on, by, request_id, code)


def permit(
    store: Store,
    holder_id: int | None,
    vehicle_id: int,
    *,
    authority: str = PORT,
    number: str = "0391",
    granted_on: date = date(2026, 1, 10),
    ended_on: date | None = None,
    licence_until: date | None = date(2027, 1, 9),
    category: str = "comum",
) -> int:
    """A permit with one vehicle and its licence, written straight into the tables."""
    with store.writing() as session:
        made = Permit(
            authority=authority,
            regime=regime.CODE,
            number=number,
            category=category,
            holder_id=holder_id,
            granted_on=granted_on,
            ended_on=ended_on,
            created_at=NOON,
        )
        session.add(made)
        session.flush()
        session.add(PermitVehicle(permit_id=made.id, vehicle_id=vehicle_id, since=granted_on))
        session.add(
            Licence(
                authority=authority,
                regime=regime.CODE,
                permit_id=made.id,
                vehicle_id=vehicle_id,
                number=f"P{number}",
                issued_on=granted_on,
                valid_until=licence_until,
            )
        )
        return made.id


def inspection(
    store: Store,
    vehicle_id: int,
    *,
    request_id: int | None = None,
    state: str = "aprovada",
    done_on: date | None = date(2026, 11, 24),
    valid_until: date | None = date(2027, 11, 24),
    authority: str = PORT,
    items: Mapping[str, Any] | None = None,
) -> int:
    """An inspection in any state, written straight into the table."""
    with store.writing() as session:
        made = Inspection(
            authority=authority,
            regime=regime.CODE,
            kind="novo",
            request_id=request_id,
            vehicle_id=vehicle_id,
            scheduled_at=NOON,
            state=state,
            items=dict(items or {}),
            done_on=done_on,
            done_at=NOON if done_on else None,
            seal=f"{next(_serial):06d}" if state == "aprovada" else None,
            valid_until=valid_until if state == "aprovada" else None,
            created_at=NOON,
        )
        session.add(made)
        session.flush()
        return made.id


def debt(store: Store, debtor_id: int, due_on: date, authority: str = PORT, **more: Any) -> int:
    """A debt of 100 times the index with a due day, written straight into the table: a fine that no fee table lists.

    As a fee of the regime, whose amount can be asked: ``**factories.LISTED``.
    """
    with store.writing() as session:
        facts: dict[str, Any] = {
            "authority": authority,
            "regime": regime.CODE,
            "kind": "fine",
            "plan": "multa",
            "label": "Multa",
            "debtor_id": debtor_id,
            "number": f"M{next(_serial):06d}",
            "plugin": regime.NAME,
            "question": "fee",
            "given": {"quantity": 100, "on": due_on.isoformat()},
            "day_fields": ["on"],
            "due_on": due_on,
            "opened_at": NOON - timedelta(days=400),
        }
        made = Charge(**{**facts, **more})
        session.add(made)
        session.flush()
        return made.id


def settle(store: Store, request_id: int, on_day: date = date(2026, 11, 30)) -> None:
    """Marks every open charge of a request as paid, with its posting."""
    from decimal import Decimal

    from sqlalchemy import select

    from registry.store.charges import Posting

    with store.writing() as session:
        for charge in session.scalars(select(Charge).where(Charge.request_id == request_id)):
            if charge.settled_at is None:
                charge.settled_at = NOON
                session.add(
                    Posting(
                        charge_id=charge.id,
                        kind="pagamento",
                        amount=Decimal("200.00"),
                        due_amount=Decimal("200.00"),
                        on_day=on_day,
                        posted_at=NOON,
                    )
                )


def key(plate: str) -> str:
    """The key of a canonical plate."""
    return plate_key(plate)
