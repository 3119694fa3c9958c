"""Public JSON look-up: against a bare view in the same application, and at 100,000 vehicles against 1,000.

The bare view makes the same select and returns the same JSON, read once, without asking the law. Both are called as
WSGI in this process, in turns, so that a busy machine weighs on both alike.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

from flask import Flask, jsonify
from sqlalchemy import insert, select
from werkzeug.test import create_environ

from benchmarks.setting import AT, application, installation, one_taxi
from registry.domain.identifiers import parse_plate
from registry.services import status
from registry.services.desk import Desk
from registry.store.permits import PublicRow
from registry.web.access import access
from registry.web.edge import session

ROUNDS, CALLS = 9, 300
SMALL, LARGE = 1_000, 100_000
WANTED_OF_BARE, WANTED_GROWTH = 0.5, 1.3


def main() -> None:
    """Prints both ratios beside what is wanted."""
    with installation() as desk:
        permit = one_taxi(desk)
        fill(desk, permit, 0, SMALL)
        app = application(desk)
        body: dict[str, Any] = {}
        bare(app, body)
        body.update(app.test_client().get(f"/api/v1/vehicles/{plate(0)}").get_json())
        at_small, _ = compare(app, SMALL)
        fill(desk, permit, SMALL, LARGE)
        at_large, at_bare = compare(app, LARGE)
    print(f"{LARGE:,} vehicles: look-up {at_large * 1e6:.0f} µs, bare view {at_bare * 1e6:.0f} µs")
    print(f"requests per second against the bare view: {at_bare / at_large:.2f} (wanted ≥ {WANTED_OF_BARE})")
    print(f"time at {LARGE:,} against {SMALL:,}: {at_large / at_small:.2f} (wanted ≤ {WANTED_GROWTH})")


def plate(number: int) -> str:
    """The plate of a serial number: QAA1000 ..."""
    letters, digits = divmod(number, 9_000)
    return f"Q{chr(65 + letters // 26)}{chr(65 + letters % 26)}{digits + 1_000}"


def fill(desk: Desk, permit_id: int, start: int, end: int) -> None:
    """Public rows for plates ``start`` to ``end``, with the facts of the one taxi."""
    with desk.store.writing() as writer:
        in_force = (PublicRow.permit_id == permit_id, PublicRow.since <= AT, PublicRow.until > AT)
        row = writer.execute(select(PublicRow.__table__).where(*in_force).limit(1)).mappings().one()
        facts = {key: value for key, value in row.items() if key not in {"id", "plate", "plate_key", "card"}}
        rows = [
            {**facts, "plate": plate(n), "plate_key": plate(n), "card": {**row["card"], "plate": plate(n)}}
            for n in range(start, end)
        ]
        writer.execute(insert(PublicRow), rows)


def bare(app: Flask, body: dict[str, Any]) -> None:
    """The same select and the same JSON, without the law."""

    @access.public
    def bare_view(text: str) -> Any:
        parameters = {"plate_key": parse_plate(text).key, "at": AT}
        rows = session().connection().execute(status._LOOKUP, parameters).all()
        return jsonify(body) if rows else ("", 404)

    app.add_url_rule("/bare/<text>", view_func=bare_view)


def compare(app: Flask, count: int) -> tuple[float, float]:
    """Median seconds of a look-up and of the bare view."""
    rng = random.Random(1)
    times: dict[str, list[float]] = {"/api/v1/vehicles/": [], "/bare/": []}
    for _ in range(ROUNDS):
        plates = [plate(rng.randrange(count)) for _ in range(CALLS)]
        for path, taken in times.items():
            environs = [create_environ(path + text) for text in plates]
            begun = perf_counter()
            for environ in environs:
                call(app, environ)
            taken.append((perf_counter() - begun) / CALLS)
    return median(times["/api/v1/vehicles/"]), median(times["/bare/"])


def call(app: Callable[..., Any], environ: dict[str, Any]) -> None:
    """One request; raises AssertionError unless it is found."""
    seen = []
    for chunk in app(environ, lambda state, headers, exc=None: seen.append(state)):
        assert chunk
    assert seen == ["200 OK"], seen
