"""What the regime lists and shows: wanted documents, the inspection's items, the seal's end, the public card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from registry.api.law import (
    ChecklistItem,
    Dossier,
    Law,
    Missing,
    PublicCard,
    WantedDocument,
    format_date,
)
from registry_fretamento_rmr import givens
from registry_fretamento_rmr.rules.inspections import seal
from registry_fretamento_rmr.rules.vehicles import VEHICLE_TYPES


def documents(dossier: Dossier, law: Law) -> tuple[WantedDocument, ...]:
    """The documents that this applicant owes (art. 209): the holder's lists, then the vehicle's.

    A document that the size of the fleet waives says so. Copies tell the clerk how many prints or files to expect; the
    clerk's acceptance says that they are enough.
    """
    kind = givens.holder_kind(dossier)
    lists = list(law.value("documents_by_holder", dossier.on).value.get(kind or "", ()))
    if lists:
        lists += law.value("documents_by_vehicle", dossier.on).value
    return tuple(
        WantedDocument(
            code=entry["code"],
            label=entry["label"],
            provision=entry["provision"],
            cite=law.cite(entry["provision"]),
            group=entry["group"],
            source=entry.get("source", "upload"),
            copies=entry.get("copies", 1),
            expires=entry.get("expires", False),
            restricted=entry.get("restricted", False),
            waived=_waived(entry, dossier, law),
        )
        for key in lists
        for entry in law.value(key, dossier.on).value
    )


def _waived(entry: Mapping[str, Any], dossier: Dossier, law: Law) -> str:
    if "threshold" not in entry:
        return ""
    limit = law.value(entry["threshold"], dossier.on).integer
    if givens.fleet_size(dossier) > limit:
        return ""
    return law.say("document_waived_small_fleet", limit=limit)


def inspection_items(dossier: Dossier, law: Law) -> tuple[ChecklistItem, ...]:
    """The items that the inspector looks at (arts. 211, 214, 220)."""
    return tuple(
        ChecklistItem(
            entry["code"], entry["label"], entry["provision"], law.cite(entry["provision"]), entry["may_not_apply"]
        )
        for entry in law.value("inspection_items", dossier.on).value
    )


def seal_valid_until(dossier: Dossier, law: Law) -> date | None:
    """The last day of the seal of the inspection being judged."""
    given = givens.seal_of_inspection(dossier)
    return None if isinstance(given, Missing) else seal(given, law).answer.valid_through


def card(dossier: Dossier, law: Law) -> PublicCard:
    """What the public sees besides the status: numbers and days of the vehicle, a company's name, never a person's."""
    permit, licence, vehicle = dossier.permit, dossier.licence, dossier.vehicle
    seal_end = dossier.inspection.valid_until if dossier.inspection else None
    ends = [day for day in (licence.valid_until if licence else None, seal_end) if day is not None]
    return PublicCard(
        plate=vehicle.plate if vehicle else "",
        regime=dossier.regime,
        category=permit.category if permit else "",
        number=permit.number if permit else "",
        since=permit.granted_on if permit and permit.granted_on_known else None,
        valid_until=min(ends, default=None),
        lines=tuple(_lines(dossier)),
    )


def _lines(dossier: Dossier) -> Iterator[tuple[str, str]]:
    permit, licence, vehicle, seen = dossier.permit, dossier.licence, dossier.vehicle, dossier.inspection
    if permit:
        yield "Autorização", f"nº {permit.number}"
    if licence:
        yield "Termo de autorização", f"nº {licence.number}"
        if licence.valid_until:
            yield "Cadastro anual", f"até {format_date(licence.valid_until)}"
    if seen and seen.valid_until:
        number = f"selo {seen.seal}, " if seen.seal else ""
        yield "Vistoria", f"{number}até {format_date(seen.valid_until)}"
    if vehicle:
        yield "Veículo", _described(VEHICLE_TYPES.get(vehicle.type, vehicle.type), vehicle.make, vehicle.model)
        if vehicle.colour:
            yield "Cor", vehicle.colour
        if vehicle.role == "reserve":
            yield "Uso", "reserva: só roda quando outro veículo não pode"
    if dossier.holder and dossier.holder.kind != "natural":
        yield "Titular", dossier.holder.name
    if dossier.cooperative:
        yield "Cooperativa", dossier.cooperative.name


def _described(*parts: str) -> str:
    return " ".join(part for part in parts if part)
