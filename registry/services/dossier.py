"""From the database to what rules may be asked about, and the findings of a request. Rules that fail stop the act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from sqlalchemy.orm import Session

from registry.domain.dossier import Dossier
from registry.domain.law import Law
from registry.domain.regime import Finding, Regime, RequestKind, Rule
from registry.services.amounts import left_on
from registry.services.desk import Desk
from registry.services.dossier_assembly import Subject, assemble, shown_status, subject_of
from registry.services.dossier_rows import (
    ChargeRow,
    RequestRow,
    Rows,
    permits_holding,
    read_charges,
    read_counts,
    read_documents,
    read_inspections,
    read_permits,
    read_persons,
    read_request,
    read_restrictions,
    read_vehicles,
)
from registry.services.errors import NotFound
from registry.services.failures import rule_down
from registry.store.inspections import Inspection

__all__ = [
    "RequestCase",
    "findings",
    "law_of",
    "load_case",
    "load_dossier",
    "load_dossiers",
    "rule_down",
    "shown_status",
    "with_plugin_facts",
]


@dataclass(frozen=True)
class RequestCase:
    """A request's dossier with the rows that it was made of, which its page shows too."""

    dossier: Dossier
    row: RequestRow
    rows: Rows
    regime: Regime

    @property
    def kind(self) -> RequestKind:
        """The kind of request, as the regime declares it."""
        return self.regime.request_kind(self.row.request.kind)

    @property
    def charges(self) -> tuple[ChargeRow, ...]:
        """The charges of this request."""
        request = self.row.request
        owed = self.rows.charges.get(request.applicant_id or 0, [])
        return tuple(row for row in owed if row.charge.request_id == request.id)

    @property
    def inspections(self) -> tuple[Inspection, ...]:
        """The inspections of this request, booked ones too, oldest first."""
        found = self.rows.inspections.get(self.row.request.vehicle_id or 0, [])
        return tuple(each for each in found if each.request_id == self.row.request.id)


def load_dossier(
    session: Session,
    desk: Desk,
    authority: str,
    regime: str,
    at: datetime,
    *,
    request_id: int | None = None,
    permit_id: int | None = None,
    vehicle_id: int | None = None,
    inspection_id: int | None = None,
) -> Dossier:
    """Everything known of a request, or of a vehicle and permit, as of an instant.

    Args:
        session: reading or writing.
        authority: whose rows; others do not exist.
        regime: code of the regime.
        at: aware instant; facts that began later or ended before are left out or marked as the dossier says.
        request_id: the request under analysis; its applicant, vehicle and permit are the dossier's.
        permit_id: a permit; its vehicle is ``vehicle_id``, else the only one under it.
        vehicle_id: a vehicle; its permit is ``permit_id``, else the one that has it on that day, else the last.
        inspection_id: the inspection being judged; else the newest passed one counts.

    Raises:
        NotFound: no such request, permit or vehicle in this authority and regime.
        RuleDown: a plugin failed to supply its own facts.
    """
    if request_id is not None:
        return load_case(session, desk, authority, request_id, at, inspection_id=inspection_id).dossier
    if permit_id is None and vehicle_id is None:
        raise ValueError("load_dossier needs a request, a permit or a vehicle")
    chosen = desk.regime(regime)
    pairs = [(permit_id, vehicle_id)]
    dossier = load_dossiers(session, desk, authority, chosen.code, at, pairs, inspection_id=inspection_id)[0]
    if (vehicle_id is not None and dossier.vehicle is None) or (permit_id is not None and dossier.permit is None):
        raise NotFound
    return dossier


def load_case(
    session: Session, desk: Desk, authority: str, request_id: int, at: datetime, *, inspection_id: int | None = None
) -> RequestCase:
    """A request's dossier with its rows, in eight queries and those of the plugins.

    Raises :class:`NotFound` for a request of another authority or of a regime that is not loaded, RuleDown.
    """
    rows = Rows()
    row = read_request(session, rows, authority, request_id)
    if row is None:
        raise NotFound
    request = row.request
    regime = desk.regime_of(authority, request.regime)
    at = _local(desk, authority, at)
    on = at.date()
    holders = [request.applicant_id] if request.applicant_id else []
    read_permits(session, rows, authority, regime.code, [request.permit_id] if request.permit_id else [], holders)
    vehicles = [request.vehicle_id] if request.vehicle_id else []
    read_inspections(session, rows, authority, regime.code, vehicles)
    read_restrictions(session, rows, authority, regime.code, at, vehicles)
    read_charges(session, rows, authority, regime.code, at, holders)
    _price(session, desk, rows, on)
    read_documents(session, rows, request_id)
    read_counts(session, rows, authority, regime.code, on)
    subject = Subject(request.applicant_id, request.cooperative_id, request.vehicle_id, request.permit_id)
    dossier = assemble(rows, regime, at, on, subject, inspection_id, request)
    return RequestCase(with_plugin_facts(session, desk, regime, dossier), row, rows, regime)


