"""From a dossier to the facts of each question: what is absent is named, never guessed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from registry.api.law import Debt, Dossier, Holder, Inspection, Missing, Restriction, fold
from registry_taxi_recife.rules.capacity import CapacityGiven
from registry_taxi_recife.rules.criminal import Conviction, CriminalGiven
from registry_taxi_recife.rules.debt_block import DebtBlockGiven, DebtItem
from registry_taxi_recife.rules.documents import DocumentsGiven, DocumentsPerson
from registry_taxi_recife.rules.fee import FeeGiven
from registry_taxi_recife.rules.inspection import InspectionGiven
from registry_taxi_recife.rules.new_permit import Applicant, NewPermitGiven, NewVehicle
from registry_taxi_recife.rules.paint import PaintGiven
from registry_taxi_recife.rules.quota import QuotaGiven
from registry_taxi_recife.rules.special_fleet import SpecialFleetGiven
from registry_taxi_recife.rules.status import StatusGiven
from registry_taxi_recife.rules.vehicle_age import VehicleAgeGiven

DRIVER = "autonomous_driver"
COMPANY = "company"
COOPERATIVE = "cooperative"
COMPANIES = (COMPANY, COOPERATIVE)
SPECIAL = "especial"
DEFAULT_KIND = "inclusion"
INSPECTION_KINDS = (DEFAULT_KIND, "annual", "ad_hoc", "reinspection")
REQUEST_NAMES = {"nova_permissao": "new_permit"}
DEBT_KINDS = ("fine", "damage")
OFF_ROAD_KINDS = ("off_road", "seizure", "accident_block")
_DAY = timedelta(days=1)


def new_permit(dossier: Dossier) -> NewPermitGiven | Missing:
    """Arts. 2, 8, 9, 10 and 18. The quota is asked by its own question."""
    driver = _holder_kind(dossier) == DRIVER
    wanted = {"zero_km": "se o carro é zero quilômetro"}
    if driver:
        wanted |= {"co_owner_of_taxi": "se é sócio em outro táxi", "other_income": "se tem outra atividade remunerada"}
    else:
        wanted |= {
            "banned": "se já passou placas adiante por fusão ou incorporação",
            "successor_of_banned": "se sucede empresa que passou placas adiante",
        }
    missing = [name for fact, name in wanted.items() if dossier.fact(fact) is None]
    if dossier.holder is None:
        missing.append("o requerente")
    if dossier.vehicle is None or dossier.vehicle.doors is None:
        missing.append("as portas do carro")
        return Missing(tuple(missing))
    if missing:
        return Missing(tuple(missing))
    applicant = Applicant(
        kind=DRIVER if driver else COMPANY,
        other_live_taxi=driver and _has_live_permit(dossier),
        co_owner_of_taxi=bool(dossier.fact("co_owner_of_taxi")),
        other_income=bool(dossier.fact("other_income")),
        banned=bool(dossier.fact("banned")),
        successor_of_banned=bool(dossier.fact("successor_of_banned")),
    )
    vehicle = NewVehicle(bool(dossier.fact("zero_km")), side_doors(dossier.vehicle.doors))
    return NewPermitGiven(applicant, vehicle, None, dossier.on)


def quota(dossier: Dossier) -> QuotaGiven:
    """Art. 60: one more place, over every live permit."""
    return QuotaGiven(dossier.counts.get("live_permits", 0), 1, dossier.on)


def special_fleet(dossier: Dossier) -> SpecialFleetGiven | Missing | None:
    """Arts. 5 and 62, only for a request of the special service."""
    if dossier.request is None or dossier.request.category != SPECIAL:
        return None
    if dossier.vehicle is None or dossier.vehicle.doors is None:
        return Missing(("as portas do carro",))
    current = dossier.counts.get(f"live_permits:{SPECIAL}", 0)
    return SpecialFleetGiven(current, 1, side_doors(dossier.vehicle.doors), dossier.on)


def documents(dossier: Dossier) -> DocumentsGiven | Missing:
    """Arts. 16 and 17: the list by holder, the copies accepted so far, and what was sent and nobody has looked at."""
    person = documents_person(dossier)
    if isinstance(person, Missing):
        return person
    accepted = [document for document in dossier.documents if document.accepted(dossier.on)]
    return DocumentsGiven(
        list=document_list_name(dossier),
        person=person,
        presented={document.code: document.count for document in accepted if document.status != "dispensado"},
        sent=tuple(document.code for document in dossier.documents if document.sent),
        waived=tuple(document.code for document in accepted if document.status == "dispensado"),
        on=dossier.on,
    )


def document_list_name(dossier: Dossier) -> str:
    """``art-17`` for a driver, ``art-16`` for a company or cooperative."""
    return "art-17" if _holder_kind(dossier) == DRIVER else "art-16"


def documents_person(dossier: Dossier) -> DocumentsPerson | Missing:
    """Nationality and military duty of the applicant, or of those who answer for the company."""
    if dossier.holder is None:
        return Missing(("o requerente",))
    natural = _holder_kind(dossier) == DRIVER
    brazilian = is_brazilian(dossier.holder) if natural else dossier.fact("brazilian")
    if brazilian is None:
        return Missing(("a nacionalidade" if natural else "se quem responde pela empresa é brasileiro",))
    military = dossier.fact("military")
    if not brazilian or (natural and dossier.holder.sex.upper().startswith("F")):
        military = False
    if military is None:
        return Missing(("se está sujeito ao serviço militar",))
    return DocumentsPerson(bool(brazilian), bool(military))


def is_brazilian(holder: Holder) -> bool | None:
    """Whether the person's nationality is Brazilian, however it was typed; None while it is not known."""
    nationality = fold(holder.nationality)
    return nationality.startswith("brasil") or nationality == "br" if nationality else None


