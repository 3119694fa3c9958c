"""Arts. 16, 17 and 20: the documents that an applicant or driver owes, and which are missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from registry.api.law import DatedValue, Ground, Law, Verdict, known, question
from registry_taxi_recife.rules.common import ground

_LIST = "documents."
_FOREIGN = {"art-17": "art-17-par-un", "art-20": "art-20-par-un"}


@dataclass(frozen=True)
class DocumentsPerson:
    """``brazilian``; ``military``: whether this person (or one of the company's) owes military service."""

    brazilian: bool
    military: bool


@dataclass(frozen=True)
class DocumentsGiven:
    """``list`` is art-16, art-17, art-20 or a foreigner's list; ``presented`` maps codes to copies accepted;
    ``sent`` are codes of which something was sent that nobody has looked at yet; ``waived`` are codes that the
    authority waived for this request."""

    list: str
    person: DocumentsPerson
    presented: Mapping[str, int]
    sent: tuple[str, ...]
    waived: tuple[str, ...]
    on: date


@dataclass(frozen=True)
class DocumentsAnswer:
    """``missing``, and ``to_check`` of what was sent, in the order of the list; ``decision`` complete or pending."""

    missing: tuple[str, ...]
    to_check: tuple[str, ...]
    decision: str


@question("documents", cites=["art-16-caput", "art-17-caput", "art-17-par-un", "art-20-caput", "art-20-par-un"])
def documents(given: DocumentsGiven, law: Law) -> Verdict[DocumentsAnswer]:
    """Complete when every document of the list that applies to the person stands in enough copies."""
    missing, to_check, grounds = [], [], []
    wanted = _list(law, given.list, given.person.brazilian, given.on)
    for row in wanted.value:
        if why_not_owed(row, given.person.brazilian, given.person.military, law):
            continue
        count = given.presented.get(row["code"], 0)
        holds: bool | None = count >= row["copies"] or row["code"] in given.waived
        if not holds and row["code"] in given.sent:
            holds = None
            to_check.append(row["code"])
        elif not holds:
            missing.append(row["code"])
        grounds.append(_ground(row, count, holds, wanted, law))
    complete = not (missing or to_check)
    answer = DocumentsAnswer(tuple(missing), tuple(to_check), "complete" if complete else "pending")
    return Verdict("allow" if complete else "pending", answer, tuple(grounds))


def document_list(law: Law, name: str, brazilian: bool, on: date) -> list[Mapping[str, Any]]:
    """The rows of a list; a foreigner's own list takes its place where the decree has one."""
    rows: list[Mapping[str, Any]] = _list(law, name, brazilian, on).value
    return rows


def _list(law: Law, name: str, brazilian: bool, on: date) -> DatedValue:
    lists = (key.removeprefix(_LIST) for key in law.book.parameters if key.startswith(_LIST))
    known("A lista de documentos", name, lists)
    return law.value(_LIST + (name if brazilian else _FOREIGN.get(name, name)), on)


def why_not_owed(row: Mapping[str, Any], brazilian: bool, military: bool, law: Law) -> str:
    """Why a row is not owed by this person, as a sentence code; "" when it is owed."""
    applies = row["applies"]
    if applies in ("brazilian", "brazilian_military") and not brazilian:
        return "waived_foreigner"
    if applies == "brazilian_military" and not military:
        return "waived_no_military"
    if applies == "union" and law.reading("union_membership") != "block":
        return "waived_union"
    if applies == "art17_swap" and law.reading("documents.art20.foreigner") != "art17_swap":
        return "waived_art17_only"
    return "waived_later" if applies == "after_licence" else ""


def _ground(row: Mapping[str, Any], count: int, holds: bool | None, wanted: DatedValue, law: Law) -> Ground:
    short = row["copies"] - count
    facts = {"label": row["label"], "count": count, "copies": row["copies"], "short": short}
    if holds is None:
        code = "document_sent"
    elif holds:
        code = "document_ok"
    elif row["copies"] == 1:
        code = "document_missing"
    else:
        code = "document_copy_short" if short == 1 else "document_copies_short"
    return ground(law, row["provision"], code, holds, (wanted,), **facts)
