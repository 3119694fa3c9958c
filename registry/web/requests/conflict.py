"""A stale save of a request as people read it: names instead of ids, choices instead of codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from registry.domain.regime import FactField
from registry.services.errors import NotFound, Stale
from registry.services.facts import decode, for_field
from registry.services.people import person_of, printed_document
from registry.services.request_view import RequestPage
from registry.services.vehicles import vehicle_of
from registry.web.edge import authority, desk, session
from registry.web.formats import ABSENT, money, yes_no
from registry.web.requests.forms import FACT, LINKS


@dataclass(frozen=True)
class Differing:
    """One field: its values as they stand in the input, and as people read them (``before_words`` ...)."""

    field: str
    label: str
    before: str
    mine: str
    theirs: str
    before_words: str
    mine_words: str
    theirs_words: str


def readable(stale: Stale, page: RequestPage) -> Stale:
    """The same conflict with the names and texts of the form's fields."""
    entries: Any = tuple(_differing(page, entry) for entry in stale.entries)
    return Stale(entries, stale.by, stale.at, stale.version)


def _differing(page: RequestPage, entry: Any) -> Differing:
    name, read = _reader(page, entry.field)
    pairs = [read(value) for value in (entry.before, entry.mine, entry.theirs)]
    texts, words = [pair[0] for pair in pairs], [pair[1] or ABSENT for pair in pairs]
    return Differing(name, entry.label, *texts, *words)


def _reader(page: RequestPage, field: str) -> tuple[str, Any]:
    """The form's field, and how a stored value becomes its text and its words."""
    by_link = {link: name for name, link in LINKS.items()}
    if field in by_link:
        return by_link[field], _vehicle if field == "vehicle_id" else _person
    regime = desk().regime(page.regime)
    if field.startswith("facts."):
        kind = regime.request_kind(page.kind)
        fact = next(each for each in kind.fields if each.name == field.removeprefix("facts."))
        return f"{FACT}{fact.name}", lambda value: _fact(fact, value)
    choices = regime.categories if field == "category" else regime.holder_kinds
    labels = {each.code: each.label for each in choices}
    return field, lambda value: (value or "", labels.get(value, value or ""))


def _person(value: int | None) -> tuple[str, str]:
    try:
        person = person_of(session(), authority().code, value) if value else None
    except NotFound:
        person = None
    if person is None:
        return "", ""
    printed = printed_document(person.kind, person.document)
    return printed, f"{person.name}, {printed}"


def _vehicle(value: int | None) -> tuple[str, str]:
    plate = vehicle_of(session(), authority().code, value).plate if value else ""
    return plate, plate


def _fact(fact: FactField, stored: Any) -> tuple[str, str]:
    value = decode([fact], {fact.name: stored})[fact.name]
    text = for_field(fact.kind, value)
    if fact.kind == "flag":
        return text, yes_no(value)
    if fact.kind == "money":
        return text, money(value) if value is not None else ""
    return text, {each.code: each.label for each in fact.choices}.get(text, text)
