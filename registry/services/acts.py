"""Acts of the authority: entered with their file, found by any usual spelling, ended and put right, never edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import IO, Any, cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.acts import ACT_KINDS, ActKind, ActName, parse_act, parse_number, same_words
from registry.domain.occasion import Occasion
from registry.domain.text import fold, format_date
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import AlreadyDone, Existing, NotFound, Refused
from registry.services.history import last_editor
from registry.services.lengths import long_faults, too_long
from registry.services.vault import Kept, enter_file, keep
from registry.store.acts import Act
from registry.store.audit import record
from registry.store.corrections import Correction
from registry.store.once import remember

NOUN = "act"
STATES = {"": "Em vigor", "encerrados": "Encerrados"}
_LONGEST_NUMBER = 64
_OFFERED = 50


@dataclass(frozen=True)
class ActInput:
    """An act as it is entered. ``number`` in any usual spelling with its year; of kind ``outro`` the whole name."""

    kind: str
    number: str
    day: date
    gazette: str = ""
    summary: str = ""


@dataclass(frozen=True)
class ActFile:
    """The act's PDF: its content, read to the end, and its name on the sender's system."""

    stream: IO[bytes]
    filename: str


@dataclass(frozen=True)
class ActLine:
    """An act as lists show it; ``name`` as printed, ``ended_at`` of a wrong one."""

    id: int
    name: str
    kind: str
    kind_label: str
    day: date
    gazette: str
    summary: str
    file_id: int | None
    ended_at: datetime | None


@dataclass(frozen=True)
class KnownActs:
    """The acts of an authority for the forms and pages that name one: ``offered`` are the newest live ones."""

    offered: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    _by_name: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def id_of(self, text: str) -> int | None:
        """The act that a text names, the live one before an ended one; None when it is not entered."""
        name = parse_act(text, self.own)
        return self._by_name.get((name.kind, name.number) if name else ("outro", same_words(text)))


def enter_act(occasion: Occasion, desk: Desk, given: ActInput, file: ActFile | None = None) -> int:
    """Enters an act; gives its id.

    Raises Refused (no kind, a number that is none or is entered already, a day to come, too long, a file that is no
    PDF) and TooBig.
    """
    name = _checked(occasion, desk, given)
    kept = _kept(desk, file)
    with desk.store.writing() as session:
        before = done_before(session, occasion, "act.entered")
        if before is not None:
            return before
        made = _enter(session, occasion, given, name, enter_file(session, occasion, kept) if kept else None)
        remember(session, occasion, "act.entered", made.id)
        return made.id


def correct_act(
    occasion: Occasion, desk: Desk, act_id: int, given: ActInput, reason: str, file: ActFile | None = None
) -> int:
    """Ends a wrong act and enters the right one in its place, with the reason; gives the right one's id.

    Without a new file the old one stays. What rests on the wrong act stays as it is; the right act's page shows it.
    Raises as :func:`enter_act`; NotFound; AlreadyDone when it has ended.
    """
    name = _checked(occasion, desk, given, reason)
    kept = _kept(desk, file)
    with desk.store.writing() as session:
        before = done_before(session, occasion, "act.corrected")
        if before is not None:
            return before
        wrong = _live(session, occasion.authority, act_id)
        shown = _shown(wrong)
        _end(session, occasion, wrong, reason)
        right = _enter(session, occasion, given, name, enter_file(session, occasion, kept) if kept else wrong.file_id)
        if _shown(right) == shown and kept is None:
            raise Refused(message="Nada mudou: corrija ao menos um dado, ou só encerre o ato.")
        _link(session, occasion, wrong, right.id, reason)
        remember(session, occasion, "act.corrected", right.id)
        return right.id


def end_act(occasion: Occasion, desk: Desk, act_id: int, reason: str) -> None:
    """Ends an act that does not exist, or is no act of the authority, with the reason; nothing takes its place.

    Raises Refused without a reason; NotFound; AlreadyDone when it has ended.
    """
    faults = _faults_of_reason(reason)
    if faults:
        raise Refused(faults)
    with desk.store.writing() as session:
        if done_before(session, occasion, "act.ended") is not None:
            return
        wrong = _live(session, occasion.authority, act_id)
        _end(session, occasion, wrong, reason)
        _link(session, occasion, wrong, None, reason)
        remember(session, occasion, "act.ended", wrong.id)


def resolve(session: Session, desk: Desk, authority: str, text: str) -> int | None:
    """The entered act that a text names («Portaria 112/2026», in any usual spelling); None when none is entered.

    The one place where a typed act becomes ``act_id``; called inside the transaction that writes the row. A row keeps
    its text either way, so that an act entered later is found by it.
    """
    if not text.strip():
        return None
    name = parse_act(text, _own(desk, authority))
    live = select(Act.id).where(Act.authority == authority, Act.ended_at.is_(None))
    if name is not None:
        return session.scalar(live.where(Act.kind == name.kind, Act.number == name.number))
    return _other(session, authority, text)


def known_acts(session: Session, desk: Desk, authority: str) -> KnownActs:
    """The acts of an authority by name, in one query."""
    rows = session.execute(
        select(Act.id, Act.kind, Act.number, Act.ended_at)
        .where(Act.authority == authority)
        .order_by(Act.day.desc(), Act.id.desc())
    ).all()
    by_name: dict[tuple[str, str], int] = {}
    for row in sorted(rows, key=lambda row: (row.ended_at is not None, -row.id)):
        by_name.setdefault((row.kind, same_words(row.number) if row.kind == "outro" else row.number), row.id)
    live = (row for row in rows if row.ended_at is None)
    offered = tuple(name_of_act(row.kind, row.number) for row, _ in zip(live, range(_OFFERED), strict=False))
    return KnownActs(offered, _own(desk, authority), by_name)


def find_acts(session: Session, authority: str, typed: str = "", kind: str = "", state: str = "") -> list[ActLine]:
    """The acts of an authority, newest first.

    Args:
        session: of a reader.
        authority: whose acts.
        typed: an act's name, or words of name, gazette or summary without accents and case; "" = all.
        kind: one of ``ACT_KINDS``; "" = any.
        state: a key of ``STATES``.
    """
    query = select(Act).where(Act.authority == authority)
    query = query.where(Act.ended_at.is_not(None) if state else Act.ended_at.is_(None))
    if kind:
        query = query.where(Act.kind == kind)
    rows = session.scalars(query.order_by(Act.day.desc(), Act.id.desc()))
    return [act_line(row) for row in rows if _has(row, typed)]


def act_line(row: Act) -> ActLine:
    """An act as lists show it."""
    name = name_of_act(row.kind, row.number)
    label = ACT_KINDS.get(row.kind, row.kind)
    return ActLine(row.id, name, row.kind, label, row.day, row.gazette, row.summary, row.file_id, row.ended_at)


def name_of_act(kind: str, number: str) -> str:
    """The name as printed: «Portaria nº 112/2026»."""
    return str(ActName(cast(ActKind, kind), number))


def act_of(session: Session, authority: str, act_id: int) -> Act:
    """The act of this id in an authority, ended or not. Raises NotFound."""
    row = session.get(Act, act_id)
    if row is None or row.authority != authority:
        raise NotFound
    return row


def _own(desk: Desk, authority: str) -> tuple[str, ...]:
    known = desk.authority(authority)
    return (known.code, known.short_name)


def _has(row: Act, typed: str) -> bool:
    words = fold(typed).split()
    if not words:
        return True
    name = parse_act(typed)
    if name is not None:
        return (row.kind, row.number) == (name.kind, name.number)
    text = fold(f"{name_of_act(row.kind, row.number)} {row.number} {row.gazette} {row.summary}")
    return all(word in text for word in words)


def _checked(occasion: Occasion, desk: Desk, given: ActInput, reason: str | None = None) -> ActName:
    """The act's name, once everything typed is in order. Raises Refused."""
    faults = {} if reason is None else _faults_of_reason(reason)
    suggestions = {}
    number = _number_of(given, _own(desk, occasion.authority))
    if given.kind not in ACT_KINDS:
        faults["kind"] = "Escolha o tipo do ato."
    if not given.number.strip():
        faults["number"] = "Digite o número do ato, como 112/2026."
    elif fault := too_long(given.number, _LONGEST_NUMBER, "O número"):
        faults["number"] = fault
    elif not number and given.kind == "outro":
        faults["number"] = "Este nome é de um ato da lista. Escolha o tipo dele acima."
    elif not number:
        faults["number"] = "Escreva o número com o ano, como 112/2026. Se o ato tem outro nome, escolha «Outro»."
        if with_year := parse_number(f"{given.number}/{given.day.year}"):
            suggestions["number"] = with_year
    if given.day > occasion.on:
        faults["day"] = f"A data não pode ser depois de hoje ({format_date(occasion.on)})."
    faults |= long_faults(gazette=given.gazette, summary=given.summary)
    if faults:
        raise Refused(faults, suggestions=suggestions)
    return ActName(cast(ActKind, given.kind), number)


