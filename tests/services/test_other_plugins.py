"""What other plugins do to a regime that is not theirs: tighten it, write their own rows, hear of a decision."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.domain.dossier import Dossier
from registry.domain.effects import Command, PluginCommand
from registry.domain.occasion import Occasion
from registry.domain.regime import Missing, Rule
from registry.plugins import PluginHost
from registry.services import decisions, requests
from registry.services.desk import Desk
from registry.services.errors import RuleDown
from registry.services.progress import progress_of
from registry.store.acts import Closure
from registry.store.engine import Store
from registry.store.permits import Permit
from registry.store.requests import Request, StoredVerdict
from tests import factories, regime
from tests.hooks import planted
from tests.services import steps

LEAST = 30


def town(least: int = LEAST, **hooks: Any) -> ModuleType:
    """A city that wants more seats in a new boat than the port does, and nothing of a renewal."""

    def seats_of(dossier: Dossier) -> planted.Seats | Missing:
        return planted.Seats(dossier.vehicle.seats or 0) if dossier.vehicle else Missing(("veículo",))

    def registry_rules(regime: str, request_kind: str) -> list[Rule]:
        return [Rule(planted.seats, seats_of, "Lotação da cidade")] if request_kind == "novo" else []

    law = planted.files()
    law["parameters.toml"]["parameter"]["seats.min"]["values"] = [{"from": date(2000, 1, 1), "value": least}]
    return planted.city("town", content=law, registry_rules=planted.hook("registry_rules", registry_rules), **hooks)


def desk_of(store: Store, var: Path, other: ModuleType, own: ModuleType | None = None) -> Desk:
    """A desk with the port's plugin and another one beside it."""
    chosen = replace(factories.settings(var), plugins=(regime.NAME, "town"))
    factories.desk(store, var)
    host = PluginHost.load(chosen, {regime.NAME: own or regime.module(), "town": other})
    return Desk(store, host, chosen, var / "files")


def test_a_plugin_tightens_anothers_regime(store: Store, tmp_path: Path) -> None:
    desk = desk_of(store, tmp_path, town())
    jonas = factories.clerk(store)
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas, pay_all=False)
    later = jonas.occasion(hours=2)

    with store.reading() as session:
        found = progress_of(session, desk, jonas.authority, request_id, later.at).findings
        preview = decisions.decision_preview(session, desk, later, request_id)
    against = {each.rule: (each.plugin, each.outcome) for each in found if each.impedes}
    assert against == {"Lotação da cidade": ("town", "deny")}
    assert "O veículo tem 20 lugares (Art. 1º)." in preview.refusal_text and "mínimo" not in preview.refusal_text
    with pytest.raises(decisions.Impeded, match="O veículo tem 20 lugares"):
        decisions.decide(later, desk, request_id, steps.version_of(desk, request_id), "deferido")

    decisions.decide(later, desk, request_id, steps.version_of(desk, request_id), "indeferido", preview.refusal_text)
    with store.reading() as session:
        stored = session.scalars(select(StoredVerdict).where(StoredVerdict.plugin == "town")).one()
    assert (stored.question, stored.plugin_version, stored.given, stored.outcome) == (
        "seats",
        "1.2",
        {"seats": 20},
        "deny",
    )
    assert stored.grounds[0]["values"][0]["value"] == LEAST


@pytest.mark.parametrize(("least", "kind"), [(20, "novo"), (LEAST, "renovacao")])
def test_what_it_does_not_forbid_it_leaves_alone(store: Store, tmp_path: Path, least: int, kind: str) -> None:
    desk = desk_of(store, tmp_path, town(least))
    jonas = factories.clerk(store)
    request_id = factories.filed(desk, jonas, kind)
    with store.reading() as session:
        found = progress_of(session, desk, jonas.authority, request_id, jonas.occasion().at).findings
    assert not [each for each in found if each.plugin == "town" and each.impedes]


