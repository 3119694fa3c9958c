"""A plugin's law data: provisions, dated parameters, readings, sentences and calendar, read from ``law/*.toml``.

All files of the folder are merged. Floats are refused: decimals are text. A key that stands nowhere here is refused.

provisions.toml
    ``[[provision]] id, label, cite, kind, verbs = ["enforce"], via = "mechanism"`` and at most one treatment:
    ``question = "name"``, ``table``, ``route`` or ``template = "name"``, ``declaratory = "why"``; none = untreated.
parameters.toml and any other topic file (checklists, fees, infractions)
    ``[parameter."key"] unit, provision, label?, note?, values = [{from = 1978-10-09, until?, value, act?}]``
indexes.toml
    ``[index."key"] label, unit, provision, note?, places = 4, optional = false``: a value that an act sets and
    ``law.index(key, on)`` reads; the authority enters it on the screen of the index values. A parameter of the same key
    is the decree's own; an optional one is not asked for before the first permit.
readings.toml
    ``[[reading]] id, key, provisions = [], problem, choice, reason, since, default, options = [], fixed?``
sentences.toml
    ``[sentence] code = "A vistoria venceu em {on:date}."`` and ``[todo] code = "Marque nova vistoria."``
calendar.toml
    ``[[day]] rule, name, kind?, from_year?, until_year?``, ``[[closure]]``, ``[[opening]]``, as
    :meth:`registry.domain.calendar.Calendar.from_data` reads them.
cases.toml
    What only the case runner needs to turn a case's ``given`` into facts, settings and dated values. Every table maps a
    given key; under ``[table.<question>]`` it holds for that question alone. A key that is a field of the question's
    facts stays a fact.

    ``[options.<question>] mode = "vehicle_age.mode"``: the given key chooses a reading, by its key in readings.toml.
    ``[config_aliases] first_day_rule = "deadlines.first_day_rule"``: the same for the keys inside ``given.config``; one
    that does not stand here must itself be a reading's key.
    ``[dated] custo_km = "custo_km"``: the given key is an index value, read by ``law.index(key, on)``. A scalar is in
    force on every day, a list of ``{from, value}`` from each day on, null is no value; anything else (lists and tables,
    as override_periods) is one value, as read, in force on every day.
    ``[series] series = {index = "custo_km", table = "custo_km_series"}``: the given key names an entry ``{day: value}``
    of that table of the file's header.
    ``[defaults] quantity = "1"``: the value of an absent given key where it is not false, null or [].

    ``extra_closures`` (a list of days) always goes into the calendar and needs no entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from typing import Any, TypeVar

from registry.domain.calendar import Calendar, CalendarError
from registry.domain.sentences import check_sentence, format_sentence
from registry.domain.values import DatedValue, NoValueInForce

_TREATMENTS = ("question", "table", "route", "template", "declaratory")
_TABLES = {"provision", "parameter", "index", "reading", "sentence", "todo"}
_PLACES = 4
_CALENDAR_TABLES = {"day", "closure", "opening", "optional_closed"}
_CASES_TABLES = {"options", "config_aliases", "dated", "series", "defaults"}


class LawbookError(ValueError):
    """The plugin's law data is wrong; the message names the file entry and the mend."""


@dataclass(frozen=True)
class Provision:
    """One unit of the law and how the software treats it.

    ``verbs`` are what the register asks (enforce, compute, block, record, display, print, remind, declaratory).
    Exactly one treatment is expected: ``question``; ``place`` (a table, route or template that exists); or
    ``declaratory`` with its reason. None of them = untreated.
    """

    id: str
    label: str
    cite: str
    kind: str
    verbs: tuple[str, ...] = ()
    question: str = ""
    place: str = ""
    place_kind: str = ""
    declaratory: str = ""
    via: str = ""

    @property
    def treated(self) -> bool:
        """Whether the software does something with it, or says why not."""
        return bool(self.question or self.place or self.declaratory)


@dataclass(frozen=True)
class Reading:
    """The reading adopted of an ambiguous provision. ``options`` are the values that config may choose."""

    id: str
    key: str
    provisions: tuple[str, ...]
    problem: str
    choice: str
    reason: str
    since: date
    default: Any
    options: tuple[Any, ...] = ()
    fixed: bool = False


@dataclass(frozen=True)
class IndexKind:
    """A value that an act sets (custo/km, UFR, population): its pt-BR name, unit, provision, most decimal places.

    ``optional``: the rules do without it where no act has set one.
    """

    key: str
    label: str
    unit: str
    provision: str
    note: str = ""
    places: int = _PLACES
    optional: bool = False


