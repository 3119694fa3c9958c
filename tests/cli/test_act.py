"""``registry act`` on a real database."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.store.engine import Store
from tests.cli.test_user_and_public import Line, without_plugin_tables
from tests.factories import PDF

__all__ = ["without_plugin_tables"]
ADD = ("act", "add", "portaria", "nº 112/26", "--day", "27/11/2026", "-a", "porto")


@pytest.fixture
def line(store: Store, tmp_path: Path) -> Line:
    return Line(store, tmp_path)


def test_an_act_is_added_with_its_file_and_listed(line: Line, tmp_path: Path) -> None:
    paper = tmp_path / "portaria.pdf"
    paper.write_bytes(PDF)
    done = line.run(*ADD, "--summary", "Fixa o custo", "--file", str(paper))
    assert done.output == "Portaria nº 112/2026, de 27/11/2026: cadastrado.\n"
    assert line.run("act", "list", "CUSTO").output == "Portaria nº 112/2026 · 27/11/2026 · porto · Fixa o custo · PDF\n"
    assert line.run("act", "list", "outra").output == line.run("act", "list", "--ended").output == ""
    again = line.run(*ADD)
    assert (again.exit_code, again.output) == (1, "Error: Já existe: Portaria nº 112/2026.\n")


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (("act", "add", "portria", "1/2026", "--day", "27/11/2026", "-a", "porto"), "Você quis escrever «portaria»?"),
        (("act", "add", "portaria", "1", "--day", "27/11/2026", "-a", "porto"), "Escreva o número com o ano"),
        (("act", "add", "portaria", "1/2026", "--day", "01/12/2026", "-a", "porto"), "depois de hoje"),
        (("act", "add", "portaria", "1/2026", "--day", "27/11/2026"), "Diga de que órgão é o ato, com -a."),
        (("act", "list", "-a", "port"), "Você quis escrever «porto»?"),
    ],
)
def test_what_is_wrong_is_told(line: Line, changed: tuple[str, ...], told: str) -> None:
    done = line.run(*changed)
    assert done.exit_code != 0 and told in done.output
