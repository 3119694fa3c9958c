"""What is installed, what is configured, and what the database holds of each plugin."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any

from sqlalchemy import func, inspect, select

from registry.plugins import installed_plugins
from registry.store.engine import Store
from registry.store.permits import Permit

LOADED = "em uso"
UNUSED = "instalado, fora da configuração"
ABSENT = "na configuração, mas não instalado: instale-o (pip install) ou tire-o de «plugins»"
ORPHAN = "há registros, e nenhum plugin os declara: situação indisponível até ele voltar"


@dataclass(frozen=True)
class Line:
    """A plugin: ``permits`` counts those of its regimes by code, None where there is no database to count in."""

    name: str
    version: str
    api: str
    regimes: tuple[str, ...]
    questions: int
    permits: dict[str, int] | None
    state: str


def lines(configured: tuple[str, ...], store: Store | None) -> Iterator[Line]:
    """The configured plugins in order, then the installed ones that are not used, then what records have no plugin.

    A plugin is looked into alone, so that a broken one hides no other. ``store`` None = no database yet.
    """
    points = installed_plugins()
    counts = _permits(store) if store is not None else None
    known: set[str] = set()
    for name in (*configured, *(each for each in points if each not in configured)):
        if name not in points:
            yield Line(name, "", "", (), 0, {} if counts is not None else None, ABSENT)
            continue
        line = _installed(name, points[name], LOADED if name in configured else UNUSED, counts)
        known |= set(line.regimes)
        yield line
    for code, count in (counts or {}).items():
        if code not in known:
            yield Line(code, "", "", (code,), 0, {code: count}, ORPHAN)


def _installed(name: str, point: EntryPoint, state: str, counts: Counter[str] | None) -> Line:
    api, regimes, questions, fault = _parts(point)
    version = point.dist.version if point.dist else ""
    permits = None if counts is None else {code: counts[code] for code in regimes}
    return Line(name, version, api, regimes, questions, permits, f"não abre: {fault}" if fault else state)


def _parts(point: EntryPoint) -> tuple[str, tuple[str, ...], int, str]:
    """Version of the contract, codes of the regimes, number of questions, and what its module raised."""
    try:
        module: Any = importlib.import_module(point.module)
        regimes = tuple(each.code for each in getattr(module, "registry_regimes", tuple)())
        questions = len(tuple(getattr(module, "registry_questions", tuple)()))
        return str(getattr(module, "REGISTRY_API", "?")), regimes, questions, ""
    except Exception as error:
        return "?", (), 0, f"{type(error).__name__}: {error}"


def _permits(store: Store) -> Counter[str] | None:
    """How many permits each regime has, ended ones too; None for a database without tables."""
    file = store.sqlite_path()
    if (file is not None and not file.exists()) or not inspect(store.read_engine).has_table(Permit.__tablename__):
        return None
    with store.reading() as session:
        rows = session.execute(select(Permit.regime, func.count()).group_by(Permit.regime).order_by(Permit.regime))
        return Counter({row[0]: row[1] for row in rows})
