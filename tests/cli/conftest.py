"""A command line whose plugins are planted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner, Result

from registry.cli import cli
from registry.cli.console import Console
from registry.settings import Authority
from tests.hooks import planted

Run = Callable[..., Result]
AUTHORITY = Authority("recife", "Órgão", "Órgão", ZoneInfo("America/Recife"))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs ``registry ARGS`` with these plugins (default: the planted city) and no database."""

    def invoke(*arguments: str, modules: tuple[ModuleType, ...] | None = None) -> Result:
        console = Console()
        url = f"sqlite:///{tmp_path / 'registry.db'}"
        chosen = (planted.city(),) if modules is None else modules
        host = planted.load(*chosen, authorities={"recife": AUTHORITY}, database_url=url, var=tmp_path)
        console.host, console.settings = host, replace(host.settings)
        return CliRunner().invoke(cli, arguments, obj=console)

    return invoke
