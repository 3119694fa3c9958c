"""Column types: UTC instants, centavos, JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, String
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator

from registry.domain.money import cents, from_cents

Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
"""None is an absent value, not the JSON text ``null``."""
PlateText = String(7).with_variant(String(7, collation="C"), "postgresql")
"""A canonical plate: a beginning is found by range on both engines."""

Folded = String(400).with_variant(String(400, collation="C"), "postgresql")
"""Text passed through ``fold``: compared and sorted byte by byte on both engines."""


class UtcDateTime(TypeDecorator[datetime]):
    """An aware instant, stored as UTC; naive datetimes are refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive datetime cannot be stored; use an aware instant")
        instant = value.astimezone(UTC)
        return instant if dialect.name == "postgresql" else instant.replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        if value is None:
            return None
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


class Money(TypeDecorator[Decimal]):
    """Reais in Python, whole centavos in the database; a fraction of a centavo is refused."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: Decimal | None, dialect: Any) -> int | None:
        return None if value is None else cents(value)

    def process_result_value(self, value: int | None, dialect: Any) -> Decimal | None:
        return None if value is None else from_cents(value)
