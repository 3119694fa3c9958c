"""The open data of a real fleet, through the shipped plugins, from the file to the public answer.

The large file lies in the folder REGISTRY_SHARED, or in ``shared/data`` beside the checkout; without it its tests are
skipped. The ten rows of the sample are in the checkout.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import text

from registry import resources
from registry.domain.identifiers import plate_key
from registry.domain.imports.table import read_table
from registry.domain.occasion import Occasion
from registry.plugins import PluginHost
from registry.services import import_undo, imports, status
from registry.services.authorities import enter_authorities
from registry.services.desk import Desk
from registry.services.errors import Refused
from registry.services.import_write import Written
from registry.services.imports import Choices, ImportReport
from registry.settings import load_settings
from registry.store import audit, migrate
from registry.store.engine import Store
from registry.store.migrate import Migrations

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "tests" / "data" / "imports" / "s01_poa_frota_taxi.csv"
SHARED = Path(os.environ.get("REGISTRY_SHARED") or ROOT.parent / "shared" / "data")
FLEET = SHARED / "frota_taxi_porto_alegre_2020.csv"
REGIME = "taxi_recife"
AT = datetime(2026, 11, 30, 12, tzinfo=ZoneInfo("America/Recife"))
SETTINGS = load_settings(resources.config(), {"REGISTRY_CONFIG": "recife.toml"})
HOST = PluginHost.load(SETTINGS)
real = pytest.mark.skipif(not FLEET.exists(), reason=f"no {FLEET.name} in REGISTRY_SHARED")


@pytest.fixture
def store_plugins() -> tuple[Migrations, ...]:
    return migrate.of_plugins(HOST)


@pytest.fixture
def city(store: Store, tmp_path: Path) -> Desk:
    with store.writing() as session:
        enter_authorities(session, SETTINGS)
    return Desk(store, HOST, replace(SETTINGS, var=tmp_path), tmp_path)


@pytest.fixture
def occasion() -> Occasion:
    return Occasion("importador", "recife", AT, ZoneInfo("America/Recife"))


def preview(occasion: Occasion, city: Desk, path: Path, **choices: object) -> ImportReport:
    with path.open("rb") as stream:
        return imports.preview(occasion, city, REGIME, stream, path.name, Choices(**choices))  # type: ignore[arg-type]


def scalar(store: Store, query: str, **values: object) -> object:
    with store.reading() as session:
        return session.execute(text(query), values).scalar()


# the sample


@pytest.fixture
def sample(occasion: Occasion, city: Desk) -> Written:
    return imports.write(occasion, city, preview(occasion, city, SAMPLE, skip=(9,)))


def test_the_sample_waits_for_the_clerk_to_solve_the_twins(occasion: Occasion, city: Desk) -> None:
    report = preview(occasion, city, SAMPLE)
    assert report.blocked
    assert Counter(each.kind for each in report.remarks) == {"aviso": 1, "conflito": 1, "duplicada": 1}


@pytest.mark.parametrize(
    ("plate", "outcome"),
    [
        ("QZA1026", "2018: 2026 − 2018 = 8 anos"),
        ("QZB1C91", "em conferência"),
        ("QZB1291", "em conferência"),
        ("QZC0860", "em conferência"),
        ("QZD7784", "2012: 2026 − 2012 = 14 anos"),
        ("QZE8G46", "em conferência"),
        ("QZF2122", "2017: 2026 − 2017 = 9 anos"),
        ("QZG5822", "2021: 2026 − 2021 = 5 anos"),
        ("ALW1992", "1992: 2026 − 1992 = 34 anos"),
    ],
)
def test_what_the_public_learns_of_each_car_of_the_sample(
    city: Desk, sample: Written, plate: str, outcome: str
) -> None:
    with city.store.reading() as session:
        (answer,) = status.answers(session, city, plate, AT)
    assert answer.state == "denied" and outcome in answer.sentence
    assert answer.card.since is None


def test_the_stands_of_the_sample(city: Desk, sample: Written) -> None:
    assert scalar(city.store, "select count(*) from taxi_pontos__ponto") == 6
    assert scalar(city.store, "select count(*) from taxi_pontos__ponto where name = ''") == 0
    found = scalar(
        city.store,
        "select o.name from taxi_pontos__ponto o join taxi_pontos__designation d on d.ponto_id = o.id "
        "join permit p on p.id = d.permit_id where p.number = :number",
        number="0042",
    )
    assert found == "ASSIS BRASIL, 6464"


def test_a_designation_for_another_stand_is_a_conflict_and_ends_the_old_one_when_replaced(
    occasion: Occasion, city: Desk, sample: Written, tmp_path: Path
) -> None:
    moved = tmp_path / "moved.csv"
    moved.write_bytes(SAMPLE.read_bytes().replace(b"ASSIS BRASIL, 6464", b"LAGEADO  / nacional"))
    (conflict,) = preview(occasion, city, moved, skip=(9,)).remarks_of("conflito")
    assert (conflict.cell, conflict.message) == ("C7", "No cadastro o ponto é ASSIS BRASIL, 6464.")
    later = replace(occasion, at=AT.replace(day=30, hour=23))
    written = imports.write(later, city, preview(later, city, moved, skip=(9,), existing="replace"))
    assert (written.plugin_rows, written.known) == (1, 7)
    assert scalar(city.store, "select count(*) from taxi_pontos__ponto") == 6
    ended = "select count(*) from taxi_pontos__designation where until is not null"
    assert scalar(city.store, ended) == 1
    with city.store.reading() as session:
        (answer,) = status.answers(session, city, "QZF2122", later.at)
    assert ("Ponto", "LAGEADO / NACIONAL") in answer.card.lines


def test_the_stands_that_an_import_entered_go_when_it_is_undone(
    occasion: Occasion, city: Desk, sample: Written, tmp_path: Path
) -> None:
    moved = tmp_path / "moved.csv"
    moved.write_bytes(SAMPLE.read_bytes().replace(b"ASSIS BRASIL, 6464", b"OUTRO PONTO"))
    later, last = (replace(occasion, at=AT.replace(hour=hour)) for hour in (13, 14))
    second = imports.write(later, city, preview(later, city, moved, skip=(9,), existing="replace"))
    with pytest.raises(Refused, match="O ponto da outorga 0042 mudou depois da importação"):
        import_undo.undo(last, city, sample.number, "Arquivo errado")
    import_undo.undo(last, city, second.number, "Arquivo errado")
    standing = (
        "select o.name from taxi_pontos__ponto o join taxi_pontos__designation d on d.ponto_id = o.id "
        "join permit p on p.id = d.permit_id where p.number = '0042' and d.until is null and o.ended_at is null"
    )
    assert scalar(city.store, standing) == "ASSIS BRASIL, 6464"
    import_undo.undo(replace(occasion, at=AT.replace(hour=15)), city, sample.number, "Arquivo errado")
    assert scalar(city.store, "select count(*) from taxi_pontos__ponto where ended_at is null") == 0
    again = imports.write(last, city, preview(last, city, SAMPLE, skip=(9,)))
    assert (again.permits, again.plugin_rows) == (8, 7)


# the whole fleet


@real
@pytest.mark.slow
def test_the_whole_fleet_comes_in_with_its_oddities_told(occasion: Occasion, city: Desk) -> None:
    report = preview(occasion, city, FLEET)
    tally = {each.target: each for each in report.sheet.tallies}
    assert not report.blocked and report.sheet.rows == len(report.sheet.lines) == 3_677
    assert tally["number"].distinct == tally["plate"].distinct == 3_677
    assert (tally["ponto"].blank, tally["ponto"].distinct) == (1_157, 150)
    assert tally["first_registered_on"].unknown == 99
    assert tally["plate"].mercosul == 727
    assert sum(len(texts) for texts in tally["fuel"].spellings.values()) == 7
    warnings = Counter("antes do ano" in each.message for each in report.remarks_of("aviso"))
    assert (warnings[True], len(report.remarks)) == (5, 7)

    written = imports.write(occasion, city, report)
    assert (written.vehicles, written.permits, written.plugin_rows) == (3_677, 3_677, 3_677 - 1_157)
    assert scalar(city.store, "select count(*) from vehicle") == 3_677
    assert scalar(city.store, "select count(*) from permit where holder_id is null") == 3_677
    assert scalar(city.store, "select count(*) from taxi_pontos__ponto") == 150
    assert scalar(city.store, "select count(*) from taxi_pontos__designation") == 2_520
    assert scalar(city.store, "select count(*) from vehicle where first_registered_on is null") == 99 + 2
    _every_plate_is_refused_for_its_age(city)

    before = _counts(city.store)
    again = imports.write(occasion, city, preview(occasion, city, FLEET))
    assert again.nothing_changed and _counts(city.store) == before
    with city.store.reading() as session:
        assert audit.verify(session).intact


def _every_plate_is_refused_for_its_age(city: Desk) -> None:
    table = read_table(FLEET.read_bytes())
    plates = [record.cell(3) for record in table.records[1:]]
    with city.store.reading() as session:
        for plate in _some(plates):
            (answer,) = status.answers(session, city, plate, AT)
            assert answer.state == "denied" and answer.reasons[0].provision == "art-61-caput", plate
            assert plate_key(answer.card.plate) == plate_key(plate)
        (then,) = status.answers(session, city, plates[0], AT.replace(year=2020))
    assert "em conferência" in then.sentence


def _some(plates: list[str]) -> Iterator[str]:
    yield from plates[::37]


def _counts(store: Store) -> list[object]:
    tables = ("vehicle", "permit", "permit_vehicle", "public_row", "audit_entry", "taxi_pontos__designation")
    return [scalar(store, f"select count(*) from {table}") for table in tables]


def test_the_day_of_the_extraction_is_the_first_day_known(occasion: Occasion, city: Desk, sample: Written) -> None:
    assert str(scalar(city.store, "select granted_on from permit where number = '3655'")) == str(date(2026, 11, 30))
    with city.store.reading() as session:
        assert status.answers(session, city, "QZB1C91", AT.replace(day=29)) == ()
