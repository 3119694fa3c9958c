"""The installation's own examination: each part that it stands on, whether it is in order, and what to do when not."""

from __future__ import annotations

import hashlib
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from sqlalchemy import func, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from registry.plugins import PluginHost
from registry.services.vault import path_of
from registry.settings import DEFAULT_SECRET, Settings
from registry.store import migrate
from registry.store.audit import AuditEntry, Head, verify
from registry.store.audit_head import HeadError, read_heads
from registry.store.engine import Store
from registry.store.requests import StoredFile

State = Literal["ok", "attention", "fault"]

_SLACK = timedelta(seconds=30)
_STALE_HEAD = timedelta(days=2)
_MEBIBYTE = 1024 * 1024
_LOW_DISK, _FULL_DISK = 2_048 * _MEBIBYTE, 256 * _MEBIBYTE
_OLDEST_POSTGRES = 150_000
_FEW = 3


@dataclass(frozen=True)
class Finding:
    """What one examination found: ``part`` and ``text`` as one reads them, ``mend`` what to do ("" when in order)."""

    part: str
    state: State
    text: str
    mend: str = ""


def examine(
    settings: Settings, host: PluginHost, store: Store, static: Path, now: datetime, heads: Path, *, whole: bool = False
) -> tuple[Finding, ...]:
    """Examines an installation; nothing is changed.

    Args:
        settings: of the installation; ``host`` its loaded plugins, ``store`` its database.
        static: folder of static files, whose vendored files are compared with their manifest.
        now: the machine's clock (aware).
        heads: file of exported audit heads.
        whole: also walks the whole audit chain and looks for every stored file, which takes a while.
    """
    found = [*_configuration(settings), *_plugins(settings, host), *_vendored(static), *_disk(settings.var)]
    database = list(_database(store, host))
    found += database
    if any(each.state == "fault" for each in database):
        return tuple(found)
    with store.reading() as session:
        found += [*_clock(session, store, now), *_files(session, settings.var / "files", whole=whole)]
        found += _audit(session, heads, now, whole=whole)
    return tuple(found)


def _configuration(settings: Settings) -> Iterator[Finding]:
    part = "Configuração"
    if settings.demo:
        yield Finding(part, "attention", "É a de demonstração.", "Para uso real, faça a implantação: registry setup")
    elif settings.secret_key == DEFAULT_SECRET:
        yield Finding(
            part,
            "fault",
            "A chave secreta é a de fábrica.",
            "Rode registry setup, que faz outra, ou defina REGISTRY_SECRET_KEY.",
        )
    else:
        names = ", ".join(source.name for source in settings.sources)
        count = len(settings.authorities)
        yield Finding(part, "ok", f"{count} {'órgão' if count == 1 else 'órgãos'}, de {names}.")
    if not settings.demo and not settings.session.secure_cookie:
        mend = "Com HTTPS na frente, ponha secure_cookie = true em [session]."
        yield Finding(part, "attention", "O cookie da sessão pode viajar sem HTTPS.", mend)


def _plugins(settings: Settings, host: PluginHost) -> Iterator[Finding]:
    loaded = ", ".join(f"{each.name} {each.version}" for each in host.plugins.values())
    yield Finding("Plugins", "ok", f"{len(host.plugins)} carregados: {loaded or 'nenhum'}.")
    for authority in settings.authorities.values():
        for regime in authority.regimes:
            if regime not in host.regimes:
                mend = "Instale o plugin e ponha-o em plugins, na configuração."
                yield Finding("Plugins", "fault", f"Nenhum plugin declara {regime}, de {authority.code}.", mend)


def _vendored(static: Path) -> Iterator[Finding]:
    folder = static / "vendor"
    manifest = tomllib.loads((folder / "manifest.toml").read_text(encoding="utf-8"))
    listed = [
        (folder / package["folder"] / file["file"], file["sha256"])
        for package in manifest["package"]
        for file in package["file"]
    ]
    wrong = [path.name for path, digest in listed if not path.is_file() or _digest(path) != digest]
    if wrong:
        names = ", ".join(wrong[:_FEW])
        yield Finding("Letras e estilos", "fault", f"Faltam ou mudaram: {names}.", "Instale o programa de novo.")
    else:
        yield Finding("Letras e estilos", "ok", f"{len(listed)} arquivos conferem.")


def _disk(var: Path) -> Iterator[Finding]:
    part = "Disco"
    place = next(each for each in (var, *var.parents) if each.exists())
    free = shutil.disk_usage(place).free
    told = f"{free // _MEBIBYTE} MiB livres em {var}."
    if free < _FULL_DISK:
        yield Finding(part, "fault", told, "Libere espaço já: sem ele nada se grava.")
    elif free < _LOW_DISK:
        yield Finding(part, "attention", told, "Libere espaço ou aumente o disco.")
    else:
        yield Finding(part, "ok", told)


