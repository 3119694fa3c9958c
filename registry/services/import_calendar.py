"""Importing the days on which the authority does not open: holidays of one year, and closures by act."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.imports.remarks import Remark
from registry.domain.imports.sheet import Line, Sheet
from registry.domain.occasion import Occasion
from registry.domain.text import fold, format_date
from registry.services.acts import resolve
from registry.services.desk import Desk
from registry.services.import_write import Written, keep_run
from registry.services.setup import days_of_law, save
from registry.services.setup_changes import DayInput, day_text, put_day
from registry.store.acts import Closure
from registry.store.audit import Change, record_many
from registry.store.imports import ImportRun


@dataclass(frozen=True)
class CalendarPlan:
    """The days to be closed, the yearly days that belong in the configuration, and what is to be told of them.

    ``yearly`` are entries of the authority's ``calendar`` (rule, name, act).
    """

    days: tuple[Line, ...]
    known: int
    yearly: tuple[Mapping[str, str], ...]
    remarks: tuple[Remark, ...]

    @property
    def says_nothing_new(self) -> bool:
        """Whether every day stands here already."""
        return not self.days

    def counts(self) -> Mapping[str, int]:
        """What would be written, by the words for one and for many."""
        return {
            "dia sem expediente|dias sem expediente": len(self.days),
            "linha sem novidade|linhas sem novidade": self.known,
        }


def plan_days(session: Session, desk: Desk, occasion: Occasion, sheet: Sheet) -> CalendarPlan:
    """Compares the days of a file with those that are closed here, and with the authority's calendar."""
    live = (Closure.authority == occasion.authority, Closure.ended_at.is_(None))
    rows = session.execute(select(Closure.day, Closure.name).where(*live))
    closed: dict[date, str] = {row.day: row.name for row in rows}
    calendar = desk.calendar(session, occasion.authority)
    configured = {rule.rule for rule in calendar.rules} | days_of_law(desk.host, occasion.authority).keys()
    days, yearly, remarks = [], [], []
    known = 0
    for line in sheet.lines:
        day, name = line.values["day"], line.values["name"]
        if isinstance(day, str):
            known += day in configured
            if day not in configured:
                yearly.append({"rule": day, "name": name, "act": line.values.get("act") or ""})
                message = "Este dia volta todo ano: ponha-o no calendário do órgão, na configuração."
                remarks.append(line.remark("aviso", "day", message))
        elif day not in closed:
            days.append(line)
            if (holiday := calendar.holiday_name(day)) is not None:
                message = f"O calendário já tem {format_date(day)}: {holiday}."
                remarks.append(line.remark("aviso", "day", message))
        elif fold(closed[day]) == fold(name):
            known += 1
        else:
            message = f"No cadastro, {format_date(day)} está fechado: {closed[day]}."
            remarks.append(line.remark("conflito", "name", message, "Deixe a linha de fora."))
    return CalendarPlan(tuple(days), known, tuple(yearly), tuple(remarks))


def add_yearly(occasion: Occasion, desk: Desk, plan: CalendarPlan) -> int:
    """Adds the days that come back every year to the authority's own calendar, in one change; answers how many.

    Raises what :func:`setup.save` raises: the demonstration has no calendar of its own.
    """
    if not plan.yearly:
        return 0
    law = days_of_law(desk.host, occasion.authority)

    def change(content: Any) -> None:
        for day in plan.yearly:
            put_day(content, occasion.authority, DayInput(day_text(day["rule"]), day["name"]), law)

    save(occasion, desk, change)
    return len(plan.yearly)


def write_days(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    plan: CalendarPlan,
    run: ImportRun,
    particulars: Mapping[str, Any],
) -> Written:
    """Closes the days inside the session's transaction, each with its audit entry."""
    result = Written(days=len(plan.days), known=plan.known)
    if not plan.days:
        return result
    made = [
        Closure(
            authority=occasion.authority,
            day=line.values["day"],
            name=line.values["name"],
            act=line.values.get("act") or "",
            act_id=resolve(session, desk, occasion.authority, line.values.get("act") or ""),
            recorded_at=occasion.at,
        )
        for line in plan.days
    ]
    session.add_all(made)
    session.flush()
    notes = [
        {"table": "closure", "row_id": row.id, "before": None, "after": {"name": row.name, "act": row.act}}
        for row in made
    ]
    result = keep_run(session, run, result, notes)
    changes = [Change(f"{run.kind}.imported", "import", result.number, None, {**particulars, **result.counts})]
    for row, line in zip(made, plan.days, strict=True):
        after = {"day": row.day, "name": row.name, "act": row.act, "import": result.number, "line": line.line}
        changes.append(Change("day.closed", "closure", row.id, None, after))
    record_many(session, occasion, changes)
    desk.forget_law(session)
    return result
