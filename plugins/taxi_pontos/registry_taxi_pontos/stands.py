"""Reading stands: which one a permit is designated for, and the list with its permits."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import bindparam, or_, select
from sqlalchemy.orm import Session

from registry_taxi_pontos.models import Designation, Ponto


def label_of(code: str, name: str) -> str:
    """A stand as people call it: ``12 – Praça do Derby``; its name alone where it has no code."""
    return f"{code} – {name}" if code else name


_OF_PERMIT = (
    select(
        Ponto.code,
        Ponto.name,
        Ponto.category,
        Ponto.access,
        Ponto.starts_on,
        Ponto.ends_on,
        Ponto.min_side_doors,
        Ponto.max_age_years,
    )
    .join(Designation, Designation.ponto_id == Ponto.id)
    .where(
        Designation.permit_id == bindparam("permit"),
        Designation.since <= bindparam("day"),
        or_(Designation.until.is_(None), Designation.until >= bindparam("day")),
    )
    .order_by(Designation.since.desc(), Designation.id.desc())
    .limit(1)
)


def facts_of(session: Session, permit_id: int, on: date) -> Mapping[str, Any]:
    """The facts of a dossier: ``ponto`` (label), and category, access, days and conditions of the stand.

    Empty without a designation on that day; of several the newest counts.
    """
    row = session.connection().execute(_OF_PERMIT, {"permit": permit_id, "day": on}).mappings().first()
    if row is None:
        return {}
    facts = {name: value for name, value in row.items() if name not in ("code", "name")}
    return {"ponto": label_of(row["code"], row["name"]), **facts}
