"""Search by any fragment of a name and by the beginning of a plate: alike on both engines."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import insert, update

from registry.domain.text import fold
from registry.store.engine import Store
from registry.store.people import Person
from registry.store.search import MOST_COUNTED, search_people, search_plates
from registry.store.vehicles import Vehicle

NOW = datetime(2026, 11, 30, tzinfo=UTC)
NAMES = ("José da Conceição", "JOSE ANTÔNIO Assunção", "Maria 100%_Taxi", 'Ana "Nina" O’Hara', "Íris Ávila", "Zé")


@pytest.fixture
def people(town: Store) -> Store:
    with town.writing() as session:
        session.add_all(Person(authority="a", kind="natural", name=name, created_at=NOW) for name in NAMES)
        session.add(Person(authority="b", kind="natural", name="José de Outra Cidade", created_at=NOW))
        session.add(Person(authority="a", kind="natural", name="José Encerrado", created_at=NOW, ended_at=NOW))
    return town


def found(store: Store, typed: str, authority: str = "a") -> list[str]:
    with store.reading() as session:
        result = search_people(session, authority, typed)
    assert result.count == len(result.hits)
    return [hit.name for hit in result.hits]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("jose", ["JOSE ANTÔNIO Assunção", "José da Conceição"]),
        ("JOSÉ", ["JOSE ANTÔNIO Assunção", "José da Conceição"]),
        ("ceic", ["José da Conceição"]),
        ("CEIÇÃO", ["José da Conceição"]),
        ("ceicao jose", ["José da Conceição"]),
        ("  jose   ant ", ["JOSE ANTÔNIO Assunção"]),
        ("da jose", ["José da Conceição"]),
        ("iris", ["Íris Ávila"]),
        ("vi", ["Íris Ávila"]),
        ("ze", ["Zé"]),
        ("z", ["Zé"]),
        ("%", ["Maria 100%_Taxi"]),
        ("_", ["Maria 100%_Taxi"]),
        ("0%_t", ["Maria 100%_Taxi"]),
        ("100%", ["Maria 100%_Taxi"]),
        ("j%e", []),
        ("j_se", []),
        ('"nina"', ['Ana "Nina" O’Hara']),
        ('"', ['Ana "Nina" O’Hara']),
        ("o'hara", ['Ana "Nina" O’Hara']),
        ("\\", []),
        ("jos* OR maria", []),
        ("NEAR(jose)", []),
        ("", []),
        ("   ", []),
        ("encerrado", []),
        ("outra", []),
        ("x" * 5000, []),
    ],
)
def test_fragments(people: Store, typed: str, names: list[str]) -> None:
    assert found(people, typed) == names


def test_each_authority_finds_its_own(people: Store) -> None:
    assert found(people, "jose", "b") == ["José de Outra Cidade"]


def test_a_changed_name_is_found_under_the_new_one_alone(people: Store) -> None:
    with people.writing() as session:
        person = session.query(Person).filter_by(name="Zé").one()
        person.name = "Zélia Câmara"
    assert found(people, "camara") == ["Zélia Câmara"]
    with people.writing() as session:
        session.execute(
            update(Person).where(Person.name == "Zélia Câmara").values(name="Rui", name_folded=fold("Rui Sá"))
        )
    assert found(people, "camara") == []
    assert found(people, "rui") == ["Rui"]


def test_a_removed_row_is_not_found(people: Store) -> None:
    with people.writing() as session:
        session.delete(session.query(Person).filter_by(name="Íris Ávila").one())
    assert found(people, "iris") == []


def test_a_rolled_back_row_is_not_found(people: Store) -> None:
    with pytest.raises(RuntimeError), people.writing() as session:
        session.add(Person(authority="a", kind="natural", name="Fulano Fantasma", created_at=NOW))
        session.flush()
        raise RuntimeError
    assert found(people, "fantasma") == []


def test_a_name_that_grows_when_folded_still_fits(town: Store) -> None:
    with town.writing() as session:
        session.add(Person(authority="a", kind="natural", name="ß" * 400, created_at=NOW))
    assert len(found(town, "sss")) == 1


def _add_many(store: Store, count: int, authority: str = "a") -> None:
    base = {"kind": "natural", "created_at": NOW, "version": 1, "document": "", "facts": {}, "authority": authority}
    base |= dict.fromkeys(("nationality", "sex", "cnh", "phone", "email", "address"), "")
    rows = [
        base | {"cnh_confirmed": False, "name": f"João {number:05}", "name_folded": f"joao {number:05}"}
        for number in range(count)
    ]
    with store.writing() as session:
        session.execute(insert(Person), rows)


@pytest.mark.parametrize("typed", ["joao", "jo"])
@pytest.mark.parametrize(
    ("rows", "counted", "more"), [(1_000, 1_000, False), (1_001, 1_001, True), (1_100, 1_001, True)]
)
def test_counting_stops_after_a_thousand(town: Store, typed: str, rows: int, counted: int, more: bool) -> None:
    _add_many(town, rows)
    with town.reading() as session:
        result = search_people(session, "a", typed, limit=5)
    assert (result.count, result.more_than_counted, len(result.hits)) == (counted, more, 5)
    assert MOST_COUNTED == 1_001


def test_others_never_crowd_out_an_authority(town: Store) -> None:
    _add_many(town, 1_200, "b")
    with town.writing() as session:
        session.add(Person(authority="a", kind="natural", name="João Só", created_at=NOW))
    assert found(town, "joao") == ["João Só"]


def test_pages_follow_each_other_without_gap_or_repetition(town: Store) -> None:
    _add_many(town, 25)
    seen: list[str] = []
    after = None
    with town.reading() as session:
        while True:
            page = search_people(session, "a", "joao", limit=10, after=after)
            if not page.hits:
                break
            assert page.count == 25
            seen += [hit.name for hit in page.hits]
            after = page.last
    assert seen == [f"João {number:05}" for number in range(25)]


@pytest.fixture
def vehicles(town: Store) -> Store:
    rows = [
        ("a", "KGA1234", "KGA1234"),
        ("a", "KGA1C99", "KGA1299"),
        ("a", "PEZ0O00", "PEZ0O00"),
        ("b", "KGA1111", "KGA1111"),
    ]
    with town.writing() as session:
        session.add_all(
            Vehicle(authority=authority, plate=plate, plate_key=key, created_at=NOW) for authority, plate, key in rows
        )
    return town


@pytest.mark.parametrize(
    ("typed", "plates"),
    [
        ("KGA-1234", ["KGA1234"]),
        ("kga 1234", ["KGA1234"]),
        ("kga12", ["KGA1234", "KGA1C99"]),
        ("kga1c", ["KGA1234", "KGA1C99"]),
        ("KGA1C34", ["KGA1234"]),
        ("kga1299", ["KGA1C99"]),
        ("kga", ["KGA1234", "KGA1C99"]),
        ("pez0o", ["PEZ0O00"]),
        ("ga1", []),
        ("%", []),
        ("", []),
        (" - ", []),
    ],
)
def test_plates(vehicles: Store, typed: str, plates: list[str]) -> None:
    with vehicles.reading() as session:
        result = search_plates(session, "a", typed)
    assert [hit.plate for hit in result.hits] == plates
    assert result.count == len(plates)
