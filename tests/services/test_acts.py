"""Acts: entered with their file, found by any spelling when they are named, ended and put right, never edited."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.services import acts, indexes, offices, restrictions
from registry.services.acts import ActFile, ActInput
from registry.services.desk import Desk
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.store.access import Appointment
from registry.store.acts import Act, Closure, IndexValue
from registry.store.audit import AuditEntry
from registry.store.corrections import Correction
from registry.store.vehicles import Restriction
from tests import factories, regime
from tests.factories import PDF, Clerk

TODAY = date(2026, 11, 30)
GIVEN = ActInput("portaria", "112/2026", date(2026, 11, 27), "DOE de 28/11/2026", "Fixa o custo por quilômetro")


def _file() -> ActFile:
    return ActFile(BytesIO(PDF), "portaria.pdf")


def _count(desk: Desk, table: Any) -> int:
    with desk.store.reading() as session:
        return int(session.scalar(select(func.count()).select_from(table)) or 0)


def _act_ids(desk: Desk, column: Any) -> list[int | None]:
    with desk.store.reading() as session:
        return list(session.scalars(select(column)))


def test_an_act_is_entered_once_with_its_file_and_audited(desk: Desk, jonas: Clerk) -> None:
    first = acts.enter_act(jonas.occasion(once_key="k"), desk, replace(GIVEN, number="nº 0112/26"), _file())
    assert acts.enter_act(jonas.occasion(once_key="k"), desk, GIVEN, _file()) == first
    with desk.store.reading() as session:
        (line,) = acts.find_acts(session, "porto")
        entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "act.entered")).one()
        assert (entry.after or {})["number"] == "112/2026"
        assert acts.find_acts(session, "outro") == []
    assert (line.name, line.day, line.gazette) == ("Portaria nº 112/2026", date(2026, 11, 27), "DOE de 28/11/2026")
    assert line.file_id is not None


def test_an_act_that_is_there_is_named_with_its_record(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    made = acts.enter_act(jonas.occasion(), desk, GIVEN)
    with pytest.raises(Refused, match="Já existe: Portaria nº 112/2026") as refused:
        acts.enter_act(jonas.occasion(), desk, GIVEN)
    assert refused.value.existing["number"].id == made
    assert acts.enter_act(jonas.occasion(), desk, replace(GIVEN, kind="despacho")) != made
    assert acts.enter_act(stranger.occasion(), desk, GIVEN) != made


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"kind": "lei"}, "kind"),
        ({"number": " "}, "number"),
        ({"number": "112"}, "number"),
        ({"number": "Despacho 112/2026"}, "number"),
        ({"number": "x" * 65}, "number"),
        ({"kind": "outro", "number": "Portaria 112/2026"}, "number"),
        ({"day": date(2026, 12, 1)}, "day"),
        ({"gazette": "x" * 401}, "gazette"),
        ({"summary": "x" * 401}, "summary"),
    ],
)
def test_a_wrong_act_is_refused_at_its_field(desk: Desk, jonas: Clerk, changed: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        acts.enter_act(jonas.occasion(), desk, replace(GIVEN, **changed))
    assert set(refused.value.fields) == {field}
    assert _count(desk, Act) == 0


def test_a_number_without_its_year_gets_the_one_of_the_day_proposed(desk: Desk, jonas: Clerk) -> None:
    with pytest.raises(Refused) as refused:
        acts.enter_act(jonas.occasion(), desk, replace(GIVEN, number="nº 112"))
    assert refused.value.suggestions == {"number": "112/2026"}


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n0000", b"texto"])
def test_a_file_that_is_no_pdf_is_refused(desk: Desk, jonas: Clerk, content: bytes) -> None:
    with pytest.raises(Refused) as refused:
        acts.enter_act(jonas.occasion(), desk, GIVEN, ActFile(BytesIO(content), "ato.pdf"))
    assert set(refused.value.fields) == {"file"}
    assert _count(desk, Act) == 0


def test_a_row_is_linked_to_the_act_that_it_names(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    acts.enter_act(stranger.occasion(), desk, GIVEN)
    made = acts.enter_act(jonas.occasion(), desk, GIVEN)
    for text in ("PORTARIA N. 112/26", "Portaria 113/2026"):
        more = {"since": date(2026, 12, 1) if "112" in text else date(2026, 12, 2)}
        indexes.enter_index_value(jonas.occasion(), desk, "custo", more["since"], Decimal("5.1"), text)
        indexes.close_day(jonas.occasion(), desk, more["since"], "Recesso", text)
        office = desk.regime(regime.CODE).offices[0].code
        offices.appoint(jonas.occasion(), desk, jonas.id, regime.CODE, office, more["since"], more["since"], act=text)
    car = factories.vehicle(desk, jonas)
    restrictions.restrict_vehicle(
        jonas.occasion(),
        desk,
        car,
        regime=regime.CODE,
        kind="seizure",
        since=TODAY,
        reason="x",
        act="Portaria 112/2026",
    )
    assert _act_ids(desk, IndexValue.act_id) == [made, None]
    assert _act_ids(desk, Closure.act_id) == [made, None]
    assert _act_ids(desk, Appointment.act_id) == [made, None]
    assert _act_ids(desk, Restriction.act_id) == [made]


def test_an_act_of_another_kind_is_found_by_its_words(desk: Desk, jonas: Clerk) -> None:
    made = acts.enter_act(jonas.occasion(), desk, replace(GIVEN, kind="outro", number="Resolução CMTU nº 5/2026"))
    with desk.store.reading() as session:
        assert acts.resolve(session, desk, "porto", "resolucao cmtu 5/2026") == made
        assert acts.resolve(session, desk, "porto", "Resolução CMTU 6/2026") is None
        assert acts.resolve(session, desk, "porto", " ") is None
    with pytest.raises(Refused, match="Já existe"):
        acts.enter_act(jonas.occasion(), desk, replace(GIVEN, kind="outro", number="resolução cmtu 5/2026"))


def test_a_wrong_act_ends_and_the_right_one_takes_its_place(desk: Desk, jonas: Clerk) -> None:
    wrong = acts.enter_act(jonas.occasion(), desk, GIVEN, _file())
    same_number = replace(GIVEN, day=date(2026, 11, 26))
    right = acts.correct_act(jonas.occasion(hours=1), desk, wrong, same_number, "Data trocada")
    with desk.store.reading() as session:
        first, second = acts.act_of(session, "porto", wrong), acts.act_of(session, "porto", right)
        assert (first.ended_at is not None, second.ended_at, second.file_id) == (True, None, first.file_id)
        link = session.scalars(select(Correction)).one()
        assert (link.noun, link.wrong_id, link.right_id, link.reason) == ("act", wrong, right, "Data trocada")
        assert acts.resolve(session, desk, "porto", "Portaria 112/2026") == right
        assert acts.known_acts(session, desk, "porto").id_of("port. 112/2026") == right
        assert [line.id for line in acts.find_acts(session, "porto")] == [right]
        assert [line.id for line in acts.find_acts(session, "porto", state="encerrados")] == [wrong]
    with pytest.raises(AlreadyDone):
        acts.correct_act(jonas.occasion(hours=2), desk, wrong, GIVEN, "De novo")
    with pytest.raises(AlreadyDone):
        acts.end_act(jonas.occasion(hours=2), desk, wrong, "De novo")


def test_a_correction_that_changes_nothing_is_refused_whole(desk: Desk, jonas: Clerk) -> None:
    made = acts.enter_act(jonas.occasion(), desk, GIVEN)
    with pytest.raises(Refused, match="Nada mudou"):
        acts.correct_act(jonas.occasion(), desk, made, GIVEN, "x")
    with pytest.raises(Refused) as refused:
        acts.correct_act(jonas.occasion(), desk, made, replace(GIVEN, summary="y"), " ")
    assert set(refused.value.fields) == {"reason"}
    with desk.store.reading() as session:
        assert acts.act_of(session, "porto", made).ended_at is None


def test_an_act_that_is_none_ends_alone(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    made = acts.enter_act(jonas.occasion(), desk, GIVEN)
    with pytest.raises(NotFound):
        acts.end_act(stranger.occasion(), desk, made, "x")
    with pytest.raises(Refused):
        acts.end_act(jonas.occasion(), desk, made, "x" * 401)
    for _ in range(2):
        acts.end_act(jonas.occasion(once_key="fim"), desk, made, "Não existe")
    with desk.store.reading() as session:
        assert acts.resolve(session, desk, "porto", "Portaria 112/2026") is None
        assert acts.known_acts(session, desk, "porto").id_of("Portaria 112/2026") == made
        assert session.scalars(select(Correction)).one().right_id is None
    assert acts.enter_act(jonas.occasion(), desk, GIVEN) != made


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", 2), ("portaria 112/26", 1), ("QUILOMETRO", 1), ("doe 28/11", 1), ("112", 1), ("%", 0), ("lotação", 1),
    ],
)  # fmt: skip
def test_acts_are_searched_without_accents(desk: Desk, jonas: Clerk, typed: str, found: int) -> None:
    acts.enter_act(jonas.occasion(), desk, GIVEN)
    acts.enter_act(jonas.occasion(), desk, ActInput("edital", "3/2026", date(2026, 5, 2), summary="Lotacao de pontos"))
    with desk.store.reading() as session:
        assert len(acts.find_acts(session, "porto", typed)) == found
        assert acts.find_acts(session, "porto", typed, kind="despacho") == []
        days = [line.day for line in acts.find_acts(session, "porto")]
        assert days == sorted(days, reverse=True)
