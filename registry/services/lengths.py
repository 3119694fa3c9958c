"""How long a text may be: told beside its field before the database fails, and on every engine alike."""

from __future__ import annotations

from registry.services.errors import Refused

SHORT, LONG, DECISION = 400, 4000, 8000
"""What a reason, note, act or place may hold; an exigência and what else is asked; the text of a decision."""


def too_long(text: str, longest: int = SHORT, what: str = "O texto") -> str:
    """The sentence beside a text of more letters than its place; "" when it fits. ``what`` begins it (``O motivo``)."""
    size = len(text.strip())
    return f"{what} tem {size} letras. O limite é {longest}." if size > longest else ""


def long_faults(longest: int = SHORT, /, **texts: str) -> dict[str, str]:
    """The sentence beside each field whose text is too long."""
    found = {name: too_long(text, longest) for name, text in texts.items()}
    return {name: fault for name, fault in found.items() if fault}


def refuse_long(longest: int = SHORT, /, **texts: str) -> None:
    """Raises :class:`Refused` beside each field whose text is too long."""
    if faults := long_faults(longest, **texts):
        raise Refused(faults)
