"""Whether the server lives, and whether it can answer: for a proxy, a monitor, a service manager."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from registry.store import migrate
from registry.web.access import access
from registry.web.edge import edge

blueprint = Blueprint("health", __name__, url_prefix="/saude")


@blueprint.get("")
@access.public
def alive() -> Response:
    """The process answers; it asks nothing else."""
    return _plain({"status": "ok"})


@blueprint.get("/pronto")
@access.public
def ready() -> Response:
    """The database answers and is at the program's version; 503 naming the part that is not."""
    store, host = edge().store, edge().host
    try:
        with store.read_engine.connect() as connection:
            connection.execute(text("select 1"))
        behind = [each.name or "core" for each in migrate.pending(store, migrate.of_plugins(host))]
    except SQLAlchemyError:
        return _plain({"status": "unavailable", "part": "database"}, 503)
    if behind:
        return _plain({"status": "unavailable", "part": "migrations", "behind": behind}, 503)
    return _plain({"status": "ready"})


def _plain(body: dict[str, object], status: int = 200) -> Response:
    response = jsonify(body)
    response.status_code = status
    response.headers["Cache-Control"] = "no-store"
    return response
