"""``registry setup``: a newcomer's whole path by command line, on each engine; what cannot be changes nothing."""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from registry.cli import cli
from registry.cli.console import Console
from registry.services import invitations, users
from registry.services.desk import Desk
from registry.store.audit import verify
from registry.store.engine import Store
from tests.architecture.source import ROOT

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
PASSWORD = "uma senha comprida"
AUTHORITY = """
[authority]
code = "prefeitura"
name = "Prefeitura do Porto"
zone = "America/Bahia"
phone = "(71) 3333-0000"
address = "Rua do Cais, 1"
regimes = ["taxi_recife"]
"""
ANSWERS = f"""
site = "https://registro.porto.example"
{AUTHORITY}
[[day]]
day = "11/03"
name = "Padroeira"

[admin]
username = "maria"
name = "Maria Alves"
password = "{PASSWORD}"

[[user]]
username = "jonas"
name = "Jonas Melo"
roles = ["atendente", "analista", "vistoriador", "tesouraria"]

[[user]]
username = "rita"
name = "Rita Moura"
roles = ["diretor"]

[[office]]
user = "rita"
regime = "taxi_recife"
office = "director_dfp"
act = "Portaria 12/2026"
since = 2026-11-30

[[index]]
key = "ufr"
value = "5,1374"
since = 2026-01-01
act = "Portaria 1/2026"

[[index]]
key = "population"
value = 1500000
since = 2026-01-01
act = "Decreto 2/2026"
"""
Run = Callable[..., Result]


