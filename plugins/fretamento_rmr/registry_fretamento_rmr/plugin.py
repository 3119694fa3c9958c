"""What the plugin fretamento_rmr registers with the core."""

from __future__ import annotations

from typing import Any

from registry.api.law import Lawbook, Question, load_lawbook, questions_in
from registry.api.plugin import hookimpl
from registry_fretamento_rmr.rules import applicants, deadlines, fees, inspections, registration, status, vehicles

REGISTRY_API = 1


@hookimpl
def registry_lawbook() -> Lawbook:
    """The data of Decreto PE 27.099/2004."""
    return load_lawbook("registry_fretamento_rmr")


@hookimpl
def registry_questions() -> tuple[Question[Any, Any], ...]:
    """The questions of the decree."""
    return questions_in(applicants, deadlines, fees, inspections, registration, status, vehicles)
