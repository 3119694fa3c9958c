"""The settings of one installation: ``config/default.toml``, then the files of REGISTRY_CONFIG, then the environment.

Nothing is read at import; ``app`` and ``cli`` hand :func:`load_settings` the configuration folder.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DEFAULT_SECRET = "troque-esta-chave"
UNSET_CONFIG = "demo.toml"  # what every command uses until REGISTRY_CONFIG says otherwise
ENVIRONMENT = ("REGISTRY_CONFIG", "REGISTRY_DATABASE_URL", "REGISTRY_VAR", "REGISTRY_SECRET_KEY")

Rounding = Literal["half_up", "half_even", "down"]

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


@dataclass(frozen=True)
class Authority:
    """An authority of this installation: code, name, civil zone, its regimes, and calendar days of its own.

    ``calendar`` has entries in the shape of a plugin's ``calendar.toml`` days; closures by act are in the database.
    """

    code: str
    name: str
    short_name: str
    zone: ZoneInfo
    regimes: tuple[str, ...] = ()
    calendar: tuple[Mapping[str, Any], ...] = ()
    phone: str = ""
    address: str = ""


@dataclass(frozen=True)
class WorkflowTerms:
    """Terms that stand in no law: business days to answer an exigência and for the analysis."""

    exigencia_days: int
    analysis_days: int


@dataclass(frozen=True)
class SessionSettings:
    """The log-in session: idle minutes, whether its cookie needs HTTPS, failures that lock, minutes of the lock."""

    idle_minutes: int
    secure_cookie: bool
    lock_after: int
    lock_minutes: int


@dataclass(frozen=True)
class RateLimits:
    """Requests per address (Flask-Limiter notation): public look-up, JSON look-up, log-in."""

    public: str
    api: str
    login: str


@dataclass(frozen=True)
class Settings:
    """Everything that an installation may choose.

    ``readings`` and ``plugin`` are by plugin; ``permissions`` gives the roles of a permission; ``roles`` the label of a
    role; ``upload_limit`` is in bytes; ``var`` is the folder of uploaded files and of the SQLite database;
    ``proxies`` is how many proxies stand before the server; ``sources`` are the files read, in order.
    """

    plugins: tuple[str, ...]
    authorities: Mapping[str, Authority]
    roles: Mapping[str, str]
    permissions: Mapping[str, tuple[str, ...]]
    readings: Mapping[str, Mapping[str, Any]]
    plugin: Mapping[str, Mapping[str, Any]]
    rounding: Rounding
    workflow: WorkflowTerms
    session: SessionSettings
    rates: RateLimits
    upload_limit: int
    demo: bool
    host: str
    port: int
    workers: int
    proxies: int
    secret_key: str = field(repr=False)
    database_url: str = field(repr=False)
    var: Path
    sources: tuple[Path, ...] = ()

    def authority(self, code: str) -> Authority:
        """The authority of this code. Raises KeyError."""
        return self.authorities[code]

    def authority_of(self, regime: str) -> Authority | None:
        """The first authority that administers a regime; None when none does."""
        return next((each for each in self.authorities.values() if regime in each.regimes), None)


def load_settings(folder: Path, environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> Settings:
    """The settings from the files and the environment.

    Args:
        folder: the shipped configuration folder, which holds default.toml.
        environ: environment variables; ``os.environ`` when None. REGISTRY_CONFIG names files, separated by ``:``, later
            ones override; a bare name is looked for in ``cwd``, then in ``folder``.
        cwd: where relative paths start; the working directory when None.

    Raises:
        SettingsError: a file is missing or malformed, a key is unknown or has the wrong type.
    """
    environ = os.environ if environ is None else environ
    cwd = Path.cwd() if cwd is None else cwd
    default = folder / "default.toml"
    merged = _read(default)
    sources = [default]
    for name in filter(None, environ.get("REGISTRY_CONFIG", UNSET_CONFIG).split(os.pathsep)):
        for path in _with_extended(_find(name, cwd, folder), folder):
            content = _read(path)
            _refuse_unknown(path, content, merged)
            merged = _merge(merged, content)
            sources.append(path)
    return _build(merged, environ, cwd, tuple(sources))


def refuse_unsafe(settings: Settings, has_demo_users: bool) -> None:
    """Refuses to serve real use with the shipped secret, in demonstration mode, or with demonstration users.

    Raises SettingsError naming every fault.
    """
    faults = []
    if settings.secret_key == DEFAULT_SECRET or len(settings.secret_key) < 16:
        faults.append("a chave secreta é a de fábrica ou tem menos de 16 letras: defina REGISTRY_SECRET_KEY")
    if settings.demo:
        faults.append("a configuração é a de demonstração: defina REGISTRY_CONFIG com o arquivo do órgão")
    if has_demo_users:
        faults.append("o banco tem usuários de demonstração: use outro banco (REGISTRY_DATABASE_URL)")
    if faults:
        raise SettingsError(f"Não é seguro abrir ao público: {'; '.join(faults)}.")


def _find(name: str, cwd: Path, folder: Path) -> Path:
    for place in (cwd / name, folder / name):
        if place.is_file():
            return place
    raise SettingsError(f"REGISTRY_CONFIG: não há arquivo {name} em {cwd} nem em {folder}. Confira o caminho.")


def _with_extended(path: Path, folder: Path) -> list[Path]:
    """The files that ``extends`` names, depth first, then the file itself."""
    files: list[Path] = []
    for name in _read(path).get("extends", []):
        files += _with_extended(_find(name, path.parent, folder), folder)
    return [*files, path]


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: o arquivo não é TOML bem formado: {error}") from error


def _refuse_unknown(path: Path, content: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    for key, value in content.items():
        if key == "extends" or key in _OPEN_TABLES:
            continue
        if key not in known:
            raise _unknown(path, key, known)
        if key == "authority":
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


def _merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Tables merge key by key; any other value, a list too, is replaced."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


class _Reader:
    """Reads typed values of the merged configuration; a wrong type names its key."""

    def __init__(self, content: Mapping[str, Any], place: str) -> None:
        self.content = content
        self.place = place

    def table(self, key: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._typed(key, dict, "uma tabela")
        return found

    def section(self, key: str) -> _Reader:
        return _Reader(self.table(key), f"{self.place}: {key}")

    def text(self, key: str) -> str:
        return str(self._typed(key, str, "um texto"))

    def integer(self, key: str) -> int:
        value = self._typed(key, int, "um número inteiro")
        if isinstance(value, bool) or value < 0:
            raise self._wrong(key, "um número inteiro")
        return int(value)

    def flag(self, key: str) -> bool:
        return bool(self._typed(key, bool, "true ou false"))

    def texts(self, key: str) -> tuple[str, ...]:
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


def _build(merged: Mapping[str, Any], environ: Mapping[str, str], cwd: Path, sources: tuple[Path, ...]) -> Settings:
    top = _Reader(merged, str(sources[-1]))
    var = (cwd / environ.get("REGISTRY_VAR", "var")).absolute()
    server, workflow, session, rates = (top.section(key) for key in ("server", "workflow", "session", "rates"))
    rounding = _rounding(top)
    permissions = top.section("permissions")
    return Settings(
        plugins=top.texts("plugins"),
        authorities=_authorities(top, merged.get("authority", [])),
        roles=MappingProxyType(dict(top.table("roles"))),
        permissions=MappingProxyType({name: permissions.texts(name) for name in permissions.content}),
        readings=_frozen_tables(top.section("readings")),
        plugin=_frozen_tables(top.section("plugin")),
        rounding=rounding,
        workflow=WorkflowTerms(workflow.integer("exigencia_days"), workflow.integer("analysis_days")),
        session=SessionSettings(
            idle_minutes=session.integer("idle_minutes"),
            secure_cookie=session.flag("secure_cookie"),
            lock_after=session.integer("lock_after"),
            lock_minutes=session.integer("lock_minutes"),
        ),
        rates=RateLimits(rates.text("public"), rates.text("api"), rates.text("login")),
        upload_limit=top.section("uploads").integer("limit_mib") * 1024 * 1024,
        demo=top.flag("demo"),
        host=server.text("host"),
        port=server.integer("port"),
        workers=server.integer("workers"),
        proxies=server.integer("proxies"),
        secret_key=environ.get("REGISTRY_SECRET_KEY") or top.text("secret_key"),
        database_url=environ.get("REGISTRY_DATABASE_URL")
        or top.text("database_url")
        or f"sqlite:///{var / 'registry.db'}",
        var=var,
        sources=sources,
    )


def _rounding(top: _Reader) -> Rounding:
    match top.section("money").text("rounding"):
        case "half_up" | "half_even" | "down" as mode:
            return mode
        case other:
            raise SettingsError(f"{top.place}: «money.rounding» deve ser half_up, half_even ou down; está {other!r}.")


def _frozen_tables(reader: _Reader) -> Mapping[str, Mapping[str, Any]]:
    return MappingProxyType({name: MappingProxyType(dict(reader.table(name))) for name in reader.content})


def _authorities(top: _Reader, entries: Any) -> Mapping[str, Authority]:
    found: dict[str, Authority] = {}
    for entry in entries:
        place = f"{top.place}: authority {entry.get('code', '?')}"
        reader = _Reader({"regimes": [], "calendar": [], "phone": "", "address": "", "short_name": "", **entry}, place)
        code, name, zone = reader.text("code"), reader.text("name"), reader.text("zone")
        if code in found:
            raise SettingsError(f"{place}: o código se repete; dê outro a um dos órgãos.")
        try:
            civil_zone = ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise SettingsError(
                f"{place}: não existe o fuso «{zone}»; escreva um nome IANA (Continente/Cidade)."
            ) from error
        found[code] = Authority(
            code=code,
            name=name,
            short_name=reader.text("short_name") or name,
            zone=civil_zone,
            regimes=reader.texts("regimes"),
            calendar=tuple(reader.content["calendar"]),
            phone=reader.text("phone"),
            address=reader.text("address"),
        )
    return MappingProxyType(found)
