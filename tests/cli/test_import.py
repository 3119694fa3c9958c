"""``registry import vehicles``: what a clerk reads, and when nothing is written."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import xlsxwriter
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
    def invoke(file: Path, *options: str, kind: str = "vehicles") -> Result:
        of = ["--regime", regime.CODE] if kind in ("vehicles", "permits") else ["--authority", factories.PORT]
        return CliRunner().invoke(cli, ["import", kind, str(file), *of, *options], obj=console)

    return invoke


@pytest.fixture
def ask(console: Console) -> Run:
    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["import", *arguments, "--authority", factories.PORT], obj=console)

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


def test_a_list_of_permits_stops_at_each_doubtful_cell_until_it_is_confirmed(
    run: Run, tmp_path: Path, sqlite_store: Store
) -> None:
    path, table = tmp_path / "lista.csv", tmp_path / "erros.csv"
    path.write_text("permissão;nome;cpf;cnh;concedida em\n7;Ana Lima;2345678135;90000003321;44562\n", encoding="cp1252")
    asked = run(path, "--errors", str(table), kind="permits")
    assert asked.exit_code == 1
    for line in ("Erros (1)", "Avisos (2)", "Para confirmar um valor duvidoso: --confirm D2 --confirm E2"):
        assert line in asked.output.splitlines()
    assert table.read_text(encoding="utf-8-sig").splitlines()[1].startswith("2;D2;cnh;90000003321;Aviso, a confirmar;")
    assert "Nada foi gravado" in asked.output and f"As observações estão em {table}." in asked.output
    result = run(path, "--confirm", "d2", "--confirm", "E2", "--confirm", "A2", kind="permits")
    assert "Valores confirmados: D2, E2" in result.output.splitlines()
    assert "Sem valor duvidoso, nada a confirmar: A2" in result.output.splitlines()
    assert "Gravado, importação nº 1: 1 outorga nova e 1 titular novo." in result.output
    assert "Nada mudou" in run(path, "--confirm", "D2", "--confirm", "E2", kind="permits").output


def test_holidays_that_come_back_every_year_are_shown_for_the_configuration(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "feriados.csv"
    path.write_text('data;nome;lei\n09/02/2027;Carnaval;Lei 7\n17/07;"Dia ""C""";\n', encoding="utf-8")
    result = run(path, kind="holidays")
    assert result.exit_code == 0, result.output
    assert """  { rule = "07-17", name = "Dia \\"C\\"" },""" in result.output.splitlines()
    assert "Gravado, importação nº 1: 1 dia sem expediente." in result.output


def test_runs_are_listed_and_undone(run: Run, ask: Run, fleet: Path, sqlite_store: Store) -> None:
    assert ask("list").output == "Nenhuma importação.\n"
    run(fleet)
    assert "1  30/11/2026 12:00  Veículos  frota.csv  Gravada  linha de comando  2 veículos novos" in ask("list").output
    undone = ask("undo", "1", "--reason", "Arquivo errado")
    assert undone.output == "Importação 1 desfeita: 6 registros encerrados.\n"
    assert "Desfeita" in ask("list").output and "Arquivo errado" in ask("list").output
    assert "já tinha sido desfeita" in ask("undo", "1", "--reason", "x").output
    assert "Gravado, importação nº 2: 2 veículos novos e 2 outorgas novas." in run(fleet).output


def test_what_cannot_be_undone_says_why(run: Run, ask: Run, fleet: Path, sqlite_store: Store) -> None:
    unknown = ask("undo", "9", "--reason", "x")
    assert unknown.exit_code == 1 and "Não há importação 9 neste órgão" in unknown.output
    run(fleet)
    with sqlite_store.writing() as session:
        session.scalars(select(Vehicle)).first().seats = 30
    refused = ask("undo", "1", "--reason", "Arquivo errado")
    assert refused.exit_code == 1
    assert "- Veículo RZA1B23: mudou depois da importação" in refused.output


def test_an_installation_with_several_authorities_asks_for_one(console: Console, run: Run, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["import", "list"], obj=console)
    assert result.exit_code == 2 and "Diga o órgão com --authority. Há: porto, outro." in result.output


def test_a_workbook_is_read_from_the_sheet_that_is_named(run: Run, tmp_path: Path, sqlite_store: Store) -> None:
    path = tmp_path / "frota.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet("Capa").write(0, 0, "x")
        sheet = book.add_worksheet("Frota")
        for line, row in enumerate(csv.reader(LIST.splitlines(), delimiter=";")):
            sheet.write_row(line, 0, row)
    assert "não tem a aba «Frotas». Há: Capa, Frota." in run(path, "--sheet", "Frotas").output
    assert "frota.xlsx: XLSX, cabeçalho na linha 1" in run(path, "--sheet", "Frota").output
    assert vehicles(sqlite_store) == 2


def test_a_database_without_tables_says_what_to_run(console: Console, fleet: Path, tmp_path: Path) -> None:
    console.settings = factories.settings(tmp_path, database_url=f"sqlite:///{tmp_path / 'vazio.db'}")
    result = CliRunner().invoke(cli, ["import", "vehicles", str(fleet), "--regime", regime.CODE], obj=console)
    assert result.exit_code == 1 and "registry db upgrade" in result.output
