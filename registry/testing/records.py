"""Invented records for a plugin's tests: permits as they stand, and requests taken to a decision by its own rules."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import select

from registry.cli.plugin.subject import AUTHORITY
from registry.domain.occasion import Occasion
from registry.services import offices, people, requests, users, vehicles
from registry.services.decisions import DecisionMade, Result, decide
from registry.services.desk import Desk
from registry.services.progress import progress_of
from registry.services.public_rows import refresh_public_rows
from registry.store.people import Person
from registry.store.permits import Licence, Permit, PermitVehicle

ZONE = ZoneInfo("UTC")
NOON = datetime(2026, 11, 30, 12, tzinfo=ZONE)


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.at = NOON

    def __call__(self) -> datetime:
        return self.at.astimezone(UTC)

    def on(self, day: str | date) -> None:
        """Sets it to noon of a day (``2026-12-01``)."""
        self.at = datetime.combine(_day(day), time(12), ZONE)


class Records:
    """Makes records of the plugin's first regime: ``records.permit("RZT6B18")``."""

    def __init__(self, desk: Desk, plugin: str, clock: Clock) -> None:
        self.desk = desk
        self.clock = clock
        self.regime = desk.host.plugins[plugin].regimes[0]
        self._serial = count(1)
        self._director: int | None = None

    @property
    def occasion(self) -> Occasion:
        """An act of the tests' clerk, now."""
        return Occasion("testes", AUTHORITY, self.clock.at, ZONE, actor_id=self._director)

    def person(self, document: str = "52998224725", name: str = "Ana Lima", **more: Any) -> int:
        """A natural person, made once."""
        with self.desk.store.reading() as session:
            known = session.scalar(select(Person.id).where(Person.document == document))
        entered = people.PersonInput("natural", document, name, **more)
        return known or people.create_person(self.occasion, self.desk, entered)

    def vehicle(self, plate: str = "RZT6B18", **more: Any) -> int:
        """A vehicle of the regime's first type."""
        facts = {"type": self.regime.vehicle_types[0].code, "seats": 20, "year_made": 2025, "make": "Marca", **more}
        return vehicles.create_vehicle(self.occasion, self.desk, vehicles.VehicleInput(plate, **facts))

    def permit(
        self,
        plate: str = "RZT6B18",
        *,
        number: str = "",
        category: str = "",
        granted_on: str | date = date(2026, 1, 10),
        ended_on: str | date | None = None,
        licence_until: str | date | None = date(2027, 1, 9),
        **vehicle: Any,
    ) -> int:
        """A permit of Ana Lima with one vehicle and its licence (None = none), ready for the public look-up."""
        holder_id, vehicle_id, first = self.person(), self.vehicle(plate, **vehicle), _day(granted_on)
        common = {"authority": AUTHORITY, "regime": self.regime.code}
        with self.desk.store.writing() as session:
            made = Permit(
                **common,
                number=number or f"{next(self._serial):04d}",
                category=category or self.regime.categories[0].code,
                holder_id=holder_id,
                granted_on=first,
                ended_on=None if ended_on is None else _day(ended_on),
                created_at=self.clock.at,
            )
            session.add(made)
            session.flush()
            session.add(PermitVehicle(permit_id=made.id, vehicle_id=vehicle_id, since=first))
            if licence_until is not None:
                until = _day(licence_until)
                paper = {"permit_id": made.id, "vehicle_id": vehicle_id, "number": f"{made.number}/{first.year}"}
                session.add(Licence(**common, **paper, issued_on=first, valid_until=until))
            session.flush()
            refresh_public_rows(session, self.desk, made.id, self.occasion)
            return made.id

    def request(
        self,
        plate: str = "RZT6B18",
        *,
        kind: str = "",
        holder_kind: str = "",
        category: str = "",
        facts: Mapping[str, Any] | None = None,
        **vehicle: Any,
    ) -> int:
        """A filed request, by default of the regime's first kind, of Ana Lima for a new vehicle; answers its id.

        ``facts`` are the fields of the regime's form as Python values. Raises Refused for one that is wrong.
        """
        natural = (each.code for each in self.regime.holder_kinds if each.person_kind == "natural")
        links = {
            "holder_kind": holder_kind or next(natural),
            "category": category or self.regime.categories[0].code,
            "applicant_id": self.person(),
            "vehicle_id": self.vehicle(plate, **vehicle),
        }
        typed = {
            name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in (facts or {}).items()
        }
        wanted = kind or self.regime.request_kinds[0].code
        request_id = requests.open_request(self.occasion, self.desk, self.regime.code, wanted, links=links, facts=typed)
        requests.file_request(self.occasion, self.desk, request_id)
        return request_id

    def against(self, request_id: int) -> tuple[str, ...]:
        """What stands against granting a request now, as the clerk reads it."""
        with self.desk.store.reading() as session:
            found = progress_of(session, self.desk, AUTHORITY, request_id, self.clock.at).findings
        return tuple(each.summary for each in found if each.impedes)

    def decide(self, request_id: int, result: Result = "deferido", text: str = "") -> DecisionMade:
        """The decision of a request by somebody who holds its office. Raises Impeded, Refused."""
        with self.desk.store.reading() as session:
            request = progress_of(session, self.desk, AUTHORITY, request_id, self.clock.at).case.row.request
        office = self.regime.request_kind(request.kind).office
        if self._director is None:
            self._director = users.create_user(
                self.occasion, self.desk, "diretora", "Rita Moura", "senha da diretora", ["diretor"], demo=True
            )
        first = self.occasion.on
        offices.appoint(
            self.occasion, self.desk, self._director, self.regime.code, office, first, act="Portaria 1/2026"
        )
        return decide(self.occasion, self.desk, request_id, request.version, result, text)


def _day(day: str | date) -> date:
    return date.fromisoformat(day) if isinstance(day, str) else day
