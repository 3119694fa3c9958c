"""How column types are written into migrations: as plain types of SQLAlchemy, so that old migrations never change."""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import JSON
from sqlalchemy.types import TypeDecorator


def render_item(kind: str, item: Any, context: Any) -> str | Literal[False]:
    """Alembic's hook: the registry's own types become what they are in the database; the rest is alembic's."""
    if kind != "type":
        return False
    if isinstance(item, JSON):
        context.imports.add("from sqlalchemy.dialects import postgresql")
        return 'sa.JSON().with_variant(postgresql.JSONB(), "postgresql")'
    if isinstance(item, TypeDecorator) and type(item).__module__.startswith("registry."):
        return f"sa.{item.impl!r}"
    return False
