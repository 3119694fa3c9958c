"""The end of a person's data: blanked where nothing needs them any more, with the audit chain still whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from registry.domain.identifiers import canonical
from registry.domain.occasion import Occasion
from registry.domain.text import fold, format_number
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import Refused
from registry.services.people import person_of
from registry.services.personal import Found, entries_about, find_rows, natural_person
from registry.services.vault import path_of
from registry.settings import Retention
from registry.store.audit import record, redact
from registry.store.charges import Charge
from registry.store.corrections import Merge
from registry.store.imports import ImportedRow
from registry.store.once import remember
from registry.store.people import Membership, Person
from registry.store.permits import Permit
from registry.store.requests import Request, RequestDocument, StoredFile, Wait

NAME = "Pessoa anonimizada"
NO_REASON = "Escreva o motivo, sem o nome nem o CPF da pessoa: ele fica."
_OPEN = ("protocolado", "em_analise")
_BLANK: dict[str, Any] = {
    "document": "",
    "born_on": None,
    "nationality": "",
    "sex": "",
    "cnh": "",
    "cnh_confirmed": False,
    "phone": "",
    "email": "",
    "address": "",
    "facts": {},
}


@dataclass(frozen=True)
class Anonymised:
    """What was blanked: audit entries and files."""

    entries: int
    files: int


@dataclass(frozen=True)
class Due:
    """A person whose data need not be kept any more."""

    id: int
    name: str


def anonymise(occasion: Occasion, desk: Desk, person_id: int, reason: str) -> Anonymised:
    """Blanks what the registry knows of a natural person: record, facts of the requests, files, audit content.

    Ids, dates, numbers of permits and requests, decisions with their verdicts, charges and postings stay.

    Args:
        reason: why, for the audit; it must not name the person.

    Raises :class:`NotFound`, :class:`Refused` saying what still needs the data, RuleFailed when a plugin cannot blank
    its own rows.
    """
    if not reason.strip():
        raise Refused({"reason": NO_REASON})
    with desk.store.writing() as session:
        person = person_of(session, occasion.authority, person_id)
        if done_before(session, occasion, "person.anonymised") is not None:
            return Anonymised(0, 0)
        ids = natural_person(session, person)
        hindrances = hindrances_of(session, ids, occasion.on, desk.settings.retention)
        if hindrances:
            raise Refused(message=" ".join(hindrances))
        if _is_named(person, reason):
            raise Refused({"reason": NO_REASON})
        found = find_rows(session, ids)
        entries = entries_about(session, occasion.authority, found)
        _blank_people(session, ids, occasion.at)
        _blank_requests(session, found.ids_of("request"))
        _blank_traces(session, found)
        gone = _blank_files(session, found)
        desk.host.collect("registry_anonymise", session=session, person_ids=tuple(sorted(ids)), occasion=occasion)
        blanked = redact(session, occasion, "person", person.id, entries)
        after = {"entries": blanked, "files": len(gone), "reason": reason.strip()}
        record(session, occasion, "person.anonymised", "person", person.id, None, after)
        remember(session, occasion, "person.anonymised", person.id)
    _remove(desk.files, gone)
    return Anonymised(blanked, len(gone))


def _is_named(person: Person, reason: str) -> bool:
    """Whether the reason would keep what is to go: the person's name or CPF."""
    name = re.escape(person.name_folded or NAME)
    return bool(re.search(rf"\b{name}\b", fold(reason)) or (person.document and person.document in canonical(reason)))


def hindrances_of(session: Session, ids: Iterable[int], on: date, retention: Retention) -> tuple[str, ...]:
    """Why the person's data must still be kept, a sentence each; none when they may be anonymised.

    ``ids`` are the person's, duplicates' included; ``on`` is the day of the authority.
    """
    found = list(ids)
    if session.scalar(select(func.count()).where(Person.id.in_(found), Person.anonymised_at.is_not(None))):
        return ("Os dados desta pessoa já foram anonimizados.",)
    checks = _checks(on, retention)
    columns = [clause.label(f"c{number}") for number, (_, clause) in enumerate(checks)]
    rows = session.execute(select(*columns).where(Person.id.in_(found))).all()
    return tuple(text for number, (text, _) in enumerate(checks) if any(row[number] for row in rows))


def due(session: Session, authority: str, on: date, retention: Retention) -> tuple[Due, ...]:
    """The natural persons of an authority whose data need not be kept any more, by id."""
    gone = aliased(Merge)
    merged = exists().where(gone.noun == "person", gone.gone_id == Person.id, gone.undone_at.is_(None))
    query = select(Person.id, Person.name).where(
        Person.authority == authority, Person.kind == "natural", Person.anonymised_at.is_(None), ~merged
    )
    query = query.where(*(~clause for _, clause in _checks(on, retention))).order_by(Person.id)
    return tuple(Due(row.id, row.name) for row in session.execute(query))


