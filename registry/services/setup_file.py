"""The files that a set-up writes: ``setup.toml``, whole and at once, and the secret key, which nobody else may read."""

from __future__ import annotations

import copy
import json
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from registry.settings import SECRET_FILE, Settings, has_own_secret
from registry.settings.files import read

Content = dict[str, Any]
"""What ``setup.toml`` holds, as TOML reads it."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEAD = """\
# Escrito por «registry setup» e pelas telas da implantação; último: {by}, {at}.
# Vale sobre os arquivos de REGISTRY_CONFIG. Pode ser editado à mão: as outras chaves que você puser aqui ficam, os
# comentários não. O servidor lê este arquivo de novo assim que ele muda.
"""


def content_of(settings: Settings) -> Content:
    """What the file holds, with authorities and plugins taken from the configuration where the file has none."""
    content = read(settings.setup_file) if settings.setup_file.is_file() else {}
    content["demo"] = False
    content.setdefault("plugins", list(settings.plugins))
    if "authority" not in content:
        content["authority"] = [entry_of(settings, code) for code in settings.authorities]
    return content


def entry_of(settings: Settings, code: str) -> Content:
    """One authority of the settings as a ``[[authority]]`` entry."""
    known = settings.authority(code)
    return {
        "code": known.code,
        "name": known.name,
        "short_name": known.short_name,
        "zone": known.zone.key,
        "phone": known.phone,
        "address": known.address,
        "regimes": list(known.regimes),
        "calendar": copy.deepcopy([dict(day) for day in known.calendar]),
    }


def write_setup(path: Path, content: Content, by: str, at: datetime) -> None:
    """Writes the file whole, unless it holds that already: a kill leaves the one before or this one. Raises OSError.

    Who may read it stays as it was; it holds no secret of ours.
    """
    if path.is_file() and read(path) == content:
        return
    head = _HEAD.format(by="".join(each for each in by if each.isprintable()), at=f"{at:%d/%m/%Y, %Hh%M}")
    mode = stat.S_IMODE(path.stat().st_mode) if path.is_file() else 0o644
    _write(path, f"{head}\n{to_toml(content)}", mode)


def make_secret(settings: Settings) -> bool:
    """Makes a secret key of this installation's own where none is set; whether it did. Raises OSError."""
    if has_own_secret(settings):
        return False
    _write(settings.var / SECRET_FILE, f"{secrets.token_urlsafe(48)}\n", 0o600)
    return True


def to_toml(content: Mapping[str, Any]) -> str:
    """The content as TOML: values before tables, in the given order. Raises TypeError for a type that TOML lacks."""
    return "\n".join(_lines(content, ())).lstrip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    for key, value in table.items():
        if not _is_table(value) and not _is_tables(value):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in table.items():
        inner = (*path, _key(key))
        if _is_table(value):
            yield f"\n[{'.'.join(inner)}]"
            yield from _lines(value, inner)
        elif _is_tables(value):
            for entry in value:
                yield f"\n[[{'.'.join(inner)}]]"
                yield from _lines(entry, inner)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(each, Mapping) for each in value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case int() | float():
            return str(value)
        case list() | tuple():
            return f"[{', '.join(_value(each) for each in value)}]"
        case Mapping():
            return f"{{ {', '.join(f'{_key(key)} = {_value(each)}' for key, each in value.items())} }}"
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    raise TypeError(f"{type(value).__name__} has no form in TOML: {value!r}")


def _write(path: Path, text: str, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
