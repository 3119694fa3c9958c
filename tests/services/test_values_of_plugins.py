"""Values of the law in a plugin's own tables join the index values; its rows that rest on an act stand on its page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from registry.domain.acts import RestsOnAct
from registry.domain.values import DatedValue
from registry.plugins import RuleFailed
from registry.services import acts
from registry.services.act_pages import ActGroup, ActRest, act_page
from registry.services.desk import Desk
from registry.services.public_rows import refresh_public_rows
from registry.services.status import answers
from registry.store.engine import Store
from tests import factories, regime
from tests.factories import NOON

DAY = date(2026, 11, 30)
WHEN = "de 30/11/2026, 12h a 30/11/2026, 12h"


def _desk(store: Store, var: Path, **hooks: Callable[..., Any]) -> Desk:
    return factories.desk(store, var, regime.module(**hooks))


def _value(key: str = "custo", since: date = DAY) -> DatedValue:
    return DatedValue(key, "9.5", "reais", since, act="Portaria 1/2026")


def test_they_are_read_like_index_values_of_their_authority_alone(store: Store, tmp_path: Path) -> None:
    asked = []

    def registry_law_values(authority: str, regimes: tuple[str, ...], law: Any) -> list[DatedValue]:
        asked.append((authority, regimes, law.index("custo", DAY).value))
        return [_value()] if authority == "porto" else []

    desk = _desk(store, tmp_path, registry_law_values=registry_law_values)
    with store.reading() as session:
        law = desk.law(session, "porto", regime.NAME)
        assert (law.index("custo", DAY).value, law.index("custo", date(2026, 11, 29)).value) == ("9.5", "5.00")
        assert desk.law(session, "outro", regime.NAME).index("custo", DAY).value == "5.00"
        desk.law(session, "porto", regime.NAME)
    assert asked == [("porto", (regime.CODE,), "5.00"), ("outro", (regime.CODE,), "5.00")]


@pytest.mark.parametrize("fault", ["key", "raises"])
def test_a_plugin_that_fails_in_it_leaves_no_law(store: Store, tmp_path: Path, fault: str) -> None:
    def registry_law_values() -> list[DatedValue]:
        if fault == "raises":
            raise ZeroDivisionError
        return [_value("tarifa")]

    desk = _desk(store, tmp_path, registry_law_values=registry_law_values)
    with pytest.raises(RuleFailed, match=regime.NAME), store.reading() as session:
        desk.law(session, "porto", regime.NAME)


def test_the_public_look_up_reads_them_anew_once_they_changed(store: Store, tmp_path: Path) -> None:
    asked = []

    def registry_law_values(authority: str) -> list[DatedValue]:
        asked.append(authority)
        return []

    desk = _desk(store, tmp_path, registry_law_values=registry_law_values)
    jonas = factories.clerk(store)
    made = factories.permit(store, factories.person(desk, jonas), factories.vehicle(desk, jonas))
    with store.writing() as session:
        refresh_public_rows(session, desk, made, jonas.occasion())

    def times() -> int:
        asked.clear()
        with store.reading() as session:
            answers(session, desk, "RZT6B18", NOON)
        return len(asked)

    assert (times(), times()) == (1, 0)
    with store.writing() as session:
        desk.law_changed(session, "porto")
    assert (times(), times()) == (1, 0)
    with store.writing() as session:
        desk.law_changed(session, "outro")
    assert times() == 0


def test_rows_of_a_plugin_stand_on_the_page_of_their_act(store: Store, tmp_path: Path) -> None:
    def registry_act_rests(authority: str, act_ids: tuple[int, ...], names: Callable[[str], bool]) -> list[RestsOnAct]:
        known = ["Portaria 112/26", "Portaria 113/2026"]
        return [RestsOnAct("Marés", f"{authority} {act_ids} {each}", NOON, NOON) for each in known if names(each)]

    desk = _desk(store, tmp_path, registry_act_rests=registry_act_rests)
    made = acts.enter_act(factories.clerk(store).occasion(), desk, acts.ActInput("portaria", "112/2026", DAY))
    with store.reading() as session:
        (group,) = act_page(session, desk, "porto", made).groups
    assert group == ActGroup("Marés", 1, (ActRest(f"porto ({made},) Portaria 112/26", WHEN),))
