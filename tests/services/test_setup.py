"""The set-up's file and checklist: what is kept, what is refused, what counts as in place."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from registry import resources
from registry.plugins import PluginHost
from registry.services import indexes, invitations, readiness, setup, users
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused, Stale
from registry.services.readiness import Step
from registry.services.regimes_offered import Offer, offered, with_needed
from registry.services.setup_changes import (
    AuthorityInput,
    DayInput,
    day_rule,
    day_text,
    put_authority,
    put_day,
    put_regimes,
    put_site,
    zones,
)
from registry.services.setup_file import content_of, entry_of, to_toml, write_setup
from registry.settings import load_settings
from registry.store.access import Authority
from registry.store.migrate import upgrade
from tests import factories, regime
from tests.factories import NOON, PORT, ZONE, Clerk
from tests.services import steps

PORTO = AuthorityInput("Capitania do porto", "porto", str(ZONE))
words = some.text(some.characters(exclude_categories=["Cs"]), max_size=20)
values = some.recursive(
    words | some.integers(-(2**40), 2**40) | some.booleans(), lambda inner: some.lists(inner, max_size=3), max_leaves=6
)
tables = some.recursive(
    some.dictionaries(words, values, max_size=4),
    lambda inner: some.dictionaries(words, values | inner | some.lists(inner, min_size=1, max_size=3), max_size=3),
    max_leaves=8,
)


@given(tables)
def test_what_is_written_reads_back_as_it_was(content: dict[str, Any]) -> None:
    assert tomllib.loads(to_toml(content)) == content


def test_a_name_with_control_characters_leaves_the_file_readable(tmp_path: Path) -> None:
    write_setup(tmp_path / "setup.toml", {"demo": False}, "a\x00\x01\n\x7f\u2028b", NOON)
    assert tomllib.loads((tmp_path / "setup.toml").read_text(encoding="utf-8")) == {"demo": False}


def test_other_keys_of_the_file_stay_and_a_failed_write_leaves_it(
    desk: Desk, jonas: Clerk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk.settings.setup_file
    path.write_text("[session]\nidle_minutes = 7\n[plugin.ensaio]\nlimit = 3\n", encoding="utf-8")
    setup.save_authority(jonas.occasion(), desk, replace(PORTO, phone="1111"), 0)
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    assert (content["session"], content["plugin"]) == ({"idle_minutes": 7}, {"ensaio": {"limit": 3}})
    assert [each["code"] for each in content["authority"]] == list(desk.settings.authorities)
    before = path.read_text(encoding="utf-8")

    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(Refused, match="No space left"):
        setup.save_authority(jonas.occasion(), desk, replace(PORTO, phone="2222"), 1)
    monkeypatch.undo()
    assert path.read_text(encoding="utf-8") == before and not list(path.parent.glob(".setup.toml.*"))
    with desk.store.reading() as session:
        assert setup.version_of(session, PORT) == 1, "what was not written is not recorded"


def test_two_editors_of_other_fields_do_not_meet_and_of_the_same_do(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    setup.save_authority(jonas.occasion(), desk, replace(PORTO, phone="1111"), 0)
    with pytest.raises(Stale) as stale:
        setup.save_authority(rita.occasion(), desk, replace(PORTO, phone="2222"), 0)
    (field,) = stale.value.entries
    assert (field.field, field.before, field.mine, field.theirs) == ("phone", "", "2222", "1111")
    setup.save_authority(rita.occasion(), desk, replace(PORTO, phone="2222"), stale.value.version)


def test_an_authority_that_the_file_lacks_is_not_there(desk: Desk, jonas: Clerk) -> None:
    with pytest.raises(NotFound):
        setup.save_authority(replace(jonas.occasion(), authority="nenhum"), desk, PORTO, 0)


@pytest.mark.parametrize(
    ("typed", "rule", "text"),
    [
        ("24/06", "06-24", "24/06"),
        ("1/1", "01-01", "01/01"),
        ("29/02", "02-29", "29/02"),
        ("Páscoa-2", "easter-2", "Páscoa-2"),
        ("pascoa + 60", "easter+60", "Páscoa+60"),
        ("Páscoa", "easter", "Páscoa"),
        ("06-24", "06-24", "24/06"),
        ("1st-sunday-03", "1st-sunday-03", "1st-sunday-03"),
    ],
)
def test_a_day_is_read_as_people_write_it(typed: str, rule: str, text: str) -> None:
    assert (day_rule(typed), day_text(day_rule(typed))) == (rule, text)


@pytest.mark.parametrize(
    "typed", ["", "31/02", "0/1", "24/13", "24-06-2026", "natal", "easter-2000", "Páscoa-81", "Páscoa+251"]
)
def test_a_day_that_is_none_is_refused(typed: str) -> None:
    with pytest.raises(Refused, match="24/06"):
        day_rule(typed)


def test_an_ended_day_may_begin_again(desk: Desk) -> None:
    content = content_of(desk.settings)
    put_day(content, PORT, DayInput("24/06", "Festa", 2020))
    content["authority"][0]["calendar"][0]["until_year"] = 2022
    with pytest.raises(Refused, match="Festa"):
        put_day(content, PORT, DayInput("24/06", "Festa nova", 2022))
    put_day(content, PORT, DayInput("24/06", "Festa nova", 2023, optional=True))
    assert content["authority"][0]["calendar"][1] == {
        "rule": "06-24",
        "name": "Festa nova",
        "kind": "optional",
        "from_year": 2023,
    }


def test_a_code_is_of_one_authority_however_its_name_is_spelt(desk: Desk) -> None:
    content = content_of(desk.settings)
    put_authority(content, PORT, replace(PORTO, name="CAPITANIA  DO PORTO", phone="1"))
    with pytest.raises(Refused, match="já é de CAPITANIA DO PORTO"):
        put_authority(content, PORT, replace(PORTO, name="Capitania da Ilha"))
    put_authority(content, PORT, replace(PORTO, name="Capitania da Ilha"), renaming=True)
    assert content["authority"][0]["name"] == "Capitania da Ilha"


def test_zones_are_those_of_the_country_and_a_near_one_is_proposed(desk: Desk) -> None:
    assert {"America/Bahia", "America/Manaus"} <= set(zones()) and "America/New_York" not in zones()
    with pytest.raises(Refused, match="Você quis escrever «America/Manaus»"):
        put_authority(content_of(desk.settings), PORT, replace(PORTO, zone="America/Manau"))


def test_a_regime_brings_the_plugins_that_it_needs_before_its_own(desk: Desk) -> None:
    assert with_needed("taxi_recife")[-1] == "taxi_recife" and len(with_needed("taxi_recife")) == 4
    content = content_of(desk.settings)
    content["authority"][0]["regimes"] = []
    content["plugins"] = ["taxi_pontos"]
    put_regimes(content, PORT, ["taxi_recife"], {"taxi_recife": Offer("taxi_recife", "Táxi", "taxi_recife")})
    assert content["plugins"] == ["taxi_pontos", "taxi_bandeiras", "taxi_rendicao", "taxi_recife"]
    assert content["authority"][0]["regimes"] == ["taxi_recife"]


def test_a_module_whose_tables_are_not_there_waits_for_the_server(blank_store: Any, tmp_path: Path) -> None:
    bare = load_settings(resources.config(), {"REGISTRY_CONFIG": "recife.toml", "REGISTRY_VAR": str(tmp_path)})
    chosen = replace(bare, plugins=("fretamento_rmr",), plugin={}, authorities={"emtu": bare.authorities["emtu"]})
    upgrade(blank_store)
    host = PluginHost.load(chosen)
    desk = Desk(blank_store, host, chosen, tmp_path / "files")
    with blank_store.writing() as session:
        session.add(Authority(code="emtu", name="Empresa", zone=str(ZONE)))
    clerk = factories.clerk(blank_store, authority="emtu")
    offers = offered(chosen, host)
    with pytest.raises(Refused, match="rode: registry setup"):
        setup.save_regimes(clerk.occasion(), desk, ["fretamento_rmr", "taxi_recife"], offers)
    assert not chosen.setup_file.exists()
    upgrade(blank_store, setup.of_plugins(PluginHost.load(bare)))
    setup.save_regimes(clerk.occasion(), desk, ["fretamento_rmr", "taxi_recife"], offers)
    kept = tomllib.loads(chosen.setup_file.read_text(encoding="utf-8"))
    assert kept["plugins"][0] == "fretamento_rmr" and "taxi_pontos" in kept["plugins"]


def test_what_was_edited_by_hand_is_recorded_once(desk: Desk, jonas: Clerk) -> None:
    with desk.store.writing() as session:
        assert setup.record_settings(session, jonas.occasion(), desk.settings)
        assert not setup.record_settings(session, jonas.occasion(), desk.settings)


# the checklist


@pytest.fixture
def heads(tmp_path: Path) -> Path:
    return tmp_path / "audit" / "heads.txt"


def look(desk: Desk, heads: Path, **ahead: float) -> dict[str, Step]:
    """The steps by label."""
    at = NOON.astimezone(ZONE) + timedelta(**ahead)
    with desk.store.reading() as session:
        return {step.label: step for step in readiness.of_authority(session, desk, PORT, at, heads)}


def states(found: Iterable[Step]) -> set[str]:
    return {step.state for step in found}


def test_who_is_invited_counts_as_long_as_the_link_holds(desk: Desk, jonas: Clerk, heads: Path) -> None:
    assert look(desk, heads)["Quem vai receber taxas"].state == "missing"
    made = invitations.invite(jonas.occasion(), desk, "bia", "Bia Sá", ["tesouraria"])
    found = look(desk, heads)
    assert "Quem vai receber taxas" not in found and "1 ainda não escolheu a senha." in found["Usuários"].note
    assert look(desk, heads, hours=72)["Quem vai receber taxas"].state == "missing"
    users.set_active(jonas.occasion(), desk, made.user_id, False)
    assert look(desk, heads)["Quem vai receber taxas"].state == "missing"


def test_offices_that_decide_are_needed_and_others_advised(desk: Desk, jonas: Clerk, heads: Path) -> None:
    deciding = look(desk, heads)["Capitão do Porto (Barcas)"]
    assert (deciding.state, deciding.key) == ("missing", f"{regime.CODE}:{steps.OFFICE}")
    others = [step for label, step in look(desk, heads).items() if "(Barcas)" in label and step is not deciding]
    assert states(others) <= {"advice", "missing"}
    boss = factories.clerk(desk.store, "Rita", roles=("diretor",))
    steps.appoint(desk, boss)
    assert look(desk, heads)["Capitão do Porto (Barcas)"].state == "done"


def test_an_index_counts_from_its_first_day(desk: Desk, jonas: Clerk, heads: Path) -> None:
    plugin = desk.host.plugins[regime.NAME]
    kind = plugin.lawbook.indexes["custo"]
    bare = replace(plugin.lawbook, parameters={k: v for k, v in plugin.lawbook.parameters.items() if k != "custo"})

    def without(optional: bool) -> Desk:
        book = replace(bare, indexes={"custo": replace(kind, optional=optional)})
        return replace(desk, host=PluginHost(desk.settings, [replace(plugin, lawbook=book)], desk.host._manager))

    assert look(without(False), heads)["Custo"].state == "missing"
    assert look(without(True), heads)["Custo"].state == "advice"
    later = NOON.date() + timedelta(days=1)
    indexes.enter_index_value(jonas.occasion(), without(False), "custo", later, Decimal("5"), "Portaria 9/2026")
    assert "01/12/2026" in look(without(False), heads)["Custo"].note
    found = look(without(False), heads, days=1)
    assert found["Custo"].state == "done" and found["Atos"].state == "advice"


def test_the_data_of_the_public_and_the_nights_work_are_advised(desk: Desk, heads: Path) -> None:
    found = look(desk, heads)
    assert (found["Dados do órgão"].state, found["Cópias e auditoria"].state) == ("advice", "advice")
    told = {"phone": "(71) 3333-0000", "address": "Cais, 1", "calendar": ({"rule": "03-11", "name": "Padroeira"},)}
    authorities = {**desk.settings.authorities, PORT: replace(desk.settings.authorities[PORT], **told)}
    full = replace(desk.settings, authorities=authorities)
    better = replace(desk, settings=full, host=PluginHost(full, desk.host.plugins.values(), desk.host._manager))
    heads.parent.mkdir()
    heads.write_text("x", encoding="utf-8")
    os.utime(heads, (NOON.timestamp(), NOON.timestamp()))
    found = look(better, heads, days=1)
    assert (found["Dados do órgão"].state, found["Cópias e auditoria"].state) == ("done", "done")
    assert found["Calendário de 2027"].state == "done"
    assert look(better, heads, days=3)["Cópias e auditoria"].state == "advice"


def test_no_holiday_no_regime_and_a_module_that_is_gone_are_missing(desk: Desk, heads: Path) -> None:
    known = desk.settings.authorities[PORT]

    def having(**changed: Any) -> dict[str, Step]:
        authorities = {PORT: replace(known, **changed)}
        chosen = replace(desk.settings, authorities=authorities)
        host = PluginHost(chosen, desk.host.plugins.values(), desk.host._manager)
        return look(replace(desk, settings=chosen, host=host), heads)

    bare = having(regimes=())
    assert (bare["Regimes"].state, bare["Calendário de 2027"].state) == ("missing", "missing")
    assert "não está carregado" in having(regimes=("rodas",))["Regimes"].note


def test_a_permit_says_that_records_are_there(desk: Desk, jonas: Clerk, heads: Path) -> None:
    assert look(desk, heads)["Registros existentes"].state == "advice"
    factories.permit(desk.store, factories.person(desk, jonas), factories.vehicle(desk, jonas))
    assert look(desk, heads)["Registros existentes"].note == "1 outorgas."


def test_what_holds_for_all_authorities(desk: Desk) -> None:
    safe = replace(desk.settings, secret_key="x" * 32, site="https://a.example", proxies=1)
    assert states(readiness.installation(safe, False)) == {"done"}
    assert "proxies = 1" in readiness.installation(replace(safe, proxies=0), False)[-1].note
    assert {step.label for step in readiness.missing(readiness.installation(safe, True, "Rode: x"))} == {
        "Banco de dados",
        "Segurança",
    }
    assert "Órgão" in {
        step.label for step in readiness.missing(readiness.installation(replace(safe, authorities={}), False))
    }
    assert entry_of(safe, PORT)["zone"] == str(ZONE)


def test_nothing_is_written_where_nothing_changes(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "setup.toml"
    write_setup(path, {"demo": False}, "jonas\nx", NOON)
    first = path.stat().st_mtime_ns, path.read_text(encoding="utf-8")
    write_setup(path, {"demo": False}, "rita", NOON)
    path.chmod(0o640)
    assert (path.stat().st_mtime_ns, path.read_text(encoding="utf-8")) == first
    assert tomllib.loads(first[1]) == {"demo": False}
    write_setup(path, {"demo": False, "plugins": []}, "rita", NOON)
    assert path.stat().st_mode & 0o777 == 0o640, "who may read it is the administrator's choice"


def test_the_cookie_travels_as_the_address_says(desk: Desk) -> None:
    content = content_of(desk.settings)
    put_site(content, "http://localhost:5000/")
    assert content["server"] == {"site": "http://localhost:5000"} and "session" not in content
    put_site(content, "https://registro.example")
    assert content["session"] == {"secure_cookie": True}
    put_site(content, "http://localhost")
    assert content["session"] == {"secure_cookie": False}
    for wrong in ("", "registro.example", "https://a.example/x", "ftp://a.example", "https://a b"):
        with pytest.raises(Refused):
            put_site(content, wrong)
