"""Stands and designations: from an imported row to the dossier, the list and the page, on both engines."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest
from sqlalchemy import select

from registry.api.data import NotFound
from registry_taxi_pontos import stands
from registry_taxi_pontos.imports import remarks, write_row
from registry_taxi_pontos.models import Designation, Ponto

from .conftest import AT, DAY, ZONE

SINCE = date(2026, 11, 1)


def row(permit_id: int | None, ponto: str | None, **more):
    return {"permit_id": permit_id, "vehicle_id": 1, "line": 2, "ponto": ponto, "since": SINCE, **more}


def bring(store, occasion, *rows) -> list[bool]:
    with store.writing() as session:
        return [write_row(session, occasion, each) for each in rows]


def read(store, table):
    with store.reading() as session:
        return session.scalars(select(table).order_by(table.id)).all()


def test_a_row_enters_its_stand_and_designates_its_permit(store, occasion, permit) -> None:
    assert bring(store, occasion, row(permit("0001"), "PRAÇA DO DIÁRIO")) == [True]
    (stand,), (designation,) = read(store, Ponto), read(store, Designation)
    assert (stand.name, stand.code, stand.category, stand.places) == ("PRAÇA DO DIÁRIO", "", "", None)
    assert (designation.ponto_id, designation.since, designation.until) == (stand.id, SINCE, None)


@pytest.mark.parametrize("name", ["Praça do Diário", "PRACA DO DIARIO", "praça  do diário"])
def test_a_stand_is_one_whatever_its_case_accents_and_blanks(store, occasion, permit, name: str) -> None:
    first, second = permit("0001"), permit("0002")
    assert bring(store, occasion, row(first, "PRAÇA DO DIÁRIO"), row(second, name)) == [True, True]
    assert bring(store, occasion, row(first, name), row(second, name)) == [False, False]
    assert [stand.name for stand in read(store, Ponto)] == ["PRAÇA DO DIÁRIO"]
    assert len(read(store, Designation)) == 2


@pytest.mark.parametrize("nothing", [None, ""])
def test_no_stand_is_no_stand_and_ends_no_designation(store, occasion, permit, nothing) -> None:
    known = permit("0001")
    bring(store, occasion, row(known, "RODOVIÁRIA"))
    assert bring(store, occasion, row(known, nothing), row(permit("0002"), nothing)) == [False, False]
    assert (len(read(store, Ponto)), len(read(store, Designation))) == (1, 1)
    with store.reading() as session:
        assert list(remarks(session, occasion, [row(known, nothing)])) == []


def test_another_stand_is_told_and_when_taken_ends_the_old_designation_the_day_before(store, occasion, permit) -> None:
    known = permit("0001")
    bring(store, occasion, row(known, "RODOVIÁRIA"))
    with store.reading() as session:
        (told,) = remarks(session, occasion, [row(known, "AEROPORTO"), row(None, "AEROPORTO")])
    assert (told.line, told.target, told.kind) == (2, "ponto", "conflito")
    assert told.message == "No cadastro o ponto é RODOVIÁRIA."
    assert bring(store, occasion, row(known, "AEROPORTO")) == [True]
    old, new = read(store, Designation)
    assert (old.until, new.since, new.until) == (DAY - timedelta(days=1), DAY, None)
    with store.reading() as session:
        for on, label in (
            (SINCE - timedelta(days=1), None),
            (SINCE, "RODOVIÁRIA"),
            (old.until, "RODOVIÁRIA"),
            (DAY, "AEROPORTO"),
        ):
            assert stands.facts_of(session, known, on).get("ponto") == label


def test_two_stands_on_one_day_leave_the_last(store, occasion, permit) -> None:
    known = permit("0001")
    bring(store, occasion, row(known, "A"))
    bring(store, occasion, row(known, "B"))
    bring(store, occasion, row(known, "A"))
    with store.reading() as session:
        assert stands.facts_of(session, known, DAY)["ponto"] == "A"


def test_a_stand_with_a_code_is_called_by_both(store, occasion, permit) -> None:
    known = permit("0001")
    bring(store, occasion, row(known, "Praça do Derby"))
    with store.writing() as session:
        stand = session.scalars(select(Ponto)).one()
        stand.code, stand.category, stand.min_side_doors = "12", "privado", 4
    with store.reading() as session:
        facts = stands.facts_of(session, known, DAY)
    assert (facts["ponto"], facts["category"], facts["min_side_doors"]) == ("12 – Praça do Derby", "privado", 4)


def test_the_list_counts_permits_in_force_and_finds_by_fragment_or_code(store, occasion, permit) -> None:
    ended = permit("0003", ended_on=DAY)
    bring(store, occasion, row(permit("0001"), "PRAÇA B"), row(permit("0002"), "PRAÇA B"), row(ended, "PRAÇA B"))
    bring(store, occasion, row(permit("0004"), "Açude 100%"))
    elsewhere = replace(occasion, authority="outra")
    bring(store, elsewhere, row(permit("0001", "outra"), "PRAÇA C"))
    with store.reading() as session:
        found = stands.list_stands(session, "cidade", DAY)
        assert [(line.label, line.permits) for line in found.lines] == [("Açude 100%", 1), ("PRAÇA B", 2)]
        for typed, labels in (("praca", ["PRAÇA B"]), ("0%", ["Açude 100%"]), ("%", ["Açude 100%"]), ("x", [])):
            assert [line.label for line in stands.list_stands(session, "cidade", DAY, typed).lines] == labels


def test_the_page_of_a_stand_lists_its_permits_by_number_and_only_to_its_authority(store, occasion, permit) -> None:
    bring(store, occasion, row(permit("0002"), "CAIS"), row(permit("0001"), "CAIS"))
    (stand,) = read(store, Ponto)
    with store.reading() as session:
        found = stands.stand_page(session, "cidade", stand.id, DAY)
        assert [(each.number, each.holder, each.plates) for each in found.permits] == [
            ("0001", "", ()),
            ("0002", "", ()),
        ]
        with pytest.raises(NotFound):
            stands.stand_page(session, "outra", stand.id, DAY)


def test_stands_keep_to_their_authority(store, occasion, permit) -> None:
    bring(store, occasion, row(permit("0001"), "CAIS"))
    other = replace(occasion, authority="outra", at=datetime(2026, 11, 30, 13, tzinfo=ZONE))
    bring(store, other, row(permit("0001", "outra"), "CAIS"))
    assert [stand.authority for stand in read(store, Ponto)] == ["cidade", "outra"]
    assert other.at > AT