def _database(store: Store, host: PluginHost) -> Iterator[Finding]:
    part = "Banco de dados"
    where = store.url.render_as_string(hide_password=True)
    path = store.sqlite_path()
    if path is not None and not path.exists():
        yield Finding(part, "fault", f"Não existe: {where}.", "Crie-o: registry db upgrade")
        return
    try:
        with store.read_engine.connect() as connection:
            if store.dialect == "sqlite":
                told = str(connection.execute(text("pragma quick_check(1)")).scalar())
                sound, version = told == "ok", "SQLite"
            else:
                number = int(connection.execute(text("show server_version_num")).scalar() or 0)
                sound, version = number >= _OLDEST_POSTGRES, f"PostgreSQL {number // 10_000}"
                told = "é anterior à versão 15"
        behind = migrate.pending(store, migrate.of_plugins(host))
    except SQLAlchemyError as error:
        cause = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        mend = "Confira se o servidor está no ar e o endereço em REGISTRY_DATABASE_URL."
        yield Finding(part, "fault", f"Não responde: {where} ({cause}).", mend)
        return
    mend = "Restaure a última cópia: registry restore" if store.dialect == "sqlite" else "Atualize o servidor."
    yield Finding(part, "ok", f"{version}, {where}.") if sound else Finding(part, "fault", f"{where}: {told}.", mend)
    if behind:
        names = ", ".join(each.name or "núcleo" for each in behind)
        yield Finding("Migrações", "fault", f"Não está na versão do programa: {names}.", "Rode: registry db upgrade")
    else:
        yield Finding("Migrações", "ok", "Em dia.")


def _clock(session: Session, store: Store, now: datetime) -> Iterator[Finding]:
    part, mend = "Relógio", "Acerte o relógio da máquina (NTP)."
    last = session.scalar(select(func.max(AuditEntry.at)))
    if last is not None and last > now + _SLACK:
        told = f"Está em {now.astimezone(UTC):%d/%m/%Y %H:%M} UTC, antes do último ato ({last:%d/%m/%Y %H:%M} UTC)."
        yield Finding(part, "fault", told, mend)
        return
    if store.dialect == "postgresql":
        server = session.scalar(select(func.clock_timestamp()))
        if server is not None and abs(server - now) > _SLACK:
            yield Finding(part, "attention", "O do banco e o desta máquina diferem mais de 30 segundos.", mend)
            return
    yield Finding(part, "ok", f"{now.astimezone(UTC):%d/%m/%Y %H:%M} UTC, depois do último ato.")


def _files(session: Session, folder: Path, *, whole: bool) -> Iterator[Finding]:
    query = select(StoredFile.sha256).where(StoredFile.sha256 != "").order_by(StoredFile.id.desc())
    digests = session.scalars(query if whole else query.limit(200)).all()
    missing = [each for each in dict.fromkeys(digests) if not path_of(folder, each).is_file()]
    which = "arquivos" if whole else "arquivos mais recentes"
    if missing:
        told = f"Dos {len(digests)} {which}, faltam {len(missing)} em {folder}."
        yield Finding("Arquivos", "fault", told, "Confira REGISTRY_VAR; se sumiram, restaure a última cópia.")
    else:
        yield Finding("Arquivos", "ok", f"No lugar: {len(digests)} {which}.")


def _audit(session: Session, heads: Path, now: datetime, *, whole: bool) -> Iterator[Finding]:
    part, mend = "Auditoria", "Rode: registry audit verify --head " + str(heads)
    try:
        kept = read_heads(heads) if heads.exists() else []
    except HeadError as error:
        yield Finding(part, "fault", str(error), "Guarde o arquivo à parte e comece outro: registry audit head")
        return
    if whole:
        report = verify(session, kept)
        if not report.intact:
            yield Finding(part, "fault", report.faults[0].message_pt, mend)
            return
        yield Finding(part, "ok", f"{report.head.count} entradas íntegras.")
    elif kept and not _stands(session, kept[-1]):
        yield Finding(part, "fault", "A última cabeça exportada não está na cadeia.", mend)
        return
    if not kept:
        told, do = f"Nenhuma cabeça exportada em {heads}.", "Ligue o trabalho da noite: registry jobs run"
        yield Finding(part, "attention", told, do)
        return
    age = now - datetime.fromtimestamp(heads.stat().st_mtime, UTC)
    if age > _STALE_HEAD:
        told = f"A última cabeça exportada é de {age.days} dias atrás."
        yield Finding(part, "attention", told, "Confira o temporizador de registry jobs run.")
    elif not whole:
        yield Finding(part, "ok", "A última cabeça exportada está na cadeia.")


def _stands(session: Session, head: Head) -> bool:
    return head.count == 0 or head.hash == session.scalar(select(AuditEntry.hash).where(AuditEntry.seq == head.count))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
