"""The documents of a request: sent (several files at once), reviewed in place, waived, opened."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import IO, Any

from flask import Response, abort, flash, make_response, request, send_file, url_for
from werkzeug.datastructures import FileStorage

from registry.services.documents import attach_document, open_document, review_document, waive_document
from registry.services.errors import AlreadyDone, Refused, Stale, TooBig
from registry.services.request_view import DocumentLine, PaperLine, RequestPage
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import db, desk, occasion, perform, settings, staff
from registry.web.fields import DateField, RegistryForm
from registry.web.requests.base import ONE, back_to, blueprint, page_for, show, tell_done
from registry.web.requests.forms import ReasonForm, ReviewForm, SendForm
from registry.web.requests.screen import MIB, copies_in, next_to_review

CODE = "<code>"
FILE_POLICY = "default-src 'none'; img-src 'self'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
_WORDS = {"aceito": "aceito", "com_ressalva": "aceito com ressalva", "recusado": "recusado", "dispensado": "dispensado"}


@blueprint.get(f"{ONE}/documentos")
@access("requests.edit")
def batch(request_id: int) -> Response:
    """All documents still to come on one form, each with its file and day."""
    page = _open_page(request_id)
    return _show_batch(page, _batch_form(page))


@blueprint.post(f"{ONE}/documentos")
@access("requests.edit")
def send_batch(request_id: int) -> Response:
    """Keeps every file that was chosen; those refused stay on the form with their sentence."""
    page = _open_page(request_id)
    form = _batch_form(page)
    form.validate()
    sent, wrong, status = 0, False, 422
    for line in _to_come(page):
        files = _files(f"file-{line.code}")
        field = form[f"expires_on-{line.code}"] if f"expires_on-{line.code}" in form._fields else None
        if not files:
            continue
        if field is not None and field.errors:
            wrong = True
            continue
        try:
            sent += _attach(page.id, line.code, files, field.data if field is not None else None)
        except Refused as refused:
            wrong, status = True, 413 if isinstance(refused, TooBig) else status
            form.take(Refused({f"file-{line.code}": " ".join(refused.fields.values()) or refused.message}))
    if wrong:
        return _show_batch(page_for(request_id), form, status, sent)
    if not sent:
        form.message = "Escolha ao menos um arquivo."
        return _show_batch(page, form, 422)
    flash("1 documento enviado." if sent == 1 else f"{sent} documentos enviados.", "ok")
    return back_to(request_id, "documentos")


@blueprint.get(f"{ONE}/documentos/{CODE}/enviar")
@blueprint.get(f"{ONE}/documentos/{CODE}/dispensar")
@access("requests.edit")
def row(request_id: int, code: str) -> Response:
    """The address of a row's form that came back: leads to the page with the row open."""
    return back_to(request_id, "documentos", documento=code)


@blueprint.post(f"{ONE}/documentos/{CODE}/enviar")
@access("requests.edit")
def send(request_id: int, code: str) -> Response:
    """Keeps the files of one document."""
    page = _open_page(request_id)
    line = _line_of(page, code)
    form = SendForm()
    files = _files("file")
    good = form.validate()
    try:
        if not files:
            raise Refused({"file": "Escolha o arquivo."})
        if not good:
            raise Refused()
        _attach(page.id, line.code, files, form.expires_on.data)
    except Refused as refused:
        form.take(refused)
        _note_file_fault(form, refused)
        return _row_again(page, code, "send", form, 413 if isinstance(refused, TooBig) else 422)
    return _after(page, code, f"«{line.label}» enviado.")


@blueprint.post(f"{ONE}/documentos/{CODE}/dispensar")
@access("requests.analyse")
def waive(request_id: int, code: str) -> Response:
    """Waives a document that was not sent, with the reason."""
    page = _open_page(request_id)
    line = _line_of(page, code)
    form = ReasonForm()
    try:
        perform(waive_document, request_id, code, form.reason.data or "")
    except Refused as refused:
        form.take(refused)
        return _row_again(page, code, "waive", form, 422)
    return _after(page, code, f"«{line.label}» dispensado.")


@blueprint.get(f"{ONE}/papeis/<int(max=2147483647):document_id>")
@access("requests.view")
def paper(request_id: int, document_id: int) -> Response:
    """A paper beside its review."""
    page = page_for(request_id)
    line, found = _paper_of(page, document_id)
    return _show_paper(page, line, found, _review_form(line, found))


@blueprint.post(f"{ONE}/papeis/<int(max=2147483647):document_id>")
@access("requests.analyse")
def review(request_id: int, document_id: int) -> Response:
    """Accepts a paper (``status=aceito`` or ``com_ressalva``), refuses it with the reason, or waives it."""
    page = page_for(request_id)
    line, found = _paper_of(page, document_id)
    form = ReviewForm()
    beside = request.form.get("beside") == "1"
    status = request.form.get("status", "")
    good = form.validate()
    try:
        if not good:
            raise Refused()
        reason = form.reason.data or ""
        perform(review_document, document_id, form.saw_version, status, reason, form.expires_on.data, form.copies.data)
    except Refused as refused:
        form.take(refused)
        if beside:
            return _show_paper(page, line, found, form, 422)
        return _row_again(page, line.code, "review", form, 422)
    except Stale as stale:
        by = f" por {stale.by}" if stale.by else ""
        form.message = f"Este documento foi conferido{by} depois que você abriu. Veja como está e decida de novo."
        form.version.data = str(stale.version)
        return _row_again(page_for(request_id), line.code, "review", form, 409)
    except AlreadyDone as done:
        tell_done(done, "Pedido encerrado")
        return back_to(request_id, "documentos")
    return _after(page, line.code, f"«{line.label}» {_WORDS.get(status, 'conferido')}.")


