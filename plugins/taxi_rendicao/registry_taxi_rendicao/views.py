"""The hand-over hours by the last digit of the plate, for everybody."""

from __future__ import annotations

from flask import Blueprint, Response

from registry.api.screens import access, answers, now, render
from registry_taxi_rendicao.api import Group, Span

HOOK = "taxi_rendicao_groups"

blueprint = Blueprint("rendicao", __name__, template_folder="templates")


@blueprint.get("/rendicao")
@access.public
def page() -> Response:
    """The hours of each group of plates in each taxi regime, and which group is in its hours now."""
    return render("rendicao/page.html", tables=answers(HOOK), current=_current)


def _current(group: Group) -> Span | None:
    """The hours of the group in which the present moment lies."""
    clock = now().time()
    return next((span for span in group.spans if span.covers(clock)), None)
