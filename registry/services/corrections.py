"""Retificação: a wrong row is ended as if it never held and the right one takes its place, with reason, office and act.

Nothing is edited in place and nothing is lost: both rows stay, linked, and the histories of both tell it.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.convert import to_plain
from registry.domain.identifiers import parse_plate
from registry.domain.occasion import Occasion
from registry.domain.sentences import join_words
from registry.domain.text import format_date
from registry.services.acts import resolve
from registry.services.correction_kinds import (
    Kind,
    OfLicence,
    OfMembership,
    OfPermitVehicle,
    OfRestriction,
    Values,
    Work,
)
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import AlreadyDone, NotFound, Refused, Stale
from registry.services.history import last_editor, name_of, refuse_stale
from registry.services.lengths import long_faults
from registry.services.merging import NO_REASON, Noun, label_of, offices, record_of
from registry.services.restrictions import KIND_LABELS
from registry.store.audit import record
from registry.store.corrections import Correction
from registry.store.once import remember
from registry.store.references import count_rows, pointers

KINDS: Mapping[str, Kind] = {
    "permit_vehicle": OfPermitVehicle(),
    "licence": OfLicence(),
    "restriction": OfRestriction(),
    "membership": OfMembership(),
}
"""What may be corrected, by noun; a person or vehicle that should not be here: :func:`end_record`."""

POINTED_AT = (
    "Há registros que apontam para {label}. Se é um duplicado, junte-o ao cadastro certo; se não, corrija os campos "
    "errados."
)
LABELS = {
    "plate": "Placa",
    "since": "Primeiro dia",
    "until": "Último dia",
    "issued_on": "Emissão",
    "valid_until": "Válida até",
    "kind": "Restrição",
    "bar_reason": "Motivo da restrição",
    "bar_act": "Ato da restrição",
}


@dataclass(frozen=True)
class Wrong:
    """A row that is to be corrected: told in words, with its fields as they stand. ``stamp`` changes with them."""

    noun: str
    id: int
    title: str
    told: str
    fields: tuple[str, ...]
    values: Mapping[str, Any]
    stamp: int
    subject: tuple[str, int]
    corrected: Correction | None


def wrong_row(session: Session, desk: Desk, authority: str, noun: str, id: int) -> Wrong:
    """A row as its correction's page shows it. Raises :class:`NotFound`."""
    kind = _kind(noun)
    row = kind.find(session, authority, id)
    values = kind.values(session, row)
    return Wrong(
        noun=noun,
        id=id,
        title=kind.title,
        told=kind.told(session, desk, row),
        fields=kind.fields,
        values=values,
        stamp=_stamp(values),
        subject=kind.subjects(row)[-1 if noun == "licence" else 0],
        corrected=_earlier(session, authority, noun, id),
    )


def preview(
    session: Session, desk: Desk, occasion: Occasion, noun: str, id: int, right: Values | None, *, reason: str, act: str
) -> str:
    """What :func:`correct` would do, in pt-BR sentences, nothing written. Raises NotFound, Refused as it does."""
    kind = _kind(noun)
    row = kind.find(session, occasion.authority, id)
    _check(Work(session, desk, occasion), kind, row, right, reason, act)
    return _effect(kind.told(session, desk, row), right)


def correct(
    occasion: Occasion,
    desk: Desk,
    noun: str,
    wrong_id: int,
    stamp: int,
    right: Values | None,
    *,
    reason: str,
    act: str = "",
) -> int:
    """Ends a wrong row and, unless there is none, enters the right one in its place; gives the correction's id.

    What the public reads changes from now on; what it was told before stays as it was told.

    Args:
        occasion: its office is the one that orders it.
        noun: a key of :data:`KINDS`.
        stamp: of the row as the clerk saw it (:class:`Wrong`).
        right: the right row's fields; None = it never was.

    Raises:
        NotFound: no such row in this authority.
        AlreadyDone: it was corrected before.
        Stale: its fields changed since.
        Refused: a field of the right row cannot be, nothing differs, or no reason or office.
        RuleDown: a rule that what the public reads depends on did not answer.
    """
    kind = _kind(noun)
    with desk.store.writing() as session:
        before = done_before(session, occasion, "correction.made")
        if before is not None:
            return before
        work = Work(session, desk, occasion)
        row = kind.find(session, occasion.authority, wrong_id)
        earlier = _earlier(session, occasion.authority, noun, wrong_id)
        if earlier is not None:
            by = name_of(session, earlier.authority, earlier.recorded_by)
            raise AlreadyDone(earlier.id, by, earlier.recorded_at)
        stands = _stamp(kind.values(session, row))
        if stands != stamp:
            raise Stale((), *last_editor(session, *kind.subjects(row)[0]), stands)
        _check(work, kind, row, right, reason, act)
        told = _effect(kind.told(session, desk, row), right)
        kind.end(row, occasion)
        session.flush()
        made = None if right is None else kind.make(work, row, right)
        rows = [row] if made is None else [row, made]
        session.add_all(rows)
        session.flush()
        entry = _link(work, noun, wrong_id, made.id if made is not None else None, reason, act)
        _tell(work, entry, list(dict.fromkeys(each for one in rows for each in kind.subjects(one))), told)
        remember(session, occasion, "correction.made", entry.id)
        kind.refresh(work, rows)
        return entry.id


