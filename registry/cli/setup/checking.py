"""``registry setup --check``: the checklist of the screen, on the command line."""

from __future__ import annotations

from collections.abc import Iterable

import click

from registry import resources
from registry.cli.console import Console
from registry.jobs import heads_file
from registry.services import readiness
from registry.services.readiness import Step
from registry.services.users import has_demo_users
from registry.settings import load_settings

_MARKS = {"done": "feito      ", "missing": "FALTA      ", "advice": "recomendado"}


def check_installation(console: Console, code: str | None) -> bool:
    """Prints what is in place and what is missing, of one authority or of all; whether nothing is missing."""
    fresh = installed(console)
    settings = fresh.settings
    if code:
        fresh.known("órgão", code, settings.authorities)
    try:
        fresh.migrated()
    except click.ClickException as error:
        return _print("Instalação", readiness.installation(settings, False, error.format_message()))
    with fresh.store.reading() as session:
        ready = _print("Instalação", readiness.installation(settings, has_demo_users(session)))
        for each in [code] if code else settings.authorities:
            zone = settings.authority(each).zone
            steps = readiness.of_authority(session, fresh.desk, each, fresh.now(zone), heads_file(settings.var))
            ready = _print(settings.authority(each).name, steps) and ready
    click.echo("\nPronto para a primeira outorga." if ready else "\nAinda falta algo: registry setup")
    return ready


def installed(console: Console) -> Console:
    """A console of this invocation on the settings as they are now; where nothing is configured, on none."""
    fresh = Console(console.actor, console.on, console.clock)
    fresh.settings = load_settings(resources.config(), unset="")
    return fresh


def _print(title: str, steps: Iterable[Step]) -> bool:
    click.echo(f"\n{title}")
    lacking = 0
    for step in steps:
        lacking += step.state == "missing"
        mend = f"  [{step.command}]" if step.state == "missing" else ""
        click.echo(f"  {_MARKS[step.state]}  {step.label}: {step.note}{mend}")
    return not lacking
