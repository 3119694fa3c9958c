"""The decision of a request by the office appointed for it: granted when nothing impedes, refused with its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.effects import Command
from registry.domain.law import Law
from registry.domain.occasion import Occasion
from registry.domain.regime import Finding, Office
from registry.domain.sentences import join_words
from registry.domain.workflow import ENDED, Obstacle
from registry.plugins.host import guarded
from registry.services.acts import resolve
from registry.services.amounts import paid_by_charge
from registry.services.charges import annul_charge
from registry.services.desk import Desk
from registry.services.dossier import RequestCase, rule_down
from registry.services.editing import done_before
from registry.services.errors import AlreadyDone, NotAllowed, Refused
from registry.services.history import refuse_stale
from registry.services.lengths import DECISION, SHORT, too_long
from registry.services.offices import holders_of, may_decide, names_in_office
from registry.services.permits import Executed, effect_sentences, execute
from registry.services.progress import Progress, progress_of, refresh_request
from registry.services.verdicts import store_asked, store_findings
from registry.store.access import User
from registry.store.audit import record
from registry.store.once import remember
from registry.store.permits import Licence, Permit
from registry.store.requests import Decision

_LAST_LINE = "\n\nAto: {act}."
Result = Literal["deferido", "indeferido"]


class Impeded(Refused):
    """A grant that something stands against; ``obstacles`` lists everything, each with the section that mends it."""

    def __init__(self, obstacles: Sequence[Obstacle]) -> None:
        self.obstacles = tuple(obstacles)
        listed = join_words([each.text.rstrip(".") for each in obstacles])
        super().__init__(message=f"Ainda não dá para deferir. Resolva antes: {listed}.")


@dataclass(frozen=True)
class DecisionMade:
    """A decision and what it did; numbers are "" and days None where nothing was issued."""

    id: int
    request_id: int
    result: Result
    office: str
    text: str
    by: str
    at: datetime
    permit_id: int | None = None
    permit_number: str = ""
    licence_number: str = ""
    valid_until: date | None = None
    act_id: int | None = None


@dataclass(frozen=True)
class Preview:
    """The decision's page: what is against, what a grant would do, the text from the grounds, who decides.

    ``office_holders`` are the names in office today; ``who_can`` says in one sentence who decides when the user does
    not. ``decided`` is the decision already taken.
    """

    progress: Progress
    office: Office
    office_holders: tuple[str, ...]
    allowed: bool
    who_can: str
    grantable: bool
    effect: tuple[str, ...]
    grant_text: str
    refusal_text: str
    proposal: str
    decided: DecisionMade | None


def decision_preview(session: Session, desk: Desk, occasion: Occasion, request_id: int) -> Preview:
    """Everything that the decision's page shows to the occasion's user. Raises NotFound, RuleDown."""
    progress = progress_of(session, desk, occasion.authority, request_id, occasion.at)
    case = progress.case
    office = office_of(case)
    holding = holders_of(session, occasion.authority, case.regime.code, office.code, occasion.on)
    holders = tuple(holding.values())
    grantable = progress.outlook.grantable
    law = desk.law(session, occasion.authority, case.regime.plugin)
    commands = _commands(occasion, case, law) if grantable else ()
    proposals = [wait.text for wait in progress.waits if wait.kind == "proposal" and wait.closed_at is None]
    return Preview(
        progress=progress,
        office=office,
        office_holders=holders,
        allowed=occasion.actor_id in holding,
        who_can=who_can(office, holders),
        grantable=grantable,
        effect=effect_sentences(session, case, commands, occasion.on.year),
        grant_text=_draft(desk, session, occasion, progress.findings, granted=True),
        refusal_text=_draft(desk, session, occasion, progress.findings, granted=False),
        proposal=proposals[-1] if proposals else "",
        decided=_made(session, case),
    )


def decide(
    occasion: Occasion, desk: Desk, request_id: int, version: int, result: Result, text: str = "", act: str = ""
) -> DecisionMade:
    """Grants or refuses a request in the name of the office that the occasion's user holds on this day.

    A grant stores every verdict with its facts, values and plugin version, and carries out the regime's effect in the
    same transaction; a refusal needs a text and annuls the fees of the decision that nobody paid. Under the writers'
    lock: of two directors at once the second is shown the first one's decision. ``act`` is the despacho or portaria
    that decides, "" = none: it closes the text, and the decision is tied to it where it is entered.

    Raises:
        NotAllowed: the user does not hold the office on this day; the message names who does.
        Impeded: a grant that something stands against, with the whole list.
        Refused: a refusal without text, a draft, or a command that cannot be carried out.
        Stale: the request changed after ``version``.
        AlreadyDone: it has ended; the result is the first :class:`DecisionMade`, or the state of a withdrawn one.
        NotFound: no such request here.
        RuleDown: a rule or a plugin's command failed; nothing was saved.
    """
    _open_what_is_due(occasion, desk, request_id)
    with desk.store.writing() as session:
        progress = progress_of(session, desk, occasion.authority, request_id, occasion.at)
        case = progress.case
        if case.row.request.state in ENDED:
            earlier = _made(session, case)
            if earlier is not None and done_before(session, occasion, "request.decided") == request_id:
                return earlier
            raise AlreadyDone(earlier or case.row.request.state, case.row.decided_by, case.row.request.decided_at)
        office = office_of(case)
        _check(session, occasion, progress, office, version, result, text, act)
        decision = _record(session, desk, occasion, progress, office, result, text, act)
        done = _carry_out(session, desk, occasion, case, decision)
        _close(session, occasion, progress, decision)
        refresh_request(session, desk, occasion, request_id)
        remember(session, occasion, "request.decided", request_id)
        made = _shown(decision, office, occasion.actor, done)
    desk.host.collect("registry_decided", request_id=request_id, result=result, occasion=occasion)
    return made


def _open_what_is_due(occasion: Occasion, desk: Desk, request_id: int) -> None:
    """Opens the fees of the decision in a transaction of their own, so that a refused grant leaves them to be paid."""
    with desk.store.writing() as session:
        progress = progress_of(session, desk, occasion.authority, request_id, occasion.at)
        if progress.case.row.request.state not in (*ENDED, "rascunho"):
            refresh_request(session, desk, occasion, request_id)


def _check(
    session: Session,
    occasion: Occasion,
    progress: Progress,
    office: Office,
    version: int,
    result: Result,
    text: str,
    act: str,
) -> None:
    case = progress.case
    request = case.row.request
    if not in_office(session, occasion, case, office):
        holders = names_in_office(session, occasion.authority, case.regime.code, office.code, occasion.on)
        raise NotAllowed(who_can(office, holders))
    refuse_stale(session, "request", request.id, request.version, version)
    if request.state == "rascunho":
        raise Refused(message="Protocole o requerimento antes de decidir.")
    if result not in ("deferido", "indeferido"):
        raise Refused({"result": "Escolha Deferir ou Indeferir."})
    if fault := too_long(act, SHORT):
        raise Refused({"act": fault})
    if fault := too_long(_with_act(text.strip(), act), DECISION):
        raise Refused({"text": fault})
    if result == "indeferido" and not text.strip():
        raise Refused({"text": "Escreva o motivo. Ele vai para o processo."})
    if result == "deferido" and not progress.outlook.grantable:
        raise Impeded(progress.outlook.obstacles)


def in_office(session: Session, occasion: Occasion, case: RequestCase, office: Office) -> bool:
    """Whether the occasion's user holds the office on the day."""
    return may_decide(session, occasion.authority, occasion.actor_id, case.regime.code, office.code, occasion.on)


