"""Running the service and leaving it (arts. 195-200, 208, 212): trips, contracts, drivers, discharge, return."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from registry.api.law import Law, Verdict, question
from registry_fretamento_rmr.rules.common import LATEST, Decision, decision, failing, found


@dataclass(frozen=True)
class Decided:
    """A decision and the provisions that forbid."""

    decision: Decision
    articles: tuple[str, ...]


@dataclass(frozen=True)
class Trip:
    """A trip: places where people board and alight, whether approved and in the region, whether there is a contract."""

    boarding_points: int
    alighting_points: int
    points_approved: bool
    within_rmr: bool
    contract_on_file: bool


@question("trip", cites=["art-11-LII", "art-195-par-1", "art-197-par-u", "art-198"])
def trip(given: Trip, law: Law) -> Verdict[Decided]:
    """May the trip be authorized (arts. 11 LII, 195 § 1º, 197, 198)?"""
    boarding, alighting = law.value("boarding_points", LATEST), law.value("alighting_points", LATEST)
    grounds = []
    if given.boarding_points != boarding.integer or given.alighting_points != alighting.integer:
        facts: dict[str, Any] = {"boarding": given.boarding_points, "alighting": given.alighting_points}
        grounds.append(found(law, "art-197-par-u", "trip_points", False, [boarding, alighting], **facts))
    for provision, sentence, ok in (
        ("art-11-LII", "trip_points_not_approved", given.points_approved),
        ("art-195-par-1", "trip_outside", given.within_rmr),
        ("art-198", "trip_no_contract", given.contract_on_file),
    ):
        if not ok:
            grounds.append(found(law, provision, sentence, False))
    grounds = grounds or [found(law, "art-197-par-u", "trip_ok", True, [boarding, alighting])]
    answer = Decided(decision(grounds), failing(grounds))
    return Verdict(answer.decision, answer, tuple(grounds))


@dataclass(frozen=True)
class ContractChange:
    """Local moments at which the change was notified (None = never) and took effect."""

    notified_at: datetime | None
    effective_at: datetime


@dataclass(frozen=True)
class ContractChangeAnswer:
    """Whether the change is regular, and the infraction where it is not."""

    decision: Decision
    infraction: str | None
    articles: tuple[str, ...]


@question("contract_change", cites=["art-198-par-u", "art-224-V-b"])
def contract_change(given: ContractChange, law: Law) -> Verdict[ContractChangeAnswer]:
    """Was the change of the contract notified before it took effect (art. 198, sole paragraph)?"""
    ok = given.notified_at is not None and given.notified_at < given.effective_at
    ground = found(law, "art-198-par-u", "contract_change_ok" if ok else "contract_change_late", ok)
    infraction = None if ok else law.value("contract_change_infraction", LATEST).value
    return Verdict(
        decision([ground]), ContractChangeAnswer(decision([ground]), infraction, failing([ground])), (ground,)
    )


@dataclass(frozen=True)
class Assignment:
    """A driver on a vehicle from a moment up to, not including, another (None = still on it)."""

    vehicle: str
    driver: str
    from_: datetime
    to: datetime | None


@dataclass(frozen=True)
class DriverAt:
    """The vehicle, the moment, and the assignments that the holder declared."""

    vehicle: str
    at: datetime
    assignments: tuple[Assignment, ...]


@dataclass(frozen=True)
class DriverAtAnswer:
    """Who drove, where exactly one driver was on the vehicle."""

    driver: str | None
    answerable: bool


@question("driver_at", cites=["art-208-par-2"])
def driver_at(given: DriverAt, law: Law) -> Verdict[DriverAtAnswer]:
    """Who drove the vehicle at a moment (art. 208, § 2º)? At the hand-over minute, the one who takes over."""
    on_duty = [
        entry.driver
        for entry in given.assignments
        if entry.vehicle == given.vehicle and entry.from_ <= given.at and (entry.to is None or given.at < entry.to)
    ]
    driver = on_duty[0] if len(on_duty) == 1 else None
    sentence = "driver_known" if driver else "driver_nobody" if not on_duty else "driver_several"
    ground = found(law, "art-208-par-2", sentence, None, count=len(on_duty))
    return Verdict("allow", DriverAtAnswer(driver, driver is not None), (ground,))


@dataclass(frozen=True)
class Cancellation:
    """The discharge of a vehicle: its request, the returned term, items removed, the removal inspection, debts."""

    request_identifies_vehicle: bool
    term_returned: bool
    items_removed: tuple[str, ...]
    removal_inspection_report: bool
    overdue_debts: bool


@question("cancellation", cites=["art-205", "art-212", "art-212-I", "art-212-II", "art-212-par-u"])
def cancellation(given: Cancellation, law: Law) -> Verdict[Decided]:
    """May the vehicle be struck off (art. 212)?"""
    items = law.value("removal_items", LATEST)
    kept = [item for item in items.value if item not in given.items_removed]
    grounds = [
        found(law, provision, sentence, False)
        for provision, sentence, ok in (
            ("art-205", "debt_overdue", not given.overdue_debts),
            ("art-212", "discharge_vehicle_unnamed", given.request_identifies_vehicle),
            ("art-212-I", "discharge_term_kept", given.term_returned),
            ("art-212-par-u", "discharge_no_report", given.removal_inspection_report),
        )
        if not ok
    ]
    if kept:
        grounds.append(found(law, "art-212-II", "discharge_items_kept", False, [items], items=kept))
    grounds = grounds or [found(law, "art-212", "discharge_ok", True, [items])]
    answer = Decided(decision(grounds), failing(grounds))
    return Verdict(answer.decision, answer, tuple(grounds))


@dataclass(frozen=True)
class HeldVehicle:
    """A vehicle of the holder: plate and status (registered, reserve, discharged)."""

    plate: str
    status: str


@dataclass(frozen=True)
class ReturnAuthorization:
    """The holder's vehicles, and whether overdue debts stand."""

    vehicles: tuple[HeldVehicle, ...]
    overdue_debts: bool


@question("return_authorization", cites=["art-200", "art-200-par-u", "art-205"])
def return_authorization(given: ReturnAuthorization, law: Law) -> Verdict[Decided]:
    """May the holder give the permit back (art. 200)? Only after every vehicle was struck off."""
    out = law.value("discharged_states", LATEST)
    plates = [vehicle.plate for vehicle in given.vehicles if vehicle.status not in out.value]
    grounds = []
    if plates:
        grounds.append(found(law, "art-200-par-u", "return_vehicles_left", False, [out], plates=plates))
    if given.overdue_debts:
        grounds.append(found(law, "art-205", "debt_overdue", False))
    grounds = grounds or [found(law, "art-200", "return_ok", True, [out])]
    answer = Decided(decision(grounds), failing(grounds))
    return Verdict(answer.decision, answer, tuple(grounds))


@dataclass(frozen=True)
class Transfer:
    """The holder who would give the term away and the one who would take it."""

    from_: str
    to: str


@dataclass(frozen=True)
class TransferAnswer:
    """Always a refusal, and the infraction of doing it anyway."""

    decision: Decision
    articles: tuple[str, ...]
    infraction_if_done: str


@question("transfer", cites=["art-195-par-2", "art-224-VIII-b"])
def transfer(given: Transfer, law: Law) -> Verdict[TransferAnswer]:
    """May the term be transferred (art. 195, § 2º)? Never."""
    infraction = law.value("transfer_infraction", LATEST)
    ground = found(law, "art-195-par-2", "transfer_forbidden", False, [infraction])
    return Verdict("deny", TransferAnswer("deny", failing([ground]), infraction.value), (ground,))
