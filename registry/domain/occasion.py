"""The occasion of a change: who, for which office and authority, when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo


@dataclass(frozen=True)
class Occasion:
    """Made once at the edge (app, cli, jobs) from the one clock; every service's first argument.

    ``at`` is an aware instant; ``once_key`` makes a repeated act show the first result ("" = none).
    """

    actor: str
    authority: str
    at: datetime
    zone: ZoneInfo
    office: str = ""
    actor_id: int | None = None
    trace_id: str = ""
    once_key: str = ""

    @property
    def on(self) -> date:
        """The civil day in the authority's zone."""
        return self.at.astimezone(self.zone).date()
