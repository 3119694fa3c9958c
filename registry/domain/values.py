"""Dated values: a number, list or table of the law with the days on which it is in force."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any


class FactError(ValueError):
    """A fact that the law does not know or cannot use; the message (pt-BR) is for the person who gave it."""


class NoValueInForce(LookupError):
    """No value of this key is in force on that day."""

    def __init__(self, key: str, on: date) -> None:
        super().__init__(f"no value of {key!r} in force on {on.isoformat()}")
        self.key = key
        self.on = on


@dataclass(frozen=True)
class DatedValue:
    """A value of the law or of an act, in force from ``since`` to ``until`` (both included; None = open).

    ``value`` is an int, bool, text (decimals are kept as text), or a list or table of them. ``provision`` names the
    unit of the law, ``act`` the act that set it (empty for the decree itself).
    """

    key: str
    value: Any
    unit: str
    since: date
    until: date | None = None
    provision: str = ""
    act: str = ""
    label: str = ""
    note: str = ""

    def in_force(self, on: date) -> bool:
        """Whether the value is in force on that day."""
        return self.since <= on and (self.until is None or on <= self.until)

    @property
    def decimal(self) -> Decimal:
        """The value as an exact decimal."""
        return Decimal(str(self.value))

    @property
    def integer(self) -> int:
        """The value as a whole number; raises ValueError when it is none."""
        return int(str(self.value))