@blueprint.get(f"{ONE}/arquivos/<int(max=2147483647):document_id>")
@access("requests.view")
def file(request_id: int, document_id: int) -> Response:
    """The file of a paper; reading a restricted one is recorded."""
    _paper_of(page_for(request_id), document_id)
    opened = perform(open_document, document_id, staff().may("people.restricted"))
    response = make_response(send_file(opened.path, mimetype=opened.media_type, download_name=opened.name))
    response.headers["Content-Security-Policy"] = FILE_POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    response.headers["Cache-Control"] = "no-store" if opened.restricted else "private, max-age=300"
    return response


def _open_page(request_id: int) -> RequestPage:
    page = page_for(request_id)
    if not page.editable:
        abort(404)
    return page


def _to_come(page: RequestPage) -> list[DocumentLine]:
    """The documents that may still be sent: what is missing first, then what was refused or has expired."""
    wanted = [line for line in page.documents if line.source == "upload" and not line.waived]
    open_ones = [line for line in wanted if line.status in ("falta", "recusado", "vencido")]
    return sorted(open_ones, key=lambda line: line.status != "falta")


def _batch_form(page: RequestPage) -> RegistryForm:
    fields: dict[str, Any] = {}
    for line in _to_come(page):
        fields[f"file-{line.code}"] = _FileBox(line.label)
        if line.wants_expiry:
            fields[f"expires_on-{line.code}"] = DateField("Vale até")
    return type("BatchForm", (RegistryForm,), fields)()


class _FileBox(DateField):
    """The place of a file input among the fields, so that its fault stands beside it."""

    def process_formdata(self, valuelist: list[Any]) -> None:
        """Reads nothing: files come apart from the fields."""


def _files(name: str) -> list[FileStorage]:
    return [each for each in request.files.getlist(name) if each.filename]


def _attach(request_id: int, code: str, files: list[FileStorage], expires_on: date | None) -> int:
    """Keeps the files of one document, each under a key of its own; gives how many."""
    db.session.remove()
    here = occasion()
    for number, each in enumerate(files):
        key = f"{here.once_key}:{code}:{number}"[-64:] if here.once_key else ""
        stream: IO[bytes] = each.stream
        attach_document(replace(here, once_key=key), desk(), request_id, code, stream, each.filename or "", expires_on)
    return len(files)


def _line_of(page: RequestPage, code: str) -> DocumentLine:
    line = next((each for each in page.documents if each.code == code and each.source == "upload"), None)
    if line is None:
        abort(404)
    return line


def _paper_of(page: RequestPage, document_id: int) -> tuple[DocumentLine, PaperLine]:
    for line in page.documents:
        for found in line.papers:
            if found.id == document_id:
                return line, found
    abort(404)


def _review_form(line: DocumentLine, found: PaperLine) -> ReviewForm:
    data = {"expires_on": found.expires_on, "reason": found.reason, "copies": copies_in(line, found)}
    return ReviewForm(data={"version": str(found.version), **data})


def _note_file_fault(form: SendForm, refused: Refused) -> None:
    """What is wrong with a file stands on top: the input keeps nothing."""
    form.message = " ".join(filter(None, (refused.message, *refused.fields.values())))


def _row_again(page: RequestPage, code: str, how: str, form: RegistryForm, status: int) -> Response:
    return show(page, opened=code, opened_as=how, row_form=form, focus=True, status=status)


def _after(page: RequestPage, code: str, text: str) -> Response:
    """After an act on a document: htmx gets the changed parts with the next one open, a browser the page."""
    now_open = next_to_review(page_for(page.id), code) if staff().may("requests.analyse") else ""
    if htmx.wants_fragment():
        return show(page_for(page.id), opened=now_open, focus=True)
    flash(text, "ok")
    query = {"documento": now_open} if now_open else {}
    return back_to(page.id, "documentos", **query)


def _show_batch(page: RequestPage, form: RegistryForm, status: int = 200, sent: int = 0) -> Response:
    address = url_for("requests.send_batch", request_id=page.id)
    context: dict[str, Any] = {"page": page, "form": form, "lines": _to_come(page), "sent": sent, "action": address}
    return htmx.render("requests/batch.html", status=status, upload_limit=settings().upload_limit // MIB, **context)


def _show_paper(
    page: RequestPage, line: DocumentLine, found: PaperLine, form: ReviewForm, status: int = 200
) -> Response:
    if line.restricted and not staff().may("people.restricted"):
        abort(403)
    return htmx.render(
        "requests/paper.html",
        status=status,
        page=page,
        line=line,
        paper=found,
        form=form,
        following=next_to_review(page, line.code),
        may_analyse=staff().may("requests.analyse") and page.editable,
    )