@pytest.fixture
def var(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that is not there yet, as the environment names it; the database will lie in it."""
    folder = tmp_path / "data"
    monkeypatch.setenv("REGISTRY_VAR", str(folder))
    for name in ("REGISTRY_DATABASE_URL", "REGISTRY_CONFIG", "REGISTRY_SECRET_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def each_engine(var: Path, blank_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty database of each engine."""
    monkeypatch.setenv("REGISTRY_DATABASE_URL", blank_store.url.render_as_string(hide_password=False))


@pytest.fixture
def run(var: Path) -> Run:
    """Runs ``registry ARGS``, each time as a new process would."""
    consoles: list[Console] = []

    def invoke(*arguments: str, typed: str = "") -> Result:
        consoles.append(Console(clock=lambda: NOW))
        return CliRunner().invoke(cli, arguments, obj=consoles[-1], input=typed)

    return invoke


@pytest.fixture
def answers(tmp_path: Path) -> Callable[..., str]:
    def write(content: str = ANSWERS) -> str:
        path = tmp_path / "answers.toml"
        path.write_text(content, encoding="utf-8")
        return str(path)

    return write


def kept(var: Path) -> dict[str, object]:
    return tomllib.loads((var / "setup.toml").read_text(encoding="utf-8"))


def desk() -> Desk:
    console = Console(clock=lambda: NOW)
    return console.desk


@pytest.mark.usefixtures("each_engine")
def test_from_nothing_to_ready_by_one_file_of_answers(run: Run, answers, var: Path) -> None:
    before = run("setup", "--check")
    assert before.exit_code == 1 and "FALTA        Órgão" in before.output
    done = run("setup", "--answers", answers())
    assert done.exit_code == 0, done.output
    links = re.findall(r"https://registro\.porto\.example(/convite/\S+)", done.output)
    assert len(links) == 2
    ready = run("setup", "--check")
    assert ready.exit_code == 0 and "Pronto para a primeira outorga." in ready.output
    assert "FALTA" not in ready.output and "Rita Moura." in ready.output

    made = desk()
    assert users.authenticate(made, "maria", PASSWORD, NOW).authority == "prefeitura"
    assert invitations.accept(made, links[0].rsplit("/", 1)[1], PASSWORD, NOW) == "jonas"
    with made.store.reading() as session:
        assert verify(session).intact
    assert made.settings.session.secure_cookie and not made.settings.demo
    assert stat.S_IMODE((var / "secret.key").stat().st_mode) == 0o600
    assert made.settings.secret_key == (var / "secret.key").read_text().strip() not in (var / "setup.toml").read_text()
    assert run("db", "current").exit_code == 0


def test_the_answers_of_the_administrators_guide_lead_to_ready(run: Run, answers, var: Path) -> None:
    guide = (ROOT / "docs" / "admin" / "setup.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"^```toml\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    done = run("setup", "--answers", answers(told))
    assert "Pronto para a primeira outorga." in done.output, done.output


def test_a_second_run_changes_nothing_and_prints_no_link_again(run: Run, answers, var: Path) -> None:
    run("setup", "--answers", answers())
    written, secret = (var / "setup.toml").stat(), (var / "secret.key").read_text()
    with desk().store.reading() as session:
        count = verify(session).head.count
    again = run("setup", "--answers", answers())
    assert again.exit_code == 0 and "/convite/" not in again.output
    assert (var / "setup.toml").stat() == written and (var / "secret.key").read_text() == secret
    with desk().store.reading() as session:
        assert verify(session).head.count == count


def test_a_half_filled_set_up_goes_on_where_it_stopped(run: Run, answers, var: Path) -> None:
    half = run("setup", "--answers", answers(AUTHORITY))
    assert half.exit_code == 0 and "Ainda falta algo" in half.output
    assert run("setup", "--check").exit_code == 1
    rest = "\n[[".join(["", *ANSWERS.split("\n[[")[1:]])
    more = run("setup", "--answers", answers(rest), "--admin", "maria", "--admin-name", "Maria Alves")
    assert "Pronto para a primeira outorga." in more.output, more.output
    assert kept(var)["authority"][0]["name"] == "Prefeitura do Porto"
    assert run("setup", "--check").exit_code == 0


def test_everything_can_be_said_by_options(run: Run, var: Path) -> None:
    done = run(
        "setup", "--no-input", "--code", "prefeitura", "--name", "Prefeitura do Porto", "--zone", "America/Bahia",
        "--phone", "1", "--address", "Cais", "--regime", "fretamento_rmr", "--day", "Páscoa-40", "Entrudo",
        "--site", "http://localhost:5000", "--admin", "maria", "--admin-name", "Maria Alves",
        "--user", "jonas", "Jonas Melo", "atendente, analista, vistoriador, tesouraria, diretor",
        "--office", "jonas", "fretamento_rmr", "diretor_presidente", "Portaria 1/2026", "30/11/2026",
        "--index", "custo_km", "5,1374", "2026-01-01", "Portaria 2/2026",
        "--index", "average_fare", "3,10", "2026-01-01", "Portaria 3/2026",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "Pronto para a primeira outorga." in done.output
    assert kept(var)["authority"][0]["calendar"] == [{"rule": "easter-40", "name": "Entrudo"}]
    assert not desk().settings.session.secure_cookie


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("America/Bahia", "America/Baia", "America/Bahia"),
        ('regimes = ["taxi_recife"]', 'regimes = ["taxi_recif"]', "«taxi_recife»"),
        ('code = "prefeitura"', 'code = "Prefeitura"', "O código tem de 2 a 31 letras"),
        ('name = "Prefeitura do Porto"', 'name = ""', "Escreva o nome do órgão."),
        ("[[day]]", "[[days]]", "«day»"),
        ('day = "11/03"', 'day = "31/02"', "Escreva o dia como 24/06"),
        ('day = "11/03"', 'day = "24/06"', "São João"),
        ('office = "director_dfp"', 'office = "director"', "director_dfp"),
        ('roles = ["diretor"]', 'roles = ["rei"]', "não existe o perfil «rei»"),
        ('value = "5,1374"', 'value = "5.1374"', "index ufr"),
        ('value = "5,1374"', 'value = "0"', "maior que zero"),
        ('key = "ufr"', 'key = "urf"', "ufr"),
        ("since = 2026-11-30", 'since = "31/11/2026"', "office"),
        (f'password = "{PASSWORD}"', 'password = "curta"', "A senha tem 5 letras"),
        ("https://registro.porto.example", "registro.porto.example", "https://"),
        ('phone = "(71) 3333-0000"', "phone = 7133330000", "authority.phone"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_written(
    run: Run, answers, var: Path, old: str, new: str, told: str
) -> None:
    assert old in ANSWERS
    refused = run("setup", "--answers", answers(ANSWERS.replace(old, new, 1)))
    assert refused.exit_code in (1, 2) and told in refused.output, refused.output
    assert "Traceback" not in refused.output and not var.exists()


def test_what_a_file_of_the_administrators_own_says_is_not_copied_where_nothing_else_is_told(
    run: Run, answers, var: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = AUTHORITY.replace("[authority]", "[[authority]]") + 'short_name = "Porto"\n'
    plugins = 'plugins = ["taxi_bandeiras", "taxi_pontos", "taxi_rendicao", "taxi_recife"]\n'
    (tmp_path / "own.toml").write_text(plugins + own, encoding="utf-8")
    monkeypatch.setenv("REGISTRY_CONFIG", str(tmp_path / "own.toml"))
    done = run("setup", "--no-input", "--admin", "maria", "--admin-name", "Maria Alves")
    assert done.exit_code == 0 and not (var / "setup.toml").exists(), done.output
    assert run("setup", "--no-input", "--day", "11/03", "Padroeira").exit_code == 0
    assert kept(var)["authority"][0]["short_name"] == "Porto"


def test_a_regime_of_another_authority_and_a_taken_code_are_refused(run: Run, answers, var: Path) -> None:
    run("setup", "--answers", answers(AUTHORITY))
    before = kept(var)
    second = ("setup", "--no-input", "--code", "estado", "--name", "Empresa do Estado", "--zone", "America/Bahia")
    refused = run(*second, "--regime", "taxi_recife")
    assert "O regime taxi_recife já é administrado por Prefeitura do Porto." in refused.output
    refused = run("setup", "--no-input", "--code", "prefeitura", "--name", "Prefeitura de Ilha")
    assert "O código prefeitura já é de Prefeitura do Porto." in refused.output
    assert kept(var) == before
    renamed = run("setup", "--no-input", "--code", "prefeitura", "--name", "Prefeitura de Ilha", "--rename")
    assert renamed.exit_code == 0 and kept(var)["authority"][0]["name"] == "Prefeitura de Ilha"
    assert run(*second, "--regime", "fretamento_rmr").exit_code == 0
    assert [each["code"] for each in kept(var)["authority"]] == ["prefeitura", "estado"]
    assert run("setup", "--no-input").exit_code == 2, "with two authorities one says which"


def test_a_code_that_the_database_knows_is_not_given_to_another(run: Run, answers, var: Path) -> None:
    run("setup", "--answers", answers(AUTHORITY))
    (var / "setup.toml").unlink()
    refused = run("setup", "--answers", answers(AUTHORITY.replace("do Porto", "de Ilha")))
    assert "O banco já tem registros de Prefeitura do Porto" in refused.output and not (var / "setup.toml").exists()
    assert run("setup", "--answers", answers(AUTHORITY)).exit_code == 0


def test_at_the_keyboard_it_asks_for_what_is_missing_and_takes_later_for_an_answer(run: Run, var: Path) -> None:
    typed = [
        "prefeitura", "Prefeitura do Porto", "", "America/Baia", "America/Bahia", "(71) 3333-0000", "",
        "taxi_recif", "taxi_recife", "24/06", "São João", "11/03", "Padroeira", "",
        "",
        "maria", "Maria Alves", "", "maria", "atendente",
    ]  # fmt: skip
    stopped = run("setup", typed="\n".join(typed) + "\n")
    assert stopped.exit_code == 1
    assert "Você quis escrever «America/Bahia»?" in stopped.output
    assert "Nenhum módulo instalado tem o regime taxi_recif." in stopped.output
    assert "Este dia já está no calendário: São João." in stopped.output
    assert kept(var)["authority"][0]["calendar"] == [{"rule": "03-11", "name": "Padroeira"}]
    later = run("setup", typed="\n" * 40)
    assert later.exit_code == 0 and "Ainda falta algo" in later.output
    assert "Código do órgão" not in later.output and "Quem vai cadastrar pessoas" not in later.output


def test_a_role_that_is_none_is_asked_again_and_a_name_may_wait(run: Run, answers, var: Path) -> None:
    run("setup", "--answers", answers(AUTHORITY))
    asked = run("setup", typed="\n".join(["", "", "", "maria", "Maria Alves", "atendente", ""]) + "\n" * 40)
    assert asked.exit_code == 0 and "Escreva um destes: atendente, analista." in asked.output, asked.output
    assert "maria" not in run("user", "list").output


def test_the_demonstrations_configuration_and_database_are_left_alone(
    run: Run, answers, var: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGISTRY_CONFIG", "demo.toml")
    assert "unset REGISTRY_CONFIG" in run("setup", "--answers", answers()).output and not var.exists()
    monkeypatch.delenv("REGISTRY_CONFIG")
    run("setup", "--answers", answers(AUTHORITY))
    refused = run("demo", "--no-serve")
    assert refused.exit_code == 2 and "é de um órgão implantado" in refused.output


def test_a_database_that_does_not_answer_leaves_what_was_told(
    run: Run, answers, var: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGISTRY_DATABASE_URL", "postgresql://registry:s3cret@127.0.0.1:1/registry")
    stopped = run("setup", "--answers", answers())
    assert stopped.exit_code == 1 and "está guardado" in stopped.output and "s3cret" not in stopped.output
    assert kept(var)["authority"][0]["code"] == "prefeitura"


def test_a_folder_that_cannot_be_written_is_one_message(run: Run, answers, var: Path) -> None:
    var.write_text("a file in the place of the folder")
    refused = run("setup", "--answers", answers())
    assert refused.exit_code == 1 and "Não foi possível gravar em" in refused.output