def office_of(case: RequestCase) -> Office:
    """The office that decides a request, as its regime declares it."""
    code = case.kind.office
    return next((each for each in case.regime.offices if each.code == code), Office(code, code))


def who_can(office: Office, holders: Sequence[str]) -> str:
    """The sentence that names who decides, for a user who does not."""
    only = f"Só quem é {office.label} decide este requerimento"
    if not holders:
        return f"{only}, e ninguém está nomeado hoje. Peça a nomeação à administração."
    return f"{only}: {join_words(list(holders))}. Você pode encaminhar."


def _commands(occasion: Occasion, case: RequestCase, law: Law) -> tuple[Command, ...]:
    with rule_down(case.regime), guarded(case.regime.plugin, f"effect of {case.kind.code}"):
        return tuple(case.kind.effect(case.dossier, occasion, law))


def _record(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    progress: Progress,
    office: Office,
    result: Result,
    text: str,
    act: str,
) -> Decision:
    request = progress.case.row.request
    granted = result == "deferido"
    drafted = _draft(desk, session, occasion, progress.findings, granted=granted)
    decision = Decision(
        request_id=request.id,
        result=result,
        office=office.code,
        user_id=occasion.actor_id,
        text=_with_act(text.strip() or drafted[: DECISION - SHORT - len(_LAST_LINE)], act),
        act_id=resolve(session, desk, occasion.authority, act),
        at=occasion.at,
    )
    session.add(decision)
    session.flush()
    store_findings(
        session, desk, occasion.authority, "decision", decision.id, progress.findings, occasion.on, occasion.at
    )
    return decision


