"""Stored verdicts asked anew: which of them would come out otherwise today, and what changed. It never writes.

Run before a plugin is upgraded for good: the same facts under the same law must give the same answer, years later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from registry.domain.convert import ConversionError, fill_absent, from_plain, to_plain
from registry.domain.values import NoValueInForce
from registry.plugins import RuleFailed
from registry.services.desk import Desk
from registry.store.charges import Charge, Posting
from registry.store.requests import Decision, Request, StoredVerdict

_BATCH = 1000
_TOLD = ("provision", "holds", "code")


@dataclass(frozen=True)
class Change:
    """One thing that came out otherwise; both sides as plain data (None = it was not there)."""

    what: str
    before: Any
    now: Any


@dataclass(frozen=True)
class Replayed:
    """A stored verdict asked anew. ``changes`` is empty when it answers the same.

    ``left_out`` says why it was not asked ("" = it was): the plugin is not loaded, or facts were missing then and
    nothing was asked. ``since`` names what the question has got since then, which is no change: facts («fato copies»,
    asked as none or not known) and fields of the answer («resposta to_check»). ``subject`` and ``subject_id`` are what
    it was asked for; ``on`` its civil day.
    """

    authority: str
    subject: str
    subject_id: int
    plugin: str
    version_then: str
    version_now: str
    rule: str
    question: str
    on: date
    changes: tuple[Change, ...] = ()
    left_out: str = ""
    since: tuple[str, ...] = ()


UNLOADED = "o plugin não está em uso"
NOTHING_ASKED = "faltavam fatos, e nada foi perguntado"

_COLUMNS = (
    StoredVerdict.id,
    StoredVerdict.authority,
    StoredVerdict.subject,
    StoredVerdict.subject_id,
    StoredVerdict.plugin,
    StoredVerdict.plugin_version,
    StoredVerdict.rule,
    StoredVerdict.question,
    StoredVerdict.on,
    StoredVerdict.given,
    StoredVerdict.outcome,
    StoredVerdict.answer,
    StoredVerdict.grounds,
    StoredVerdict.steps,
)


def replay(session: Session, desk: Desk, plugin: str = "", since: date | None = None) -> Iterator[Replayed]:
    """Every stored verdict asked anew, oldest first, a batch of rows in memory at a time.

    Each is asked under the law of its authority as it stands now: dated values, index values, closures, readings. An
    index value entered since for that day, or a reading chosen otherwise, is a change like any other.

    Args:
        session: of a reader.
        plugin: only this plugin's questions; "" = all.
        since: only what was asked as of this civil day or a later one.
    """
    last = 0
    while rows := session.execute(_statement(plugin, since, last)).all():
        yield from (_again(session, desk, row) for row in rows)
        last = rows[-1].id


def named(session: Session, found: Replayed) -> str:
    """What a verdict was asked for, as a clerk knows it (pt-BR): «decisão do requerimento 2026/000123»."""
    if found.subject == "decision":
        number = session.scalar(select(Request.number).join(Decision).where(Decision.id == found.subject_id))
        return f"decisão do requerimento {number}" if number else f"decisão {found.subject_id}"
    if found.subject == "posting":
        number = session.scalar(
            select(Charge.number).join(Posting, Posting.charge_id == Charge.id).where(Posting.id == found.subject_id)
        )
        return f"pagamento do lançamento {number}" if number else f"pagamento {found.subject_id}"
    return f"{'vistoria' if found.subject == 'inspection' else found.subject} {found.subject_id}"


def _statement(plugin: str, since: date | None, last: int) -> Any:
    wanted = select(*_COLUMNS).where(StoredVerdict.id > last).order_by(StoredVerdict.id).limit(_BATCH)
    if since is not None:
        wanted = wanted.where(StoredVerdict.on >= since)
    return wanted.where(StoredVerdict.plugin == plugin) if plugin else wanted


def _again(session: Session, desk: Desk, row: Row[Any]) -> Replayed:
    loaded = desk.host.plugins.get(row.plugin)
    left_out = ""
    changes: tuple[Change, ...] = ()
    since: tuple[str, ...] = ()
    if loaded is None or row.authority not in desk.settings.authorities:
        left_out = UNLOADED
    elif row.given is None:
        left_out = NOTHING_ASKED
    else:
        now = _answered(session, desk, row)
        changes, since = tuple(_changes(row, now)), tuple(_since(row, now))
    return Replayed(
        authority=row.authority,
        subject=row.subject,
        subject_id=row.subject_id,
        plugin=row.plugin,
        version_then=row.plugin_version,
        version_now=loaded.version if loaded else "",
        rule=row.rule,
        question=row.question,
        on=row.on,
        changes=changes,
        left_out=left_out,
        since=since,
    )


def _answered(session: Session, desk: Desk, row: Row[Any]) -> Mapping[str, Any]:
    """What the question answers now, in the shape of the stored row; ``error`` where it can no longer be asked."""
    nothing: dict[str, Any] = {"answer": None, "grounds": [], "steps": []}
    try:
        question = desk.host.question(row.plugin, row.question)
    except KeyError:
        return {"error": f"a pergunta {row.question} não existe mais"}
    try:
        facts = fill_absent(question.given_type, row.given, flags=False)
        given = from_plain(facts, question.given_type, zone=desk.authority(row.authority).zone)
    except ConversionError as error:
        return {"error": f"os fatos guardados não servem mais à pergunta: {error}"}
    law = desk.law(session, row.authority, row.plugin)
    try:
        verdict = desk.host.answer(row.plugin, row.question, given, law)
    except RuleFailed as failed:
        if isinstance(failed.__cause__, NoValueInForce):
            return {"outcome": "pending", "facts": facts, **nothing}
        return {"error": str(failed)}
    plain = {name: to_plain(getattr(verdict, name)) for name in ("answer", "grounds", "steps")}
    return {"outcome": verdict.outcome, "facts": facts, **plain}


def _since(row: Row[Any], now: Mapping[str, Any]) -> Iterator[str]:
    facts = now.get("facts", {})
    yield from (f"fato {name}" for name in facts if name not in row.given or facts[name] != row.given[name])
    if row.answer is not None:
        yield from (f"resposta {name}" for name in now.get("answer") or () if name not in row.answer)


def _changes(row: Row[Any], now: Mapping[str, Any]) -> Iterator[Change]:
    if "error" in now:
        yield Change("pergunta", row.outcome, now["error"])
        return
    if row.outcome != now["outcome"]:
        yield Change("resultado", row.outcome, now["outcome"])
    before, after = row.answer or {}, now["answer"] or {}
    for name in before or after:
        if before.get(name) != after.get(name):
            yield Change(f"resposta.{name}", before.get(name), after.get(name))
    sums = [[each["amount"] for each in steps if each["amount"] is not None] for steps in (row.steps, now["steps"])]
    if sums[0] != sums[1]:
        yield Change("valores da conta", *sums)
    then, today = ([{name: each[name] for name in _TOLD} for each in said] for said in (row.grounds, now["grounds"]))
    gone, come = [each for each in then if each not in today], [each for each in today if each not in then]
    if gone or come:
        yield Change("fundamentos", gone, come)
