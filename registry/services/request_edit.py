"""What a request form may hold: links to people, vehicle and permit, and the regime's facts, checked all at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.dossier import Dossier, RequestFacts
from registry.domain.occasion import Occasion
from registry.domain.regime import Regime, RequestKind
from registry.services.desk import Desk
from registry.services.errors import Existing, NotFound, Refused
from registry.services.facts import decode, encode, read_facts
from registry.services.people import is_member, person_of
from registry.services.vehicles import plate_taken, vehicle_of
from registry.store.permits import Permit
from registry.store.requests import Request

LABELS = {
    "category": "Categoria",
    "holder_kind": "Tipo de requerente",
    "applicant_id": "Requerente",
    "cooperative_id": "Cooperativa",
    "vehicle_id": "Veículo",
    "permit_id": "Outorga",
}
_KIND_WORDS = {"natural": "pessoa física", "company": "empresa", "cooperative": "cooperativa"}


@dataclass(frozen=True)
class RequestChanges:
    """What the form sends. ``links`` are category, holder_kind and ids by their names; ``facts`` as typed, by field."""

    links: Mapping[str, Any]
    facts: Mapping[str, Any]


def checked_changes(
    session: Session, occasion: Occasion, desk: Desk, regime: Regime, request: Request, changes: RequestChanges
) -> dict[str, Any]:
    """The columns to change, facts as ``facts.<name>`` in stored form.

    Raises :class:`Refused` with every wrong field, :class:`NotFound` for a link to another authority's record.
    """
    kind = regime.request_kind(request.kind)
    unknown = changes.links.keys() - LABELS.keys()
    if unknown:
        raise ValueError(f"these fields of a request do not exist: {', '.join(sorted(unknown))}")
    wanted = {name: changes.links.get(name, getattr(request, name)) for name in LABELS}
    values, errors = read_facts(kind.fields, changes.facts)
    existing: dict[str, Existing] = {}
    _check_choices(regime, kind, wanted, errors)
    _check_people(session, occasion, regime, wanted, errors)
    _check_vehicle(session, occasion, desk, wanted, errors, existing)
    _check_permit(session, occasion, regime, wanted, errors)
    touched = changes.links.keys() | changes.facts.keys()
    if "applicant_id" in touched:
        touched |= {"vehicle_id"}
    wrong = {name: text for name, text in errors.items() if name in touched}
    if wrong:
        raise Refused(wrong, existing=existing)
    columns = {name: wanted[name] for name in changes.links}
    return columns | {f"facts.{name}": encode(value) for name, value in values.items()}


def labels_for(kind: RequestKind) -> dict[str, str]:
    """The pt-BR names of every field of a request form, for the comparison of a stale save."""
    return LABELS | {f"facts.{each.name}": each.label for each in kind.fields}


def overlaid(kind: RequestKind, dossier: Dossier, changes: RequestChanges) -> tuple[Dossier, dict[str, str]]:
    """The dossier with what is being typed but not saved, and the sentences beside the facts that cannot be read.

    Choices and readable facts count at once; an unreadable fact counts as not given.
    """
    if dossier.request is None:
        return dossier, {}
    values, errors = read_facts(kind.fields, changes.facts)
    stored = decode(kind.fields, {name: encode(value) for name, value in values.items()})
    facts = {**dossier.request.facts, **stored, **dict.fromkeys(errors)}
    request: RequestFacts = replace(
        dossier.request,
        facts=facts,
        category=changes.links.get("category", dossier.request.category) or "",
        holder_kind=changes.links.get("holder_kind", dossier.request.holder_kind) or "",
    )
    return replace(dossier, request=request), errors


def check_still_free(session: Session, occasion: Occasion, desk: Desk, request: Request) -> None:
    """Refuses when the vehicle is by now on a live permit of another holder (:class:`Refused`)."""
    if request.vehicle_id is not None:
        vehicle = vehicle_of(session, occasion.authority, request.vehicle_id)
        taken = plate_taken(session, desk, occasion.authority, vehicle, occasion.on, request.applicant_id)
        if taken is not None:
            raise taken


def _check_choices(regime: Regime, kind: RequestKind, wanted: Mapping[str, Any], errors: dict[str, str]) -> None:
    if wanted["holder_kind"] and wanted["holder_kind"] not in kind.holder_kinds:
        errors["holder_kind"] = "Escolha o tipo de requerente."
    if wanted["category"] and wanted["category"] not in {each.code for each in regime.categories}:
        errors["category"] = "Escolha a categoria."


def _check_people(
    session: Session, occasion: Occasion, regime: Regime, wanted: Mapping[str, Any], errors: dict[str, str]
) -> None:
    applicant, cooperative = (
        person_of(session, occasion.authority, wanted[name], living=True) if wanted[name] else None
        for name in ("applicant_id", "cooperative_id")
    )
    known = {each.code: each for each in regime.holder_kinds}
    holder = known.get(wanted["holder_kind"])
    if applicant is not None and holder is not None and applicant.kind != holder.person_kind:
        is_now, needed = _KIND_WORDS[applicant.kind], _KIND_WORDS[holder.person_kind]
        text = f"{applicant.name} é {is_now}; «{holder.label}» é {needed}."
        errors["applicant_id"] = errors.setdefault("holder_kind", text)
    if cooperative is not None and cooperative.kind != "cooperative":
        errors["cooperative_id"] = f"{cooperative.name} não é cooperativa."
    elif (
        cooperative is not None
        and applicant is not None
        and not is_member(session, cooperative.id, applicant.id, occasion.on)
    ):
        errors["cooperative_id"] = (
            f"{applicant.name} não consta entre os cooperados de {cooperative.name}. "
            "Registre a entrada na página da cooperativa."
        )
        errors.setdefault("applicant_id", errors["cooperative_id"])


def _check_vehicle(
    session: Session,
    occasion: Occasion,
    desk: Desk,
    wanted: Mapping[str, Any],
    errors: dict[str, str],
    existing: dict[str, Existing],
) -> None:
    if wanted["vehicle_id"] is None:
        return
    vehicle = vehicle_of(session, occasion.authority, wanted["vehicle_id"], living=True)
    if wanted["applicant_id"] is None:
        return
    taken = plate_taken(session, desk, occasion.authority, vehicle, occasion.on, wanted["applicant_id"])
    if taken is not None:
        errors |= taken.fields
        existing |= taken.existing


def _check_permit(
    session: Session, occasion: Occasion, regime: Regime, wanted: Mapping[str, Any], errors: dict[str, str]
) -> None:
    if wanted["permit_id"] is None:
        return
    row = session.execute(
        select(Permit.holder_id, Permit.number).where(
            Permit.id == wanted["permit_id"], Permit.authority == occasion.authority, Permit.regime == regime.code
        )
    ).first()
    if row is None:
        raise NotFound
    if wanted["applicant_id"] is not None and row.holder_id not in (None, wanted["applicant_id"]):
        errors["permit_id"] = f"A outorga nº {row.number} é de outro titular."
