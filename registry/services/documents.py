"""The documents of a request: sent, accepted, refused with the reason, waived, opened; restricted ones audited."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import IO

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.regime import WantedDocument
from registry.domain.text import format_date
from registry.domain.workflow import ENDED
from registry.services.desk import Desk
from registry.services.dossier import RequestCase, load_case
from registry.services.editing import done_before, edit
from registry.services.errors import AlreadyDone, NotAllowed, NotFound, Refused
from registry.services.lengths import too_long
from registry.services.progress import refresh_request, wanted_documents
from registry.services.vault import enter_file, keep, path_of
from registry.store.audit import record
from registry.store.once import remember
from registry.store.requests import Request, RequestDocument, StoredFile

LABELS = {"status": "Situação", "reason": "Motivo", "expires_on": "Validade", "copies": "Vias"}
STATUS_LABELS: dict[str, str] = {
    "falta": "Falta",
    "enviado": "Enviado",
    "aceito": "Aceito",
    "com_ressalva": "Aceito com ressalva",
    "recusado": "Recusado",
    "vencido": "Vencido",
    "dispensado": "Dispensado",
}
NO_REASON = "Escreva o motivo. Ele vai para o processo."
_REVIEWS = ("aceito", "com_ressalva", "recusado", "dispensado")


@dataclass(frozen=True)
class OpenedFile:
    """A file to be sent: where it lies, its media type and name; ``restricted`` = never to be cached."""

    path: Path
    media_type: str
    name: str
    size: int
    restricted: bool


def attach_document(
    occasion: Occasion,
    desk: Desk,
    request_id: int,
    code: str,
    stream: IO[bytes],
    filename: str,
    expires_on: date | None = None,
) -> int:
    """Attaches a file to a wanted document; gives the document's id. It replaces what was refused, expired or surplus.

    Args:
        code: of a document that this applicant owes by upload.
        stream: the content, read to its end.
        filename: as the sender's system calls it.
        expires_on: the last day on which the paper holds; None = not yet known, or it has none.

    Raises:
        NotFound: no such request here.
        Refused: not owed, not a PDF or image by content; TooBig above the limit.
        AlreadyDone: the request has ended.
    """
    kept = keep(desk.files, stream, filename, desk.settings.upload_limit)
    with desk.store.writing() as session:
        before = done_before(session, occasion, f"document.sent:{code}")
        if before is not None:
            return before
        case = load_case(session, desk, occasion.authority, request_id, occasion.at)
        wanted = _wanted(session, desk, occasion, case, code)
        _make_room(session, case, wanted, occasion)
        file_id = enter_file(session, occasion, kept, restricted=wanted.restricted)
        made = _add(session, occasion, request_id, code, "enviado", file_id, expires_on, "")
        after = {
            "document_id": made.id,
            "code": code,
            "label": wanted.label,
            "sha256": kept.sha256,
            "expires_on": expires_on,
        }
        record(session, occasion, "document.sent", "request", request_id, None, after)
        refresh_request(session, desk, occasion, request_id)
        remember(session, occasion, f"document.sent:{code}", made.id)
        return made.id


def review_document(
    occasion: Occasion,
    desk: Desk,
    document_id: int,
    version: int,
    status: str,
    reason: str = "",
    expires_on: date | None = None,
    copies: int | None = None,
) -> bool:
    """Accepts a document (also with a remark), refuses it with the reason, or waives it; False when nothing differs.

    ``copies`` is how many of the wanted copies the paper holds (four certificates in one file); None = as it stands.

    Raises :class:`NotFound`, :class:`Refused`, :class:`Stale`, :class:`AlreadyDone` when the request has ended.
    """
    with desk.store.writing() as session:
        document, request = document_of(session, occasion.authority, document_id)
        if document.replaced_at is not None:
            raise NotFound
        case = load_case(session, desk, occasion.authority, request.id, occasion.at)
        wanted = _wanted(session, desk, occasion, case, document.code)
        ends = expires_on if expires_on is not None else document.expires_on
        _check_review(status, reason, ends, wanted, occasion.on, copies)
        changed = edit(
            session,
            occasion,
            document,
            subject="document",
            action=f"document.{status}",
            version=version,
            changes={
                "status": status,
                "reason": reason.strip(),
                "expires_on": ends,
                "copies": document.copies if copies is None else copies,
            },
            labels=LABELS,
        )
        if changed:
            document.reviewed_by, document.reviewed_at = occasion.actor_id, occasion.at
            session.flush()
            after = {"document_id": document.id, "code": document.code, "label": wanted.label, "status": status}
            record(session, occasion, "document.reviewed", "request", request.id, None, after)
            refresh_request(session, desk, occasion, request.id)
        return changed


def waive_document(occasion: Occasion, desk: Desk, request_id: int, code: str, reason: str) -> int:
    """Waives a document that was not sent, with the reason; gives its id. Raises as :func:`review_document`."""
    with desk.store.writing() as session:
        before = done_before(session, occasion, f"document.waived:{code}")
        if before is not None:
            return before
        case = load_case(session, desk, occasion.authority, request_id, occasion.at)
        wanted = _wanted(session, desk, occasion, case, code)
        _check_review("dispensado", reason, None, wanted, occasion.on)
        for document, _ in case.rows.documents:
            if document.code == code:
                document.replaced_at = occasion.at
        made = _add(session, occasion, request_id, code, "dispensado", None, None, reason.strip())
        made.reviewed_by, made.reviewed_at = occasion.actor_id, occasion.at
        after = {"document_id": made.id, "code": code, "label": wanted.label, "reason": made.reason}
        record(session, occasion, "document.waived", "request", request_id, None, after)
        refresh_request(session, desk, occasion, request_id)
        remember(session, occasion, f"document.waived:{code}", made.id)
        return made.id


def open_document(occasion: Occasion, desk: Desk, document_id: int, may_read_restricted: bool) -> OpenedFile:
    """The file of a document; reading a restricted one is written to the audit.

    Args:
        may_read_restricted: whether the user's role opens restricted papers.

    Raises :class:`NotFound`, :class:`NotAllowed`.
    """
    with desk.store.reading() as session:
        document, request = document_of(session, occasion.authority, document_id)
        file = session.get(StoredFile, document.file_id) if document.file_id is not None else None
    if file is None or file.authority != occasion.authority:
        raise NotFound
    path = path_of(desk.files, file.sha256)
    if not path.is_file():
        raise NotFound
    if file.restricted:
        if not may_read_restricted:
            raise NotAllowed("Este documento é reservado. Só quem analisa, decide ou audita pode abrir.")
        with desk.store.writing() as session:
            after = {"document_id": document.id, "code": document.code, "name": file.name}
            record(session, occasion, "document.read", "request", request.id, None, after)
    return OpenedFile(path, file.media_type, file.name, file.size, file.restricted)


def document_of(session: Session, authority: str, document_id: int) -> tuple[RequestDocument, Request]:
    """The document's row with its request, in this authority. Raises :class:`NotFound`."""
    found = session.execute(
        select(RequestDocument, Request)
        .join(Request, Request.id == RequestDocument.request_id)
        .where(RequestDocument.id == document_id, Request.authority == authority)
    ).first()
    if found is None:
        raise NotFound
    return found[0], found[1]


