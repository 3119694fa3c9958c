"""How any page names an act: as a link where it is entered, with the way to enter it where it is not."""

from __future__ import annotations

from typing import Any, cast

from flask import g, request

from registry.services.acts import KnownActs, known_acts
from registry.web.edge import authority, desk, is_staff, session
from registry.web.shell import has_endpoint


def known() -> KnownActs:
    """The acts of the user's authority, read once in a request."""
    if "known_acts" not in g:
        sees = is_staff() and has_endpoint("acts.page")
        g.known_acts = known_acts(session(), desk(), authority().code) if sees else KnownActs()
    return cast(KnownActs, g.known_acts)


def act_id_of(text: str) -> int | None:
    """The act that a text names; None where it is not entered, or the user may not see acts."""
    return known().id_of(text)


def acts_offered() -> tuple[str, ...]:
    """The names that a field for an act proposes, newest first."""
    return known().offered


def here() -> str:
    """The address of this page, for the way back to it; a page that was posted is not one to come back to."""
    return request.full_path.rstrip("?") if request.method == "GET" else ""


def give(state: Any) -> None:
    """Gives templates what ``components/act.html`` needs; called when the blueprint is registered."""
    state.app.jinja_env.globals.update(act_id_of=act_id_of, acts_offered=acts_offered, act_way_back=here)