def test_its_rule_that_raises_stops_every_request_of_the_regime(store: Store, tmp_path: Path) -> None:
    def registry_rules(regime: str) -> list[Rule]:
        raise ZeroDivisionError

    other = planted.city("town", registry_rules=planted.hook("registry_rules", registry_rules))
    quiet = desk_of(store, tmp_path, town(1))
    jonas = factories.clerk(store)
    request_id = factories.draft(quiet, jonas)
    broken = desk_of(store, tmp_path, other)
    with pytest.raises(RuleDown) as down:
        requests.file_request(jonas.occasion(), broken, request_id)
    assert down.value.plugin == "town"
    with store.reading() as session:
        assert session.get_one(Request, request_id).state == "rascunho"


def commanding(dossier: Dossier, occasion: Occasion, law: Any) -> tuple[Command, ...]:
    """The port's own effect, then a command for the other plugin."""
    return (*regime.REGIME.request_kind("novo").effect(dossier, occasion, law), PluginCommand("town", "close", {}))


def port_that_commands() -> ModuleType:
    """The port's plugin with a grant that commands the other plugin too."""
    kinds = (replace(regime.REGIME.request_kind("novo"), effect=commanding), *regime.REGIME.request_kinds[1:])
    return regime.module(registry_regimes=lambda: (replace(regime.REGIME, request_kinds=kinds),))


@pytest.mark.parametrize("fails", [False, True])
def test_its_rows_are_written_with_the_decision_or_not_at_all(store: Store, tmp_path: Path, fails: bool) -> None:
    def registry_apply(session: Any, command: PluginCommand, dossier: Dossier, occasion: Occasion) -> None:
        assert command.name == "close" and dossier.vehicle is not None
        session.add(
            Closure(authority=occasion.authority, day=occasion.on, name="Da cidade", act="-", recorded_at=occasion.at)
        )
        session.flush()
        if fails:
            raise ZeroDivisionError

    other = planted.city("town", registry_apply=planted.hook("registry_apply", registry_apply))
    desk = desk_of(store, tmp_path, other, port_that_commands())
    jonas = factories.clerk(store)
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    version = steps.version_of(desk, request_id)
    if fails:
        with pytest.raises(RuleDown):
            decisions.decide(jonas.occasion(hours=2), desk, request_id, version, "deferido")
    else:
        decisions.decide(jonas.occasion(hours=2), desk, request_id, version, "deferido")
    with store.reading() as session:
        written = [session.scalar(select(func.count()).select_from(table)) for table in (Closure, Permit)]
    assert written == ([0, 0] if fails else [1, 1])


def test_a_command_that_no_plugin_executes_stops_the_grant(store: Store, tmp_path: Path) -> None:
    desk = desk_of(store, tmp_path, planted.city("town"), port_that_commands())
    jonas = factories.clerk(store)
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    with pytest.raises(RuleDown) as down:
        decisions.decide(jonas.occasion(hours=2), desk, request_id, steps.version_of(desk, request_id), "deferido")
    assert down.value.plugin == "town"
    with store.reading() as session:
        assert session.scalar(select(func.count()).select_from(Permit)) == 0


@pytest.mark.parametrize("result", ["deferido", "indeferido"])
def test_it_hears_of_a_decision_when_it_stands_and_cannot_undo_it(store: Store, tmp_path: Path, result: Any) -> None:
    heard: list[tuple[str, str]] = []

    def registry_decided(request_id: int, result: str) -> None:
        with store.reading() as session:
            heard.append((result, session.get_one(Request, request_id).state))
        raise ZeroDivisionError

    desk = desk_of(store, tmp_path, town(1, registry_decided=planted.hook("registry_decided", registry_decided)))
    jonas = factories.clerk(store)
    steps.appoint(desk, jonas)
    request_id = steps.ready(desk, jonas)
    made = decisions.decide(
        jonas.occasion(hours=2), desk, request_id, steps.version_of(desk, request_id), result, "Texto."
    )
    assert (made.result, heard) == (result, [(result, result)])
