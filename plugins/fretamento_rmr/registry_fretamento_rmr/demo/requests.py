"""The demo's requests for a new term: the form filled in, the papers, the fees paid so far."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from registry.api.law import Lawbook

_FILED = ("aguarda_pagamento", "aguarda_vistoria", "em_exigencia", "em_analise", "pronto", "indeferido", "desistencia")
_PAID = ("aguarda_vistoria", "em_exigencia", "em_analise", "pronto", "indeferido")
_TEXTS = {
    "em_exigencia": "Apresentar a apólice do seguro com a cobertura de danos materiais exigida.",
    "indeferido": "A cobertura do seguro não chega ao mínimo e a exigência não foi atendida.",
    "desistencia": "O requerente vendeu o veículo.",
}
_SHORT = ("em_exigencia", "indeferido")


def request(
    book: Lawbook,
    data: Mapping[str, Any],
    entry: Mapping[str, Any],
    holder: str,
    vehicle: Mapping[str, Any],
    on: date,
    serial: int,
) -> dict[str, Any]:
    """A request in the state of ``entry``, with what that state presupposes."""
    state = entry["state"]
    opened = on - timedelta(days=12 + serial % 9)
    filed = opened + timedelta(days=1) if state in _FILED else None
    decided = on - timedelta(days=1) if state in ("indeferido", "desistencia") else None
    return {
        "kind": "novo_termo",
        "category": "fretamento",
        "holder_kind": holder,
        "state": state,
        "opened_on": opened,
        "filed_on": filed,
        "decided_on": decided,
        "text": _TEXTS.get(state, ""),
        "facts": _facts(book, data, entry, holder, vehicle, on),
        "documents": _documents(book, entry, holder, on),
        "charges": _charges(state, opened, on),
    }


def _charges(state: str, opened: date, on: date) -> list[dict[str, Any]]:
    """The inspection fee from the filing on; the registration fee, which opens last, paid where all is ready."""
    charges: list[dict[str, Any]] = []
    if state in _FILED:
        charges.append({"plan": "vistoria", "paid_on": opened + timedelta(days=3) if state in _PAID else None})
    if state == "pronto":
        charges.append({"plan": "registro", "paid_on": on - timedelta(days=1)})
    return charges


def _facts(
    book: Lawbook,
    data: Mapping[str, Any],
    entry: Mapping[str, Any],
    holder: str,
    vehicle: Mapping[str, Any],
    on: date,
) -> dict[str, Any]:
    """The form as the state needs it: a draft has little, a refused one too little insurance."""
    windows = next(model["windows"] for model in data["model"] if model["model"] == vehicle["model"])
    facts: dict[str, Any] = {"emergency_windows": windows, "had_cassation": False}
    if entry["state"] == "rascunho":
        return facts
    cost = max((each for each in data["index"] if each["key"] == "custo_km" and each["from"] <= on), key=_since)
    minimum = {
        kind: book.value(f"insurance_{kind}_multiple", on).decimal * Decimal(cost["value"])
        for kind in ("person", "material")
    }
    material = minimum["material"] / 2 if entry["state"] in _SHORT else minimum["material"] * 2
    facts |= {
        "policy_number": f"88{vehicle['renavam'][-4:]}-22",
        "policy_valid_through": on + timedelta(days=300),
        "cover_per_person": _cents(minimum["person"] * 2),
        "cover_material": Decimal(entry["cover_material"]) if "cover_material" in entry else _cents(material),
    }
    if holder == "PJ":
        facts |= {
            "fleet_size": 1,
            "fleet_value": Decimal("238000.00"),
            "paid_in_capital": Decimal("80000.00"),
            "own_staff": False,
            "parts_stock": False,
        }
    if holder == "COOP_MEMBER":
        facts["cooperative_accredited"] = True
    return facts


def _since(entry: Mapping[str, Any]) -> date:
    since: date = entry["from"]
    return since


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"))


def _documents(book: Lawbook, entry: Mapping[str, Any], holder: str, on: date) -> list[dict[str, Any]]:
    """The papers of the holder's lists: accepted, in a draft sent or missing by turns."""
    lists = book.value("documents_by_holder", on).value[holder] + book.value("documents_by_vehicle", on).value
    papers = [paper for key in lists for paper in book.value(key, on).value]
    owed = [paper for paper in papers if paper.get("source", "upload") == "upload" and "threshold" not in paper]
    return [_document(paper, entry, place, on) for place, paper in enumerate(owed)]


def _document(paper: Mapping[str, Any], entry: Mapping[str, Any], place: int, on: date) -> dict[str, Any]:
    state, reason = entry["state"], ""
    status = "aceito"
    if state == "rascunho":
        status = "enviado" if place % 2 else "falta"
    elif state in ("aguarda_pagamento", "desistencia") and place % 4 == 0:
        status = "enviado"
    expires = on + timedelta(days=120 + place * 11) if paper.get("expires") and status != "falta" else None
    if paper["code"] == entry.get("expired"):
        expires = on - timedelta(days=10)
    return {
        "code": paper["code"],
        "status": status,
        "expires_on": expires,
        "copies": paper.get("copies", 1),
        "reason": reason,
    }
