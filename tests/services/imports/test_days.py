"""Holidays and closed days come in from a file: terms skip them at once, and a second time changes nothing."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from sqlalchemy import select

from registry.services import imports
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused
from registry.services.import_calendar import CalendarPlan, add_yearly
from registry.services.import_write import Written
from registry.services.imports import ImportReport
from registry.store.acts import Closure
from registry.store.audit import AuditEntry, verify
from registry.store.engine import Store
from tests import regime
from tests.factories import PORT, Clerk
from tests.services.imports.fleet import Bring, Preview, Undo, conflicts, counts, one_engine

CLOSED = "data;motivo;ato\n24/12/2026;Véspera de Natal;Portaria 38/2026\n31/12/2026;Véspera;Portaria 38/2026\n"
HOLIDAYS = "Feriado em;Feriado;Lei\n09/02/2027;Terça de Carnaval;Lei 7\n16/07;Padroeira;Lei 8\n17/07;Conceição;\n"


@pytest.fixture
def read(preview: Preview) -> Callable[..., ImportReport]:
    def made(text: str, kind: str = "closures", **more: Any) -> ImportReport:
        return preview(text, kind=kind, code="", **more)

    return made


@pytest.fixture
def close(desk: Desk, jonas: Clerk, read: Callable[..., ImportReport]) -> Callable[..., Written]:
    def made(text: str = CLOSED, kind: str = "closures", **more: Any) -> Written:
        return imports.write(jonas.occasion(), desk, read(text, kind, **more))

    return made


def test_each_day_is_closed_by_its_act_and_terms_skip_it(
    store: Store, desk: Desk, close: Callable[..., Written]
) -> None:
    with store.reading() as session:
        assert desk.calendar(session, PORT).is_business_day(date(2026, 12, 24))
    written = close()
    assert (written.days, written.known) == (2, 0)
    with store.reading() as session:
        closed = desk.calendar(session, PORT).why_closed(date(2026, 12, 24))
        assert closed == "Véspera de Natal (Portaria 38/2026)"
        assert verify(session).intact
        actions = session.scalars(select(AuditEntry.action).order_by(AuditEntry.seq)).all()
    assert actions == ["closures.imported", "day.closed", "day.closed"]


def test_a_second_import_of_the_same_days_changes_nothing(
    store: Store, close: Callable[..., Written], read: Callable[..., ImportReport]
) -> None:
    close()
    before = counts(store)
    assert read(CLOSED).plan.says_nothing_new
    again = close()
    assert again.nothing_changed and again.known == 2
    assert counts(store) == before


@one_engine
def test_a_day_closed_for_another_reason_is_a_conflict(
    close: Callable[..., Written], read: Callable[..., ImportReport]
) -> None:
    close()
    other = CLOSED.replace("Véspera de Natal", "Luto")
    assert conflicts(read(other)) == [(2, "No cadastro, 24/12/2026 está fechado: Véspera de Natal.")]
    with pytest.raises(Refused):
        close(other)
    assert close(other, skip=(2,)).nothing_changed


@one_engine
def test_one_day_twice_in_a_file(read: Callable[..., ImportReport]) -> None:
    same = read(CLOSED + "24/12/2026;VESPERA DE NATAL;Portaria 38/2026\n")
    assert [(each.kind, each.line) for each in same.remarks] == [("duplicada", 4)]
    assert conflicts(read(CLOSED + "24/12/2026;Luto;Portaria 38/2026\n")) == [
        (4, "A linha 2 tem o mesmo dia com outro nome, Véspera de Natal.")
    ]


@pytest.mark.parametrize(
    ("kind", "row", "says"),
    [
        ("closures", "24/12/2026;Véspera;", "vazia"),
        ("closures", "24/12;Véspera;Portaria 1", "30/11/2026"),
        ("holidays", "30/02;Nada;", "O dia 30/02 não existe"),
        ("holidays", "29/02/2027;Nada;", "não existe em 2027"),
        ("holidays", "46380;Serial;", "no Excel seria 24/12/2026"),
    ],
)
@one_engine
def test_a_wrong_day_is_an_error(read: Callable[..., ImportReport], kind: str, row: str, says: str) -> None:
    (error,) = read(f"data;nome;ato\n{row}\n", kind).remarks_of("erro")
    assert says in error.message


def test_a_holiday_of_one_year_is_closed_and_a_yearly_one_belongs_in_the_configuration(
    store: Store, close: Callable[..., Written], read: Callable[..., ImportReport]
) -> None:
    plan = read(HOLIDAYS, "holidays").plan
    assert isinstance(plan, CalendarPlan)
    assert [dict(each) for each in plan.yearly] == [
        {"rule": "07-16", "name": "Padroeira", "act": "Lei 8"},
        {"rule": "07-17", "name": "Conceição", "act": ""},
    ]
    assert [(each.kind, each.line) for each in plan.remarks] == [("aviso", 3), ("aviso", 4)]
    assert close(HOLIDAYS, "holidays").days == 1
    with store.reading() as session:
        assert session.scalars(select(Closure.day)).all() == [date(2027, 2, 9)]
    assert close(HOLIDAYS, "holidays").nothing_changed


@one_engine
def test_a_yearly_day_that_is_configured_is_known(desk: Desk, jonas: Clerk) -> None:
    own = replace(desk.settings.authority(PORT), calendar=({"rule": "12-08", "name": "Conceição"},))
    authorities = MappingProxyType({**desk.settings.authorities, PORT: own})
    configured = replace(desk, settings=replace(desk.settings, authorities=authorities))
    stream = BytesIO("data;nome\n08/12;Conceição\n".encode())
    report = imports.preview(jonas.occasion(), configured, "", stream, "x.csv", kind="holidays")
    assert (report.plan.known if isinstance(report.plan, CalendarPlan) else None, report.remarks) == (1, ())


@one_engine
def test_yearly_days_are_added_to_the_authoritys_calendar_once(
    desk: Desk, jonas: Clerk, read: Callable[..., ImportReport], tmp_path: Path
) -> None:
    plan = read(HOLIDAYS, "holidays").plan
    assert isinstance(plan, CalendarPlan)
    demonstration = replace(desk, settings=replace(desk.settings, demo=True))
    with pytest.raises(Refused, match="demonstração"):
        add_yearly(jonas.occasion(), demonstration, plan)
    real = replace(desk, settings=replace(desk.settings, demo=False))
    assert add_yearly(jonas.occasion(), real, plan) == 2
    kept = tomllib.loads(real.settings.setup_file.read_text(encoding="utf-8"))
    own = next(each["calendar"] for each in kept["authority"] if each["code"] == PORT)
    assert [(day["rule"], day["name"]) for day in own] == [("07-16", "Padroeira"), ("07-17", "Conceição")]


def test_days_that_have_not_come_open_again_when_the_import_is_undone(
    store: Store, desk: Desk, close: Callable[..., Written], undo: Undo
) -> None:
    written = close()
    undone = undo(written.number)
    assert (undone.ended, undone.restored) == (2, 0)
    with store.reading() as session:
        assert desk.calendar(session, PORT).is_business_day(date(2026, 12, 24))
        entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "closure.import_undone")).first()
        assert entry is not None and entry.after["ended_at"]
        kept = session.scalars(select(Closure).where(Closure.ended_at.is_not(None))).all()
        assert {row.act for row in kept} == {"Portaria 38/2026"}, "ended, not deleted"
    assert close().days == 2


def test_a_day_that_has_passed_stays_closed(store: Store, close: Callable[..., Written], undo: Undo) -> None:
    written = close()
    before = counts(store)
    with pytest.raises(Refused, match="24/12/2026 já passou"):
        undo(written.number, days=25)
    assert counts(store) == before


@one_engine
def test_a_kind_that_is_none_is_not_found(preview: Preview, bring: Bring) -> None:
    with pytest.raises(NotFound):
        preview(CLOSED, kind="planes", code=regime.CODE)
