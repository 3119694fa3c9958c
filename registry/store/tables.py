"""Every core table in one import, for whoever needs the metadata whole."""

from __future__ import annotations

from registry.store import (
    access,
    acts,
    audit,
    charges,
    corrections,
    imports,
    inspections,
    people,
    permits,
    requests,
    vehicles,
)
from registry.store.base import Base

FAMILIES = (
    access,
    acts,
    audit,
    charges,
    corrections,
    imports,
    inspections,
    people,
    permits,
    requests,
    vehicles,
)
METADATA = Base.metadata


def is_core_table(name: str) -> bool:
    """Whether a table of the metadata is the core's own; plugins have two underscores in their tables' names."""
    return "__" not in name