def _number_of(given: ActInput, own: tuple[str, ...]) -> str:
    """The canonical number; "" for a text that is none of the kind."""
    named = parse_act(given.number, own)
    if given.kind == "outro":
        return "" if named else " ".join(given.number.split())
    if named:
        return named.number if named.kind == given.kind else ""
    return parse_number(given.number)


def _faults_of_reason(reason: str) -> dict[str, str]:
    if not reason.strip():
        return {"reason": "Escreva o motivo. Ele fica junto do ato."}
    return long_faults(reason=reason)


def _kept(desk: Desk, file: ActFile | None) -> Kept | None:
    if file is None:
        return None
    kept = keep(desk.files, file.stream, file.filename, desk.settings.upload_limit)
    if kept.media_type != "application/pdf":
        raise Refused({"file": "Este arquivo não é PDF. Envie o ato em PDF."})
    return kept


def _enter(session: Session, occasion: Occasion, given: ActInput, name: ActName, file_id: int | None) -> Act:
    taken = _other(session, occasion.authority, name.number) if name.kind == "outro" else session.scalar(
        select(Act.id).where(
            Act.authority == occasion.authority,
            Act.kind == name.kind,
            Act.number == name.number,
            Act.ended_at.is_(None),
        )
    )  # fmt: skip
    if taken is not None:
        there = {"number": Existing("act", taken, str(name))}
        raise Refused({"number": f"Já existe: {name}."}, existing=there)
    row = Act(
        authority=occasion.authority,
        kind=name.kind,
        number=name.number,
        day=given.day,
        gazette=given.gazette.strip(),
        summary=given.summary.strip(),
        file_id=file_id,
        recorded_at=occasion.at,
        recorded_by=occasion.actor,
    )
    session.add(row)
    session.flush()
    record(session, occasion, "act.entered", NOUN, row.id, None, _shown(row))
    return row


