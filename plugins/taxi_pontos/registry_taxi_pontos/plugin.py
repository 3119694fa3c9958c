"""What the plugin taxi_pontos registers with the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from registry.api.data import RowRemark
from registry.api.law import Dossier, Occasion
from registry.api.plugin import hookimpl
from registry_taxi_pontos import imports, stands
from registry_taxi_pontos.models import Designation, Ponto

REGISTRY_API = 1


@hookimpl
def registry_tables() -> Iterable[type]:
    """Stands and designations."""
    return (Ponto, Designation)


@hookimpl
def registry_settings() -> Mapping[str, Any]:
    """``regimes``: the menu shows stands to authorities that administer one of these; empty = to all."""
    return {"regimes": []}


@hookimpl
def registry_blueprints() -> Iterable[Any]:
    """The list of stands and the page of one."""
    from registry_taxi_pontos.views import blueprint

    return (blueprint,)


@hookimpl
def registry_menu() -> Iterable[Any]:
    """The stands, among the registers."""
    from registry_taxi_pontos.views import MENU

    return MENU


@hookimpl
def registry_dossier_facts(session: Any, dossier: Dossier) -> Mapping[str, Any]:
    """The stand of the dossier's permit: ``ponto`` for the public card, and its facts for the city's question."""
    return stands.facts_of(session, dossier.permit.id, dossier.on) if dossier.permit else {}


@hookimpl
def registry_import_remarks(session: Any, occasion: Occasion, rows: Sequence[Mapping[str, Any]]) -> Iterable[RowRemark]:
    """Designations for another stand than the file's."""
    return imports.remarks(session, occasion, rows)


@hookimpl
def registry_import_row(session: Any, occasion: Occasion, row: Mapping[str, Any]) -> bool:
    """Enters the stand of an imported row's ``ponto`` column and the designation of its permit."""
    return imports.write_row(session, occasion, row)


@hookimpl
def registry_import_undo(session: Any, occasion: Occasion, at: datetime, permit_ids: Sequence[int]) -> Iterable[str]:
    """Takes back the designations of an import, and the stands that it entered and nobody uses."""
    return imports.undo(session, occasion, at, permit_ids)
