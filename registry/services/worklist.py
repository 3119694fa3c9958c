"""The work lists of the home page: with me, late, nobody's, waiting for the applicant, ready, decided."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal, cast, get_args

from sqlalchemy import ColumnElement, and_, case, func, or_, select, true
from sqlalchemy.orm import Session, aliased

from registry.domain.calendar import Calendar
from registry.domain.identifiers import canonical, format_plate
from registry.domain.occasion import Occasion
from registry.domain.workflow import ENDED, SHOWN_LABELS, WAITING_FOR_APPLICANT, due_label
from registry.services.desk import Desk
from registry.services.errors import NotFound
from registry.store.access import User
from registry.store.people import Person
from registry.store.requests import Request
from registry.store.search import search_people, search_plates
from registry.store.vehicles import Vehicle

Tab = Literal["comigo", "atrasados", "sem_responsavel", "aguardam", "prontos", "decididos", "todos"]
TABS: dict[str, str] = {
    "comigo": "Comigo",
    "atrasados": "Atrasados e de hoje",
    "sem_responsavel": "Sem responsável",
    "aguardam": "Aguardam o requerente",
    "prontos": "Prontos para decisão",
    "decididos": "Decididos",
}
MOST_COUNTED = 1_001
PAGE_SIZE = 20
_MOST_SOUGHT = 200
_WEEKEND = (5, 6)
_applicant, _cooperative = aliased(Person), aliased(Person)
ORDERS: dict[str, Any] = {
    "pedido": Request.id,
    "quem": _applicant.name_folded,
    "prazo": Request.due_on,
    "situacao": Request.shown,
}
"""What the list of requests can be sorted by."""


@dataclass(frozen=True)
class Filters:
    """What limits and orders a list: a regime, a kind of request (``novo``), a shown state, and ``text``: a number, a
    plate, a CPF or CNPJ, or part of the applicant's name; "" = all. ``order`` is one of ORDERS, with «-» before it
    from the last to the first, "" for the list's own.
    """

    regime: str = ""
    kind: str = ""
    shown: str = ""
    text: str = ""
    order: str = ""

    @property
    def limits(self) -> bool:
        """Whether anything is left out."""
        return bool(self.regime or self.kind or self.shown or self.text)


@dataclass(frozen=True)
class WorkLine:
    """One request of a list. ``due_label`` is like «atrasado 2 dias úteis»; ``next_step`` a verb."""

    id: int
    number: str
    regime: str
    regime_label: str
    kind_label: str
    applicant: str
    cooperative: str
    plate: str
    shown: str
    shown_label: str
    next_step: str
    due_on: date | None
    due_label: str
    late: bool
    assigned_to: int | None
    assigned_name: str
    ended_at: datetime | None


@dataclass(frozen=True)
class Worklist:
    """One page of a tab. ``counts`` are of every tab but ``decididos``, 1,001 meaning more than 1,000.

    ``total`` is of this tab with its filters. ``filtered`` = a filter is on, so an empty list is not "no work".
    """

    tab: Tab
    lines: tuple[WorkLine, ...]
    counts: dict[str, int]
    total: int
    page: int
    pages: int
    filters: Filters
    filtered: bool

    @property
    def first(self) -> int:
        """Number of the first line («1 a 20 de 45»); 0 when there is none."""
        return (self.page - 1) * PAGE_SIZE + 1 if self.lines else 0

    @property
    def last(self) -> int:
        """Number of the last line."""
        return self.first + len(self.lines) - 1 if self.lines else 0


def worklist(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    tab: str,
    filters: Filters | None = None,
    page: int = 1,
) -> Worklist:
    """A page of a tab, most urgent first (decided ones and ``todos`` newest first), in three queries and those of the
    calendar, two more when a text is sought.

    Raises :class:`NotFound` for an unknown tab, or a page before the first or after the last.
    """
    if tab not in get_args(Tab) or page < 1:
        raise NotFound
    chosen = filters or Filters()
    of_authority = Request.authority == occasion.authority
    wanted = _wanted(session, occasion, tab, chosen)
    counts = _counts(session, of_authority, occasion)
    total = _total(session, wanted)
    pages = max(1, -(-total // PAGE_SIZE))
    if page > pages:
        raise NotFound
    return Worklist(
        tab=cast(Tab, tab),
        lines=_lines(session, desk, occasion, wanted, chosen.order or tab, page, PAGE_SIZE),
        counts=counts,
        total=total,
        page=page,
        pages=pages,
        filters=chosen,
        filtered=chosen.limits,
    )


def work_lines(
    session: Session, desk: Desk, occasion: Occasion, tab: str, filters: Filters, page: int, size: int
) -> tuple[WorkLine, ...]:
    """A page of a tab as :func:`worklist` has it, of any size and without the counts; none after the last.

    Raises :class:`NotFound` for an unknown tab.
    """
    if tab not in get_args(Tab):
        raise NotFound
    wanted = _wanted(session, occasion, tab, filters)
    return _lines(session, desk, occasion, wanted, filters.order or tab, page, size)


def _wanted(session: Session, occasion: Occasion, tab: str, filters: Filters) -> ColumnElement[bool]:
    sought = _sought(session, occasion.authority, filters.text)
    return and_(Request.authority == occasion.authority, *_filtered(filters), *sought, _of_tab(tab, occasion))


def _lines(
    session: Session, desk: Desk, occasion: Occasion, wanted: ColumnElement[bool], order: str, page: int, size: int
) -> tuple[WorkLine, ...]:
    regimes = desk.regimes_of(occasion.authority)
    rows = session.execute(_select(wanted, order, page, size)).all()
    calendars = {each.code: desk.calendar(session, occasion.authority, each.code) for each in regimes}
    labels = {each.code: (each.short_label, {kind.code: kind.label for kind in each.request_kinds}) for each in regimes}
    return tuple(_line(row, labels, calendars, occasion.on) for row in rows)


def _of_tab(tab: str, occasion: Occasion) -> ColumnElement[bool]:
    live = Request.state.not_in(ENDED)
    match tab:
        case "comigo":
            return and_(live, Request.assigned_to == occasion.actor_id)
        case "atrasados":
            return and_(live, Request.due_on <= occasion.on)
        case "sem_responsavel":
            return and_(live, Request.assigned_to.is_(None))
        case "aguardam":
            return and_(live, Request.shown.in_(WAITING_FOR_APPLICANT))
        case "prontos":
            return and_(live, Request.shown == "pronto")
        case "todos":
            return true()
        case _:
            return Request.state.in_(ENDED)


def _filtered(filters: Filters) -> list[ColumnElement[bool]]:
    given = ((Request.regime, filters.regime), (Request.kind, filters.kind), (Request.shown, filters.shown))
    return [column == value for column, value in given if value]


def _sought(session: Session, authority: str, text: str) -> list[ColumnElement[bool]]:
    """The condition of a sought text: any reading of it counts."""
    if not text.strip():
        return []
    bare = canonical(text)
    people = [hit.id for hit in search_people(session, authority, text, _MOST_SOUGHT).hits]
    vehicles = [hit.id for hit in search_plates(session, authority, text, _MOST_SOUGHT).hits]
    holders = select(Person.id).where(Person.authority == authority, Person.document == bare)
    numbers = [text.strip()] + ([f"{bare[:4]}/{bare[4:]}"] if bare.isdecimal() and len(bare) > 4 else [])
    return [
        or_(
            Request.number.in_(numbers),
            Request.applicant_id.in_(people),
            Request.cooperative_id.in_(people),
            Request.applicant_id.in_(holders),
            Request.cooperative_id.in_(holders),
            Request.vehicle_id.in_(vehicles),
        )
    ]


def _counts(session: Session, of_authority: ColumnElement[bool], occasion: Occasion) -> dict[str, int]:
    """Every tab's count in one pass over the requests that are not ended; each stops at 1,001."""
    tabs = [tab for tab in TABS if tab != "decididos"]
    columns = [func.coalesce(func.sum(case((_of_tab(tab, occasion), 1), else_=0)), 0).label(tab) for tab in tabs]
    statement = select(*columns).where(of_authority, Request.state.not_in(ENDED))
    row = session.execute(statement).one()
    return {tab: min(int(count), MOST_COUNTED) for tab, count in zip(tabs, row, strict=True)}


