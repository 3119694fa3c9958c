"""The list of an authority's charges, in any state, filtered, in order, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from registry.services.charge_pages import ChargeLine, charge_lines, charges_here, meant_by
from registry.services.desk import Desk
from registry.services.registers import PAGE_SIZE, Listed
from registry.store.charges import Charge
from registry.store.people import Person
from registry.store.search import MOST_COUNTED

CHARGE_STATES = {"em_aberto": "Em aberto", "vencido": "Vencidas", "pago": "Pagas", "anulado": "Anuladas"}
CHARGE_ORDERS: Mapping[str, Any] = {"numero": Charge.id, "quem": Person.name_folded, "vencimento": Charge.due_on}
"""What the list can be sorted by; «-numero», the newest first, is its own order."""


def list_charges(
    session: Session,
    desk: Desk,
    authority: str,
    day: date,
    *,
    typed: str = "",
    state: str = "",
    order: str = "",
    page: int = 1,
    size: int = PAGE_SIZE,
) -> Listed[ChargeLine]:
    """The charges of a state, "" for all, that a plate, a CPF or CNPJ or a number means; amounts as of a day."""
    wanted = [each for each in (_in_state(state, day), meant_by(typed) if typed.strip() else None) if each is not None]
    query = charges_here(authority).order_by(None).where(*wanted)
    total = session.scalar(select(func.count()).select_from(query.limit(MOST_COUNTED).subquery())) or 0
    asked = order or "-numero"
    column = CHARGE_ORDERS[asked.removeprefix("-")]
    sort = (column.desc() if asked.startswith("-") else column.asc()).nulls_last()
    found = query.order_by(sort, Charge.id.desc()).limit(size).offset((page - 1) * size)
    return Listed(charge_lines(session, desk, found, day), total, page, size)


def _in_state(state: str, day: date) -> ColumnElement[bool] | None:
    """The condition of a state of :data:`CHARGE_STATES`, as a line's own state says it; None for all."""
    live = and_(Charge.settled_at.is_(None), Charge.cancelled_at.is_(None))
    late = Charge.due_on < day
    return {
        "em_aberto": and_(live, or_(Charge.due_on.is_(None), ~late)),
        "vencido": and_(live, late),
        "pago": and_(Charge.settled_at.is_not(None), Charge.cancelled_at.is_(None)),
        "anulado": Charge.cancelled_at.is_not(None),
    }.get(state)