def _other(session: Session, authority: str, text: str) -> int | None:
    """The live act of kind ``outro`` that a text names in full."""
    wanted = same_words(text)
    rows = session.execute(
        select(Act.id, Act.number).where(Act.authority == authority, Act.kind == "outro", Act.ended_at.is_(None))
    )
    return next((row.id for row in rows if same_words(row.number) == wanted), None)


def _live(session: Session, authority: str, act_id: int) -> Act:
    row = act_of(session, authority, act_id)
    if row.ended_at is not None:
        raise AlreadyDone(row.ended_at, *last_editor(session, NOUN, row.id))
    return row


def _end(session: Session, occasion: Occasion, row: Act, reason: str) -> None:
    row.ended_at = occasion.at
    session.flush()
    after = {"ended_at": occasion.at, "reason": reason.strip()}
    record(session, occasion, "act.ended", NOUN, row.id, {"ended_at": None}, after)


def _link(session: Session, occasion: Occasion, wrong: Act, right_id: int | None, reason: str) -> None:
    session.add(
        Correction(
            authority=occasion.authority,
            noun=NOUN,
            wrong_id=wrong.id,
            right_id=right_id,
            reason=reason.strip(),
            office=occasion.office,
            recorded_by=occasion.actor,
            recorded_at=occasion.at,
        )
    )
    session.flush()


def _shown(row: Act) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ("kind", "number", "day", "gazette", "summary", "file_id")}