def _total(session: Session, condition: ColumnElement[bool]) -> int:
    some = select(Request.id).where(condition).limit(MOST_COUNTED).subquery()
    return int(session.scalar(select(func.count()).select_from(some)) or 0)


def _select(condition: ColumnElement[bool], order: str, page: int, size: int) -> Any:
    statement = (
        select(
            Request.id,
            Request.number,
            Request.regime,
            Request.kind,
            Request.shown,
            Request.next_step,
            Request.due_on,
            Request.assigned_to,
            Request.decided_at,
            _applicant.name.label("applicant"),
            _cooperative.name.label("cooperative"),
            Vehicle.plate,
            User.name.label("assigned_name"),
        )
        .outerjoin(_applicant, _applicant.id == Request.applicant_id)
        .outerjoin(_cooperative, _cooperative.id == Request.cooperative_id)
        .outerjoin(Vehicle, Vehicle.id == Request.vehicle_id)
        .outerjoin(User, User.id == Request.assigned_to)
        .where(condition)
        .limit(size)
        .offset((page - 1) * size)
    )
    if order == "decididos":
        return statement.order_by(Request.decided_at.desc(), Request.id.desc())
    if order == "todos":
        return statement.order_by(Request.id.desc())
    if column := ORDERS.get(order.removeprefix("-")):
        down = order.startswith("-")
        return statement.order_by((column.desc() if down else column.asc()).nulls_last(), Request.id)
    return statement.order_by(Request.due_on.is_(None), Request.due_on, Request.id)


def _line(
    row: Any, labels: dict[str, tuple[str, dict[str, str]]], calendars: dict[str, Calendar], on: date
) -> WorkLine:
    regime_label, kinds = labels.get(row.regime, ("Regime indisponível", {}))
    calendar = calendars.get(row.regime, Calendar())
    ended = row.decided_at is not None
    return WorkLine(
        id=row.id,
        number=row.number or "",
        regime=row.regime,
        regime_label=regime_label,
        kind_label=kinds.get(row.kind, row.kind),
        applicant=row.applicant or "",
        cooperative=row.cooperative or "",
        plate=format_plate(row.plate) if row.plate else "",
        shown=row.shown,
        shown_label=SHOWN_LABELS.get(row.shown, row.shown),
        next_step=row.next_step,
        due_on=None if ended else row.due_on,
        due_label="" if ended or row.due_on is None else due_label(row.due_on, on, calendar),
        late=not ended and row.due_on is not None and row.due_on < on,
        assigned_to=row.assigned_to,
        assigned_name=row.assigned_name or "",
        ended_at=row.decided_at,
    )


def next_holiday(session: Session, desk: Desk, occasion: Occasion, within_days: int = 30) -> tuple[date, str] | None:
    """The next weekday on which the authority is closed, with its name; None when there is none so soon."""
    calendar = desk.calendar(session, occasion.authority)
    for ahead in range(1, within_days + 1):
        day = occasion.on + timedelta(days=ahead)
        why = calendar.why_closed(day)
        if why is not None and day.weekday() not in _WEEKEND:
            return day, why
    return None
