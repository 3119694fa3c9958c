"""``registry user`` and ``registry public`` on a real database."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select

from registry.cli import cli
from registry.cli.console import Console
from registry.services import invitations
from registry.services.desk import Desk
from registry.services.public_rows import refresh_public_rows
from registry.services.users import authenticate
from registry.store import migrate
from registry.store.engine import Store
from registry.store.permits import PublicRow
from tests import factories
from tests.factories import NOON

PASSWORD = "uma senha comprida"


@pytest.fixture(autouse=True)
def without_plugin_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The invented plugin is no distribution: it has no folder of migrations."""
    monkeypatch.setattr(migrate, "of_plugins", lambda host: ())


class Line:
    """A command line on the invented regime."""

    def __init__(self, store: Store, tmp_path: Path) -> None:
        self.desk: Desk = factories.desk(store, tmp_path)
        self.store = store

    def run(self, *arguments: str, **more: Any) -> Result:
        console = Console(clock=lambda: NOON)
        console.settings, console.host, console.store = self.desk.settings, self.desk.host, self.store
        return CliRunner().invoke(cli, arguments, obj=console, **more)


@pytest.fixture
def line(store: Store, tmp_path: Path) -> Line:
    return Line(store, tmp_path)


def _add(line: Line) -> Result:
    return line.run(
        "user", "add", "marina", "-a", "porto", "--name", "Marina Lima", "--role", "diretor", "--role", "analista",
        input=f"{PASSWORD}\n{PASSWORD}\n",
    )  # fmt: skip


def test_a_user_is_added_appointed_and_given_a_new_password(line: Line) -> None:
    assert "cadastrado: Diretor, Analista" in _add(line).output
    assert authenticate(line.desk, "marina", PASSWORD, NOON).authority == "porto"
    done = line.run(
        "user", "appoint", "marina", "barcas", "capitao", "--act", "Portaria 1/2026", "--until", "31/12/2026"
    )
    assert done.output == "marina: nomeação gravada, Capitão do Porto, de 30/11/2026 a 31/12/2026.\n"
    assert line.run("user", "password", "marina", "--password", "outra senha longa").exit_code == 0
    assert authenticate(line.desk, "marina", "outra senha longa", NOON).epoch == 2
    assert line.run("user", "list").output == (
        "marina · Marina Lima · porto · analista, diretor; capitao (de 30/11/2026 a 31/12/2026)\n"
    )


def test_a_user_is_invited_and_chooses_by_the_link(line: Line) -> None:
    done = line.run("user", "invite", "rita", "-a", "porto", "--name", "Rita Moura", "--role", "diretor")
    assert (
        done.exit_code == 0 and "http://127.0.0.1:5000/convite/" in done.output and "03/12/2026, 12h00" in done.output
    )
    invitations.accept(line.desk, done.output.rsplit("/", 1)[1].strip(), PASSWORD, NOON)
    assert authenticate(line.desk, "rita", PASSWORD, NOON).authority == "porto"
    done = line.run("user", "password", "rita", "--link")
    invitations.accept(line.desk, done.output.rsplit("/", 1)[1].strip(), "outra senha longa", NOON)
    assert authenticate(line.desk, "rita", "outra senha longa", NOON).epoch == 3
    again = line.run("user", "invite", "rita", "-a", "porto", "--name", "Rita Moura", "--role", "diretor")
    assert again.exit_code == 1 and "Já existe o usuário rita." in again.output


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("user", "add", "x1", "-a", "porta", "--name", "X", "--role", "diretor"), "«porto»"),
        (("user", "add", "x1", "-a", "porto", "--name", "X", "--role", "direto"), "«diretor»"),
        (("user", "add", "x1", "-a", "porto", "--name", "X", "--role", "diretor", "--password", "x"), "A senha tem 1"),
        (("user", "password", "ninguem", "--password", PASSWORD), "Não há usuário ninguem"),
        (("user", "appoint", "marina", "barcas", "capita", "--act", "P"), "«capitao»"),
        (("user", "appoint", "marina", "barcas", "capitao", "--act", " "), "Escreva o ato"),
        (("public", "show", "RZT6"), "A placa tem 7 letras e números. Você digitou 4."),
    ],
)
def test_what_cannot_be_is_one_message(line: Line, arguments: tuple[str, ...], text: str) -> None:
    _add(line)
    result = line.run(*arguments)
    assert result.exit_code != 0 and text in result.output and "Traceback" not in result.output


def test_a_plate_is_shown_and_its_rows_made_anew(line: Line) -> None:
    jonas = factories.clerk(line.store)
    made = factories.permit(line.store, factories.person(line.desk, jonas), factories.vehicle(line.desk, jonas))
    assert line.run("public", "show", "RZT6B18").output == "Não consta.\n"
    assert "porto: 1 outorgas lidas, 1 linhas mudadas." in line.run("public", "rebuild", "-a", "porto").output
    shown = line.run("public", "show", "RZT-6118").output
    assert "Autorizado. Esta barca pode levar passageiros." in shown and "nº 0391, até 09/01/2027" in shown
    assert "Não autorizado. O passe venceu." in line.run("public", "show", "RZT6B18", "--on", "2027-01-10").output
    assert line.run("public", "rebuild").output.endswith("outro: 0 outorgas lidas, 0 linhas mudadas.\n")
    with line.store.writing() as session:
        assert refresh_public_rows(session, line.desk, made, jonas.occasion()) == 0
        assert {row.since.date() for row in session.scalars(select(PublicRow))} >= {date(2026, 1, 10)}


def test_a_database_without_tables_says_what_to_do(blank_store: Store, tmp_path: Path) -> None:
    console = Console(clock=lambda: NOON)
    console.settings = factories.settings(tmp_path)
    console.store = blank_store
    console.host = factories.PluginHost.load(console.settings, {factories.regime.NAME: factories.regime.module()})
    result = CliRunner().invoke(cli, ("user", "list"), obj=console)
    assert result.exit_code == 1 and "registry db upgrade" in result.output