def end_record(occasion: Occasion, desk: Desk, noun: Noun, id: int, version: int, *, reason: str, act: str = "") -> int:
    """Ends a person or vehicle that was entered by mistake and that nothing points at; gives the correction's id.

    One that something points at is merged with the right one instead. Raises NotFound, AlreadyDone, Stale, Refused.
    """
    with desk.store.writing() as session:
        before = done_before(session, occasion, "correction.made")
        if before is not None:
            return before
        row = record_of(session, occasion.authority, noun, id)
        if row.ended_at is not None:
            raise AlreadyDone(row.id, "", row.ended_at)
        refuse_stale(session, noun, row.id, row.version, version)
        _check_order(desk, occasion, reason, act)
        if count_rows(session, pointers(session, noun), id):
            raise Refused(message=POINTED_AT.format(label=label_of(row)))
        row.ended_at = occasion.at
        row.version += 1
        session.flush()
        work = Work(session, desk, occasion)
        entry = _link(work, noun, id, None, reason, act)
        _tell(work, entry, [(noun, id)], f"Cadastro de {label_of(row)} encerrado: foi feito por engano.")
        remember(session, occasion, "correction.made", entry.id)
        return entry.id


def _kind(noun: str) -> Kind:
    kind = KINDS.get(noun)
    if kind is None:
        raise NotFound
    return kind


def _earlier(session: Session, authority: str, noun: str, id: int) -> Correction | None:
    return session.scalars(
        select(Correction).where(Correction.authority == authority, Correction.noun == noun, Correction.wrong_id == id)
    ).first()


def _stamp(values: Values) -> int:
    """A number of at most nine figures that changes with the values."""
    return zlib.crc32(repr(sorted(to_plain(dict(values)).items())).encode()) % 10**9


def _check(work: Work, kind: Kind, row: Any, right: Values | None, reason: str, act: str) -> None:
    faults = {} if right is None else kind.faults(work, row, right)
    if right is not None and not faults and _same(right, kind.values(work.session, row)):
        raise Refused(message="Nada difere do que está registrado. Mude o que está errado, ou marque que nunca valeu.")
    _check_order(work.desk, work.occasion, reason, act, faults)


def _same(right: Values, stands: Values) -> bool:
    """Whether nothing differs, either form of a plate being the same plate."""
    one, other = ({**each, "plate": parse_plate(each.get("plate") or "AAA0000").key} for each in (right, stands))
    return one == other


def _check_order(
    desk: Desk, occasion: Occasion, reason: str, act: str, faults: Mapping[str, str] | None = None
) -> None:
    found = {**(faults or {}), **long_faults(reason=reason, act=act)}
    if not reason.strip():
        found["reason"] = NO_REASON
    known = offices(desk, occasion.authority)
    if known and occasion.office not in known:
        found["office"] = "Escolha o cargo que manda retificar."
    if found:
        raise Refused(found)


def _effect(told: str, right: Values | None) -> str:
    if right is None:
        return f"Anula «{told}», que nunca valeu."
    parts = [f"{LABELS[name].lower()} {_read(name, value)}" for name, value in right.items() if value not in (None, "")]
    return f"Anula «{told}» e registra no lugar: {join_words(parts)}."


def _read(name: str, value: Any) -> str:
    if isinstance(value, date):
        return format_date(value)
    if name == "plate":
        return parse_plate(str(value)).pretty
    return KIND_LABELS.get(value, str(value)) if name == "kind" else f"«{value}»"


def _link(work: Work, noun: str, wrong_id: int, right_id: int | None, reason: str, act: str) -> Correction:
    occasion = work.occasion
    entry = Correction(
        authority=occasion.authority,
        noun=noun,
        wrong_id=wrong_id,
        right_id=right_id,
        reason=reason.strip(),
        office=occasion.office,
        act=act.strip(),
        act_id=resolve(work.session, work.desk, occasion.authority, act),
        recorded_by=occasion.actor,
        recorded_at=occasion.at,
    )
    work.session.add(entry)
    work.session.flush()
    return entry


def _tell(work: Work, entry: Correction, subjects: list[tuple[str, int]], effect: str) -> None:
    """One audit entry in the history of each record that the correction touches."""
    names = ("noun", "wrong_id", "right_id", "reason", "office", "act")
    after = {"correction_id": entry.id, "effect": effect, **{name: getattr(entry, name) for name in names}}
    for subject, id in subjects:
        record(work.session, work.occasion, "correction.made", subject, id, None, after)
