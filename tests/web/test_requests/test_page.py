from __future__ import annotations

from collections.abc import Callable
from typing import Any

from registry.services.desk import Desk
from tests import factories
from tests.web.conftest import MOST_QUERIES


def test_a_draft_shows_form_findings_documents_and_next_step(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], queries: Callable[[], list[str]]
) -> None:
    client, marina = login("analista")
    made = factories.draft(desk, marina)
    queries()
    shown = page(client.get(f"/requerimentos/{made}"))
    assert len(queries()) <= MOST_QUERIES
    assert shown.h1 == "Permissão nova"


def test_a_filed_request(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], queries: Callable[[], list[str]]
) -> None:
    client, marina = login("analista")
    made = factories.filed(desk, marina)
    queries()
    shown = page(client.get(f"/requerimentos/{made}"))
    assert len(queries()) <= MOST_QUERIES
    assert "2026/" in shown.title
