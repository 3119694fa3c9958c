"""Verdicts as lines of text: outcome, answer, grounds with citations and dated values, arithmetic."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Set
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from registry.domain.law import Ground, Law, Step, Verdict
from registry.domain.text import format_date, format_money, format_number
from registry.domain.values import DatedValue

OUTCOMES = {"allow": "permite", "deny": "impede", "refer": "encaminha", "pending": "pendente"}
_NUMBER = re.compile(r"-?[0-9]+\.[0-9]+")
_MARKS = {True: "em ordem", False: "impede", None: "informa"}


def verdict_lines(title: str, verdict: Verdict[Any], law: Law) -> Iterable[str]:
    """The verdict as ``registry ask`` prints it."""
    yield f"{title}: {OUTCOMES[verdict.outcome]}"
    yield "Resposta"
    for each in dataclasses.fields(verdict.answer):
        yield f"  {each.name.rstrip('_')}: {shown(getattr(verdict.answer, each.name))}"
    if verdict.grounds:
        yield "Fundamentos"
        for ground in verdict.grounds:
            yield from _ground(ground, law)
    if verdict.steps:
        yield "Conta"
        for step in verdict.steps:
            yield f"  {_step(step)}"


def shown(value: Any) -> str:
    """A value of an answer or fact as people read it."""
    if value is None:
        return "nada"
    if isinstance(value, bool):
        return "sim" if value else "não"
    if isinstance(value, datetime):
        return f"{format_date(value.date())} {value:%H:%M}"
    if isinstance(value, date):
        return format_date(value)
    if isinstance(value, Decimal):
        return format_number(value)
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {shown(each)}" for key, each in value.items()) or "nada"
    if isinstance(value, list | tuple | Set):
        return ", ".join(shown(each) for each in value) or "nada"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return shown({each.name.rstrip("_"): getattr(value, each.name) for each in dataclasses.fields(value)})
    return str(value)


def _ground(ground: Ground, law: Law) -> Iterable[str]:
    known = ground.provision in law.book.provisions
    yield f"  [{_MARKS[ground.holds]}] {law.cite(ground.provision) if known else ground.provision}: {ground.text}"
    if ground.facts:
        yield f"      fatos: {shown(ground.facts)}"
    for value in ground.values:
        yield f"      valor: {_dated(value, law)}"


def _dated(value: DatedValue, law: Law) -> str:
    since = "" if value.since == date.min else f", desde {format_date(value.since)}"
    until = f" até {format_date(value.until)}" if value.until else ""
    cite = law.cite(value.provision) if value.provision in law.book.provisions else value.provision
    source = "; ".join(filter(None, (cite, value.act)))
    return f"{value.label or value.key} = {_content(value)}{since}{until}{f' ({source})' if source else ''}"


def _content(value: DatedValue) -> str:
    """A dated value with its unit; of a table only its size."""
    if isinstance(value.value, list) and value.value and isinstance(value.value[0], Mapping):
        return f"tabela de {len(value.value)} linhas"
    if isinstance(value.value, Mapping):
        return f"tabela de {len(value.value)} linhas"
    number = isinstance(value.value, str) and _NUMBER.fullmatch(value.value)
    return f"{format_number(value.decimal) if number else shown(value.value)} {value.unit}".rstrip()


def _step(step: Step) -> str:
    if step.amount is None:
        return step.text
    amount = format_money(step.amount) if step.amount == round(step.amount, 2) else format_number(step.amount)
    return step.text if step.text.endswith(amount) else f"{step.text} = {amount}"
