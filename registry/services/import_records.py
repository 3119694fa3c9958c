"""The records of an authority that the lines of an import touch, read by few statements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.imports.kinds import VEHICLE
from registry.domain.imports.sheet import Line
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.vehicles import Restriction, Vehicle

PERSON_FIELDS = ("name", "born_on", "nationality", "sex", "cnh", "phone", "email", "address")
PERSON_FACTS = ("cnh_category", "cnh_until")
"""What a file says of a person's licence to drive, kept among the person's facts; days as ISO text."""

UNDONE = "import_undone"
"""The fact of a permit whose import was undone: the number is free for the next import, which takes the row again."""

NOTE = "note"
_BATCH = 500


@dataclass(frozen=True)
class Belonging:
    """A vehicle under a permit, still open."""

    permit_id: int
    vehicle_id: int
    number: str
    ended_on: date | None
    plate: str


class Records:
    """The vehicles, permits, persons and open belongings that the lines touch, by plate key, number and document.

    Each statement reads one table: beside a table just filled PostgreSQL would plan a join very badly.
    """

    def __init__(self, session: Session, authority: str, regime: str, lines: Sequence[Line]) -> None:
        self.vehicles: dict[str, Any] = {}
        self.permits: dict[str, Any] = {}
        self.persons: dict[str, Any] = {}
        self.under: dict[int, list[Belonging]] = {}
        self.holding: dict[int, list[Belonging]] = {}
        self.suspended: set[int] = set()
        fields = (Vehicle.id, Vehicle.version, Vehicle.plate_key, *(getattr(Vehicle, each) for each in VEHICLE))
        for batch in batches([line.key for line in lines if line.key]):
            mine = select(*fields).where(Vehicle.authority == authority, Vehicle.ended_at.is_(None))
            found = session.execute(mine.where(Vehicle.plate_key.in_(batch)))
            self.vehicles |= {row.plate_key: row for row in found}
        permits = _permits_of(authority, regime)
        for batch in batches([line.values["number"] for line in lines]):
            found = session.execute(permits.where(Permit.number.in_(batch)))
            self.permits |= {row.number: row for row in found}
        for each in self._belongings(session, permits):
            self.under.setdefault(each.permit_id, []).append(each)
            self.holding.setdefault(each.vehicle_id, []).append(each)
        self._read_holders(session, authority, regime, [line.values.get("document") for line in lines])

    def _read_holders(self, session: Session, authority: str, regime: str, documents: Sequence[str | None]) -> None:
        """The persons of these documents, and which of the permits are suspended; nothing where no line names one."""
        wanted = [each for each in documents if each]
        if not wanted:
            return
        columns = (Person.id, Person.version, Person.kind, Person.document, Person.facts, Person.cnh_confirmed)
        mine = select(*columns, *(getattr(Person, each) for each in PERSON_FIELDS)).where(
            Person.authority == authority, Person.ended_at.is_(None)
        )
        for batch in batches(wanted):
            found = session.execute(mine.where(Person.document.in_(batch)))
            self.persons |= {row.document: row for row in found}
        bars = select(Restriction.permit_id).where(
            Restriction.authority == authority,
            Restriction.regime == regime,
            Restriction.kind == "suspension",
            Restriction.voided_at.is_(None),
            Restriction.until.is_(None),
        )
        for batch in batches([row.id for row in self.permits.values()]):
            found = session.execute(bars.where(Restriction.permit_id.in_(batch)))
            self.suspended |= {row[0] for row in found if row[0] is not None}

    def permit_of(self, line: Line) -> Any | None:
        """The permit of the line's number; None also for one whose import was undone."""
        permit = self.permits.get(line.values["number"])
        return None if permit is None or UNDONE in permit.facts else permit

    def free_permit_of(self, line: Line) -> Any | None:
        """The row of the line's number that an undone import left: it is taken again."""
        permit = self.permits.get(line.values["number"])
        return permit if permit is not None and UNDONE in permit.facts else None

    def _belongings(self, session: Session, permits: Any) -> Iterable[Belonging]:
        """Those of the permits and of the vehicles found, each once; other regimes' are left out."""
        pairs: set[tuple[int, int]] = set()
        still_open = select(PermitVehicle.permit_id, PermitVehicle.vehicle_id).where(PermitVehicle.until.is_(None))
        for column, rows in ((PermitVehicle.permit_id, self.permits), (PermitVehicle.vehicle_id, self.vehicles)):
            for batch in batches([row.id for row in rows.values()]):
                pairs |= {(row[0], row[1]) for row in session.execute(still_open.where(column.in_(batch)))}
        by_id = {row.id: row for row in self.permits.values()}
        plates = {row.id: row.plate for row in self.vehicles.values()}
        for batch in batches(sorted({permit for permit, _ in pairs} - by_id.keys())):
            by_id |= {row.id: row for row in session.execute(permits.where(Permit.id.in_(batch)))}
        for batch in batches(sorted({vehicle for _, vehicle in pairs} - plates.keys())):
            others = select(Vehicle.id, Vehicle.plate).where(Vehicle.id.in_(batch))
            plates |= {row.id: row.plate for row in session.execute(others)}
        for permit_id, vehicle_id in sorted(pairs):
            permit = by_id.get(permit_id)
            if permit is not None:
                yield Belonging(permit_id, vehicle_id, permit.number, permit.ended_on, plates[vehicle_id])


def _permits_of(authority: str, regime: str) -> Any:
    columns = (
        Permit.id,
        Permit.version,
        Permit.number,
        Permit.category,
        Permit.holder_id,
        Permit.granted_on,
        Permit.granted_on_known,
        Permit.ended_on,
        Permit.end_reason,
        Permit.facts,
    )
    return select(*columns).where(Permit.authority == authority, Permit.regime == regime)


def batches(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    """The values in lots that one statement takes."""
    return (values[start : start + _BATCH] for start in range(0, len(values), _BATCH))
