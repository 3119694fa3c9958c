"""Case files: worked examples of the law, and what it takes to ask them.

A case says which facts (``given``), under which settings and dated values, lead to which answer (``expect``). Only here
are absent facts filled and option keys, series and index values of a case turned into settings of the law; the mapping
is the plugin's ``cases.toml`` (see :mod:`registry.domain.lawbook`). Documents are plain mappings of texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import date, datetime, time, tzinfo
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any, Literal

from registry.domain.convert import ConversionError, fill_absent, to_plain, to_type
from registry.domain.law import Law, Question, Verdict
from registry.domain.lawbook import Lawbook
from registry.domain.money import RoundingMode
from registry.domain.values import DatedValue, FactError

SETS = frozenset({"articles", "missing", "reasons", "warnings", "effects"})
CLOSURES = "extra_closures"
CONFIG = "config"
_OTHER_ROUNDINGS: tuple[tuple[str, RoundingMode], ...] = (("_half_even", "half_even"), ("_truncated", "down"))
_NULL = ("null", "~", "")


class CaseError(ValueError):
    """A case file or a case cannot be read; the message (pt-BR) names the case and the key."""


@dataclass(frozen=True)
class Case:
    """One worked example: ``article`` is the provision it is about, ``why`` its reasoning, ``header`` its file's."""

    id: str
    article: str
    ask: str
    given: Mapping[str, Any]
    expect: Mapping[str, Any]
    why: str = ""
    header: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class CaseFile:
    """The cases of one file; ``regime`` is the plugin or regime whose questions they ask."""

    regime: str
    cases: tuple[Case, ...]


@dataclass(frozen=True)
class Mismatch:
    """A field of the answer that came out otherwise; both sides as plain text."""

    field: str
    expected: str
    got: str


@dataclass(frozen=True)
class CaseResult:
    """How a case came out. ``skipped`` = nobody answers its question. ``error`` says why it could not be asked."""

    case: Case
    status: Literal["passed", "failed", "skipped"]
    mismatches: tuple[Mismatch, ...] = ()
    error: str = ""


def read_case_file(document: Any) -> CaseFile:
    """The cases of a parsed file. Raises :class:`CaseError` for a wrong shape or an id that stands twice."""
    if not isinstance(document, Mapping) or not isinstance(document.get("cases"), list) or "regime" not in document:
        raise CaseError("o arquivo não é de casos: precisa de «regime» e da lista «cases»")
    header = document.get("header") or {}
    cases: dict[str, Case] = {}
    for entry in document["cases"]:
        missing = {"id", "ask", "given", "expect"} - set(entry)
        if missing:
            raise CaseError(f"ao caso {entry.get('id', '?')} falta {', '.join(sorted(missing))}")
        if entry["id"] in cases:
            raise CaseError(f"o caso {entry['id']} está duas vezes")
        cases[entry["id"]] = Case(
            id=entry["id"],
            article=entry.get("article", ""),
            ask=entry["ask"],
            given=entry["given"] or {},
            expect=entry["expect"] or {},
            why=entry.get("why", ""),
            header=header,
        )
    return CaseFile(str(document["regime"]), tuple(cases.values()))


def run_case(case: Case, questions: Mapping[str, Question[Any, Any]], law: Law) -> CaseResult:
    """Asks one case and compares the answer with what it expects.

    ``law`` is the plugin's with its default readings and no index values. A rule that raises fails the case.
    """
    question = questions.get(case.ask)
    if question is None:
        return CaseResult(case, "skipped")
    try:
        facts, ruled = _facts_and_law(case, question, law)
        given = to_type(fill_absent(question.given_type, facts), question.given_type, zone=law.zone)
    except (CaseError, ConversionError) as error:
        return CaseResult(case, "failed", error=str(error))
    try:
        mismatches = tuple(_mismatches(case, question, given, ruled))
    except FactError as error:
        return CaseResult(case, "failed", error=str(error))
    except Exception as error:
        return CaseResult(case, "failed", error=f"a regra falhou: {type(error).__name__}: {error}")
    return CaseResult(case, "failed" if mismatches else "passed", mismatches)


