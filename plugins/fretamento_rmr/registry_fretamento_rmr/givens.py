"""From a dossier to the facts that each question asks: the only bridges; what is absent is named, never guessed."""

from __future__ import annotations

from datetime import date
from typing import Any

from registry.api.law import Dossier, Missing, Permit
from registry_fretamento_rmr.rules import applicants, fees, inspections, registration, status, vehicles
from registry_fretamento_rmr.rules.common import Period

MEMBER = "COOP_MEMBER"
COMPANY = "PJ"
INSPECTION_PAPERS = ("D-I-j", "D-IV-b")
CASSATED = "cassated"
ENDED = "extinct"
INSPECTION_ITEM = "g"


def _lacking(**facts: Any) -> Missing | None:
    """The pt-BR names (underscores for blanks) of the facts that are None, if any."""
    names = tuple(name.replace("_", " ") for name, value in facts.items() if value is None)
    return Missing(names) if names else None


def holder_kind(dossier: Dossier) -> str | None:
    """The holder kind of the request."""
    return dossier.request.holder_kind or None if dossier.request else None


def applicant(dossier: Dossier) -> applicants.Applicant | Missing:
    """Who asks; a member's cooperative is accredited unless the form says that it is not."""
    kind = holder_kind(dossier)
    if kind is None:
        return Missing(("o tipo de titular",))
    accredited: bool | None = None
    if kind == MEMBER and dossier.cooperative is not None:
        accredited = dossier.fact("cooperative_accredited")
        if accredited is None:
            return Missing(("se a cooperativa está credenciada",))
    return applicants.Applicant(kind, accredited, dossier.on)


def holder_permit(dossier: Dossier) -> applicants.HolderPermit | Missing:
    """The holder's permits in effect, and the one of the request."""
    if dossier.holder is None:
        return Missing(("o titular",))
    live = tuple(permit.number for permit in dossier.permits if permit.live(dossier.on))
    return applicants.HolderPermit(live, dossier.permit.number if dossier.permit else None)


def vehicle_kind(dossier: Dossier) -> vehicles.VehicleKind | Missing:
    """The type of the vehicle."""
    if dossier.vehicle is None:
        return Missing(("o veículo",))
    if not dossier.vehicle.type:
        return Missing(("o tipo do veículo",))
    return vehicles.VehicleKind(dossier.vehicle.type, dossier.on)


def capacity(dossier: Dossier) -> vehicles.Capacity | Missing:
    """Seats of the vehicle and its emergency windows, which the form asks."""
    if dossier.vehicle is None:
        return Missing(("o veículo",))
    seats: Any = dossier.vehicle.seats
    windows = dossier.fact("emergency_windows")
    lacking = _lacking(lugares_do_veículo=seats, janelas_de_emergência=windows)
    return lacking or vehicles.Capacity(seats, windows, dossier.on)


def insurance(dossier: Dossier) -> vehicles.Insurance | Missing:
    """The liability policy of the form."""
    person, material = dossier.fact("cover_per_person"), dossier.fact("cover_material")
    last = dossier.fact("policy_valid_through")
    lacking = _lacking(cobertura_por_pessoa=person, cobertura_de_danos_materiais=material, validade_da_apólice=last)
    return lacking or vehicles.Insurance(person, material, last, dossier.on)


def equipment(dossier: Dossier) -> vehicles.Equipment | Missing:
    """The failed items of the inspection being judged."""
    if dossier.inspection is None:
        return Missing(("a vistoria",))
    return vehicles.Equipment(dossier.inspection.failed, dossier.inspection.on)


def inspected(dossier: Dossier) -> inspections.Seal | Missing:
    """The newest passed inspection on the day of the request."""
    if dossier.inspection is None or not dossier.inspection.passed:
        return Missing(("a vistoria aprovada",))
    return _seal(dossier, dossier.on)


def seal_of_inspection(dossier: Dossier) -> inspections.Seal | Missing:
    """The inspection being judged, on its own day: when would its seal end?"""
    if dossier.inspection is None:
        return Missing(("a vistoria",))
    return _seal(dossier, dossier.inspection.on)


def _seal(dossier: Dossier, as_of: date) -> inspections.Seal:
    done = dossier.inspection.on if dossier.inspection else None
    return inspections.Seal(done, as_of, express_authorization=None, document_erased=False)


def capital(dossier: Dossier) -> applicants.Capital | Missing | None:
    """A company's fleet value and paid-in capital, as declared."""
    if holder_kind(dossier) != COMPANY:
        return None
    fleet, paid = dossier.fact("fleet_value"), dossier.fact("paid_in_capital")
    lacking = _lacking(valor_da_frota=fleet, capital_integralizado=paid)
    return lacking or applicants.Capital(fleet, paid, dossier.on)


def fleet_size(dossier: Dossier) -> int:
    """Vehicles of the holder with the one asked for; a company's own figure where it is larger."""
    known = len(dossier.fleet) + (1 if dossier.vehicle else 0)
    return max(known, dossier.fact("fleet_size") or 0)


def staff(dossier: Dossier) -> applicants.Staff | Missing | None:
    """A company's fleet, staff and parts stock, as declared."""
    if holder_kind(dossier) != COMPANY:
        return None
    size, own, stock = dossier.fact("fleet_size"), dossier.fact("own_staff"), dossier.fact("parts_stock")
    lacking = _lacking(tamanho_da_frota=size, pessoal_próprio=own, estoque_de_peças=stock)
    return lacking or applicants.Staff(fleet_size(dossier), own, stock, dossier.on)


