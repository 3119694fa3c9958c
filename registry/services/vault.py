"""The vault of uploaded files: kept under their sha256 outside the database, known by content and not by name."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.services.errors import Refused, TooBig
from registry.store.requests import StoredFile

_NAME = re.compile(r"[0-9a-f]{64}")
_CHUNK = 256 * 1024
_HEAD = 1024
_LONGEST_NAME = 200
_SIGNATURES = (
    (b"\xff\xd8\xff", "image/jpeg", "jpg"),
    (b"\x89PNG\r\n\x1a\n", "image/png", "png"),
    (b"II*\x00", "image/tiff", "tif"),
    (b"MM\x00*", "image/tiff", "tif"),
)
NOT_A_DOCUMENT = "Este arquivo não é PDF nem imagem."


@dataclass(frozen=True)
class Kept:
    """A file in the vault; ``size`` in bytes, ``name`` as the sender's system called it, made harmless."""

    sha256: str
    size: int
    media_type: str
    name: str


def keep(
    folder: Path,
    stream: IO[bytes],
    filename: str,
    limit: int,
    field: str = "file",
    known: Callable[[bytes], str | None] | None = None,
) -> Kept:
    """Reads a file to the end and keeps it; ``limit`` in bytes. The same content is kept once.

    ``known`` gives the media type by the first bytes (default :func:`media_type_of`). Raises :class:`TooBig` above the
    limit, :class:`Refused` when it is empty or no known type by content; both beside ``field``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    digest, size, head = hashlib.sha256(), 0, b""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="incoming-", delete=False) as incoming:
        path = Path(incoming.name)
        try:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
                if size <= limit:
                    head += chunk[: max(0, _HEAD - len(head))]
                    digest.update(chunk)
                    incoming.write(chunk)
            incoming.close()
            media_type = _checked(head, size, limit, field, known or media_type_of)
            target = path_of(folder, digest.hexdigest())
            target.parent.mkdir(exist_ok=True)
            os.replace(path, target)
        finally:
            path.unlink(missing_ok=True)
    return Kept(digest.hexdigest(), size, media_type, safe_name(filename, media_type))


def enter_file(session: Session, occasion: Occasion, kept: Kept, *, restricted: bool = False) -> int:
    """Enters a kept file in the register, in the transaction of the record that it belongs to; gives its id.

    ``restricted``: reading it is audited.
    """
    row = StoredFile(
        authority=occasion.authority,
        sha256=kept.sha256,
        size=kept.size,
        media_type=kept.media_type,
        name=kept.name,
        restricted=restricted,
        uploaded_by=occasion.actor_id,
        uploaded_at=occasion.at,
    )
    session.add(row)
    session.flush()
    return row.id


def path_of(folder: Path, sha256: str) -> Path:
    """Where the vault keeps the content of this sha256."""
    return folder / sha256[:2] / sha256


def stored(folder: Path) -> Iterator[str]:
    """The sha256 of every file that lies in the vault, in order."""
    for each in sorted(folder.glob("[0-9a-f][0-9a-f]")):
        yield from sorted(path.name for path in each.iterdir() if _NAME.fullmatch(path.name))


def media_type_of(head: bytes) -> str | None:
    """The media type by the first bytes: PDF, JPEG, PNG, WebP or TIFF; None for anything else."""
    if b"%PDF-" in head[:_HEAD] and head.lstrip()[:5] in (b"%PDF-", b"\xef\xbb\xbf%P"):
        return "application/pdf"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for start, media_type, _ in _SIGNATURES if head.startswith(start)), None)


def safe_name(filename: str, media_type: str) -> str:
    """The file's own name without folders and control characters; a plain one where nothing is left."""
    bare = filename.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(c for c in bare if c.isprintable()).strip(" .")
    return kept[-_LONGEST_NAME:] or f"documento.{media_type.rsplit('/', 1)[-1]}"


def _checked(head: bytes, size: int, limit: int, field: str, known: Callable[[bytes], str | None]) -> str:
    if size > limit:
        megabytes = -(-size // (1024 * 1024))
        text = (
            f"O arquivo tem {megabytes} MB. O limite é {limit // (1024 * 1024)} MB. "
            "Envie em partes ou com menos qualidade."
        )
        raise TooBig({field: text})
    if size == 0:
        raise Refused({field: "O arquivo está vazio."})
    media_type = known(head)
    if media_type is None:
        raise Refused({field: NOT_A_DOCUMENT})
    return media_type
