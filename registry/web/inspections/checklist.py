"""One inspection: its checklist, saved at each tap, the result before it is concluded, the seal after."""

from __future__ import annotations

from flask import Response, abort, flash, render_template, request, url_for

from registry.domain.text import format_hour
from registry.services import inspections as service
from registry.services.errors import AlreadyDone, Refused, Stale
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, instant, now, perform, session, settings, zone
from registry.web.errors import done_text
from registry.web.inspections.blueprint import ONE, blueprint
from registry.web.inspections.forms import ChecklistForm, Tick, ticks
from registry.web.inspections.photos import keep_photos

CHANGED = "O resultado mudou depois que você abriu a página. Confira e conclua de novo."


@blueprint.get(ONE)
@access("inspections.view")
def page(inspection_id: int) -> Response:
    """An inspection: the checklist while it is booked, the result afterwards."""
    return _show(inspection_id)


@blueprint.post(f"{ONE}/itens/<code>")
@access("inspections.record")
def save(inspection_id: int, code: str) -> Response:
    """One tap: saves an item; htmx gets the item and the count. A failure waits for its reason to be written."""
    found = _found(inspection_id)
    line = next((each for each in found.items if each.item.code == code), None)
    if line is None or not found.can_record:
        abort(404)
    (tick,) = ticks([line.item], request.form)
    form = ChecklistForm()
    if tick.result == "falha" and not tick.reason.strip():
        faults, status = keep_photos(inspection_id, [tick])
        return _show(inspection_id, form, status, {code: tick}, faults, only=code)
    faults, status = _save(inspection_id, [tick], form.saw_version)
    return _show(inspection_id, form, status, {code: tick} if faults else {}, faults, only=code)


@blueprint.post(ONE)
@access("inspections.record")
def record(inspection_id: int) -> Response:
    """Saves every item at once, without JavaScript, and shows the result."""
    form = ChecklistForm()
    sent = _sent(inspection_id)
    faults, status = _save(inspection_id, [tick for tick in sent if tick.result], form.saw_version)
    if faults:
        return _show(inspection_id, form, status, {tick.code: tick for tick in sent}, faults)
    flash(f"Gravado às {format_hour(now())}.", "ok")
    return htmx.go(url_for("inspections.page", inspection_id=inspection_id, _anchor="resultado"))


@blueprint.post(f"{ONE}/concluir")
@access("inspections.record")
def conclude(inspection_id: int) -> Response:
    """Concludes with what the page showed: a result that has changed since is shown again instead."""
    form = ChecklistForm()
    found = _found(inspection_id)
    if not found.can_record:
        return _already(inspection_id, form)
    sent = ticks([line.item for line in found.items], request.form)
    if not form.validate():
        return _show(inspection_id, form, 422, {tick.code: tick for tick in sent})
    faults, status = _save(inspection_id, [tick for tick in sent if tick.result], form.saw_version)
    if faults:
        return _show(inspection_id, form, status, {tick.code: tick for tick in sent}, faults)
    found = _found(inspection_id)
    if found.outlook and request.form.get("expected") != _expected(found):
        form.message = CHANGED
        return _show(inspection_id, form, 409)
    return _conclude(found, form)


def _conclude(found: service.InspectionPage, form: ChecklistForm) -> Response:
    try:
        done = perform(service.conclude_inspection, found.id, found.version, str(form.notes.data or ""))
    except Refused as refused:
        form.message = refused.message
        return _show(found.id, form, 422, faults=refused.fields)
    except AlreadyDone as earlier:
        flash(done_text(earlier), "info")
    else:
        text = f"Selo {done.seal} emitido." if done.passed else "Vistoria concluída: reprovada."
        flash(text, "ok" if done.passed else "warn")
    return htmx.go(url_for("inspections.page", inspection_id=found.id))


def _already(inspection_id: int, form: ChecklistForm) -> Response:
    """The act on an inspection that is over: the use case says who did it and when."""
    try:
        perform(service.conclude_inspection, inspection_id, form.saw_version)
    except AlreadyDone as earlier:
        flash(done_text(earlier), "info")
    return htmx.go(url_for("inspections.page", inspection_id=inspection_id))


def _expected(found: service.InspectionPage) -> str:
    """The result that the page shows, as its form sends it back."""
    return {True: "aprovada", False: "reprovada", None: ""}[found.outlook.passed] if found.outlook else ""


def _sent(inspection_id: int) -> tuple[Tick, ...]:
    found = _found(inspection_id)
    if not found.can_record:
        abort(404)
    return ticks([line.item for line in found.items], request.form)


def _save(inspection_id: int, sent: list[Tick], version: int) -> tuple[dict[str, str], int]:
    """Saves what was ticked, with the photos; the sentence beside each item that was not saved, and the status."""
    faults, status = keep_photos(inspection_id, sent)
    for tick in sent:
        try:
            perform(service.save_item, inspection_id, version, tick.code, tick.result, tick.reason)
        except Refused as refused:
            faults[tick.code] = refused.fields.get(tick.code, refused.message)
            status = status if status in (409, 413) else 422
        except Stale as stale:
            faults[tick.code] = _stale_text(stale)
            status = 409
    return faults, status


def _stale_text(stale: Stale) -> str:
    entry = stale.entries[0]
    when = f" às {format_hour(stale.at.astimezone(zone()))}" if stale.at else ""
    return f"{stale.by} marcou {entry.theirs}{when}; você marcou {entry.mine}. Marque o que fica."


def _found(inspection_id: int) -> service.InspectionPage:
    return service.inspection_page(session(), desk(), authority().code, inspection_id, instant())


def _show(
    inspection_id: int,
    form: ChecklistForm | None = None,
    status: int = 200,
    typed: dict[str, Tick] | None = None,
    faults: dict[str, str] | None = None,
    only: str = "",
) -> Response:
    """The page, or for a tap the item and, beside it, the count and result."""
    found = _found(inspection_id)
    form = form or ChecklistForm(formdata=None)
    form.version.data = str(found.version)
    context = {
        "found": found,
        "form": form,
        "typed": typed or {},
        "faults": faults or {},
        "expected": _expected(found),
        "results": service.RESULTS,
        "regime": desk().host.regimes.get(found.regime),
        "failed": status >= 400,
        "photo_limit": settings().upload_limit // (1024 * 1024),
        "now": now(),
    }
    if only and htmx.wants_fragment():
        line = next(each for each in found.items if each.item.code == only)
        place = found.items.index(line) + 1
        return Response(render_template("inspections/_tap.html", line=line, place=place, **context), status)
    return htmx.render("inspections/page.html", status=status, **{k: v for k, v in context.items() if k != "failed"})
