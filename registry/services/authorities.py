"""The authorities of the configuration as rows, which every record of theirs points at."""

from __future__ import annotations

from sqlalchemy.orm import Session

from registry.settings import Settings
from registry.store.access import Authority


def enter_authorities(session: Session, settings: Settings) -> None:
    """Enters the authorities that the configuration names and the database lacks, and brings names and zones up to it.

    ``session`` is of a writing transaction. An authority that left the configuration keeps its row and its records.
    """
    for each in settings.authorities.values():
        row = session.get(Authority, each.code)
        if row is None:
            session.add(Authority(code=each.code, name=each.name, zone=each.zone.key))
        else:
            row.name, row.zone = each.name, each.zone.key
    session.flush()