@dataclass(frozen=True)
class Lawbook:
    """The law data of one plugin, ready to be consulted."""

    plugin: str
    version: str
    provisions: Mapping[str, Provision] = field(default_factory=dict)
    parameters: Mapping[str, tuple[DatedValue, ...]] = field(default_factory=dict)
    readings: Mapping[str, Reading] = field(default_factory=dict)
    sentences: Mapping[str, str] = field(default_factory=dict)
    todos: Mapping[str, str] = field(default_factory=dict)
    calendar: Calendar = field(default_factory=Calendar)
    cases: Mapping[str, Any] = field(default_factory=dict)
    indexes: Mapping[str, IndexKind] = field(default_factory=dict)

    def name(self, key: str) -> str:
        """What screens call a dated value: its label, else its key in words."""
        if key in self.indexes:
            return self.indexes[key].label
        labels = (value.label for value in self.parameters.get(key, ()) if value.label)
        return next(labels, key.replace("_", " "))

    def provision(self, provision_id: str) -> Provision:
        """The provision of this id. Raises KeyError."""
        return self.provisions[provision_id]

    def value(self, key: str, on: date) -> DatedValue:
        """The parameter in force on a day. Raises :class:`NoValueInForce`."""
        latest: DatedValue | None = None
        for entry in self.parameters.get(key, ()):
            if entry.in_force(on) and (latest is None or entry.since > latest.since):
                latest = entry
        if latest is None:
            raise NoValueInForce(key, on)
        return latest

    def reading(self, key: str) -> Reading:
        """The reading shipped under this key. Raises KeyError."""
        return self.readings[key]

    def say(self, code: str, facts: Mapping[str, Any]) -> str:
        """The sentence of this code with its facts filled in. Raises KeyError for an unknown code or fact."""
        return format_sentence(self.sentences[code], facts)

    def todo(self, code: str) -> str:
        """What the person can do about a reason; "" where there is nothing."""
        return self.todos.get(code, "")


def build_lawbook(plugin: str, version: str, files: Mapping[str, Mapping[str, Any]]) -> Lawbook:
    """The lawbook from parsed TOML files (``{"provisions.toml": {...}, ...}``).

    Raises :class:`LawbookError` naming the file and entry that is wrong: an unknown table or key, a missing one, an
    entry that stands twice, two values of one day, a float, a sentence that cannot be filled in.
    """
    provisions: dict[str, Provision] = {}
    parameters: dict[str, tuple[DatedValue, ...]] = {}
    indexes: dict[str, IndexKind] = {}
    readings: dict[str, Reading] = {}
    sentences: dict[str, str] = {}
    todos: dict[str, str] = {}
    calendar: dict[str, Any] = {}
    cases: Mapping[str, Any] = {}
    for name in sorted(files):
        content, place = files[name], f"{plugin}: {name}"
        _refuse_floats(place, content)
        if name == "cases.toml":
            _refuse_unknown(place, content, _CASES_TABLES)
            cases = content
            continue
        _refuse_unknown(place, content, _CALENDAR_TABLES if name == "calendar.toml" else _TABLES)
        if name == "calendar.toml":
            calendar = dict(content)
            continue
        for entry in content.get("provision", ()):
            provision = _provision(place, entry)
            _add(place, "provision", provisions, provision.id, provision)
        for key, entry in content.get("parameter", {}).items():
            _add(place, "parameter", parameters, key, _parameter(place, key, entry))
        for key, entry in content.get("index", {}).items():
            _add(place, "index", indexes, key, _index(place, key, entry))
        for entry in content.get("reading", ()):
            reading = _reading(place, entry)
            _add(place, "reading", readings, reading.key, reading)
        for table, target in (("sentence", sentences), ("todo", todos)):
            for code, template in content.get(table, {}).items():
                _check_sentence(place, code, template)
                _add(place, table, target, code, template)
    try:
        days = Calendar.from_data(calendar)
    except CalendarError as error:
        raise LawbookError(f"{plugin}: calendar.toml: {error}") from error
    return Lawbook(plugin, version, provisions, parameters, readings, sentences, todos, days, cases, indexes)


T = TypeVar("T")


def _add(place: str, what: str, entries: dict[str, T], key: str, value: T) -> None:
    if key in entries:
        raise LawbookError(f"{place}: {what} {key!r} stands twice; remove one")
    entries[key] = value


