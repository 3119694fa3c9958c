"""Hand-over windows of taxis by the last digit of the plate. The city gives the groups; no law stands here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time
from zoneinfo import ZoneInfo

__all__ = ["Group", "HandOver", "HandOverError", "Span", "hand_over_at"]


class HandOverError(ValueError):
    """The city's groups cannot answer; the message says what is missing."""


@dataclass(frozen=True)
class Span:
    """A stretch of the day, ``start`` included, ``end`` excluded."""

    start: time
    end: time

    def covers(self, clock: time) -> bool:
        """Whether the time of day lies in it."""
        return self.start <= clock < self.end

    @property
    def text(self) -> str:
        """``13:00-14:00``."""
        return f"{self.start:%H:%M}-{self.end:%H:%M}"


@dataclass(frozen=True)
class Group:
    """The plates ending in ``digits`` have the same windows, by one provision."""

    digits: tuple[int, ...]
    spans: tuple[Span, ...]
    provision: str


@dataclass(frozen=True)
class HandOver:
    """A plate's hand-over at an instant: its group, the window it is in (None = outside), naive civil time."""

    final_digit: int
    group: Group
    local: datetime
    current: Span | None

    @property
    def until(self) -> datetime | None:
        """The civil instant at which the current window ends; None outside one."""
        return datetime.combine(self.local.date(), self.current.end) if self.current else None


def hand_over_at(groups: Sequence[Group], final_digit: int, at: datetime, zone: ZoneInfo) -> HandOver:
    """The windows of plates ending in a digit and whether an aware instant lies in one, on any day of the week.

    Raises :class:`HandOverError` when no group has the digit.
    """
    if at.tzinfo is None:
        raise ValueError("hand_over_at takes an aware instant")
    local = at.astimezone(zone).replace(tzinfo=None)
    for group in groups:
        if final_digit in group.digits:
            current = next((span for span in group.spans if span.covers(local.time())), None)
            return HandOver(final_digit, group, local, current)
    raise HandOverError(f"taxi_rendicao: no group has plates ending in {final_digit}")