def eligibility(dossier: Dossier) -> applicants.Eligibility | Missing:
    """The ages of the whole fleet, the vehicle asked for included."""
    if dossier.vehicle is None:
        return Missing(("o veículo",))
    years = [vehicle.year_made for vehicle in (dossier.vehicle, *dossier.fleet)]
    known = [year for year in years if year is not None]
    if len(known) < len(years):
        return Missing(("ano de fabricação",))
    return applicants.Eligibility(tuple(dossier.on.year - year for year in known), dossier.on)


def reauthorization(dossier: Dossier) -> applicants.Reauthorization | Missing:
    """An earlier cassation: the registry's own, else as declared."""
    earlier = [permit for permit in dossier.permits if permit.end_reason == CASSATED and permit.ended_on]
    declared = dossier.fact("had_cassation")
    if not earlier and declared is None:
        return Missing(("se já teve autorização cassada",))
    final = max((permit.ended_on for permit in earlier if permit.ended_on), default=None)
    if final is None and declared:
        final = dossier.fact("cassation_final")
        if final is None:
            return Missing(("data da cassação definitiva",))
    cause = dossier.fact("cassation_cause")
    if final is not None and cause is None:
        return Missing(("motivo da cassação",))
    person = "PJ" if holder_kind(dossier) == COMPANY else "PF"
    served, rehabilitated = dossier.fact("sentence_served"), dossier.fact("rehabilitated_on")
    return applicants.Reauthorization(person, cause, final, dossier.on, bool(served), rehabilitated)


def coop_vehicle(dossier: Dossier) -> applicants.CoopVehicle | Missing | None:
    """The other vehicles of a cooperative's member, under any live permit."""
    if holder_kind(dossier) != MEMBER:
        return None
    if dossier.vehicle is None:
        return Missing(("o veículo",))
    own = dossier.vehicle.plate_key
    taken = {each.plate: each.role for each in dossier.fleet if each.plate_key != own}
    for permit in dossier.permits:
        if permit.live(dossier.on):
            taken |= {plate: "regular" for plate in permit.vehicle_plates if plate != dossier.vehicle.plate}
    states = {plate: "reserve" if role == "reserve" else "registered" for plate, role in taken.items()}
    others = tuple(applicants.MemberVehicle(plate, state) for plate, state in sorted(states.items()))
    return applicants.CoopVehicle(others, dossier.on)


def checklist(dossier: Dossier) -> registration.Checklist | Missing:
    """The documents that stand accepted on the day, in how many copies, and those sent that nobody has looked at; what
    was waived counts whole, and a passed inspection is its own report.
    """
    kind = holder_kind(dossier)
    if kind is None:
        return Missing(("o tipo de titular",))
    accepted = [paper for paper in dossier.documents if paper.accepted(dossier.on)]
    presented = [paper.code for paper in accepted]
    if dossier.inspection is not None and dossier.inspection.passed:
        presented += INSPECTION_PAPERS
    return registration.Checklist(
        holder_type=kind,
        presented=tuple(presented),
        copies={paper.code: paper.count for paper in accepted if paper.status != "dispensado"},
        sent=tuple(paper.code for paper in dossier.documents if paper.sent),
        fleet_size=fleet_size(dossier),
        vehicle=True,
        on=dossier.on,
    )


def debt_gate(dossier: Dossier) -> registration.DebtGate | Missing:
    """The holder's debts on the day."""
    if dossier.holder is None or dossier.request is None:
        return Missing(("o titular",))
    who = str(dossier.holder.id)
    items = tuple(
        registration.DebtItem(who, debt.kind, debt.state, debt.amount) for debt in dossier.debts if debt.state != "paid"
    )
    return registration.DebtGate(who, dossier.request.kind, items, dossier.on)


def registration_fee(dossier: Dossier) -> fees.ServiceFee | Missing:
    """The registration of the vehicle by its type, paid on the dossier's day."""
    if dossier.vehicle is None or not dossier.vehicle.type:
        return Missing(("o tipo do veículo",))
    return fees.ServiceFee(dossier.vehicle.type, None, None, dossier.on)


def inspection_fee(dossier: Dossier) -> fees.ServiceFee:
    """One inspection, paid on the dossier's day."""
    return fees.ServiceFee(None, INSPECTION_ITEM, None, dossier.on)


def public_status(dossier: Dossier) -> status.PublicStatus | Missing:
    """The facts of the public status, good for any day: dates and dated bars, not what holds today."""
    permit = dossier.permit
    if permit is None:
        return Missing(("a autorização",))
    newest = dossier.inspection
    licence = dossier.licence
    return status.PublicStatus(
        as_of=dossier.on,
        authorization=permit.end_reason or ENDED if permit.ended_on else "active",
        registration_valid_through=licence.valid_until if licence else None,
        seal_valid_through=newest.valid_until if newest and newest.passed else None,
        suspension=None,
        seized=False,
        accident_block=False,
        express_authorization=express_authorization(dossier),
        started_on=permit.granted_on,
        ended_on=_ended_on(permit, licence.ended_on if licence else None),
        inspected_on=newest.on if newest and newest.passed else None,
        bars=tuple(status.Bar(bar.kind, bar.since, bar.until) for bar in dossier.restrictions),
    )


def express_authorization(dossier: Dossier) -> Period | None:
    """An express authorization to run without a certificate; none is recorded yet."""
    own = dossier.plugin_facts.get("fretamento_rmr", {})
    return own.get("express_authorization")


def _ended_on(permit: Permit, licence_ended: date | None) -> date | None:
    return min((day for day in (permit.ended_on, licence_ended) if day is not None), default=None)
