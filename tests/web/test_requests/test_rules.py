"""Rules that do not answer, and regimes that are gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from registry.app import create_app
from registry.plugins import PluginHost
from registry.services.desk import Desk
from registry.settings import Settings
from registry.store.requests import Request
from registry.web.edge import EXTENSION
from tests import factories, regime
from tests.factories import OTHER
from tests.web.conftest import FrozenClock


class Switch:
    """Lets a plugin's rules fail from a moment on."""

    broken = False

    def rules(self, regime: str, request_kind: str) -> list[Any]:
        """What the plugin adds to a request's rules: nothing, or a fault."""
        if self.broken:
            raise RuntimeError("boom")
        return []


@pytest.fixture
def switch() -> Switch:
    return Switch()


@pytest.fixture
def host(settings: Settings, switch: Switch) -> PluginHost:
    def rules(regime: str, request_kind: str) -> list[Any]:
        return switch.rules(regime, request_kind)

    return PluginHost.load(settings, {regime.NAME: regime.module(registry_rules=rules)})


def test_a_rule_that_fails_is_503_with_a_code_and_nothing_is_saved(
    desk: Desk, login: Callable[..., Any], page: Callable[..., Any], switch: Switch
) -> None:
    client, marina = login("analista")
    made = factories.draft(desk, marina)
    here = f"/requerimentos/{made}"
    sent = page(client.get(here)).form(f"{here}/dados") | {"fact_crew": "9"}
    switch.broken = True
    for answer in (client.get(here), client.post(f"{here}/dados", data=sent)):
        told = page(answer, 503)
        assert "A regra de Barcas não respondeu. Nada foi gravado e a decisão espera." in told.text
        assert "Código" in told.text
        assert "Traceback" not in told.html
    part = client.post(f"{here}/_findings", data=sent, headers={"HX-Request": "true"})
    assert (part.status_code, part.headers["HX-Retarget"]) == (503, "#aviso")
    with desk.store.reading() as session:
        assert session.get_one(Request, made).facts == {}


def test_a_request_of_a_regime_that_is_gone_keeps_its_history(
    app: Flask,
    desk: Desk,
    login: Callable[..., Any],
    page: Callable[..., Any],
    settings: Settings,
    clock: FrozenClock,
) -> None:
    client, marina = login("analista")
    stranger, _ = login("analista", authority=OTHER)
    made = factories.filed(desk, marina)
    bare = replace(
        settings,
        plugins=(),
        authorities={code: replace(each, regimes=()) for code, each in settings.authorities.items()},
    )
    gone = create_app(bare, PluginHost.load(bare, {}), app.extensions[EXTENSION].store, clock)
    gone.testing = True
    for theirs, status in ((client, 200), (stranger, 404)):
        visitor = gone.test_client()
        with theirs.session_transaction() as old, visitor.session_transaction() as new:
            new.update(old)
        shown = page(visitor.get(f"/requerimentos/{made}"), status)
        if status == 200:
            assert "Regime indisponível. O histórico continua aberto." in shown.text
            assert "Requerimento 2026/000001 protocolado" in shown.text
            assert "Regime indisponível" in page(visitor.get("/requerimentos")).text
