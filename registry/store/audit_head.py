"""The exported heads of the audit chain: a text file, one line a day, kept where nobody can change it with the rows.

A line holds the instant (UTC), the number of entries and the hash of the last, with blanks between.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from registry.store.audit import Head

_LINE = re.compile(r"\S+ (?P<count>[0-9]+) (?P<hash>[0-9a-f]{64})")


class HeadError(ValueError):
    """The file is not a file of heads; the text names the line."""


def append_head(path: Path, at: datetime, head: Head) -> None:
    """Adds a line to the file, made with its folder when there is none. ``at`` is an aware instant in UTC."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="ascii") as file:
        file.write(f"{at:%Y-%m-%dT%H:%M:%SZ} {head.count} {head.hash}\n")


def read_heads(path: Path) -> list[Head]:
    """The heads in the file, as they were appended. Raises HeadError for a line that is none, or an empty file."""
    heads = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise HeadError(f"{path}, linha {number}: não é uma linha de `registry audit head`.")
        heads.append(Head(int(found["count"]), found["hash"]))
    if not heads:
        raise HeadError(f"{path}: está vazio.")
    return heads
