"""The protocol receipt: what the counter took in and when, on one printed sheet for the applicant."""

from __future__ import annotations

from flask import Response, abort

from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, now, settings
from registry.web.requests.base import ONE, blueprint, page_for


@blueprint.get(f"{ONE}/protocolo")
@access("requests.view")
def protocol(request_id: int) -> Response:
    """The receipt of a filed request, to be printed; 404 for a draft, which nobody has taken in yet."""
    page = page_for(request_id)
    if page.filed_at is None:
        abort(404)
    return htmx.render(
        "requests/protocol.html",
        page=page,
        issuer=settings().authority(authority().code),
        delivered=[line for line in page.documents if line.papers],
        missing=[line for line in page.documents if not line.papers and not line.waived],
        printed_at=now(),
    )
