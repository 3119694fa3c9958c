"""Terms of a request that stand in no law but in the configuration: analysis, answer to an exigência."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from sqlalchemy.orm import Session

from registry.domain.deadline import Deadline, count_business_days
from registry.services.desk import Desk

_FROM_CONFIG = "O prazo não vem de lei: é o da configuração do órgão."


def exigencia_term(session: Session, desk: Desk, authority: str, regime: str, start: date) -> Deadline:
    """The last day to answer an exigência sent on a day, with its arithmetic."""
    return _term(session, desk, authority, regime, start, desk.settings.workflow.exigencia_days)


def analysis_term(session: Session, desk: Desk, authority: str, regime: str, start: date) -> Deadline:
    """The last day of the analysis of a request filed, or answered, on a day."""
    return _term(session, desk, authority, regime, start, desk.settings.workflow.analysis_days)


def _term(session: Session, desk: Desk, authority: str, regime: str, start: date, days: int) -> Deadline:
    counted = count_business_days(start, days, desk.calendar(session, authority, regime))
    return replace(counted, steps=(_FROM_CONFIG, *counted.steps))
