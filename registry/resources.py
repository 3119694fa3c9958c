"""Where the files that are not Python lie: templates, migrations, configuration, help, static files.

In a checkout `templates/`, `migrations/`, `config/` and `docs/clerk/` stand beside the package; a wheel carries them
inside it (see `[tool.hatch.build.targets.wheel.sources]` in pyproject.toml). This module is the only one that knows of
the difference: `app` and `cli` ask here and hand the paths down.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


class ResourceMissing(FileNotFoundError):
    """A folder or file that the registry ships is neither in the package nor beside it."""

    def __init__(self, name: str, places: tuple[Path, ...]) -> None:
        super().__init__(f"{name}: not found in {' nor in '.join(map(str, places))}; install the registry anew")


def find(name: str, package: Path = PACKAGE) -> Path:
    """Answer the path of a shipped folder or file.

    Args:
        name: relative path with `/`, such as `templates` or `config/demo.toml`.
        package: folder of the installed package; other than this one only in tests.

    Returns:
        The absolute path inside the package (wheel), else beside it (checkout).

    Raises:
        ResourceMissing: it is in neither place.
        ValueError: `name` leads out of the shipped folders.
    """
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise ValueError(f"{name!r} must be a relative path inside the shipped folders")
    places = (package / name, package.parent / name)
    for place in places:
        if place.exists():
            return place
    raise ResourceMissing(name, places)


def templates() -> Path:
    """Answer the folder of the core's Jinja templates."""
    return find("templates")


def migrations() -> Path:
    """Answer the folder with alembic's env.py, script.py.mako and the core's versions/."""
    return find("migrations")


def config(name: str = "") -> Path:
    """Answer the configuration folder, or one file of it such as `default.toml`."""
    return find(f"config/{name}" if name else "config")


def help_pages() -> Path:
    """Answer the folder of the clerks' help pages, in Markdown."""
    return find("docs/clerk")


def static() -> Path:
    """Answer the folder of static files; it is inside the package in a checkout too."""
    return PACKAGE / "static"


def skeleton() -> Path:
    """Answer the folder of the files from which a new plugin is written; it is inside the package in a checkout too."""
    return PACKAGE / "skeleton"


def plugin_folder(module: str) -> Path:
    """Answer the folder of an installed plugin's package, where its law/, templates/ and migrations/ lie.

    Args:
        module: import name of the package or of a module in it, such as `registry_example.plugin`.

    Raises:
        ModuleNotFoundError: no such package is installed.
        ResourceMissing: the package has no folder (it is a namespace or built in).
    """
    package = import_module(module.partition(".")[0])
    if not package.__file__:
        raise ResourceMissing(module, (PACKAGE,))
    return Path(package.__file__).resolve().parent
