"""Reading configuration files: which they are, what keys they may have, how they lie over one another, typed values."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

# tables whose keys the deployment chooses; every other key must stand in default.toml
_OPEN_TABLES = frozenset({"readings", "plugin", "permissions", "roles"})
_AUTHORITY_KEYS: dict[str, tuple[type, ...]] = {
    "code": (str,),
    "name": (str,),
    "short_name": (str,),
    "zone": (str,),
    "regimes": (list,),
    "calendar": (list,),
    "phone": (str,),
    "address": (str,),
}


class SettingsError(ValueError):
    """The configuration is wrong; the message (pt-BR) names the file, the key and the mend."""


def find(name: str, cwd: Path, folder: Path) -> Path:
    """The configuration file of this name in ``cwd``, else in ``folder``. Raises SettingsError."""
    for place in (cwd / name, folder / name):
        if place.is_file():
            return place
    raise SettingsError(f"REGISTRY_CONFIG: não há arquivo {name} em {cwd} nem em {folder}. Confira o caminho.")


def with_extended(path: Path, folder: Path) -> list[Path]:
    """The files that ``extends`` names, depth first, then the file itself."""
    files: list[Path] = []
    for name in read(path).get("extends", []):
        files += with_extended(find(name, path.parent, folder), folder)
    return [*files, path]


def read(path: Path) -> dict[str, Any]:
    """The content of a file. Raises SettingsError where it cannot be read or is not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: não se lê: {error}. Confira o dono e a permissão.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: o arquivo não é TOML bem formado: {error}") from error


def refuse_unknown(path: Path, content: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Raises SettingsError for a key that ``known`` lacks, with the nearest one; open tables take any."""
    for key, value in content.items():
        if key == "extends" or key in _OPEN_TABLES:
            continue
        if key not in known:
            raise _unknown(path, key, known)
        if key == "authority":
            if not isinstance(value, list) or not all(isinstance(entry, Mapping) for entry in value):
                raise SettingsError(f"{path}: escreva cada órgão como uma tabela [[authority]].")
            for entry in value:
                for inner in entry:
                    if inner not in _AUTHORITY_KEYS:
                        raise _unknown(path, f"authority.{inner}", [f"authority.{name}" for name in _AUTHORITY_KEYS])
        elif isinstance(value, Mapping) and isinstance(known[key], Mapping):
            for inner in value:
                if inner not in known[key]:
                    raise _unknown(path, f"{key}.{inner}", [f"{key}.{name}" for name in known[key]])


def _unknown(path: Path, key: str, known: Iterable[str]) -> SettingsError:
    near = difflib.get_close_matches(key, list(known), n=1)
    mend = f"Você quis escrever «{near[0]}»?" if near else "Veja as chaves em config/default.toml."
    return SettingsError(f"{path}: não existe a chave «{key}». {mend}")


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Tables merge key by key; any other value, a list too, is replaced."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


class Reader:
    """Reads typed values of the merged configuration; a wrong type names its key."""

    def __init__(self, content: Mapping[str, Any], place: str) -> None:
        self.content = content
        self.place = place

    def table(self, key: str) -> Mapping[str, Any]:
        """A table."""
        found: Mapping[str, Any] = self._typed(key, dict, "uma tabela")
        return found

    def section(self, key: str) -> Reader:
        """The reader of a table."""
        return Reader(self.table(key), f"{self.place}: {key}")

    def text(self, key: str) -> str:
        """A text."""
        return str(self._typed(key, str, "um texto"))

    def integer(self, key: str) -> int:
        """A whole number, not negative."""
        value = self._typed(key, int, "um número inteiro")
        if isinstance(value, bool) or value < 0:
            raise self._wrong(key, "um número inteiro")
        return int(value)

    def flag(self, key: str) -> bool:
        """true or false."""
        return bool(self._typed(key, bool, "true ou false"))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._typed(key, list, "uma lista de textos")
        if not all(isinstance(item, str) for item in value):
            raise self._wrong(key, "uma lista de textos")
        return tuple(value)

    def _typed(self, key: str, kind: type, wanted: str) -> Any:
        value = self.content.get(key)
        if not isinstance(value, kind):
            raise self._wrong(key, wanted)
        return value

    def _wrong(self, key: str, wanted: str) -> SettingsError:
        return SettingsError(f"{self.place}: «{key}» deve ser {wanted}; está {self.content.get(key)!r}.")
