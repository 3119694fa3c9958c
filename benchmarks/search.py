"""Search by any fragment of a name over 100,000 people of one authority: each under 20 ms, on both engines.

PostgreSQL is the server of REGISTRY_TEST_POSTGRES (default: the local one) and is left out where none answers.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import insert, text
from sqlalchemy.exc import OperationalError

from registry.domain.text import fold
from registry.store import migrate
from registry.store.access import Authority
from registry.store.engine import Store
from registry.store.people import Person
from registry.store.search import search_people
from registry.testing.databases import DEFAULT_SERVER

ROWS = 100_000
MOST_MS = 20
RUNS = 7
FIRST = [
    "José",
    "Maria",
    "João",
    "Antônio",
    "Ana",
    "Francisco",
    "Carlos",
    "Paulo",
    "Pedro",
    "Lucas",
    "Luiz",
    "Marcos",
    "Rafael",
    "André",
    "Fábio",
    "Conceição",
]
LAST = [
    "Silva",
    "Santos",
    "Oliveira",
    "Souza",
    "Pereira",
    "Gonçalves",
    "Araújo",
    "Assunção",
    "Albuquerque",
    "Cavalcanti",
    "Lima",
    "Gomes",
    "Rocha",
]
ODD = 'Xq Wçyk Zzyzx 100%_ "aspas"'
TYPED = ("silva", "ASSUNÇÃO", "zyz", "xq", "a", "maria jose silva", "maria da silva", "qqqq", "100%", "%", "jose z")


def main() -> None:
    """Prints the median of each search and whether it keeps the limit."""
    with tempfile.TemporaryDirectory() as folder:
        _measure(Store(f"sqlite:///{Path(folder) / 'people.db'}"))
    try:
        with _own_database(os.environ.get("REGISTRY_TEST_POSTGRES") or DEFAULT_SERVER) as store:
            _measure(store)
    except OperationalError as error:
        print(f"PostgreSQL left out: {error.orig}")


@contextmanager
def _own_database(server: str) -> Iterator[Store]:
    name = f"registry_bench_{os.getpid()}"
    admin = Store(server)
    with admin.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"create database {name} template template0"))
        try:
            store = Store(admin.url.set(database=name).render_as_string(hide_password=False))
            yield store
        finally:
            connection.execute(text(f"drop database {name} with (force)"))


def _measure(store: Store) -> None:
    migrate.upgrade(store)
    _fill(store)
    for typed in TYPED:
        times = []
        for _ in range(RUNS):
            with store.reading() as session:
                began = time.perf_counter()
                found = search_people(session, "a", typed, 20)
                times.append((time.perf_counter() - began) * 1_000)
        median = statistics.median(times)
        verdict = "ok" if median < MOST_MS else f"OVER {MOST_MS} ms"
        print(f"{store.dialect:10} {typed!r:20} {found.count:5} found {median:7.2f} ms  {verdict}")
    store.close()


def _fill(store: Store) -> None:
    chance = random.Random(1)
    base = {"authority": "a", "kind": "natural", "created_at": datetime(2026, 1, 1, tzinfo=UTC), "version": 1}
    base |= dict.fromkeys(("document", "nationality", "sex", "cnh", "phone", "email", "address"), "")
    base |= {"cnh_confirmed": False, "facts": {}}
    rows = []
    for number in range(ROWS):
        words = (*chance.choices(FIRST, k=2), *chance.choices(LAST, k=2))
        name = ODD if number == ROWS // 2 else " ".join(words)
        rows.append(base | {"name": name, "name_folded": fold(name)})
    with store.writing() as session:
        session.execute(insert(Authority), [{"code": "a", "name": "a", "zone": "UTC"}])
        for start in range(0, ROWS, 5_000):
            session.execute(insert(Person), rows[start : start + 5_000])
    if store.dialect == "postgresql":
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("vacuum analyze person"))


if __name__ == "__main__":
    main()