def _check_keys(place: str, entry: Mapping[str, Any], needed: set[str], allowed: set[str]) -> None:
    missing = needed - entry.keys()
    if missing:
        raise LawbookError(f"{place} lacks {', '.join(sorted(missing))}")
    _refuse_unknown(place, entry, needed | allowed)


def _refuse_unknown(place: str, content: Mapping[str, Any], known: set[str]) -> None:
    for key in content:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            raise LawbookError(f"{place} has the unknown key {key!r}{f'; did you mean {near[0]!r}?' if near else ''}")


def _provision(place: str, entry: Mapping[str, Any]) -> Provision:
    place = f"{place}: provision {entry.get('id', '?')!r}"
    _check_keys(place, entry, {"id", "label", "cite", "kind"}, {"verbs", "via", *_TREATMENTS})
    treatments = [treatment for treatment in _TREATMENTS if treatment in entry]
    if len(treatments) > 1:
        raise LawbookError(f"{place} has {' and '.join(treatments)}; keep the one that treats it")
    place_kind = next((kind for kind in ("table", "route", "template") if kind in entry), "")
    return Provision(
        id=entry["id"],
        label=entry["label"],
        cite=entry["cite"],
        kind=entry["kind"],
        verbs=tuple(entry.get("verbs", ())),
        question=entry.get("question", ""),
        place=entry[place_kind] if place_kind else "",
        place_kind=place_kind,
        declaratory=entry.get("declaratory", ""),
        via=entry.get("via", ""),
    )


def _parameter(place: str, key: str, entry: Mapping[str, Any]) -> tuple[DatedValue, ...]:
    place = f"{place}: parameter {key!r}"
    _check_keys(place, entry, {"unit", "provision", "values"}, {"label", "note"})
    if not entry["values"]:
        raise LawbookError(f"{place} has no dated value")
    dated: list[DatedValue] = []
    for value in entry["values"]:
        _check_keys(f"{place}: a value", value, {"from", "value"}, {"until", "act"})
        since, until = _day(place, value["from"]), value.get("until")
        if until is not None and _day(place, until) < since:
            raise LawbookError(f"{place}: the value from {since} ends before it begins")
        if any(other.since == since for other in dated):
            raise LawbookError(f"{place} has two values from {since}; keep one")
        dated.append(
            DatedValue(
                key=key,
                value=value["value"],
                unit=entry["unit"],
                since=since,
                until=until,
                provision=entry["provision"],
                act=value.get("act", ""),
                label=entry.get("label", ""),
                note=entry.get("note", ""),
            )
        )
    return tuple(dated)


def _index(place: str, key: str, entry: Mapping[str, Any]) -> IndexKind:
    _check_keys(f"{place}: index {key!r}", entry, {"label", "unit", "provision"}, {"note", "places", "optional"})
    return IndexKind(key=key, **entry)


def _reading(place: str, entry: Mapping[str, Any]) -> Reading:
    place = f"{place}: reading {entry.get('id', '?')!r}"
    needed = {"id", "key", "problem", "choice", "reason", "since", "default"}
    _check_keys(place, entry, needed, {"provisions", "options", "fixed"})
    options = tuple(entry.get("options", ()))
    if options and not any(type(each) is type(entry["default"]) and each == entry["default"] for each in options):
        raise LawbookError(f"{place}: the default {entry['default']!r} is none of its options")
    return Reading(
        id=entry["id"],
        key=entry["key"],
        provisions=tuple(entry.get("provisions", ())),
        problem=entry["problem"],
        choice=entry["choice"],
        reason=entry["reason"],
        since=_day(place, entry["since"]),
        default=entry["default"],
        options=options,
        fixed=entry.get("fixed", not options),
    )


def _day(place: str, value: Any) -> date:
    if type(value) is not date:
        raise LawbookError(f"{place}: {value!r} is no day; write 2004-09-08 without quotes")
    return value


def _check_sentence(place: str, code: str, template: Any) -> None:
    try:
        check_sentence(template)
    except ValueError as error:
        raise LawbookError(f"{place}: sentence {code!r}: {error}") from error


def _refuse_floats(place: str, content: Any) -> None:
    if isinstance(content, float):
        raise LawbookError(f"{place}: {content} is a binary float; write decimals as text")
    if isinstance(content, Mapping):
        for value in content.values():
            _refuse_floats(place, value)
    elif isinstance(content, list | tuple):
        for value in content:
            _refuse_floats(place, value)
