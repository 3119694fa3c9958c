"""Opening the fees of a request by the regime's plan: the question and its facts are kept, the amount comes later."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy.orm import Session

from registry.domain.convert import to_plain
from registry.domain.dossier import Dossier
from registry.domain.occasion import Occasion
from registry.domain.regime import ChargePlan, Missing
from registry.plugins.host import guarded
from registry.services.desk import Desk
from registry.services.dossier import RequestCase, load_case
from registry.services.errors import Refused
from registry.services.failures import rule_down
from registry.store.audit import record
from registry.store.charges import Charge
from registry.store.numbers import take


def open_planned(
    session: Session, desk: Desk, occasion: Occasion, request_id: int, moments: Collection[str]
) -> tuple[int, ...]:
    """Opens the fees that a request owes at these moments (filing, booking, decision); gives their ids.

    A fee that is open or paid already is not opened again, one whose rule does not touch the request never.

    Raises:
        Refused: a fact that the fee depends on is missing.
        RuleDown: the regime's rule did not answer.
    """
    case = load_case(session, desk, occasion.authority, request_id, occasion.at)
    present = {row.charge.plan for row in case.charges}
    due = [plan for plan in case.kind.charges if plan.opens_at in moments and plan.code not in present]
    opened = (open_charge(session, desk, occasion, case, plan) for plan in due)
    return tuple(charge_id for charge_id in opened if charge_id is not None)


def open_charge(session: Session, desk: Desk, occasion: Occasion, case: RequestCase, plan: ChargePlan) -> int | None:
    """Opens one fee of a request; gives its id, None when the rule does not touch the request. Raises as above."""
    owner = desk.host.owner(plan.rule.question)
    with rule_down(case.regime), guarded(owner, plan.rule.question.name):
        given: Any = plan.rule.given(case.dossier)
        days = _day_fields(plan, case.dossier, given)
    if given is None:
        return None
    if isinstance(given, Missing):
        raise Refused(message=f"Para abrir a taxa «{plan.label}», informe: {', '.join(given.what)}.")
    request = case.row.request
    year = occasion.on.year
    charge = Charge(
        authority=occasion.authority,
        regime=case.regime.code,
        kind="fee",
        plan=plan.code,
        label=plan.label,
        debtor_id=request.applicant_id,
        request_id=request.id,
        request_kind=request.kind,
        number=f"{year}/{take(session, occasion.authority, 'charge', year):06d}",
        plugin=owner,
        question=plan.rule.question.name,
        given=to_plain(given),
        day_fields=days,
        due_on=None,
        opened_at=occasion.at,
    )
    session.add(charge)
    session.flush()
    after = {"number": charge.number, "plan": plan.code, "label": plan.label, "request_id": request.id}
    record(session, occasion, "charge.opened", "charge", charge.id, None, after)
    return charge.id


def _day_fields(plan: ChargePlan, dossier: Dossier, given: Any) -> list[str]:
    """The facts that carry the day of payment: those that move with the dossier's day."""
    if given is None or isinstance(given, Missing):
        return []
    later = replace(dossier, on=dossier.on + timedelta(days=1))
    now, then = to_plain(given), to_plain(plan.rule.given(later))
    return [name for name in now if now[name] == dossier.on.isoformat() and then[name] == later.on.isoformat()]
