"""Each fault of a plugin stops start-up with its name, its file and the mend."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import MetaData, Table

from registry.app import create_app
from registry.domain.law import Law, Verdict, question
from registry.domain.regime import Choice, HolderKind, InspectionPlan, Office, Regime, RequestKind, Rule
from registry.plugins import Places, PluginError, PluginHost, missing_places
from registry.settings import load_settings
from registry.store.engine import Store
from registry.store.migrate import of_plugins

from .planted import CONFIG, Answer, city, files, hook, load, plugin, renamed, seats, settings


def fault(*modules: ModuleType, **changed: Any) -> PluginError:
    with pytest.raises(PluginError) as raised:
        load(*modules, **changed)
    return raised.value


def regime(**changed: Any) -> Regime:
    kind = RequestKind(
        code="new",
        label="Nova",
        holder_kinds=("PF",),
        office="director",
        rules=(Rule(seats, lambda dossier: None, "Lugares"),),
        documents=lambda dossier, law: (),
        effect=lambda dossier, occasion, law: (),
    )
    made = Regime(
        code="bus",
        plugin="city",
        label="Ônibus",
        short_label="Ônibus",
        subject="Pode.",
        holder_kinds=(HolderKind("PF", "Pessoa", "natural"),),
        categories=(Choice("comum", "Comum"),),
        vehicle_types=(Choice("bus", "Ônibus"),),
        offices=(Office("director", "Diretor"),),
        request_kinds=(kind,),
        inspection=InspectionPlan(lambda d, law: (), (), lambda d, law: None),
        status=(),
        card=lambda dossier, law: None,  # type: ignore[arg-type, return-value]
        permit_label="Permissão",
        licence_label="Alvará",
    )
    return replace(made, **changed)


def with_regime(made: Regime, **members: Any) -> ModuleType:
    return city(registry_regimes=hook("registry_regimes", lambda: (made,)), **members)


def test_a_whole_plugin_loads():
    host = load(with_regime(regime()))
    assert list(host.plugins) == ["city"]
    assert host.regimes["bus"].label == "Ônibus"
    assert host.owner(host.question("city", "seats")) == "city"


@pytest.mark.parametrize("decorated", [True, False])
def test_misspelt_hook_decorated_or_not(decorated: bool):
    def registry_rule(regime: str) -> tuple[Rule, ...]:
        return ()

    member = hook("registry_rule", registry_rule) if decorated else registry_rule
    error = fault(city(registry_rule=member))
    assert (error.plugin, error.file) == ("city", "registry_city/plugin.py")
    assert "registry_rule" in error.problem
    assert "registry_rules" in error.mend


def test_hook_without_decoration():
    error = fault(city(registry_menu=lambda: ()))
    assert "@hookimpl" in error.mend


def test_hook_with_an_argument_that_does_not_exist():
    error = fault(city(registry_rules=hook("registry_rules", lambda regime, kind: ())))
    assert "kind" in error.problem


def test_decorated_hook_of_an_unknown_mechanism():
    error = fault(city(bands_tabel=hook("bands_tabel", lambda regime: None)))
    assert "bands_tabel" in error.problem


def test_a_helper_or_an_imported_package_is_no_hook():
    load(city(registry_other_plugin=ModuleType("registry_other_plugin"), helper=lambda: None))


def test_api_version_absent_and_other():
    assert "REGISTRY_API = 1" in fault(city(REGISTRY_API=None)).mend
    error = fault(city(REGISTRY_API=2))
    assert "versão 2" in error.problem


def test_named_in_the_configuration_and_not_installed():
    with pytest.raises(PluginError) as raised:
        PluginHost.load(settings("taxi_recief"))
    assert raised.value.plugin == "taxi_recief"
    assert "instalado" in raised.value.problem


def test_not_importable(monkeypatch: pytest.MonkeyPatch):
    point = SimpleNamespace(name="broken", module="registry_broken_xyz.plugin", dist=None)
    monkeypatch.setattr("registry.plugins.host.entry_points", lambda group: [point])
    with pytest.raises(PluginError) as raised:
        PluginHost.load(settings("broken"))
    assert raised.value.file == "registry_broken_xyz.plugin"
    assert "ModuleNotFoundError" in raised.value.problem


def test_registering_raises():
    def broken() -> Any:
        raise ZeroDivisionError("law/x.toml")

    error = fault(city(registry_lawbook=hook("registry_lawbook", broken)))
    assert "registry_lawbook" in error.problem
    assert "law/x.toml" in error.problem


def test_question_cites_an_unknown_provision():
    asked = replace(seats, cites=("art-1-a",))
    error = fault(city(registry_questions=hook("registry_questions", lambda: (asked,))))
    assert "art-1-a" in error.problem
    assert "art-1" in error.mend
    assert error.file.endswith("planted.py")


def test_provision_names_an_unknown_question():
    error = fault(city(registry_questions=hook("registry_questions", lambda: (renamed(seats, "seat"),))))
    assert error.file == "law/provisions.toml"
    assert "«seat»" in error.mend


def test_parameter_or_reading_cites_an_unknown_provision():
    content = deepcopy(files())
    content["parameters.toml"]["parameter"]["seats.min"]["provision"] = "art-9"
    assert "art-9" in fault(city(content=content)).problem
    content = deepcopy(files())
    content["readings.toml"]["reading"][0]["provisions"] = ["art-8"]
    error = fault(city(content=content))
    assert "art-8" in error.problem
    assert error.file == "law/readings.toml"


def test_two_questions_of_one_name():
    error = fault(city(registry_questions=hook("registry_questions", lambda: (seats, replace(seats)))))
    assert "duas vezes" in error.problem


def test_fact_with_a_default():
    @dataclass(frozen=True)
    class Loose:
        seized: bool = False

    def loose(given: Loose, law: Law) -> Verdict[Answer]:
        raise NotImplementedError

    loose.__annotations__ = {"given": Loose, "law": Law, "return": Verdict[Answer]}
    asked = question("loose", cites=[])(loose)
    error = fault(city(registry_questions=hook("registry_questions", lambda: (seats, asked))))
    assert "seized" in error.problem


def test_facts_that_can_be_changed():
    @dataclass
    class Soft:
        seats: int

    error = fault(
        city(registry_questions=hook("registry_questions", lambda: (seats, replace(seats, name="b", given_type=Soft))))
    )
    assert "Soft" in error.problem


def test_rule_whose_question_nobody_registered():
    stranger = replace(seats, name="stranger")
    kind = replace(regime().request_kinds[0], rules=(Rule(stranger, lambda dossier: None, "Outra"),))
    error = fault(with_regime(regime(request_kinds=(kind,))))
    assert "stranger" in error.problem


def test_deciding_office_that_the_regime_lacks():
    kind = replace(regime().request_kinds[0], office="directr")
    error = fault(with_regime(regime(request_kinds=(kind,))))
    assert "«director»" in error.mend


def test_two_plugins_with_one_regime_code():
    other = city("town", registry_regimes=hook("registry_regimes", lambda: (regime(plugin="town"),)))
    error = fault(with_regime(regime()), other)
    assert (error.plugin, "city" in error.problem) == ("town", True)


def test_regime_of_another_plugin():
    assert "town" in fault(with_regime(regime(plugin="town"))).problem


def test_reading_in_the_configuration():
    load(city(), readings={"city": {"age.mode": "day"}})
    assert "«age.mode»" in fault(city(), readings={"city": {"age.mod": "day"}}).mend
    assert "'year', 'day'" in fault(city(), readings={"city": {"age.mode": "month"}}).mend
    assert "fixa" in fault(city(), readings={"city": {"fixed.one": "b"}}).problem
    assert "«city»" in fault(city(), readings={"citty": {}}).mend


def test_settings_of_a_plugin():
    declared = hook("registry_settings", lambda: {"colour": "blue"})
    host = load(city(registry_settings=declared), plugin={"city": {"colour": "red"}})
    assert host.settings_of("city") == {"colour": "red"}
    assert "«colour»" in fault(city(registry_settings=declared), plugin={"city": {"color": "red"}}).mend


def test_authority_with_a_regime_that_no_plugin_declares():

    recife = load_settings(CONFIG, {"REGISTRY_CONFIG": "recife.toml"}).authority("recife")
    error = fault(with_regime(regime()), authorities={"recife": replace(recife, regimes=("buss",))})
    assert "«bus»" in error.mend
    assert "recife" in error.file


def test_provision_whose_table_does_not_exist():
    content = deepcopy(files())
    content["provisions.toml"]["provision"].append(
        {"id": "art-3", "label": "x", "cite": "Art. 3º", "kind": "k", "table": "permit"}
    )
    host = load(city(content=content))
    places = Places(tables={"permits"}, routes=set(), templates=set())
    (error,) = missing_places(host, places)
    assert "art-3" in error.problem
    assert "«permits»" in error.mend
    assert missing_places(host, replace(places, tables={"permit"})) == []


def test_the_application_refuses_a_place_that_does_not_exist():
    content = deepcopy(files())
    content["provisions.toml"]["provision"].append(
        {"id": "art-3", "label": "x", "cite": "Art. 3º", "kind": "k", "template": "people/pages.html"}
    )
    host = load(city(content=content))
    with pytest.raises(PluginError, match=r"art-3.*«people/pages\.html».*«people/page\.html»"):
        create_app(host.settings, host, Store("sqlite:///absent.db"))


def test_a_table_that_is_not_the_plugins_stops_the_application_and_the_migrations():
    unprefixed = type("Stand", (), {"__table__": Table("stands", MetaData()), "registry_plugin": "city"})
    foreign = type("Foreign", (), {"__table__": Table("city__thing", MetaData())})
    for mapped, told in (
        (unprefixed, r"city.*Stand.*«stands».*«city__nome»"),
        (foreign, r"city.*Foreign.*plugin_base"),
    ):
        host = load(city(registry_tables=hook("registry_tables", lambda mapped=mapped: (mapped,))))
        with pytest.raises(PluginError, match=told):
            of_plugins(host)
        with pytest.raises(PluginError, match=told):
            create_app(host.settings, host, Store("sqlite:///absent.db"))


def test_a_plugin_without_law_is_a_mechanism():
    host = load(plugin("bands"))
    assert host.plugins["bands"].lawbook.provisions == {}
