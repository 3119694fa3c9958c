"""The walls of the house stand, and the tool that guards them bites."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import PLUGINS, ROOT, imports, modules, plugin_packages, where

LINT = Path(sys.executable).with_name("lint-imports")


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Run lint-imports on the packages below root, wherever else they are installed."""
    packages = [root, *(path.parent for path in sorted(root.glob("plugins/*/registry_*")))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, packages))}
    return subprocess.run(
        [str(LINT), "--no-cache", "--no-logo"], cwd=root, env=environment, capture_output=True, text=True, timeout=300
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The packages and their contracts, copied so that a test may plant something."""
    only_python = shutil.ignore_patterns("static", "__pycache__", "tests", "law", "templates")
    shutil.copytree(ROOT / "registry", tmp_path / "registry", ignore=only_python)
    shutil.copytree(PLUGINS, tmp_path / "plugins", ignore=only_python)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_every_import_respects_the_layers() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("module", "planted", "broken"),
    [
        ("registry/domain/planted.py", "import flask", "The domain knows no framework"),
        ("registry/domain/planted.py", "from registry import hookspecs", "The layers of the core"),
        ("registry/hookspecs_planted.py", "", "The layers of the core"),
        ("registry/domain/planted.py", "import registry_taxi_pontos", "The core names no plugin"),
        ("plugins/taxi_recife/registry_taxi_recife/planted.py", "import registry.resources", "Plugin taxi_recife"),
        ("plugins/taxi_pontos/registry_taxi_pontos/planted.py", "import registry.hookspecs", "Plugin taxi_pontos"),
        (
            "plugins/taxi_recife/registry_taxi_recife/planted.py",
            "from registry_taxi_pontos import plugin",
            "Plugin taxi_recife",
        ),
        (
            "plugins/fretamento_rmr/registry_fretamento_rmr/planted.py",
            "import registry_taxi_recife",
            "Plugin fretamento_rmr",
        ),
        (
            "plugins/fretamento_rmr/registry_fretamento_rmr/rules/planted.py",
            "import sqlalchemy",
            "Rules of fretamento_rmr",
        ),
    ],
)
def test_a_forbidden_import_is_caught(copy: Path, module: str, planted: str, broken: str) -> None:
    path = copy / module
    path.parent.mkdir(exist_ok=True)
    (path.parent / "__init__.py").touch()
    path.write_text(planted + "\n")
    result = lint(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    verdicts = [line for line in result.stdout.splitlines() if " BROKEN" in line]
    assert [line for line in verdicts if line.startswith(broken)], result.stdout


def test_a_plugin_may_import_the_law_surface(copy: Path) -> None:
    rules = copy / "plugins/taxi_recife/registry_taxi_recife/rules"
    rules.mkdir(exist_ok=True)
    (rules / "__init__.py").touch()
    (rules / "planted.py").write_text("import registry.api.law\n")
    result = lint(copy)
    assert result.returncode == 0, result.stdout + result.stderr


STDLIB_BUT_IMPURE = {
    "os",
    "random",
    "secrets",
    "socket",
    "sqlite3",
    "subprocess",
    "time",
    "urllib",
    "http",
    "threading",
}


def impure(name: str) -> bool:
    """Whether the name is neither pure standard library nor part of the registry."""
    top = name.split(".")[0]
    return top in STDLIB_BUT_IMPURE or (top not in sys.stdlib_module_names and not top.startswith("registry"))


def test_the_domain_and_the_rules_use_the_standard_library_alone() -> None:
    pure = [ROOT / "registry" / "domain", *(package / "rules" for package in plugin_packages())]
    found = [
        f"{where(path, line)} imports {name}"
        for path in modules(*pure)
        for name, line in imports(path)
        if not name.startswith(".") and impure(name)
    ]
    assert not found, "\n".join(found)


def allowed_in_rules(name: str, package: str) -> bool:
    """Whether a rules module may import the name: api.law, own rules, another plugin's api, standard library."""
    if name.startswith((".", "registry.api.law", f"{package}.rules")) or name == "registry.api.law":
        return True
    if name.startswith("registry_"):
        return name.split(".")[0] != package and name.split(".")[1:2] == ["api"]
    return not name.startswith("registry")


def test_rules_import_nothing_but_the_law_surface() -> None:
    found = [
        f"{where(path, line)} imports {name}"
        for package in plugin_packages()
        for path in modules(package / "rules")
        for name, line in imports(path)
        if not allowed_in_rules(name, package.name)
    ]
    assert not found, "\n".join(found)


def test_tests_of_plugins_use_the_surface_for_plugin_authors() -> None:
    """They may import the api, registry.testing, their own package and other plugins' api; nothing inside the core."""
    found = []
    for plugin in sorted(PLUGINS.iterdir()):
        for path in modules(plugin / "tests"):
            for name, line in imports(path):
                if name.split(".")[0] == "registry" and not name.startswith(("registry.api", "registry.testing")):
                    found.append(f"{where(path, line)} imports {name}")
    assert not found, "\n".join(found)