def load_dossiers(
    session: Session,
    desk: Desk,
    authority: str,
    regime: str,
    at: datetime,
    pairs: Sequence[tuple[int | None, int | None]],
    *,
    inspection_id: int | None = None,
) -> list[Dossier]:
    """The dossiers of many (permit, vehicle) pairs at once, in the order given; queries do not grow with the pairs
    (the plugins' own facts apart). What does not exist is None in its dossier. Raises RuleDown.
    """
    chosen = desk.regime(regime)
    rows, at = Rows(), _local(desk, authority, at)
    on = at.date()
    orphans = [vehicle for permit, vehicle in pairs if permit is None and vehicle is not None]
    held = permits_holding(session, authority, chosen.code, on, orphans) if orphans else {}
    permits = [held.get(vehicle or 0) if permit is None else permit for permit, vehicle in pairs]
    read_permits(session, rows, authority, chosen.code, [each for each in permits if each], [])
    holders = {each.holder_id for each in rows.permits.values() if each.holder_id}
    if len(pairs) == 1 and holders:
        read_permits(session, rows, authority, chosen.code, [], sorted(holders))
    subjects = [subject_of(rows, on, permit, vehicle) for permit, (_, vehicle) in zip(permits, pairs, strict=True)]
    vehicle_ids = sorted({each.vehicle for each in subjects if each.vehicle})
    read_vehicles(session, rows, authority, vehicle_ids)
    read_persons(session, rows, authority, [*holders, *(each.cooperative for each in subjects)])
    read_inspections(session, rows, authority, chosen.code, vehicle_ids)
    read_restrictions(session, rows, authority, chosen.code, at, vehicle_ids)
    read_charges(session, rows, authority, chosen.code, at, sorted(holders))
    _price(session, desk, rows, on)
    read_counts(session, rows, authority, chosen.code, on)
    dossiers = [assemble(rows, chosen, at, on, subject, inspection_id) for subject in subjects]
    return [with_plugin_facts(session, desk, chosen, each) for each in dossiers]


def findings(dossier: Dossier, desk: Desk, session: Session, authority: str, request_kind: str) -> tuple[Finding, ...]:
    """Every objection to a request, none hiding another: the regime's rules, the debt gate, the rules that plugins add.

    Raises :class:`RuleDown` when any of them does not answer: then nothing may be decided.
    """
    regime = desk.regime(dossier.regime)
    with rule_down(regime):
        rules = desk.host.rules(regime, request_kind)
        gate = (regime.debt_gate,) if regime.debt_gate else ()
        found = [
            desk.host.finding(rule, dossier, law_of(rule, desk, session, authority))
            for rule in (*gate, *(each for each in rules if each is not regime.debt_gate))
        ]
    return tuple(each for each in found if each is not None)


def law_of(rule: Rule, desk: Desk, session: Session, authority: str) -> Law:
    """The law under which a rule is asked: that of the plugin which owns its question."""
    return desk.law(session, authority, desk.host.owner(rule.question))


def _price(session: Session, desk: Desk, rows: Rows, on: date) -> None:
    """Gives each open charge what is left of it on a day, asked once however many dossiers it is in."""
    for debtor_id, owed in rows.charges.items():
        rows.charges[debtor_id] = [
            row if row.settled else replace(row, left=left_on(session, desk, row.charge, row.paid, on)) for row in owed
        ]


def _local(desk: Desk, authority: str, at: datetime) -> datetime:
    return at.astimezone(desk.authority(authority).zone)


def with_plugin_facts(session: Session, desk: Desk, regime: Regime, dossier: Dossier) -> Dossier:
    """The dossier with the plugins' own facts for it. Raises :class:`RuleDown` when one does not answer."""
    with rule_down(regime):
        supplied = desk.host.collect("registry_dossier_facts", session=session, dossier=dossier)
    return replace(dossier, plugin_facts={each.plugin: each.value for each in supplied})
