"""Debts from before the registry: a fixed amount with its origin and paper, owed, paid and blocking like any other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.convert import to_plain
from registry.domain.occasion import Occasion
from registry.services.amounts import LEGACY, LegacyDebt, paid_by_charge
from registry.services.charges import NO_REASON, annul_charge
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import AlreadyDone, Existing, NotFound, Refused
from registry.services.people import person_of
from registry.services.progress import refresh_request
from registry.services.touched import refresh_requests_of
from registry.store.audit import record
from registry.store.charges import Charge
from registry.store.numbers import take
from registry.store.once import remember

KINDS = {"fine": "Multa", "fee": "Taxa", "damage": "Dano"}
"""What an old debt may be: each regime's debt gate tells these apart."""

_LONGEST = 200


@dataclass(frozen=True)
class DebtInput:
    """What a clerk types of an old debt. ``reference`` is the number of its paper, ``origin`` where it is recorded."""

    regime: str
    kind: str
    amount: Decimal
    due_on: date
    origin: str
    reference: str


def enter_debt(occasion: Occasion, desk: Desk, debtor_id: int, entered: DebtInput) -> int:
    """Enters a debt from before the registry as a charge with a fixed amount; gives the charge's id.

    It counts in the regime's debt gate from the day after ``due_on``. Raises :class:`NotFound`, :class:`Refused`; a
    paper that is here already names its charge.
    """
    with desk.store.writing() as session:
        before = done_before(session, occasion, "debt.entered")
        if before is not None:
            return before
        made = open_debt(session, desk, occasion, debtor_id, entered)
        remember(session, occasion, "debt.entered", made)
        refresh_requests_of(session, desk, occasion, people=[debtor_id])
        return made


def open_debt(session: Session, desk: Desk, occasion: Occasion, debtor_id: int, entered: DebtInput) -> int:
    """As :func:`enter_debt`, in the caller's transaction, for whoever enters many; requests are not derived anew."""
    person_of(session, occasion.authority, debtor_id, living=True)
    debt = LegacyDebt(entered.amount, " ".join(entered.origin.split()), " ".join(entered.reference.split()))
    _check(session, desk, occasion, debtor_id, entered, debt)
    year = occasion.on.year
    charge = Charge(
        authority=occasion.authority,
        regime=entered.regime,
        kind=entered.kind,
        plan=LEGACY,
        label=f"{KINDS[entered.kind]} anterior ao registro: {debt.reference}",
        debtor_id=debtor_id,
        number=f"{year}/{take(session, occasion.authority, 'charge', year):06d}",
        plugin="",
        question="",
        given=to_plain(debt),
        day_fields=[],
        due_on=entered.due_on,
        opened_at=occasion.at,
    )
    session.add(charge)
    session.flush()
    after = {"number": charge.number, "debtor_id": debtor_id, "label": charge.label, **to_plain(entered)}
    record(session, occasion, "debt.entered", "charge", charge.id, None, after)
    return charge.id


def annul(occasion: Occasion, desk: Desk, charge_id: int, reason: str) -> None:
    """Annuls a charge that should not be owed, with the reason; nothing is deleted.

    Raises:
        NotFound: a charge of another authority.
        AlreadyDone: it was annulled before.
        Refused: no reason, or something was paid on it, which is reversed first.
    """
    if not reason.strip():
        raise Refused({"reason": NO_REASON})
    with desk.store.writing() as session:
        charge = session.get(Charge, charge_id)
        if charge is None or charge.authority != occasion.authority:
            raise NotFound
        if charge.cancelled_at is not None:
            raise AlreadyDone(charge.id, "", charge.cancelled_at)
        if charge.settled_at is not None or paid_by_charge(session, [charge.id]):
            raise Refused(message="Já houve pagamento nesta cobrança. Estorne o recibo antes de anular.")
        annul_charge(session, occasion, charge, reason.strip())
        session.flush()
        if charge.request_id is not None and charge.regime in desk.host.regimes:
            refresh_request(session, desk, occasion, charge.request_id)
        refresh_requests_of(session, desk, occasion, people=[charge.debtor_id])


def _check(
    session: Session, desk: Desk, occasion: Occasion, debtor_id: int, entered: DebtInput, debt: LegacyDebt
) -> None:
    faults: dict[str, str] = {}
    existing: dict[str, Existing] = {}
    if entered.regime not in {regime.code for regime in desk.regimes_of(occasion.authority)}:
        faults["regime"] = "Escolha o serviço."
    if entered.kind not in KINDS:
        faults["kind"] = "Escolha o tipo do débito."
    if entered.amount <= 0:
        faults["amount"] = "O valor deve ser maior que zero."
    elif entered.amount != entered.amount.quantize(Decimal("0.01")):
        faults["amount"] = "Escreva o valor como 1.234,56."
    for name, text, wanted in (
        ("origin", debt.origin, "Escreva de onde vem o débito, como «Sistema antigo, dívida ativa 2019»."),
        ("reference", debt.reference, "Escreva o número do documento, como «Auto 1234/2019»."),
    ):
        if not text:
            faults[name] = wanted
        elif len(text) > _LONGEST:
            faults[name] = f"Use no máximo {_LONGEST} letras. Você digitou {len(text)}."
    same = _same(session, occasion.authority, debtor_id, entered.regime, debt.reference) if debt.reference else None
    if same is not None:
        faults["reference"] = f"Já existe: cobrança {same.number}. Abrir"
        existing["reference"] = Existing("charge", same.id, f"cobrança {same.number}")
    if faults:
        raise Refused(faults, existing=existing)


def _same(session: Session, authority: str, debtor_id: int, regime: str, reference: str) -> Charge | None:
    """The charge that stands for this paper already; one that was annulled does not."""
    known = session.scalars(
        select(Charge).where(
            Charge.authority == authority,
            Charge.debtor_id == debtor_id,
            Charge.regime == regime,
            Charge.plan == LEGACY,
            Charge.cancelled_at.is_(None),
        )
    )
    return next((each for each in known if str(each.given["reference"]).casefold() == reference.casefold()), None)