def run_cases(cases: Iterable[Case], questions: Mapping[str, Question[Any, Any]], law: Law) -> tuple[CaseResult, ...]:
    """Asks every case, in order."""
    return tuple(run_case(case, questions, law) for case in cases)


def verdict_of(case: Case, questions: Mapping[str, Question[Any, Any]], law: Law) -> Verdict[Any] | None:
    """The whole verdict of one case; None when nobody answers its question. Raises what reading or asking it raises."""
    question = questions.get(case.ask)
    if question is None:
        return None
    facts, ruled = _facts_and_law(case, question, law)
    verdict: Verdict[Any] = question(
        to_type(fill_absent(question.given_type, facts), question.given_type, zone=law.zone), ruled
    )
    return verdict


def cited(case: Case, book: Lawbook) -> frozenset[str]:
    """The provisions of the book that a case is about or expects to find in the answer."""
    return frozenset(text for text in _texts((case.article, case.expect)) if text in book.provisions)


def _facts_and_law(case: Case, question: Question[Any, Any], law: Law) -> tuple[dict[str, Any], Law]:
    """The case's given parted into facts and the law it is asked under."""
    book = law.book
    own = {each.name.rstrip("_") for each in fields(question.given_type)}
    options, dated = _for_question(book, "options", case.ask), _for_question(book, "dated", case.ask)
    series, facts = _for_question(book, "series", case.ask), _for_question(book, "defaults", case.ask)
    facts = {key: value for key, value in facts.items() if key in own}
    readings, indexes = dict(law.readings), dict(law.indexes)
    calendar = law.calendar
    for key, value in case.given.items():
        if key in own:
            facts[key] = value
        elif key == CONFIG:
            aliases = book.cases.get("config_aliases", {})
            for name, chosen in value.items():
                reading = aliases.get(name, name)
                readings[reading] = _option(book, reading, chosen)
        elif key == CLOSURES:
            calendar = calendar.with_closures(to_type(value, list[date], CLOSURES))
        elif key in options:
            readings[options[key]] = _option(book, options[key], value)
        elif key in dated:
            indexes[dated[key]] = _dated(book, dated[key], value)
        elif key in series:
            indexes[series[key]["index"]] = _series(case, book, series[key], value)
        else:
            raise CaseError(f"«{key}» não é fato de {case.ask} nem está em cases.toml")
    return facts, replace(law, readings=readings, indexes=indexes, calendar=calendar)


def _for_question(book: Lawbook, table: str, question: str) -> dict[str, Any]:
    """The entries of a table of cases.toml that hold for a question: those of all, and those under its name."""
    entries = book.cases.get(table, {})
    general = {key: value for key, value in entries.items() if not isinstance(value, Mapping) or "index" in value}
    return general | dict(entries.get(question, {}))


def _option(book: Lawbook, key: str, text: Any) -> Any:
    """The option of a reading that a case's text names, with the option's own type."""
    if key not in book.readings:
        raise CaseError(f"não existe a leitura «{key}»")
    reading = book.readings[key]
    allowed = (reading.default, *reading.options)
    for option in allowed:
        if _text(option) == _text(text):
            return option
    listed = ", ".join(dict.fromkeys(_text(option) for option in allowed))
    raise CaseError(f"«{_text(text)}» não é opção da leitura «{key}» ({listed})")


def _dated(book: Lawbook, key: str, value: Any) -> tuple[DatedValue, ...]:
    if value is None or value in _NULL:
        return ()
    steps = isinstance(value, list) and all(isinstance(e, Mapping) and set(e) == {"from", "value"} for e in value)
    if steps and value:
        return tuple(_entry(book, key, to_type(each["from"], date, f"{key}.from"), each["value"]) for each in value)
    return (_entry(book, key, date.min, value),)


