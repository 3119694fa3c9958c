from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import text

import registry_taxi_pontos
from registry.api.data import Permit
from registry.api.law import Occasion
from registry.testing.databases import Migrations
from registry_taxi_pontos.plugin import registry_tables

ZONE = ZoneInfo("America/Recife")
AT = datetime(2026, 11, 30, 12, tzinfo=ZONE)
DAY = date(2026, 11, 30)


@pytest.fixture
def store_plugins():
    assert registry_tables()
    return (Migrations("taxi_pontos", Path(registry_taxi_pontos.__file__).parent / "migrations" / "versions"),)


@pytest.fixture
def occasion() -> Occasion:
    return Occasion("Jonas", "cidade", AT, ZONE)


@pytest.fixture
def permit(store) -> Callable[..., int]:
    """Makes a permit of an authority: ``permit("0001")``."""

    def make(number: str, authority: str = "cidade", **more) -> int:
        with store.writing() as session:
            known = session.execute(text("select 1 from authority where code = :code"), {"code": authority}).first()
            if not known:
                session.execute(
                    text("insert into authority (code, name, zone) values (:code, :code, 'America/Recife')"),
                    {"code": authority},
                )
            facts = {"granted_on": date(2026, 1, 1), "category": "comum", **more}
            row = Permit(authority=authority, regime="taxi", number=number, created_at=AT, **facts)
            session.add(row)
            session.flush()
            return row.id

    return make
