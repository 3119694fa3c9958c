"""Plugins made from the skeleton, changed in one place, and put where the interpreter takes them for installed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from registry.cli.plugin import skeleton
from registry.cli.plugin.subject import Subject, subject_of
from registry.store.tables import METADATA

_serial = count(1)


class Nursery:
    """Plants plugins in a folder; each gets a name of its own, so that none meets another's tables."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self.names: list[str] = []
        self._tables = set(METADATA.tables)

    def plant(self, name: str = "") -> Path:
        """A new plugin's folder."""
        name = name or f"muda_{next(_serial)}"
        made = skeleton.write(name, self.folder, "UTC")
        self.names.append(name)
        seem_installed(made)
        self._monkeypatch.syspath_prepend(made)
        return made

    def change(self, file: str, old: str, new: str) -> Path:
        """A new plugin with one text of one file (``@`` = its name) replaced, or appended where ``old`` is empty."""
        made = self.plant()
        path = made / file.replace("@", made.name)
        old, new = old.replace("@@", made.name), new.replace("@@", made.name)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        assert old in text, f"{file} has no {old!r}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace(old, new) if old else f"{text}\n{new}\n", encoding="utf-8")
        return made

    def subject(self, folder: Path) -> Subject:
        """The planted plugin, as it is checked."""
        importlib.invalidate_caches()
        return subject_of(folder.name, ZoneInfo("UTC"))

    def uproot(self) -> None:
        """Takes the plugins' modules and tables out of this process."""
        for name in self.names:
            for module in [each for each in sys.modules if each.partition(".")[0] == f"registry_{name}"]:
                del sys.modules[module]
        # those of a refused name too
        for table in [each for name, each in METADATA.tables.items() if name not in self._tables]:
            METADATA.remove(table)


def seem_installed(folder: Path) -> None:
    """Writes beside a plugin's package what pip would: its name, version and entry point."""
    name = folder.name
    record = folder / f"outorga_registry_{name}-0.1.0.dist-info"
    record.mkdir()
    distribution = f"outorga-registry-{name.replace('_', '-')}"
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 0.1.0\n")
    (record / "entry_points.txt").write_text(f"[registry.plugins]\n{name} = registry_{name}.plugin\n")


@pytest.fixture
def nursery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nursery]:
    made = Nursery(tmp_path, monkeypatch)
    yield made
    made.uproot()
