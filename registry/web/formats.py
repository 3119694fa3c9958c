"""How values stand on a page. Each filter takes the value as the domain has it and as JSON stored it.

A day is ``30/11/2026``, a moment ``30/11/2026, 10h42`` in the authority's zone, money ``R$ 1.234,56``. What is not
there reads «Não informado».
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Literal

from babel.dates import format_date as babel_date
from flask import Flask
from markupsafe import Markup, escape

from registry.domain import identifiers, text
from registry.domain.calendar import Calendar
from registry.domain.deadline import business_days_between
from registry.domain.values import DatedValue
from registry.domain.workflow import due_label

ABSENT = "Não informado"
_SOON = 3


@dataclass(frozen=True)
class Due:
    """A deadline beside today: ``mark`` late, today, soon or "" (later), the day, and its label."""

    mark: Literal["late", "today", "soon", ""]
    day: str
    label: str


def due(day: date | None, today: date, calendar: Calendar) -> Due:
    """«30/11, vence hoje», «27/11, atrasado 1 dia útil», «02/12, em 2 dias úteis»; business days of the calendar."""
    if day is None:
        return Due("", "Sem prazo", "")
    written = f"{day:%d/%m}" if day.year == today.year else text.format_date(day)
    label = due_label(day, today, calendar)
    if day <= today:
        return Due("today" if day == today else "late", written, label)
    near = business_days_between(today, day, calendar) <= _SOON
    return Due("soon" if near else "", written, label)


def _as_day(value: Any) -> date | None:
    if isinstance(value, datetime):
        return _as_moment(value).date()
    if isinstance(value, date):
        return value
    return date.fromisoformat(str(value)[:10]) if value else None


def _as_moment(value: datetime | str) -> datetime:
    from registry.web.edge import zone

    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment.astimezone(zone()) if moment.tzinfo else moment


def _as_decimal(value: Any) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(str(value))


def day(value: Any) -> str:
    """``30/11/2026``."""
    found = _as_day(value)
    return text.format_date(found) if found else ABSENT


def short_day(value: Any) -> str:
    """``30/11``."""
    found = _as_day(value)
    return f"{found:%d/%m}" if found else ABSENT


def long_day(value: date) -> str:
    """``Segunda-feira, 30 de novembro de 2026``."""
    written = babel_date(value, "full", locale="pt_BR")
    return written[0].upper() + written[1:]


def weekday(value: date) -> str:
    """``terça``."""
    return babel_date(value, "EEEE", locale="pt_BR").removesuffix("-feira")


def moment(value: datetime | str | None) -> str:
    """``30/11/2026, 10h42`` in the authority's zone."""
    if not value:
        return ABSENT
    found = _as_moment(value)
    return f"{text.format_date(found.date())}, {text.format_hour(found)}"


def hour(value: datetime | time | str | None) -> str:
    """``10h42`` in the authority's zone."""
    if not value:
        return ABSENT
    return text.format_hour(value if isinstance(value, time) else _as_moment(value))


def hour_field(value: datetime | time | None) -> str:
    """``15:06``, as it stands in a field."""
    if value is None:
        return ""
    return text.format_hour_field(value if isinstance(value, time) else _as_moment(value))


def money(value: Any) -> str:
    """``R$ 1.234,56``; a fraction of a centavo is shown with all its places."""
    if value is None or value == "":
        return ABSENT
    amount = _as_decimal(value)
    if amount == round(amount, 2):
        return text.format_money(amount)
    return f"R${text.NBSP}{text.format_rate(amount)}"


def number(value: Any) -> str:
    """``1.234`` or ``138,4936``."""
    return ABSENT if value is None or value == "" else text.format_number(_as_decimal(value))


def document(value: str | None) -> str:
    """A canonical CPF or CNPJ, told apart by its length: ``023.456.781-35``, ``12.ABC.345/01DE-35``."""
    if not value:
        return ABSENT
    return identifiers.format_cpf(value) if len(value) == 11 else identifiers.format_cnpj(value)


def document_label(value: str | None) -> str:
    """``CPF`` or ``CNPJ``."""
    return "CNPJ" if value and len(value) > 11 else "CPF"


def present(value: Any) -> str:
    """The value, or «Não informado»; markup stays markup."""
    if value is None or value == "":
        return ABSENT
    return value if isinstance(value, str) else str(value)


def yes_no(value: bool | None) -> str:
    """«Sim», «Não», «Não informado»."""
    return ABSENT if value is None else "Sim" if value else "Não"


def dated_value(value: DatedValue | Mapping[str, Any], label: str = "") -> str:
    """A dated value as a sentence: ``Custo/km: R$ 5,1374, em vigor desde 01/07/2026 (Portaria 112/2026)``.

    ``label`` stands in where the value has none of its own. A list or table is named without its content.
    """
    got = value.get if isinstance(value, Mapping) else lambda name: getattr(value, name)
    name, body, act = got("label") or label or got("key"), got("value"), got("act")
    written = ""
    if isinstance(body, bool):
        written = f": {yes_no(body).lower()}"
    elif not isinstance(body, Mapping | list | tuple):
        written = f": {_with_unit(str(body), got('unit') or '')}"
    return f"{name}{written}, em vigor desde {day(got('since'))}{f' ({act})' if act else ''}"


def plain_value(value: DatedValue | Mapping[str, Any] | Any) -> str:
    """A value alone, with its unit: ``R$ 5,1374``. Anything with ``value`` and ``unit``."""
    got = value.get if isinstance(value, Mapping) else lambda name: getattr(value, name)
    return _with_unit(str(got("value")), str(got("unit") or ""))


def _with_unit(body: str, unit: str) -> str:
    try:
        amount = Decimal(body)
    except ArithmeticError:
        return body
    if unit == "reais":
        return money(amount)
    if unit.startswith(("R$", "BRL")):
        return money(amount) + unit.removeprefix("R$").removeprefix("BRL")
    if unit == "fração":
        return f"{text.format_number(amount * 100)}%"
    return f"{text.format_number(amount)}{unit if unit.startswith('%') else ' ' + unit if unit else ''}"


def field_text(value: Any) -> str:
    """The value as it would be typed in its field: ``30/11/2026``, ``1.234,56``, ``sim``, ""."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "sim" if value else "nao"
    if isinstance(value, datetime | date):
        return day(value)
    if isinstance(value, Decimal):
        return text.format_number(value)
    return str(value)


def shown(value: Any) -> str:
    """A value of unknown kind as people read it: ``30/11/2026``, «Sim», «Não informado»."""
    return yes_no(value) if isinstance(value, bool) else field_text(value) or ABSENT


def tie(value: Any) -> Markup:
    """The text with a no-break blank after R$, nº, art. and §, escaped."""
    return Markup(text.tie(str(escape(value))))


def plural(count: int, one: str, many: str) -> str:
    """``1 impede``, ``2 impedem``."""
    return f"{text.format_number(count)} {one if count == 1 else many}"


def init_app(app: Flask) -> None:
    """Adds the filters to the templates."""
    filters = (
        day, short_day, long_day, weekday, moment, hour, hour_field, money, number, document, document_label,
        present, yes_no, dated_value, plain_value, tie, plural, field_text, shown,
    )  # fmt: skip
    app.jinja_env.filters.update({each.__name__: each for each in filters})
    app.jinja_env.filters["fold"] = text.fold
    app.jinja_env.filters["plate"] = identifiers.format_plate
