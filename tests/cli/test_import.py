"""``registry import vehicles``: what a clerk reads, and when nothing is written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import func, select

from registry.cli import cli
from registry.cli.console import Console
from registry.plugins import PluginHost
from registry.services.authorities import enter_authorities
from registry.store.access import User
from registry.store.audit import AuditEntry
from registry.store.engine import Store
from registry.store.vehicles import Vehicle
from tests import factories, regime

SAMPLE = Path(__file__).parents[1] / "data" / "imports" / "s01_poa_frota_taxi.csv"
LIST = "prefixo;placa;modelo\n7;RZA1B23;MARÉ\n8;RZB1234;MARÉ\n"
Run = Callable[..., Result]


@pytest.fixture
def console(sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Console:
    package = ModuleType(f"registry_{regime.NAME}")
    package.__file__ = str(tmp_path / "registry_ensaio" / "__init__.py")
    monkeypatch.setitem(sys.modules, package.__name__, package)
    url = sqlite_store.url.render_as_string()
    console = Console(clock=lambda: factories.NOON)
    settings = factories.settings(tmp_path, database_url=url)
    console.settings = settings
    console.host = PluginHost.load(settings, {regime.NAME: regime.module()})
    return console


@pytest.fixture
def run(console: Console) -> Run:
    def invoke(file: Path, *options: str) -> Result:
        arguments = ["import", "vehicles", str(file), "--regime", regime.CODE, *options]
        return CliRunner().invoke(cli, arguments, obj=console)

    return invoke


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    path = tmp_path / "frota.csv"
    path.write_bytes(LIST.encode("cp1252"))
    return path


def vehicles(store: Store) -> int:
    with store.reading() as session:
        return session.scalar(select(func.count()).select_from(Vehicle)) or 0


def test_a_file_comes_in_and_a_second_time_changes_nothing(run: Run, fleet: Path, sqlite_store: Store) -> None:
    first = run(fleet)
    assert first.exit_code == 0, first.output
    assert "frota.csv: Latin-1, separado por ponto e vírgula, cabeçalho na linha 1" in first.output
    assert "Perfil: frota (Lista de veículos)" in first.output
    assert "Gravado, importação nº 1: 2 veículos novos e 2 outorgas novas." in first.output
    assert vehicles(sqlite_store) == 2
    assert "Nada mudou" in run(fleet).output


def test_the_sample_reports_and_stops(run: Run, sqlite_store: Store) -> None:
    result = run(SAMPLE)
    assert result.exit_code == 1
    for line in (
        "  ponto: 9 preenchidas, 1 vazia, 7 valores diferentes",
        "  data_primeiro_emplac: 9 preenchidas, 1 data não conhecida, 8 valores diferentes",
        "  placa: 10 preenchidas, 9 valores diferentes, 3 no padrão Mercosul",
        "    Álcool/Gasolina: «ALCOOL/GASOLINA» (2), «ÁLCOOL-GASOLINA» (1)",
        "Conflitos (1)",
        "Linhas repetidas (1)",
        "Avisos (1)",
        "«GM» está 1 vez em marca; para ler como CHEVROLET: --map marca:GM=CHEVROLET",
        "Para deixar uma linha de fora: --skip 9",
        "Nada foi gravado. Corrija o arquivo ou responda aos conflitos e tente de novo.",
    ):
        assert line in result.output.splitlines()
    assert "linha 9, célula D9 (placa) «QZB1291»: QZB1291 e QZB1C91 são a mesma placa" in result.output
    assert vehicles(sqlite_store) == 0


def test_the_clerk_solves_the_conflict(run: Run, sqlite_store: Store) -> None:
    result = run(SAMPLE, "--skip", "9", "--map", "marca:GM=CHEVROLET")
    assert result.exit_code == 0, result.output
    assert "«GM»" not in result.output and "Linhas deixadas de fora: 9" in result.output
    assert vehicles(sqlite_store) == 8


def test_a_record_that_differs_asks_whose_word_counts(run: Run, fleet: Path, sqlite_store: Store) -> None:
    run(fleet)
    fleet.write_bytes(LIST.replace("MARÉ\n8", "ONDA\n8").encode("cp1252"))
    asked = run(fleet)
    assert asked.exit_code == 1
    assert "linha 2, célula C2 (modelo) «ONDA»: No cadastro está «MARÉ»." in asked.output
    assert "--existing keep mantém o cadastro, --existing replace usa o arquivo." in asked.output
    assert "Nada mudou" in run(fleet, "--existing", "keep").output
    assert "1 veículo mudado e 1 linha sem novidade" in run(fleet, "--existing", "replace").output
    assert "Nada mudou" in run(fleet).output


def test_a_dry_run_writes_nothing(run: Run, fleet: Path, sqlite_store: Store) -> None:
    result = run(fleet, "--dry-run")
    assert "Para gravar: 2 veículos novos e 2 outorgas novas." in result.output
    assert "Simulação: nada foi gravado." in result.output
    assert vehicles(sqlite_store) == 0
    with sqlite_store.reading() as session:
        assert session.scalar(select(func.count()).select_from(AuditEntry)) == 0


def test_the_audit_names_who_imported(run: Run, fleet: Path, sqlite_store: Store) -> None:
    run(fleet, "--dry-run")
    unknown = run(fleet, "--as", "zeca")
    assert unknown.exit_code == 2 and "Não há usuário ativo «zeca» em porto." in unknown.output
    with sqlite_store.writing() as session:
        enter_authorities(session, factories.settings(Path()))
    clerk = factories.clerk(sqlite_store, "Rita")
    with sqlite_store.reading() as session:
        username = session.scalar(select(User.username).where(User.id == clerk.id))
    assert run(fleet, "--as", str(username)).exit_code == 0
    with sqlite_store.reading() as session:
        assert set(session.scalars(select(AuditEntry.actor))) == {username}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--map", "marca"), "«marca» não é COLUNA:TEXTO=SENTIDO"),
        (("--profile", "nada"), "Não há perfil de importação «nada»"),
        (("--regime", "barca"), "Você quis escrever «barcas»?"),
    ],
)
def test_a_wrong_option_says_how_to_write_it(run: Run, fleet: Path, options: tuple[str, ...], says: str) -> None:
    result = run(fleet, *options)
    assert result.exit_code in (1, 2) and says in result.output


def test_many_remarks_are_cut_unless_all_are_asked_for(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "ruim.csv"
    path.write_text("prefixo;placa;modelo\n" + "".join(f"{n};X;UNO\n" for n in range(60)), encoding="utf-8")
    assert "… e mais 10; veja todas com --all" in run(path).output
    assert run(path, "--all").output.count("célula B") == 60


def test_a_database_without_tables_says_what_to_run(console: Console, fleet: Path, tmp_path: Path) -> None:
    console.settings = factories.settings(tmp_path, database_url=f"sqlite:///{tmp_path / 'vazio.db'}")
    result = CliRunner().invoke(cli, ["import", "vehicles", str(fleet), "--regime", regime.CODE], obj=console)
    assert result.exit_code == 1 and "registry db upgrade" in result.output