def criminal(dossier: Dossier) -> CriminalGiven | Missing:
    """Arts. 16 and 17: the final convictions that the criminal record shows."""
    convicted = dossier.fact("convicted")
    if convicted is None:
        return Missing(("se há condenação definitiva nos antecedentes",))
    person = DRIVER if _holder_kind(dossier) == DRIVER else "director"
    if not convicted:
        return CriminalGiven(person, (), dossier.on)
    rehabilitated = bool(dossier.fact("rehabilitated"))
    days = {
        "intentional": [dossier.fact("intentional_final_on")],
        "negligent": [dossier.fact("negligent_final_on"), dossier.fact("negligent_final_on_2")],
    }
    convictions = tuple(Conviction(kind, day, rehabilitated) for kind, found in days.items() for day in found if day)
    if not convictions:
        return Missing(("o dia em que a condenação ficou definitiva",))
    return CriminalGiven(person, convictions, dossier.on)


def vehicle_age(dossier: Dossier) -> VehicleAgeGiven | Missing:
    """Art. 61. The transitional rule needs a car of 1978: none is asked for."""
    car = dossier.vehicle
    if car is None or car.year_made is None:
        return Missing(("o ano de fabricação",))
    return VehicleAgeGiven(car.year_made, dossier.on, car.first_registered_on, False, False)


def capacity(dossier: Dossier) -> CapacityGiven | Missing:
    """Art. 36: the passengers asked for, against doors and seats of the document."""
    passengers = dossier.fact("passengers")
    missing = ["quantos passageiros o carro vai levar"] if passengers is None else []
    if dossier.vehicle is None or dossier.vehicle.doors is None:
        return Missing((*missing, "as portas do carro"))
    if missing:
        return Missing(tuple(missing))
    return CapacityGiven(dossier.vehicle.doors, int(passengers), dossier.vehicle.seats, dossier.on)


def paint(dossier: Dossier) -> PaintGiven | Missing:
    """Art. 31: the colour of the document against the standard one."""
    if dossier.vehicle is None or not dossier.vehicle.make:
        return Missing(("a marca do carro",))
    return PaintGiven(_service(dossier), dossier.vehicle.make, dossier.vehicle.colour or None, dossier.on)


def inspection(dossier: Dossier) -> InspectionGiven | Missing:
    """Arts. 11 and 30: the inspection being judged, else the last one made."""
    found = dossier.inspection or (dossier.inspections[-1] if dossier.inspections else None)
    if found is None:
        return Missing(("a vistoria",))
    return InspectionGiven(inspection_kind(found), found.failed, found.not_applicable, found.on)


