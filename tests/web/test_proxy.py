"""Whose address counts: the one that connects, or the one that the installation's own proxy names."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask import Flask

from registry.settings import Settings
from registry.web.edge import limiter

ONE, OTHER = "198.51.100.7", "203.0.113.9"


@pytest.fixture
def proxies() -> int:
    return 0


@pytest.fixture
def settings(settings: Settings, proxies: int) -> Settings:
    return replace(settings, proxies=proxies, rates=replace(settings.rates, public="1 per minute"))


def asked(app: Flask, forwarded: str, scheme: str = "http") -> int:
    """What the look-up answers to a visitor whose address a header tells."""
    headers = {"X-Forwarded-For": forwarded, "X-Forwarded-Proto": scheme}
    return app.test_client().get("/consulta", headers=headers).status_code


def test_without_a_proxy_nobody_gives_himself_another_address(app: Flask):
    limiter.reset()
    assert [asked(app, ONE), asked(app, OTHER)] == [200, 429]


@pytest.mark.parametrize("proxies", [1])
def test_behind_a_proxy_each_visitor_counts_alone(app: Flask):
    limiter.reset()
    assert [asked(app, ONE), asked(app, OTHER), asked(app, ONE)] == [200, 200, 429]


@pytest.mark.parametrize("proxies", [1])
def test_only_the_last_address_is_the_proxys_word(app: Flask):
    limiter.reset()
    assert [asked(app, f"{ONE}, {OTHER}"), asked(app, f"192.0.2.1, {OTHER}")] == [200, 429]


@pytest.mark.parametrize(("proxies", "safe"), [(0, False), (1, True)])
def test_the_scheme_is_the_proxys_too(app: Flask, safe: bool):
    limiter.reset()
    headers = {"X-Forwarded-Proto": "https"}
    assert ("Strict-Transport-Security" in app.test_client().get("/consulta", headers=headers).headers) is safe
