"""``registry plugin new``: a working plugin, written from the files of ``registry/skeleton``."""

from __future__ import annotations

import keyword
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

from registry import __version__, resources
from registry.hookspecs import API_VERSION
from registry.plugins import installed_plugins

LONGEST = 24
SUFFIX = ".tmpl"
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class SkeletonError(ValueError):
    """The skeleton cannot be written; nothing was. The message (pt-BR) says why and what to do."""


def write(name: str, into: Path, zone: str, taken: frozenset[str] = frozenset()) -> Path:
    """Writes the plugin ``name`` into a new folder of that name; answers the folder.

    All or nothing: it is written beside and then moved into place.

    Args:
        into: an existing folder.
        zone: civil time of the sample configuration.
        taken: names that something else of the registry has.

    Raises:
        SkeletonError: the name does not serve or is taken, the folder exists, or it cannot be written.
    """
    refuse(name, taken)
    target = into / name
    if not into.is_dir():
        raise SkeletonError(f"Não há a pasta {into}. Crie-a antes, ou diga outra com --into.")
    if target.exists():
        raise SkeletonError(f"{target} já existe e fica como está. Escolha outro nome, ou outra pasta com --into.")
    words = _words(name, zone)
    made = None
    try:
        made = Path(mkdtemp(prefix=f".{name}-", dir=into))
        for path, content in files(words):
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            (made / path).write_text(content, encoding="utf-8")
        made.chmod(0o755)
        made.rename(target)
    except OSError as error:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)
        raise SkeletonError(f"Não consegui escrever em {into}: {error.strerror}. Nada ficou escrito.") from error
    return target


def refuse(name: str, taken: frozenset[str] = frozenset()) -> None:
    """Raises SkeletonError for a name that does not serve."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise SkeletonError(
            f"«{name}» não serve como nome de plugin. Use letras minúsculas sem acento, números e um _ entre palavras, "
            "como van_escolar."
        )
    if len(name) > LONGEST:
        raise SkeletonError(f"«{name}» tem {len(name)} letras. O limite é {LONGEST}: o nome começa o das tabelas.")
    if name in installed_plugins():
        raise SkeletonError(f"Já há um plugin {name} instalado. Escolha outro nome.")
    if name in taken or name.split("_")[0] == "sqlite":  # SQLite keeps tables of that name for itself
        raise SkeletonError(f"«{name}» já é nome de um comando ou de telas do registro. Escolha outro.")


def files(words: dict[str, str]) -> Iterator[tuple[Path, str]]:
    """Each file of the skeleton with its content, ``@@word@@`` replaced in both."""
    root = resources.skeleton()
    for path in sorted(root.rglob(f"*{SUFFIX}")):
        place = _replaced(path.relative_to(root).as_posix().removesuffix(SUFFIX), words)
        yield Path(place), _replaced(path.read_text(encoding="utf-8"), words)


def _words(name: str, zone: str) -> dict[str, str]:
    return {
        "name": name,
        "dist": name.replace("_", "-"),
        "label": name.replace("_", " ").capitalize(),
        "zone": zone,
        "core": __version__,
        "api": str(API_VERSION),
    }


def _replaced(text: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(f"@@{word}@@", value)
    return text