def _carry_out(session: Session, desk: Desk, occasion: Occasion, case: RequestCase, decision: Decision) -> Executed:
    if decision.result == "deferido":
        authority = occasion.authority
        law, asked = desk.law(session, authority, case.regime.plugin).noting()
        commands = _commands(occasion, case, law)
        store_asked(session, desk, authority, "decision", decision.id, "Efeito", asked, occasion.on, occasion.at)
        done = execute(session, desk, occasion, case, commands)
        case.row.request.permit_id = done.permit_id
        return done
    plans = {plan.code for plan in case.kind.charges if plan.opens_at == "decision"}
    owed = [row.charge for row in case.charges if row.charge.plan in plans and row.charge.settled_at is None]
    paid = paid_by_charge(session, [charge.id for charge in owed])
    for charge in owed:
        if charge.id not in paid and charge.cancelled_at is None:
            annul_charge(session, occasion, charge, "Pedido indeferido")
    return Executed(None)


def _close(session: Session, occasion: Occasion, progress: Progress, decision: Decision) -> None:
    request = progress.case.row.request
    before = {"state": request.state}
    request.state, request.decided_at, request.due_on = decision.result, occasion.at, None
    request.version += 1
    for wait in progress.waits:
        if wait.closed_at is None:
            wait.closed_at, wait.outcome = occasion.at, decision.result
    session.flush()
    after = {"state": request.state, "office": decision.office, "permit_id": request.permit_id}
    after["version"] = request.version
    record(session, occasion, "request.decided", "request", request.id, before, after)


def _with_act(text: str, act: str) -> str:
    """The text of the decision with the act that decides, where there is one, as its last line."""
    return f"{text}{_LAST_LINE.format(act=act.strip())}".strip() if act.strip() else text


def _draft(desk: Desk, session: Session, occasion: Occasion, found: Sequence[Finding], *, granted: bool) -> str:
    """The text of the decision as born from the grounds, provision by provision; to be edited."""
    lines: list[str] = []
    for finding in found:
        if finding.verdict is None or (not granted and not finding.impedes):
            continue
        law: Law = desk.law(session, occasion.authority, finding.plugin)
        for ground in finding.verdict.grounds:
            if (ground.holds is False) if not granted else ground.holds:
                cited = f" ({law.cite(ground.provision)})" if ground.provision in law.book.provisions else ""
                lines.append(f"{ground.text.rstrip('.')}{cited}.")
    if not lines:
        return ""
    opening = "Defiro. Foi conferido:" if granted else "Indefiro, porque:"
    return "\n".join([opening, *(f"{place}. {line}" for place, line in enumerate(dict.fromkeys(lines), 1))])


def _made(session: Session, case: RequestCase) -> DecisionMade | None:
    """The decision that the request has, with the permit and licence that it gave."""
    decision = case.row.decision
    if decision is None:
        return None
    permit_id = case.row.request.permit_id if decision.result == "deferido" else None
    number = session.scalar(select(Permit.number).where(Permit.id == permit_id)) if permit_id else None
    zone = case.dossier.at.tzinfo
    licence = session.scalars(
        select(Licence)
        .where(
            Licence.permit_id == permit_id,
            Licence.vehicle_id == case.row.request.vehicle_id,
            Licence.issued_on == decision.at.astimezone(zone).date(),
        )
        .order_by(Licence.id.desc())
        .limit(1)
    ).one_or_none()
    done = Executed(
        permit_id,
        number or "",
        licence.id if licence else None,
        licence.number if licence else "",
        licence.valid_until if licence else None,
    )
    by = session.scalar(select(User.name).where(User.id == decision.user_id)) or ""
    return _shown(decision, office_of(case), by, done)


def _shown(decision: Decision, office: Office, by: str, done: Executed) -> DecisionMade:
    return DecisionMade(
        id=decision.id,
        request_id=decision.request_id,
        result="deferido" if decision.result == "deferido" else "indeferido",
        office=office.label,
        text=decision.text,
        act_id=decision.act_id,
        by=by,
        at=decision.at,
        permit_id=done.permit_id,
        permit_number=done.permit_number,
        licence_number=done.licence_number,
        valid_until=done.valid_until,
    )
