"""A text longer than its place is refused beside its field, and one that just fits is kept, on each engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.services import (
    assignment,
    charges,
    decisions,
    documents,
    indexes,
    inspections,
    offices,
    permit_ends,
    requests,
    restrictions,
    returns,
    waits,
)
from registry.services.desk import Desk
from registry.services.errors import Refused
from registry.services.lengths import DECISION, LONG, SHORT
from registry.store.audit import AuditEntry
from tests import factories
from tests.factories import NOON, Clerk
from tests.regime import CODE
from tests.services import steps

TODAY = date(2026, 11, 30)
Act = Callable[[str], Any]


@dataclass(frozen=True)
class Place:
    """Where a text goes: what lays out the records and gives the act that takes the text, its field, what fits."""

    act: Callable[[Desk, Clerk], Act]
    field: str
    most: int = SHORT


def _wait(desk: Desk, by: Clerk) -> int:
    return waits.open_exigencia(by.occasion(), desk, factories.filed(desk, by), "Traga a foto.")


def _posting(desk: Desk, by: Clerk) -> int:
    receipt_id = steps.pay(desk, by, factories.filed(desk, by))
    with desk.store.reading() as session:
        return charges.receipt_page(session, by.authority, receipt_id).lines[0].posting_id


def _booked(desk: Desk, by: Clerk) -> int:
    request_id = factories.filed(desk, by)
    steps.pay(desk, by, request_id)
    return steps.book(desk, by, request_id)


def _ready_to_decide(desk: Desk, by: Clerk, result: str) -> Act:
    request_id = steps.ready(desk, by)
    steps.appoint(desk, by)
    with desk.store.reading() as session:
        version = requests.request_of(session, by.authority, request_id).version
    occasion = by.occasion(hours=steps.LATER)
    if result == "devolver":
        return lambda text: returns.return_request(occasion, desk, request_id, version, text)
    return lambda text: decisions.decide(occasion, desk, request_id, version, result, text)  # type: ignore[arg-type]


def _bar(desk: Desk, by: Clerk, vehicle_id: int, **typed: str) -> int:
    facts: dict[str, Any] = {"regime": CODE, "kind": "suspension", "since": TODAY, "reason": "Ordem", **typed}
    return restrictions.restrict_vehicle(by.occasion(), desk, vehicle_id, **facts)


def _new_bar(field: str) -> Callable[[Desk, Clerk], Act]:
    def lay_out(desk: Desk, by: Clerk) -> Act:
        vehicle_id = factories.vehicle(desk, by)
        return lambda text: _bar(desk, by, vehicle_id, **{field: text})

    return lay_out


def _paper(desk: Desk, by: Clerk) -> Act:
    document_id = factories.attach(desk, by, factories.filed(desk, by), "fotos")
    return lambda text: documents.review_document(by.occasion(), desk, document_id, 1, "recusado", text)


def _waive(desk: Desk, by: Clerk) -> Act:
    request_id = factories.filed(desk, by)
    return lambda text: documents.waive_document(by.occasion(), desk, request_id, "fotos", text)


def _of_request(act: Callable[..., Any]) -> Callable[[Desk, Clerk], Act]:
    def lay_out(desk: Desk, by: Clerk) -> Act:
        request_id = factories.filed(desk, by)
        return lambda text: act(by.occasion(), desk, request_id, text)

    return lay_out


def _close(desk: Desk, by: Clerk) -> Act:
    wait_id = _wait(desk, by)
    return lambda text: waits.close_wait(by.occasion(), desk, wait_id, "respondida", text)


def _pass_on(desk: Desk, by: Clerk) -> Act:
    request_id, other = factories.filed(desk, by), factories.clerk(desk.store, "Rita")
    return lambda text: assignment.pass_request(by.occasion(), desk, request_id, other.id, text)


def _reverse(desk: Desk, by: Clerk) -> Act:
    posting_id = _posting(desk, by)
    return lambda text: charges.reverse_posting(by.occasion(), desk, posting_id, text)


def _book(desk: Desk, by: Clerk) -> Act:
    request_id = factories.filed(desk, by)
    steps.pay(desk, by, request_id)
    when = NOON + timedelta(hours=1)
    return lambda text: inspections.book_inspection(by.occasion(), desk, request_id, when, text)


def _move(desk: Desk, by: Clerk) -> Act:
    inspection_id, when = _booked(desk, by), NOON + timedelta(hours=2)
    return lambda text: inspections.move_inspection(by.occasion(), desk, inspection_id, 1, when, text)


def _cancel(desk: Desk, by: Clerk) -> Act:
    inspection_id = _booked(desk, by)
    return lambda text: inspections.cancel_inspection(by.occasion(), desk, inspection_id, 1, text)


def _lift(act: str) -> Callable[[Desk, Clerk], Act]:
    def lay_out(desk: Desk, by: Clerk) -> Act:
        bar_id = _bar(desk, by, factories.vehicle(desk, by))
        if act == "void":
            return lambda text: restrictions.void_restriction(by.occasion(), desk, bar_id, text)
        return lambda text: restrictions.lift_restriction(by.occasion(), desk, bar_id, TODAY, text)

    return lay_out


def _end_permit(field: str) -> Callable[[Desk, Clerk], Act]:
    def lay_out(desk: Desk, by: Clerk) -> Act:
        permit_id = factories.permit(desk.store, factories.person(desk, by), factories.vehicle(desk, by))
        return lambda text: permit_ends.end_permit(
            by.occasion(), desk, permit_id, 1, TODAY, **{"reason": "Pedido", field: text}
        )

    return lay_out


PLACES = {
    "exigencia": Place(_of_request(waits.open_exigencia), "text", LONG),
    "referral": Place(_of_request(waits.refer_request), "text", LONG),
    "proposal": Place(_of_request(waits.propose_refusal), "text", LONG),
    "answer": Place(_close, "note", SHORT - len("respondida: ")),
    "withdrawal": Place(_of_request(requests.withdraw_request), "reason"),
    "note to a colleague": Place(_pass_on, "note"),
    "grant": Place(lambda desk, by: _ready_to_decide(desk, by, "deferido"), "text", DECISION),
    "refusal": Place(lambda desk, by: _ready_to_decide(desk, by, "indeferido"), "text", DECISION),
    "return": Place(lambda desk, by: _ready_to_decide(desk, by, "devolver"), "text", LONG),
    "review": Place(_paper, "reason"),
    "waiver": Place(_waive, "reason"),
    "reversal": Place(_reverse, "reason"),
    "till": Place(
        lambda desk, by: lambda text: charges.close_cash(by.occasion(), desk, TODAY, Decimal(1), text), "note"
    ),
    "booking": Place(_book, "place"),
    "moving": Place(_move, "place"),
    "cancelling": Place(_cancel, "reason"),
    "bar": Place(_new_bar("reason"), "reason"),
    "act of a bar": Place(_new_bar("act"), "act"),
    "lifting": Place(_lift("lift"), "reason"),
    "voiding": Place(_lift("void"), "reason"),
    "end of a permit": Place(_end_permit("reason"), "reason"),
    "act of that end": Place(_end_permit("act"), "act"),
    "appointment": Place(
        lambda desk, by: lambda text: offices.appoint(by.occasion(), desk, by.id, CODE, steps.OFFICE, TODAY, act=text),
        "act",
    ),
    "closed day": Place(
        lambda desk, by: lambda text: indexes.close_day(by.occasion(), desk, TODAY, text, "Portaria 1/2026"), "name"
    ),
    "act of a closed day": Place(
        lambda desk, by: lambda text: indexes.close_day(by.occasion(), desk, TODAY, "Luto", text), "act"
    ),
    "act of a value": Place(
        lambda desk, by: (
            lambda text: indexes.enter_index_value(
                by.occasion(), desk, "custo", date(2027, 1, 1), Decimal("6.0000"), text
            )
        ),
        "act",
    ),
}


def _entries(desk: Desk) -> int:
    with desk.store.reading() as session:
        return session.scalar(select(func.count()).select_from(AuditEntry)) or 0


@pytest.mark.parametrize("name", PLACES)
def test_a_text_fits_or_is_refused_beside_its_field(desk: Desk, jonas: Clerk, name: str) -> None:
    place = PLACES[name]
    act = place.act(desk, jonas)
    before = _entries(desk)
    with pytest.raises(Refused) as refused:
        act("ã" * (place.most + 1))
    assert set(refused.value.fields) == {place.field}
    assert str(place.most) in refused.value.fields[place.field]
    assert _entries(desk) == before
    act("ã" * place.most)
