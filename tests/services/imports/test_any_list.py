"""Whatever a list of permits says: a second time it changes nothing, and undone it leaves what was before."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from registry.services import import_undo, imports
from registry.services.import_write import Written
from registry.services.imports import Choices, ImportReport
from registry.store.audit import verify
from registry.store.engine import Store
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.vehicles import Restriction, Vehicle
from registry.testing.databases import Databases
from tests import factories, regime
from tests.services.imports.fleet import HOLDERS

LINES = st.lists(
    st.tuples(
        st.sampled_from(["1", "0001", "2", "3"]),
        st.sampled_from(["ANA LIMA", "Aná Lima", "Bia Reis"]),
        st.sampled_from(["02345678135", "2345678135", "00123456797", "11222333000181"]),
        st.sampled_from(["", "90000001174", "90000003325"]),
        st.sampled_from(["", "31/12/2027"]),
        st.sampled_from(["", "KGA1234", "KGA1C34", "PEZ0O00"]),
        st.sampled_from(["", "Rua A", "Rua B"]),
        st.sampled_from(["", "05/06/2010", "2011-01-02"]),
        st.sampled_from(["", "ativo", "suspenso", "cancelado"]),
        st.sampled_from(["", "x"]),
    ),
    min_size=1,
    max_size=6,
)


def standing(store: Store) -> Any:
    """What is in force: every field of what has not ended, without ids that grow and versions."""
    with store.reading() as session:
        vehicles = session.scalars(select(Vehicle).where(Vehicle.ended_at.is_(None))).all()
        people = session.scalars(select(Person).where(Person.ended_at.is_(None))).all()
        permits = [row for row in session.scalars(select(Permit)) if "import_undone" not in row.facts]
        under = session.scalars(select(PermitVehicle).where(PermitVehicle.until.is_(None))).all()
        bars = session.scalars(select(Restriction).where(Restriction.voided_at.is_(None))).all()
        assert verify(session).intact
    found = []
    for row in (*vehicles, *people, *permits, *under, *bars):
        columns = {column.key for column in row.__table__.columns} - {"version"}
        found.append((row.__tablename__, {name: getattr(row, name) for name in sorted(columns)}))
    return found


class Office:
    """A desk on an empty database, and its clerk."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.desk = factories.desk(store, folder)
        self.clerk = factories.clerk(store)

    def preview(self, text: str, **choices: Any) -> ImportReport:
        stream = BytesIO(text.encode())
        return imports.preview(
            self.clerk.occasion(), self.desk, regime.CODE, stream, "x.csv", Choices(**choices), "permits"
        )

    def bring(self, text: str, **choices: Any) -> Written:
        return imports.write(self.clerk.occasion(), self.desk, self.preview(text, **choices))

    def taken(self, text: str, existing: Any) -> tuple[int, ...]:
        """The lines to be left out so that nothing stands against the file."""
        skip: tuple[int, ...] = ()
        while blocking := {
            each.line for each in self.preview(text, skip=skip, existing=existing).remarks if each.blocks
        }:
            skip = (*skip, *blocking)
        return skip


@settings(max_examples=10)
@given(first=LINES, second=LINES, existing=st.sampled_from(["ask", "keep", "replace"]))
def test_any_list_comes_in_once_and_goes_whole(
    databases: Databases, tmp_path_factory: pytest.TempPathFactory, first: Any, second: Any, existing: str
) -> None:
    store = databases.migrated("sqlite", ())
    office = Office(store, tmp_path_factory.getbasetemp())
    runs, before = [], [standing(store)]
    for lines in (first, second):
        text = HOLDERS + "".join(";".join(line) + "\n" for line in lines)
        chosen = {"skip": office.taken(text, existing), "existing": existing}
        written = office.bring(text, **chosen)
        after = standing(store)
        assert office.preview(text, **chosen).plan.says_nothing_new
        assert office.bring(text, **chosen).nothing_changed
        assert standing(store) == after
        if written.number:
            runs.append(written.number)
            before.append(after)
    for run in reversed(runs):
        assert standing(store) == before.pop()
        import_undo.undo(office.clerk.occasion(), office.desk, run, "Arquivo errado")
        assert standing(store) == before[-1]
    store.close()
