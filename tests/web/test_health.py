"""The addresses for whoever watches the server."""

from __future__ import annotations

from sqlalchemy import text

from registry.web.edge import EXTENSION


def test_a_server_in_order_lives_and_is_ready(visitor) -> None:
    assert visitor.get("/saude").get_json() == {"status": "ok"}
    answer = visitor.get("/saude/pronto")
    assert (answer.status_code, answer.get_json()) == (200, {"status": "ready"})
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers


def test_a_database_behind_is_not_ready_and_named(app, visitor) -> None:
    with app.extensions[EXTENSION].store.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '0001'"))
    answer = visitor.get("/saude/pronto")
    assert (answer.status_code, answer.get_json()["behind"]) == (503, ["core"])
    assert visitor.get("/saude").status_code == 200


def test_a_database_that_does_not_answer_is_not_ready(app, visitor, monkeypatch) -> None:
    from sqlalchemy.exc import OperationalError

    store = app.extensions[EXTENSION].store

    def down(*_: object) -> None:
        raise OperationalError("select 1", {}, Exception("gone"))

    monkeypatch.setattr(store.read_engine, "connect", down)
    answer = visitor.get("/saude/pronto")
    assert (answer.status_code, answer.get_json()["part"]) == (503, "database")
    assert "select" not in answer.get_data(as_text=True)