def _wanted(session: Session, desk: Desk, occasion: Occasion, case: RequestCase, code: str) -> WantedDocument:
    request = case.row.request
    if request.state in ENDED:
        raise AlreadyDone(request.state, "", request.decided_at)
    if not request.holder_kind:
        raise Refused(message="Escolha antes o tipo de requerente: ele diz quais documentos se pedem.")
    law = desk.law(session, occasion.authority, case.regime.plugin)
    wanted = wanted_documents(case.regime, case.kind, case.dossier, law)
    found = next((each for each in wanted if each.code == code and each.source == "upload"), None)
    if found is None:
        raise Refused({"code": "Este documento não é pedido a este requerente."})
    return found


def _make_room(session: Session, case: RequestCase, wanted: WantedDocument, occasion: Occasion) -> None:
    """Ends the papers that the new one replaces: the refused, expired and waived, then the oldest beyond the copies."""
    own = [document for document, _ in case.rows.documents if document.code == wanted.code]
    standing = []
    for document in own:
        expired = document.expires_on is not None and document.expires_on < occasion.on
        if document.status in ("recusado", "dispensado") or expired:
            document.replaced_at = occasion.at
        else:
            standing.append(document)
    surplus = len(standing) + 1 - max(1, wanted.copies)
    for document in standing[: max(0, surplus)]:
        document.replaced_at = occasion.at
    session.flush()


def _add(
    session: Session,
    occasion: Occasion,
    request_id: int,
    code: str,
    status: str,
    file_id: int | None,
    expires_on: date | None,
    reason: str,
) -> RequestDocument:
    made = RequestDocument(
        request_id=request_id,
        code=code,
        file_id=file_id,
        status=status,
        expires_on=expires_on,
        reason=reason,
        created_at=occasion.at,
    )
    session.add(made)
    session.flush()
    return made


def _check_review(
    status: str, reason: str, ends: date | None, wanted: WantedDocument, today: date, copies: int | None = None
) -> None:
    errors = {}
    if copies is not None and not 1 <= copies <= max(1, wanted.copies):
        errors["copies"] = f"As vias vão de 1 a {max(1, wanted.copies)}."
    if status not in _REVIEWS:
        errors["status"] = "Escolha aceitar, aceitar com ressalva, recusar ou dispensar."
    if status in ("com_ressalva", "recusado", "dispensado") and not reason.strip():
        errors["reason"] = NO_REASON
    if fault := too_long(reason, what="O motivo"):
        errors["reason"] = fault
    if status in ("aceito", "com_ressalva"):
        if wanted.expires and ends is None:
            errors["expires_on"] = "Informe até quando vale."
        if ends is not None and ends < today:
            errors["expires_on"] = f"Venceu em {format_date(ends)}. Peça outro ou confira a data."
    if errors:
        raise Refused(errors)
