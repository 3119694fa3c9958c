"""What the page of a request shows, as plain data for templates and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from registry.domain.regime import FactField, Finding
from registry.domain.workflow import Outlook
from registry.services.amounts import Amount
from registry.services.people import PersonRef
from registry.services.timeline import Happening
from registry.services.vehicles import VehicleRef
from registry.services.waits import ExigenciaDraft, WaitLine


@dataclass(frozen=True)
class Due:
    """A last day with its label («vence hoje») and how it was counted."""

    on: date
    label: str
    late: bool
    steps: tuple[str, ...]


@dataclass(frozen=True)
class PaperLine:
    """One paper of a wanted document: its file, status on the day, how many of the wanted copies it holds."""

    id: int
    version: int
    status: str
    status_label: str
    file_name: str
    media_type: str
    size: int
    expires_on: date | None
    reason: str
    reviewed_at: datetime | None
    copies: int = 1


@dataclass(frozen=True)
class DocumentLine:
    """A document that the applicant owes, by article, with its papers. ``restricted`` papers open with a trace."""

    code: str
    label: str
    cite: str
    group: str
    source: str
    status: str
    status_label: str
    waived: str
    copies: int
    wants_expiry: bool
    restricted: bool
    papers: tuple[PaperLine, ...]


@dataclass(frozen=True)
class FeeLine:
    """A fee of the request. ``amount`` is what it comes to today, or what was paid; None where ``refusal`` says why."""

    id: int
    number: str
    label: str
    paid_on: date | None
    paid: Decimal
    amount: Amount | None
    refusal: str = ""

    @property
    def left(self) -> Decimal | None:
        """What is still to be paid today, in reais; None where the law gives no amount today, or it is paid."""
        return max(self.amount.amount - self.paid, Decimal(0)) if self.amount is not None and not self.paid_on else None


@dataclass(frozen=True)
class InspectionLine:
    """The inspection that counts; ``at`` is the booked instant; counts are of its items."""

    id: int
    state: str
    at: datetime | None
    done_on: date | None
    place: str
    passed_items: int
    failed_items: int
    photos: int
    seal: str
    valid_until: date | None


@dataclass(frozen=True)
class FieldLine:
    """One of the regime's own facts: the field, its stored value, and as it stands in the input."""

    field: FactField
    value: Any
    text: str


@dataclass(frozen=True)
class DecisionLine:
    """The decision: result, office, who and when, and its text."""

    result: str
    office: str
    by: str
    at: datetime
    text: str


@dataclass(frozen=True)
class Overdue:
    """The applicant's overdue debts in the request's regime: how many, and the sum in reais where it is known."""

    count: int
    total: Decimal | None


@dataclass(frozen=True)
class Findings:
    """Findings by weight: what forbids, what only warns, what is in order."""

    impeding: tuple[Finding, ...]
    warning: tuple[Finding, ...]
    in_order: tuple[Finding, ...]


@dataclass(frozen=True)
class RequestPage:
    """The page of one request. ``editable`` = its facts can still be changed; ``movable`` = its links too (draft)."""

    id: int
    version: int
    number: str
    regime: str
    regime_label: str
    kind: str
    kind_label: str
    state: str
    category: str
    category_label: str
    holder_kind: str
    holder_kind_label: str
    editable: bool
    movable: bool
    opened_at: datetime
    filed_at: datetime | None
    assigned_to: int | None
    assigned_name: str
    applicant: PersonRef | None
    cooperative: PersonRef | None
    vehicle: VehicleRef | None
    permit_id: int | None
    overdue: Overdue | None
    due: Due | None
    outlook: Outlook
    findings: Findings
    documents: tuple[DocumentLine, ...]
    fields: tuple[FieldLine, ...]
    fees: tuple[FeeLine, ...]
    inspection: InspectionLine | None
    waits: tuple[WaitLine, ...]
    exigencia: ExigenciaDraft | None
    decision: DecisionLine | None
    office: str
    office_label: str
    history: tuple[Happening, ...]
