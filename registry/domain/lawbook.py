"""A plugin's law data: provisions, dated parameters, readings, sentences and calendar, read from ``law/*.toml``.

File shapes (all files of the folder are merged; floats are refused, decimals are text):

``provisions.toml``   ``[[provision]] id, label, cite, kind, verbs = ["enforce"], question = "q" | table/route/template = "x"
                      | declaratory = "why" , via = "mechanism"``; a provision with none of these is untreated.
``parameters.toml`` and any other topic file (checklists, fees, infractions):
                      ``[parameter."key"] unit, provision, label, note, values = [{from = 1978-10-09, until?, value, act?}]``
``readings.toml``     ``[[reading]] id, key, provisions = [], problem, choice, reason, since, default, options = [..], fixed``
``sentences.toml``    ``[sentence] code = "A vistoria venceu em {on:date}."``, ``[todo] code = "Marque nova vistoria."``
``calendar.toml``     ``[[day]] rule, name, kind?, from_year?, until_year?``, ``[[closure]]``, ``[[opening]]``, as
                      :meth:`registry.domain.calendar.Calendar.from_data` reads them
``cases.toml``        what only the case runner needs to turn a case's ``given`` into facts, settings and dated values.
                      Every table maps a given key; under ``[table.<question>]`` it holds for that question alone.

  ``[options.<question>] mode = "vehicle_age.mode"``   the given key chooses a reading (by its key in readings.toml)
  ``[config_aliases] first_day_rule = "deadlines.first_day_rule"``   the same for the keys inside ``given.config``
                      (a key that does not stand here must itself be a reading's key)
  ``[dated] custo_km = "custo_km"``   the given key is an index value, read by ``law.index(key, on)``: a scalar is in force
                      on every day, a list of ``{from, value}`` from each day on, null is no value; anything else (lists and
                      tables of text, as override_periods) is one value, as read, in force on every day
  ``[series] series = {index = "custo_km", table = "custo_km_series"}``   the given key names an entry ``{day: value}`` of
                      that table of the file's header
  ``[defaults] quantity = "1"``   the value of an absent given key where it is not false, null or []

``extra_closures`` (a list of days) always goes into the calendar and needs no entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from registry.domain.calendar import Calendar, CalendarError
from registry.domain.sentences import format_sentence
from registry.domain.values import DatedValue, NoValueInForce


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

    def provision(self, provision_id: str) -> Provision:
        """The provision of this id. Raises KeyError."""
        return self.provisions[provision_id]

    def value(self, key: str, on: date) -> DatedValue:
        """The parameter in force on a day. Raises :class:`NoValueInForce`."""
        in_force = [entry for entry in self.parameters.get(key, ()) if entry.in_force(on)]
        if not in_force:
            raise NoValueInForce(key, on)
        return max(in_force, key=lambda entry: entry.since)

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

    Raises :class:`LawbookError` naming the file and entry that is wrong.
    """
    provisions: dict[str, Provision] = {}
    parameters: dict[str, tuple[DatedValue, ...]] = {}
    readings: dict[str, Reading] = {}
    sentences: dict[str, str] = {}
    todos: dict[str, str] = {}
    calendar: dict[str, Any] = {}
    cases: Mapping[str, Any] = {}
    for name in sorted(files):
        content = files[name]
        _refuse_floats(plugin, name, content)
        if name == "cases.toml":
            cases = content
            continue
        for entry in content.get("provision", ()):
            provision = _provision(plugin, name, entry)
            if provision.id in provisions:
                raise LawbookError(f"{plugin}: {name}: provision {provision.id!r} stands twice; remove one")
            provisions[provision.id] = provision
        for key, entry in content.get("parameter", {}).items():
            if key in parameters:
                raise LawbookError(f"{plugin}: {name}: parameter {key!r} stands twice; remove one")
            parameters[key] = _parameter(plugin, name, key, entry)
        for entry in content.get("reading", ()):
            reading = _reading(plugin, name, entry)
            readings[reading.key] = reading
        sentences.update(content.get("sentence", {}))
        todos.update(content.get("todo", {}))
        if name == "calendar.toml":
            calendar = dict(content)
    try:
        days = Calendar.from_data(calendar)
    except CalendarError as error:
        raise LawbookError(f"{plugin}: calendar.toml: {error}") from error
    return Lawbook(plugin, version, provisions, parameters, readings, sentences, todos, days, cases)


def _provision(plugin: str, name: str, entry: Mapping[str, Any]) -> Provision:
    missing = {"id", "label", "cite", "kind"} - entry.keys()
    if missing:
        raise LawbookError(f"{plugin}: {name}: provision {entry.get('id', '?')!r} lacks {', '.join(sorted(missing))}")
    place_kind = next((kind for kind in ("table", "route", "template") if kind in entry), "")
    return Provision(
        id=entry["id"],
        label=entry["label"],
        cite=entry["cite"],
        kind=entry["kind"],
        verbs=tuple(entry.get("verbs", ())),
        question=entry.get("question", ""),
        place=entry.get(place_kind, "") if place_kind else "",
        place_kind=place_kind,
        declaratory=entry.get("declaratory", ""),
        via=entry.get("via", ""),
    )


def _parameter(plugin: str, name: str, key: str, entry: Mapping[str, Any]) -> tuple[DatedValue, ...]:
    values = entry.get("values", ())
    if not values or "unit" not in entry or "provision" not in entry:
        raise LawbookError(f"{plugin}: {name}: parameter {key!r} needs unit, provision and at least one dated value")
    dated = []
    for value in values:
        if not isinstance(value.get("from"), date) or "value" not in value:
            raise LawbookError(f"{plugin}: {name}: a value of {key!r} needs `from` (a day) and `value`")
        dated.append(
            DatedValue(
                key=key,
                value=value["value"],
                unit=entry["unit"],
                since=value["from"],
                until=value.get("until"),
                provision=entry["provision"],
                act=value.get("act", ""),
                label=entry.get("label", ""),
                note=entry.get("note", ""),
            )
        )
    return tuple(dated)


def _reading(plugin: str, name: str, entry: Mapping[str, Any]) -> Reading:
    missing = {"id", "key", "problem", "choice", "reason", "since", "default"} - entry.keys()
    if missing:
        raise LawbookError(f"{plugin}: {name}: reading {entry.get('id', '?')!r} lacks {', '.join(sorted(missing))}")
    return Reading(
        id=entry["id"],
        key=entry["key"],
        provisions=tuple(entry.get("provisions", ())),
        problem=entry["problem"],
        choice=entry["choice"],
        reason=entry["reason"],
        since=entry["since"],
        default=entry["default"],
        options=tuple(entry.get("options", ())),
        fixed=entry.get("fixed", not entry.get("options")),
    )


def _refuse_floats(plugin: str, name: str, content: Any) -> None:
    if isinstance(content, float):
        raise LawbookError(f"{plugin}: {name}: {content} is a binary float; write decimals as text")
    if isinstance(content, Mapping):
        for value in content.values():
            _refuse_floats(plugin, name, value)
    elif isinstance(content, list | tuple):
        for value in content:
            _refuse_floats(plugin, name, value)
