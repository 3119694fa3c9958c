"""The page of an act shows everything that rests on it: tied when it was written, or named before it was entered."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from io import BytesIO

import pytest

from registry.services import act_pages, acts, decisions, indexes, offices, permits, restrictions
from registry.services.acts import ActFile, ActInput
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused
from tests import factories, regime
from tests.factories import PDF, Clerk
from tests.services import steps

TODAY = date(2026, 11, 30)
GIVEN = ActInput("portaria", "112/2026", date(2026, 11, 27))
TEXT = "Portaria nº 112/26"


def _page(desk: Desk, act_id: int) -> act_pages.ActPage:
    with desk.store.reading() as session:
        return act_pages.act_page(session, desk, "porto", act_id)


def _write(desk: Desk, by: Clerk, text: str = TEXT) -> None:
    indexes.enter_index_value(by.occasion(), desk, "custo", TODAY, Decimal("5.1374"), text, confirmed=True)
    indexes.close_day(by.occasion(), desk, date(2026, 12, 2), "Recesso", text)
    office = desk.regime(regime.CODE).offices[0].code
    offices.appoint(by.occasion(), desk, by.id, regime.CODE, office, TODAY, act=text)
    car = factories.vehicle(desk, by)
    more = {"kind": "seizure", "since": TODAY, "reason": "x", "act": text}
    restrictions.restrict_vehicle(by.occasion(), desk, car, regime=regime.CODE, **more)


def _titles(page: act_pages.ActPage) -> dict[str, int]:
    return {group.title: group.total for group in page.groups}


WRITTEN = {"Valores de índices": 1, "Dias sem expediente": 1, "Nomeações": 1, "Restrições": 1}


@pytest.mark.parametrize("first", ["act", "rows"])
def test_what_rests_on_an_act_is_shown_whichever_came_first(desk: Desk, jonas: Clerk, first: str) -> None:
    if first == "rows":
        _write(desk, jonas)
    made = acts.enter_act(jonas.occasion(), desk, GIVEN)
    if first == "act":
        _write(desk, jonas)
    other = acts.enter_act(jonas.occasion(), desk, replace(GIVEN, number="113/2026"))
    assert _titles(_page(desk, made)) == WRITTEN
    assert _titles(_page(desk, other)) == {}
    value = _page(desk, made).groups[0].lines[0]
    assert (value.value, value.key, value.when) == (Decimal("5.1374"), "custo", "a partir de 30/11/2026")
    with pytest.raises(NotFound), desk.store.reading() as session:
        act_pages.act_page(session, desk, "outro", made)


def test_the_right_act_shows_what_the_wrong_one_held(desk: Desk, jonas: Clerk) -> None:
    wrong = acts.enter_act(jonas.occasion(), desk, GIVEN)
    _write(desk, jonas)
    right = acts.correct_act(jonas.occasion(hours=1), desk, wrong, replace(GIVEN, number="211/2026"), "Número trocado")
    last = acts.correct_act(jonas.occasion(hours=2), desk, right, replace(GIVEN, number="121/2026"), "Trocado de novo")
    page = _page(desk, last)
    assert _titles(page) == WRITTEN
    assert page.wrong == ((right, "Portaria nº 211/2026"), (wrong, "Portaria nº 112/2026"))
    before = _page(desk, wrong)
    assert (before.right, before.reason) == ((right, "Portaria nº 211/2026"), "Número trocado")


@pytest.mark.parametrize("first", ["act", "end"])
def test_an_ended_permit_rests_on_its_act(desk: Desk, jonas: Clerk, first: str) -> None:
    made = acts.enter_act(jonas.occasion(), desk, GIVEN) if first == "act" else 0
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    version = steps.version_of(desk, request_id)
    done = decisions.decide(jonas.occasion(hours=2), desk, request_id, version, "deferido")
    with desk.store.reading() as session:
        version = permits.permit_page(session, desk, "porto", done.permit_id, factories.NOON).version
    permits.end_permit(jonas.occasion(hours=3), desk, done.permit_id, version, TODAY, "Cassada", TEXT)
    page = _page(desk, made or acts.enter_act(jonas.occasion(hours=4), desk, GIVEN))
    assert _titles(page) == {"Outorgas encerradas": 1}
    assert page.groups[0].lines[0].noun == "permit"


def test_the_file_is_opened(desk: Desk, jonas: Clerk) -> None:
    made = acts.enter_act(jonas.occasion(), desk, GIVEN, ActFile(BytesIO(PDF), "portaria 112.pdf"))
    bare = acts.enter_act(jonas.occasion(), desk, replace(GIVEN, number="113/2026"))
    with desk.store.reading() as session:
        opened = act_pages.open_act_file(session, desk, "porto", made)
        assert (opened.path.read_bytes(), opened.name) == (PDF, "portaria 112.pdf")
        for authority, act_id in (("porto", bare), ("outro", made), ("porto", 999)):
            with pytest.raises(NotFound):
                act_pages.open_act_file(session, desk, authority, act_id)


@pytest.mark.parametrize("entered", [True, False])
def test_a_decision_names_its_act_and_rests_on_it_where_it_is_entered(desk: Desk, jonas: Clerk, entered: bool) -> None:
    made = acts.enter_act(jonas.occasion(), desk, replace(GIVEN, kind="despacho")) if entered else None
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    version = steps.version_of(desk, request_id)
    later = jonas.occasion(hours=2)
    with pytest.raises(Refused):
        decisions.decide(later, desk, request_id, version, "deferido", act="x" * 401)
    done = decisions.decide(later, desk, request_id, version, "deferido", "Defiro.", act="Despacho 112/26")
    assert (done.text, done.act_id) == ("Defiro.\n\nAto: Despacho 112/26.", made)
    if made is not None:
        (group,) = _page(desk, made).groups
        assert (group.title, group.lines[0].text) == ("Decisões", "Deferido: requerimento 2026/000001")


def test_the_acts_that_rows_name_and_nobody_entered_are_listed(desk: Desk, jonas: Clerk) -> None:
    def missing(authority: str = "porto") -> tuple[str, ...]:
        with desk.store.reading() as session:
            return act_pages.acts_not_entered(session, desk, authority)

    assert missing() == ()
    _write(desk, jonas)
    assert (missing(), missing("outro")) == ((TEXT,), ())
    acts.enter_act(jonas.occasion(), desk, GIVEN)
    assert missing() == ()
