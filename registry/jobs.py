"""What the registry does by itself once a night; a timer of the machine calls it through ``registry jobs run``.

Nothing that anyone may do hangs on it: who may carry passengers, what is owed and what may be decided are asked anew
each time. It keeps the work lists and the exported heads of the audit chain up to the day.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

from registry.domain.occasion import Occasion
from registry.services.desk import Desk
from registry.services.progress import refresh_all
from registry.store.audit import Head, head
from registry.store.audit_head import append_head


@dataclass(frozen=True)
class Swept:
    """How many live requests of an authority are shown otherwise than before, and of how many no rule answered."""

    authority: str
    changed: int
    failed: int


@dataclass(frozen=True)
class Night:
    """What one nightly run did: the sweep of each authority, and the head of the audit chain that it exported."""

    swept: tuple[Swept, ...]
    head: Head

    @property
    def failed(self) -> bool:
        """Whether some request keeps what was shown of it, since a rule did not answer."""
        return any(each.failed for each in self.swept)


def nightly(desk: Desk, occasion: Callable[[str], Occasion], heads: Path) -> Night:
    """Derives every live request of every authority anew and appends the audit head to a file.

    Args:
        desk: of this installation.
        occasion: gives the occasion in the name of an authority, by its code.
        heads: text file of heads, made when there is none (see ``registry audit verify --head``).
    """
    occasions = [occasion(code) for code in desk.settings.authorities]
    swept = tuple(Swept(each.authority, *refresh_all(desk, each)) for each in occasions)
    with desk.store.reading() as session:
        now = head(session)
    append_head(heads, occasions[0].at.astimezone(UTC), now)
    return Night(swept, now)
