"""Stored verdicts: each question as it was asked for a decision, an inspection or a payment, to be replayed later."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from sqlalchemy.orm import Session

from registry.domain.convert import to_plain
from registry.domain.law import Asked, Verdict
from registry.domain.regime import Finding
from registry.services.desk import Desk
from registry.store.requests import StoredVerdict


def store_findings(
    session: Session,
    desk: Desk,
    authority: str,
    subject: str,
    subject_id: int,
    found: Iterable[Finding],
    on: date,
    at: datetime,
) -> None:
    """Keeps findings with given, verdict, values and plugin version, under the row that they were asked for.

    Args:
        subject: kind of that row, such as ``decision``; ``subject_id`` its id.
        on: the civil day as of which was asked; ``at`` the instant.
    """
    for finding in found:
        _store(
            session,
            authority=authority,
            subject=subject,
            subject_id=subject_id,
            plugin=finding.plugin,
            plugin_version=desk.host.plugins[finding.plugin].version,
            rule=finding.rule,
            question=finding.question,
            on=on,
            given=None if finding.given is None else to_plain(finding.given),
            outcome=finding.outcome,
            verdict=finding.verdict,
            missing=finding.missing,
            at=at,
        )


def store_asked(
    session: Session,
    desk: Desk,
    authority: str,
    subject: str,
    subject_id: int,
    rule: str,
    asked: Iterable[Asked],
    on: date,
    at: datetime,
) -> None:
    """Keeps what a regime's own function asked to find a date or an amount, as :func:`store_findings` does.

    Args:
        rule: what it was asked for, as pages head it («Validade do selo»).
    """
    for each in asked:
        store_verdict(
            session,
            desk,
            authority,
            subject,
            subject_id,
            plugin=desk.host.owner(each.question),
            rule=rule,
            question=each.question.name,
            given=each.given,
            verdict=each.verdict,
            on=on,
            at=at,
        )


def store_verdict(
    session: Session,
    desk: Desk,
    authority: str,
    subject: str,
    subject_id: int,
    *,
    plugin: str,
    rule: str,
    question: str,
    given: Any,
    verdict: Verdict[Any],
    on: date,
    at: datetime,
) -> None:
    """Keeps one verdict, as :func:`store_findings` does; ``given`` is the question's facts, typed or plain."""
    _store(
        session,
        authority=authority,
        subject=subject,
        subject_id=subject_id,
        plugin=plugin,
        plugin_version=desk.host.plugins[plugin].version,
        rule=rule,
        question=question,
        on=on,
        given=to_plain(given),
        outcome=verdict.outcome,
        verdict=verdict,
        missing=(),
        at=at,
    )


def _store(session: Session, *, verdict: Verdict[Any] | None, missing: Iterable[str], **columns: Any) -> None:
    session.add(
        StoredVerdict(
            answer=to_plain(verdict.answer) if verdict else None,
            grounds=to_plain(verdict.grounds) if verdict else [],
            steps=to_plain(verdict.steps) if verdict else [],
            missing=list(missing),
            **columns,
        )
    )
