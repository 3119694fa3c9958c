"""The wheels carry all that a run needs: they are installed in an empty environment elsewhere and run there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import PLUGINS, ROOT, tracked
from tests.tutorial import Newcomer, commands_in

# one worker builds and runs them all
pytestmark = [pytest.mark.wheel, pytest.mark.slow, pytest.mark.xdist_group("wheel")]

PROJECTS = [ROOT, *sorted(path.parent for path in PLUGINS.glob("*/pyproject.toml"))]
MOVED = ("templates", "migrations", "config")
HELP = ("docs", "clerk")


def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command; its output is in the failure."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each project's folder name (`.` the core) and its wheel."""
    target = tmp_path_factory.mktemp("wheels")
    built = {}
    for project in PROJECTS:
        folder = target / project.name
        run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=project)
        (built["." if project == ROOT else project.name],) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def elsewhere(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment with the wheels installed; of this one it sees the dependencies, never the checkout."""
    home = tmp_path_factory.mktemp("elsewhere")
    venv.create(home / "venv", symlinks=True, with_pip=False)
    python = home / "venv" / "bin" / "python"
    run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(python),
            "install",
            "--no-deps",
            "--no-index",
            *map(str, wheels.values()),
        ]
    )
    dependencies = home / "dependencies"
    dependencies.mkdir()
    for name in ("purelib", "platlib"):
        for entry in Path(sysconfig.get_path(name)).iterdir():
            link = dependencies / entry.name
            # `registry*` and `outorga*` are the packages under test; `.pth` files lead back to the checkout
            if not entry.name.startswith(("registry", "outorga")) and entry.suffix != ".pth" and not link.exists():
                link.symlink_to(entry)
    site = Path(run([str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).stdout.strip())
    (site / "dependencies.pth").write_text(f"{dependencies}\n")
    return home


def clean() -> dict[str, str]:
    """The environment without anything that could lead to the checkout."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "REGISTRY_", "FLASK_", "VIRTUAL_ENV"))
    }


def in_wheel(path: Path) -> str:
    """Where a tracked file of the core lies inside its wheel."""
    relative = path.relative_to(ROOT)
    return f"registry/{relative.as_posix()}" if relative.parts[0] in {*MOVED, "docs"} else relative.as_posix()


def carried_by_the_core() -> Iterator[str]:
    """The tracked files that the core's wheel must carry."""
    for path in tracked():
        relative = path.relative_to(ROOT)
        moved = relative.parts[0] in {"registry", *MOVED} or relative.parts[:2] == HELP
        if moved and relative.parts[:2] != ("config", "requirements"):
            yield in_wheel(path)


def test_the_cores_wheel_carries_code_templates_migrations_config_and_static_files(wheels: dict[str, Path]) -> None:
    names = set(zipfile.ZipFile(wheels["."]).namelist())
    assert not set(carried_by_the_core()) - names
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"registry"}
    assert not [name for name in names if name.startswith("registry/config/requirements")]


def test_each_plugins_wheel_carries_its_package_alone(wheels: dict[str, Path]) -> None:
    for project in PROJECTS[1:]:
        names = set(zipfile.ZipFile(wheels[project.name]).namelist())
        package = f"registry_{project.name}"
        wanted = {path.relative_to(project).as_posix() for path in tracked() if path.is_relative_to(project / package)}
        assert wanted, project.name
        assert not wanted - names
        assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {package}


def test_each_wheel_carries_its_licence(wheels: dict[str, Path]) -> None:
    for wheel in wheels.values():
        assert [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("licenses/LICENSE")], wheel.name


WHERE = """
import importlib, json
from importlib.metadata import entry_points
from registry import resources
found = {"core": str(resources.PACKAGE), "static": str(resources.static() / "vendor")}
found |= {point.name: importlib.import_module(point.value).__file__ for point in entry_points(group="registry.plugins")}
found |= {name: str(resources.find(name)) for name in %r}
print(json.dumps(found))
"""


def test_everything_is_found_in_the_wheels_and_nothing_in_the_checkout(elsewhere: Path) -> None:
    python = elsewhere / "venv" / "bin" / "python"
    here = sorted({name.split("/")[1] for name in carried_by_the_core()} & set(MOVED))
    found = json.loads(run([str(python), "-c", WHERE % here], cwd=elsewhere, env=clean()).stdout)
    assert set(found) == {"core", "static", *here, *(project.name for project in PROJECTS[1:])}
    for place in found.values():
        assert Path(place).is_relative_to(elsewhere / "venv"), found


def test_the_demo_runs_from_the_wheels(elsewhere: Path) -> None:
    run([str(elsewhere / "venv" / "bin" / "registry"), "demo", "--no-serve"], cwd=elsewhere, env=clean())


def test_a_plugin_from_outside_is_written_checked_and_installed_into_the_wheels(elsewhere: Path) -> None:
    """The tutorial's plugin, built as a wheel and installed by pip, and the skeleton: neither sees the checkout."""
    newcomer = Newcomer(elsewhere, commands_in(elsewhere / "venv" / "bin" / "python"))
    try:
        newcomer.follow()
    finally:
        newcomer.close()
    assert list((newcomer.work / "van_escolar" / "registry_van_escolar" / "migrations" / "versions").glob("*.py"))
    newcomer.run("pip uninstall --yes outorga-registry-van-escolar")
    assert "há registros, e nenhum plugin os declara" in newcomer.run("REGISTRY_CONFIG=demo.toml registry plugin list")
    newcomer.run("pip install --no-deps --no-index dist/*.whl")
    newcomer.run("rm -r van_escolar")
    assert "van_escolar 0.1.0 (contrato 1): van_escolar; 3 perguntas; 2 outorgas" in newcomer.run(
        "registry plugin list"
    )
    assert "Autorizado." in newcomer.run("registry public show RZT6B18")
    newcomer.run("registry plugin new bonde && pip install --no-deps --no-build-isolation -e bonde")
    assert "nenhuma falha" in newcomer.run("registry plugin check bonde")
