"""The shipped folders are found in a checkout and in a wheel alike."""

from pathlib import Path

import pytest

from registry import resources


def layout(root: Path, inside: bool) -> Path:
    """A package folder whose config lies inside it (wheel) or beside it (checkout)."""
    package = root / "registry"
    home = package if inside else root
    (home / "config").mkdir(parents=True)
    package.mkdir(exist_ok=True)
    (home / "config" / "default.toml").write_text("")
    return package


@pytest.mark.parametrize("inside", [True, False], ids=["wheel", "checkout"])
def test_finds_a_file_in_both_layouts(tmp_path: Path, inside: bool) -> None:
    package = layout(tmp_path, inside)
    found = resources.find("config/default.toml", package)
    assert found.is_file()
    assert found.is_relative_to(package) is inside


def test_the_wheel_wins_over_a_folder_that_happens_to_lie_beside_it(tmp_path: Path) -> None:
    package = layout(tmp_path, inside=True)
    (tmp_path / "config").mkdir()
    assert resources.find("config", package) == package / "config"


def test_a_missing_resource_names_itself_and_both_places(tmp_path: Path) -> None:
    package = layout(tmp_path, inside=False)
    with pytest.raises(resources.ResourceMissing, match=r"config/absent\.toml.*registry.* nor in "):
        resources.find("config/absent.toml", package)


@pytest.mark.parametrize("name", ["../secret", "config/../../secret", "/etc/passwd"])
def test_never_leads_out_of_the_shipped_folders(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("x")
    with pytest.raises(ValueError, match="relative"):
        resources.find(name, layout(tmp_path / "app", inside=False))


def test_static_files_are_in_the_package() -> None:
    assert (resources.static() / "vendor" / "manifest.toml").is_file()


def test_a_plugins_folder_holds_its_module() -> None:
    assert (resources.plugin_folder("registry_taxi_pontos.plugin") / "plugin.py").is_file()


def test_a_plugin_that_is_not_installed_is_an_error() -> None:
    with pytest.raises(ModuleNotFoundError):
        resources.plugin_folder("registry_of_nowhere.plugin")
