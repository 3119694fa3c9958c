"""The demo's requests for a new permit: the form filled in, the papers, the fees paid so far."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from registry.api.law import Lawbook

_DRAFT = "rascunho"
_BEFORE_PAYMENT = ("aguarda_vistoria", "aguarda_pagamento")
_TEXTS = {
    "em_exigencia": "Apresentar o documento que falta, indicado na lista.",
    "indeferido": "O motorista tem outra atividade remunerada (art. 18).",
    "desistencia": "O requerente desistiu da compra do carro.",
}


def request(book: Lawbook, state: str, person: Mapping[str, Any], on: date, turn: int) -> dict[str, Any]:
    """A request in a state, with what that state presupposes."""
    opened = on - timedelta(days=14 + turn)
    filed = None if state == _DRAFT else opened + timedelta(days=1)
    decided = on - timedelta(days=1) if state in ("indeferido", "desistencia") else None
    return {
        "kind": "nova_permissao",
        "category": "comum",
        "holder_kind": person["holder_kind"],
        "state": state,
        "opened_on": opened,
        "filed_on": filed,
        "decided_on": decided,
        "text": _TEXTS.get(state, ""),
        "facts": _facts(state, person),
        "documents": _documents(book, state, person, on),
        "charges": _charges(state, on),
    }


def _facts(state: str, person: Mapping[str, Any]) -> dict[str, Any]:
    """The form as the state needs it: a draft lacks answers, a refused request gave one that forbids."""
    facts: dict[str, Any] = {"zero_km": True}
    if state == _DRAFT:
        return facts
    facts |= {"passengers": 4, "convicted": False, "military": person["sex"] == "M"}
    if person["kind"] == "company":
        return {**facts, "brazilian": True, "banned": False, "successor_of_banned": False, "military": True}
    return {**facts, "co_owner_of_taxi": False, "other_income": state == "indeferido"}


def _documents(book: Lawbook, state: str, person: Mapping[str, Any], on: date) -> list[dict[str, Any]]:
    name = "art-16" if person["kind"] == "company" else "art-17"
    owed = [row for row in book.value(f"documents.{name}", on).value if row["applies"] != "union"]
    if person["kind"] == "natural" and person["sex"] == "F":
        owed = [row for row in owed if row["applies"] != "brazilian_military"]
    return [_document(row, state, place, len(owed), on) for place, row in enumerate(owed)]


def _document(row: Mapping[str, Any], state: str, place: int, many: int, on: date) -> dict[str, Any]:
    status, reason = "aceito", ""
    if state == _DRAFT:
        status = "enviado" if place % 2 else "falta"
    elif state == "em_exigencia" and place == many - 1:
        status, reason = "recusado", "A cópia está ilegível."
    elif state in (*_BEFORE_PAYMENT, "em_analise") and place % 3 == 0:
        status = "enviado"
    expires = on + timedelta(days=90 + place * 20) if row.get("expires") and status != "falta" else None
    return {
        "code": row["code"],
        "status": status,
        "expires_on": expires,
        "copies": row["copies"] if status != "falta" else 1,
        "reason": reason,
    }


def _charges(state: str, on: date) -> list[dict[str, Any]]:
    """The inspection's fee is opened with the booking, the other two before the decision."""
    if state in (_DRAFT, "desistencia"):
        return []
    paid = None if state in _BEFORE_PAYMENT else on - timedelta(days=2)
    charges = [{"plan": "vistoria", "paid_on": paid}]
    if state == "pronto":
        charges += [{"plan": plan, "paid_on": on - timedelta(days=1)} for plan in ("termo", "alvara")]
    return charges
