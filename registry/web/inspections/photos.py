"""The photos of what failed: sent with the checklist, looked at, taken off with the reason."""

from __future__ import annotations

from collections.abc import Iterable

from flask import Response, abort, flash, make_response, request, send_file, url_for

from registry.services.errors import Refused, TooBig
from registry.services.inspection_photos import add_photo, open_photo, remove_photo
from registry.services.inspections import inspection_page
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, instant, perform, session
from registry.web.inspections.blueprint import ONE, blueprint
from registry.web.inspections.forms import PHOTO, PhotoForm, Tick

PHOTOS = f"{ONE}/fotos/<int(max=2147483647):file_id>"


@blueprint.get(PHOTOS)
@access("inspections.view")
def photo(inspection_id: int, file_id: int) -> Response:
    """The photo itself."""
    opened = open_photo(session(), desk(), authority().code, inspection_id, file_id)
    response = make_response(send_file(opened.path, mimetype=opened.media_type, download_name=opened.name))
    response.headers["Cache-Control"] = "private, max-age=300"
    return response


@blueprint.route(f"{PHOTOS}/tirar", methods=["GET", "POST"])
@access("inspections.record")
def remove(inspection_id: int, file_id: int) -> Response:
    """Takes a photo off its item, with the reason, while the inspection is open."""
    found = inspection_page(session(), desk(), authority().code, inspection_id, instant())
    line = next((each for each in found.items if file_id in each.photos), None)
    if line is None or not found.can_record:
        abort(404)
    form = PhotoForm()
    if request.method == "POST" and form.validate():
        try:
            perform(remove_photo, inspection_id, file_id, str(form.reason.data))
        except Refused as refused:
            form.take(refused)
        else:
            flash("Foto tirada da vistoria.", "ok")
            place = found.items.index(line) + 1
            return htmx.go(url_for("inspections.page", inspection_id=inspection_id, _anchor=f"item-{place}"))
    status = 422 if request.method == "POST" else 200
    return htmx.render("inspections/photo.html", status=status, found=found, line=line, file_id=file_id, form=form)


def keep_photos(inspection_id: int, sent: Iterable[Tick]) -> tuple[dict[str, str], int]:
    """Keeps the photos that came with items marked as failed; the sentence beside each item, and the status.

    A photo is kept also where its item is not saved for want of a reason: a browser gives no file back.
    """
    faults: dict[str, str] = {}
    status = 200
    for tick in sent:
        if tick.result != "falha":
            continue
        for each in request.files.getlist(f"{PHOTO}{tick.code}"):
            if not each.filename:
                continue
            try:
                perform(add_photo, inspection_id, tick.code, each.stream, each.filename)
            except Refused as refused:
                faults[tick.code] = refused.fields.get(tick.code, refused.message)
                status = 413 if isinstance(refused, TooBig) else max(status, 422) if status != 413 else status
    return faults, status