def _checks(on: date, retention: Retention) -> Sequence[tuple[str, ColumnElement[bool]]]:
    """Each thing that keeps a person's data, with its sentence; the conditions speak of the ``person`` row at hand."""
    day = on - timedelta(days=retention.person_days)
    instant, drafts = _instant(day), _instant(on - timedelta(days=retention.draft_days))
    ago = f"há menos de {format_number(retention.person_days)} dias"
    permits, charges = Permit.holder_id == Person.id, Charge.debtor_id == Person.id
    requests = Request.applicant_id == Person.id
    ended = func.coalesce(Request.decided_at, Request.filed_at, Request.opened_at)
    live = or_(Permit.ended_on.is_(None), Permit.ended_on > on)
    owed = and_(Charge.settled_at.is_(None), Charge.cancelled_at.is_(None))
    draft = and_(Request.state == "rascunho", Request.opened_at > drafts)
    decided = and_(Request.state.not_in([*_OPEN, "rascunho"]), ended > instant)
    return (
        ("A pessoa tem outorga em vigor.", exists().where(permits, live)),
        (f"A última outorga terminou {ago}.", exists().where(permits, Permit.ended_on <= on, Permit.ended_on > day)),
        ("A pessoa tem requerimento aberto.", exists().where(requests, or_(Request.state.in_(_OPEN), draft))),
        (f"O último requerimento terminou {ago}.", exists().where(requests, decided)),
        ("A pessoa tem débito em aberto.", exists().where(charges, owed)),
        (
            f"O último pagamento ou cancelamento foi {ago}.",
            exists().where(charges, or_(Charge.settled_at > instant, Charge.cancelled_at > instant)),
        ),
        (
            f"A pessoa é cooperada, ou saiu da cooperativa {ago}.",
            exists().where(Membership.member_id == Person.id, or_(Membership.until.is_(None), Membership.until > day)),
        ),
        (f"O cadastro foi feito {ago}.", Person.created_at > instant),
    )


def _instant(day: date) -> datetime:
    from datetime import UTC

    return datetime.combine(day, time(), UTC)


def _blank_people(session: Session, ids: Iterable[int], at: datetime) -> None:
    for person in session.scalars(select(Person).where(Person.id.in_(list(ids)))):
        person.name = f"{NAME} {person.id}"
        for column, value in _BLANK.items():
            setattr(person, column, value)
        person.anonymised_at = at
        person.ended_at = person.ended_at or at
        person.version += 1
    session.flush()


def _blank_requests(session: Session, ids: frozenset[int]) -> None:
    """What was typed in requests goes; their numbers, kinds, states and days stay."""
    keys = list(ids)
    _set(session, Request, Request.id.in_(keys), facts={})
    _set(session, Wait, Wait.request_id.in_(keys), text="", outcome="", steps=[])
    _set(session, RequestDocument, RequestDocument.request_id.in_(keys), reason="")


def _blank_traces(session: Session, found: Found) -> None:
    """What imports and merges kept of the person's fields goes, and what was typed beside their permits."""
    people, permits = list(found.ids), list(found.ids_of("permit"))
    imported = or_(
        and_(ImportedRow.table == "person", ImportedRow.row_id.in_(people)),
        and_(ImportedRow.table == "permit", ImportedRow.row_id.in_(permits)),
    )
    _set(session, ImportedRow, imported, before=None, after=None)
    _set(session, Permit, Permit.id.in_(permits), facts={})
    merged = and_(Merge.noun == "person", or_(Merge.kept_id.in_(people), Merge.gone_id.in_(people)))
    _set(session, Merge, merged, moved={})


def _blank_files(session: Session, found: Found) -> set[str]:
    """Takes the files off the person's requests; answers the sha256 of those that no other row names."""
    documents = list(found.ids_of("request_document"))
    query = select(RequestDocument.file_id).where(RequestDocument.id.in_(documents))
    files = [each for each in session.scalars(query) if each is not None]
    digests = set(session.scalars(select(StoredFile.sha256).where(StoredFile.id.in_(files)))) - {""}
    _set(session, RequestDocument, RequestDocument.id.in_(documents), file_id=None)
    _set(session, StoredFile, StoredFile.id.in_(files), sha256="", size=0, name="")
    return digests - set(session.scalars(select(StoredFile.sha256).where(StoredFile.sha256.in_(digests))))


def _set(session: Session, table: Any, where: ColumnElement[bool], **values: Any) -> None:
    session.execute(update(table).where(where).values(**values).execution_options(synchronize_session=False))


def _remove(files: Path, digests: Iterable[str]) -> None:
    for each in digests:
        path_of(files, each).unlink(missing_ok=True)
