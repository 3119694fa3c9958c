"""One value changed in a plugin's TOML: form, decision, public answer and command line change together."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from importlib.resources import as_file, files
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from registry.api.law import load_lawbook
from registry.api.plugin import hookimpl
from registry.cli import cli
from registry.cli.console import Console
from registry.domain.lawbook import Lawbook
from registry.plugins import PluginHost
from registry.services import decisions
from registry.services.authorities import enter_authorities
from registry.services.desk import Desk
from registry.store.engine import Store
from registry.store.migrate import Migrations, of_plugins
from tests.services.main_job import HOST, SETTINGS, TAXI, Office

PLUGIN = "taxi_recife"
OLD = 'label = "Idade limite do carro (menos de)"\nvalues = [{ from = 1978-10-09, value = 5 }]'
NEW = 'label = "Idade limite do carro (menos de)"\nvalues = [{ from = 1978-10-09, value = 4 }]'


@pytest.fixture
def store_plugins() -> tuple[Migrations, ...]:
    return of_plugins(HOST)


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PluginHost]:
    """The shipped plugins, with one number of one file written otherwise."""
    package = tmp_path / "changed_law"
    with as_file(files(import_module("registry_taxi_recife")) / "law") as folder:
        shutil.copytree(folder, package / "law")
    (package / "__init__.py").touch()
    toml = package / "law" / "parameters.toml"
    text = toml.read_text(encoding="utf-8")
    assert text.count(OLD) == 1
    toml.write_text(text.replace(OLD, NEW), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    def registry_lawbook() -> Lawbook:
        return load_lawbook(package.name, plugin=PLUGIN, version="0")

    real = HOST.plugins[PLUGIN].module
    module = ModuleType(real.__name__)
    vars(module).update(vars(real) | {"registry_lawbook": hookimpl(registry_lawbook)})
    yield PluginHost.load(SETTINGS, {PLUGIN: module})
    sys.modules.pop(package.name, None)


def _ask(host: PluginHost) -> str:
    console = Console()
    console.settings, console.host = replace(SETTINGS, database_url="sqlite:////nowhere/registry.db"), host
    facts = ("made=2022", "on=2026-11-16", "in_service_at_publication=false", "inspection_ok=false")
    result = CliRunner().invoke(cli, ("ask", PLUGIN, "vehicle_age", *facts, "first_registration=null"), obj=console)
    assert result.exit_code == 0, result.output
    return result.output.splitlines()[0].rpartition(": ")[2]


def test_form_decision_public_answer_and_command_line_change_together(
    store: Store, tmp_path: Path, changed: PluginHost
) -> None:
    settings = replace(SETTINGS, var=tmp_path)
    with store.writing() as session:
        enter_authorities(session, settings)
    before, after = (Desk(store, host, settings, tmp_path / "files") for host in (HOST, changed))
    office = Office(before, replace(TAXI, vehicle=replace(TAXI.vehicle, year_made=2022)))
    office.appoint()
    request_id = office.open()
    office.go_on(request_id)

    office.desk = after
    finding = next(each for each in office.progress(request_id).findings if each.question == "vehicle_age")
    assert finding.outcome == "deny" and "menos de 4" in finding.summary
    with pytest.raises(decisions.Impeded, match="menos de 4"):
        office.decide(request_id, "deferido")
    assert (_ask(HOST), _ask(changed)) == ("permite", "impede")

    office.desk = before
    assert office.decide(request_id, "deferido").permit_number
    assert office.ask()[0].authorized
    office.desk = after
    (answer,) = office.ask(office.at + timedelta(minutes=1))
    assert not answer.authorized and "menos de 4" in answer.reasons[0].text
