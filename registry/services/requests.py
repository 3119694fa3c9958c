"""A requerimento from draft to decision: opened, filled in, filed, taken, passed on, withdrawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.regime import Finding, Regime
from registry.domain.workflow import ENDED
from registry.services.charge_opening import open_planned
from registry.services.desk import Desk
from registry.services.dossier import law_of, load_case, rule_down
from registry.services.editing import done_before, edit
from registry.services.errors import AlreadyDone, NotFound, Refused
from registry.services.lengths import too_long
from registry.services.progress import Progress, derive, lacking, refresh_request
from registry.services.request_edit import RequestChanges, check_still_free, checked_changes, labels_for, overlaid
from registry.services.request_terms import analysis_term
from registry.store.audit import record
from registry.store.numbers import take
from registry.store.once import remember
from registry.store.requests import Request, Wait

NO_REASON = "Escreva o motivo. Ele vai para o processo."


def open_request(
    occasion: Occasion,
    desk: Desk,
    regime: str,
    kind: str,
    *,
    links: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> int:
    """Opens a draft; gives its id.

    Args:
        regime: code of a regime of this authority; ``kind`` of one of its request kinds.
        links: holder_kind, category, applicant_id, cooperative_id, vehicle_id, permit_id as far as known.
        facts: the regime's own facts as typed, by field.

    Raises:
        NotFound: no such regime or kind here, or a link to another authority's record.
        Refused: a field is wrong.
    """
    chosen = desk.regime_of(occasion.authority, regime)
    if kind not in {each.code for each in chosen.request_kinds}:
        raise NotFound
    with desk.store.writing() as session:
        before = done_before(session, occasion, "request.opened")
        if before is not None:
            return before
        request = Request(
            authority=occasion.authority,
            regime=regime,
            kind=kind,
            category="",
            holder_kind="",
            state="rascunho",
            facts={},
            opened_at=occasion.at,
            assigned_to=occasion.actor_id,
            assigned_at=occasion.at if occasion.actor_id is not None else None,
        )
        wanted = checked_changes(session, occasion, desk, chosen, request, RequestChanges(links or {}, facts or {}))
        request.facts = {name.removeprefix("facts."): value for name, value in wanted.items() if "." in name}
        for name in wanted.keys() - {f"facts.{fact}" for fact in request.facts}:
            setattr(request, name, wanted[name])
        session.add(request)
        session.flush()
        after = {"regime": regime, "kind": kind, **wanted, "version": request.version}
        record(session, occasion, "request.opened", "request", request.id, None, after)
        refresh_request(session, desk, occasion, request.id)
        remember(session, occasion, "request.opened", request.id)
        return request.id


def save_request(
    occasion: Occasion,
    desk: Desk,
    request_id: int,
    version: int,
    *,
    links: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> bool:
    """Saves fields of a request that is not ended, as :func:`open_request` takes them; False when nothing differs.

    Once filed, only facts can be corrected; links stay.

    Raises :class:`NotFound`, :class:`Refused`, :class:`Stale` (both values, field by field).
    """
    with desk.store.writing() as session:
        request = request_of(session, occasion.authority, request_id)
        regime = desk.regime_of(occasion.authority, request.regime)
        _refuse_ended(request)
        if links and request.state != "rascunho":
            _refuse_moved(request, links)
        wanted = checked_changes(session, occasion, desk, regime, request, RequestChanges(links or {}, facts or {}))
        changed = edit(
            session,
            occasion,
            request,
            subject="request",
            action="request.saved",
            version=version,
            changes=wanted,
            labels=labels_for(regime.request_kind(request.kind)),
        )
        if changed:
            refresh_request(session, desk, occasion, request_id)
        return changed


def file_request(occasion: Occasion, desk: Desk, request_id: int) -> str:
    """Files a draft (protocola): takes its number, opens the fees due, sets the day of the analysis; gives the number.

    Raises:
        NotFound: no such request here.
        AlreadyDone: it was filed before; the result is its number.
        Refused: something is lacking, the plate was taken meanwhile, or a debt blocks.
        RuleDown: a rule did not answer.
    """
    with desk.store.writing() as session:
        request = request_of(session, occasion.authority, request_id)
        if request.state != "rascunho":
            raise AlreadyDone(request.number or "", "", request.filed_at)
        regime = desk.regime_of(occasion.authority, request.regime)
        kind = regime.request_kind(request.kind)
        missing = lacking(regime, kind, request)
        if missing:
            raise Refused(message=f"Antes de protocolar, informe: {', '.join(missing)}.")
        check_still_free(session, occasion, desk, request)
        _refuse_debtor(session, occasion, desk, regime, request)
        year = occasion.on.year
        request.number = f"{year}/{take(session, occasion.authority, 'request', year):06d}"
        request.state = "protocolado"
        request.filed_at = occasion.at
        request.due_on = analysis_term(session, desk, occasion.authority, regime.code, occasion.on).due
        request.assigned_to, request.assigned_at = None, None
        _bump(session, request)
        after = {"number": request.number, "state": request.state, "due_on": request.due_on, "version": request.version}
        record(session, occasion, "request.filed", "request", request_id, {"state": "rascunho"}, after)
        open_planned(session, desk, occasion, request_id, ("filing", "booking"))
        refresh_request(session, desk, occasion, request_id)
        return request.number


def withdraw_request(occasion: Occasion, desk: Desk, request_id: int, reason: str) -> None:
    """Records that the applicant gives the request up (desistência); its open waits close.

    Raises :class:`NotFound`, :class:`Refused` without a reason or with one too long, :class:`AlreadyDone` when it has
    ended.
    """
    with desk.store.writing() as session:
        request = request_of(session, occasion.authority, request_id)
        _refuse_ended(request)
        if fault := (too_long(reason, what="O motivo") if reason.strip() else NO_REASON):
            raise Refused({"reason": fault})
        before = {"state": request.state}
        request.state, request.decided_at, request.due_on = "desistencia", occasion.at, None
        waits = session.scalars(select(Wait).where(Wait.request_id == request_id, Wait.closed_at.is_(None)))
        for wait in waits:
            wait.closed_at, wait.outcome = occasion.at, "desistência"
        _bump(session, request)
        after = {"state": request.state, "reason": reason.strip(), "version": request.version}
        record(session, occasion, "request.withdrawn", "request", request_id, before, after)
        refresh_request(session, desk, occasion, request_id)


def live_outlook(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    request_id: int,
    *,
    links: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> tuple[Progress, dict[str, str]]:
    """What the rules say of a request with what is being typed: its progress, and the sentences of unreadable facts.

    Saves nothing. Links to people and vehicle count once saved. Raises :class:`NotFound`, :class:`RuleDown`.
    """
    case = load_case(session, desk, occasion.authority, request_id, occasion.at)
    dossier, errors = overlaid(case.kind, case.dossier, RequestChanges(links or {}, facts or {}))
    return derive(session, desk, occasion.authority, case, dossier), errors


def request_of(session: Session, authority: str, request_id: int) -> Request:
    """The request's row in this authority. Raises :class:`NotFound`."""
    request = session.execute(
        select(Request).where(Request.id == request_id, Request.authority == authority)
    ).scalar_one_or_none()
    if request is None:
        raise NotFound
    return request


def _refuse_ended(request: Request) -> None:
    if request.state in ENDED:
        raise AlreadyDone(request.state, "", request.decided_at)


def _refuse_moved(request: Request, links: Mapping[str, Any]) -> None:
    """After filing the request stays with whom and what it was filed for: fees and findings hang on them."""
    moved = [name for name, value in links.items() if getattr(request, name, value) != value]
    if moved:
        text = "O pedido já foi protocolado: isto não muda mais. Registre a desistência e abra outro."
        raise Refused(dict.fromkeys(moved, text))


def _refuse_debtor(session: Session, occasion: Occasion, desk: Desk, regime: Regime, request: Request) -> None:
    """A debt blocks the filing as the regime's own rule says; nothing else stands before the right to ask."""
    if regime.debt_gate is None:
        return
    case = load_case(session, desk, occasion.authority, request.id, occasion.at)
    law = law_of(regime.debt_gate, desk, session, occasion.authority)
    with rule_down(regime):
        found: Finding | None = desk.host.finding(regime.debt_gate, case.dossier, law)
    if found is not None and found.blocks and found.outcome == "deny":
        raise Refused(message=found.summary)


def _bump(session: Session, request: Request) -> None:
    request.version += 1
    session.flush()
