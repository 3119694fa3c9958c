from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from registry.api.law import (
    DatedValue,
    Document,
    Dossier,
    Holder,
    Inspection,
    Law,
    Licence,
    Permit,
    RequestFacts,
    Vehicle,
    load_lawbook,
)

ZONE = ZoneInfo("America/Recife")
DAY = date(2026, 11, 30)
BOOK = load_lawbook("registry_taxi_recife")


def make_law(readings: dict[str, Any] | None = None, **indexes: str) -> Law:
    values = {
        key: (DatedValue(key, value, "", date(2020, 1, 1), act="Portaria 1/2020"),) for key, value in indexes.items()
    }
    return Law(BOOK, BOOK.calendar, ZONE, values, readings or {})


DRIVER_FACTS = {
    "zero_km": True,
    "passengers": 4,
    "co_owner_of_taxi": False,
    "other_income": False,
    "military": True,
    "convicted": False,
}
DRIVER_PAPERS = (
    "identity",
    "military_clearance",
    "electoral_clearance",
    "municipal_tax_registration",
    "cnh",
    "vehicle_title",
    "criminal_record_police",
    "criminal_record_court",
)


@pytest.fixture
def law() -> Law:
    return make_law(ufr="187.43", population="1488920")


@pytest.fixture
def request_dossier() -> Callable[..., Dossier]:
    """A driver's request for a new permit with everything in order; keyword arguments replace parts of it."""

    def make(facts: dict[str, Any] | None = None, category: str = "comum", **parts: Any) -> Dossier:
        wanted = RequestFacts(1, "nova_permissao", "2026/000001", category, "autonomous_driver", DAY, {})
        base: dict[str, Any] = {
            "request": RequestFacts(**{**vars(wanted), "facts": {**DRIVER_FACTS, **(facts or {})}}),
            "holder": Holder(1, "natural", "Ana Lima", "52998224725"),
            "vehicle": Vehicle(
                1,
                "PGT4H87",
                "PGT4787",
                make="Chevrolet",
                model="Spin",
                year_made=2026,
                doors=4,
                seats=5,
                colour="Laranja",
            ),
            "documents": tuple(Document(code, "aceito") for code in DRIVER_PAPERS),
            "inspections": (Inspection(1, "inclusion", date(2026, 11, 20), True),),
            "counts": {"live_permits": 100, "live_permits:especial": 45},
        }
        return Dossier("taxi_recife", DAY, datetime(2026, 11, 30, 10, 42, tzinfo=ZONE), **{**base, **parts})

    return make


@pytest.fixture
def taxi() -> Callable[..., Dossier]:
    """A taxi in service with everything in order; keyword arguments replace parts of it."""

    def make(on: date = DAY, **parts: Any) -> Dossier:
        base: dict[str, Any] = {
            "holder": Holder(1, "natural", "Ana Lima", "52998224725"),
            "vehicle": Vehicle(
                1,
                "PGT4H87",
                "PGT4787",
                make="Chevrolet",
                model="Spin",
                year_made=2023,
                doors=4,
                seats=7,
                colour="Laranja",
            ),
            "permit": Permit(1, "2148", "comum", date(2019, 3, 14), 1),
            "licence": Licence("2026/0001", date(2026, 5, 14), date(2027, 5, 14)),
            "inspection": Inspection(1, "annual", date(2026, 5, 12), True, valid_until=date(2027, 5, 12)),
        }
        return Dossier("taxi_recife", on, datetime(on.year, on.month, on.day, 10, 42, tzinfo=ZONE), **{**base, **parts})

    return make