def last_inspection(dossier: Dossier) -> InspectionGiven | Missing:
    """The last inspection made, passed or not: what a request stands on."""
    if not dossier.inspections:
        return Missing(("a vistoria",))
    found = dossier.inspections[-1]
    return InspectionGiven(inspection_kind(found), found.failed, found.not_applicable, found.on)


def inspection_kind(found: Inspection) -> str:
    """The kind as the decree has it; one of a request for a new place is of inclusion."""
    return found.kind if found.kind in INSPECTION_KINDS else DEFAULT_KIND


def fee(*items: str) -> Callable[[Dossier], FeeGiven]:
    """The bridge for one of each of these fees, by the UFR of the day of filing (today for a draft)."""

    def given(dossier: Dossier) -> FeeGiven:
        filed = dossier.request.filed_on if dossier.request else None
        return FeeGiven(tuple((item, 1) for item in items), filed or dossier.on)

    return given


def debt_block(dossier: Dossier) -> DebtBlockGiven:
    """Arts. 54 and 57: the holder's fines and damages; fees do not block."""
    kind = dossier.request.kind if dossier.request else ""
    debts = tuple(_debt(debt) for debt in dossier.debts if debt.kind in DEBT_KINDS)
    return DebtBlockGiven(REQUEST_NAMES.get(kind, kind), dossier.on, debts, None)


def status(dossier: Dossier) -> StatusGiven | Missing:
    """The facts of the public status. What an import leaves unknown stays unknown: the question answers pending."""
    permit = dossier.permit
    if permit is None or permit.granted_on > dossier.on:
        return Missing(("a permissão",))
    suspension = dossier.restricted("suspension")
    off_road = _off_road(dossier)
    state = "cancelled" if not permit.live(dossier.on) else "suspended" if suspension else "active"
    car = dossier.vehicle
    return StatusGiven(
        permission=state,
        alvara_until=alvara_until(dossier),
        inspection_until=inspection_until(dossier),
        made=car.year_made if car else None,
        first_registration=car.first_registered_on if car else None,
        off_road=off_road is not None,
        on=dossier.on,
        holder_unknown=dossier.holder is None,
        ended_on=permit.ended_on if state == "cancelled" else None,
        suspended_until=suspension.until if suspension else None,
        off_road_since=off_road.since if off_road else None,
        number=permit.number or None,
        granted_on=permit.granted_on if permit.granted_on_known else None,
        alvara_issued=dossier.licence.issued_on if dossier.licence else None,
        inspected_on=dossier.inspection.on if dossier.inspection and dossier.inspection.passed else None,
    )


def alvara_until(dossier: Dossier) -> date | None:
    """The last day of the alvará, cut where it was ended before; None without one."""
    licence = dossier.licence
    if licence is None:
        return None
    if licence.ended_on is None:
        return licence.valid_until
    ended = licence.ended_on - _DAY
    return min(ended, licence.valid_until) if licence.valid_until else ended


def inspection_until(dossier: Dossier) -> date | None:
    """The last day of the newest passed inspection; None without one."""
    passed = dossier.inspection
    return passed.valid_until if passed is not None and passed.passed else None


def side_doors(doors: int) -> int:
    """The side doors of a car whose document counts ``doors``: the tailgate, which makes the count odd, is none."""
    return doors - doors % 2


def _off_road(dossier: Dossier) -> Restriction | None:
    bars = [bar for bar in dossier.restrictions if bar.kind in OFF_ROAD_KINDS and bar.in_force(dossier.on)]
    return min(bars, key=lambda bar: bar.since) if bars else None


def _debt(debt: Debt) -> DebtItem:
    return DebtItem(debt.kind, debt.due, debt.amount, None, (), debt.paid_on, debt.state == "suspended_by_appeal")


def _has_live_permit(dossier: Dossier) -> bool:
    own = dossier.permit.id if dossier.permit else None
    return any(permit.live(dossier.on) and permit.id != own for permit in dossier.permits)


def _holder_kind(dossier: Dossier) -> str:
    return dossier.request.holder_kind if dossier.request else ""


def _service(dossier: Dossier) -> str:
    category = dossier.request.category if dossier.request else dossier.permit.category if dossier.permit else ""
    return SPECIAL if category == SPECIAL else "comum"
