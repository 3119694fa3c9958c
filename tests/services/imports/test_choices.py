"""What the clerk and the installation choose: profiles, texts read as others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from registry.services import imports
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused
from registry.settings import SettingsError
from registry.store.engine import Store
from tests.services.imports.fleet import Bring, Preview, permit


def test_a_text_is_read_as_another(store: Store, bring: Bring) -> None:
    bring(maps=(("marca", "naval", "ESTALEIRO NAVAL"),))
    assert permit(store, "0007")[1].make == "ESTALEIRO NAVAL"


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"profile": "nenhum"}, "Não há perfil de importação «nenhum». Há: frota,"),
        ({"profile": "frota_taxi_dados_abertos"}, "Faltam as colunas «data_primeiro_emplac» e «combustivel»"),
        ({"maps": (("marcas", "A", "B"),)}, "não tem a coluna «marcas»"),
    ],
)
def test_a_choice_that_does_not_fit_is_refused(preview: Preview, choices: dict[str, Any], says: str) -> None:
    with pytest.raises(Refused, match=says):
        preview(**choices)


def test_a_file_that_is_no_table_is_refused(preview: Preview) -> None:
    with pytest.raises(Refused, match="vazio"):
        preview("")


def test_a_regime_of_nobody_here_is_not_found(preview: Preview) -> None:
    with pytest.raises(NotFound):
        preview(code="outro_regime")


def test_an_installation_adds_and_replaces_profiles_beside_its_configuration(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "import"
    folder.mkdir()
    content = 'label = "Nossa"\n[columns]\nnumber = ["n"]\nplate = ["p"]\n'
    (folder / "frota.toml").write_text(content, encoding="utf-8")
    (folder / "nossa.toml").write_text(content, encoding="utf-8")
    settings = replace(desk.settings, sources=(*desk.settings.sources, tmp_path / "nosso.toml"))
    found = {each.name: each.label for each in imports.profiles(settings)}
    assert found["frota"] == found["nossa"] == "Nossa"
    assert "frota_taxi_dados_abertos" in found
    (folder / "filha.toml").write_text('extends = "nossa"\n[columns]\nplate = ["chapa"]\n', encoding="utf-8")
    child = next(each for each in imports.profiles(settings) if each.name == "filha")
    assert (child.label, child.columns) == ("Nossa", {"number": ("n",), "plate": ("chapa",)})
    (folder / "filha.toml").write_text('extends = "mãe"\n', encoding="utf-8")
    with pytest.raises(SettingsError, match=r"filha.toml: .*«extends»"):
        imports.profiles(settings)
    (folder / "filha.toml").unlink()
    (folder / "nossa.toml").write_text(content + "[unknown]\nplat = []\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"nossa.toml: .*unknown.plat"):
        imports.profiles(settings)
