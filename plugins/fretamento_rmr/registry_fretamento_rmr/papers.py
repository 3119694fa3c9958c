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
)
from registry_fretamento_rmr import givens
from registry_fretamento_rmr.rules.inspections import seal
from registry_fretamento_rmr.rules.vehicles import VEHICLE_TYPES


def documents(dossier: Dossier, law: Law) -> tuple[WantedDocument, ...]:
    """The documents that this applicant owes (art. 209): the holder's lists, then the vehicle's.

    A document that the size of the fleet waives says so. Copies are what the checklist counts: one file may hold
    several, as the clerk says when accepting it.
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
        lines=tuple(_lines(dossier, law)),
    )


def _lines(dossier: Dossier, law: Law) -> Iterator[tuple[str, str]]:
    """The public facts, the company first; a value's second line stands after a line break."""
    permit, licence, seen = dossier.permit, dossier.licence, dossier.inspection
    if dossier.holder and dossier.holder.kind != "natural":
        yield "Cooperativa" if dossier.holder.kind == "cooperative" else "Empresa", dossier.holder.name
    if dossier.cooperative:
        yield "Cooperativa", dossier.cooperative.name
    if permit:
        since = law.say("card_since", since=permit.granted_on) if permit.granted_on_known else ""
        yield "Autorização", _stacked(law.say("card_permit", number=permit.number), since)
    if licence:
        until = _until(law, "card_term", "card_term_until", licence.valid_until, dossier.on)
        yield "Termo", _stacked(law.say("card_term", number=licence.number), until)
    if seen and seen.valid_until:
        until = _until(law, "card_inspection", "card_inspection", seen.valid_until, dossier.on)
        yield "Vistoria", _stacked(until, law.say("card_seal", seal=seen.seal) if seen.seal else "")
    yield from _vehicle_line(dossier, law)


def _vehicle_line(dossier: Dossier, law: Law) -> Iterator[tuple[str, str]]:
    vehicle = dossier.vehicle
    if vehicle:
        kind = VEHICLE_TYPES.get(vehicle.type, vehicle.type)
        named = " ".join(filter(None, (kind, vehicle.make, vehicle.model, vehicle.colour.lower())))
        if named:
            yield "Veículo", _stacked(named, law.say("card_reserve") if vehicle.role == "reserve" else "")


def _until(law: Law, code: str, in_force: str, until: date | None, on: date) -> str:
    """Until when a paper is valid, or when it expired; "" where no day is known."""
    return law.say(in_force if on <= until else f"{code}_over", until=until) if until else ""


def _stacked(*texts: str) -> str:
    return "\n".join(filter(None, texts))
