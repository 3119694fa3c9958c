"""The law layer: dated values, readings, questions and verdicts.

A rule is a pure function ``(given, law) -> Verdict``. ``given`` holds the facts, ``law`` everything that the legal
order supplies: dated values, index values, readings of ambiguous provisions, the calendar and the sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from types import ModuleType
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

from registry.domain.calendar import Calendar
from registry.domain.lawbook import Lawbook
from registry.domain.values import DatedValue, FactError, NoValueInForce

__all__ = [
    "Asked",
    "DatedValue",
    "FactError",
    "Ground",
    "Law",
    "NoValueInForce",
    "Outcome",
    "Question",
    "Step",
    "Verdict",
    "known",
    "question",
    "questions_in",
]

Outcome = Literal["allow", "deny", "refer", "pending"]
G = TypeVar("G")
A = TypeVar("A")


def known(what: str, name: str, options: Iterable[str]) -> str:
    """``name`` itself, where it is one of the options that the law lists.

    Raises :class:`FactError` that says in pt-BR what it is (``o código do item``) and which ones there are.
    """
    listed = list(dict.fromkeys(str(option) for option in options))
    if name not in listed:
        raise FactError(f"{what}: «{name}» não está na lista. Há: {', '.join(listed)}.")
    return name


@dataclass(frozen=True)
class Ground:
    """One reason of a verdict: the provision, what it found, the facts and dated values it used.

    ``holds`` is True when the provision is satisfied, False when it forbids, None when it only informs or warns.
    ``code`` is the reason code in the question's own vocabulary (``inspection_expired``); "" where it has none.
    ``text`` is one pt-BR sentence, made by :meth:`Law.say`.
    """

    provision: str
    text: str
    holds: bool | None = None
    code: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    values: tuple[DatedValue, ...] = ()


@dataclass(frozen=True)
class Step:
    """One line of the arithmetic: a short pt-BR sentence and, in a sum, its amount; ``total`` marks the result."""

    text: str
    amount: Decimal | None = None
    total: bool = False


@dataclass(frozen=True)
class Verdict(Generic[A]):
    """The answer of a question and why. ``outcome`` is what the workflow does with it.

    Grounds stand on an allow too. A question without a decision of its own has outcome ``allow``. A ``pending`` without
    a ground that forbids says that what is wanted is there and waits to be looked at (a document sent): its ground has
    ``holds`` None, and the request is held without anything being asked of the applicant.
    """

    outcome: Outcome
    answer: A
    grounds: tuple[Ground, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def against(self) -> tuple[Ground, ...]:
        """The grounds that forbid, in the order of the law."""
        return tuple(ground for ground in self.grounds if ground.holds is False)


@dataclass(frozen=True)
class Law:
    """What one plugin's law says, as the rules may consult it; no clock, no database.

    ``book`` is the plugin's law data, ``indexes`` the authority's index values by key (each entered with its act),
    ``readings`` the chosen options that differ from the book's defaults, ``rounding`` one of half_up, half_even, down.
    ``asked`` keeps what is asked under it (see :meth:`noting`); None = nothing is kept.
    """

    book: Lawbook
    calendar: Calendar
    zone: ZoneInfo
    indexes: Mapping[str, tuple[DatedValue, ...]] = field(default_factory=dict)
    readings: Mapping[str, Any] = field(default_factory=dict)
    rounding: Literal["half_up", "half_even", "down"] = "half_up"
    asked: list[Asked] | None = field(default=None, compare=False, repr=False)

    def noting(self) -> tuple[Law, list[Asked]]:
        """The same law, and a list to which each question asked under it is added with its facts and verdict."""
        asked: list[Asked] = []
        return replace(self, asked=asked), asked

    def value(self, key: str, on: date) -> DatedValue:
        """The decree's value of ``key`` in force on a day. Raises :class:`NoValueInForce`."""
        return self.book.value(key, on)

    def index(self, key: str, on: date) -> DatedValue:
        """The index value (custo/km, UFR, ...) in force on a day; the decree's own value where no act changed it.

        Raises :class:`NoValueInForce`, which the workflow shows as a pending finding.
        """
        in_force = [entry for entry in self.indexes.get(key, ()) if entry.in_force(on)]
        if in_force:
            return max(in_force, key=lambda entry: entry.since)
        return self.book.value(key, on)

    def reading(self, key: str) -> Any:
        """The reading adopted for an ambiguous provision: the configured option or the book's default.

        Raises KeyError when the plugin ships no such reading.
        """
        return self.readings[key] if key in self.readings else self.book.reading(key).default

    def say(self, code: str, **facts: Any) -> str:
        """The pt-BR sentence for a reason or step code, with its facts formatted (dates, money, rates)."""
        return self.book.say(code, facts)

    def cite(self, provision: str) -> str:
        """The short citation of a provision as screens print it (``Art. 29, § 1º, c``). Raises KeyError."""
        return self.book.provision(provision).cite


@dataclass(frozen=True)
class Question(Generic[G, A]):
    """A named legal computation of one plugin; calling it gives the verdict."""

    name: str
    cites: tuple[str, ...]
    function: Callable[[G, Law], Verdict[A]]
    given_type: type[G]
    answer_type: type[A]

    def __call__(self, given: G, law: Law) -> Verdict[A]:
        """Answers the question for these facts under this law."""
        verdict = self.function(given, law)
        if law.asked is not None:
            law.asked.append(Asked(self, given, verdict))
        return verdict


@dataclass(frozen=True)
class Asked:
    """A question as it was asked: its facts and what it answered."""

    question: Question[Any, Any]
    given: Any
    verdict: Verdict[Any]


def question(name: str, cites: Iterable[str]) -> Callable[[Callable[[G, Law], Verdict[A]]], Question[G, A]]:
    """Declares a rule function ``(given: G, law: Law) -> Verdict[A]`` as the question ``name``.

    ``cites`` are the provision ids that the rule applies; start-up refuses an id that the plugin's register lacks.
    G and A are frozen dataclasses, read from the annotations; G has no defaults.
    """

    def declare(function: Callable[[G, Law], Verdict[A]]) -> Question[G, A]:
        hints = get_type_hints(function)
        given = [hint for parameter, hint in hints.items() if parameter not in {"law", "return"}]
        answer = get_args(hints.get("return"))
        if len(given) != 1 or len(answer) != 1 or get_origin(hints["return"]) is not Verdict:
            raise TypeError(f"{function.__qualname__} must be declared (given: G, law: Law) -> Verdict[A]")
        (given_type,), (answer_type,) = given, answer
        return Question(name, tuple(cites), function, given_type, answer_type)

    return declare


def questions_in(*modules: ModuleType) -> tuple[Question[Any, Any], ...]:
    """Every question that these modules declare, in order. Raises ValueError when two share a name."""
    found: dict[str, Question[Any, Any]] = {}
    for module in modules:
        for member in vars(module).values():
            if isinstance(member, Question) and member.function.__module__ == module.__name__:
                if member.name in found:
                    raise ValueError(f"two questions are named {member.name!r}")
                found[member.name] = member
    return tuple(found.values())
