"""A failing plugin: what it stops, what it does not, and in which order plugins speak."""

from __future__ import annotations

import logging
from datetime import date
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from registry.domain.calendar import ActDay
from registry.domain.dossier import Dossier
from registry.domain.regime import Rule
from registry.domain.values import DatedValue
from registry.hookspecs import hookspec
from registry.plugins import PluginHost, RuleFailed
from registry.settings import load_settings

from .planted import CONFIG, DAY, Seats, city, hook, load, plugin, renamed, seats


def broken(**arguments: Any) -> Any:
    raise ZeroDivisionError("secret detail")


def raising(name: str, *arguments: str) -> Any:
    source = f"def {name}({', '.join(arguments)}): raise ZeroDivisionError('secret detail')"
    scope: dict[str, Any] = {}
    exec(source, scope)
    return hook(name, scope[name])


def test_plugins_speak_in_the_configurations_order():
    town = plugin("town", registry_menu=hook("registry_menu", lambda: ["b"]))
    bay = plugin("bay", registry_menu=hook("registry_menu", lambda: ["a"]))
    assert [each.plugin for each in load(town, bay).collect("registry_menu")] == ["town", "bay"]
    assert [each.plugin for each in load(bay, town).collect("registry_menu")] == ["bay", "town"]


def test_decide_fails_closed_and_names_the_plugin():
    good = plugin("bay", registry_rules=hook("registry_rules", lambda regime: []))
    bad = plugin("town", registry_rules=raising("registry_rules", "regime", "request_kind"))
    with pytest.raises(RuleFailed) as raised:
        load(good, bad).collect("registry_rules", regime="bus", request_kind="new")
    assert (raised.value.plugin, raised.value.what) == ("town", "registry_rules")
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_a_generator_that_fails_late_fails_closed_too():
    def registry_rules(regime: str) -> Any:
        yield Rule(seats, lambda dossier: None, "Lugares")
        raise ZeroDivisionError

    with pytest.raises(RuleFailed, match="town"):
        load(plugin("town", registry_rules=hook("registry_rules", registry_rules))).collect(
            "registry_rules", regime="bus", request_kind="new"
        )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("registry_decided", {"request_id": 1, "result": "deferido", "occasion": None}), ("registry_menu", {})],
)
def test_notify_and_menu_are_logged_and_the_others_still_speak(
    name: str, arguments: dict[str, Any], caplog: pytest.LogCaptureFixture
):
    bad = plugin("town", **{name: raising(name, *arguments)})
    good = plugin("bay", **{name: hook(name, lambda: ["told"])})
    with caplog.at_level(logging.ERROR):
        answers = load(bad, good).collect(name, **arguments)
    assert [each.plugin for each in answers] == ["bay"]
    assert "town" in caplog.text


@pytest.mark.parametrize("name", ["registry_dossier_facts", "registry_apply"])
def test_supply_and_apply_stop_the_act(name: str):
    host = load(plugin("town", **{name: raising(name, "session")}))
    arguments = {"session": None, "dossier": None, "command": None, "occasion": None}
    with pytest.raises(RuleFailed, match="town"):
        host.collect(name, **arguments)


def test_only_one_plugin_is_asked():
    calls: list[str] = []
    made = {
        name: plugin(name, registry_menu=hook("registry_menu", lambda name=name: calls.append(name)))
        for name in ("bay", "town")
    }
    load(*made.values()).collect("registry_menu", only="town")
    assert calls == ["town"]


def test_a_plugin_gets_only_the_arguments_that_it_names():
    seen: list[str] = []
    made = plugin("town", registry_rules=hook("registry_rules", lambda regime: seen.append(regime)))
    assert load(made).collect("registry_rules", regime="bus", request_kind="new") == []
    assert seen == ["bus"]


def test_a_question_that_raises_names_its_plugin():
    host = load(city(content=_without_values()))
    law = host.law_for("city")
    with pytest.raises(RuleFailed, match="city"):
        host.answer("city", "seats", Seats(4), law)


