"""Persons, companies and cooperatives with their members: entered once, corrected openly, found by number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from registry.domain.dossier import PersonKind
from registry.domain.identifiers import (
    IdentifierError,
    check_cnh,
    format_document,
    parse_cnpj,
    parse_cpf,
    parse_document,
)
from registry.domain.occasion import Occasion
from registry.domain.text import format_date
from registry.services.desk import Desk
from registry.services.editing import done_before, edit
from registry.services.errors import Existing, NotFound, Refused
from registry.services.vehicles import refresh_permits
from registry.store.audit import record
from registry.store.once import remember
from registry.store.people import Membership, Person
from registry.store.permits import Permit

LABELS = {
    "kind": "Tipo",
    "name": "Nome",
    "document": "CPF ou CNPJ",
    "born_on": "Data de nascimento",
    "nationality": "Nacionalidade",
    "sex": "Sexo",
    "cnh": "CNH",
    "cnh_confirmed": "CNH conferida com o documento",
    "phone": "Telefone",
    "email": "E-mail",
    "address": "Endereço",
}
BRAZILIAN = "brasileira"
_LONGEST = {"name": 400, "email": 400, "address": 400, "phone": 64, "nationality": 64, "sex": 64}
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")


@dataclass(frozen=True)
class PersonInput:
    """What a clerk types of a person; numbers in any form. ``cnh_confirmed`` is the tick «Confirmo»."""

    kind: PersonKind
    document: str
    name: str
    born_on: date | None = None
    nationality: str = ""
    sex: str = ""
    cnh: str = ""
    cnh_confirmed: bool = False
    phone: str = ""
    email: str = ""
    address: str = ""


@dataclass(frozen=True)
class PersonRef:
    """A person as lists and links name it; ``document`` as printed."""

    id: int
    kind: str
    name: str
    document: str


def create_person(occasion: Occasion, desk: Desk, entered: PersonInput) -> int:
    """Enters a person, company or cooperative; gives its id.

    Raises :class:`Refused` beside each wrong field; one whose document is already here names whom to open.
    """
    with desk.store.writing() as session:
        before = done_before(session, occasion, "person.created")
        if before is not None:
            return before
        known = {field.name for field in fields(PersonInput)}
        values = _checked(session, occasion, entered, None, known)
        person = Person(authority=occasion.authority, created_at=occasion.at, facts={}, **values)
        session.add(person)
        session.flush()
        record(session, occasion, "person.created", "person", person.id, None, {**values, "version": person.version})
        remember(session, occasion, "person.created", person.id)
        return person.id


def update_person(occasion: Occasion, desk: Desk, person_id: int, version: int, changes: Mapping[str, Any]) -> bool:
    """Saves changed fields of a person, named as in :class:`PersonInput`; False when nothing differs.

    What the public sees of the person's permits changes with it.
    Raises :class:`NotFound`, :class:`Refused`, :class:`Stale` (both values, field by field).
    """
    with desk.store.writing() as session:
        person = person_of(session, occasion.authority, person_id, living=True)
        known = {field.name for field in fields(PersonInput)}
        unknown = changes.keys() - known
        if unknown or changes.get("kind", person.kind) != person.kind:
            raise ValueError(f"these fields of a person cannot be changed: {', '.join(sorted(unknown or {'kind'}))}")
        entered = PersonInput(**{name: changes.get(name, getattr(person, name)) for name in known})
        values = _checked(session, occasion, entered, person.id, set(changes))
        wanted = {name: values[name] for name in values if name in changes}
        if "cnh" in changes:
            wanted["cnh_confirmed"] = values["cnh_confirmed"]
        changed = edit(
            session,
            occasion,
            person,
            subject="person",
            action="person.updated",
            version=version,
            changes=wanted,
            labels=LABELS,
        )
        if changed:
            held = select(Permit.id).where(or_(Permit.holder_id == person.id, Permit.cooperative_id == person.id))
            refresh_permits(session, desk, occasion, session.scalars(held).all())
        return changed


def add_member(occasion: Occasion, desk: Desk, cooperative_id: int, member_id: int, since: date) -> int:
    """Records that a natural person belongs to a cooperative from a day; gives the membership's id.

    Raises :class:`NotFound`, :class:`Refused`.
    """
    with desk.store.writing() as session:
        before = done_before(session, occasion, "membership.begun")
        if before is not None:
            return before
        cooperative = person_of(session, occasion.authority, cooperative_id, living=True)
        member = person_of(session, occasion.authority, member_id, living=True)
        if cooperative.kind != "cooperative":
            raise Refused({"cooperative_id": f"{cooperative.name} não é cooperativa."})
        if member.kind != "natural":
            raise Refused({"member_id": f"{member.name} não é pessoa física: só pessoa física é cooperada."})
        if since > occasion.on:
            raise Refused({"since": f"A data não pode ser depois de hoje ({format_date(occasion.on)})."})
        standing = _membership_on(session, cooperative_id, member_id, since)
        if standing is not None:
            text = f"{member.name} já é desta cooperativa desde {format_date(standing.since)}."
            raise Refused({"member_id": text}, existing={"member_id": Existing("person", member_id, member.name)})
        made = Membership(
            cooperative_id=cooperative_id, member_id=member_id, since=since, until=None, recorded_at=occasion.at
        )
        session.add(made)
        session.flush()
        after = {"membership_id": made.id, "member_id": member_id, "member": member.name, "since": since}
        record(session, occasion, "membership.begun", "person", cooperative_id, None, after)
        remember(session, occasion, "membership.begun", made.id)
        return made.id


def end_membership(occasion: Occasion, desk: Desk, membership_id: int, until: date) -> None:
    """Ends a membership; ``until`` is its last day. Raises :class:`NotFound`, :class:`Refused`."""
    with desk.store.writing() as session:
        membership = session.execute(
            select(Membership)
            .join(Person, Person.id == Membership.cooperative_id)
            .where(Membership.id == membership_id, Person.authority == occasion.authority)
        ).scalar_one_or_none()
        if membership is None:
            raise NotFound
        if until < membership.since:
            raise Refused({"until": f"A saída não pode ser antes da entrada ({format_date(membership.since)})."})
        if membership.until is not None and membership.until <= occasion.on:
            raise Refused({"until": f"A saída já foi registrada: {format_date(membership.until)}."})
        before = {"membership_id": membership.id, "until": membership.until}
        membership.until = until
        session.flush()
        after = {"membership_id": membership.id, "member_id": membership.member_id, "until": until}
        record(session, occasion, "membership.ended", "person", membership.cooperative_id, before, after)


def find_by_document(session: Session, authority: str, typed: str) -> PersonRef | None:
    """The person of this CPF or CNPJ; None when nobody here has it. Raises IdentifierError for what can be neither."""
    _, document = parse_document(typed)
    person = _by_document(session, authority, document)
    return ref_of(person) if person else None


def person_of(session: Session, authority: str, person_id: int, *, living: bool = False) -> Person:
    """The person's row in this authority; one that was ended or merged too, unless it must be ``living``.

    Raises :class:`NotFound`, :class:`Refused` for one that had to be living.
    """
    person = session.execute(
        select(Person).where(Person.id == person_id, Person.authority == authority)
    ).scalar_one_or_none()
    if person is None:
        raise NotFound
    if living and person.ended_at is not None:
        text = f"O cadastro de {person.name} foi encerrado ou juntado a outro."
        raise Refused(message=f"{text} Abra-o e siga pelo que ficou.")
    return person


def ref_of(person: Person) -> PersonRef:
    """How lists and links name a person."""
    return PersonRef(person.id, person.kind, person.name, printed_document(person.kind, person.document))


def printed_document(kind: str, document: str) -> str:
    """A CPF or CNPJ as screens print it; "" when not known."""
    if not document:
        return ""
    return format_document("cpf" if kind == "natural" else "cnpj", document)


def is_member(session: Session, cooperative_id: int, member_id: int, on: date) -> bool:
    """Whether the person belongs to the cooperative on a day."""
    return _membership_on(session, cooperative_id, member_id, on) is not None


def _membership_on(session: Session, cooperative_id: int, member_id: int, on: date) -> Membership | None:
    return session.scalars(
        select(Membership).where(
            Membership.cooperative_id == cooperative_id,
            Membership.member_id == member_id,
            Membership.since <= on,
            (Membership.until.is_(None)) | (Membership.until >= on),
        )
    ).first()


def _by_document(session: Session, authority: str, document: str) -> Person | None:
    return session.scalars(
        select(Person).where(Person.authority == authority, Person.document == document, Person.ended_at.is_(None))
    ).one_or_none()


def _checked(
    session: Session, occasion: Occasion, entered: PersonInput, own_id: int | None, typed: set[str]
) -> dict[str, Any]:
    """The columns of a person as entered. Raises Refused with every wrong field at once; only those now typed count,
    so that an old record that lacks a document can still get its telephone.
    """
    errors: dict[str, str] = {}
    suggestions: dict[str, str] = {}
    confirm: list[str] = []
    values: dict[str, Any] = {
        "kind": entered.kind,
        "name": " ".join(entered.name.split()),
        "born_on": entered.born_on,
        "nationality": entered.nationality.strip() or (BRAZILIAN if entered.kind == "natural" else ""),
        "sex": entered.sex.strip(),
        "phone": entered.phone.strip(),
        "email": entered.email.strip(),
        "address": entered.address.strip(),
    }
    values["document"] = _checked_document(entered, errors, suggestions)
    values["cnh"], values["cnh_confirmed"] = _checked_cnh(entered, errors, confirm)
    _check_texts(values, occasion.on, errors)
    existing = {}
    holder = _by_document(session, occasion.authority, values["document"]) if values["document"] else None
    if holder is not None and holder.id != own_id:
        errors["document"] = f"Já existe: {holder.name}. Abrir"
        existing["document"] = Existing("person", holder.id, holder.name)
    wrong = {name: text for name, text in errors.items() if name in typed}
    if wrong:
        raise Refused(wrong, existing=existing, suggestions=suggestions, confirm=confirm)
    return values


def _checked_document(entered: PersonInput, errors: dict[str, str], suggestions: dict[str, str]) -> str:
    parse = parse_cpf if entered.kind == "natural" else parse_cnpj
    try:
        return parse(entered.document)
    except IdentifierError as error:
        errors["document"] = error.message_pt
        if error.suggestion:
            suggestions["document"] = error.suggestion
        return ""


def _checked_cnh(entered: PersonInput, errors: dict[str, str], confirm: list[str]) -> tuple[str, bool]:
    """The CNH and whether the clerk vouches for a number whose sum fails."""
    if not entered.cnh.strip():
        return "", False
    try:
        found = check_cnh(entered.cnh)
    except IdentifierError as error:
        errors["cnh"] = error.message_pt
        return "", False
    if found.warning_pt and not entered.cnh_confirmed:
        errors["cnh"] = found.warning_pt
        confirm.append("cnh")
    return found.canonical, not found.sum_ok and entered.cnh_confirmed


def _check_texts(values: Mapping[str, Any], today: date, errors: dict[str, str]) -> None:
    if not values["name"]:
        errors["name"] = "Digite o nome."
    for name, longest in _LONGEST.items():
        if len(values[name]) > longest:
            errors[name] = f"{LABELS[name]}: use no máximo {longest} letras. Você digitou {len(values[name])}."
    if values["born_on"] is not None and values["born_on"] > today:
        errors["born_on"] = f"A data não pode ser depois de hoje ({format_date(today)})."
    if values["email"] and not _EMAIL.fullmatch(values["email"]):
        errors.setdefault("email", "Escreva o e-mail como nome@exemplo.com.br.")