def _series(case: Case, book: Lawbook, mapping: Mapping[str, str], name: str) -> tuple[DatedValue, ...]:
    table = case.header.get(mapping["table"], {})
    if name not in table:
        raise CaseError(f"o cabeçalho do arquivo não tem «{mapping['table']}.{name}»")
    return tuple(
        _entry(book, mapping["index"], to_type(day, date, f"{name}.{day}"), value) for day, value in table[name].items()
    )


def _entry(book: Lawbook, key: str, since: date, value: Any) -> DatedValue:
    """An index value as an act would set it; a whole number where the book's own value is one."""
    shipped = book.parameters.get(key, ())
    like = shipped[-1] if shipped else None
    if like is not None and type(like.value) is int and isinstance(value, str):
        value = to_type(value, int, key)
    return DatedValue(
        key=key,
        value=value,
        unit=like.unit if like else "",
        since=since,
        provision=like.provision if like else "",
        act="caso",
        label=like.label if like else "",
    )


def _mismatches(case: Case, question: Question[Any, Any], given: Any, law: Law) -> Iterable[Mismatch]:
    answer = question(given, law).answer
    for name, expected in case.expect.items():
        found, got = _answered(question, given, law, answer, name)
        if not found:
            yield Mismatch(name, _shown(expected), "a resposta não tem este campo")
        elif not _same(expected, got, law.zone, as_set=name in SETS):
            yield Mismatch(name, _shown(expected), _shown(got))


def _answered(question: Question[Any, Any], given: Any, law: Law, answer: Any, name: str) -> tuple[bool, Any]:
    """A field of the answer; ``amount_half_even`` and ``amount_truncated`` re-ask with that rounding."""
    for attribute in (name, f"{name}_"):
        if hasattr(answer, attribute):
            return True, getattr(answer, attribute)
    for suffix, mode in _OTHER_ROUNDINGS:
        plain = name.removesuffix(suffix)
        if plain != name and hasattr(answer, plain):
            return True, getattr(question(given, replace(law, rounding=mode)).answer, plain)
    return False, None


def _same(expected: Any, got: Any, zone: tzinfo, as_set: bool = False) -> bool:
    """Whether an expected value is the answer's: decimals by value, moments as civil time, maps by the keys asked."""
    if isinstance(expected, Mapping):
        return _same_map(expected, got, zone)
    if isinstance(expected, list | tuple):
        if not isinstance(got, Sequence | Set) or isinstance(got, str):
            return False
        if as_set or isinstance(got, Set):
            return {_text(each) for each in expected} == {_text(each) for each in got}
        return len(expected) == len(got) and all(_same(e, g, zone) for e, g in zip(expected, got, strict=True))
    if got is None or expected is None:
        return got is None and (expected is None or expected in _NULL)
    if isinstance(got, datetime):
        return _civil(expected, zone) == _civil(got, zone)
    if isinstance(got, Decimal | int) and not isinstance(got, bool):
        try:
            return Decimal(str(expected)) == got
        except InvalidOperation:
            return False
    if isinstance(got, time) and isinstance(expected, str):
        return _time(expected) == got
    return _text(expected) == _text(got)


def _same_map(expected: Mapping[Any, Any], got: Any, zone: tzinfo) -> bool:
    if is_dataclass(got) and not isinstance(got, type):
        got = {each.name.rstrip("_"): getattr(got, each.name) for each in fields(got)}
    if not isinstance(got, Mapping):
        return False
    by_text = {_text(key): value for key, value in got.items()}
    return all(_text(key) in by_text and _same(value, by_text[_text(key)], zone) for key, value in expected.items())


def _civil(value: Any, zone: tzinfo) -> datetime | None:
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo is None else moment.astimezone(zone).replace(tzinfo=None)


def _time(text: str) -> time | None:
    try:
        return time.fromisoformat(text)
    except ValueError:
        return None


def _text(value: Any) -> str:
    """A scalar as case files write it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return _text(value.value)
    return str(to_plain(value))


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(key)}: {_shown(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple | Set):
        return "[" + ", ".join(_shown(each) for each in value) + "]"
    return _text(value)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