def test_a_missing_value_in_a_rule_is_pending_and_a_fault_is_not():
    host = load(city(content=_without_values()))
    dossier = Dossier("bus", DAY, _noon())
    finding = host.finding(Rule(seats, lambda d: Seats(4), "Lugares"), dossier, host.law_for("city"))
    assert finding is not None
    assert (finding.outcome, finding.missing) == ("pending", ("valor de seats.min em vigor",))
    with pytest.raises(RuleFailed, match="city"):
        host.finding(Rule(seats, broken, "Lugares"), dossier, host.law_for("city"))


def test_rules_of_other_plugins_are_added_after_the_regimes_own():
    from .test_start_up import regime, with_regime

    extra = Rule(seats, lambda dossier: None, "Da cidade")
    town = plugin(
        "town",
        registry_rules=hook("registry_rules", lambda regime, request_kind: [extra] if regime == "bus" else []),
    )
    host = load(town, with_regime(regime()))
    assert [rule.title for rule in host.rules(host.regimes["bus"], "new")] == ["Lugares", "Da cidade"]


@pytest.mark.parametrize(
    "added",
    [
        lambda: map(broken, [1]),
        lambda: [Rule(renamed(seats, "unregistered"), lambda dossier: None, "Da cidade")],
    ],
)
def test_an_added_rule_that_cannot_be_asked_fails_closed(added: Any):
    from .test_start_up import regime, with_regime

    town = plugin("town", registry_rules=hook("registry_rules", added))
    host = load(town, with_regime(regime()))
    with pytest.raises(RuleFailed) as raised:
        host.rules(host.regimes["bus"], "new")
    assert (raised.value.plugin, raised.value.what) == ("town", "registry_rules")


def mechanism() -> ModuleType:
    specs = ModuleType("registry_bands.hookspecs")

    def bands_table(regime: str) -> Any:
        raise NotImplementedError

    specs.bands_table = hookspec(bands_table)  # type: ignore[attr-defined]
    return plugin("bands", registry_hookspecs=hook("registry_hookspecs", lambda: (specs,)))


def answering(name: str, regime_code: str) -> ModuleType:
    return plugin(
        name,
        bands_table=hook("bands_table", lambda regime: f"table of {name}" if regime == regime_code else None),
    )


@pytest.mark.parametrize("mechanism_first", [True, False])
def test_a_mechanisms_hook_wants_one_answer_a_regime(mechanism_first: bool):
    modules = [mechanism(), answering("city", "taxi"), answering("town", "bus")]
    host = load(*(modules if mechanism_first else modules[::-1]))
    assert host.ask_one("bands_table", regime="taxi") == "table of city"
    assert host.ask_one("bands_table", regime="boat") is None
    twice = load(mechanism(), answering("city", "taxi"), answering("town", "taxi"))
    with pytest.raises(RuleFailed, match="city, town"):
        twice.ask_one("bands_table", regime="taxi")


def test_the_law_has_the_configurations_readings_rounding_zone_and_the_authoritys_days():
    recife = load_settings(CONFIG, {"REGISTRY_CONFIG": "recife.toml"}).authority("recife")
    from dataclasses import replace

    authority = replace(recife, regimes=(), calendar=({"rule": "12-08", "name": "Conceição"},))
    host: PluginHost = load(
        city(), readings={"city": {"age.mode": "day"}}, rounding="down", authorities={"recife": authority}
    )
    ufr = DatedValue("ufr", "187.43", "R$", date(2026, 1, 1), act="Portaria 1/2026")
    law = host.law_for("city", indexes={"ufr": (ufr,)}, closures=[ActDay(DAY, "Jogo", "Portaria 2/2026")])
    assert (law.reading("age.mode"), law.rounding, law.zone) == ("day", "down", ZoneInfo("America/Recife"))
    assert law.calendar.why_closed(date(2026, 12, 8)) == "Conceição"
    assert law.calendar.why_closed(DAY) == "Jogo (Portaria 2/2026)"
    assert law.index("ufr", DAY) is ufr
    assert host.law_for("city").calendar.why_closed(DAY) is None
    assert host.law_for("city", readings={}).reading("age.mode") == "year"


def _without_values() -> dict[str, Any]:
    from .planted import files

    content = files()
    content["parameters.toml"]["parameter"]["seats.min"]["values"][0]["from"] = date(2030, 1, 1)
    return content


def _noon() -> Any:
    from datetime import datetime

    return datetime(2026, 11, 30, 12, tzinfo=ZoneInfo("America/Recife"))
