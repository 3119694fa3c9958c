"""Whatever is put right, in any order: what the public is told is what the dated facts say."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import select

from registry.domain.occasion import Occasion
from registry.services import corrections, merging, permits, restrictions
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, Refused
from registry.services.plates import PlateChange, change_plate
from registry.services.public_rows import rebuild_public, refresh_public_rows
from registry.services.status import answers
from registry.store.corrections import Merge
from registry.store.engine import Store
from registry.store.people import Person
from registry.store.permits import Licence, Permit, PermitVehicle
from registry.store.vehicles import Restriction, Vehicle
from tests import factories, regime
from tests.factories import NOON, PORT, Clerk
from tests.services import steps

PLATES = ("RZT6B18", "PGT4H88", "OYV4B22", "KKX2E41", "QYL5D81")
ACTS = 10


class Mender:
    """A clerk who puts right whatever comes to hand."""

    def __init__(self, desk: Desk, clerk: Clerk, seed: int) -> None:
        self.desk, self.clerk, self.random = desk, clerk, Random(seed)

    def act(self, now: Occasion) -> None:
        """One act on a record taken at random; one that cannot be is refused."""
        acts = (self.plate, self.bar, self.lift, self.correct, self.merge, self.part, self.remove, self.end)
        with suppress(Refused, AlreadyDone):
            self.random.choice(acts)(now, now.on + timedelta(days=self.random.choice((-5, -1, 0, 0, 1, 4))))

    def plate(self, now: Occasion, day: Any) -> None:
        car = self._any(Vehicle, Vehicle.ended_at.is_(None))
        change = PlateChange(self.random.choice(PLATES), min(day, now.on), "Clonagem")
        change_plate(now, self.desk, car.id, car.version, change)

    def bar(self, now: Occasion, day: Any) -> None:
        car = self._any(Vehicle, Vehicle.ended_at.is_(None))
        until = self.random.choice((None, day + timedelta(days=3)))
        restrictions.restrict_vehicle(
            now, self.desk, car.id, regime=regime.CODE, kind="seizure", since=day, until=until, reason="Retida"
        )

    def lift(self, now: Occasion, day: Any) -> None:
        if bar := self._any(Restriction, Restriction.voided_at.is_(None)):
            restrictions.void_restriction(now, self.desk, bar.id, "Era outro")

    def correct(self, now: Occasion, day: Any) -> None:
        tables = {"restriction": Restriction, "permit_vehicle": PermitVehicle, "licence": Licence}
        noun = self.random.choice(sorted(tables))
        row = self._any(tables[noun])
        if row is None:
            return
        with self.desk.store.reading() as session:
            wrong = corrections.wrong_row(session, self.desk, PORT, noun, row.id)
        changed = {
            "restriction": {"since": day, "until": None},
            "permit_vehicle": {"plate": self.random.choice(PLATES), "until": None},
            "licence": {"valid_until": day + timedelta(days=30)},
        }[noun]
        right = self.random.choice((None, {**wrong.values, **changed}))
        corrections.correct(now, self.desk, noun, row.id, wrong.stamp, right, reason="Errado")

    def merge(self, now: Occasion, day: Any) -> None:
        noun, table = self.random.choice((("vehicle", Vehicle), ("person", Person)))
        kept, gone = (self._any(table, table.ended_at.is_(None)) for _ in range(2))
        taken = ("plate",) if noun == "vehicle" and self.random.random() < 0.5 else ()
        version = kept.version + gone.version
        merging.merge(now, self.desk, noun, kept.id, gone.id, version, taken=taken, reason="O mesmo")

    def part(self, now: Occasion, day: Any) -> None:
        if made := self._any(Merge, Merge.undone_at.is_(None)):
            merging.undo(now, self.desk, made.id, "Eram dois")

    def remove(self, now: Occasion, day: Any) -> None:
        under = self._any(PermitVehicle)
        version = self._any(Permit, Permit.id == under.permit_id).version
        permits.remove_vehicle(
            now, self.desk, under.permit_id, under.vehicle_id, version, min(day, now.on), "Venda do veículo"
        )

    def end(self, now: Occasion, day: Any) -> None:
        permit = self._any(Permit)
        permits.end_permit(now, self.desk, permit.id, permit.version, day, "A pedido")

    def told(self, ahead: int) -> dict[Any, Any]:
        """What the public is told of each plate, from that many days after NOON on."""
        with self.desk.store.reading() as session:
            return {
                (plate, day): [(each.state, each.card) for each in answers(session, self.desk, plate, at)]
                for plate in PLATES
                for day in (ahead, ahead + 1, ahead + 5, ahead + 40, ahead + 100)
                if (at := NOON + timedelta(days=day, hours=6))
            }

    def _any(self, table: Any, *where: Any) -> Any:
        with self.desk.store.reading() as session:
            found = session.scalars(select(table).where(*where).order_by(table.id)).all()
        return self.random.choice(found) if found else None


@pytest.mark.parametrize("seed", range(12))
def test_what_the_public_is_told_is_what_the_facts_say(sqlite_store: Store, tmp_path: Path, seed: int) -> None:
    desk = factories.desk(sqlite_store, tmp_path)
    jonas = factories.clerk(desk.store)
    for place, plate in enumerate(PLATES[:4]):
        car = factories.vehicle(desk, jonas, plate)
        holder = factories.person(desk, jonas, factories.CPFS[place], f"Titular {place}")
        if place < 3:
            permit = factories.permit(desk.store, holder, car, number=f"{place + 1:04d}")
            with desk.store.writing() as session:
                refresh_public_rows(session, desk, permit, jonas.occasion(days=-10))
    mender, day = Mender(desk, jonas, seed), 0
    for place in range(ACTS):
        day += mender.random.choice((0, 0, 1, 2))
        mender.act(replace(jonas.occasion(days=day, hours=place / ACTS), office=steps.OFFICE))
    before = mender.told(day)
    rebuild_public(desk, jonas.occasion(days=day, hours=3))
    assert mender.told(day) == before
