"""The photos of what failed in an inspection: kept in the vault, named by the item in the inspection's ``items``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.services.desk import Desk
from registry.services.documents import OpenedFile
from registry.services.errors import NotFound, Refused
from registry.services.inspection_pages import items_of
from registry.services.inspections import booked
from registry.services.lengths import too_long
from registry.services.vault import NOT_A_DOCUMENT, enter_file, keep, media_type_of, path_of
from registry.store.audit import record
from registry.store.inspections import Inspection
from registry.store.requests import StoredFile

MOST_PHOTOS = 10
NO_REASON = "Escreva o motivo. Ele vai para o processo."
NOT_A_PHOTO = "Este arquivo não é foto em JPEG nem em PNG."
_KINDS = frozenset({"image/jpeg", "image/png"})


def add_photo(occasion: Occasion, desk: Desk, inspection_id: int, code: str, stream: IO[bytes], filename: str) -> int:
    """Keeps a photo of an item, JPEG or PNG by content, also before its reason is written; gives the file's id.

    The same photo of the item, sent again, is the first one. No version: a photo changes no result.

    Raises:
        NotFound: no such inspection here, or no such item on its checklist.
        Refused: not a photo, or ten are there already; TooBig above the limit. Both beside ``code``.
        AlreadyDone: the inspection is concluded.
    """
    try:
        kept = keep(desk.files, stream, filename, desk.settings.upload_limit, code, known=_photo_type)
    except Refused as refused:
        if refused.fields.get(code) != NOT_A_DOCUMENT:
            raise
        raise Refused({code: NOT_A_PHOTO}) from refused
    with desk.store.writing() as session:
        row = booked(session, occasion, inspection_id)
        label = next((each.label for each in items_of(session, desk, row, occasion.at) if each.code == code), None)
        if label is None:
            raise NotFound
        here = _photos(row.items.get(code))
        known = select(StoredFile.id).where(StoredFile.id.in_(here), StoredFile.sha256 == kept.sha256)
        if (before := session.scalar(known)) is not None:
            return before
        if len(here) >= MOST_PHOTOS:
            raise Refused({code: f"Este item já tem {MOST_PHOTOS} fotos. Tire uma antes de juntar outra."})
        file_id = enter_file(session, occasion, kept)
        _put(row, code, [*here, file_id])
        after = {"code": code, "label": label, "file_id": file_id, "sha256": kept.sha256}
        record(session, occasion, "inspection.photo_added", "inspection", row.id, None, after)
        return file_id


def remove_photo(occasion: Occasion, desk: Desk, inspection_id: int, file_id: int, reason: str) -> None:
    """Takes a photo off its item, with the reason; the file stays in the vault, as the audit tells.

    Raises NotFound, Refused without a reason or with a long one, AlreadyDone once the inspection is concluded.
    """
    with desk.store.writing() as session:
        row = booked(session, occasion, inspection_id)
        code = item_of(row.items, file_id)
        if code is None:
            raise NotFound
        if fault := (too_long(reason, what="O motivo") if reason.strip() else NO_REASON):
            raise Refused({"reason": fault})
        _put(row, code, [each for each in _photos(row.items[code]) if each != file_id])
        after = {"code": code, "file_id": None, "reason": reason.strip()}
        record(session, occasion, "inspection.photo_removed", "inspection", row.id, {"file_id": file_id}, after)


def open_photo(session: Session, desk: Desk, authority: str, inspection_id: int, file_id: int) -> OpenedFile:
    """The file of a photo that an inspection has. Raises NotFound."""
    items = session.scalar(
        select(Inspection.items).where(Inspection.id == inspection_id, Inspection.authority == authority)
    )
    file = session.get(StoredFile, file_id) if items and item_of(items, file_id) is not None else None
    if file is None or file.authority != authority:
        raise NotFound
    path = path_of(desk.files, file.sha256)
    if not path.is_file():
        raise NotFound
    return OpenedFile(path, file.media_type, file.name, file.size, restricted=False)


def item_of(items: Mapping[str, Any], file_id: int) -> str | None:
    """The code of the item that has the photo; None when none has it."""
    return next((code for code, item in items.items() if file_id in _photos(item)), None)


def _photo_type(head: bytes) -> str | None:
    found = media_type_of(head)
    return found if found in _KINDS else None


def _photos(item: Mapping[str, Any] | None) -> list[int]:
    return list((item or {}).get("photos", ()))


def _put(row: Inspection, code: str, photos: list[int]) -> None:
    kept = {"result": "", "reason": "", **(row.items.get(code) or {})}
    row.items = {**row.items, code: {**kept, "photos": photos}}
