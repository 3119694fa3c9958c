"""Single values read from text or from typed data: strict, ASCII, ISO. The leaves of :mod:`registry.domain.convert`."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any

NULL_WORDS = ("null", "~", "")

_LONGEST_SHOWN = 60
_BOOLS = {"true": True, "false": False}
_INT = re.compile(r"[+-]?[0-9]{1,100}")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,100}(\.[0-9]{1,100})?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?")


class ConversionError(ValueError):
    """A value does not fit its type. ``path`` names the place (``vehicles[0].year``), ``message`` says why in pt-BR."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path
        self.message = message

    def inside(self, place: str) -> ConversionError:
        """The same error seen from one level further out, where its value stands at ``place``."""
        joint = "." if place and self.path and not self.path.startswith("[") else ""
        return ConversionError(f"{place}{joint}{self.path}", self.message)


def shown(value: Any) -> str:
    """A value that was refused, for a message: quoted, cut where it is long."""
    text = value if isinstance(value, str) else repr(value)
    return f"«{text[:_LONGEST_SHOWN]}»"


def choice_text(choice: Any) -> str:
    """A choice of a vocabulary, or a key, as text: ``true``, ``2``, ``comum``."""
    if choice is None or isinstance(choice, bool):
        return {None: "null", True: "true", False: "false"}[choice]
    return str(choice)


def read_choice(value: Any, choices: tuple[Any, ...]) -> Any:
    """The choice that the value is or spells. Raises :class:`ConversionError` listing the choices."""
    for choice in choices:
        if type(value) is type(choice) and value == choice:
            return choice
    for choice in choices:
        if choice is not None and isinstance(value, str) and value == choice_text(choice):
            return choice
    listed = ", ".join(choice_text(choice) for choice in choices)
    raise ConversionError("", f"esperava um destes: {listed}; veio {shown(value)}")


def read_member(value: Any, members: type[Enum]) -> Enum:
    """The member of an enumeration whose value this is or spells. Raises :class:`ConversionError`."""
    if isinstance(value, members):
        return value
    by_value = {member.value: member for member in members}
    return by_value[read_choice(value, tuple(by_value))]


def read_scalar(value: Any, kind: type[Any]) -> Any:
    """A str, int, Decimal, bool, date, datetime or time. Raises :class:`ConversionError`; KeyError for another kind."""
    read, expected = _READERS[kind]
    if value is None:
        raise ConversionError("", "falta o valor")
    try:
        result = read(value)
    except ValueError:
        result = None
    if result is None:
        raise ConversionError("", f"esperava {expected}, veio {shown(value)}")
    return result


def is_scalar(kind: Any) -> bool:
    """Whether :func:`read_scalar` reads this kind."""
    return kind in _READERS


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _int(value: Any) -> int | None:
    if isinstance(value, str):
        return int(value) if _INT.fullmatch(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _decimal(value: Any) -> Decimal | None:
    if isinstance(value, str):
        return Decimal(value) if _DECIMAL.fullmatch(value) else None
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _bool(value: Any) -> bool | None:
    if isinstance(value, str):
        return _BOOLS.get(value)
    return value if isinstance(value, bool) else None


def _date(value: Any) -> date | None:
    if isinstance(value, str):
        return date.fromisoformat(value) if _DATE.fullmatch(value) else None
    return value if type(value) is date else None


def _datetime(value: Any) -> datetime | None:
    if isinstance(value, str):
        return datetime.fromisoformat(value) if _DATETIME.fullmatch(value) else None
    return value if isinstance(value, datetime) else None


def _time(value: Any) -> time | None:
    if isinstance(value, str):
        return time.fromisoformat(value) if _TIME.fullmatch(value) else None
    return value if isinstance(value, time) else None


_READERS: dict[Any, tuple[Callable[[Any], Any], str]] = {
    str: (_text, "um texto"),
    int: (_int, "um número inteiro"),
    Decimal: (_decimal, "um número decimal como 2.4731, escrito como texto"),
    bool: (_bool, "true ou false"),
    date: (_date, "um dia como 2026-11-30"),
    datetime: (_datetime, "um dia e hora como 2026-11-30T22:00"),
    time: (_time, "uma hora como 15:06"),
}
