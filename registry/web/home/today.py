"""What the home says of today: the greeting, the next holiday, index values that change soon."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy.orm import Session

from registry.domain.values import DatedValue
from registry.services.desk import Desk
from registry.web.formats import plain_value, short_day, weekday

_SOON = timedelta(days=30)


@dataclass(frozen=True)
class IndexChange:
    """An index value that changes on a day: its label, when in words, both values as written, the act."""

    label: str
    when: str
    since: date
    before: str
    after: str
    act: str


def greeting(now: datetime) -> str:
    """«Bom dia», «Boa tarde», «Boa noite»."""
    return "Bom dia" if now.hour < 12 else "Boa tarde" if now.hour < 18 else "Boa noite"


def index_changes(session: Session, desk: Desk, authority: str, today: date) -> tuple[IndexChange, ...]:
    """The index values of an authority that another one follows within 30 days, the soonest first."""
    found: dict[str, IndexChange] = {}
    for regime in desk.regimes_of(authority):
        law = desk.law(session, authority, regime.plugin)
        for key, values in law.indexes.items():
            later = sorted((each for each in values if today < each.since <= today + _SOON), key=lambda v: v.since)
            current = [each for each in values if each.in_force(today)]
            if later and current and (key not in found or key in law.book.indexes):
                newest = max(current, key=lambda each: each.since)
                found[key] = _change(law.book.name(key), newest, later[0], today)
    return tuple(sorted(found.values(), key=lambda change: change.since))


def _change(label: str, before: DatedValue, after: DatedValue, today: date) -> IndexChange:
    days = (after.since - today).days
    when = "amanhã" if days == 1 else f"em {days} dias"
    return IndexChange(
        f"{label[0].upper()}{label[1:]}", when, after.since, plain_value(before), plain_value(after), after.act
    )


def closed_words(session: Session, desk: Desk, authority: str, closed: tuple[date, str] | None) -> str:
    """«Próximo feriado: terça, 08/12, Nossa Senhora da Conceição.»; "" when no closed weekday is near."""
    if closed is None:
        return ""
    day, why = closed
    is_holiday = desk.calendar(session, authority).holiday_name(day) is not None
    what = "Próximo feriado" if is_holiday else "Próximo dia sem expediente"
    return f"{what}: {weekday(day)}, {short_day(day)}, {why}."
