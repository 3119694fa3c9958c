"""The dossier: every fact that a rule may be asked about, as of one instant. Plain frozen data, no database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

PersonKind = Literal["natural", "company", "cooperative"]
DocumentStatus = Literal["falta", "enviado", "aceito", "com_ressalva", "recusado", "vencido", "dispensado"]
RestrictionKind = Literal["suspension", "seizure", "accident_block", "off_road"]


@dataclass(frozen=True)
class Holder:
    """A person, company or cooperative. ``document`` is the canonical CPF or CNPJ ("" = not yet known)."""

    id: int
    kind: PersonKind
    name: str
    document: str = ""
    born_on: date | None = None
    cnh: str = ""
    nationality: str = "brasileira"
    sex: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Vehicle:
    """A vehicle; ``seats`` includes the driver's, ``doors`` are those of the vehicle's document."""

    id: int
    plate: str
    plate_key: str
    type: str = ""
    make: str = ""
    model: str = ""
    year_made: int | None = None
    first_registered_on: date | None = None
    doors: int | None = None
    seats: int | None = None
    colour: str = ""
    role: str = "regular"


@dataclass(frozen=True)
class Document:
    """A document on file for a request, by the code of the wanted list; ``count`` = accepted copies, ``sent`` = papers
    of it that nobody has reviewed yet.
    """

    code: str
    status: DocumentStatus
    expires_on: date | None = None
    count: int = 1
    sent: int = 0

    def accepted(self, on: date) -> bool:
        """Whether it counts as presented on a day: accepted (also with a remark) or waived, and not expired."""
        if self.status == "dispensado":
            return True
        return self.status in ("aceito", "com_ressalva") and (self.expires_on is None or on <= self.expires_on)


@dataclass(frozen=True)
class Inspection:
    """A recorded inspection of the dossier's vehicle. ``failed`` and ``not_applicable`` are checklist item codes."""

    id: int
    kind: str
    on: date
    passed: bool | None
    failed: tuple[str, ...] = ()
    not_applicable: tuple[str, ...] = ()
    seal: str = ""
    valid_until: date | None = None


@dataclass(frozen=True)
class Debt:
    """What the holder owes. ``state`` is open, overdue, suspended_by_appeal or paid on the dossier's day.

    ``amount`` in reais is what was paid, else what is still owed on that day; None where the law gives none then.
    """

    charge_id: int
    kind: str
    state: str
    due: date | None
    amount: Decimal | None = None
    paid_on: date | None = None


@dataclass(frozen=True)
class Permit:
    """A permit of the dossier's regime. ``ended_on`` is its first day without effect.

    ``granted_on_known`` False (an imported one) = it was in effect on ``granted_on``, and nobody knows since when.
    """

    id: int
    number: str
    category: str
    granted_on: date
    holder_id: int | None
    ended_on: date | None = None
    end_reason: str = ""
    vehicle_plates: tuple[str, ...] = ()
    granted_on_known: bool = True

    def live(self, on: date) -> bool:
        """Whether the permit is in effect on a day (suspension apart)."""
        return self.granted_on <= on and (self.ended_on is None or on < self.ended_on)


@dataclass(frozen=True)
class Licence:
    """The yearly paper of one vehicle under a permit."""

    number: str
    issued_on: date
    valid_until: date | None
    ended_on: date | None = None


@dataclass(frozen=True)
class Restriction:
    """A dated bar on a vehicle or permit; days included on both ends, ``until`` None = until lifted."""

    kind: RestrictionKind
    since: date
    until: date | None = None
    reason: str = ""
    act: str = ""

    def in_force(self, on: date) -> bool:
        """Whether it bars on that day."""
        return self.since <= on and (self.until is None or on <= self.until)


@dataclass(frozen=True)
class RequestFacts:
    """The request under analysis; ``facts`` are the regime's own form fields, already typed."""

    id: int
    kind: str
    number: str
    category: str
    holder_kind: str
    filed_on: date | None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Dossier:
    """Everything known, as of ``at`` (aware) whose civil day in the authority's zone is ``on``.

    ``permit`` is the one that the question is about, ``permits`` the holder's history in this regime. ``fleet`` are
    the other vehicles under the holder's permit. ``counts`` are numbers over the whole regime that quotas need
    (``live_permits``, ``live_permits:<category>``). ``plugin_facts`` come from the supply hook, by plugin.
    ``inspection`` is the one being judged now (else the newest passed one).
    """

    regime: str
    on: date
    at: datetime
    request: RequestFacts | None = None
    holder: Holder | None = None
    cooperative: Holder | None = None
    vehicle: Vehicle | None = None
    documents: tuple[Document, ...] = ()
    inspection: Inspection | None = None
    inspections: tuple[Inspection, ...] = ()
    debts: tuple[Debt, ...] = ()
    permit: Permit | None = None
    permits: tuple[Permit, ...] = ()
    licence: Licence | None = None
    restrictions: tuple[Restriction, ...] = ()
    fleet: tuple[Vehicle, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    plugin_facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def fact(self, name: str) -> Any:
        """A fact of the request's form; None when it was not given."""
        return self.request.facts.get(name) if self.request else None

    def restricted(self, kind: RestrictionKind) -> Restriction | None:
        """The restriction of this kind in force on the dossier's day, the latest to end first."""
        bars = [bar for bar in self.restrictions if bar.kind == kind and bar.in_force(self.on)]
        return max(bars, key=lambda bar: bar.until or date.max) if bars else None
